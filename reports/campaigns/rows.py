"""The result of one run of one method on one instance, and its identity."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ...instances import Instance, Value, problem_of, sha256
from ...instances.escape_hidden import escape_hidden
from ...instances.support import support_of
from ...methods import AnyMethod
from ...methods.code_digest import code_of
from ...solvers import Proof, Result, Settings
from .trace import Trace

REFUSED = "refused"
"""The method refused this instance."""
FAILED = "failed"
"""The method or its process failed."""

_SOLVERS = ("ortools", "highspy", "pulp", "numba", "numpy")
"""Packages whose version may change an answer or a time."""

Key = tuple[str, str, str, str, float, int, int, int, int, str]
"""The identity of a run: see `Row.key`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The result of one run, with its instance and settings.

    ``topology`` and ``shape`` are the kind of the network and its sides (number of
    points, of tree nodes); ``n``, ``k``, ``d`` and ``locations`` count free processors,
    how many to choose, axes, and processors free or busy; for other problems see
    `Features`. Limits are in seconds, nodes of a search, and MiB of all processes of
    the run; None without limit. ``repeat`` counts from 0 the runs that differ in their
    seed only.

    ``status`` is one of `Status`, or ``refused`` or ``failed``; then ``error`` is the
    reason. ``cost`` to ``selection`` are as in `Result`; the selection lists indices.
    ``memory_peak`` is in MiB, None where it is not known. ``trace`` is what the method
    reported while it ran (see `Recorder`), None where nothing was recorded, as in rows
    of earlier versions. ``code`` is the digest of the code that made the row, see
    `methods.code_digest`; "" in rows of earlier versions. The last five are the
    versions of closeknit, of Python and of the solvers, the computer, and when the run
    ended (UTC).
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
    trace: Trace | None = None
    code: str = ""
    version: str
    python: str
    solvers: str = ""
    machine: str
    finished: str

    @property
    def key(self) -> Key:
        """Instance, method, version, parameters and code, which identify a run.

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
            self.code,
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
    code: str = "",
    memory_peak: int | None = None,
    trace: Trace | None = None,
) -> Row:
    """Return the row of a run: its result, or why there is none and so its status."""
    features = support_of(instance).features(instance)
    shared: dict[str, Any] = {
        "instance": instance.name,
        "sha256": digest(instance),
        "problem": problem_of(instance).name,
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
        "code": code,
        "memory_peak": memory_peak,
        "trace": trace,
        "version": _version(),
        "python": platform.python_version(),
        "solvers": _solver_versions(),
        "machine": _machine(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    if isinstance(outcome, str):
        return Row(
            **shared, status=status, error=escape_hidden(" ".join(outcome.split()))
        )
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


def key_of(
    instance: Instance, method: AnyMethod, settings: Settings, repeat: int = 0
) -> Key:
    """Return the key that the row of a run will have."""
    return (
        digest(instance),
        instance.name,
        method.name,
        _version(),
        float(settings.time_limit),
        settings.node_limit or 0,
        settings.memory_mb or 0,
        settings.seed,
        repeat,
        code_of(method),
    )


@cache
def _version() -> str:
    """Return the version of closeknit: to read it takes 3 ms."""
    return version("closeknit")


@lru_cache(maxsize=4096)
def digest(instance: Instance) -> str:
    """Return the digest of an instance, computed once."""
    return sha256(instance)


@cache
def _solver_versions() -> str:
    """Name solvers and numerical packages with their versions."""
    found = []
    for name in _SOLVERS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


@cache
def _machine() -> str:
    """Name system, processor and their number; no host name."""
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(errors="replace").splitlines()
        named = (line for line in lines if line.startswith("model name"))
        model = next(named, "").partition(":")[2].strip()
    parts = [f"{platform.system()} {platform.machine()}", model]
    return ", ".join([*filter(None, parts), f"{os.cpu_count()} CPUs"])
