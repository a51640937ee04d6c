"""Numbers that are minimised one after the other, by CP-SAT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from ...solvers import Limit, Settings, SolverError, cpsat
from ...solvers.running import clock
from .model import Expr


@dataclass(frozen=True)
class Stage:
    """One number that is minimised after those before it."""

    name: str
    value: int | None
    """The best found; None if nothing was."""
    bound: int
    """Proved: with the stages before as they are, it is not less."""
    by: str

    @property
    def proved(self) -> bool:
        """Whether nothing is better."""
        return self.value == self.bound


@dataclass(frozen=True)
class Staged:
    """What was found of a model, stage by stage."""

    stages: tuple[Stage, ...]
    values: list[int] | None
    impossible: bool = False
    limit: Limit | None = None

    @property
    def proved(self) -> bool:
        """Whether nothing is better."""
        return all(stage.proved for stage in self.stages)


DENSE = "linearization_level: 2"
"""All rows are in the linear relaxation: without it bounds on changes hardly move."""


def by_stages(
    model: cp_model.CpModel,
    parts: Sequence[tuple[str, Expr]],
    variables: Sequence[cp_model.IntVar],
    settings: Settings,
    by: str,
    parameters: str = DENSE,
) -> Staged:
    """Minimise one number after the other; each is kept at its least.

    A limit ends all; of later stages then is known what the best has, and no bound.
    Without numbers any solution will do.
    """
    start = clock.now()
    numbers = []
    for name, part in parts:
        number = model.new_int_var(0, 2**60, name)
        model.add(number == part)
        numbers.append(number)
    asked = [*numbers, *variables]
    best: list[int] | None = None
    bounds: list[int] = []
    limit: Limit | None = None
    for i, number in enumerate(numbers or [None]):
        if number is not None:
            if best is not None:
                if best[i] == 0:
                    bounds.append(0)
                    model.add(number == 0)
                    continue
                model.clear_hints()
                for variable, value in zip(asked, best, strict=True):
                    model.add_hint(variable, value)
            model.minimize(number)
        rest = settings.remaining(start)
        found = cpsat.decide(model, asked, settings=rest, parameters=parameters)
        if found.impossible:
            if best is not None:
                raise SolverError("a model is infeasible that has a solution")
            return Staged((), None, impossible=True)
        limit = found.limit
        best = best if found.values is None else found.values
        if limit is not None:
            bounds.append(max(0, found.bound or 0))
            break
        assert best is not None
        if number is not None:
            bounds.append(best[i])
            model.add(number <= best[i])
    bounds += [0] * (len(parts) - len(bounds))
    known: Sequence[int | None] = [None] * len(parts) if best is None else best
    stages = tuple(
        Stage(name, value, bound, by)
        for (name, _), value, bound in zip(parts, known, bounds, strict=False)
    )
    values = None if best is None else best[len(parts) :]
    return Staged(stages, values, limit=limit)
