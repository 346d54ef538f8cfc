/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is left of stxcuda.h in a build without CUDA: nobody gets an StxCuda, so only the way
 * there, the empty tables and the functions that need none have to exist. */
#include "cuda/stxcuda.h"
