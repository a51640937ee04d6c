"""Networks of users' own classes, which are known by their distances alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, islice
from random import Random
from typing import Any

from ..errors import InputError
from ..reading.json_types import to_json_types
from ..topologies.metric import MOST_SITES
from ..topologies.topology import Site, Topology
from ..value import LARGEST

MOST_PAIRS = 10**6
"""Pairs of sites whose distances are all looked at; of more, so many are drawn."""


class Metric(Topology):
    """A network of a foreign class, priced by its own ``distance``, pair by pair.

    Nothing else of it is used: it has no cuts and no axes, so methods that need these
    refuse it, and it has no file.

    Parameters
    ----------
    given
        Has ``kind``, ``locations()`` and ``distance(p, q)``, as `Topology` states, and
        ``scale`` if that is not 1.

    Raises
    ------
    InputError
        If a distance is not a whole number of at least 0, if it is not 0 between a
        site and itself, or if two sites are not as far apart one way as the other; it
        names the pair. Of more than 10^6 pairs, so many are drawn.
    """

    is_metric = False  # not known; `arrays.is_metric` looks at the distances

    def __init__(self, given: Any) -> None:
        self.given = given
        self.scale = int(getattr(given, "scale", 1))
        found = islice(given.locations(), MOST_SITES + 1)
        self._in_given_order = [_site(site) for site in found]
        self._sites = sorted(self._in_given_order)
        if not 1 <= len(self._sites) <= MOST_SITES:
            problem = f"must have between 1 and {MOST_SITES} processors"
            raise InputError(problem, "topology", len(self._sites))
        if len({len(site) for site in self._sites}) > 1:
            raise InputError("has sites of different dimensions", "topology")
        self.repeats = len(set(self._sites)) < len(self._sites)
        self._known: dict[tuple[Site, Site], int] = {}
        self._check_distances()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and self.given == other.given

    def __hash__(self) -> int:
        return hash((self.kind, len(self._sites)))

    def __repr__(self) -> str:
        return f"Metric({self.given!r})"

    @property
    def kind(self) -> str:
        """The kind that the given network states, or the name of its class."""
        return str(getattr(self.given, "kind", type(self.given).__name__.lower()))

    @property
    def dimension(self) -> int:
        """Number of coordinates of a site."""
        return len(self._sites[0])

    @property
    def processors_in_all(self) -> int:
        """Number of processors, free or busy."""
        return len(self._sites)

    def locations(self) -> Iterator[Site]:
        """All sites, in lexicographic order, with repeats."""
        return iter(self._sites)

    def in_given_order(self) -> Iterator[Site]:
        """All sites as they were given."""
        return iter(self._in_given_order)

    def identity(self) -> dict[str, Any]:
        """Return its sites and all distances, which no file has."""
        if len(self._sites) ** 2 > 2 * MOST_PAIRS:
            return self.document()
        pairs = combinations(self._sites, 2)
        lengths = [self.distance(p, q) for p, q in pairs]
        return {"kind": self.kind, "sites": self.listed(self._sites), "hops": lengths}

    def distance(self, p: Site, q: Site) -> int:
        """Return what the given network answers, kept for pairs that were checked."""
        key = (p, q) if p <= q else (q, p)
        found = self._known.get(key)
        return self._measure(*key) if found is None else found

    def _measure(self, p: Site, q: Site) -> int:
        length = to_json_types(self.given.distance(p, q))
        if type(length) is not int:
            raise _refuse("is no whole number", p, q, length)
        if not 0 <= length < LARGEST:
            raise _refuse("must lie between 0 and 2^62", p, q, length)
        return length

    def _check_distances(self) -> None:
        sites = list(dict.fromkeys(self._sites))
        for site in sites:
            if there := self._measure(site, site):
                raise _refuse("must be 0", site, site, there)
        n = len(sites)
        pairs: Iterable[tuple[Site, ...]] = combinations(sites, 2)
        if n * (n - 1) // 2 > MOST_PAIRS:
            random = Random(0)
            pairs = (tuple(random.sample(sites, 2)) for _ in range(MOST_PAIRS))
        for p, q in pairs:
            there, back = self._measure(p, q), self._measure(q, p)
            if there != back:
                raise _refuse(f"is {there}, and {back} the other way", p, q)
            self._known[(p, q) if p <= q else (q, p)] = there


def _site(given: Any) -> Site:
    """Return a site as a tuple of integers."""
    numbers = to_json_types(given)
    if not isinstance(numbers, list) or not {*map(type, numbers)} <= {int}:
        raise InputError("has a site that is no tuple of integers", "topology", given)
    return tuple(numbers)


def _refuse(problem: str, p: Site, q: Site, *value: object) -> InputError:
    return InputError(f"the distance of {p} and {q} {problem}", "topology", *value)
