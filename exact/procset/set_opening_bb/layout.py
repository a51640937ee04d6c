"""The arrays on which the kernels of the branch and bound over sets work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
CLOSED, OPEN, UNDECIDED = 0, 1, 2
"""What has been decided about a set."""
ALIVE, DEPTH, NODES, TRAIL, FRESH, MATRICES, TABLES = range(7)
"""What ``SearchState.tally`` counts; FRESH: the present node has not been looked at."""
SPENT, BEST = 0, 1
"""``SearchState.money``: cost of the open sets, cost of the best solution."""


class OpeningRules(NamedTuple):
    """Rules that can be switched off to measure their worth; the answer is the same."""

    shapes: bool = True
    """Search for each number of sets per family apart, cheapest first."""
    reach: bool = True
    """Bound what a set can give, counting the sets of the other families."""
    density: bool = True
    """Bound the cost by what each processor pays at least."""
    matrix: bool = True
    """Settle two families by going through the sets of one."""
    table: bool = True
    """Settle one family by a knapsack."""


class System(NamedTuple):
    """Classes and shared sets; lists of lists as starts and entries.

    The sets of class k are ``class_set[class_at[k]:class_at[k + 1]]``; so for the
    classes of a set. Sets are in order of family, then cost;
    those of family g start at ``family_at[g]``. ``even``: all sets of a family cost
    the same, and there are no private costs. ``bulk`` of a class is the size of all
    classes in the same shared sets. ``scale`` multiplies costs before they are divided;
    ``far`` exceeds the cost of everything.
    """

    request: int
    families: int
    class_at: Ints
    class_set: Ints
    set_at: Ints
    set_class: Ints
    size: Ints
    bulk: Ints
    private: Ints
    has_private: bool
    cost: Ints
    family: Ints
    family_at: Ints
    even: bool
    scale: int
    far: int
    rules: OpeningRules


class SearchState(NamedTuple):
    """The state of a search that can be stopped and resumed.

    ``status`` of each set; ``order`` of the classes, and the ``place`` of each in it;
    ``tally`` and ``money``, see their indices; ``trail`` of decided sets. For each
    depth: ``frame``, the set branched on, whether its second branch has begun, trail
    and living classes before; and ``floor``, a bound. For each family: how many sets
    are ``opened``, the ``limit`` on them, ``exact``, how many are demanded at least,
    how many are ``left`` to open; ``rank``, the order in which families are gone
    through, and at its end whether one is finished before the next. Of each set:
    whether ``best``, the best solution, has it open; ``cap``, what could be taken
    from it; ``reach``, see `reaches_request`. ``score`` and ``pair`` are scratch.
    """

    status: Ints
    order: Ints
    place: Ints
    tally: Ints
    money: Ints
    trail: Ints
    frame: Ints
    floor: Ints
    opened: Ints
    limit: Ints
    exact: Ints
    rank: Ints
    best: Ints
    cap: Ints
    reach: Ints
    score: Ints
    pair: Ints
    left: Ints
