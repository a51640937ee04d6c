"""The loads of all pairs at once, in integers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from ...instances import InputError, IntArray
from .routes import Routes

NONE = np.zeros(0, np.int64)
_MOST_WHOLE = 2**40
_MOST_ENTRIES = 2**26


def busiest_of(traffic: IntArray) -> int:
    """Return the units of the task that sends or receives most, at least 1."""
    sums = traffic.sum(axis=0), traffic.sum(axis=1)
    return max(1, *(int(one.max()) for one in sums))


def coarsen(traffic: IntArray, whole: int) -> IntArray:
    """Return traffic in so large units that sums of loads are integers of 63 bits."""
    most = int(traffic.sum(dtype=float)) * whole
    return -(-traffic // max(1, most >> 61))


class LoadTable:
    """What all pairs put on links, in integers, for searches.

    Parameters
    ----------
    routes
        The network and its routing.
    processors
        Numbers of those between which it is needed; None for all.

    Attributes
    ----------
    whole
        A unit of traffic: shares of links are parts of it.
    row
        Row of the first processor of a pair; the second adds its `column`.
    first, link, amount
        Where the links of each row begin, which they are, and their shares.

    Raises
    ------
    InputError
        If the table would be too large, or shares are too small.
    """

    def __init__(self, routes: Routes, processors: Sequence[int] | None = None) -> None:
        self.routes = routes
        self._some = range(len(routes.stop)) if processors is None else processors
        stops = sorted({routes.stop[p] for p in self._some})
        self._at = {v: i for i, v in enumerate(stops)}
        goals, self.column = self._goals(stops)
        self.row = np.zeros(len(routes.stop), np.int64)
        for p in self._some:
            self.row[p] = self._at[routes.stop[p]] * len(goals)
        try:
            by_goal = [self._shares(*goal) for goal in goals]
            self.whole = lcm(*(whole for whole, _ in by_goal))
        except OverflowError:  # beyond 2^63
            self.whole = _MOST_WHOLE
        if self.whole >= _MOST_WHOLE:
            raise InputError("splits traffic into too small parts", "routing")
        if sum(len(rows) for _, (rows, *_) in by_goal) > _MOST_ENTRIES:
            raise InputError("has too many pairs and links", "topology")
        cells = [
            (rows * len(goals) + g, links, amounts * (self.whole // whole))
            for g, (whole, (rows, links, amounts)) in enumerate(by_goal)
        ]
        rows, links, amounts = map(np.concatenate, zip(*cells, strict=True))
        order = np.argsort(rows, kind="stable")
        count = np.bincount(rows, minlength=len(stops) * len(goals))
        self.first = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        self.link, self.amount = links[order], amounts[order]

    def of(self, places: Sequence[int], traffic: IntArray | None = None) -> IntArray:
        """Return what every link carries, in parts of `whole`.

        Parameters
        ----------
        places
            Processors of the tasks.
        traffic
            Units from each task to each other, shape (k, k); None for one each.
        """
        some = np.asarray(places)
        rows = (self.row[some][:, None] + self.column[some]).ravel()
        units = 1 - np.eye(len(some), dtype=np.int64) if traffic is None else traffic
        begin, size = self.first[rows], np.diff(self.first)[rows]
        entries = np.repeat(begin - np.cumsum(size) + size, size) + np.arange(
            int(size.sum())
        )
        found = np.zeros(len(self.routes.links), np.int64)
        weights = np.repeat(units.ravel(), size) * self.amount[entries]
        np.add.at(found, self.link[entries], weights)
        return found

    def _goals(self, stops: Sequence[int]) -> tuple[list[tuple[int, int]], IntArray]:
        """Return the nodes, and processors behind, that differ as targets."""
        routes = self.routes
        found: dict[object, int] = {}
        goals: list[tuple[int, int]] = []
        column = np.zeros(len(routes.stop), np.int64)
        for p in self._some:
            v = routes.stop[p]
            key: object = v
            if routes.routing in ("d-mod-k", "table"):
                key = v, tuple(routes.steps(v, p).items())
            if key not in found:
                found[key] = len(goals)
                goals.append((v, p))
            column[p] = found[key]
        return goals, column

    def _shares(self, goal: int, processor: int) -> tuple[int, tuple[IntArray, ...]]:
        """Return a whole, and row, link and amount of each share on the way to a node.

        Rows are those of the sources, before the number of the goal is added.
        """
        routes, cells = self.routes, list[tuple[int, int, Fraction]]()
        if routes.middles or routes.routing == "table":
            for v, i in self._at.items():
                some = routes.pair(routes.stop.index(v), processor)
                cells += [(i, e, part) for e, part in some.items()]
            whole = lcm(*(part.denominator for _, _, part in cells))
            rows, links = [i for i, _, _ in cells], [e for _, e, _ in cells]
            amounts = [int(part * whole) for _, _, part in cells]
            found = rows, links, amounts
            return whole, tuple(np.array(one, np.int64) for one in found)
        odd_of = np.array([routes.is_odd(routes.stop.index(v)) for v in self._at])
        away, wholes, blocks = routes.away(goal), [], []
        for odd in sorted(set(odd_of.tolist())):
            by = processor if routes.routing == "d-mod-k" else -1
            steps = routes.steps(goal, by, odd)
            order = sorted((v for v in steps if steps[v]), key=away.__getitem__)
            parts = {goal: 1}
            for v in order:
                ends = (parts[routes.links[e][1]] for e in steps[v])
                parts[v] = len(steps[v]) * lcm(*ends)
            sources = np.flatnonzero(odd_of == odd)
            wholes.append(lcm(*(parts[v] for v in self._at)))
            flow = np.zeros((1 + max(parts), len(sources)), np.int64)
            for v, at in self._at.items():
                flow[v, sources == at] = wholes[-1]
            for v in reversed(order):
                share = flow[v] // len(steps[v])
                for e in steps[v]:
                    flow[routes.links[e][1]] += share
                sent = np.flatnonzero(share)
                for e in steps[v] if len(sent) else ():
                    blocks.append((len(wholes) - 1, sources[sent], e, share[sent]))
        whole = lcm(*wholes)
        if not blocks:
            return whole, (NONE, NONE, NONE)
        return whole, (
            np.concatenate([i for _, i, _, _ in blocks]),
            np.repeat([e for _, _, e, _ in blocks], [len(i) for _, i, _, _ in blocks]),
            np.concatenate([x * (whole // wholes[o]) for o, _, _, x in blocks]),
        )
