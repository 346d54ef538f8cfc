# SPDX-License-Identifier: LGPL-2.1-or-later
"""Engines give recordings to workers: threads of this process, each with a pipeline in a process of
its own, or Dask, on this machine or on many. A result is given to `tell` as soon as it is there."""
import concurrent.futures
import contextlib
import tempfile

import work


class Missing(Exception):
    """The engine, or its scheduler."""


def local(jobs, workers, tell):
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(work.compute, job): job for job in jobs}
        try:
            for future in concurrent.futures.as_completed(futures):
                tell(futures[future], future.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def outcome(future):
    """A message of the worker, or of the engine about it."""
    return future.result() if future.status == "finished" else str(future.exception())


def dask(jobs, workers, tell, scheduler=None):
    """A worker that dies is started again by its nanny, and what it worked on is done again; what
    has cost four workers is given up."""
    try:
        from distributed import Client, LocalCluster, as_completed
    except ImportError as error:
        raise Missing(f"{error}: for Dask, pip install dask distributed") from error
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        cluster = scheduler or stack.enter_context(LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None,
            local_directory=folder))
        try:
            client = stack.enter_context(Client(cluster, timeout=20))
        except OSError as error:
            raise Missing(f"no scheduler at {scheduler}: {error}") from error
        client.upload_file(work.__file__)
        futures = {client.submit(work.compute, job, pure=False): job for job in jobs}
        for future in as_completed(list(futures)):
            tell(futures.pop(future), outcome(future))
            future.release()
