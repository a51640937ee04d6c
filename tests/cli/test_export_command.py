"""Models as files: solvers that never saw closeknit find the optimum in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.formulations.ksubset import catalogue
from closeknit.instances import (
    KSubset,
    Points,
    ProcessorSet,
    ProcSet,
    Sukp,
    arrays,
    mesh,
    write_instance,
)

from ..oracles import optimum
from ..strategies import seeded_ksubset
from .exported import exported, optimum_of


def odd_torus() -> KSubset:
    """Return an instance whose cuts weigh half a hop."""
    return next(
        i
        for seed in range(2, 300, 6)
        if (i := seeded_ksubset(seed, most=9)).k >= 3
        and i.n >= 7
        and arrays.cuts(i).denominator == 2
    )


@pytest.mark.parametrize("form", ["lp", "mps"])
@pytest.mark.parametrize("name", catalogue.MIP)
def test_highs_reads_it_and_finds_the_optimum(
    name: str, form: str, tmp_path: Path
) -> None:
    instance = odd_torus()
    out = exported(instance, tmp_path, form, "--formulation", name)
    head = out.read_text().splitlines()[0]
    times = 1 if name in ("pairs", "rlt") else 2
    assert head.endswith(f"{name}; the objective is {times} times the pair sum")
    assert optimum_of(out) == times * optimum(instance)


@pytest.mark.parametrize("bare", [[], ["--bare"]])
@pytest.mark.parametrize("name", catalogue.CP)
def test_cp_sat_reads_it_and_finds_the_optimum(
    name: str, bare: list[str], tmp_path: Path
) -> None:
    instance = odd_torus()
    out = exported(instance, tmp_path, "cpsat", "--formulation", name, *bare)
    head = f"# closeknit: {instance.name}, k = {instance.k}, {name};"
    assert out.read_text().startswith(head)
    times = 2 if name.startswith("cuts") else 1
    assert optimum_of(out) == times * optimum(instance)


def test_the_default_is_the_same_on_standard_output(
    tmp_path: Path, capsys: Any
) -> None:
    named = exported(seeded_ksubset(1), tmp_path, "lp", "--formulation", "cuts-unary")
    assert capsys.readouterr().out == ""
    assert run(["export", str(tmp_path / "instance.json"), "--to", "lp"]) == 0
    assert capsys.readouterr().out == named.read_text()


def test_decimals_are_said_in_the_first_line(tmp_path: Path) -> None:
    points = Points(((0, 0), (15, 0), (20, 5)), scale=10)
    one = exported(KSubset("p", points, points.coordinates, 2), tmp_path, "mps")
    assert "the objective is 10 times the pair sum" in one.read_text()


# Processor sets and set-union knapsacks

CARDS = ProcSet(
    "cards",
    tuple("abcdef"),
    tuple(range(6)),
    2,
    (
        ProcessorSet("left", (0, 1), (4, 0, 7)),
        ProcessorSet("right", (2, 3), (4, 0, 7)),
        ProcessorSet("front", (0, 2), (0, 3, 0)),
        ProcessorSet("back", (1, 3), (0, 5, 5)),
        ProcessorSet("far", (4, 5), (8, 0, 0)),
    ),
)
"""Two of six: both of a card, at (4, 8, 12). In units: (1, 8, 12)."""
BAG = Sukp("bag", (7, 6, 5, 9), (3, 4, 2, 6), ((0, 1), (1, 2), (0, 2), (3, 0)), 9)
"""The best leaves out a profit of 9."""


@pytest.mark.parametrize("form", ["lp", "mps", "cpsat"])
def test_levels_of_processor_sets_are_written_one_by_one(
    form: str, tmp_path: Path
) -> None:
    one = exported(CARDS, tmp_path, form, "--level", "1")
    head = one.read_text().splitlines()[0]
    expected = "cards, 2 of 6, classes; 4 times the objective is level 1"
    assert head.endswith(f"closeknit: {expected}")
    assert optimum_of(one) == 1
    for level, caps, least in (("2", [], 0), ("2", ["4"], 8), ("3", ["7,8"], 12)):
        at_most = [word for cap in caps for word in ("--at-most", cap)]
        model = exported(CARDS, tmp_path, form, "--level", level, *at_most)
        assert optimum_of(model) == least


@pytest.mark.parametrize("form", ["lp", "mps", "cpsat"])
def test_all_levels_of_processor_sets_are_folded_into_one(
    form: str, tmp_path: Path
) -> None:
    model = exported(CARDS, tmp_path, form)
    head = model.read_text().splitlines()[0]
    # Level 3 adds up to 19 at most, level 2 to 8.
    folded = "180 * level 1 / 4 + 20 * level 2 / 1 + 1 * level 3 / 1"
    assert head.endswith(f"cards, 2 of 6, classes; the objective is {folded}")
    assert optimum_of(model) == 180 + 20 * 8 + 12


@pytest.mark.parametrize("form", ["lp", "mps", "cpsat"])
def test_a_request_for_more_than_there_is_makes_an_infeasible_model(
    form: str, tmp_path: Path
) -> None:
    none = replace(CARDS, available=(), request=1)
    assert optimum_of(exported(none, tmp_path, form, "--level", "1")) is None


@pytest.mark.parametrize("form", ["lp", "mps", "cpsat"])
def test_the_profit_left_out_is_written(form: str, tmp_path: Path) -> None:
    model = exported(BAG, tmp_path, form)
    head = model.read_text().splitlines()[0]
    expected = "bag, 4 items, 4 elements, union; the objective is 27 less the profit"
    assert head.endswith(expected)
    assert optimum_of(model) == 9


# Refusals

PLAIN = seeded_ksubset(1)
LONG = mesh(2000, k=5)
FAR = Points(((0,), (1,), (10**12,)))
DISTANT = KSubset("far", FAR, FAR.coordinates, 2)
DEAR = Sukp("dear", (10**12, 1), (1,), ((0,), (0,)), 0)
WIDE = replace(
    CARDS,
    sets=(ProcessorSet("s", (0,), (3, 2**59)), ProcessorSet("t", (1,), (3, 1))),
)


@pytest.mark.parametrize(
    ("instance", "options", "complaint"),
    [
        (PLAIN, "--to lp --formulation moon", "--formulation: must be one of pairs"),
        (PLAIN, "--to cpsat --formulation rlt", "for cpsat, not 'rlt'"),
        (PLAIN, "--to xml", "invalid choice: 'xml'"),
        (PLAIN, "", "--to"),
        (LONG, "--to lp --formulation pairs", "a variable for each of 1999000 pairs"),
        (DISTANT, "--to mps --formulation pairs", "mps text would cut off; write cps"),
        (CARDS, "--to lp --level 4", "--level: must lie between 1 and 3, not 4"),
        (CARDS, "--to lp --level 2 --at-most 1,2", "--at-most: must be 1 numbers"),
        (CARDS, "--to lp --level 2 --at-most x", "--at-most: must be 1 numbers"),
        (CARDS, "--to lp --at-most 4", "--at-most: needs --level"),
        (CARDS, "--to lp --formulation pairs", "--formulation: must be one of classes"),
        (BAG, "--to lp --formulation classes", "--formulation: must be one of union"),
        (BAG, "--to lp --level 1", "--level: is for processor sets"),
        (
            DEAR,
            "--to lp",
            "--to: has numbers of more than 12 digits, which lp text wou",
        ),
        (WIDE, "--to lp", "do not fit into one objective of 50 bits; minimise the lev"),
    ],
)
def test_what_cannot_be_exported_is_one_line(
    instance: Any,
    options: str,
    complaint: str,
    tmp_path: Path,
    refusal: Callable[..., str],
) -> None:
    write_instance(instance, file := tmp_path / "instance.json")
    assert complaint in refusal("export", file, options)


def test_cp_sat_takes_distances_that_text_would_cut_off(tmp_path: Path) -> None:
    exported(DISTANT, tmp_path, "cpsat", "--formulation", "pairs")
