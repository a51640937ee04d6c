"""`methods NAME --k K`: which bound holds for this number of processors, and why."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.instances import KSubset, write_instance
from closeknit.instances.ksubset.generators import mesh, torus, tree
from closeknit.methods import KSUBSET


def test_the_factor_for_this_k_stands_beside_the_others(capsys: Any) -> None:
    assert run(["methods", "mm", "--k", "12"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    _, _, plane = shown.partition("2 dimensions: ")
    holds, _, others = plane.partition(" beside ")
    assert holds.startswith("31/18 = 1.7222 rho_12(2)")
    assert others.startswith("7/4 = 1.7500 2 - 1/(2d)")
    assert "beside 11/6 = 1.8333 2 - 2/k" in others
    assert "ring: 11/6 = 1.8333 2 - 2/k" in shown


def test_compare_gives_the_reasons_below_its_table(tmp_path: Path, capsys: Any) -> None:
    write_instance(mesh(4, 4, k=12), file := tmp_path / "job.json")
    assert run(["compare", str(file), "--methods", "mm,mm-all,mc"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "mm, mm-all: 31/18 (rho_12(2)" in shown
    assert "; beside 7/4 (2 - 1/(2d): the same for every k); beside 11/6 (2" in shown
    assert "mc: " not in shown


@pytest.mark.parametrize("name", [name for name in KSUBSET if KSUBSET[name].guarantee])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 12])
def test_the_first_bound_is_the_guarantee(name: str, k: int) -> None:
    method = KSUBSET[name]
    instances: list[KSubset] = [mesh(k, k=k), mesh(4, 4, k=k), torus(12, k=k)]
    for instance in (*instances, tree(4, 3, k=k), mesh(3, 2, 2, k=k)):
        bounds = method.bounds(instance)
        if method.refuses and method.refuses(instance):
            assert bounds == []
            continue
        assert method.guarantee is not None
        proven = method.guarantee(instance)
        if proven is None:
            assert bounds == []
        else:
            assert max(Fraction(1), bounds[0][0]) == proven
            assert all(why for _, why in bounds)
            assert bounds == sorted(bounds, key=lambda bound: bound[0])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("mm --k 0", "--k: must be from 1 to 1024, not 0"),
        ("mm --k 5000", "--k: must be from 1 to 1024, not 5000"),
        ("mm --k x", "argument --k: must be"),
        ("mm --k 3 --json", "--k: goes with neither --short nor --json"),
    ],
)
def test_what_cannot_be_asked(
    words: str, problem: str, refusal: Callable[..., str]
) -> None:
    assert problem in refusal("methods", words)


def test_nothing_is_claimed_where_nothing_is_proven(capsys: Any) -> None:
    assert run(["methods", "sukp", "--k", "3"]) == 0
    assert capsys.readouterr().out == "no factor is proven\n"
