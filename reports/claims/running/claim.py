"""Claims, the settings of their tests, and the outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ....instances import Instance, KSubset, Value, check, cost, problem_of, sha256
from ....instances.support import support_of
from ....methods import KSUBSET, METHODS
from ....methods.rederiving import (
    MOST_INTERPRETED,
    Rederived,
    interpret,
    is_drawn,
    rederivable,
    rederive,
    seconds_for,
)
from ....solvers import Result, Settings, Status, Ties
from ....solvers.running.method import Run, RunOn


class Undecided(RuntimeError):
    """The exact route did not finish within the limit, so that nothing follows."""


class UntrueAnswer(RuntimeError):
    """A method's answer is false: no valid choice, or another cost.

    Parameters
    ----------
    what
        In one line.
    instance
        On which.
    """

    def __init__(self, what: str, instance: Instance | None = None) -> None:
        super().__init__(what)
        self.instance = instance


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of testing a claim.

    Parameters
    ----------
    holds
        Whether nothing contradicts the claim.
    result
        What was found, exactly, in one line.
    instances
        Number of instances on which it was tested.
    counterexample
        The smallest instance found on which it fails, where there is one.
    """

    holds: bool
    result: str
    instances: int
    counterexample: Instance | None = None

    def __post_init__(self) -> None:
        if self.holds and self.counterexample is not None:
            raise ValueError("A claim with a counterexample does not hold.")
        if self.holds and self.instances < 1:
            raise ValueError("A claim that was tested on nothing does not hold.")


def passed(result: str, instances: int) -> Outcome:
    """Return the outcome that nothing on so many instances contradicts the claim."""
    return Outcome(holds=True, result=result, instances=instances)


def failed(
    result: str, instances: int, counterexample: Instance | None = None
) -> Outcome:
    """Return the outcome that the claim fails, after so many instances."""
    return Outcome(
        holds=False, result=result, instances=instances, counterexample=counterexample
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How to test claims: what to run, how much, with which seed.

    Parameters
    ----------
    methods
        For ksubset, by name; what is put in the place of a registered method is
        judged by the bound of that method.
    others
        Those of the other problems, by problem and name.
    exact
        The method that proves optima.
    search
        An exact method that uses no optimal towns, to test these.
    seed
        Of all sampled instances.
    quick
        Fewer and smaller instances.
    time_limit
        Seconds for one run of a method; an optimum not proved by then is no
        evidence and stops the claim.
    relied
        What was derived again of the answers that a claim asked for, by digest of the
        instance, but for optima known already; whoever tests a claim empties it before.
    """

    methods: Mapping[str, Run] = field(default_factory=lambda: KSUBSET)
    others: Mapping[str, Mapping[str, RunOn[Any]]] = field(
        default_factory=lambda: METHODS
    )
    exact: str = "auto"
    search: str = "cuts-bb"
    seed: int = 0
    quick: bool = False
    time_limit: float = 60.0
    _optima: dict[tuple[str, KSubset], int] = field(default_factory=dict, repr=False)
    _again: dict[str, Rederived] = field(default_factory=dict, repr=False)
    relied: dict[str, Rederived] = field(default_factory=dict, repr=False)

    def run(self, method: str, instance: Instance, ties: Ties = Ties.LEX) -> Result:
        """Run a method and return its result, whose choice and cost are true.

        Raises
        ------
        Undecided
            When it finds nothing.
        Untrue
            When its choice is not valid or its objective is not its cost.
        InputError
            When it does not take this instance.
        """
        run = self._run_of(method, instance)
        settings = Settings(time_limit=self.time_limit, seed=self.seed, ties=ties)
        result: Result = run(instance, settings)
        if result.chosen is None:
            raise Undecided(f"{method} found nothing on {instance.name} in time")
        wrong = check(instance, result.chosen)
        if not wrong and result.objective != (paid := cost(instance, result.chosen)):
            wrong = [f"says {result.objective}, but the choice costs {paid}"]
        if wrong:
            raise UntrueAnswer(
                f"{method} on {instance.name}: {'; '.join(wrong)}", instance
            )
        return result

    def pay(self, method: str, instance: KSubset, ties: Ties = Ties.LEX) -> int:
        """Run a method and return what its choice costs, by the definition.

        Raises
        ------
        Undecided
            When it finds nothing, or was stopped before its end.
        Untrue
            When its choice is not valid or its objective is not its cost.
        InputError
            When it does not take this instance.
        """
        result = self.run(method, instance, ties)
        if result.limit is not None:
            limit = f"its limit of {result.limit.value}"
            raise Undecided(f"{method} was stopped on {instance.name} by {limit}")
        assert isinstance(result.objective, int)
        return result.objective

    def least(
        self, instance: Instance, method: str, *, enumerated: bool = False
    ) -> tuple[Value, tuple[int, ...]]:
        """Return the optimum of an instance of any problem, and a choice that has it.

        Where all choices are enumerated, too, quick trials derive only drawn optima
        again, 1 in 4.

        Raises
        ------
        Undecided
            When it is not proved within the time limit.
        Untrue
            When the choice that comes with it does not have this cost.
        """
        result = self.run(method, instance)
        if result.status is not Status.OPTIMAL:
            raise Undecided(
                f"{method} did not prove the optimum of {instance.name} "
                f"within {self.time_limit:g} s"
            )
        assert result.objective is not None
        assert result.chosen is not None
        if rederivable(result):
            drawn = f"{self.seed} {method} {sha256(instance)}"
            if not (self.quick and enumerated) or Random(drawn).randrange(4) == 0:
                self._rederive(method, instance, result, drawn)
        return result.objective, result.chosen

    def _rederive(
        self, method: str, instance: Instance, result: Result, drawn: str
    ) -> None:
        """Derive an optimum again that a search has enumerated, once an instance.

        1 in 20 for each method is also found by the source of the kernels, by what
        ``drawn`` lists: seed, method, digest. Raises `UntrueAnswer` if it is wrong.
        """
        seconds = seconds_for(result.seconds)
        digest = drawn.rpartition(" ")[2]

        def again() -> Rederived:
            return rederive(instance, method, result, seconds)

        def by_source() -> Rederived:
            answer = result.objective, result.bound, result.status.value
            settings = Settings(time_limit=seconds, seed=self.seed)
            run = self._run_of(method, instance)
            return interpret(run, instance, method, answer, settings)

        ways = {f"{digest} {result.objective}": again}
        small = support_of(instance).features(instance).n <= MOST_INTERPRETED
        if small and is_drawn(drawn):
            ways[f"{digest} {result.objective} {method}"] = by_source
        for key, way in ways.items():
            if key not in self._again:
                self._again[key] = way()
            one = self.relied[key] = self._again[key]
            if one.wrong:
                raise UntrueAnswer(f"{instance.name}: {one.wrong}", instance)

    def _run_of(self, method: str, instance: Instance) -> RunOn[Any]:
        tables: Mapping[str, Mapping[str, RunOn[Any]]]
        tables = {**self.others, "ksubset": self.methods}
        return tables[problem_of(instance).name][method]

    def optimum(self, instance: KSubset, method: str = "") -> int:
        """Return the least cost, proved by the exact route.

        Raises
        ------
        Undecided
            When it is not proved within the time limit.
        Untrue
            When the choice that comes with it does not have this cost.
        """
        key = method or self.exact, instance
        if key not in self._optima:
            least, _ = self.least(instance, key[0])
            assert isinstance(least, int)
            self._optima[key] = least
        return self._optima[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement, and a test that could refute it.

    Parameters
    ----------
    name
        Lower case with hyphens.
    statement
        What is claimed, in one sentence.
    source
        Who claims or proves it, with the number of the theorem.
    tested
        How: exhaustively over what, or sampled from what.
    test
        Does it.
    """

    name: str
    statement: str
    source: str
    tested: str
    test: Callable[[Trial], Outcome]
