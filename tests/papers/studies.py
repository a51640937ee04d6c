"""What tests of several studies share: traces, parts, tables, and the command."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from closeknit.cli.app import run
from closeknit.papers.parts import Part


def rows_of(path: Path) -> list[dict[str, str]]:
    """Read a table of a study."""
    with path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def trace(folder: Path, jobs: Iterable[tuple[int, int, int] | tuple[int, ...]]) -> str:
    """Write a trace of (submit time, run time, size) or so, and a partition."""
    lines = ["; UnixStartTime: 841000000"]
    for i, (submit, seconds, size, *where) in enumerate(jobs, start=1):
        partition = where[0] if where else 1
        lines.append(
            f"{i} {submit} 0 {seconds} {size} -1 -1 {size} -1 -1 1 1 1 1 1 "
            f"{partition} -1 -1"
        )
    path = folder / "small.swf"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def told_apart(one: Part, *changes: dict[str, object]) -> None:
    """Check that an outcome depends on each of these, so that no other is taken."""
    keys = {one.key} | {replace(one, **change).key for change in changes}  # type: ignore[arg-type]
    assert len(keys) == 1 + len(changes)


def pictures(out: Path) -> int:
    """Count the pictures on a page, which needs nothing from elsewhere."""
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "http" not in page.replace("http://www.w3.org/", "")
    return page.count("<svg")


def lose_a_part(words: list[str], out: Path, same: str = "*.*") -> int:
    """Lose a finished part: it is run again, and the rest is taken as it is.

    The tables that the pattern names stay the same. Return how many parts there are.
    """
    before = {path: path.read_bytes() for path in out.glob(same)}
    assert before
    lost, *kept = sorted((out / "parts").iterdir())
    stamps = {path: path.stat().st_mtime_ns for path in kept}
    content = lost.read_bytes()
    lost.unlink()
    assert run(words) == 0
    assert lost.read_bytes() == content
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())
    assert {path: path.read_bytes() for path in before} == before
    return 1 + len(kept)
