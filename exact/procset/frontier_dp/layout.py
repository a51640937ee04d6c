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
    """A machine, prepared: classes of processors in the order of the program.

    Parameters
    ----------
    home
        Of each processor: its class.
    first, members
        Processors of class c: ``members[first[c]:first[c + 1]]``, ascending.
    begin, sets
        Sets of class c: ``sets[begin[c]:begin[c + 1]]``.
    base
        Of each word and set: the folded cost.
    ahead
        Of each word and set: what it costs more for each available member.
    """

    home: Ints
    first: Ints
    members: Ints
    begin: Ints
    sets: Ints
    base: Ints
    ahead: Ints


class Plan(NamedTuple):
    """What is available: classes in order, and the sets they share.

    Parameters
    ----------
    which
        Of each class: its number in the machine.
    size
        Of each class: available processors, in units of ``unit``.
    private
        Of each word and class: the cost of its private sets.
    begin, shared
        Shared sets of class k: ``shared[begin[k]:begin[k + 1]]``.
    price
        Of each word and shared set: its cost.
    bit
        Of each shared set: its bit in masks, or -1 if there are too many.
    mine, over
        Of each class: bits of its shared sets, and of those that end with it.
    unit
        Greatest common divisor of all sizes, in processors.
    bits
        Bits in use at once, at most: sets in progress, those that just end included.
    width
        Most shared sets in progress between two classes.
    """

    which: Ints
    size: Ints
    private: Ints
    begin: Ints
    shared: Ints
    price: Ints
    bit: Ints
    mine: Ints
    over: Ints
    unit: int
    bits: int
    width: int


class Layers(NamedTuple):
    """Entries: sets of shared sets in progress that may be open before a class.

    Parameters
    ----------
    begin
        Entries before class k: ``begin[k]`` to ``begin[k + 1]``.
    mask
        Of each entry: bits of the open sets.
    skip, take
        Of each entry: the entry of the next layer.
    cost
        Of each word and entry: what taking the class costs.
    """

    begin: Ints
    mask: Ints
    skip: Ints
    take: Ints
    cost: Ints


class Arcs(NamedTuple):
    """What the steps from an entry cost in a sweep; see `reduced`.

    Parameters
    ----------
    stay, go
        Of each entry: what skipping and taking the class costs.
    value, worth, need
        The last step, from t units, costs ``cost - value - worth (need - t)``,
    gap
        where it is no more than this,
    scale
        times this, and the second word.
    most
        Above it, sums are of no interest; FAR if all are.
    """

    stay: Ints
    go: Ints
    value: Ints
    worth: int
    need: int
    gap: int
    scale: int
    most: int


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
