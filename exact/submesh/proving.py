"""Proofs by learning clauses that no placement is cheaper, or that there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from ...instances import Submesh
from ...instances.submesh import corner, placement_of, sides
from ...instances.submesh.packing import packing_of, ways
from ...instances.submesh.placement import final_boxes
from ...proofs.checking import Formula
from ...proofs.checking.formulas import fold, levels_of
from ...proofs.checking.rows import Row, add, normalise
from ...proofs.writing.learning import MOST_SUM, Learner
from ...proofs.writing.proof_log import ProofLog
from ...solvers import SolverError


def prove_by_learning(
    instance: Submesh, chosen: Sequence[int] | None, log: ProofLog
) -> bool:
    """Prove that a placement is the cheapest, or, given None, that there is none.

    The search of `Learner` on the formula of the instance; docs/science/proofs.md
    measures it.

    Returns False if the numbers of the formula are too large.

    Raises
    ------
    SolverError
        If there is a cheaper placement, or there is one at all.
    """
    formula = log.formula
    rows = list(formula.rows)
    objective = formula.objective
    if sum(map(abs, objective.values())) > MOST_SUM:
        return False
    cost = 0
    if chosen is not None:
        true = set(_true(instance, chosen, formula))
        log.solution(sorted(true))
        cost = sum(a for v, a in objective.items() if v in true)
        cheaper = normalise([(-a, v) for v, a in objective.items()], 1 - cost)
        rows.append(cheaper)
        if instance.torus:
            rows.append(_counting(instance, cheaper, log))
    likely = range(1, len(formula.names) + 1) if instance.torus else ()
    learner = Learner(
        len(formula.names),
        rows,
        weights=_beside(instance, formula) if chosen is None else None,
        likely=likely,
    )
    if not learner.refute(log.check_time):
        raise SolverError(f"{instance.name}: there is a cheaper placement")
    contradiction = learner.write(log)
    if chosen is None:
        log.infeasible(contradiction)
    else:
        log.optimal(contradiction, cost)
    return True


def _beside(instance: Submesh, formula: Formula) -> dict[int, float]:
    """Weigh the variables that put one box next to another: the largest come first."""
    packing = packing_of(instance)
    volumes = [prod(item.size) for item in packing.items] + [1] * len(packing.blocked)
    weights = {}
    for v, name in enumerate(formula.names, 1):
        if name[0] == "b":
            i, j, _ = map(int, name[1:].split("_"))
            weights[v] = 10 * (volumes[i] * volumes[j]) ** 0.5 / max(volumes)
    return weights


def _true(instance: Submesh, chosen: Sequence[int], formula: Formula) -> Iterator[int]:
    """Yield the variables that are 1 in a placement; see docs/science/proofs.md."""
    d, packing = instance.d, packing_of(instance)
    placement = placement_of(instance, chosen)
    boxes = [*final_boxes(instance, placement), placement.at]
    boxes += [(*cell, *cell) for cell in packing.blocked]
    sizes = [[one.size] if one.at else ways(packing, one) for one in packing.items]
    moved = [a != one.box for a, one in zip(boxes, instance.residents, strict=False)]
    cells = []
    for box in boxes:
        cell = 0
        for x, side in zip(corner(box), instance.shape, strict=True):
            cell = cell * side + x % side
        cells.append(cell)
    for v, name in enumerate(formula.names, 1):
        i, *rest = map(int, name[1:].split("_"))
        if name[0] == "o":
            holds = boxes[i][rest[0]] >= rest[1]
        elif name[0] == "b":
            holds = boxes[i][d + rest[1]] < boxes[rest[0]][rest[1]]
        elif name[0] == "r":
            holds = sizes[i][rest[0]] == sides(boxes[i])
        elif name[0] == "m":
            holds = moved[i]
        elif name[0] == "n":
            holds = False  # decides nothing
        else:
            holds = sizes[i][rest[0]] == sides(boxes[i]) and rest[1] == cells[i]
        if holds:
            yield v


def _counting(instance: Submesh, cheaper: Row, log: ProofLog) -> Row:
    """Charge residents for not being at home, rather than for every other place.

    Adds to the row of the objective, the last in the log, the rows by which each
    resident has some place, rows 1, 3, 5 ... of the formula.
    """
    levels = levels_of(instance)
    parts: list[int | str] = [log.last]
    for i, resident in enumerate(instance.residents):
        row, price = log.formula.rows[2 * i], prod(sides(resident.box))
        price = fold((1, price, 0), levels)
        parts += [2 * i + 1, price, "*", "+"]
        terms = {x: a * price for x, a in row.terms.items()}
        cheaper = add(cheaper, Row(terms, row.degree * price))
    log.pol(parts)
    return cheaper
