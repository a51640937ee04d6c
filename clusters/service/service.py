"""Requests and answers of the service, as JSON objects; nothing here knows of HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from ...instances import InputError
from ...instances.reading import fields
from ...solvers import Settings
from ..jobs.machine import whole_nodes
from ..jobs.placing import describe, place
from ..jobs.request import job_of
from ..placement import MOST_K, NodeSelector, Objective, Request, describe_placement
from ..placement.program import Flags
from ..placement.request import NO_LINKS
from ..topologies import Hierarchy
from .state import ClusterState, flags_of, names_in

_OF_NODES = ("exclude", "free", "busy", "time_limit", "take")
KNOWN = ("k", "objective", "segment", "levels", "require", *_OF_NODES)
"""Fields of a request."""
OF_JOBS = ("job", *_OF_NODES)
"""Fields of a request for a job of several parts."""
_MOST_LEVELS = 64
_SHORT = 2**19
"""Nodes of the topology times nodes wanted, of choices that take little time."""


class Service:
    """A topology that stays in memory, the state of its nodes, and answers.

    Parameters
    ----------
    selector
        Chooses nodes.
    time_limit
        Maximal seconds of a request.
    """

    def __init__(self, selector: NodeSelector, *, time_limit: float = 1.0) -> None:
        self.selector = selector
        self.state = ClusterState(selector)
        self.time_limit = time_limit
        self.summary = selector.cluster.summary()
        self.nodes = len(selector.cluster.index)
        fabrics = selector.cluster.fabrics
        self._trees = all(isinstance(fabric, Hierarchy) for fabric in fabrics)

    def prepare(self) -> None:
        """Answer a request of each objective, so that kernels and tables are there."""
        for objective in NO_LINKS:
            try:
                request = Request(1, objective)
                self.selector.select(request, self.selector.free(), self._settings({}))
            except InputError:  # not on this network
                continue

    def is_short(self, body: dict[str, Any]) -> bool:
        """Whether the choice takes a few milliseconds at most, on trees and blocks."""
        k = body.get("k")
        return self._trees and isinstance(k, int) and self.nodes * k <= _SHORT

    def select(
        self, body: dict[str, Any], free: Sequence[Flags], waited: float = 0.0
    ) -> dict[str, Any]:
        """Choose nodes.

        Parameters
        ----------
        body
            The fields `KNOWN`, of which ``k`` is needed, as the options of the command
            ``select``.
        free
            The nodes that are free unless the body states it itself.
        waited
            Seconds for which the request has waited; they count against its limit.

        Returns
        -------
        dict
            The answer, without ``chosen`` if there is none.

        Raises
        ------
        InputError
            If a field is malformed, or the topology does not support it.
        """
        request, free = self.request(body, free)
        settings = self._settings(body, waited)
        placement = self.selector.select(request, free, settings)
        return describe_placement(self.selector, request, free, placement)

    def request(
        self, body: dict[str, Any], free: Sequence[Flags]
    ) -> tuple[Request, Sequence[Flags]]:
        """Read a request, and which nodes may be chosen for it."""
        fields.only(body, KNOWN, ("k",), "")
        k = fields.integer(body["k"], "k")
        if not 1 <= k <= MOST_K:
            raise InputError(f"must be from 1 to {MOST_K}", "k", k)
        selector = self.selector
        free = self._usable(body, free)
        wanted: list[str] = []
        if "require" in body:
            wanted = names_in(body["require"], "require", selector)
        segment = fields.integer(body.get("segment", 1), "segment")
        request = Request(
            k, self._objective(body), segment, _levels(body), frozenset(wanted)
        )
        return request, free

    def _usable(self, body: dict[str, Any], free: Sequence[Flags]) -> Sequence[Flags]:
        selector = self.selector
        if "free" in body and "busy" in body:
            raise InputError("cannot be given with free", "busy")
        if not isinstance(body.get("take", False), bool):
            raise InputError("must be true or false", "take", body["take"])
        if "free" in body or "busy" in body:
            if body.get("take"):
                raise InputError("cannot be given with free or busy", "take")
            free = flags_of(body, selector)
        if "exclude" in body:
            names = names_in(body["exclude"], "exclude", selector)
            others = selector.free(without=names)
            free = [a & b for a, b in zip(free, others, strict=True)]
        return free

    def place(
        self, body: dict[str, Any], free: Sequence[Flags], waited: float = 0.0
    ) -> dict[str, Any]:
        """Place a job of several parts on whole nodes; as `select` otherwise.

        ``body`` has the fields `OF_JOBS`, of which ``job`` is needed.
        """
        fields.only(body, OF_JOBS, ("job",), "")
        request = job_of(body["job"], {}, self.selector.cluster.index)
        if request.counts_devices:
            raise InputError("must be null: nodes are whole here", "job.roles.devices")
        fabrics = self.selector.cluster.fabrics
        pairs = zip(fabrics, self._usable(body, free), strict=True)
        machine = [whole_nodes(fabric, flags) for fabric, flags in pairs]
        placed = place(request, machine, self._settings(body, waited))
        return {"topology": self.summary, **describe(placed)}

    def _objective(self, body: dict[str, Any]) -> Objective:
        if "objective" not in body:
            return self.selector.objective
        named = fields.one_of(*(one.value for one in NO_LINKS))
        return Objective(named(body["objective"], "objective"))

    def _settings(self, body: dict[str, Any], waited: float = 0.0) -> Settings:
        most = self.time_limit
        seconds = fields.number(body.get("time_limit", Decimal(most)), "time_limit")
        if not 0 < seconds <= most:
            problem = f"must be above 0 and at most {most:g}"
            raise InputError(problem, "time_limit", seconds)
        return Settings(time_limit=max(float(seconds) - waited, 0.001))


def _levels(body: dict[str, Any]) -> dict[str, int]:
    levels = fields.objects(body.get("levels", {}), "levels")
    if len(levels) > _MOST_LEVELS:
        raise InputError(f"has more than {_MOST_LEVELS} levels", "levels")
    return {
        name: fields.integer(size, f"levels.{name}") for name, size in levels.items()
    }
