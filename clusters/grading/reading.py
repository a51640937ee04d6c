"""Reading decisions: a line each, or jobs of Slurm and workloads of Kueue.

Lines are read one by one. A report is one JSON document (``jobs`` of sacct or squeue,
``items`` of kubectl), or its jobs or workloads one a line, as ``jq -c '.jobs[]'``
prints them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from ...instances import InputError
from ...instances.errors import in_file
from ...instances.reading.files import decode_text
from ...instances.reading.packed import reading_unpacked
from ...instances.reading.parsing import parse_json
from ...instances.words import with_noun
from ..long_reports import MOST_BYTES, kubernetes_objects, refuse_failed
from ..placement import NodeSelector, Objective
from ..placement.program import Flags
from .decisions import PastDecision, Ungraded, decision_of
from .kueue import kueue_record, looks_like_kueue
from .records import MOST_RECORDS, Record
from .replaying import decisions_of
from .slurm_jobs import NoStartError, looks_like_slurm, slurm_record

MOST_LINE = 2**24
"""Maximal number of bytes of a line."""


@dataclass(frozen=True)
class Defaults:
    """What holds for all decisions of a file.

    Parameters
    ----------
    objective
        Of jobs that name none.
    usable
        Nodes of every fabric that may be chosen at all.
    since
        Decisions of a report before this time, in seconds since the epoch, are left
        out.
    note
        Called with what should be known of a report next to its decisions.
    """

    objective: Objective
    usable: Sequence[Flags]
    since: int | None = None
    note: Callable[[str], None] | None = None


def read_decisions(
    path: str | Path, selector: NodeSelector, defaults: Defaults
) -> Iterator[PastDecision | Ungraded]:
    """Read decisions one by one; ``-`` is standard input.

    Of a report all jobs are read first, as a start depends on those that overlap.

    Raises
    ------
    InputError
        While reading: for a file that cannot be read, has no decisions, or is
        malformed; with its line, field and value.
    """
    with reading_unpacked(path) as stream:
        entries = _entries(stream, path)
        first = next(entries, None)
        if first is None:
            raise InputError("has no decisions", file=path)
        if _is_record(first[1]):
            records = _records(first, entries, path, defaults.note)
            yield from decisions_of(
                records, selector, defaults.usable, defaults.objective, defaults.since
            )
            return
        if defaults.since is not None:
            raise InputError("is for reports of jobs", "--since", file=path)
        for where, entry in chain([first], entries):
            with in_file(where):
                yield decision_of(
                    entry, where, selector, defaults.usable, defaults.objective
                )


def read_records(path: str | Path) -> list[Record]:
    """Read the jobs of a report that ran; raises InputError as `read_decisions`."""
    with reading_unpacked(path) as stream:
        entries = _entries(stream, path)
        first = next(entries, None)
        if first is None or not _is_record(first[1]):
            problem = "is no report of sacct or squeue, and has no workloads of Kueue"
            raise InputError(problem, file=path)
        return _records(first, entries, path, None)


def is_json(path: str | Path) -> bool:
    """Whether a file, which may be packed, begins as JSON."""
    with reading_unpacked(path) as stream:
        return stream.peek(64)[:64].lstrip().startswith(b"{")


def _is_record(entry: Mapping[str, Any]) -> bool:
    return looks_like_slurm(entry) or looks_like_kueue(entry)


def _records(
    first: tuple[str, Mapping[str, Any]],
    entries: Iterator[tuple[str, Mapping[str, Any]]],
    path: str | Path,
    note: Callable[[str], None] | None,
) -> list[Record]:
    of_slurm = looks_like_slurm(first[1])
    timeless = 0
    found: list[Record] = []
    for where, entry in chain([first], entries):
        try:
            if of_slurm and looks_like_slurm(entry):
                record = slurm_record(entry, where)
            elif not of_slurm and looks_like_kueue(entry):
                record = kueue_record(entry, where)
            else:
                kind = "job of Slurm" if of_slurm else "workload of Kueue"
                raise InputError(f"is no {kind}, as those before")
        except NoStartError:
            timeless += 1
            continue
        except InputError as error:
            raise error.of_file(where) from None
        if record is not None:
            if len(found) == MOST_RECORDS:
                raise InputError(f"is more than {MOST_RECORDS} jobs", file=where)
            found.append(record)
    if timeless and note:
        jobs = with_noun(timeless, "running job")
        note(f"{path}: left out {jobs} without a time of start")
    return found


def _entries(
    stream: BinaryIO, path: str | Path
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield objects with the place of each: file and line, or a field of a document."""
    number, content = 1, stream.readline(MOST_BYTES + 1)
    while content and not content.strip():
        number, content = number + 1, stream.readline(MOST_BYTES + 1)
    if not content:
        return
    name = "standard input" if str(path) == "-" else str(path)
    if not content.strip().endswith(b"}"):  # the beginning of a document of many lines
        content += stream.read(MOST_BYTES + 1 - len(content))
        lines = False
    else:
        lines = True
    if len(content) > MOST_BYTES:
        raise InputError(f"is larger than {MOST_BYTES // 2**20} MiB", file=name)
    while content:
        where = f"{name}:{number}" if lines else name
        if content.strip():
            text = decode_text(content, file=where)
            parsed = parse_json(text, file=where)
            if not isinstance(parsed, dict):
                raise InputError("must be an object", file=where, value=parsed)
            yield from _objects(parsed, where)
        if not lines:
            return
        number, content = number + 1, stream.readline(MOST_LINE + 1)
        if len(content) > MOST_LINE:
            where = f"{name}:{number}"
            raise InputError(f"is longer than {MOST_LINE // 2**20} MiB", file=where)


def _objects(
    document: dict[str, Any], where: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the jobs or workloads of a report; any other object is one itself."""
    for key in ("jobs", "items"):
        if isinstance(document.get(key), list):
            with in_file(where):
                refuse_failed(document)
                jobs = key == "jobs"
                listed = document[key] if jobs else kubernetes_objects(document)
            for i, entry in enumerate(listed):
                if not isinstance(entry, dict):
                    raise InputError("must be an object", f"{key}[{i}]", file=where)
                yield f"{where}: {key}[{i}]", entry
            return
    yield where, document
