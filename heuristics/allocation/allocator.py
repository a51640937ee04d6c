"""The interface of all allocators of processors: allocate, release, state.

Processors are numbered by their position in ``topology.locations()``, which is
lexicographic: on a mesh of two axes row follows row, and the first coordinate is fixed
within a row. Columns run along the first axis. Nodes for input and output, where an
allocator considers them, stand before the first column, one per row: 16x22 means 16
rows of 22 processors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ...instances import InputError, IntArray, Site, Topology
from ...sources import doc_of

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """Processors given to a job.

    Parameters
    ----------
    used
        Numbers of the processors that the job runs on, in the order in which its
        tasks are placed; as many as it requested.
    held
        Numbers of all processors that are busy until the job ends, ascending: more than
        ``used`` where whole pages are allocated.
    """

    used: IntArray
    held: IntArray

    @classmethod
    def of(cls, used: IntArray) -> Allocation:
        """Return an allocation of exactly these processors."""
        return cls(used, np.sort(used))


class Allocator(ABC):
    """A network, the state of its processors, and a rule to choose idle ones.

    Parameters
    ----------
    topology
        The network; all of it is idle at first.
    seed
        Random seed, for randomized allocators.

    Attributes
    ----------
    places
        Sites of the processors, by number.
    idle
        For each processor, whether it is idle; read-only for callers.
    free
        Number of idle processors.
    WORDS
        For each argument of a class that has several entries in the table, and for
        each of its values, the text that replaces ``{argument}`` in the docstring.
    """

    WORDS: ClassVar[Mapping[str, Mapping[object, str]]] = MappingProxyType({})

    def __init__(self, topology: Topology, *, seed: int = 0) -> None:
        self.topology = topology
        self.seed = seed
        self.places: tuple[Site, ...] = tuple(topology.locations())
        self.idle: Flags = np.ones(len(self.places), dtype=np.bool_)
        self.free = len(self.places)

    def find(self, k: int, shape: Sequence[int] | None = None) -> Allocation | None:
        """Return the processors that a job would get now, without allocating them.

        Parameters
        ----------
        k
            Number of processors requested.
        shape
            Sides of the preferred submesh, of at least k cells; None if there is no
            preference. Most allocators ignore it.

        Returns
        -------
        Allocation or None
            None if the job cannot be served now.

        Raises
        ------
        InputError
            If k is below 1, or the shape has another number of sides than the network,
            a side below 1, or fewer than k cells.
        """
        if k < 1:
            raise InputError("must be at least 1", "k", k)
        if shape is not None and (
            len(shape) != self.topology.dimension or min(shape) < 1 or prod(shape) < k
        ):
            raise InputError(
                f"must be {self.topology.dimension} sides of at least 1 "
                f"with {k} cells or more",
                "shape",
                list(shape),
            )
        if k > self.free:
            return None
        return self._choose(k, tuple(shape) if shape is not None else None)

    def allocate(self, k: int, shape: Sequence[int] | None = None) -> Allocation | None:
        """Allocate processors to a job; None if it cannot be served now."""
        grant = self.find(k, shape)
        if grant is not None:
            self._mark(grant.held, idle=False)
            self._take(grant.held)
        return grant

    def hold(self, numbers: Iterable[int]) -> Allocation:
        """Mark given idle processors as busy: residents, defects.

        Raises
        ------
        InputError
            If one of them is not idle, or does not exist.
        """
        held = np.unique(np.fromiter(numbers, dtype=np.int64))
        if len(none := held[(held < 0) | (held >= len(self.places))]):
            raise InputError("no such processor", "processor", int(none[0]))
        if len(busy := held[~self.idle[held]]):
            raise InputError("is not idle", "processor", list(self.places[busy[0]]))
        self._mark(held, idle=False)
        self._take(held)
        return Allocation(held, held)

    def release(self, grant: Allocation) -> None:
        """Release an allocation.

        Raises
        ------
        InputError
            If it is not held.
        """
        if len(idle := grant.held[self.idle[grant.held]]):
            raise InputError("is not held", "processor", list(self.places[idle[0]]))
        self._mark(grant.held, idle=True)
        self._give(grant.held)

    def state(self) -> Hashable:
        """Return everything that future allocations depend on, as a comparable value.

        When everything has been released, it equals the initial state.
        """
        return self.idle.tobytes()

    def _mark(self, numbers: IntArray, *, idle: bool) -> None:
        self.idle[numbers] = idle
        self.free += len(numbers) if idle else -len(numbers)

    @abstractmethod
    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation | None:
        """Choose k of the idle processors; at least k are idle."""

    def _take(self, numbers: IntArray) -> None:  # noqa: B027 - most keep no state
        """Update the state for processors that are no longer idle; already marked."""

    def _give(self, numbers: IntArray) -> None:  # noqa: B027
        """Update the state for processors that are idle again; already marked."""


Refusal = Callable[[Topology], str | None]
"""Why an allocator does not support a network; None if it does."""


def needs_a_grid(topology: Topology) -> str | None:
    """Refuse networks other than meshes and tori."""
    if topology.grid is None:
        return "needs a mesh or a torus"
    return None


def needs_a_plane(topology: Topology) -> str | None:
    """Refuse networks other than meshes and tori of two axes."""
    if topology.grid is None or topology.dimension != 2:
        return "needs a mesh or a torus of two axes"
    return None


def needs_a_tree(topology: Topology) -> str | None:
    """Refuse networks other than trees."""
    return None if topology.tree else "needs a tree"


@dataclass(frozen=True, slots=True)
class AllocatorSpec:
    """One entry of the table of allocators.

    Parameters
    ----------
    strategy
        The class; its docstring states what it guarantees.
    refuses
        Returns why the allocator does not support a network, or None if it does.
    seeded
        Whether the seed matters.
    arguments
        Keyword arguments of the class: which order, which packing, which page size.
    """

    strategy: type[Allocator]
    refuses: Refusal
    seeded: bool = False
    arguments: Mapping[str, object] = field(default_factory=dict)

    def __call__(self, topology: Topology, *, seed: int = 0) -> Allocator:
        """Create an allocator for an idle network.

        Raises
        ------
        InputError
            If the allocator does not support this network.
        """
        if why := self.refuses(topology):
            raise InputError(why, "topology", topology.kind)
        return self.strategy(topology, seed=seed, **self.arguments)

    @property
    def doc(self) -> str:
        """The docstring of the class, its ``{argument}`` filled in for this entry."""
        text = doc_of(self.strategy)
        words = self.strategy.WORDS
        for name, value in self.arguments.items():
            said = words.get(name, {}).get(value, str(value))
            text = text.replace(f"{{{name}}}", said)
        return text
