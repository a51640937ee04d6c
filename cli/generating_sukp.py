"""Families of set-union knapsacks for ``closeknit generate``."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING

from . import reading
from .family_options import family, needed, seeded

if TYPE_CHECKING:
    from ..instances import Sukp
    from .family_options import Families


def add(families: Families) -> None:
    """Add the families."""
    drawn = family(families, "sukp", "a random set-union knapsack", _sukp)
    needed(drawn, "--items")
    needed(drawn, "--elements")
    drawn.add_argument(
        "--density",
        type=reading.fraction,
        default=Fraction(1, 10),
        metavar="D",
        help="probability of an item to need an element (default 0.1)",
    )
    drawn.add_argument(
        "--ratio",
        type=reading.fraction,
        default=Fraction(3, 4),
        metavar="R",
        help="capacity by the weight of all elements (default 0.75)",
    )
    seeded(drawn)


def _sukp(args: argparse.Namespace, seed: int) -> Sukp:
    from ..instances.sukp.generators import random_sukp

    return random_sukp(args.items, args.elements, args.density, args.ratio, seed)
