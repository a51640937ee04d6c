"""Families of set-union knapsacks, see `instances.families`."""

from __future__ import annotations

from .. import option_values as read
from ..families import SEEDED, Family, optional, required_parameter
from .generators import random_sukp

FAMILIES = (
    Family(
        "sukp",
        "sukp",
        "a random set-union knapsack",
        random_sukp,
        (
            required_parameter("items", "number of items"),
            required_parameter("elements", "number of elements"),
            optional(
                "density",
                "0.1",
                "probability that an item needs an element",
                read=read.fraction,
                metavar="D",
            ),
            optional(
                "ratio",
                "0.75",
                "capacity divided by the weight of all elements",
                read=read.fraction,
                metavar="R",
            ),
            *SEEDED,
        ),
        ("--items 20 --elements 20", "--items 20 --elements 20 --ratio 0.5 --seed 1"),
    ),
)
"""Generated set-union knapsacks."""
