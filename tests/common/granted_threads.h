/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A system that grants as many threads as a test wants. The linker sends every pthread_create() of
 * a program that is built with this to a function that refuses, once that many were started (see
 * meson.build).
 */
#pragma once

#include <pthread.h>

/* From now on `threads` more may start. At first: none. */
void grant_threads(int threads);

/* Starts a thread of the test's own, whatever is granted, and fails the test if that fails. */
pthread_t start_thread(void *(*run)(void *), void *data);
