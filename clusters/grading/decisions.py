"""One decision of a scheduler: a job, the nodes that were free, those it was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from ...instances import InputError
from ...instances.reading import fields
from ...instances.reading.suggestions import entry_named
from ...scheduler.hostlist import first_repeated, unfold
from ..placement import NodeSelector, Objective, Request, nodes_of
from ..placement.program import Flags
from ..placement.request import NO_LINKS
from ..topologies.fabric import MOST_NODES
from ..topologies.tpu import Slice


class Why(Enum):
    """Why a decision cannot be graded."""

    UNKNOWN = "nodes that are not in the topology"
    BUSY = "chosen nodes that were not free"
    OTHER = "chosen nodes that the job may not use"
    COUNT = "another number of nodes than the job's"
    TWICE = "nodes that are listed twice"
    PARTS = "nodes in parts of the cluster without a connection"
    REQUEST = "a request that is not defined here"
    SHARED = "pods that share nodes unevenly"
    LIMIT = "no bound within the time limit"


class UngradableError(Exception):
    """A decision cannot be graded."""

    def __init__(self, why: Why, detail: str) -> None:
        super().__init__(detail)
        self.why = why


@dataclass(frozen=True, slots=True)
class Ungraded:
    """A decision that cannot be graded."""

    where: str
    """File and line, or the place in a document."""
    job: str
    why: Why
    detail: str
    objective: Objective
    """By which it would be graded."""


@dataclass(frozen=True, slots=True, eq=False)
class PastDecision:
    """A decision with everything that its grade depends on."""

    where: str
    """File and line, or the place in a document."""
    job: str
    request: Request
    free: Sequence[Flags]
    """Which nodes of every fabric were free; they are not kept by the grade."""
    chosen: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a job asked for, as far as its record states."""

    k: int
    segment: int = 1
    levels: Mapping[str, int] | None = None
    objective: Objective | None = None
    require: frozenset[str] = frozenset()
    slice: Slice | None = None

    def request(self, objective: Objective) -> Request:
        """Return the request; raise UngradableError if it contradicts itself."""
        try:
            return Request(
                self.k,
                self.objective or objective,
                self.segment,
                self.levels or {},
                self.require,
                self.slice,
            )
        except InputError as error:
            raise UngradableError(Why.REQUEST, str(error.of_json())) from None


_FIELDS = ("job", "free", "busy", "chosen")
_OF_JOBS = ("name", "k", "segment", "levels", "objective", "require", "slice")


def decision_of(
    entry: Mapping[str, Any],
    where: str,
    selector: NodeSelector,
    usable: Sequence[Flags],
    objective: Objective,
) -> PastDecision | Ungraded:
    """Read the object of a line.

    Parameters
    ----------
    entry
        ``chosen``; one of ``free`` and ``busy``; ``job`` with ``k`` or ``slice``, and
        perhaps ``name``, ``segment``, ``levels``, ``objective`` and ``require``. Nodes
        are hostlists, or lists of names.
    where
        File and line.
    selector
        Of the cluster.
    usable
        Nodes that may be chosen at all; others are busy, whatever a line states.
    objective
        Of jobs that name none.

    Raises
    ------
    InputError
        If a field is missing, unknown or of another type.
    """
    fields.only(dict(entry), _FIELDS, ("job", "chosen"), "")
    if ("free" in entry) == ("busy" in entry):
        raise InputError("must be given, or else busy, and only one of them", "free")
    job = fields.objects(entry["job"], "job")
    fields.only(job, _OF_JOBS, ("slice" if "slice" in job else "k",), "job")
    name = fields.string(job.get("name", ""), "job.name")
    wish = _wish(job)
    chosen = _names(entry["chosen"], "chosen")
    state = "free" if "free" in entry else "busy"
    listed = _names(entry[state], state)
    try:
        once(listed, state)
        try:
            flags = selector.free(
                listed if state == "free" else None,
                without=listed if state == "busy" else (),
                fields=("free", "busy"),
            )
        except InputError as error:
            raise UngradableError(Why.UNKNOWN, str(error.of_json())) from None
        free = [a & b for a, b in zip(flags, usable, strict=True)]
        if wish.slice:
            try:
                k = nodes_of(selector.cluster.fabrics[0], wish.slice)
            except InputError as error:
                raise UngradableError(Why.REQUEST, str(error.of_json())) from None
            wish = replace(wish, k=k)
        return PastDecision(where, name, wish.request(objective), free, tuple(chosen))
    except UngradableError as error:
        wished = wish.objective or objective
        return Ungraded(where, name, error.why, str(error), wished)


def once(names: Sequence[str], what: str) -> None:
    """Raise UngradableError if a name is listed twice."""
    if len(set(names)) < len(names):
        detail = f"{what}: {first_repeated(names)} is listed twice"
        raise UngradableError(Why.TWICE, detail)


def _wish(job: Mapping[str, Any]) -> Wish:
    wanted = None
    if "slice" in job:
        wanted = Slice.of(fields.string(job["slice"], "job.slice"))
    k = 1 if wanted else fields.integer(job["k"], "job.k")
    if not 1 <= k <= MOST_NODES:
        raise InputError(f"must be from 1 to {MOST_NODES}", "job.k", k)
    objective = None
    if "objective" in job:
        text = fields.string(job["objective"], "job.objective")
        known = {one.value: one for one in NO_LINKS}
        objective = entry_named(text, known, "job.objective", "objective")
    levels = {
        level: fields.integer(size, f"job.levels.{level}")
        for level, size in fields.objects(job.get("levels", {}), "job.levels").items()
    }
    require = _names(job["require"], "job.require") if "require" in job else []
    segment = fields.integer(job.get("segment", 1), "job.segment")
    return Wish(k, segment, levels, objective, frozenset(require), wanted)


def _names(value: Any, field: str) -> list[str]:
    """Return the names in a hostlist or a list of names; both may be empty."""
    if isinstance(value, list):
        names = list(fields.strings(value, field))
        if len(names) > MOST_NODES:
            raise InputError(f"has more than {MOST_NODES} names", field)
        return names
    text = fields.string(value, field)
    return unfold(text, field=field, most=MOST_NODES) if text.strip(", ") else []
