"""What methods are held to, whatever the problem: its instances, and their optima."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any

from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

from closeknit.instances import Instance, Value, check, cost, problem_of
from closeknit.instances.support import support_of
from closeknit.instances.value import as_tuple
from closeknit.methods import METHODS, PROCSET, SUBMESH, SUKP
from closeknit.network.claims.contention import draw_contention
from closeknit.network.contention.instance import Contention
from closeknit.solvers import Result, Settings, Status
from closeknit.solvers.running.method import AnyMethod

from ..oracles import cheapest, cheapest_placement, least_left_out
from ..strategies import procsets, submeshes, sukps


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A problem as the tests see it.

    Parameters
    ----------
    methods
        By name.
    instances
        Small enough to enumerate.
    optimum
        By looking at everything; None if there is no solution.
    few
        Examples for methods that run a solver, each in a process of its own.
    mixed
        Methods that search themselves, and hand what is left to a solver.
    always
        Whether every method finds a solution to every instance drawn.
    heuristics
        Settings of methods that are not exact.
    """

    methods: Mapping[str, AnyMethod]
    instances: st.SearchStrategy[Any]
    optimum: Callable[[Any], Value | None]
    few: int = 4
    mixed: tuple[str, ...] = ("auto",)
    always: bool = True
    heuristics: dict[str, Any] = field(default_factory=dict)

    @property
    def exact(self) -> list[str]:
        """Names of the methods that prove optimality."""
        return [name for name, method in self.methods.items() if method.exact]

    def least(self, instance: Any) -> Value | None:
        """Return the optimum, None if there is no solution."""
        short = problem_of(instance).unsolvable(instance)
        return None if short else self.optimum(instance)

    def examples(self, name: str, many: int) -> settings:
        """Settings of Hypothesis for a method."""
        solver = self.methods[name].runs_solver
        return settings(
            max_examples=self.few if solver else many,
            deadline=None,
            derandomize=solver,
            suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
            database=None,
        )

    def accepts(self, name: str, instance: Any) -> bool:
        """Whether a method takes an instance."""
        return not self.methods[name].refusal(instance)

    def run(self, name: str, instance: Any, **how: Any) -> Result:
        """Run a method where it may be run."""
        assume(self.accepts(name, instance))
        method = self.methods[name]
        own = {} if method.exact else self.heuristics
        return method(instance, Settings(**{**own, **how}))

    def hold(self, instance: Instance, result: Result) -> Value | None:
        """Assert that a result is what its definition says it is, and true.

        Returns the optimum, None if there is no solution.
        """
        least = self.least(instance)
        if result.status is Status.INFEASIBLE:
            assert least is None
            return None
        if result.chosen is not None:
            assert least is not None
            assert check(instance, result.chosen) == []
            chosen = support_of(instance).canonical(result.chosen)
            assert tuple(chosen) == tuple(result.chosen)
            assert result.objective == cost(instance, result.chosen)
            assert as_tuple(result.objective) >= as_tuple(least)
        if result.bound is not None and least is not None:
            assert as_tuple(result.bound) <= as_tuple(least)
        return least


def contentions() -> st.SearchStrategy[Contention]:
    """Small networks with drawn links, routings and patterns."""
    return st.integers(0, 2**32).map(lambda seed: draw_contention(Random(seed)))


def least_of_all(instance: Contention) -> Value:
    """Price every choice from the definition."""
    choices = combinations(range(instance.n), instance.k)
    return min((cost(instance, some) for some in choices), key=as_tuple)


SUBJECTS = {
    "contention": Subject(
        methods=METHODS["contention"],
        instances=contentions(),
        optimum=least_of_all,
        mixed=("auto", "decisions"),
    ),
    "procset": Subject(methods=PROCSET, instances=procsets(), optimum=cheapest),
    "sukp": Subject(
        methods=SUKP,
        instances=sukps(),
        optimum=least_left_out,
        heuristics={"node_limit": 2000},
    ),
    "submesh": Subject(
        methods=SUBMESH,
        instances=submeshes(),
        optimum=cheapest_placement,
        few=6,
        mixed=("migrate", "auto"),
        always=False,
    ),
}
