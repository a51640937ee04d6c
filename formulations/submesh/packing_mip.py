"""The mixed-integer model of a submesh request with migration, in PuLP: a reference."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from ...instances import Submesh
from ...instances.submesh import box_at
from ...instances.submesh.packing import packing_of, placement_from, ways
from ...solvers.formulation import MipFormulation
from ...solvers.modelling import load_pulp

MOST_PAIRS = 20_000
"""Pairs of residents, blocked cells and the request up to which a model is built."""


def refusal(instance: Submesh) -> str | None:
    """Return why there is no model of this instance, or None if there is one."""
    if instance.torus:
        return "has no mixed-integer model on a torus; use no-overlap/cpsat"
    n = len(instance.residents) + 1 + len(instance.blocked)
    if (pairs := n * (n - 1) // 2) > MOST_PAIRS:
        return f"would compare {pairs} pairs of boxes, more than {MOST_PAIRS}"
    return None


def left_below(instance: Submesh) -> MipFormulation:
    r"""Separate every two boxes by a binary for each side.

    .. math::

        x^a_i + l^a_i \le x^a_j + C_a (1 - b^a_{ij}), \quad
        \sum_a b^a_{ij} + b^a_{ji} \ge 1

    where l is the length of box i along axis a, linear in binaries for its rotations.
    There is no objective: any solution is a placement, and infeasibility proves that
    there is none.

    Size: an integer per item and axis; 2 d binaries, as many rows, and one more, per
    pair. Two fixed boxes are not compared.
    """
    pulp = load_pulp()
    constants = pulp.constants
    packing = packing_of(instance)
    model = pulp.LpProblem("left-below", 1)
    expression = pulp.LpAffineExpression

    def row(terms: list[tuple[Any, int]], sense: int, right: int) -> None:
        model.addConstraint(pulp.LpConstraint(expression(terms), sense, None, right))

    starts: list[list[Any]] = []
    lengths: list[list[list[tuple[Any, int]]]] = []  # of item, axis: terms
    short: list[list[int]] = []  # length if all terms are 0
    sizes = [ways(packing, item) for item in packing.items]
    chosen: list[list[Any]] = []
    for i, (item, several) in enumerate(zip(packing.items, sizes, strict=True)):
        least = [min(size[a] for size in several) for a in range(packing.d)]
        start = []
        for a, side in enumerate(packing.shape):
            low, high = (item.at[a],) * 2 if item.at else (0, side - least[a])
            start.append(model.add_variable(f"x{i}_{a}", low, high, "Integer"))
        way = []
        if len(several) > 1:
            way = [
                model.add_variable(f"way{i}_{o}", 0, 1, "Integer")
                for o in range(len(several))
            ]
            row([(w, 1) for w in way], constants.LpConstraintEQ, 1)
        starts.append(start)
        chosen.append(way)
        short.append([0 if way else several[0][a] for a in range(packing.d)])
        lengths.append(
            [
                [(w, size[a]) for w, size in zip(way, several, strict=False)]
                for a in range(packing.d)
            ]
        )
        for a, side in enumerate(packing.shape):
            if way:
                terms = [(start[a], 1), *lengths[i][a]]
                row(terms, constants.LpConstraintLE, side)
    for number, cell in enumerate(packing.blocked):
        starts.append(
            [
                model.add_variable(f"cell{number}_{a}", x, x, "Integer")
                for a, x in enumerate(cell)
            ]
        )
        lengths.append([[] for _ in cell])
        short.append([1] * packing.d)
    here = [item.at is not None for item in packing.items]
    here += [True] * len(packing.blocked)
    for i, j in combinations(range(len(starts)), 2):
        if here[i] and here[j]:
            continue
        beside = []
        for a, side in enumerate(packing.shape):
            for one, other in ((i, j), (j, i)):
                b = model.add_variable(f"b{one}_{other}_{a}", 0, 1, "Integer")
                beside.append((b, 1))
                terms = [(starts[one][a], 1), *lengths[one][a]]
                terms += [(starts[other][a], -1), (b, side)]
                row(terms, constants.LpConstraintLE, side - short[one][a])
        row(beside, constants.LpConstraintGE, 1)
    items = range(len(packing.items))
    variables = [x for i in items for x in (*starts[i], *chosen[i])]
    # A single box is in no row; but variables that are read must be in the model.
    model.setObjective(expression([(x, 0) for x in variables]))

    def decode(values: Sequence[int]) -> tuple[int, ...]:
        rest = iter(values)
        boxes = []
        for i in items:
            place = [next(rest) for _ in starts[i]]
            way = [next(rest) for _ in chosen[i]]
            size = sizes[i][way.index(1)] if way else sizes[i][0]
            boxes.append(box_at(place, size))
        return placement_from(instance, boxes).flat()

    return MipFormulation(
        name="left-below",
        instance=instance,
        model=model,
        variables=variables,
        decode=decode,
        unfold=lambda objective: (0, 0, 0),
        may_be_infeasible=True,
    )
