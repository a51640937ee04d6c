"""The comparison of formulas notices every kind of difference, and says where it is."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from closeknit.instances import KSubset, Sukp, mesh
from closeknit.instances.topologies import Graph
from closeknit.proofs.checking import formula_of
from closeknit.proofs.checking.formulas import levels_of

from .compare import canonical, first_difference, least, plain
from .drawing import KINDS, drawn

SACK = Sukp("sack", (5, 4), (3, 0, 2), ((0, 1), (0, 2)), 4)


def formula() -> dict[str, Any]:
    return deepcopy(plain(formula_of(SACK), levels_of(SACK)))


def test_negated_literals_and_the_order_of_terms_do_not_count() -> None:
    """2 ~x + 1 y - 1 y >= 1 is -2 x >= -1."""
    one, other = formula(), formula()
    one["rows"] = [([(2, "~z0"), (1, "y0"), (-1, "y0")], 1)]
    other["rows"] = [([(-2, "z0")], -1)]
    assert first_difference(canonical(one), canonical(other)) == ""
    assert canonical(one).rows == ((((1, -2),), ">=", -1),)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("variables", ["z0", "zz", "y0", "y1", "y2"], "variable 2: z1 / zz"),
        ("offset", 1, "offset: 0 / 1"),
        ("unit", 2, "unit: 1 / 2"),
        ("weights", [2, 1], "weights: (1,) / (2, 1)"),
        ("objective", {"z0": 5}, "objective: ((1, 5), (2, 4)) / ((1, 5),)"),
    ],
)
def test_what_is_no_row_is_compared(field: str, value: Any, message: str) -> None:
    other = formula()
    if field == "variables":
        other["rows"], other["objective"] = [], {}
    other[field] = value
    assert first_difference(canonical(formula()), canonical(other)) == message


def test_comments_are_compared() -> None:
    other = formula()
    other["comments"].append("more")
    found = first_difference(canonical(formula()), canonical(other))
    assert found.startswith("comments: ")


@pytest.mark.parametrize("index", range(5))
def test_the_first_row_that_differs_is_shown(index: int) -> None:
    """By its right side, by a coefficient, by its place, or because it is missing."""
    texts = [
        "-3 y0 -2 y2 >= -4",
        "+1 z0 +1 y0 >= 1",
        "+1 z0 +1 y1 >= 1",
        "+1 z1 +1 y0 >= 1",
        "+1 z1 +1 y2 >= 1",
    ]
    whole = canonical(formula())
    other = formula()
    terms, right = other["rows"][index]
    other["rows"][index] = terms, right + 1
    found = first_difference(whole, canonical(other))
    assert found.startswith(f"row {index + 1}: {texts[index]} / ")
    other["rows"][index] = [(a + 1, x) for a, x in terms], right
    found = first_difference(whole, canonical(other))
    assert found.startswith(f"row {index + 1}: {texts[index]} / ")
    del other["rows"][index]
    after = [*texts, "no row"][index + 1]
    found = first_difference(whole, canonical(other))
    assert found == f"row {index + 1}: {texts[index]} / {after}"


def test_enumeration_finds_the_least_objective() -> None:
    assert least(canonical(formula())) == 4
    impossible = formula()
    impossible["rows"].append(([], 1))
    assert least(canonical(impossible)) is None
    no_choice = formula()
    no_choice["rows"] += [([(1, "~z0")], 1), ([(1, "~z1")], 1)]
    assert least(canonical(no_choice)) is None
    falling = {**formula(), "rows": [([(-1, "z0"), (-1, "z1")], -1)]}
    falling["objective"] = {"z0": -5, "z1": -6, "y0": 2}
    assert least(canonical(falling)) == -6


def test_the_order_of_a_mesh_is_not_that_of_its_mirror_image() -> None:
    """Rows are compared in their order, which proofs refer to."""
    one, other = mesh(2, 3, k=2), mesh(3, 2, k=2)
    forms = [canonical(plain(formula_of(each), (1,))) for each in (one, other)]
    assert first_difference(*forms).startswith("row ")


def test_all_kinds_of_instances_and_options_are_drawn() -> None:
    """Each of these is a way of the page that a second program could go wrong."""
    found: dict[str, int] = {}
    for seed in range(20 * len(KINDS)):
        for what in options(drawn(seed)):
            found[what] = found.get(what, 0) + 1
    wanted = {
        *(
            "line",
            "odd ring",
            "even ring",
            "points",
            "shared point",
            "decimals",
            "tree",
        ),
        *("graph of a tree", "partial cube", "graph", "table", "price", "half weights"),
        *("required", "busy", "levels", "too many", "no set member", "no element"),
        *("mesh", "torus", "fixed", "turned", "no way", "blocked", "no migration"),
        *("three ways", "three axes", "alone", "rotate"),
    }
    assert {what for what in wanted if found.get(what, 0) < 3} == set()


def options(one: Any) -> set[str]:
    """Name what is special about an instance."""
    found = {"required"} if getattr(one, "required", ()) else set()
    if isinstance(one, KSubset):
        network: Any = one.topology
        found |= {"busy"} if one.n < network.processors_in_all else set()
        found |= {"half weights"} if formula_of(one).unit == 2 else set()
        found |= {"shared point"} if len({*one.free}) < one.n else set()
        found |= {"price"} if network.prices else {network.kind}
        for ring in network.ring_lengths or ():
            found.add("line" if not ring else "odd ring" if ring % 2 else "even ring")
        found |= {"decimals"} if network.scale > 1 else set()
        if isinstance(network, Graph) and network.embedding:
            found.add(
                "graph of a tree" if network.embedding.is_tree else "partial cube"
            )
    elif isinstance(one, Sukp):
        found |= set() if one.weights else {"no element"}
    elif hasattr(one, "sets"):
        free = {*one.available}
        found |= {"levels"} if one.levels > 1 else set()
        found |= {"too many"} if one.request > one.n else set()
        found |= (
            {"no set member"}
            if any(not free & {*s.members} for s in one.sets)
            else set()
        )
    else:
        fits = all(
            a <= b for a, b in zip(sorted(one.request), sorted(one.shape), strict=True)
        )
        movable = [r for r in one.residents if one.migrate and not r.fixed]
        found |= {"torus" if one.torus else "mesh"}
        found |= {"three axes"} if one.d == 3 else set()
        found |= {"fixed"} if any(r.fixed for r in one.residents) else set()
        found |= {"turned"} if any(r.turns for r in movable) else set()
        found |= set() if fits else {"no way"}
        found |= {"blocked"} if one.blocked else set()
        found |= set() if one.migrate else {"no migration"}
        found |= {"rotate"} if one.rotate else set()
        found |= {"three ways"} if one.rotate and len({*one.request}) == 3 else set()
        found |= set() if one.residents else {"alone"}
    return found
