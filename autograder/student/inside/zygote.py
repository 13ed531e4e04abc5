"""The zygote: a process with everything loaded that student code will import, forked once per student.

Started by the grader as `python -I zygote.py OPTIONS`, with an empty environment. It holds nothing of the
graders. It speaks with the grader over one socket (never with students) and understands three requests: fork a
student's process, signal one, and end. With `--spawned` it is one student's process itself, for where forking
is not to be had.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any


def main(options: dict[str, Any]) -> None:
    """Load, then serve until the grader closes the socket."""
    sys.dont_write_bytecode = True
    for name in options["preload"]:
        try:
            importlib.import_module(name)
        except ImportError:
            continue  # a missing library shows where student code imports it
    from inside import child, fork, watch  # noqa: F401  (loaded now: later there is no path to them)
    from inside.shell import make_shell

    if "torch" in sys.modules:  # it reads /proc/cpuinfo, which a student's process may not see, at some first product
        sys.modules["torch"].backends.cpu.get_cpu_capability()
    shell = make_shell()
    if options["freeze"]:
        gc.freeze()  # or a student's gc.collect() goes through all of a large library, for half a second each time
    forget_the_kit()
    control = socket.socket(fileno=options["control"])
    if options["spawned"]:
        from inside.confine import Confinement

        confinement = Confinement(options)
        confinement.divide()
        confinement.enter()
        tell(control, {"op": "ready"})
        serve(control, shell)
    gc.collect()
    gc.freeze()
    tell(control, {"op": "ready"})
    Zygote(control, shell, options).run()


def forget_the_kit() -> None:
    """Take the course's own package out of reach of `import`: an editable installation puts it on the path."""
    own = tuple(prefix + os.sep for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix, "/usr"))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry).startswith(own)]
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
    sys.path_hooks[:] = [hook for hook in sys.path_hooks if "editable" not in repr(hook).lower()]
    sys.path_importer_cache.clear()


def serve(channel: socket.socket, shell: Any) -> None:
    """Be one student's process, to its end."""
    from inside.child import Child

    try:
        Child(channel, shell).serve()
    finally:
        os._exit(0)


def tell(control: socket.socket, message: dict[str, Any]) -> None:
    control.sendall(json.dumps(message).encode() + b"\n")


class Zygote:
    """Forks students' processes and watches over them."""

    def __init__(self, control: socket.socket, shell: Any, options: dict[str, Any]) -> None:
        from inside import linux, watch

        self.watch = watch
        self.control = control
        self.shell = shell
        self.options = options
        self.namespaces = "namespaces" in options["layers"]
        if not self.namespaces:
            with contextlib.suppress(OSError, AttributeError):  # a system without it has no strays to adopt
                linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
        self.children: dict[int, Any] = {}  # pid of the process that we wait for -> its Fork
        self.waiting = b""
        self.looked = time.monotonic()
        self.wake, wake_writer = os.pipe()
        os.set_blocking(wake_writer, False)
        os.set_blocking(self.wake, False)
        signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)

    def run(self) -> None:
        while True:
            watched: list[Any] = [self.control, self.wake]
            ready, _, _ = select.select(watched, [], [], self.watch.EVERY if self.children else None)
            if self.children and time.monotonic() - self.looked >= self.watch.EVERY:  # however often it is woken
                self._look_after_memory()
                self.looked = time.monotonic()
            if self.wake in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self.wake, 4096)
                self._reap()
            if self.control in ready and not self._serve_request():
                return

    def _serve_request(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self.control, 65536, 8)
        if not data:
            for fork in self.children.values():
                fork.kill(signal.SIGKILL)
            return False
        self.waiting += data
        while b"\n" in self.waiting:
            line, self.waiting = self.waiting.split(b"\n", 1)
            request = json.loads(line)
            if request["op"] == "fork":
                self._fork(request, descriptors)
                descriptors = []
            elif request["op"] == "signal":
                for fork in self.children.values():
                    if fork.number == request["number"]:
                        fork.kill(request["signal"])
        return True

    def _fork(self, request: dict[str, Any], descriptors: list[int]) -> None:
        from inside.fork import Fork

        try:
            fork = Fork(
                {**self.options, **request}, descriptors, self._forget, lambda channel: serve(channel, self.shell)
            )
        except OSError as error:
            tell(self.control, {"op": "failed", "number": request["number"], "reason": str(error)})
            return
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self.children[fork.pid] = fork
        tell(self.control, {"op": "forked", "number": request["number"]})

    def _forget(self) -> None:
        """In the child: give up everything of the zygote's."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.control.close()
        self.children.clear()  # the other descriptors are closed by Fork

    def _look_after_memory(self) -> None:
        """End a student whose processes use more memory together, or are more, than they may."""
        processes = self.watch.table()
        me = processes.get(os.getpid())
        limit = self.options["limits"]["memory_mb"] * 2**20
        trees = {pid: {pid, *self.watch.below(pid, processes)} for pid in self.children}
        strays = self.watch.below(os.getpid(), processes).difference(*trees.values())
        for pid, fork in self.children.items():
            tree = trees[pid] | strays  # whoever left its parent is the student's all the same
            if fork.inner != pid:
                tree.discard(pid)  # it only waits
            if me is not None and self.watch.own_memory(tree, processes, me.resident) > limit:
                fork.why = "memory"
            elif len(tree) > self.options["limits"]["processes"] + 2:
                fork.why = "processes"
            else:
                continue
            fork.kill(signal.SIGKILL)

    def _reap(self) -> None:
        while self.children:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            fork = self.children.pop(pid, None)
            if fork is not None:
                fork.ended()
                if not self.namespaces:
                    self.watch.end_strays(set(self.children))
                tell(self.control, {"op": "exited", "number": fork.number, "status": status, "why": fork.why})


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import inside  # noqa: F401

    sys.modules["inside.zygote"] = sys.modules["__main__"]
    main(json.loads(sys.argv[1]))
