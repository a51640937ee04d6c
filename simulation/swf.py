"""Job traces in the Standard Workload Format (SWF) of the Parallel Workloads Archive.

One line per job, 18 numbers, -1 for unknown; lines that start with ``;`` are
comments, those at the top of the form ``; Key: value``. Errors name line and
field: too few or too many fields, anything but integers (the mean CPU time may
have decimals), negative numbers other than -1, no job number, and jobs submitted
before those above them, as the format requires that order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

from ..instances import InputError
from ..instances.reading.packed import reading_unpacked

FIELDS = (
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding job",
    "think time",
)
_CPU_TIME = FIELDS.index("average CPU time")
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)
_DECIMAL = re.compile(r"-?\d{1,18}(\.\d*)?", re.ASCII)
_HEADER = re.compile(r";\s?(\w+):\s*(.*)", re.ASCII)
_CONTINUED = re.compile(r";\s\s+(.*)")
_PARTIAL = (2, 3, 4)
MOST_LINE = 2**16
"""Limit on the bytes of a line, and of the header."""
MOST_BYTES = 2**30
"""Limit on the unpacked bytes of a trace, which is read line by line."""


@dataclass(frozen=True, slots=True)
class TraceJob:
    """One line of a trace; unknown fields are None.

    Times are in seconds: ``submit`` since the start of the trace, the others
    durations; memory in KB per processor.
    """

    number: int
    submit: int | None
    wait: int | None
    run: int | None
    allocated: int | None
    cpu_time: float | None
    memory: int | None
    requested: int | None
    requested_time: int | None
    requested_memory: int | None
    status: int | None
    user: int | None
    group: int | None
    executable: int | None
    queue: int | None
    partition: int | None
    preceding: int | None
    think_time: int | None

    @property
    def processors(self) -> int | None:
        """Processors allocated, or requested if that is not known; never 0."""
        return self.allocated or self.requested or None

    @property
    def partial(self) -> bool:
        """Whether this is one of the runs of a job already listed as a whole."""
        return self.status in _PARTIAL


def read_swf(path: str | Path) -> Iterator[TraceJob]:
    """Read the jobs of a trace one by one; plain, or packed by xz or gzip.

    Raises
    ------
    InputError
        While reading, for a file that is unreadable, incomplete, empty of jobs, or not
        the kind of archive that its suffix implies; for a bad line, naming file, line
        number, field and value.
    """
    last = -1
    empty = True
    for number, line in _lines(path):
        if line.startswith(";") or not line:
            continue
        try:
            job = _job(line)
            if job.submit is not None and job.submit < last:
                raise InputError(
                    f"must not be before that of the line above ({last})",
                    "submit time",
                    job.submit,
                )
        except InputError as error:
            raise error.of_file(f"{path}:{number}") from None
        last = last if job.submit is None else job.submit
        empty = False
        yield job
    if empty:
        raise InputError("has no jobs", file=path)


def read_header(path: str | Path) -> dict[str, str]:
    """Read the ``; Key: value`` lines at the top of a trace.

    The values of a repeated key are joined by line breaks; so are indented lines
    without a key below it.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    found: dict[str, str] = {}
    key = ""
    size = 0
    for number, line in _lines(path):
        if line and not line.startswith(";"):
            break
        size += len(line)
        if size > MOST_LINE:
            raise InputError(
                f"a header longer than {MOST_LINE} bytes", file=f"{path}:{number}"
            )
        if match := _HEADER.fullmatch(line):
            key, value = match.groups()
        elif key and (match := _CONTINUED.fullmatch(line)):
            value = match[1]
        else:
            continue
        found[key] = f"{found[key]}\n{value}" if key in found else value
    return found


def trace_name(path: str | Path) -> str:
    """Return the name of a trace: its file's, without suffixes.

    >>> trace_name("logs/SDSC-Par-1996-3.1-cln.swf.xz")
    'SDSC-Par-1996-3.1-cln'
    """
    name = re.sub(r"(\.swf)?(\.xz|\.gz)?$", "", Path(path).name)
    return "".join(c if c.isprintable() else "_" for c in name)


def _lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, in bounded memory."""
    with reading_unpacked(path) as stream:
        for number, line in _read_lines(stream, path):
            # comments may be in any encoding; the numbers are ASCII
            form = "utf-8-sig" if number == 1 else "utf-8"
            yield number, line.decode(form, "replace").strip()


def _read_lines(stream: BinaryIO, path: str | Path) -> Iterator[tuple[int, bytes]]:
    left = MOST_BYTES
    for number in count(1):
        line = stream.readline(MOST_LINE + 1)
        left -= len(line)
        if len(line) > MOST_LINE:
            raise InputError(f"longer than {MOST_LINE} bytes", file=f"{path}:{number}")
        if left < 0:
            raise InputError(f"has more than {MOST_BYTES} bytes", file=path)
        if not line:
            return
        yield number, line


def _job(line: str) -> TraceJob:
    texts = line.split()
    if len(texts) < len(FIELDS):
        raise InputError(
            f"is missing ({len(texts)} fields, not 18)", FIELDS[len(texts)]
        )
    if len(texts) > len(FIELDS):
        raise InputError(f"{len(texts)} fields, not 18", "line", texts[len(FIELDS)])
    numbers = [_number(text, i) for i, text in enumerate(texts)]
    if numbers[0] is None:
        raise InputError("must be given", FIELDS[0], -1)
    return TraceJob(*numbers)  # type: ignore[arg-type]


def _number(text: str, field: int) -> float | None:
    if text == "-1":
        return None
    value: float
    if _INTEGER.fullmatch(text):
        value = int(text)
    elif field == _CPU_TIME and _DECIMAL.fullmatch(text):
        value = float(text)
    else:
        raise InputError(
            "must be a number of at most 18 digits"
            if field == _CPU_TIME
            else "must be an integer of at most 18 digits",
            FIELDS[field],
            text,
        )
    if value == -1:
        return None
    if value < 0:
        raise InputError(
            "must not be negative, except -1 for unknown", FIELDS[field], text
        )
    return value
