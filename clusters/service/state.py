"""Which nodes of a cluster are free, as a scheduler states it in numbered steps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from time import monotonic
from typing import Any

import numpy as np

from ...instances import InputError
from ...instances.reading import fields
from ...scheduler.hostlist import fold
from ...scheduler.http.problems import HTTPProblem
from ..availability import Availability, Known, availability
from ..node_states import NodeRules
from ..placement import NodeSelector
from ..placement.program import Flags
from ..state import distinct, report_of

_LARGEST = 2**53
"""Sequence numbers are below this, so that every JSON reader keeps them exact."""
_OF_REPORTS = ("reports", "assume_up", "reservation", "no_boot", "tolerate")
"""Fields of a body with reports, as the options of the command ``select``."""
_LARGEST_FIRST = 2**52
"""No one begins above this, so that there are always numbers for the steps to come."""


_State = tuple[Sequence[Flags], int, Mapping[str, tuple[int, float]]]
"""Which nodes are free, the number of the last step, and of which take and time those
nodes are that were taken and that no step has named since."""


class ClusterState:
    """The free nodes of a cluster; at first all that its file does not call unusable.

    Steps replace the arrays in `free`, so that a request may keep those it began with.
    One thread makes steps, others may read.
    """

    def __init__(self, selector: NodeSelector) -> None:
        self._selector = selector
        self._known = availability(selector.cluster, Known())
        free = selector.free(without=self._known.reasons)
        self._now: _State = free, 0, {}
        self._takes = count(1)
        self._stepped: float | None = None
        self._told: dict[str, Any] = self._known.document()

    @property
    def free(self) -> Sequence[Flags]:
        """Which nodes of every fabric are free."""
        return self._now[0]

    @property
    def not_busy(self) -> Sequence[Flags]:
        """Which nodes no one calls busy, for callers that know themselves what is up.

        Until the first step that are also those which the topology's file, by now old,
        calls unusable.
        """
        if self._stepped is not None:
            return self.free
        others = self._selector.free(self._known.reasons)
        return [a | b for a, b in zip(self.free, others, strict=True)]

    @property
    def told(self) -> dict[str, Any]:
        """Where the state is from, and what is known of the nodes that are not free."""
        return self._told

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
        HTTPProblem
            If one is busy by now; nothing has changed then.
        """
        flags = [one.copy() for one in self.free]
        for name in names:
            fabric, place = self._selector.cluster.index[name]
            if not flags[fabric][place]:
                problem = f"take: {name} is not free any more"
                raise HTTPProblem(409, problem, sequence=self.sequence)
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
        HTTPProblem
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
            raise HTTPProblem(409, f"sequence: {problem}", sequence=self.sequence)
        flags = [one.copy() for one in self.free]
        for names, value in lists:
            for name in names:
                fabric, place = self._selector.cluster.index[name]
                flags[fabric][place] = value
        named = {name for names, _ in lists for name in names}
        taken = {k: v for k, v in self._now[2].items() if k not in named}
        self._now, self._stepped = (flags, number, taken), monotonic()
        self._told = {"source": "POST /state"}

    def replace(self, body: dict[str, Any]) -> None:
        """Say of every node whether it is free, whatever was before.

        Parameters
        ----------
        body
            One of the hostlists ``busy`` and ``free``; all other nodes are the
            contrary. Or ``reports`` as JSON objects, with which both may be given, and
            what options of the command say: ``assume_up``, ``reservation``, ``no_boot``
            and ``tolerate``. ``sequence`` is the number from which steps go on.

        Raises
        ------
        InputError
            If a field is malformed, a node is unknown or listed twice, or the reports
            say nothing of the state of nodes.
        """
        fields.only(body, ("busy", "free", "sequence", *_OF_REPORTS), (), "")
        number = self._number(body, min(self.sequence + 1, _LARGEST_FIRST))
        if number > _LARGEST_FIRST:
            raise InputError("must be from 0 to 2^52", "sequence", number)
        if "reports" in body:
            known = self._read_reports(body)
            flags = self._selector.free(without=known.reasons)
            self._told = known.document()
        elif given := [key for key in _OF_REPORTS if key in body]:
            raise InputError("needs reports", given[0])
        elif ("busy" in body) == ("free" in body):
            raise InputError("needs one of busy and free, or reports", "body")
        else:
            flags = flags_of(body, self._selector)
            self._told = {"source": "PUT /state"}
        self._now = flags, number, {}
        self._stepped = monotonic()

    def _read_reports(self, body: dict[str, Any]) -> Availability:
        """Return what the reports of a body and its lists say together."""
        reports = []
        for i, one in enumerate(fields.lists(body["reports"], "reports")):
            at = f"reports[{i}]"
            try:
                report = report_of(fields.objects(one, at))
            except InputError as error:
                raise InputError(
                    error.problem, f"{at}.{error.field}", error.value
                ) from None
            report.file = f"{at} ({report.source})"
            reports.append(report)
        names = {
            key: names_in(body[key], key, self._selector)
            for key in ("free", "busy")
            if key in body
        }
        truths = {key: body.get(key, False) for key in ("assume_up", "no_boot")}
        for key, value in truths.items():
            if not isinstance(value, bool):
                raise InputError("must be true or false", key, value)
        known = Known(
            reports=reports,
            free=names.get("free"),
            busy=names.get("busy", ()),
            rules=NodeRules(
                fields.string(body.get("reservation", ""), "reservation"),
                not truths["no_boot"],
                frozenset(fields.strings(body.get("tolerate", []), "tolerate")),
            ),
            assume_up=truths["assume_up"],
            of_topology=False,
        )
        return availability(self._selector.cluster, known)

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
            "state": self.told,
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
