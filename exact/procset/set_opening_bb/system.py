"""Classes and shared sets as the kernels of ``set_opening_bb`` take them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, TypeVar

import numpy as np

from ....formulations.procset.set_classes import Radix, SetClasses, fits, radix_of
from ....heuristics.procset.layout import concatenate
from ....solvers.running.kernels import interpreted
from . import layout
from .layout import OpeningRules

_MOST_FAMILIES_COUNTED = 6
"""Number of families up to which the rule ``reach``, which examines pairs of families,
pays off."""
_SCALE_BITS = 24

Lists = Sequence[Sequence[int]]
Result = TypeVar("Result")


class SystemLayout:
    """An instance as the kernels take it: sets sorted by family, then by cost.

    If all costs together fit into int64 the instance is ``narrow``. Otherwise the
    kernels are not compiled but interpreted, for integers of any size; ``number`` is
    the type of the numpy arrays that hold costs.
    """

    def __init__(self, classes: SetClasses, rules: OpeningRules) -> None:
        every = (*classes.private, *classes.shared)
        self.radix: Radix = radix_of(every, classes.levels)
        self.narrow = narrow = fits(every, self.radix, 61)
        self.number: Any = np.int64 if narrow else object
        cost = [self.radix.fold(c) for c in classes.shared]
        private = [self.radix.fold(c) for c in classes.private]
        family = families_of(classes)
        order = sorted(range(len(cost)), key=lambda j: (family[j], cost[j], j))
        position = {j: at for at, j in enumerate(order)}
        opens = [sorted(position[j] for j in sets) for sets in classes.opens]
        inside: list[list[int]] = [[] for _ in order]
        for k, sets in enumerate(opens):
            for j in sets:
                inside[j].append(k)
        cost = [cost[j] for j in order]
        family = [family[j] for j in order]
        families = max(family, default=-1) + 1
        if families > _MOST_FAMILIES_COUNTED:
            rules = rules._replace(reach=False)
        bulk: Counter[tuple[int, ...]] = Counter()
        for sets, size in zip(opens, classes.sizes, strict=True):
            bulk[tuple(sets)] += size
        far = sum(cost) + sum(private) + 1
        spare = 62 - (far * (classes.request + 1)).bit_length()
        class_at, class_set = concatenate(opens)
        set_at, set_class = concatenate(inside)
        self.system = layout.System(
            request=classes.request,
            families=families,
            class_at=class_at,
            class_set=class_set,
            set_at=set_at,
            set_class=set_class,
            size=np.array(classes.sizes, self.number),
            bulk=np.array([bulk[tuple(sets)] for sets in opens], self.number),
            private=np.array(private, self.number),
            has_private=any(private),
            cost=np.array(cost, self.number),
            family=np.array(family, np.int64),
            family_at=np.searchsorted(family, np.arange(families + 1)),
            even=not any(private)
            and len({*zip(family, cost, strict=True)}) == families,
            scale=2 ** (min(max(spare, 0), _SCALE_BITS) if narrow else _SCALE_BITS),
            far=far,
            rules=layout.OpeningRules(*rules),
        )

    def run(self, function: Callable[..., Result], *args: Any) -> Result:
        """Run a kernel on integers as wide as this instance requires."""
        with nullcontext() if self.narrow else interpreted():
            return function(*args)

    def state(self) -> Any:
        """Return the initial state of a search."""
        system = self.system
        n, sets, families = len(system.size), len(system.cost), system.families
        wide = max(n, sets, families) + 1
        return layout.SearchState(
            status=np.full(sets, layout.UNDECIDED, np.int64),
            order=np.arange(n),
            place=np.arange(n),
            tally=np.array([n, 0, 0, 0, 1, 0, 0]),
            money=np.array([0, system.far], self.number),
            trail=np.zeros(sets + 1, np.int64),
            frame=np.zeros((sets + 1, 4), np.int64),
            floor=np.zeros(sets + 1, self.number),
            opened=np.zeros(families + 1, self.number),
            limit=np.full(families + 1, sets, self.number),
            exact=np.zeros(families + 1, self.number),
            rank=np.array([*range(families), 0]),
            best=np.ones(sets, np.int64),
            cap=np.zeros(wide, self.number),
            reach=np.zeros(sets + 1, self.number),
            score=np.zeros(wide, self.number),
            pair=np.zeros((sets + 1, sets + families + 1), self.number),
            left=np.zeros(families + 1, self.number),
        )


def families_of(classes: SetClasses) -> list[int]:
    """Partition shared sets into families of disjoint ones, greedily.

    Returns the family of each set. First fit, for three orders of the sets (as given,
    large ones first, by cost); the result with fewest families is kept.

    Running time: O(sets families classes / 64), and sorts.
    """
    held = [0] * len(classes.shared)
    for k, sets in enumerate(classes.opens):
        for j in sets:
            held[j] |= 1 << k
    names = range(len(held))
    best: list[int] = []
    for order in (
        names,
        sorted(names, key=lambda j: (-held[j].bit_count(), j)),
        sorted(names, key=lambda j: (classes.shared[j], j)),
    ):
        covered: list[int] = []
        family = [0] * len(held)
        for j in order:
            fit = (g for g, mask in enumerate(covered) if not mask & held[j])
            family[j] = g = next(fit, len(covered))
            if g == len(covered):
                covered.append(0)
            covered[g] |= held[j]
        if not best or max(family) < max(best):
            best = family
    return best
