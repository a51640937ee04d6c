"""One search for a bad instance: laid out, run, and what it finds proved again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...instances import Topology
from ...methods import KSUBSET
from ...solvers import Settings, SolverError
from ...solvers.interrupt import deferred
from .annealing import Report, anneal
from .exhaustive import UNASKED, exhaust
from .found import Found, Hunt
from .ground import Sites


def most_free(topology: Topology, k: int, *, exhaustive: bool = False) -> int:
    """Return how many processors of a network are free at most, if that is left open.

    All of a small network, or of one that is searched exhaustively; else 2k + 4.
    """
    places = sum(1 for _ in topology.locations())
    every = exhaustive or places <= UNASKED
    return places if every else min(2 * k + 4, places)


def searched(
    hunt: Hunt,
    starts: Sequence[Sites] = (),
    *,
    exhaustive: bool = False,
    report: Report | None = None,
) -> Found | None:
    """Search until the budget ends, or Ctrl-C: exhaustively where that is quick.

    Parameters
    ----------
    hunt
        What to search, and for how long.
    starts
        Sets of free processors to begin with.
    exhaustive
        Search all sets of free processors, also of a network that is not small.
    report
        Called with every improvement.
    """
    with deferred() as pressed:
        hunt = replace(hunt, stop=pressed)
        ground = hunt.ground
        tiny = not (ground.points or starts) and len(ground.places) <= UNASKED
        if exhaustive or tiny:
            return exhaust(hunt)
        return anneal(hunt, starts, report)


def proved_again(hunt: Hunt, found: Found) -> Found:
    """Prove cost and optimum of the answer once more, by the registered methods.

    Raises
    ------
    SolverError
        When they contradict the search.
    """
    exact = KSUBSET["auto"](found.instance, Settings())
    paid = hunt.pay(found.instance)
    if exact.bound != found.optimum or paid != found.cost:
        raise SolverError(
            f"{found.instance.name}: the search gives {found.cost} against "
            f"{found.optimum}, the methods {paid} against {exact.objective}."
        )
    return found
