"""`compare` on submesh files: ratios level by level, and who has no answer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.instances import Submesh, check, cost, write_submesh
from closeknit.instances.submesh import Resident
from closeknit.instances.support import support_of

CORNERS = Submesh(
    "corners",
    (6, 6),
    (Resident((0, 0, 1, 1)), Resident((3, 0, 3, 2)), Resident((2, 4, 3, 5))),
    (4, 4),
)
METHODS = "fs-1,buddy,cascade,no-overlap/cpsat"


def compared(
    instance: Submesh, tmp_path: Path, capsys: Any, *words: str
) -> tuple[int, str]:
    file = tmp_path / "instance.json"
    write_submesh(instance, file)
    status = run(["compare", str(file), "--methods", METHODS, *words])
    return status, capsys.readouterr().out


def test_ratios_are_level_by_level(tmp_path: Path, capsys: Any) -> None:
    status, shown = compared(CORNERS, tmp_path, capsys, "--json", "-")
    assert status == 0
    rows = {row["method"]: row for row in map(json.loads, shown.splitlines())}
    assert list(rows) == [*METHODS.split(","), "auto"]
    best = rows["auto"]["cost"]
    assert rows["auto"]["status"] == "optimal"
    assert rows["auto"]["ratio"] == ["1", "1", "1"]
    for name in ("cascade", "no-overlap/cpsat"):
        row = rows[name]
        assert row["optimum"] == best
        assert row["cost"] >= best
        assert check(CORNERS, row["selection"]) == []
        assert list(cost(CORNERS, row["selection"])) == row["cost"]
        assert row["ratio"] is not None
    for name in ("fs-1", "buddy"):
        assert rows[name]["status"] == "unknown"
        assert "cost" not in rows[name]
        assert rows[name]["ratio"] is None


@pytest.mark.parametrize("migrate", [True, False])
def test_the_table_says_who_found_no_box(
    migrate: bool, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    one = replace(CORNERS, migrate=migrate)
    status, shown = compared(one, tmp_path, capsys)
    assert status == 0
    assert support_of(one).describe(one) in shown
    lines = {(line.split() or [""])[0]: line for line in shown.splitlines()}
    assert "no free box found" in lines["buddy"]
    told = "no free box found" if migrate else "infeasible (enumerated: fs-1)"
    assert told in lines["fs-1"]
    assert ("optimal" if migrate else "infeasible") in lines["auto"]
