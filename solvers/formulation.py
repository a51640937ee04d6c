"""Built models, and the translation of their solutions and bounds to the instance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..instances import Instance, Value, check, cost
from ..instances.outcome import Result
from ..instances.result import Limit, Proof
from ..instances.value import as_tuple
from .running import progress
from .running.answer import answer
from .running.errors import SolverError


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One component of a lexicographic cost, as an objective of a model."""

    terms: Sequence[tuple[Any, int]]
    """Variables and their positive coefficients; may be empty."""
    unit: int = 1
    """Factor from the sum of the terms to the cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formulation:
    """A built model, with the translation of its variables to the instance."""

    name: str
    """Name in the table of formulations."""
    instance: Instance
    """The instance to solve."""
    model: Any
    """The model, not yet solved."""
    variables: Sequence[Any]
    """The variables that determine the choice."""
    decode: Callable[[Sequence[int]], tuple[int, ...]]
    """Maps their values to indices of processors or items."""
    unit: int = 1
    """Factor from the cost to the model's objective."""
    unfold: Callable[[int], tuple[int, ...]] | None = None
    """Maps a bound on the model's objective to one on a lexicographic cost, if the
    objective folds all levels into one number."""
    levels: tuple[Level, ...] = ()
    """Objectives to minimise in this order, each fixed at its optimum before the next;
    they replace the model's own objective. Empty if the cost is one integer."""
    hint: tuple[int, ...] | None = None
    """A known choice: start solution and fallback."""
    bound: Value | None = None
    proof: Proof | None = None
    """A known bound and its proof."""
    may_be_infeasible: bool = False
    """Whether instances may be infeasible; if not, an infeasible model is an error."""

    def bound_of(self, objective: int | None, proved: Sequence[int] = ()) -> Value:
        """Convert a bound on the model's objective to one on the cost.

        The objective is that of the model, or of the first level that is not proved,
        after the optima of the levels before.
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
    """A model for CP-SAT: ``model`` is a ``cp_model.CpModel``."""

    parameters: str = ""
    """Parameters of CP-SAT for this model, in its text format."""


class MipFormulation(Formulation):
    """A mixed-integer model: ``model`` is a PuLP ``LpProblem``."""

    __slots__ = ()

    def write(self, file: Path) -> None:
        """Write the model to a file for the solver's process."""
        self.model.toJson(file)

    @property
    def names(self) -> list[str]:
        """Names of the variables."""
        return [x.name for x in self.variables]

    @property
    def objectives(self) -> list[list[tuple[str, int]]]:
        """For each level, names of variables and their coefficients."""
        return [[(x.name, w) for x, w in level.terms] for level in self.levels]

    @property
    def most(self) -> int:
        """Greatest coefficient of an objective."""
        if self.levels:
            return max(w for level in self.levels for _, w in (*level.terms, (None, 0)))
        return max((abs(w) for w in self.model.objective.values()), default=0)

    @property
    def widest(self) -> int:
        """Greatest number in the model, including rows and right-hand sides."""
        numbers = [abs(w) for w in self.model.objective.values()]
        for row in self.model.constraints():
            numbers += [abs(row.constant), *map(abs, row.values())]
        return int(max(numbers, default=0))


class Standing:
    """Reports the best incumbent and bound of a running solver, see `progress`.

    What was known before the run counts as well. If this is only a part of a search,
    its bounds are not reported.
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
                if self._cost is None or as_tuple(paid) < as_tuple(self._cost):
                    self._cost = paid
        if self._part:
            bound = None
        if bound is not None and (
            self._bound is None or as_tuple(bound) > as_tuple(self._bound)
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

    ``values`` are those of ``formulation.variables``, None without a solution;
    ``bound`` is the solver's bound on the cost, if any. See also `answer`. Raises
    SolverError if the solver's solution is invalid, or its bound contradicts a
    solution.
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
        and as_tuple(cost(instance, known)) < as_tuple(cost(instance, chosen))
    ):
        chosen = known
    grounds: Proof | None = proof
    before = formulation.bound
    if bound is None or (before is not None and as_tuple(before) >= as_tuple(bound)):
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
