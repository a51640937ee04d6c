"""The formula of an instance, on which every proof about it rests.

A formula is derived from the definition of the problem alone. The cheapest assignment
costs what the cheapest choice does; levels of a cost are folded into one integer such
that integers compare as the vectors do. docs/science/proofs.md shows that each is
right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise, product
from math import prod
from typing import Any

from ...instances.errors import InputError
from ...instances.ksubset.instance import KSubset
from ...instances.problems import Instance, problem_of
from ...instances.procset.instance import ProcSet
from ...instances.submesh import Submesh, box_at, corner, rows, sides
from ...instances.submesh.packing import Packing, packing_of, ways
from ...instances.sukp.instance import Sukp
from ...instances.value import Value
from .rows import Formula, spend_nothing

TRUE, FALSE = 0, None
"""Stand for literals that are constant."""
MOST_TERMS = 20_000_000
"""Terms of all rows up to which a formula is built."""


def formula_of(
    instance: Instance, spend: Callable[[int], None] = spend_nothing
) -> Formula:
    """Return the formula of an instance; it has a variable.

    ``spend`` receives the terms of each row, and may raise.

    Raises
    ------
    InputError
        If it would be larger than `MOST_TERMS`, or its problem has no formula.
    """
    name = problem_of(instance).name
    if name not in _BUILDERS:
        raise InputError("has no formula", "problem", name)
    formula = Formula(spend=spend)
    _BUILDERS[name](instance, formula)
    return formula


def fold(cost: Value, levels: Sequence[int]) -> int:
    """Fold the levels of a cost into one integer; ``levels`` are their weights."""
    parts = (cost,) if isinstance(cost, int) else cost
    return sum(w * part for w, part in zip(levels, parts, strict=True))


def unfold(value: int, levels: Sequence[int]) -> tuple[int, ...]:
    """Return the least cost vector that a folded bound proves.

    >>> unfold(fold((2, 0, 5), (100, 10, 1)), (100, 10, 1))
    (2, 0, 5)
    """
    parts = []
    for weight in levels:
        part, value = divmod(value, weight)
        parts.append(part)
    return tuple(parts)


def levels_of(instance: Instance) -> tuple[int, ...]:
    """Return the weights of the levels of a cost in the objective of the formula."""
    weights = [1]
    for part in reversed(problem_of(instance).dearest(instance)[1:]):
        weights.append(weights[-1] * (part + 1))
    return tuple(reversed(weights))


def _refuse_large(terms: int) -> None:
    if terms > MOST_TERMS:
        raise InputError(
            f"its formula would have {terms} terms, more than {MOST_TERMS}"
        )


def _ksubset(instance: KSubset, formula: Formula) -> None:
    """Count the chosen points inside of every cut in unary.

    A cut of weight w with c of k points inside costs w c (k - c), the sum of
    w (k - 2 j + 1) over j = 1 .. c.
    """
    n, k = instance.n, instance.k
    formula.meaning.append("x<i>: free processor i, by coordinates, is chosen")
    x = [formula.variable(f"x{i}") for i in range(n)]
    formula.equal([(1, one) for one in x], k)
    for i in instance.required_indices:
        formula.clause(x[i])
    if not instance.topology.has_cuts:
        formula.meaning.append("y<i>_<j>: both i and j are chosen")
        _refuse_large(n * n * 2)
        for i, j in combinations(range(n), 2):
            y = formula.variable(f"y{i}_{j}")
            formula.clause(y, -x[i], -x[j])
            hops = instance.topology.distance(instance.free[i], instance.free[j])
            formula.charge(hops, y)
        return
    cuts = instance.topology.cuts(instance.free)
    formula.unit = cuts.denominator
    formula.meaning.append("u<h>_<j>: at least j chosen processors are inside of cut h")
    insides = cuts.insides()
    _refuse_large(sum(stop - start for _, start, stop in insides) * 2)
    for h, (sites, start, stop) in enumerate(insides):
        inside = sorted(sites[start:stop])
        units = [formula.variable(f"u{h}_{j + 1}") for j in range(min(k, len(inside)))]
        count = [(1, u) for u in units] + [(-1, x[i]) for i in inside]
        formula.equal(count, 0)
        for first, second in pairwise(units):
            formula.clause(first, -second)
        for j, u in enumerate(units, 1):
            formula.charge(cuts.weights[h] * (k - 2 * j + 1), u)


def _procset(instance: ProcSet, formula: Formula) -> None:
    levels = levels_of(instance)
    formula.meaning += [
        "x<p>: processor p is chosen; s<i>: set i is touched",
        f"levels of the cost weigh {', '.join(map(str, levels))}",
    ]
    x = {p: formula.variable(f"x{p}") for p in instance.available}
    formula.equal([(1, one) for one in x.values()], instance.request)
    for p in instance.required:
        formula.clause(x[p])
    for i, one in enumerate(instance.sets):
        s = formula.variable(f"s{i}")
        for p in one.members:
            if p in x:
                formula.clause(s, -x[p])
        formula.charge(fold(one.cost, levels), s)


def _sukp(instance: Sukp, formula: Formula) -> None:
    formula.meaning.append("z<j>: item j is left out; y<e>: element e is used")
    z = [formula.variable(f"z{j}") for j in range(instance.n)]
    y = [formula.variable(f"y{e}") for e in range(len(instance.weights))]
    formula.at_least(
        [(-w, y[e]) for e, w in enumerate(instance.weights)], -instance.capacity
    )
    for j in instance.required:
        formula.clause(-z[j])
    for j, elements in enumerate(instance.items):
        for e in elements:
            formula.clause(z[j], y[e])
        formula.charge(instance.profits[j], z[j])


def _mesh(instance: Submesh, formula: Formula) -> None:
    """Charge the boxes of a packing for not being where they were."""
    packing, levels = packing_of(instance), levels_of(instance)
    place, turned = place_boxes(packing, formula)
    formula.meaning += [
        "m<i>: resident i is moved",
        f"levels of the cost weigh {', '.join(map(str, levels))}",
    ]
    if not place:
        return
    for i, (item, resident) in enumerate(
        zip(packing.items, instance.residents, strict=False)
    ):
        if item.at is None:
            m = formula.variable(f"m{i}")
            formula.charge(fold((1, prod(item.size), 0), levels), m)
            for r, way in zip(turned[i], ways(packing, item), strict=False):
                if way != item.size:
                    formula.clause(m, -r)
            for home, axis in zip(corner(resident.box), place[i], strict=True):
                _charge_steps(formula, m, home, axis, levels[2])


def place_boxes(
    packing: Packing, formula: Formula
) -> tuple[list[list[list[int | None]]], list[list[int]]]:
    """Use order variables for the corners, and a side for every two boxes.

    Returns the literals by which each box begins at a coordinate or beyond, axis by
    axis, and those of its ways, if it has several; no boxes if one fits nowhere.
    """
    formula.meaning += [
        "o<i>_<a>_<t>: box i (residents, request, blocked) begins at t or beyond "
        "on axis a",
        "r<i>_<w>: box i is turned in way w; b<i>_<j>_<a>: i ends before j begins",
    ]
    items = list(packing.items)
    shapes = [ways(packing, one) for one in items]
    if not all(shapes):
        formula.at_least([], 1)
        return [], []
    corners = [corner(one.at) if one.at else None for one in items]
    corners += packing.blocked
    shapes += [[(1,) * packing.d]] * len(packing.blocked)
    _refuse_large(len(corners) * (len(corners) - 1) * sum(packing.shape) * 3)
    turned = [
        [formula.variable(f"r{i}_{w}") for w in range(len(several))]
        if len(several) > 1
        else []
        for i, several in enumerate(shapes)
    ]
    place: list[list[list[int | None]]] = []
    for i, (at, several) in enumerate(zip(corners, shapes, strict=True)):
        if turned[i]:
            formula.equal([(1, r) for r in turned[i]], 1)
        row: list[list[int | None]] = []
        for a, side in enumerate(packing.shape):
            if at is not None:
                row.append([TRUE] * (at[a] + 1) + [FALSE] * (side - at[a]))
                continue
            last = side - min(size[a] for size in several)
            o = [formula.variable(f"o{i}_{a}_{t + 1}") for t in range(last)]
            for first, second in pairwise(o):
                formula.clause(first, -second)
            row.append([TRUE, *o, *[FALSE] * (side - last)])
            for r, size in zip(turned[i], several, strict=False):
                if (end := row[a][side - size[a] + 1]) is not FALSE:
                    formula.clause(-r, -end)
        place.append(row)
    for i, j in combinations(range(len(corners)), 2):
        if corners[i] is not None and corners[j] is not None:
            continue  # they do not overlap where they are
        beside = []
        for a, side in enumerate(packing.shape):
            for one, other in ((i, j), (j, i)):
                b = formula.variable(f"b{one}_{other}_{a}")
                beside.append(b)
                for w, size in enumerate(shapes[one]):
                    if_turned = [-turned[one][w]] if turned[one] else []
                    for t in range(side):
                        begins = place[one][a][t]
                        after = place[other][a][min(side, t + size[a])]
                        if begins is FALSE or after == TRUE:
                            continue
                        clause = [-b, *if_turned]
                        clause += [-begins] if begins else []
                        clause += [after] if after else []
                        formula.clause(*clause)
        formula.clause(*beside)
    return place, turned


def _charge_steps(
    formula: Formula, m: int, home: int, begins: list[int | None], price: int
) -> None:
    """Charge the steps of a resident along an axis; any of them makes it moved."""
    for t in range(1, len(begins)):
        if x := begins[t]:
            away = x if t > home else -x
            formula.charge(price, away)
            if t in (home, home + 1):
                formula.clause(m, -away)


def _torus(instance: Submesh, formula: Formula) -> None:
    """Use a variable per place of every box, at most one of them at a cell."""
    packing, levels = packing_of(instance), levels_of(instance)
    formula.meaning += [
        "p<i>_<w>_<c>: box i (residents in order, then the request) lies in way w "
        "with its lowest corner at cell c, in row-major order",
        f"levels of the cost weigh {', '.join(map(str, levels))}",
    ]
    count, cells = len(packing.items), prod(packing.shape)
    _refuse_large(count * cells * max(prod(one.size) for one in packing.items))
    at_cell: list[list[int]] = [[] for _ in range(cells)]
    corners = list(product(*map(range, packing.shape)))
    for i, item in enumerate(packing.items):
        places = []
        home = instance.residents[i].box if i < count - 1 else None
        for w, size in enumerate([item.size] if item.at else ways(packing, item)):
            for number, start in enumerate(corners):
                if item.at and start != corner(item.at):
                    continue
                p = formula.variable(f"p{i}_{w}_{number}")
                places.append(p)
                formula.spend(prod(size))
                for run in rows(packing.shape, box_at(start, size)):
                    for there in at_cell[run]:
                        there.append(p)
                if home is None or (start == corner(home) and size == sides(home)):
                    continue
                far = sum(
                    min((c - h) % n, (h - c) % n)
                    for c, h, n in zip(start, corner(home), packing.shape, strict=True)
                )
                formula.charge(fold((1, prod(size), far), levels), p)
        formula.equal([(1, p) for p in places], 1)
    blocked = set(packing.blocked)
    for cell, there in zip(corners, at_cell, strict=True):
        most = 0 if cell in blocked else 1
        if len(there) > most:
            formula.at_least([(-1, p) for p in there], -most)


def _submesh(instance: Submesh, formula: Formula) -> None:
    (_torus if instance.torus else _mesh)(instance, formula)
    if not formula.names:  # the text of an objective needs a term
        formula.variable("n0")
        formula.meaning.append("n0: nothing, since nothing is to be decided")


_BUILDERS: dict[str, Callable[[Any, Formula], None]] = {
    "ksubset": _ksubset,
    "procset": _procset,
    "sukp": _sukp,
    "submesh": _submesh,
}
