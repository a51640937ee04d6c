"""The library-independent part of the models of processor sets.

Variables are numbered: first one for each class of like processors, 1 if any of it
is taken, then one for each shared set, 1 if it is touched.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...instances import InputError, ProcSet
from .set_classes import Cost, Radix, SetClasses, classes_of, fits, radix_of

Terms = list[tuple[int, int]]
"""Numbers of variables, and their positive coefficients."""


class ProcsetTerms:
    """Classes, and the terms of every level of the cost in n variables."""

    def __init__(self, instance: ProcSet) -> None:
        self.instance = instance
        self.grouped: SetClasses = classes_of(instance)
        self._prices: tuple[Cost, ...] = (*self.grouped.private, *self.grouped.shared)
        self.n = len(self._prices)
        self.radix: Radix = radix_of(self._prices, instance.levels)

    @property
    def implications(self) -> list[tuple[int, int]]:
        """Pairs of variables: if the first is 1, so is the second."""
        first = len(self.grouped.members)
        return [
            (k, first + s) for k, opens in enumerate(self.grouped.opens) for s in opens
        ]

    def level(self, number: int) -> Terms:
        """Terms of one level, in its units."""
        unit = self.radix.units[number]
        return [
            (i, price[number] // unit)
            for i, price in enumerate(self._prices)
            if price[number]
        ]

    def fold(self, bits: int = 62) -> Terms:
        """Terms of all levels folded into one, see `Radix`.

        Raises
        ------
        InputError
            If their sum can reach 2^bits.
        """
        if not fits(self._prices, self.radix, bits):
            raise InputError(
                f"{self.instance.name}: its levels do not fit into one objective of "
                f"{bits} bits; minimise the levels one by one",
                "cost",
            )
        folded = enumerate(map(self.radix.fold, self._prices))
        return [(i, weight) for i, weight in folded if weight]

    def values(self, chosen: Collection[int]) -> list[int]:
        """Values of all variables under a choice of processors."""
        picked = set(chosen)
        values = [int(not picked.isdisjoint(m)) for m in self.grouped.members]
        touched = [0] * len(self.grouped.shared)
        for taken, opens in zip(values, self.grouped.opens, strict=True):
            for s in opens if taken else ():
                touched[s] = 1
        return values + touched

    def decode(self, values: Sequence[int]) -> tuple[int, ...]:
        """Return exactly ``request`` processors of the classes with value 1."""
        return self.grouped.pick([k for k, value in enumerate(values) if value])
