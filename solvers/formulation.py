"""A built model and the way back from it to the instance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..instances import Instance, Value, check, cost
from ..instances.value import ordered
from . import progress
from .answer import answer
from .result import Limit, Proof, Result, SolverError


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One component of a lexicographic cost, as an objective of a model.

    Parameters
    ----------
    terms
        Variables and their coefficients, which are positive; perhaps none.
    unit
        The cost is this many times the sum of the terms.
    """

    terms: Sequence[tuple[Any, int]]
    unit: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Formulation:
    """A built model and the way back from its variables to the instance.

    Parameters
    ----------
    name
        As the table of formulations has it.
    instance
        What is to be solved.
    model
        The model: nothing is solved yet.
    variables
        Those that say what is chosen.
    decode
        From their values to indices of processors or items.
    unit
        The model's objective is this many times the cost.
    unfold
        From a bound on the model's objective to one on a lexicographic cost, where
        the objective folds all levels into one number; None elsewhere.
    levels
        Objectives to be minimised one after the other, each kept at its optimum from
        then on; the model's own objective is not used then. None where the cost is
        an integer, or folded into one.
    hint
        A choice known beforehand, handed to the solver and fallen back on.
    bound, proof
        A bound known beforehand and its proof.
    may_be_infeasible
        Whether an instance may have no solution at all; where that cannot be, a model
        without one is an error.
    """

    name: str
    instance: Instance
    model: Any
    variables: Sequence[Any]
    decode: Callable[[Sequence[int]], tuple[int, ...]]
    unit: int = 1
    unfold: Callable[[int], tuple[int, ...]] | None = None
    levels: tuple[Level, ...] = ()
    hint: tuple[int, ...] | None = None
    bound: Value | None = None
    proof: Proof | None = None
    may_be_infeasible: bool = False

    def bound_of(self, objective: int | None, proved: Sequence[int] = ()) -> Value:
        """Turn a bound on the model's objective into one on the cost.

        Parameters
        ----------
        objective
            Lower bound on the objective, or on that of the level after the proved
            ones; None if there is none.
        proved
            The optima of the first levels.
        """
        objective = max(0, objective or 0)
        if not self.levels:
            if self.unfold is not None:
                return self.unfold(objective)
            return -(-objective // self.unit)
        known = [*proved, objective, *[0] * len(self.levels)]
        return tuple(
            level.unit * value for level, value in zip(self.levels, known, strict=False)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CpFormulation(Formulation):
    """A model for CP-SAT: ``model`` is a ``cp_model.CpModel``.

    Parameters
    ----------
    parameters
        What suits this model, as text of CP-SAT's parameters.
    below
        Only choices cheaper than this are solutions, or None. A model without any
        then proves this as a bound.
    """

    parameters: str = ""
    below: int | None = None


class MipFormulation(Formulation):
    """A mixed-integer model: ``model`` is a PuLP ``LpProblem``."""

    __slots__ = ()

    form = "linear"

    @property
    def slack(self) -> float:
        """Its optimum may lie so far below the truth within a solver's tolerances."""
        return 0.0

    def write(self, file: Path) -> None:
        """Write it for a process of its own."""
        self.model.toJson(file)

    @property
    def names(self) -> list[str]:
        """Of the variables."""
        return [x.name for x in self.variables]

    @property
    def objectives(self) -> list[list[tuple[str, int]]]:
        """Of the levels: names of variables and their coefficients."""
        return [[(x.name, w) for x, w in level.terms] for level in self.levels]

    @property
    def most(self) -> int:
        """Greatest coefficient of an objective."""
        if self.levels:
            return max(w for level in self.levels for _, w in (*level.terms, (None, 0)))
        return max((abs(w) for w in self.model.objective.values()), default=0)

    @property
    def widest(self) -> int:
        """Greatest number in the model, rows and right-hand sides included."""
        numbers = [abs(w) for w in self.model.objective.values()]
        for row in self.model.constraints():
            numbers += [abs(row.constant), *map(abs, row.values())]
        return int(max(numbers, default=0))


class QuadraticFormulation(MipFormulation):
    """A model with concave costs: ``model`` is a `QuadraticModel`.

    ``variables`` are names.
    """

    __slots__ = ()

    form = "quadratic"

    @property
    def slack(self) -> float:
        """Its optimum may lie so far below the truth within a solver's tolerances."""
        return float(self.model.slack)

    def write(self, file: Path) -> None:
        """Write it for a process of its own."""
        self.model.write(file)

    @property
    def names(self) -> list[str]:
        """Of the variables."""
        return list(self.variables)

    @property
    def most(self) -> int:
        """Greatest coefficient of the objective."""
        return max((abs(weight) for _, weight in self.model.prices), default=0)


class Standing:
    """Reports the best incumbent and bound of a running solver, see `progress`.

    What was known before the run counts as well.

    Parameters
    ----------
    formulation
        What is being solved.
    part
        Whether it is only a part of the instance, so that its bounds are not reported.
    """

    def __init__(self, formulation: Formulation, *, part: bool = False) -> None:
        self._formulation = formulation
        self._part = part
        self._bound = None if part else formulation.bound
        self._cost: Value | None = None
        if formulation.hint is not None:
            self._cost = cost(formulation.instance, formulation.hint)
        self._reported: tuple[Value | None, Value | None] = (None, None)

    def update(self, values: Sequence[int] | None, bound: Value | None) -> None:
        """Report a solution and a bound on the cost if they improve what is known."""
        if values is not None:
            instance = self._formulation.instance
            chosen = self._formulation.decode(values)
            if not check(instance, chosen):
                paid = cost(instance, chosen)
                if self._cost is None or ordered(paid) < ordered(self._cost):
                    self._cost = paid
        if self._part:
            bound = None
        if bound is not None and (
            self._bound is None or ordered(bound) > ordered(self._bound)
        ):
            self._bound = bound
        known = (self._cost, self._bound)
        if self._cost is not None and known != self._reported:
            self._reported = known
            progress.report(self._cost, self._bound)


def to_result(
    formulation: Formulation,
    values: Sequence[int] | None,
    bound: Value | None,
    proof: Proof,
    *,
    limit: Limit | None,
    start: float,
    seed: int | None,
) -> Result:
    """Combine the solver's answer with the known incumbent and bound.

    Parameters
    ----------
    formulation
        What was solved.
    values
        The solver's values of ``formulation.variables``; None if it has none.
    bound, proof
        Its bound on the cost, if any, and the proof of it.
    limit
        What ended it early.
    start, seed
        See `answer`.

    Raises
    ------
    SolverError
        When the solver's solution is not valid, or its bound contradicts a solution.
    """
    instance = formulation.instance
    chosen = None if values is None else formulation.decode(values)
    if chosen is not None and (wrong := check(instance, chosen)):
        raise SolverError(
            f"{instance.name}: {proof.by} returned a wrong solution: {'; '.join(wrong)}"
        )
    known = formulation.hint
    if chosen is None or (
        known is not None
        and ordered(cost(instance, known)) < ordered(cost(instance, chosen))
    ):
        chosen = known
    grounds: Proof | None = proof
    before = formulation.bound
    if bound is None or (before is not None and ordered(before) >= ordered(bound)):
        bound, grounds = formulation.bound, formulation.proof
    return answer(
        instance,
        chosen,
        start=start,
        bound=bound,
        proof=grounds,
        limit=limit,
        seed=seed,
    )
