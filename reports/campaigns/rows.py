"""The result of one run of one method on one instance, and its identity."""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from ...instances import Instance, Value, problem_of, sha256
from ...instances.visible import visible
from ...solvers import Limit, Proof, Result, Settings, Status
from .provenance import machine, solver_versions

REFUSED = "refused"
"""The method refused this instance."""
FAILED = "failed"
"""The method or its process failed."""

Key = tuple[str, str, str, str, float, int, int, int, int]
"""The identity of a run: see `Row.key`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The result of one run, with its instance and settings.

    Parameters
    ----------
    instance, sha256
        Its name, and the digest of what defines it.
    topology, shape
        Kind of network, and its sides (number of points, of tree nodes); for other
        problems see `Facts`.
    n, k, d, locations
        Free processors, how many to choose, axes, processors free or busy; or
        again `Facts`.
    method, time_limit, seed
        What was run, and how; seconds.
    node_limit, memory_limit
        Nodes of a search, MiB of all processes of the run; None without limit.
    repeat
        Number of the run among those that differ in their seed only, from 0.
    status
        One of `Status`, or ``refused`` or ``failed``; then ``error`` is the reason.
    cost, bound, proof, limit, seconds, selection
        As in `Result`; the selection lists indices.
    memory_peak
        MiB of all its processes; None where that is not known.
    version, python, solvers, machine, finished
        Of closeknit, of Python, of what `SOLVERS` lists, and of the computer; when
        it ended (UTC).
    """

    instance: str
    sha256: str
    problem: str = "ksubset"
    topology: str
    shape: tuple[int, ...]
    n: int
    k: int
    d: int
    locations: int
    method: str
    time_limit: float
    seed: int
    node_limit: int | None = None
    memory_limit: int | None = None
    repeat: int = 0
    status: str
    cost: Value | None = None
    bound: Value | None = None
    proof: Proof | None = None
    limit: str | None = None
    seconds: float | None = None
    selection: tuple[int, ...] | None = None
    error: str = ""
    memory_peak: int | None = None
    version: str
    python: str
    solvers: str = ""
    machine: str
    finished: str

    @property
    def key(self) -> Key:
        """Instance, method, version, parameters: run twice, it is one run.

        The name belongs to it: a selection lists positions, and instances of one
        digest may list the same things in another order.
        """
        return (
            self.sha256,
            self.instance,
            self.method,
            self.version,
            float(self.time_limit),
            self.node_limit or 0,
            self.memory_limit or 0,
            self.seed,
            self.repeat,
        )

    @property
    def ran(self) -> bool:
        """Whether the method ran and returned."""
        return self.status not in (REFUSED, FAILED)


def row_of(
    instance: Instance,
    method: str,
    settings: Settings,
    outcome: Result | str,
    status: str,
    *,
    repeat: int = 0,
    memory_peak: int | None = None,
) -> Row:
    """Return the row of a run: its result, or why there is none and so its status."""
    problem = problem_of(instance)
    features = problem.features(instance)
    shared: dict[str, Any] = {
        "instance": instance.name,
        "sha256": digest(instance),
        "problem": problem.name,
        "topology": features.structure,
        "shape": features.shape,
        "n": features.n,
        "k": features.k,
        "d": features.d,
        "locations": features.locations,
        "method": method,
        "time_limit": settings.time_limit,
        "seed": settings.seed,
        "node_limit": settings.node_limit,
        "memory_limit": settings.memory_mb,
        "repeat": repeat,
        "memory_peak": memory_peak,
        "version": version("closeknit"),
        "python": platform.python_version(),
        "solvers": solver_versions(),
        "machine": machine(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    if isinstance(outcome, str):
        return Row(**shared, status=status, error=visible(" ".join(outcome.split())))
    return Row(
        **shared,
        status=outcome.status.value,
        cost=outcome.objective,
        bound=outcome.bound,
        proof=outcome.proof,
        limit=outcome.limit.value if outcome.limit else None,
        seconds=round(outcome.seconds, 6),
        selection=outcome.chosen,
    )


def out_of_memory(
    instance: Instance,
    method: str,
    settings: Settings,
    why: str,
    *,
    seconds: float,
    memory_peak: int,
    repeat: int = 0,
) -> Row:
    """Return the row of a run that was ended because it took too much memory."""
    return replace(
        row_of(instance, method, settings, why, FAILED, repeat=repeat),
        status=Status.UNKNOWN.value,
        limit=Limit.MEMORY.value,
        seconds=round(seconds, 6),
        memory_peak=memory_peak,
    )


def key_of(instance: Instance, method: str, settings: Settings, repeat: int = 0) -> Key:
    """Return the key that the row of a run will have."""
    return (
        digest(instance),
        instance.name,
        method,
        version("closeknit"),
        float(settings.time_limit),
        settings.node_limit or 0,
        settings.memory_mb or 0,
        settings.seed,
        repeat,
    )


@lru_cache(maxsize=4096)
def digest(instance: Instance) -> str:
    """Return the digest of an instance, computed once."""
    return sha256(instance)
