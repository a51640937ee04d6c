"""The interface of all submesh allocators: allocate, release, steps.

A box is (a, b, c, d), lowest and highest corner, inclusive; see ``instances.submesh``.
The first coordinate is the column, the second the row; rows are searched from row 0
on, each from column 0 on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import inf, prod

from ...instances import InputError
from ...instances.submesh import MOST_PROCESSORS, Box, sides
from ...solvers.running import clock


class SearchTimeError(Exception):
    """A search ran beyond `SubmeshAllocator.until`."""


class SubmeshAllocator(ABC):
    """A mesh, the boxes that are held in it, and a rule to find free ones.

    Parameters
    ----------
    shape
        Sides of the mesh.
    rotate
        Whether a request that has no place as given is tried in other orientations.
    torus
        Whether boxes may wrap round.

    Attributes
    ----------
    steps
        Nodes of linked structures touched since the allocator was created, as section
        4.2 of Morgenstern 1994 counts them: one whenever a pointer is followed to a
        node; for arrays, one per element read.
    until
        Value of ``clock.now()`` at which a search stops.
    """

    def __init__(
        self, shape: Sequence[int], *, rotate: bool = False, torus: bool = False
    ) -> None:
        self.shape = tuple(shape)
        self.rotate = rotate
        self.torus = torus
        self.steps = 0
        self.until = inf
        self._held: dict[Box, None] = {}
        self._set_up()

    def _set_up(self) -> None:  # noqa: B027 - some keep no state
        """Make the state of an empty mesh."""

    @property
    def held(self) -> list[Box]:
        """The boxes now held, in the order in which they were taken."""
        return list(self._held)

    @property
    def free(self) -> int:
        """Number of processors that are not held."""
        return prod(self.shape) - sum(prod(sides(box)) for box in self._held)

    def find(self, size: Sequence[int]) -> Box | None:
        """Return where a box would be allocated, without allocating it.

        Parameters
        ----------
        size
            Sides of the box.

        Returns
        -------
        Box or None
            Its place; None if none is found, as given or (with ``rotate``) rotated.

        Raises
        ------
        InputError
            If the size has another number of sides than the mesh, or one below 1.
        """
        wanted = tuple(size)
        if len(wanted) != len(self.shape) or min(wanted) < 1:
            raise InputError(
                f"must be {len(self.shape)} sides of at least 1", "size", list(wanted)
            )
        for turned in self._orientations(wanted):
            if (box := self._search(turned)) is not None:
                return box
        return None

    def allocate(self, size: Sequence[int]) -> Box | None:
        """Find a box and hold it; None if there is no place."""
        box = self.find(size)
        if box is not None:
            self._held[box] = None
            self._allot(box)
        return box

    def hold(self, box: Box) -> None:
        """Hold a given box, which must be free: a resident, a blocked processor.

        Raises
        ------
        InputError
            If this box is held already.
        """
        if box in self._held:
            raise InputError("is held already", "box", list(box))
        self._held[box] = None
        self._take(box)

    def release(self, box: Box) -> None:
        """Release a box that is held.

        Raises
        ------
        InputError
            If it is not held.
        """
        if box not in self._held:
            raise InputError("is not held", "box", list(box))
        del self._held[box]
        self._give(box)

    def _orientations(self, size: tuple[int, ...]) -> list[tuple[int, ...]]:
        """List the orientations that fit into an empty mesh, the given one first."""
        if not self.rotate:
            turned = [size]
        elif len(size) == 2:
            turned = [size] if size[0] == size[1] else [size, size[::-1]]
        else:
            turned = list(dict.fromkeys(permutations(size)))
        return [
            one
            for one in turned
            if all(s <= side for s, side in zip(one, self.shape, strict=True))
        ]

    def _look_at_the_clock(self) -> None:
        if clock.now() > self.until:
            raise SearchTimeError

    @abstractmethod
    def _search(self, size: tuple[int, ...]) -> Box | None:
        """Find a free box of this size, not turned, that would fit an empty mesh."""

    def _allot(self, box: Box) -> None:
        """Update the state for a box that was found and is now held."""
        self._take(box)

    @abstractmethod
    def _take(self, box: Box) -> None:
        """Update the state for a box that is now held."""

    @abstractmethod
    def _give(self, box: Box) -> None:
        """Update the state for a box that is no longer held."""


@dataclass(frozen=True, slots=True)
class SubmeshAllocatorSpec:
    """One entry of the table of submesh allocators.

    Parameters
    ----------
    strategy
        The class; its docstring states what it guarantees.
    complete
        Whether it finds a free place without migration if there is one.
    three
        Whether the mesh may have three sides.
    wraps
        Whether the mesh may be a torus.
    longest
        Longest side that is supported in reasonable time.
    """

    strategy: type[SubmeshAllocator]
    complete: bool = True
    three: bool = False
    wraps: bool = False
    longest: int = MOST_PROCESSORS

    def __call__(
        self, shape: Sequence[int], *, rotate: bool = False, torus: bool = False
    ) -> SubmeshAllocator:
        """Create an allocator for an empty mesh.

        Raises
        ------
        InputError
            If the allocator does not support this mesh.
        """
        if why := self.refuses(shape, torus):
            raise InputError(why, "mesh", list(shape))
        return self.strategy(shape, rotate=rotate, torus=torus)

    def refuses(self, shape: Sequence[int], torus: bool) -> str | None:
        """Return why the allocator does not support a mesh; None if it does."""
        if len(shape) not in ((2, 3) if self.three else (2,)):
            return f"is for {'two or three' if self.three else 'two'} axes"
        if torus and not self.wraps:
            return "is for meshes, not tori"
        if max(shape) > self.longest:
            return f"is for sides of at most {self.longest}"
        return None
