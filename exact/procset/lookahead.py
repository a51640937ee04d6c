"""Lookahead: open sets with few free processors, to keep the others whole.

Among choices that open equally few line cards, the one that uses cards which are nearly
full serves the next job best. So one more level is inserted below the first ``after``
ones: there, opening a set that costs something at these levels costs the number of its
available processors. The first ``after`` levels remain optimal.
"""

from __future__ import annotations

from dataclasses import replace

from ...instances import ProcessorSet, ProcSet
from ...solvers import DEFAULT, Result, Settings, answer
from ...solvers.running import clock
from .frontier_dp.method import frontier_dp
from .incremental_selector import refuse_lookahead

AFTER = 1
"""Default number of levels above the inserted one."""


def lookahead(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
    """Open fewest sets, preferring those with few available processors.

    Guarantee: the first level is optimal; none for those below.
    Time: as frontier-dp.
    Ties: as the lower levels and frontier-dp decide.
    Source: derived for closeknit, see docs/science/procset.md.

    Raises
    ------
    InputError
        If too many sets are in progress at once for frontier-dp.
    """
    start = clock.now()
    found = frontier_dp(lookahead_instance(instance, AFTER), settings)
    return answer(instance, found.chosen, start=start, limit=found.limit)


def lookahead_instance(instance: ProcSet, after: int = AFTER) -> ProcSet:
    """Insert a level that counts the available processors of the sets opened.

    Parameters
    ----------
    after
        Number of levels above it. Sets that cost nothing at these are not counted.

    Raises
    ------
    InputError
        If there are fewer levels than ``after``, or ``after`` is below 1.

    Examples
    --------
    >>> rack = ProcessorSet("rack", (0, 1, 2), (1, 0))
    >>> host = ProcessorSet("host", (0,), (0, 2))
    >>> names = ("a", "b", "c")
    >>> longer = lookahead_instance(ProcSet("one", names, (0, 1), 1, (rack, host)))
    >>> [one.cost for one in longer.sets]
    [(1, 2, 0), (0, 0, 2)]
    """
    refuse_lookahead(after, instance.levels)
    available = set(instance.available)

    def longer(one: ProcessorSet) -> ProcessorSet:
        top, below = one.cost[:after], one.cost[after:]
        free = len(available.intersection(one.members)) if any(top) else 0
        return replace(one, cost=(*top, free, *below))

    return replace(
        instance,
        name=f"{instance.name}-lookahead{after}",
        sets=tuple(map(longer, instance.sets)),
    )
