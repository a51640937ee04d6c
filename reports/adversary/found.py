"""The task of a search for bad instances, and its result."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from threading import Event

from ...instances import InputError, KSubset
from ...solvers import Settings, clock
from ...solvers.method import Method
from .ground import Ground


@dataclass(frozen=True, kw_only=True)
class Hunt:
    """Which method is tested, on which instances, and for how long.

    Parameters
    ----------
    method
        A heuristic.
    ground
        The instances.
    settings
        With which the method is run, but for the seed: that is of the search. Methods
        that draw are run with seed 0, so that what they pay can be looked up again.
    seconds, evaluations
        When to stop: wall-clock time, and instances on which the method is run.
    stop
        Set from outside to end the search.

    Raises
    ------
    InputError
        For an exact method, or one that does not take these instances.
    """

    method: Method[KSubset]
    ground: Ground
    settings: Settings
    seconds: float = inf
    evaluations: float = inf
    stop: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        name = self.method.name
        if self.method.exact:
            raise InputError(
                f"{name} is exact: its ratio is 1 on every instance", field="METHOD"
            )
        if self.method.refuses and (why := self.method.refuses(self.sample())):
            raise InputError(why, field=name)

    def sample(self) -> KSubset:
        """Return one of the instances."""
        most = min(self.ground.most, len(self.ground.places))
        sites = self.ground.places[:most]
        return self.ground.instance(sites + sites[-1:] * (self.ground.most - most))

    def pay(self, instance: KSubset) -> int | None:
        """Run the method; None when it finds nothing."""
        result = self.method.function(instance, replace(self.settings, seed=0))
        return result.objective if isinstance(result.objective, int) else None


@dataclass(frozen=True, kw_only=True)
class Found:
    """A bad instance.

    Parameters
    ----------
    instance
        The worst met.
    cost, optimum
        What the method pays, and the least cost, which is proved.
    evaluations
        On how many instances the method was run.
    seconds
        Wall-clock time.
    how
        How it was found, for people.
    proved
        Whether all instances were looked at, so that none is worse.
    """

    instance: KSubset
    cost: int
    optimum: int
    evaluations: int
    seconds: float
    how: str
    proved: bool = False

    @property
    def ratio(self) -> Fraction:
        """Cost over optimum, exact."""
        return Fraction(self.cost, self.optimum)


@dataclass
class Watch:
    """Counts evaluations and checks the time limit."""

    hunt: Hunt
    begun: float = field(default_factory=clock.now)
    evaluations: int = 0

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return clock.now() - self.begun

    @property
    def over(self) -> bool:
        """Whether it is time to stop."""
        hunt = self.hunt
        return (
            hunt.stop.is_set()
            or self.evaluations >= hunt.evaluations
            or (self.evaluations % 16 == 0 and self.seconds > hunt.seconds)
        )
