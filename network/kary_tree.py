"""Fat-trees built of equal switches: k-ary n-trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..instances import InputError, Topology, Tree
from ..instances.reading.numbers import at_least
from ..instances.topologies import Site

MOST_NODES = 2**20


@dataclass(frozen=True)
class KaryTree(Topology):
    """k-ary n-tree: k^n processors under n levels of k^(n-1) switches of 2k ports.

    Processor p is at port p mod k of leaf switch p // k. Switch w of level l is linked
    to the k switches of level l + 1 whose numbers, written in base k, differ from w in
    digit l only (Petrini and Vanneschi 1997). The upper ports of the last level are
    not used.

    Parameters
    ----------
    k
        Half of the ports of a switch, at least 2.
    n
        Levels, at least 1.

    Raises
    ------
    InputError
        If a number is too small, or there are more than 2^20 processors.

    Examples
    --------
    >>> KaryTree(4, 3).processors, KaryTree(4, 3).distance((0,), (63,))
    (64, 6)
    """

    k: int
    n: int

    def __post_init__(self) -> None:
        at_least(self.k, 2, "topology.k")
        at_least(self.n, 1, "topology.n")
        if self.n > 20 or self.k**self.n > MOST_NODES:
            raise InputError(
                "must have at most 2^20 processors", "topology", f"{self.k}^{self.n}"
            )

    kind = "kary-tree"
    dimension = 1

    @property
    def processors(self) -> int:
        """Number of processors."""
        return int(self.k**self.n)

    @property
    def processors_in_all(self) -> int:
        """The same."""
        return self.processors

    @property
    def width(self) -> int:
        """Number of switches of a level."""
        return int(self.k ** (self.n - 1))

    def locations(self) -> Iterator[Site]:
        """All processors, in order."""
        return ((p,) for p in range(self.processors))

    def distance(self, p: Site, q: Site) -> int:
        """Count the links between two processors, those to their switches included."""
        (u,), (v,) = p, q
        links = 0
        while u != v:
            u, v, links = u // self.k, v // self.k, links + 2
        return links

    def as_tree(self) -> Tree:
        """Return the tree with the same distances, for methods that choose processors.

        Its processors come first, then its switches, level by level.
        """
        parent: list[int] = []
        size = self.processors
        while size > 1:
            after = len(parent) + size
            parent += [after + i // self.k for i in range(size)]
            size //= self.k
        parent.append(-1)
        return Tree(tuple(parent), (1,) * len(parent), tuple(range(self.processors)))
