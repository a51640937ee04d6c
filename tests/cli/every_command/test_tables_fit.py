"""Tables at all widths show whole numbers; `compare` runs the quick methods first."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import closeknit as ck
from closeknit.cli.app import run
from closeknit.cli.frame.screen import print_table
from closeknit.instances import Instance, problem_of, write_instance
from closeknit.instances.ksubset.generators import random_occupancy, tree
from closeknit.instances.procset.sample_machine import drakenberg_system
from closeknit.instances.submesh.generators import waiting_state
from closeknit.instances.sukp.generators import random_sukp
from closeknit.methods import METHODS
from closeknit.solvers import Settings

HALF = random_occupancy((16, 16), 16, Fraction(1, 2), 1)
NODES = drakenberg_system(48, free=Fraction(2, 5), seed=0)
STANDARD: list[Instance] = [
    HALF,
    NODES,
    waiting_state((16, 16), 1, 8, 1),
    random_sukp(32, 32, Fraction(1, 10), Fraction(3, 4), 1),
]
WIDTHS = [40, 60, 80]


@pytest.mark.parametrize("instance", STANDARD, ids=lambda one: problem_of(one).name)
def test_quick_methods_take_a_second_together(instance: Instance) -> None:
    table = METHODS[problem_of(instance).name]
    quick = [method for method in table.values() if method.quick]
    assert 1 <= len(quick) <= 6
    assert not any(method.exact for method in quick)
    settings = Settings(time_limit=60)
    for method in quick:  # compile
        method(instance, settings)
    start = time.process_time()
    for method in quick:
        method(instance, settings)
    assert time.process_time() - start <= 1


def test_compare_runs_the_quick_ones_and_counts_the_others(
    tmp_path: Path, capsys: Any
) -> None:
    small = random_occupancy((5, 5), 4, Fraction(4, 5), 1)
    heuristics = [m for m in METHODS["ksubset"].values() if not m.exact]
    able = [m for m in heuristics if not (m.refuses and m.refuses(small))]
    quick = [m.name for m in able if m.quick]
    write_instance(small, file := tmp_path / "small.json")
    assert run(["compare", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    others = len(able) - len(quick)
    assert lines[-1] == f"{others} more methods are left out (--all runs all)"
    assert _first_words(lines) == [*quick, "auto"]
    assert run(["compare", str(file), "--methods", "mm"]) == 0
    assert "left out" not in capsys.readouterr().out
    assert run(["compare", str(file), "--all", "--methods", "mm"]) == 2
    found = ck.compare(small)
    assert [row["method"] for row in found] == [*quick, "auto"]
    assert found.left_out == others
    assert str(found).endswith(
        f"{others} more methods are left out (quick=False runs all)"
    )


def test_compare_runs_all_on_request(tmp_path: Path, capsys: Any) -> None:
    small = tree(2, 2, k=2)
    heuristics = [m for m in METHODS["ksubset"].values() if not m.exact]
    able = [m.name for m in heuristics if not (m.refuses and m.refuses(small))]
    write_instance(small, file := tmp_path / "small.json")
    assert run(["compare", str(file), "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert _first_words(lines) == [*able, "auto"]
    assert "left out" not in lines[-1]
    found = ck.compare(small, quick=False)
    assert [row["method"] for row in found] == [*able, "auto"]


def _first_words(lines: list[str]) -> list[str]:
    """Return the names of a table's rows."""
    rule = next(i for i, line in enumerate(lines) if line.startswith("──"))
    begins = [line.split(" ")[0] for line in lines[rule + 1 :]]
    known = {name for table in METHODS.values() for name in table}
    return [name for name in begins if name in known]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_drops_columns_and_names_them(
    width: int, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    numbers = [str(10**n + 7) for n in (11, 12, 13, 14)]
    columns = ("name", *"abcd")
    print_table(columns, [("two words", *numbers)], right="abcd", drop="dcba")
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= width for line in lines)
    shown = {40: 2, 60: 3, 80: 4}[width]
    text = "\n".join(lines)
    for i, number in enumerate(numbers):
        assert (number in text) == (i < shown)
    named = ", ".join("abcd"[shown:])
    assert (f"not shown, for lack of width: {named}" in text) == (shown < 4)


@pytest.mark.parametrize("width", WIDTHS)
def test_long_names_and_remarks_never_push_numbers_out(
    width: int, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    row = ("x" * 200, "123456789", "y" * 200)
    print_table(("name", "cost", "why"), [row], right=("cost",), drop=("why",))
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= width for line in lines)
    assert any("123456789" in line for line in lines)
    assert "".join(lines).count("x") == 200


def test_no_line_of_a_table_ends_with_blanks(tmp_path: Path, capsys: Any) -> None:
    write_instance(random_occupancy((5, 5), 4, Fraction(4, 5), 1), tmp_path / "a.json")
    conf = tmp_path / "topology.conf"
    conf.write_text("SwitchName=s[0-1] Nodes=n[0-3]\nSwitchName=s2 Nodes=n[4-9]\n")
    for command in (
        f"compare {tmp_path / 'a.json'}",
        "verify --list",
        "reproduce --list",
        f"select --topology {conf} -k 3",
        f"fragmentation --topology {conf}",
        f"why --topology {conf} -k 12",
        "methods mm",
        "methods --short",
    ):
        run(command.split())
        lines = capsys.readouterr().out.splitlines()
        assert [line for line in lines if line != line.rstrip()] == [], command
