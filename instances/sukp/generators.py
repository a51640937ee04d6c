"""Random set-union knapsacks, generated like those of the benchmark."""

from __future__ import annotations

import random
from fractions import Fraction

from ..errors import InputError
from ..reading.numbers import between, positive
from .instance import Sukp

LARGEST_NUMBER = 500
"""Largest profit and weight; the least is 1."""
MOST_NEEDS = 2**24
"""Maximal number of items, of elements, and of elements of all items together: no file
that is read has room for more."""
MOST_DRAWS = 2**30
"""Maximal number of items times elements; drawing them takes about a minute."""


def random_sukp(
    items: int, elements: int, density: Fraction, ratio: Fraction, seed: int
) -> Sukp:
    """Draw the elements of items, profits and weights at random.

    Parameters
    ----------
    items, elements
        Numbers of items and elements, at least 1 each.
    density
        Probability that an item needs an element, above 0 and at most 1. An item
        without elements gets a random one.
    ratio
        Capacity divided by the weight of all elements, from 0 to 1; rounded down.
    seed
        Random seed.

    Raises
    ------
    InputError
        If an argument is out of range.

    Notes
    -----
    Follows the description in He, Xie, Wong, Wang: A novel binary artificial bee
    colony algorithm for the set-union knapsack problem (2018): profits and weights
    are uniform integers from 1 to 500.

    Examples
    --------
    >>> one = random_sukp(20, 15, Fraction(1, 5), Fraction(3, 4), seed=1)
    >>> one.name, one.capacity == sum(one.weights) * 3 // 4
    ('sukp-20x15-density20pct-capacity75pct-s1', True)
    """
    positive(items=items, elements=elements)
    for field, count in (("items", items), ("elements", elements)):
        if count > MOST_NEEDS:
            raise InputError("must be at most 2^24", field, count)
    if items * elements > MOST_DRAWS:
        raise InputError("must be at most 2^30 divided by the elements", "items", items)
    if not 0 < density <= 1:
        raise InputError("must be above 0 and at most 1", "density", str(density))
    between(ratio, 0, 1, "ratio")
    draw = random.Random(seed)
    profits = tuple(draw.randint(1, LARGEST_NUMBER) for _ in range(items))
    weights = tuple(draw.randint(1, LARGEST_NUMBER) for _ in range(elements))
    needs: list[tuple[int, ...]] = []
    count = 0
    for _ in range(items):
        own = [e for e in range(elements) if draw.random() < density]
        needs.append(tuple(own or [draw.randrange(elements)]))
        count += len(needs[-1])
        if count > MOST_NEEDS:
            raise InputError("must need at most 2^24 elements in all", "items", items)
    return Sukp(
        name=f"sukp-{items}x{elements}-density{_percent(density)}"
        f"-capacity{_percent(ratio)}-s{seed}",
        profits=profits,
        weights=weights,
        items=tuple(needs),
        capacity=int(sum(weights) * ratio),
        source="random set-union knapsack",
        seed=seed,
    )


def _percent(share: Fraction) -> str:
    percent = 100 * share
    if percent.denominator == 1:
        return f"{percent.numerator}pct"
    return f"{percent.numerator}-{percent.denominator}pct"
