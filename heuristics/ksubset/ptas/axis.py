"""One axis of an instance for the improved PTAS: its coordinates and cut vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....instances import IntArray
from .kernels import cut_vectors

MOST_CUTS = 2_000_000
"""Limit on the cut vectors of an axis."""


@dataclass
class Axis:
    """Distinct coordinates of an axis, and its cut vectors, the cheapest first."""

    place: IntArray  # for every free processor, the number of its coordinate
    value: IntArray  # distinct coordinates, counted from the one in the middle
    cuts: IntArray  # feasible cut vectors
    bounds: IntArray  # a lower bound on the cost of each

    @classmethod
    def of(cls, along: IntArray, sizes: IntArray, slope: IntArray) -> Axis:
        """List the cut vectors of one axis."""
        value, place, count = np.unique(along, return_inverse=True, return_counts=True)
        value -= value[len(value) // 2]
        before = np.concatenate([[0], np.cumsum(count)])
        cuts, bounds = cut_vectors(value, before, sizes, slope, MOST_CUTS)
        order = np.argsort(bounds, kind="stable")
        return cls(place.astype(np.int64), value, cuts[order], bounds[order])
