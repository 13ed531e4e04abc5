"""Files in folders and zip archives that came from outside: their names are looked at before anything is written.

Nothing is unpacked here. A name that leads out of its folder, a link, an encrypted or oversized file is left out and
said. But for the first a note takes its place: whoever handed it in has handed in something, and a person has to look.
Two different files of one name are an error, for nobody can tell which one counts.
"""

from __future__ import annotations

import datetime
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.problems import CourseError
from autograder.reading.names import below, is_leftover, readable

MAX_FILES = 50_000
_UNPACKING = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError)


@dataclass(frozen=True)
class Entry:
    """A file that was found: its name below where it was found, where that is, and how to get its content.

    `when` is what the archive or the file system says of its last change, as (year, ..., second) of no known zone.
    """

    name: str
    source: str
    when: tuple[int, ...]
    content: Callable[[], bytes]


def entries(path: Path, max_bytes: int, is_named: Callable[[str], bool], left_out: list[str]) -> list[Entry]:
    """Return the files in a folder, in a zip archive, or the file itself; what is left out is said in `left_out`.

    An archive in a folder is looked into, unless its name says whose it is (`is_named`): then it is one student's.
    Raises CourseError for an archive that cannot be read, or that holds two different files of one name.
    """
    found: list[Entry | None] = []
    try:
        if not path.is_dir():
            path.stat()
        files = below(path)[0] if path.is_dir() else [path]
        for file in files:
            name = file.relative_to(path).as_posix() if path.is_dir() else file.name
            if file.suffix.lower() == ".zip" and not is_named(name) and not file.is_symlink():
                found += members(readable(file.name), file, max_bytes, left_out)
            else:
                found.append(_of_file(file, name, str(path), max_bytes, left_out))
    except OSError as error:
        raise CourseError(f"{path} cannot be read ({error.strerror})", "name a zip archive or a folder") from error
    return [entry for entry in found if entry is not None]


def members(shown: str, path: Path, max_bytes: int, left_out: list[str]) -> Iterator[Entry]:
    """Find the files in a zip archive. Raises CourseError where it is damaged or holds a name twice."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
    except _UNPACKING as error:
        raise CourseError(f"{shown} is damaged ({error})", "download it again") from error
    if len(infos) > MAX_FILES:
        raise CourseError(f"{shown} holds {len(infos)} files", f"no more than {MAX_FILES} are read")
    seen: dict[str, tuple[int, int]] = {}
    for info in infos:
        name = clean(info.filename)
        if info.is_dir() or (name is not None and any(map(is_leftover, name.split("/")))):
            continue
        if name is None:
            left_out.append(
                f"{shown}: {readable(info.filename)} (its name leads out of the archive or cannot be written)"
            )
            continue
        why = _refused(info, max_bytes)
        if why:
            left_out.append(f"{shown}: {readable(info.filename)} ({why})")
            yield _note(name, shown, tuple(info.date_time), why)
            continue
        same = unicodedata.normalize("NFC", name).casefold()
        if same in seen:
            if seen[same] != (info.file_size, info.CRC):
                raise CourseError(
                    f"{shown} holds two different files named {readable(name)}", "take one of them out of the archive"
                )
            continue
        seen[same] = (info.file_size, info.CRC)
        yield Entry(name, shown, tuple(info.date_time), lambda info=info: _content(path, info, max_bytes))  # type: ignore[misc]


def clean(name: str) -> str | None:
    """Return a name from an archive with plain slashes, or None where it must not be written anywhere."""
    parts = name.replace("\\", "/").split("/")
    odd = name.startswith(("/", "\\")) or any(ord(sign) < 32 or sign == "\x7f" for sign in name)
    if odd or ".." in parts or ":" in parts[0]:
        return None
    kept = [part.strip() for part in parts if part.strip() not in ("", ".")]
    if not kept or any(len(part.encode("utf-8", "surrogatepass")) > 200 for part in kept):
        return None
    return "/".join(kept)


def _note(name: str, source: str, when: tuple[int, ...], why: str) -> Entry:
    return Entry(f"{name}.left-out.txt", source, when, lambda: f"This file was left out: {why}.\n".encode())


def _refused(info: zipfile.ZipInfo, max_bytes: int) -> str:
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link"
    if info.flag_bits & 1:
        return "it is encrypted"
    return f"it has more than {max_bytes // 10**6} MB" if info.file_size > max_bytes else ""


def _content(path: Path, info: zipfile.ZipInfo, max_bytes: int) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(info) as file:
            data = file.read(max_bytes + 1)
    except _UNPACKING as error:
        raise CourseError(f"{path.name}: {readable(info.filename)} is damaged", "download it again") from error
    if len(data) > max_bytes:
        raise CourseError(
            f"{path.name}: {readable(info.filename)} is larger than it says", "take it out of the archive"
        )
    return data


def _of_file(path: Path, shown: str, source: str, max_bytes: int, left_out: list[str]) -> Entry | None:
    name = clean(shown)
    if name is None:
        left_out.append(f"{readable(shown)} (its name cannot be written)")
        return None
    about = path.lstat()
    when = tuple(datetime.datetime.fromtimestamp(about.st_mtime).timetuple()[:6])
    why = "it is a link" if path.is_symlink() else ""
    why = why or (f"it has more than {max_bytes // 10**6} MB" if about.st_size > max_bytes else "")
    if why:
        left_out.append(f"{readable(shown)} ({why})")
        return _note(name, source, when, why)
    return Entry(name, source, when, path.read_bytes)
