"""Invariants that hold after every event of a simulation, checked in tests.

``CLOSEKNIT_CHECK=1`` in the environment enables the checks for simulations that start
afterwards; tests/conftest.py sets it. They share no code with the allocators: every
processor is marked again at every event, which takes time linear in the machine's size.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ..heuristics.allocation.allocator import Flags
from ..instances import IntArray
from ..instances.arrays import cells
from ..instances.submesh import Box, corner, sides, ways_of

if TYPE_CHECKING:
    from .submesh.simulator import Fixed

SWITCH = "CLOSEKNIT_CHECK"
"""The environment variable; 1 enables the checks."""


class BrokenInvariantError(AssertionError):
    """The state of a simulator is inconsistent: a bug in closeknit."""


def checking() -> bool:
    """Return whether simulations that start now are checked."""
    return os.environ.get(SWITCH) == "1"


def _require(true: bool, what: str) -> None:
    if not true:
        raise BrokenInvariantError(what)


class BoxWatch:
    """Tracks which box of a mesh each active request occupies.

    Every request holds one box of the requested size, rotated only if that is allowed,
    and never rotated again; boxes lie in the mesh and do not overlap; free and held
    processors add up to the mesh.
    """

    def __init__(self, occupancy: Fixed) -> None:
        self.occupancy = occupancy
        self.ways: dict[int, tuple[tuple[int, ...], ...]] = {}
        self.look()

    def started(self, number: int, size: tuple[int, ...]) -> None:
        """Check after a request has been placed."""
        _require(number not in self.ways, f"request {number} is served twice")
        self.ways[number] = ways_of(self.occupancy.shape, size, self.occupancy.rotate)
        self.look()

    def left(self, number: int) -> None:
        """Check after a box has been released."""
        _require(number in self.ways, f"request {number} leaves, but was not placed")
        del self.ways[number]
        self.look()

    def over(self) -> None:
        """Check when all requests have left."""
        _require(not self.ways, f"{sorted(self.ways)} have not left")
        self.look()

    def look(self) -> None:
        """Check the whole mesh."""
        occupancy, where = self.occupancy, self.occupancy.where
        # once one has been admitted unproved, no resident has a known place
        _require(
            where.keys() == self.ways.keys() or (occupancy.generous and not where),
            f"boxes are held by {sorted(where)}, not by {sorted(self.ways)}",
        )
        _require(
            sorted(where.values()) == sorted(occupancy.boxes()),
            "the allocator holds other boxes than the residents",
        )
        held = sum(prod(ways[0]) for ways in self.ways.values())
        _require(
            occupancy.free + held == prod(occupancy.shape),
            f"{occupancy.free} processors free and {held} held",
        )
        taken = np.zeros(occupancy.shape, dtype=np.bool_)
        for number, box in where.items():
            lies = sides(box)
            _require(
                lies in self.ways[number],
                f"request {number} holds {box}, which is not {self.ways[number]}",
            )
            self.ways[number] = (lies,)
            place = self._cells(number, box)
            _require(not taken[place].any(), f"{box} of request {number} overlaps")
            taken[place] = True

    def _cells(self, number: int, box: Box) -> tuple[IntArray, ...]:
        """Return the cells of a box, for indexing."""
        lies = list(zip(corner(box), sides(box), self.occupancy.shape, strict=True))
        _require(
            all(
                0 <= low < n and side <= n and (self.occupancy.torus or low + side <= n)
                for low, side, n in lies
            ),
            f"{box} of request {number} is not in the mesh",
        )
        return cells(self.occupancy.shape, box)


class ProcessorWatch:
    """Tracks which processors of a machine each job holds.

    Allocated processors were idle and are allocated once, at least as many as
    requested; the machine's idle processors are those that no job holds, and its final
    state is the initial one.
    """

    def __init__(self, idle: Flags, state: Hashable = None) -> None:
        self.first = idle.copy()
        self.idle = idle.copy()
        self.state = state

    def started(self, job: int, wanted: int, used: IntArray, held: IntArray) -> None:
        """Check an allocation: what a job runs on, and all that it holds."""
        _require(len(used) >= wanted, f"job {job} is given {len(used)}, not {wanted}")
        _require(len(np.unique(held)) == len(held), f"job {job}: one is given twice")
        _require(len(np.unique(used)) == len(used), f"job {job}: one is used twice")
        _require(bool(np.isin(used, held).all()), f"job {job} runs on what it lacks")
        _require(bool(self.idle[held].all()), f"job {job} is given what another holds")
        self.idle[held] = False

    def ended(self, job: int, held: IntArray) -> None:
        """Check what a job releases."""
        _require(not self.idle[held].any(), f"job {job} releases what it lacks")
        self.idle[held] = True

    def look(self, idle: Flags, free: int) -> None:
        """Compare the records with those of the machine after an event."""
        _require(np.array_equal(idle, self.idle), "idle is not what no job holds")
        _require(free == int(self.idle.sum()), f"{free} free is not what is idle")

    def over(self, state: Hashable = None) -> None:
        """Check the machine when all jobs have ended."""
        _require(np.array_equal(self.idle, self.first), "something is held in the end")
        _require(state == self.state, "the allocator is not in its initial state")
