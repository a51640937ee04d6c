"""Which nodes of a cluster are free, as a scheduler says it in numbered steps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from time import monotonic
from typing import Any

import numpy as np

from ...instances import InputError, fields
from ..hostlist import fold
from ..placement import NodeSelector
from ..placement.program import Flags
from ..state import distinct

_LARGEST = 2**53
"""Sequence numbers are below this, so that every JSON reader keeps them exact."""
_LARGEST_FIRST = 2**52
"""Nobody begins above this, so that there are always numbers for the steps to come."""


_State = tuple[Sequence[Flags], int, Mapping[str, tuple[int, float]]]
"""Which nodes are free, the number of the last step, and of which take and time those
nodes are that were taken and that no step has named since."""


class ConflictError(ValueError):
    """A step that does not follow the one before, which has the number ``sequence``."""

    def __init__(self, problem: str, sequence: int) -> None:
        super().__init__(problem)
        self.sequence = sequence


class ClusterState:
    """The free nodes of a cluster; at first all.

    Steps replace the arrays in `free`, so that a request may keep those it began with.
    One thread makes steps, others may read.
    """

    def __init__(self, selector: NodeSelector) -> None:
        self._selector = selector
        self._now: _State = selector.free(), 0, {}
        self._takes = count(1)
        self._stepped: float | None = None

    @property
    def free(self) -> Sequence[Flags]:
        """Which nodes of every fabric are free."""
        return self._now[0]

    @property
    def sequence(self) -> int:
        """The number of the last step."""
        return self._now[1]

    @property
    def age(self) -> float | None:
        """Seconds since the last step, or None if there was none."""
        return None if self._stepped is None else monotonic() - self._stepped

    def take(self, names: Collection[str]) -> int:
        """Make nodes busy that are promised to a job; this is no step.

        Returns
        -------
        int
            The number of this take, under which `document` lists the nodes until a step
            names them.

        Raises
        ------
        ConflictError
            If one is busy by now; nothing has changed then.
        """
        flags = [one.copy() for one in self.free]
        for name in names:
            fabric, place = self._selector.cluster.index[name]
            if not flags[fabric][place]:
                problem = f"take: {name} is not free any more"
                raise ConflictError(problem, self.sequence)
            flags[fabric][place] = False
        number = next(self._takes)
        taken = {**self._now[2]} | dict.fromkeys(names, (number, monotonic()))
        self._now = flags, self.sequence, taken
        return number

    def change(self, body: dict[str, Any]) -> None:
        """Set nodes busy or free; all others stay as they are.

        Parameters
        ----------
        body
            Hostlists ``busy`` and ``free``, and ``sequence``, one more than that of the
            step before. Without a number the step is applied in any case.

        Raises
        ------
        InputError
            If a field is malformed, a node is unknown or listed twice.
        ConflictError
            If the number is another one; nothing has changed then.
        """
        fields.only(body, ("busy", "free", "sequence"), (), "")
        if "busy" not in body and "free" not in body:
            raise InputError("needs busy or free", "body")
        number = self._number(body, self.sequence + 1)
        lists = [
            (names_in(body[key], key, self._selector), key == "free")
            for key in ("busy", "free")
            if key in body
        ]
        if len(lists) == 2 and (both := set(lists[0][0]) & set(lists[1][0])):
            raise InputError("is listed as busy, too", "free", min(both))
        if number != self.sequence + 1:
            problem = f"must be {self.sequence + 1}, not {number}"
            raise ConflictError(f"sequence: {problem}", self.sequence)
        flags = [one.copy() for one in self.free]
        for names, value in lists:
            for name in names:
                fabric, place = self._selector.cluster.index[name]
                flags[fabric][place] = value
        named = {name for names, _ in lists for name in names}
        taken = {k: v for k, v in self._now[2].items() if k not in named}
        self._now, self._stepped = (flags, number, taken), monotonic()

    def replace(self, body: dict[str, Any]) -> None:
        """Say of every node whether it is free, whatever was before.

        Parameters
        ----------
        body
            One of the hostlists ``busy`` and ``free``; all other nodes are the
            contrary. ``sequence`` is the number from which steps go on.

        Raises
        ------
        InputError
            If a field is malformed, a node is unknown or listed twice.
        """
        fields.only(body, ("busy", "free", "sequence"), (), "")
        number = self._number(body, min(self.sequence + 1, _LARGEST_FIRST))
        if number > _LARGEST_FIRST:
            raise InputError("must be from 0 to 2^52", "sequence", number)
        if ("busy" in body) == ("free" in body):
            raise InputError("needs one of busy and free", "body")
        self._now = flags_of(body, self._selector), number, {}
        self._stepped = monotonic()

    def document(self) -> dict[str, Any]:
        """Return the state as a JSON object."""
        (free, number, taken), fabrics = self._now, self._selector.cluster.fabrics
        names: dict[bool, list[str]] = {True: [], False: []}
        for fabric, flags in zip(fabrics, free, strict=True):
            for name, value in zip(fabric.nodes, flags.tolist(), strict=True):
                names[value].append(name)
        return {
            "sequence": number,
            "nodes": len(self._selector.cluster.index),
            "free_nodes": len(names[True]),
            "free": fold(names[True]),
            "busy": fold(names[False]),
            "taken": _takes(taken),
        }

    def count(self) -> int:
        """Return how many nodes are free."""
        return sum(int(np.count_nonzero(one)) for one in self.free)

    def _number(self, body: dict[str, Any], default: int) -> int:
        number = fields.integer(body.get("sequence", default), "sequence")
        if not 0 <= number < _LARGEST:
            raise InputError("must be from 0 to 2^53 - 1", "sequence", number)
        return number


def _takes(taken: Mapping[str, tuple[int, float]]) -> list[dict[str, Any]]:
    """List takes by their numbers, with the nodes that no step has named."""
    nodes: dict[tuple[int, float], list[str]] = {}
    for name, take in taken.items():
        nodes.setdefault(take, []).append(name)
    return [
        {
            "take": number,
            "nodes": fold(names),
            "seconds": round(monotonic() - begin, 3),
        }
        for (number, begin), names in sorted(nodes.items())
    ]


def names_in(value: Any, field: str, selector: NodeSelector) -> list[str]:
    """Return the nodes of a hostlist; all are of the cluster, none comes twice."""
    index = selector.cluster.index
    names = distinct(fields.string(value, field), field, len(index))
    for name in names:
        if name not in index:
            raise InputError("is not in the topology", field, name)
    return names


def flags_of(body: dict[str, Any], selector: NodeSelector) -> list[Flags]:
    """Return which nodes are free by ``free`` or ``busy`` of a body."""
    if "free" in body:
        return selector.free(names_in(body["free"], "free", selector))
    return selector.free(without=names_in(body["busy"], "busy", selector))
