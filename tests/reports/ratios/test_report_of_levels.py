"""Lexicographic costs and infeasible instances: ratios, intervals, reports."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.instances import InputError, ProcessorSet, ProcSet
from closeknit.instances.value import as_tuple
from closeknit.reports.campaigns.row_fields import document_of, parse_row
from closeknit.reports.drawing.problems import format_cost
from closeknit.reports.ratios.report import Report
from closeknit.reports.ratios.scoring import (
    InstanceVerdict,
    ScoredRun,
    open_levels,
    quotient,
)
from closeknit.reports.ratios.spreads import level_spreads

from ...toys import made as made_for_mesh
from ...toys import small
from ..written import csv_table, html_report, markdown_report
from .samples_of_levels import (
    BAG,
    SOLVER,
    A,
    B,
    C,
    full,
    infeasible,
    proved,
    report,
    row,
)

ONE = ProcSet("one", ("a",), (0,), 1, (ProcessorSet("s", (0,), (1,)),))
"""Its costs have one level."""


def judged(found: Report) -> dict[tuple[str, str], ScoredRun]:
    return {(j.row.instance, j.row.method): j for j in found.judged}


# Ratios and intervals


def test_ratios_level_by_level() -> None:
    found = report(proved(A, (8, 0, 0)), row(A, "near", cost=(10, 0, 3)))
    near = judged(found)["a", "near"]
    assert near.ratios == (Fraction(5, 4), 1, inf)
    assert near.ratio is None
    assert not near.optimal
    best = judged(found)["a", "auto"]
    assert (best.ratios, best.optimal) == ((1, 1, 1), True)


def test_a_lower_level_may_be_below_its_share_of_the_optimum() -> None:
    found = report(proved(A, (8, 4, 2)), row(A, "near", cost=(9, 1, 2)))
    assert judged(found)["a", "near"].ratios == (Fraction(9, 8), Fraction(1, 4), 1)


def test_intervals_end_at_the_first_open_level() -> None:
    best = row(A, "auto", cost=(8, 6, 2), bound=(8, 4, 9), proof=SOLVER, limit="time")
    found = judged(report(best, row(A, "near", cost=(8, 12, 0))))
    near = found["a", "near"]
    assert near.ratios is None
    assert near.interval is None
    assert near.intervals == ((1, 1), (2, 3))
    assert open_levels(near) == "1; 2 .. 3; ?"
    assert open_levels(near, str) == "1; 2 .. 3; ?"
    assert found["a", "auto"].intervals == ((1, 1), (1, Fraction(3, 2)))


def test_without_a_bound_only_the_first_level_is_bounded_from_below() -> None:
    rows = row(A, "auto", cost=(8, 6, 2)), row(A, "near", cost=(10, 0, 0))
    near = judged(report(*rows))["a", "near"]
    assert near.intervals == ((Fraction(5, 4), inf),)
    assert open_levels(near) == "1.2500 .. ∞; ?"


levels = st.tuples(*[st.integers(0, 3)] * 3)


@given(costs=st.lists(levels, min_size=2, max_size=4), claimed=levels)
def test_the_true_ratios_lie_in_the_intervals(
    costs: list[tuple[int, int, int]], claimed: tuple[int, int, int]
) -> None:
    """Whatever optimum lies between bound and incumbent, level by level."""
    incumbent = min(costs)
    bound = min(claimed, incumbent)
    for optimum in {bound, incumbent, *costs} | {claimed}:
        if not bound <= optimum <= incumbent:
            continue
        best = row(A, "auto", cost=incumbent)
        vouching = row(A, "x", status="unknown", selection=None, bound=bound)
        one = ScoredRun(
            row(A, "near", cost=costs[0]), InstanceVerdict(A, best, vouching)
        )
        assert one.intervals is not None
        for here, paid_, least in zip(one.intervals, costs[0], optimum, strict=False):
            low, high = here
            assert low <= quotient(paid_, least) <= high


def test_spreads_are_of_the_rows_that_have_the_level() -> None:
    found = level_spreads([(Fraction(1), Fraction(2)), (Fraction(3),)])
    assert [(s.least, s.mean, s.most) for s in found] == [(1, 2, 3), (2, 2, 2)]
    assert level_spreads([]) == ()


def test_summaries_count_optimal_selections() -> None:
    found = report(
        proved(A, (8, 0, 2)),
        row(A, "near", cost=(8, 0, 2)),
        proved(B, (4, 1, 1)),
        row(B, "near", cost=(4, 2, 0)),
    )
    near, auto = found.summaries
    assert (near.runs, near.judged, near.optimal) == (2, 2, 1)
    assert near.spread is None
    assert [(s.mean, s.most) for s in near.levels] == [
        (1, 1),
        (Fraction(3, 2), 2),
        (Fraction(1, 2), 1),
    ]
    assert auto.optimal == 2
    assert near.worst is not None
    assert near.worst.row.instance == "b"


def test_the_worst_is_worst_at_the_highest_level() -> None:
    found = report(
        proved(A, (8, 1, 1)),
        row(A, "near", cost=(8, 1, 100)),
        proved(B, (8, 1, 1)),
        row(B, "near", cost=(9, 0, 0)),
    )
    worst = found.summaries[0].worst
    assert worst is not None
    assert worst.row.instance == "b"


def test_the_worst_is_worst_whatever_the_number_of_levels() -> None:
    """An optimal answer of one level is not above one of three that pays too much."""
    found = report(
        replace(proved(ONE, (7,)), selection=(0,)),
        row(ONE, "near", cost=(7,), selection=(0,)),
        proved(A, (8, 1, 1)),
        row(A, "near", cost=(8, 1, 2)),
        on=[ONE, A],
    )
    worst = found.summaries[0].worst
    assert worst is not None
    assert worst.row.instance == "a"
    assert "at worst 2 at level 3 (a)" in re.sub("<[^>]+>", "", html_report(found))


# Tables and pages


def test_rows_of_other_shapes_are_refused() -> None:
    good = document_of(proved(A, (8, 0, 2)))
    assert parse_row(good).cost == (8, 0, 2)
    for bad in ({"cost": 8, "bound": 8}, {"cost": [8, 0], "bound": [8, 0]}):
        with pytest.raises(InputError, match=r"^cost: must have 3 levels, not "):
            parse_row({**good, **bad})


def test_csv_writes_levels_with_semicolons() -> None:
    text = csv_table(
        report(proved(A, (8, 0, 2)), row(A, "near", cost=(10, 1, 1))).judged
    )
    by_method = {r["method"]: r for r in csv.DictReader(StringIO(text))}
    near = by_method["near"]
    assert (near["cost"], near["optimum"]) == ("10;1;1", "8;0;2")
    assert (near["ratio"], near["ratio_float"]) == ("5/4;inf;1/2", "1.25;inf;0.5")
    assert by_method["auto"]["ratio"] == "1;1;1"


def test_pages_tell_levels_shares_and_intervals() -> None:
    found = full()
    assert found.holds
    assert found.headline == (
        "4 instances, 4 methods, 8 rows; 4 of them (50.0 %) against a proven optimum, "
        "2 proved infeasible"
    )
    page, text = html_report(found), markdown_report(found)
    assert "near at its worst: ratio 1.2500; ∞; 0.5000" in page
    assert "| 1.2500 = 5/4; ∞; 0.5000 = 1/2 | 10; 1; 1 | – | 8; 0; 2 |" in text
    for shown in (page, text):
        assert "1; 2 .. 3; ?" in shown
        assert "profit 8 of 12 (4 left out)" in shown
        assert "infeasible" in shown
    assert "level 3: mean, max" in page
    assert (
        "| `near` | 2 | 1 | 0 | 0 % | 1.2500, 1.2500 | ∞, ∞ | 0.5000, 0.5000 |" in text
    )


def test_means_alike_of_fewer_levels_than_a_method_has() -> None:
    """The instances that all take may have one level, and others more."""
    found = report(
        replace(proved(ONE, (7,)), selection=(0,)),
        row(ONE, "near", cost=(7,), selection=(0,)),
        proved(A, (8, 1, 1)),
        on=[ONE, A],
    )
    assert found.shared.tells
    assert "| 1, 1, 1 | 1, –, 1 | 1, –, 1 |" in markdown_report(found)


def test_nothing_but_infeasible_is_reported_too() -> None:
    found = report(infeasible(C, "near"), infeasible(C, "auto"), on=[C])
    assert found.holds
    assert found.ended("unknown") == []
    assert [(s.runs, s.infeasible) for s in found.summaries] == [(0, 1), (0, 1)]
    assert "proved to have no solution, 100 %" in html_report(found)
    assert "proved to have no solution, 100 %" in markdown_report(found)


def test_a_solution_refutes_infeasibility() -> None:
    found = report(infeasible(A, "near"), proved(A, (1, 0, 2)))
    (verdict,) = found.contradictions
    assert verdict.contradiction == (
        "near (checked: counting) claims that there is no solution, but auto found one"
    )
    assert verdict.optimum is None
    assert not verdict.infeasible
    assert not found.holds
    assert "claims that there is no solution" in html_report(found)


def test_problems_do_not_mix() -> None:
    mesh = small("mesh")
    found = report(
        made_for_mesh(mesh, "near", cost=4, selection=(0, 1, 4)),
        proved(A, (1, 0, 2)),
        proved(BAG, 4),
        on=[mesh, A, BAG],
    )
    assert list(found.parts) == ["ksubset", "procset", "sukp"]
    assert [len(part.judged) for part in found.parts.values()] == [1, 1, 1]
    assert sum(len(part.summaries) for part in found.parts.values()) == 3
    assert found.headline.startswith("3 instances, 3 methods, 3 rows; ")


def test_paid_in_words() -> None:
    assert format_cost(BAG, 4) == "profit 8 of 12 (4 left out)"
    assert format_cost(A, (8, 1, 2)) == "8; 1; 2"
    assert format_cost(BAG, None) == "–"
    assert as_tuple(7) == (7,)
