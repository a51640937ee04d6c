"""The study of what migration can decide: budgets in steps, shares, brackets."""

from __future__ import annotations

import random
from math import prod
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.cli.app import run
from closeknit.exact.submesh.feasibility import Feasibility, by_cpsat, decide
from closeknit.instances.submesh.packed import check_packed
from closeknit.instances.submesh.packing import Item, Packing
from closeknit.papers.morgenstern1994.decisions import (
    MigrationCase,
    by_load,
    by_residents,
    share,
)
from closeknit.papers.morgenstern1994.undecided import RANGES
from closeknit.simulation.submesh.budget import Budget
from closeknit.simulation.submesh.migration import Migrating
from closeknit.simulation.submesh.simulator import first_come
from closeknit.simulation.submesh.stream import Uniform, queue
from closeknit.solvers import Limit, Settings

from ..studies import rows_of

TIMES = {"median ms", "longest s"}
PLAIN = Budget(conflicts=())


def packings(n: int, side: int, seed: int) -> Packing:
    """Return boxes that fill most of a mesh."""
    draw = random.Random(seed)
    items: list[Item] = []
    free = side * side
    while len(items) < n:
        size = (draw.randint(1, side // 2), draw.randint(1, side // 2))
        if prod(size) > free:
            break
        free -= prod(size)
        items.append(Item(size))
    return Packing("drawn", (side, side), tuple(items))


@given(st.integers(2, 9), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_a_budget_never_contradicts_the_cascade(n: int, seed: int) -> None:
    packing = packings(n, 9, seed)
    true = decide(packing)
    assert true.fits is not None
    for budget in (Budget(), PLAIN, Budget(rounds=0, conflicts=((30, 1),))):
        found = budget(packing)
        assert found.fits in (true.fits, None)
        if found.fits:
            assert found.boxes is not None
            assert check_packed(packing, found.boxes) == []
    assert Budget()(packing).fits is true.fits


def test_no_solver_is_asked_beyond_the_last_number_of_boxes() -> None:
    packing = packings(40, 64, 3)
    n = len(packing.items)
    never = Budget(rounds=0, conflicts=((n - 1, 10**6),))
    asked = Budget(rounds=0, conflicts=((n, 1),))
    assert never(packing).tried == ()
    assert asked(packing).fits or asked(packing).tried == ("cp-sat",)


def test_conflicts_limit_a_decision_and_give_the_same_answer() -> None:
    drawn = (packings(14, 40, seed) for seed in range(200))
    hard = next(
        packing
        for packing in drawn
        if len(packing.items) == 14
        and by_cpsat(packing, Settings(node_limit=1)).fits is None
    )
    found = by_cpsat(hard, Settings(node_limit=1))
    assert found.limit is Limit.NODES
    again = [by_cpsat(hard, Settings(node_limit=300, seed=1)) for _ in range(2)]
    assert again[0] == again[1]


def test_a_decider_of_ones_own_is_asked_and_brackets() -> None:
    requests = queue((16, 16), 40, Uniform(1, 8), seed=1)
    asked: list[int] = []

    def silent(packing: Packing, limits: Settings) -> Feasibility:
        asked.append(len(packing.items))
        return Feasibility()

    strict = first_come(requests, Migrating((16, 16), decider=silent))
    assert asked
    lenient = first_come(requests, Migrating((16, 16), decider=silent, generous=True))
    exact = first_come(requests, Migrating((16, 16), decider=Budget()))
    times = [one.completion_time for one in (lenient, exact, strict)]
    assert times == sorted(times)
    assert times[0] < times[-1]


def test_shares_and_wilson_intervals() -> None:
    cases = [MigrationCase(25, 91.0, None, "", 0.1)] * 8 + [
        MigrationCase(25, 91.0, True, "pair", 0.1)
    ] * 2
    found = share(cases)
    assert (found.n, found.yes, found.no, found.undecided) == (10, 2, 0, 8)
    # Wilson 1927: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), z = 1.96
    assert found.interval == pytest.approx((49.02, 94.33), abs=0.01)
    assert share([]).interval == (0.0, 100.0)
    assert share([]).undecided_pct is None


@given(st.lists(st.tuples(st.integers(0, 400), st.floats(0, 100)), max_size=30))
def test_classes_part_the_decisions(drawn: list[tuple[int, float]]) -> None:
    cases = [MigrationCase(n, load, None, "", 0.0) for n, load in drawn]
    for classes in (by_residents(cases), by_load(cases)):
        assert sum(len(some) for _, some in classes) == len(cases)
        assert len({name for name, _ in classes}) == len(classes)
    for name, some in by_residents(cases):
        low, _, high = name.partition(" to ")
        assert all(
            int(low) <= one.residents <= int(high) if high else one.residents > 240
            for one in some
        )


@pytest.mark.slow
def test_from_the_command_line_twice_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for name in ("one", "two"):
        out = tmp_path / name
        words = ["reproduce", "morgenstern-undecided", "--first", "12"]
        assert run([*words, "--out", str(out)]) == 0
        assert "decisions" in capsys.readouterr().out
        tables = {table.stem: rows_of(table) for table in out.glob("*.csv")}
        for row in tables["ranges"]:
            for column in TIMES:
                row.pop(column)
        tables.pop("findings")
        found.append(tables)
    assert found[0] == found[1]
    ranges, bracket = found[0]["ranges"], found[0]["bracket"]
    assert len(ranges) == len(bracket) == len(RANGES)
    counted = sum(int(row["decisions"]) for row in ranges)
    assert counted > 10
    for table in ("residents", "loads", "steps"):
        assert sum(int(row["decisions"]) for row in found[0][table]) == counted
    for row, other in zip(ranges, bracket, strict=True):
        parts = [int(row[kind]) for kind in ("yes", "no", "undecided")]
        assert sum(parts) == int(row["decisions"])
        late, early = (float(other[f"completion, {kind}"]) for kind in ("no", "yes"))
        assert early <= late
        assert float(other["bracket %"]) == pytest.approx(100 * (late / early - 1))
        if not parts[2]:
            assert late == early
    assert "undecided" in (tmp_path / "one" / "report.html").read_text()
