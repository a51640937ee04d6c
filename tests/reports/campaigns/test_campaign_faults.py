"""One small campaign in which the n-th call of the system fails, for every n."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import closeknit.methods
from closeknit.cli.app import run as run_command
from closeknit.instances import InputError, write_ksubset
from closeknit.methods import METHODS
from closeknit.reports.campaigns import pool
from closeknit.reports.campaigns.store import FILE, SCRATCH, rows_in

from ...faults.fault_injection import (
    Outcome,
    Point,
    broken,
    every_fault,
    full,
    in_child,
    out_of_memory,
)
from ...in_process import stay_in_process
from ...toys import TOYS, small
from .watching import results


class Connection(sqlite3.Connection):
    """The same in Python, so that its calls can be made to fail."""

    def execute(self, *words: Any) -> sqlite3.Cursor:
        return super().execute(*words)

    def executemany(self, *words: Any) -> sqlite3.Cursor:
        return super().executemany(*words)

    def commit(self) -> None:
        super().commit()

    def __exit__(self, kind: Any, *rest: Any) -> Any:
        if kind is None:
            self.commit()
            return False
        return super().__exit__(kind, *rest)

    def close(self) -> None:
        super().close()


def _refused() -> BaseException:
    return sqlite3.OperationalError("disk I/O error")


OF_SQLITE = tuple(
    Point(f"{__name__}:Connection.{name}", _refused)
    for name in ("execute", "executemany", "commit")
)
OF_FILES = (
    *full("os:open", "os:replace", "os:rename", "pathlib:Path.replace", "os:fdopen"),
    *broken("os:mkdir", "pathlib:Path.mkdir", "fcntl:flock", "os:unlink"),
)
OF_MEMORY = out_of_memory(
    *(
        f"closeknit.reports.{one}"
        for one in (
            *("campaigns.campaign:Campaign.tasks", "campaigns.campaign:Call"),
            *("campaigns.campaign:_row", "campaigns.store:_record"),
            *("campaigns.store:parse_row", "campaigns.audit:_price"),
            *("ratios.report:judge", "ratios.report:spread_of"),
            *("ratios.document:_ratio", "pages.csv_tables:csv_text"),
            "pages.markdown:code",
        )
    ),
    "closeknit.instances.writing.files:write_text",
)


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], int]:
    """A campaign of four rows, as a command."""
    two = {name: TOYS[name] for name in ("first", "auto")}
    monkeypatch.setattr(closeknit.methods, "METHODS", {**METHODS, "ksubset": two})
    stay_in_process(monkeypatch)
    # No planted fault is taken for one of a method.
    monkeypatch.setattr(pool, "value_of", lambda call: call())
    monkeypatch.setattr(
        sqlite3, "connect", partial(sqlite3.connect, factory=Connection)
    )
    names = [tmp_path / f"{name}.json" for name in "ab"]
    for path in names:
        write_ksubset(small(path.stem), path)

    def call(out: Path) -> int:
        return run_command(["ratios", *map(str, names), "--out", str(out)])

    assert call(tmp_path / "first") == 0  # everything is imported and compiled
    return call


@pytest.mark.parametrize(
    ("points", "lasting"),
    [
        (OF_SQLITE, False),
        pytest.param(OF_SQLITE, True, marks=pytest.mark.slow),
        (OF_FILES, False),
        pytest.param(OF_FILES, True, marks=pytest.mark.slow),
        pytest.param(OF_MEMORY, False, marks=pytest.mark.slow),
    ],
    ids=["sqlite", "sqlite-lasting", "files", "files-lasting", "memory"],
)
def test_whatever_fails_is_one_line_and_the_store_goes_on(
    campaign: Callable[[Path], int],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    points: Sequence[Point],
    lasting: bool,
) -> None:
    whole = results(tmp_path / "first")
    assert len(whole) == 4
    out = tmp_path / "out"

    def trial(injector: Any) -> Outcome:
        shutil.rmtree(out, ignore_errors=True)

        def inside() -> int:
            with injector:
                return campaign(out)

        return in_child(inside)

    failures = 0
    for injector, outcome in every_fault(points, trial, lasting=lasting):
        what = f"call {injector.at}: {injector.met}: {outcome}"
        assert "Traceback" not in outcome.err, what
        if injector.met is None:
            assert (outcome.status, outcome.err) == (0, ""), what
            break
        if outcome.status == 0:  # tried again, or not needed: nothing may lack
            assert (out / "report.html").exists(), what
        else:
            failures += 1
            assert outcome.status == 2, what
            assert outcome.out == b"", what
            assert outcome.err.startswith("closeknit: "), what
            assert outcome.err.count("\n") == 1, what
        if (out / FILE).exists():
            known = {one["instance"] + one["method"] for one in whole}
            with suppress(InputError):  # ended before the table was made
                kept = {row.instance + row.method for row in rows_in(out / FILE)}
                assert kept <= known, what
        again = in_child(lambda: campaign(out))
        assert (again.status, again.err) == (0, ""), what
        assert results(out) == whole, what
        assert (out / "report.md").exists(), what
        assert not (out / SCRATCH).exists(), what
    assert failures >= 5
