"""The arrays on which the kernels of the dynamic program work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
FAR = 2**62
"""Above every folded cost."""
MOST_BITS = 60
"""Shared sets in progress at once, at most: each has a bit of an int64."""
DONE, FULL, BUSY = 0, 1, 2
"""Why `sweep` came back: at the end, its pool is full, its work is used up."""
CAREFUL = 2**60
"""No sum of folded costs, and no worth of all units, passes this while bounding."""


class Static(NamedTuple):
    """A machine, prepared: classes of processors in the order of the program."""

    home: Ints  # of each processor: its class
    first: Ints  # processors of class c: members[first[c]:first[c + 1]], ascending
    members: Ints
    begin: Ints  # sets of class c: sets[begin[c]:begin[c + 1]]
    sets: Ints
    base: Ints  # of each word and set: the folded cost
    ahead: Ints  # of each word and set: what each available member adds


class Plan(NamedTuple):
    """What is available: classes in order, and the sets they share."""

    which: Ints  # of each class: its number in the machine
    size: Ints  # of each class: available processors, in units
    private: Ints  # of each word and class: the cost of its private sets
    begin: Ints  # shared sets of class k: shared[begin[k]:begin[k + 1]]
    shared: Ints
    price: Ints  # of each word and shared set: its cost
    bit: Ints  # of each shared set: its bit in masks, or -1 if there are too many
    mine: Ints  # of each class: bits of its shared sets
    over: Ints  # of each class: bits of those that end with it
    unit: int  # greatest common divisor of all sizes, in processors
    bits: int  # bits in use at once, at most, those of sets that just end included
    width: int  # most shared sets in progress between two classes


class Layers(NamedTuple):
    """Entries: sets of shared sets in progress that may be open before a class."""

    begin: Ints  # entries before class k: begin[k] to begin[k + 1]
    mask: Ints  # of each entry: bits of the open sets
    skip: Ints  # of each entry: the entry of the next layer if the class is skipped
    take: Ints  # and if it is taken
    cost: Ints  # of each word and entry: what taking the class costs


class Arcs(NamedTuple):
    """What the steps from an entry cost in a sweep; see `reduce_costs`.

    The last step, from t units, costs ``cost - value - worth (need - t)``, times the
    scale and plus the second word, where it is no more than the gap.
    """

    stay: Ints  # of each entry: what skipping the class costs
    go: Ints  # and taking it
    value: Ints
    worth: int
    need: int
    gap: int
    scale: int
    most: int  # above it, sums are of no interest; FAR if all are


class Tables(NamedTuple):
    """Least costs by entry and number of processors, as far as they are kept.

    ``pool[at[e] + t - low[e]]``, a cost in words, is that of entry e and t units,
    low[e] <= t <= high[e]. ``least`` is the least cost of all that reaches the request,
    ``place`` the class, entry and units from which it does, and the cost there;
    ``state`` the next class and the pool's use.
    """

    pool: Ints
    at: Ints
    low: Ints
    high: Ints
    least: Ints
    place: Ints
    state: Ints
