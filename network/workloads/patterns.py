"""Patterns of synthetic traffic: who sends to whom; Dally and Towles 2004, chapter 3.

``uniform`` draws every target; in the other patterns each processor has one partner,
and is silent if that is itself. Coordinates are those of meshes and tori; on other
networks processors count as a line.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt, prod

import numpy as np

from ...instances import InputError
from ...instances.reading.suggestions import entry_named
from ..cut_through.message_queue import Network
from ..messages import Ints
from .causal import power_of_two

UNIFORM = "uniform"


def partners(network: Network, pattern: str, seed: int = 0) -> Ints | None:
    """Return the processor to which each sends; None for ``uniform``.

    Parameters
    ----------
    network
        Where the processors are.
    pattern
        ``uniform``, ``complement`` (the last sends to the first, and so on),
        ``transpose`` (row and column of a square change places), ``bit-reverse``,
        ``shuffle`` (bits of the number are rotated), ``tornado`` (half-way round every
        axis), ``neighbour`` (the next on every axis) or ``permutation`` (drawn).
    seed
        Of what is drawn.

    Raises
    ------
    InputError
        If there is no such pattern, or none for so many processors: the field
        ``pattern``.

    Examples
    --------
    >>> from closeknit.instances import Mesh, Torus
    >>> partners(Mesh(2, 2), "transpose").tolist()
    [0, 2, 1, 3]
    >>> partners(Torus(5), "tornado").tolist()
    [2, 3, 4, 0, 1]
    """
    shape = network.grid.shape if network.grid else (network.processors_in_all,)
    make = entry_named(pattern, PATTERNS, "pattern", "pattern")
    try:
        found = make(shape, seed)
    except InputError as error:
        raise InputError(error.problem, "pattern", pattern) from None
    if found is not None and (found == np.arange(len(found))).all():
        raise InputError("has nobody to send to", "pattern", pattern)
    return found


def _transpose(shape: tuple[int, ...], seed: int) -> Ints:
    n = prod(shape)
    side = isqrt(n)
    if side * side != n:
        raise InputError(f"needs a square number of processors, there are {n}")
    return np.arange(n).reshape(side, side).T.ravel()


def _bits(shape: tuple[int, ...]) -> int:
    n = prod(shape)
    try:
        power_of_two(n)
    except InputError:
        raise InputError(f"needs a power of two, there are {n} processors") from None
    return n.bit_length() - 1


def _bit_reverse(shape: tuple[int, ...], seed: int) -> Ints:
    bits = _bits(shape)
    number = np.arange(1 << bits)
    return sum((number >> i & 1) << (bits - 1 - i) for i in range(bits)) + 0 * number


def _shuffle(shape: tuple[int, ...], seed: int) -> Ints:
    bits = _bits(shape)
    number = np.arange(1 << bits)
    return (number << 1 | number >> max(0, bits - 1)) & ((1 << bits) - 1)


def _along_axes(step: Callable[[int], int]) -> Callable[[tuple[int, ...], int], Ints]:
    """Return a pattern that goes on by a number of sites on every axis."""

    def make(shape: tuple[int, ...], seed: int) -> Ints:
        sites = np.unravel_index(np.arange(prod(shape)), shape)
        ahead = [(x + step(k)) % k for x, k in zip(sites, shape, strict=True)]
        return np.ravel_multi_index(ahead, shape).astype(np.int64)

    return make


PATTERNS: dict[str, Callable[[tuple[int, ...], int], Ints | None]] = {
    UNIFORM: lambda shape, seed: None,
    "complement": lambda shape, seed: np.arange(prod(shape))[::-1].copy(),
    "transpose": _transpose,
    "bit-reverse": _bit_reverse,
    "shuffle": _shuffle,
    "tornado": _along_axes(lambda side: (side + 1) // 2 - 1),
    "neighbour": _along_axes(lambda side: 1),
    "permutation": lambda shape, seed: np.random.default_rng(seed).permutation(
        prod(shape)
    ),
}
