"""Where batches are run: in this process, in several of this machine, or on a cluster of many.

Any `concurrent.futures` executor will do. A batch whose worker ends before it is done is run again elsewhere; one that
ends its worker again and again is given up alone, as the machine's fault and nobody's zero.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait

from autograder.grading import work
from autograder.problems import CourseError

TRIES = 3
CONNECT_SECONDS = 10
WORKER_SECONDS = 30
AGAIN = "the same command goes on from what is finished"

Open = Callable[[], contextlib.AbstractContextManager[Executor]]


class Engine:
    """Runs batches on the executor that `opened` gives, `parallel` of them at a time (None: in this process)."""

    def __init__(
        self,
        opened: Open | None,
        parallel: int,
        lost: tuple[type[BaseException], ...] = (),
        alive: Callable[[], bool] = lambda: True,
    ) -> None:
        self.opened = opened
        self.parallel = parallel
        self.alive = alive  # whether there is anybody to wait for
        self.lost: tuple[type[BaseException], ...] = (BrokenExecutor, *lost)  # raised where the worker is gone

    def run(self, batches: Iterable[bytes]) -> Iterator[tuple[int, bytes | None]]:
        """Yield (which, its results) as batches are finished; None for one that could not be run anywhere.

        Batches are taken one by one, as many as are worked on and one more: a class need not be in memory. One of no
        bytes is finished as soon as it is taken.
        """
        if self.opened is None:
            with work.Worker() as worker:
                for which, data in enumerate(batches):
                    yield which, worker.do(data) if data else b""
            return
        lost: dict[int, bytes] = {}
        numbered = iter(enumerate(batches))
        while (yield from self._until_broken(self.opened, numbered, lost)):
            pass
        for which, data in lost.items():  # each alone: a batch that ends its worker takes no other with it
            found: dict[int, bytes | None] = {which: None}
            for _ in range(TRIES - 1):
                found.update(self._until_broken(self.opened, iter([(which, data)]), {}))
                if found[which] is not None:
                    break
            yield which, found[which]

    def _until_broken(
        self, opened: Open, numbered: Iterator[tuple[int, bytes]], lost: dict[int, bytes]
    ) -> Generator[tuple[int, bytes], None, bool]:
        """Run batches on a new executor. Returns whether it broke; the batches that it took along are in `lost`."""
        running: dict[Future[bytes], tuple[int, bytes]] = {}
        with opened() as executor:
            try:
                while True:
                    taken = False
                    for which, data in itertools.islice(numbered, self.parallel + 1 - len(running)):
                        taken = True
                        if not data:
                            yield which, b""
                            continue
                        try:
                            running[executor.submit(work.do, data)] = which, data
                        except self.lost:
                            lost[which] = data
                            return True
                    if not running:
                        if taken:
                            continue
                        return False
                    done, _ = wait(running, timeout=WORKER_SECONDS, return_when=FIRST_COMPLETED)
                    if not done and not self.alive():
                        raise CourseError("there is no worker left", f"start workers again; {AGAIN}")
                    finished, broken, failure = [], False, None
                    for future in done:
                        which, data = running.pop(future)
                        try:
                            finished.append((which, future.result()))
                        except self.lost as error:
                            lost[which] = data
                            broken = broken or isinstance(error, BrokenExecutor)
                        except Exception as error:  # a worker without the kit, a scheduler that is gone, a full disk
                            failure = error
                    yield from finished
                    if failure is not None:
                        reason = (str(failure).splitlines() or [""])[0][:200]
                        raise CourseError(f"a worker failed ({type(failure).__name__}: {reason})", AGAIN) from failure
                    if broken:
                        return True
            finally:
                lost.update(running.values())
                for future in running:
                    future.cancel()
                executor.shutdown(wait=False)


def local(jobs: int) -> Engine:
    """Return the engine of this machine: this process where `jobs` is 1, else so many others."""
    if jobs == 1:
        return Engine(None, 1)
    context = multiprocessing.get_context("spawn")  # a fork would copy whatever threads this process has
    return Engine(lambda: ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with_parent), jobs)


def _end_with_parent() -> None:
    """In a worker: end when the grader has ended, however it did. A worker that waits for work does not notice."""
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()


def cluster(address: str) -> Engine:
    """Return the engine of a Dask cluster that is running at `address`. Raises CourseError where it is of no use."""
    try:
        from distributed import Client, KilledWorker
        from distributed.comm import CommClosedError
    except ImportError as error:
        raise CourseError(
            "--engine needs Dask, which is not installed", "pip install 'attention-course[dask]'"
        ) from error
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CourseError(
            f"nobody answers at {address}", "start `dask scheduler` and name the address that it prints"
        ) from error
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except TimeoutError as error:
        client.close()
        raise CourseError(
            f"the cluster at {address} has no worker", f"start `dask worker {address} --nthreads 1` on some machines"
        ) from error
    threads = sum(client.nthreads().values())

    @contextlib.contextmanager
    def opened() -> Iterator[Executor]:
        yield client.get_executor(pure=False, retries=TRIES)

    return Engine(opened, threads, (KilledWorker, CommClosedError), lambda: bool(client.nthreads()))


__all__ = ["Engine", "cluster", "local"]
