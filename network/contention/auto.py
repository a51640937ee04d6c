"""The default exact route for the contention problem."""

from __future__ import annotations

from dataclasses import replace

from ...instances.value import as_tuple
from ...solvers import DEFAULT, Result, Settings, Status
from .decisions import decisions, refuses_decisions
from .instance import Contention
from .search import link_bb, link_dp, refuses_no_tree


def auto(instance: Contention, /, settings: Settings = DEFAULT) -> Result:
    """Choose the exact method that fits.

    On trees ``link-dp``; the busiest link with one way for each pair by ``decisions``,
    and what is left of the time by ``link-bb`` for the hops; all else by ``link-bb``.

    Guarantee: exact.
    Time: that of the methods.
    Ties: those of the methods.
    Source: derived for closeknit, see docs/papers/hops-or-seconds.md.
    """
    if refuses_no_tree(instance) is None:
        return link_dp(instance, settings)
    if _is_small(instance) or refuses_decisions(instance):
        return link_bb(instance, settings)
    found = decisions(instance, settings)
    left = settings.time_limit - found.seconds
    if found.status is Status.OPTIMAL or found.limit or left <= 0:
        return found
    rest = link_bb(instance, replace(settings, time_limit=left), first=found.chosen)
    if rest.status is Status.OPTIMAL:
        return replace(rest, seconds=found.seconds + rest.seconds)
    best = min(found, rest, key=lambda one: as_tuple(one.objective or 0))
    return replace(
        found,
        chosen=best.chosen,
        objective=best.objective,
        limit=rest.limit,
        seconds=found.seconds + rest.seconds,
    )


def method_soon(instance: Contention) -> str:
    """Return what chooses as `auto`, but waits for no proofs of hops, nor searches."""
    if refuses_no_tree(instance) is None or _is_small(instance):
        return "auto"
    return "anneal" if refuses_decisions(instance) else "decisions"


def _is_small(instance: Contention) -> bool:
    choices = 1
    for i in range(instance.k):
        choices = choices * (instance.n - i) // (i + 1)
        if choices > 20_000:
            return False
    return True
