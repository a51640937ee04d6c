"""Slices of TPUs: boxes of chips. What one takes of a tree of cubes and their parts.

A slice is a number of whole cubes (4x4x4 chips, a rack), or a part of one. Where
optical switches join cubes, any free ones of a pod will do, so that a pod is a tree;
elsewhere they must be a box in the grid of the pod.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import permutations
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...instances import InputError

if TYPE_CHECKING:
    from .fabric import Hierarchy

Shape = tuple[int, ...]
_SHAPE = re.compile(r"[1-9]\d{0,3}(?:x[1-9]\d{0,3}){1,3}", re.ASCII)
POOL = "gke-nodepool"
"""The level of node pools each of which is a slice."""


def shape_of(text: str) -> Shape:
    """Return the sides that a text gives; none if it is no shape.

    >>> shape_of("4x4x8"), shape_of("rack")
    ((4, 4, 8), ())
    """
    return tuple(map(int, text.split("x"))) if _SHAPE.fullmatch(text) else ()


def text_of(shape: Shape) -> str:
    """Return a shape as text."""
    return "x".join(map(str, shape))


@dataclass(frozen=True)
class Slice:
    """What a job asks for: a box of chips, in any direction, or so many cubes."""

    shape: Shape
    """In ascending order; empty if any box of cubes will do."""
    cubes: int = 0

    @classmethod
    def of(cls, text: str) -> Slice:
        """Read a shape such as ``4x4x8``, or a number of cubes."""
        if re.fullmatch(r"[1-9]\d{0,5}", text, re.ASCII):
            return cls((), int(text))
        if shape := shape_of(text):
            return cls(tuple(sorted(shape)))
        raise InputError("must be such as 4x4x8, or a number of cubes", "slice", text)

    def __str__(self) -> str:
        return text_of(self.shape) or str(self.cubes)

    def refuse(self, problem: str) -> InputError:
        """Return an error about the option or field."""
        return InputError(problem, "slice", str(self))

    def cubes_of(self, cube: Shape) -> int:
        """Return how many cubes it is; 0 if it is a part of one.

        Raises InputError if it is neither.
        """
        if not cube:
            raise self.refuse("is for TPUs, of which nothing is known here")
        if self.cubes:
            return self.cubes
        if len(self.shape) == len(cube):
            turned = np.array([*permutations(self.shape)])
            if not np.mod(turned, cube).any(axis=1).all():
                return prod(self.shape) // prod(cube)
            if not np.mod(cube, turned).any(axis=1).all():
                return 0
        raise self.refuse(f"is neither whole cubes of {text_of(cube)} nor part of one")


@dataclass(frozen=True)
class SlicePlan:
    """What a slice takes of a tree: units of a level, in one domain of another."""

    level: int
    whole: int
    units: int
    size: int
    """Nodes of a unit."""
    fit: npt.NDArray[np.bool_]
    """The nodes that can be in it."""


def plan_slice(fabric: Hierarchy, wish: Slice) -> SlicePlan:
    """Say what a slice takes of a tree, whose levels are called by their chips.

    Raises InputError if there are no such slices, or it is larger than every pod.
    """
    levels, pools = fabric.levels, POOL in fabric.levels
    shapes = [tuple(sorted(shape_of(name))) for name in levels]
    top = max(range(len(shapes)), key=lambda i: prod(shapes[i] or (0,)))
    cube = shapes[top] if fabric.chips else ()
    cubes = 0 if fabric.chips and pools else wish.cubes_of(cube)
    unit = cube if cubes else wish.shape
    there = {one for some in (shapes, *fabric.slices) for one in some if one}
    if unit not in there and (pools or prod(unit) != fabric.chips):
        listed = ", ".join(sorted(map(text_of, there)))
        raise wish.refuse(f"is no slice here (there are: {listed})")
    level = whole = levels.index(POOL) if pools else 0
    if not pools and unit in shapes:
        level = shapes.index(unit)
        whole = min(level + 1, len(levels) - 1) if cubes else level
    fit = np.ones(len(fabric.nodes), dtype=np.bool_)
    if fabric.slices:
        fit = np.array([unit in one for one in fabric.slices])
    size = prod(unit) // fabric.chips
    most = np.bincount(fabric.above(level)[fabric.home[fit]]).max(initial=0)
    if 1 < size < most:
        raise wish.refuse(f"has {size} nodes, but a {levels[level]} has {most}")
    most = np.bincount(fabric.above(whole)[fabric.level == level]).max()
    if cubes > most:
        raise wish.refuse(f"is {cubes} cubes, more than the {most} of a pod")
    return SlicePlan(level, whole, cubes or 1, size, fit)
