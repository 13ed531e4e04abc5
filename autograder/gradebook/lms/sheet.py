"""A CSV file as some other program wrote it: encoding, separator and line ends are found out, and kept when writing."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.problems import CourseError
from autograder.reading.names import listed

MAX_BYTES = 50 * 10**6
SEPARATORS = (",", ";", "\t")
MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass
class Sheet:
    """A header and rows, each of as many cells. `lines` are the rows' places in the file, for messages."""

    name: str
    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    mark: bytes = b""  # the byte-order mark, where there was one
    encoding: str = "utf-8"
    separator: str = ","
    newline: str = "\r\n"

    def find(self, *names: str) -> int | None:
        """Return the place of the first of these columns that is there. Raises CourseError where it is there twice."""
        known = [cell.strip().casefold() for cell in self.header]
        for name in names:
            places = [place for place, cell in enumerate(known) if cell == name.strip().casefold()]
            if len(places) > 1:
                raise CourseError(
                    f"{self.name}: the column {name!r} is there {len(places)} times", "take one of them out"
                )
            if places:
                return places[0]
        return None

    def need(self, *names: str, advice: str = "") -> int:
        """Return the place of the first of these columns. Raises CourseError where none is there."""
        place = self.find(*names)
        if place is None:
            columns = listed([cell.strip() or "(no name)" for cell in self.header])
            raise CourseError(
                f"{self.name}: there is no column {' or '.join(map(repr, names))} (found: {columns})",
                advice or "export the file again, or name the column",
            )
        return place

    def data(self) -> bytes:
        """Return the file's content, in the encoding and with the separator that it came with."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self.separator, lineterminator=self.newline)
        writer.writerows([self.header, *self.rows])
        return self.mark + text.getvalue().encode(self.encoding)


def read_sheet(path: Path) -> Sheet:
    """Read a CSV file. Raises CourseError with one clear line where it cannot be read as one."""
    name = path.name
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CourseError(f"{name} has more than {MAX_BYTES // 10**6} MB", "name the CSV file that was exported")
        data = path.read_bytes()
    except OSError as error:
        raise CourseError(f"{path} cannot be read ({error.strerror})", "name a CSV file") from error
    if data.startswith(b"PK\x03\x04") or data.startswith(b"\xd0\xcf\x11\xe0"):
        raise CourseError(f"{name} is a workbook or an archive and no CSV file", "save it as CSV")
    mark, encoding, text = _decoded(name, data)
    found = [read for separator in SEPARATORS if (read := _rows(text, separator)) is not None]
    if not any(rows for _, rows, _ in found):
        raise CourseError(f"{name} cannot be read as CSV", "it is empty or lacks a quotation mark; export it again")
    separator, rows, lines = max(found, key=lambda read: _fit(read[1]))
    header, *rows = rows
    for row, line in zip(rows, lines[1:], strict=True):
        if len(row) > len(header):
            raise CourseError(
                f"{name}, line {line}: there are {len(row)} cells, and the header has {len(header)}",
                "a separator inside a cell has no quotation marks around it; mend that line",
            )
        row += [""] * (len(header) - len(row))
    first = text.splitlines(keepends=True)[0]
    newline = "\r\n" if first.endswith("\r\n") else "\r" if first.endswith("\r") else "\n"
    return Sheet(name, header, rows, lines[1:], mark, encoding, separator, newline)


def plain(text: str | None) -> str:
    """Return text that a spreadsheet program shows and never runs: a formula's first sign gets an apostrophe."""
    text = text or ""
    return "'" + text if text.startswith(FORMULA) or text.lstrip().startswith(FORMULA[:4]) else text


def first_of(problems: Sequence[str], advice: str, where: str) -> CourseError:
    """Return one error for several problems of a file."""
    return CourseError(f"{where}: {'; '.join(problems[:3])}" + _more(len(problems) - 3), advice)


def _decoded(name: str, data: bytes) -> tuple[bytes, str, str]:
    """Return (byte-order mark, encoding, text)."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            try:
                return mark, encoding, data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise CourseError(f"{name} is cut off or damaged", "export it again") from error
    if b"\x00" in data:
        raise CourseError(f"{name} is no text file", "save it as CSV (UTF-8)")
    for encoding in ("utf-8", "cp1252"):
        try:
            return b"", encoding, data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return b"", "latin-1", data.decode("latin-1")


def _rows(text: str, separator: str) -> tuple[str, list[list[str]], list[int]] | None:
    """Return (separator, rows that hold something, their lines); None where the text is no such CSV."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    last = 0
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
                lines.append(last + 1)
            last = reader.line_num
    except csv.Error:
        return None
    return separator, rows, lines


def _fit(rows: list[list[str]]) -> tuple[int, int]:
    """How well a separator fits: whether it parts the header at all, then in how many columns most rows agree."""
    if not rows or len(rows[0]) < 2:
        return 0, 0
    agreeing = sum(len(row) == len(rows[0]) for row in rows)
    return agreeing, len(rows[0])


def _more(count: int) -> str:
    return f" (and {count} more)" if count > 0 else ""


Render = Callable[[float], str]


def decimals(texts: Sequence[str]) -> Render:
    """Return how this file writes a number of points: with two digits, and the comma where its own numbers have one."""
    comma = any("," in text and text.strip().replace(",", "", 1).isdecimal() for text in texts)
    return lambda value: f"{value:.2f}".replace(".", ",") if comma else f"{value:.2f}"
