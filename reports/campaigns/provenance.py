"""The machine and the versions with which a run was made."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

SOLVERS = ("ortools", "highspy", "pulp", "pyscipopt", "numba", "numpy")
"""Packages whose version may change an answer or a time."""


@cache
def solver_versions() -> str:
    """Name solvers and numerical packages with their versions.

    >>> "numba " in solver_versions()
    True
    """
    found = []
    for name in SOLVERS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


@cache
def machine() -> str:
    """Name system, processor and their number; no host name."""
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(errors="replace").splitlines()
        named = (line for line in lines if line.startswith("model name"))
        model = next(named, "").partition(":")[2].strip()
    parts = [f"{platform.system()} {platform.machine()}", model]
    return ", ".join([*filter(None, parts), f"{os.cpu_count()} CPUs"])
