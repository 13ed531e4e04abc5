"""What lies outside of the sandbox while hostile submissions are graded, and whether it was left alone."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.student.sandbox import Sandbox, Way

MARK = "COURSE_TEST_MARK"
SLEEPER = "98765.4321"  # what the sleeping processes of the cases are called with


@dataclass
class Outside:
    """Secrets that everybody may read and write, servers that everybody may reach, and a process to disturb."""

    folder: Path
    root: Path
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    mark: str = field(default_factory=lambda: "mark" + secrets.token_hex(8))

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.folder.chmod(0o777)
        self.secret = self.folder / "secret.txt"
        answer = self.folder / "submitted" / "s02" / "answer.py"
        answer.parent.mkdir(parents=True)
        for path in (self.secret, self.folder / "gradebook.db", answer):
            path.write_text(self.token)
            path.chmod(0o666)
        self.servers = [socket.create_server(("127.0.0.1", 0))]
        for address in (str(self.folder / "socket"), f"\0{self.mark}"):
            self.servers.append(socket.socket(socket.AF_UNIX))
            self.servers[-1].bind(address)
            self.servers[-1].listen()
        os.chmod(self.folder / "socket", 0o777)
        self.victim = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
        self.as_it_was = self.files()

    def close(self) -> None:
        self.victim.kill()
        self.victim.communicate()
        for server in self.servers:
            server.close()

    def fill_in(self, text: str) -> str:
        """Return a case's text with the names in it filled in."""
        for name, value in {
            "SECRET": self.secret,
            "OUTSIDE": self.folder,
            "ROOT": self.root,
            "HOME": Path.home(),
            "PORT": self.servers[0].getsockname()[1],
            "SOCKET": self.folder / "socket",
            "VICTIM": self.victim.pid,
            "GRADER": os.getpid(),
            "MARK": self.mark,
            "TOKEN": self.token,
        }.items():
            text = text.replace(f"@{name}@", str(value))
        return text

    def files(self) -> dict[str, Any]:
        """Everything about the files that somebody could have changed, by name."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            known = path.lstat()
            text = path.read_text() if path.is_file() else ""
            found[str(path)] = [known.st_mode, known.st_uid, known.st_mtime_ns, text, os.listxattr(path)]
        return found

    def harm(self) -> list[str]:
        """What happened that must not."""
        found = [] if self.files() == self.as_it_was else ["a file outside was changed"]
        if self.victim.poll() is not None:
            found.append("a process outside was ended")
        elif os.sched_getaffinity(self.victim.pid) != os.sched_getaffinity(0) or os.getpriority(
            os.PRIO_PROCESS, self.victim.pid
        ) != os.getpriority(os.PRIO_PROCESS, 0):
            found.append("a process outside was disturbed")
        for server in self.servers:
            server.settimeout(0)
            try:
                server.accept()[0].close()
            except OSError:
                continue
            found.append("a server outside was reached")
        return found


@dataclass(frozen=True)
class MarkedSandbox(Sandbox):
    """The sandbox, with a word in the environment by which everything started in it can be found."""

    mark: str = ""

    def environment(self, way: Way, scratch: Path, gpu: bool = False) -> dict[str, str]:
        return {**super().environment(way, scratch, gpu), MARK: self.mark}


def machine(mark: str, scratch: Path) -> dict[str, Any]:
    """What a hostile submission could leave behind: processes, mounts, files."""
    processes = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            said = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            parent = (entry / "stat").read_bytes().rpartition(b")")[2].split()[1]
        except OSError:
            continue
        if f"{MARK}={mark}".encode() in said or SLEEPER.encode() in said or int(parent) == os.getpid():
            processes.append(int(entry.name))
    shared = [name for folder in ("/dev/shm", "/var/tmp", "/tmp", "/") for name in os.listdir(folder) if mark in name]
    return {
        "processes": sorted(processes),
        "mounts": Path("/proc/self/mountinfo").read_text(),
        "files": sorted(str(path) for path in scratch.rglob("*")) + shared,
        "shared memory": len(Path("/proc/sysvipc/shm").read_text().splitlines()),
    }
