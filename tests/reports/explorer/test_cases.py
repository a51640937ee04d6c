"""Networks and worst cases that the page makes, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from closeknit.instances import InputError
from closeknit.reports.explorer.cases import families, ledger
from closeknit.reports.explorer.explorer import Explorer
from closeknit.solvers.running.kernels import interpreted


@pytest.fixture(autouse=True)
def source() -> Iterator[None]:
    with interpreted():
        yield


@pytest.fixture
def explorer() -> Explorer:
    return Explorer()


def test_every_family_is_made_from_its_own_values(explorer: Explorer) -> None:
    for family in families():
        values = {one["name"]: one["value"] for one in family["parameters"]}
        values = {name: text for name, text in values.items() if text}
        found = explorer.answer("family", {"family": family["name"], "values": values})
        (view, *_) = found["views"].values()
        assert len(view["spots"]) == len(found["labels"]) > 0, family["name"]
        assert view["width"] < 1400, family["name"]
        if family["worst"]:
            assert found["case"]["agrees"], family["name"]
            assert family["dragged"][0] in {one["name"] for one in family["parameters"]}


def test_a_parameter_is_dragged(explorer: Explorer) -> None:
    for eps in (3, 132, 400):
        values = {"d": "2", "k": "8", "eps": f"1/{eps}"}
        found = explorer.answer("family", {"family": "theorem1", "values": values})
        ratio = Fraction(7, 4) * (1 - Fraction(1, eps) * Fraction(3, 4))
        assert Fraction(found["case"]["exactly"]) == ratio
        assert found["case"]["agrees"]


def test_the_worst_instances_known(explorer: Explorer) -> None:
    index, entry = next(
        (i, one) for i, one in enumerate(ledger()) if one["method"] == "mm"
    )
    found = explorer.answer("worst", {"index": index})
    assert (found["k"], found["case"]["ratio"]) == (entry["k"], entry["ratio"])
    assert found["case"]["agrees"]
    assert len(found["labels"]) - len(found["busy"]) >= found["k"]


@pytest.mark.parametrize(
    ("family", "values", "error"),
    [
        ("graph", {"file": "/etc/passwd", "k": "1"}, "family: no such family"),
        ("full", {"shape": "9999x9999", "k": "1"}, "shape: at most 4096"),
        ("full", {"shape": "x".join(["1"] * 30), "kind": "tree", "k": "1"}, "40 char"),
        ("full", {"shape": "8x8"}, "k: is missing"),
        ("full", {"shape": "8x8", "k": "0"}, "k: must be at least 1"),
        ("full", {"shape": "8x8", "k": "x"}, "k: must be"),
        ("full", {"shape": "8x8", "k": "1", "count": "9"}, "values.count: unknown"),
        ("full", {"shape": "8x8", "k": 3}, "k: must be a string"),
        ("random", {"shape": "8x8", "k": "9", "free": "5%"}, "k: must be at most"),
        ("uniform", {"n": "99999999", "k": "3"}, "n: must be at most 4096"),
        ("uniform", {"n": "40", "k": "3", "d": "99999"}, "d: must be at most"),
        ("hypercube", {"d": "4000", "k": "3"}, "hypercube: has more than"),
        ("dragonfly", {"a": "60", "p": "60", "h": "60", "k": "3"}, "has more than"),
        ("fat-tree", {"radix": "64", "k": "3"}, "fat-tree: has more than"),
        ("random-regular", {"n": "4096", "k": "3"}, "at most 2048 are shown"),
        ("genalg-tree", {"k": "2000"}, "genalg-tree: has more than"),
        ("theorem1", {"k": "8", "eps": "1/0"}, "eps: "),
        ("theorem1", {"k": "8", "eps": "2"}, "eps: must"),
        ("submesh", {"shape": "8x8", "most": "3"}, "family: no such family"),
    ],
)
def test_what_is_not_made(
    explorer: Explorer, family: str, values: dict[str, Any], error: str
) -> None:
    with pytest.raises(InputError) as caught:
        explorer.answer("family", {"family": family, "values": values})
    assert error in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_entry_of_the_ledger(explorer: Explorer) -> None:
    with pytest.raises(InputError, match="index: must be below"):
        explorer.answer("worst", {"index": len(ledger())})
