"""Orders of classes in which few shared sets are in progress at once.

A set is in progress from its first class to its last. The number in progress after
a class is the width there; the dynamic program has up to 2^width states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Incidence = Sequence[Sequence[int]]
"""For each class, the sets that contain it."""
NARROW = 10
"""Width up to which the cheap orders are accepted without trying the others."""
_DENSE = 300
_MOST_MEMBERSHIPS = 2**13
"""Total memberships up to which the spectral order is tried: beyond, factorising the
Laplacian takes seconds, during which limits cannot be checked."""


def widths(incidence: Incidence) -> list[int]:
    """Count the sets in progress after each class, in the order given.

    >>> widths([(0, 1), (0,), (1, 2), (2,)])
    [2, 1, 1, 0]
    """
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for k, sets in enumerate(incidence):
        for s in sets:
            first.setdefault(s, k)
            last[s] = k
    change = [0] * (len(incidence) + 1)
    for s, k in first.items():
        change[k] += 1
        change[last[s]] -= 1
    return list(accumulate(change[:-1]))


def predicted_work(incidence: Incidence) -> int:
    """Sum 2^width over all classes: an upper bound on the table entries.

    >>> predicted_work([(0, 1), (0,), (1, 2), (2,)])
    9
    """
    return sum(1 << width for width in widths(incidence))


def given(incidence: Incidence) -> list[int]:
    """Keep the order of first members."""
    return list(range(len(incidence)))


def greedy(incidence: Incidence) -> list[int]:
    """Finish open sets first: next a class of the open set with fewest classes left.

    Among these, the class that opens fewest further sets; ties go to the first.
    Running time: O(total size of all sets x classes of a set) at worst.
    """
    members = _members(incidence)
    left = {s: len(classes) for s, classes in members.items()}
    done = [False] * len(incidence)
    now_open: set[int] = set()
    order: list[int] = []
    fresh = 0
    while len(order) < len(incidence):
        if now_open:
            s = min(now_open, key=lambda one: (left[one], one))
            k = min(
                (k for k in members[s] if not done[k]),
                key=lambda k: (sum(x not in now_open for x in incidence[k]), k),
            )
        else:
            while done[fresh]:
                fresh += 1
            k = fresh
        order.append(k)
        done[k] = True
        for s in incidence[k]:
            left[s] -= 1
            if left[s]:
                now_open.add(s)
            else:
                now_open.discard(s)
    return order


def cuthill_mckee(incidence: Incidence) -> list[int]:
    """Order classes as scipy's reverse Cuthill-McKee orders the incidence graph."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    found = reverse_cuthill_mckee(_graph(incidence), symmetric_mode=True)
    return [int(v) for v in found if v < len(incidence)]


def spectral(incidence: Incidence) -> list[int]:
    """Order classes along the second eigenvector of the incidence graph's Laplacian.

    Components follow each other; within each, the class that comes first in the given
    order lies on the low side.
    """
    from scipy.sparse.csgraph import connected_components

    graph = _graph(incidence)
    n = len(incidence)
    _, label = connected_components(graph, directed=False)
    order: list[int] = []
    for part in dict.fromkeys(label[:n].tolist()):
        inside = np.flatnonzero(label == part)
        if len(inside) <= 3:
            order += [int(v) for v in inside if v < n]
            continue
        value = _fiedler(graph[inside][:, inside])[: int((inside < n).sum())]
        ranks = np.lexsort((np.arange(len(value)), value.round(9)))
        order += inside[ranks].tolist()
    return order


ORDERS: Mapping[str, Callable[[Incidence], list[int]]] = MappingProxyType(
    {
        "given": given,
        "greedy": greedy,
        "cuthill-mckee": cuthill_mckee,
        "spectral": spectral,
    }
)
"""Orders of classes, the cheap ones first."""
_CHEAP = ("given", "greedy")


def ordered(incidence: Incidence, order: str = "auto") -> tuple[str, list[int]]:
    """Return the order of least predicted work, or the requested one, and its name.

    ``auto`` tries the given and the greedy order, and the others only if these are
    wider than `NARROW`; ``spectral`` only up to `_MOST_MEMBERSHIPS`. Ties go to the
    first.
    """
    names: Iterable[str] = ORDERS if order == "auto" else (order,)
    if order == "auto" and sum(map(len, incidence)) > _MOST_MEMBERSHIPS:
        names = [name for name in ORDERS if name != "spectral"]
    best: tuple[int, str, list[int]] | None = None
    for name in names:
        if best and name not in _CHEAP and best[0] <= len(incidence) << NARROW:
            break
        found = ORDERS[name](incidence)
        work = predicted_work([incidence[k] for k in found])
        if best is None or work < best[0]:
            best = work, name, found
    assert best is not None
    return best[1], best[2]


def _members(incidence: Incidence) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for k, sets in enumerate(incidence):
        for s in sets:
            members.setdefault(s, []).append(k)
    return members


def _graph(incidence: Incidence) -> csr_array[Any, tuple[int, int]]:
    """Return the bipartite graph of classes, then sets, with memberships as edges."""
    from scipy.sparse import csr_array

    names = {s: i for i, s in enumerate(sorted(_members(incidence)))}
    n = len(incidence)
    rows = [k for k, sets in enumerate(incidence) for _ in sets]
    columns = [n + names[s] for sets in incidence for s in sets]
    ones = np.ones(2 * len(rows), dtype=np.int64)
    size = n + len(names)
    return csr_array((ones, (rows + columns, columns + rows)), shape=(size, size))


def _fiedler(graph: csr_array[Any, tuple[int, int]]) -> npt.NDArray[np.float64]:
    """Return the second eigenvector of the Laplacian, first entry not positive."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import eigsh

    degree = np.asarray(graph.sum(axis=1)).reshape(-1)
    laplacian = diags_array(degree.astype(float)) - graph.astype(float)
    if len(degree) <= _DENSE:
        vector = np.linalg.eigh(laplacian.toarray())[1][:, 1]
    else:
        start = np.random.default_rng(0).random(len(degree))
        _, vectors = eigsh(laplacian, k=2, sigma=-1e-3, which="LM", v0=start)
        vector = vectors[:, 1]
    return vector if vector[0] <= 0 else -vector
