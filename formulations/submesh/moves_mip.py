"""Migration for MIP solvers: which residents move where, and the request's place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import prod
from typing import Any

from ...instances import Submesh
from ...instances.submesh import corner, sides
from ...instances.submesh.packing import packing_of, ways
from ...solvers.formulation import Level, MipFormulation
from ...solvers.modelling import load_pulp
from .packing_mip import left_below


def moves(instance: Submesh) -> MipFormulation:
    r"""Minimise residents moved, then their area, then their displacement.

    .. math::

        d_{ia} \ge |x_{ia} - p_{ia}|, \quad d_{ia} \le C_a m_i, \quad
        w_i \ge 1 - m_i

    in addition to `left_below`, which also determines for which instances there is a
    model; p is where a resident is, w whether it keeps its rotation. The levels are
    those of ``moves_cpsat.moves``; the model's own objective is left empty.

    Size: that of `left_below`, and for each resident that may be moved a binary, an
    integer per axis, and three rows per axis.
    """
    pulp = load_pulp()
    constants = pulp.constants
    built = left_below(instance)
    model, packing = built.model, packing_of(instance)
    levels: tuple[list[tuple[Any, int]], ...] = ([], [], [])

    def row(terms: Sequence[tuple[Any, int]], sense: int, right: int) -> None:
        left = pulp.LpAffineExpression(terms)
        model.addConstraint(pulp.LpConstraint(left, sense, None, right))

    rest = iter(built.variables)
    for i, item in enumerate(packing.items):
        several = ways(packing, item)
        start = list(islice(rest, packing.d))
        way = list(islice(rest, len(several) if len(several) > 1 else 0))
        if item.at is not None or i == len(instance.residents):
            continue
        home = instance.residents[i].box
        moved = model.add_variable(f"m{i}", 0, 1, "Integer")
        for a, place in enumerate(corner(home)):
            side = packing.shape[a]
            far = model.add_variable(f"d{i}_{a}", 0, side - 1, "Integer")
            row([(far, 1), (start[a], -1)], constants.LpConstraintGE, -place)
            row([(far, 1), (start[a], 1)], constants.LpConstraintGE, place)
            row([(far, 1), (moved, -(side - 1))], constants.LpConstraintLE, 0)
            levels[2].append((far, 1))
        if way:
            as_before = way[several.index(sides(home))]
            row([(as_before, 1), (moved, 1)], constants.LpConstraintGE, 1)
        levels[0].append((moved, 1))
        levels[1].append((moved, prod(sides(home))))
    model.name = "moves"
    return MipFormulation(
        name="moves",
        instance=instance,
        model=model,
        variables=built.variables,
        decode=built.decode,
        levels=tuple(Level(terms=terms) for terms in levels),
        may_be_infeasible=True,
    )


def fold_levels(model: MipFormulation, weights: Sequence[int]) -> Any:
    """Return the weighted sum of the levels: one objective for all."""
    terms: dict[str, tuple[Any, int]] = {}
    for weight, level in zip(weights, model.levels, strict=True):
        for x, coefficient in level.terms:
            before = terms.get(x.name, (x, 0))[1]
            terms[x.name] = x, before + weight * coefficient
    return load_pulp().LpAffineExpression(list(terms.values()))
