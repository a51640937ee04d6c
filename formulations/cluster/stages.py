"""Numbers that are minimised one after the other, by CP-SAT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ...solvers import Limit, Settings, SolverError
from ...solvers.later import cp_model
from ...solvers.running import clock
from .domains import NodeDevices
from .job import GangJob
from .model import Expr


@dataclass(frozen=True, eq=False)
class NoSolution:
    """The first rows of a model, and what some of its numbers are at most: no solution.

    Parameters
    ----------
    model, rows
        The model, and how many of its rows count.
    at_most
        Indices of variables, and the most of each.
    """

    model: cp_model.CpModel
    rows: int
    at_most: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, eq=False)
class NoPlace:
    """A job that has no placement."""

    job: GangJob
    devices: NodeDevices


@dataclass(frozen=True)
class Stage:
    """One number that is minimised after those before it."""

    name: str
    value: int | None
    """The best found; None if nothing was."""
    bound: int
    """Proved: with the stages before as they are, it is not less."""
    by: str
    less: Callable[[], NoPlace | NoSolution] | None = field(
        default=None, compare=False, repr=False
    )
    """Makes what is impossible if nothing is less; None: nothing, by the definition."""

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
    rows: NoSolution | None = None
    """The model, without what the stages add."""

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
    least: int = 0,
) -> Staged:
    """Minimise one number after the other; each is kept at its least.

    A limit ends all; of later stages then is known what the best has, and no bound.
    Without numbers any solution will do. The first number is known not to be below
    ``least``, which is no part of what is stated to be impossible.
    """
    start = clock.now()
    numbers = add_numbers(model, parts)
    rows = NoSolution(model, len(model.proto.constraints))
    if least:
        model.add(numbers[0] >= least)
    asked = [*numbers, *variables]
    from ...solvers import cpsat  # which takes its time

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
            return Staged((), None, impossible=True, rows=rows)
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
    less = nothing_less(rows, numbers, known)
    stages = tuple(
        Stage(name, value, bound, by, some)
        for (name, _), value, bound, some in zip(
            parts, known, bounds, less, strict=False
        )
    )
    values = None if best is None else best[len(parts) :]
    return Staged(stages, values, limit=limit, rows=rows)


def add_numbers(
    model: cp_model.CpModel, parts: Sequence[tuple[str, Expr]]
) -> list[cp_model.IntVar]:
    """Add a variable for each number that is minimised."""
    numbers = []
    for name, part in parts:
        number = model.new_int_var(0, 2**60, name)
        model.add(number == part)
        numbers.append(number)
    return numbers


def nothing_less(
    rows: NoSolution, numbers: Sequence[cp_model.IntVar], best: Sequence[int | None]
) -> list[Callable[[], NoSolution] | None]:
    """Return what is impossible if no number, those before kept, is below the best."""
    found: list[Callable[[], NoSolution] | None] = []
    kept: list[tuple[int, int]] = []
    for number, value in zip(numbers, best, strict=False):
        less = (*kept, (number.index, (value or 0) - 1))
        found.append(partial(replace, rows, at_most=less) if value else None)
        kept.append((number.index, value or 0))
    return found
