"""A zygote on its way: it loads its libraries while the grader loads its own. One notebook is then graded sooner."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from autograder.limits import Limits
from autograder.student.host import Host
from autograder.student.sandbox import Sandbox


class Starting:
    """Starts a zygote in a thread that lives until `close`: the zygote dies with the thread that started it."""

    def __init__(self, limits: Limits, sandbox: Sandbox) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._host: Future[Host] = self._thread.submit(Host, limits, sandbox)

    def host(self) -> Host:
        """Return the zygote, as soon as it is ready. Raises MachineFault as Host does."""
        return self._host.result()

    def __enter__(self) -> Starting:
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._host.exception() is None:
            self._host.result().close()
        self._thread.shutdown()
