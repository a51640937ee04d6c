"""Workers that are jobs of Slurm, from a TOML file, by dask-jobqueue."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from shutil import which
from typing import Any

from ...instances import InputError
from ...instances.extras import install
from ...instances.reading.parsing import read_toml
from ...instances.reading.suggestions import hint

_NEEDED = ("jobs", "cores", "memory")
_KNOWN = {
    "jobs": int,
    "cores": int,
    "memory": str,
    "processes": int,
    "queue": str,
    "account": str,
    "walltime": str,
    "job-cpu": int,
    "job-mem": str,
    "job-extra-directives": list,
    "job-directives-skip": list,
    "job-script-prologue": list,
    "worker-extra-args": list,
    "interface": str,
    "scheduler-address": str,
    "local-directory": str,
    "log-directory": str,
    "death-timeout": int,
    "python": str,
}
"""Fields, and what each has to be; but for ``jobs`` as dask-jobqueue has them."""


def dask_module(name: str, field: str) -> Any:
    """Import a part of Dask; InputError naming the extra if it is missing."""
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"needs Dask: {install('dask')}", field=field) from None


def cluster_of(path: Path) -> Any:
    """Start a scheduler here and submit the jobs in which its workers run.

    Raises InputError for a file that is not as it should be, and without Slurm.
    """
    jobqueue = dask_module("dask_jobqueue", "dask_jobqueue")
    options = _options(path)
    if which("sbatch") is None:
        raise InputError("there is no sbatch here", field="dask_jobqueue")
    jobs = options.pop("jobs")
    address = options.pop("scheduler_address", None)
    if address is not None:
        options["scheduler_options"] = {"host": address}
    try:
        cluster = jobqueue.SLURMCluster(**options)
    except (ValueError, TypeError, OSError, RuntimeError) as error:
        raise InputError(f"cannot be used: {error}", file=path) from None
    cluster.scale(jobs=jobs)
    return cluster


def _options(path: Path) -> dict[str, Any]:
    found = read_toml(path)
    for name, value in found.items():
        if name not in _KNOWN:
            problem = f"unknown field ({hint(name, _KNOWN)})"
            raise InputError(problem, file=path, field=name)
        kind = _KNOWN[name]
        if not isinstance(value, kind) or isinstance(value, bool):
            wanted = {int: "an integer", str: "text", list: "a list"}[kind]
            raise InputError(f"must be {wanted}", file=path, field=name, value=value)
        if isinstance(value, int) and value < 1:
            raise InputError("must be at least 1", file=path, field=name, value=value)
    for name in _NEEDED:
        if name not in found:
            raise InputError("is missing", file=path, field=name)
    return {name.replace("-", "_"): value for name, value in found.items()}
