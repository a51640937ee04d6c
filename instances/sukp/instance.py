"""Set-union knapsack: items of most profit whose elements together fit.

All problems are minimisations, so the cost of a choice is the profit of the items left
out, as in Drakenberg's Theorem 1.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..errors import InputError
from ..extended import Extended
from ..reading.fields import refuse_others
from ..value import LARGEST


@dataclass(frozen=True, slots=True, repr=False)
class Sukp(Extended):
    """Items with profits, the elements they need, and the weights of these.

    Parameters
    ----------
    name
        Unique among the instances of a report.
    profits
        Profits of the items, non-negative.
    weights
        Weights of the elements, non-negative.
    items
        For each item the indices of its elements, possibly none; sorted on
        construction.
    capacity
        Maximal weight of the union of the elements of all chosen items.
    source
        Description of its origin.
    seed
        Seed of its generator; None if it was not generated.
    required
        Indices of items that every choice must contain; sorted on construction. If
        they do not fit, there is no choice.

    Raises
    ------
    InputError
        If numbers are negative or overflow, or elements or required items do not exist
        or are repeated.
    """

    name: str
    profits: tuple[int, ...]
    weights: tuple[int, ...]
    items: tuple[tuple[int, ...], ...]
    capacity: int
    source: str = ""
    seed: int | None = None
    required: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(tuple(sorted(e)) for e in self.items))
        if not self.profits:
            raise InputError("must not be empty", "items")
        if len(self.items) != len(self.profits):
            raise InputError(
                f"must have one entry per profit ({len(self.profits)})",
                "items",
                len(self.items),
            )
        for field, numbers in (("profits", self.profits), ("weights", self.weights)):
            for i, number in enumerate(numbers):
                if number < 0:
                    raise InputError("must not be negative", f"{field}[{i}]", number)
            if sum(numbers) >= LARGEST:
                raise InputError("sum up to 2^62 or more", field)
        if not 0 <= self.capacity < LARGEST:
            raise InputError(
                "must be at least 0 and below 2^62", "capacity", self.capacity
            )
        for i, elements in enumerate(self.items):
            if len(set(elements)) < len(elements):
                raise InputError("an element is listed twice", f"items[{i}]")
            for e in elements:
                if not 0 <= e < len(self.weights):
                    raise InputError("no such element", f"items[{i}]", e)
        refuse_others(self.required, range(self.n), "required", unless="no such item")
        object.__setattr__(self, "required", tuple(sorted(self.required)))

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.items)


def weight(instance: Sukp, chosen: Collection[int]) -> int:
    """Weight of all elements that the chosen items need, each counted once."""
    union = {e for i in chosen for e in instance.items[i]}
    return sum(instance.weights[e] for e in union)


def profit(instance: Sukp, chosen: Collection[int]) -> int:
    """Profit of the chosen items."""
    return sum(instance.profits[i] for i in chosen)


def check(instance: Sukp, chosen: Collection[int]) -> list[str]:
    """List the errors of a choice of items, by index.

    >>> two = Sukp("two", (5, 4), (3, 3, 3), ((0, 1), (1, 2)), 6)
    >>> check(two, [0]), check(two, [0, 1])
    ([], ['weighs 9, more than the capacity of 6'])
    """
    wrong = [f"no item {i}" for i in chosen if not 0 <= i < instance.n]
    if wrong:
        return wrong
    if len(set(chosen)) < len(chosen):
        wrong.append("an item is chosen twice")
    if (heavy := weight(instance, chosen)) > instance.capacity:
        wrong.append(f"weighs {heavy}, more than the capacity of {instance.capacity}")
    lacking = sorted(set(instance.required) - set(chosen))
    wrong += [f"required item {i} is not chosen" for i in lacking]
    return wrong


def cost(instance: Sukp, chosen: Collection[int]) -> int:
    """Profit of the items left out, from the definition.

    >>> cost(Sukp("two", (5, 4), (3, 3, 3), ((0, 1), (1, 2)), 6), [0])
    4
    """
    picked = set(chosen)
    return sum(p for i, p in enumerate(instance.profits) if i not in picked)


def unsolvable(instance: Sukp) -> str | None:
    """Return why there is no valid choice, or None if there is one.

    >>> unsolvable(Sukp("two", (5, 4), (3, 3, 3), ((0, 1), (1, 2)), 6, required=(0, 1)))
    'the required items weigh 9, more than the capacity of 6'
    """
    heavy, most = weight(instance, instance.required), instance.capacity
    if heavy <= most:
        return None
    return f"the required items weigh {heavy}, more than the capacity of {most}"
