"""Writing instances of any problem, and solutions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..outcome import Result
from ..problems import Instance
from ..problems import sha256 as digest
from ..reading.json_text import dumps
from ..solution import FORMAT
from ..support import support_of
from .files import write_text


def write_instance(instance: Instance, path: str | Path) -> None:
    """Write an instance of any problem, so that reading it returns an equal instance.

    Parameters
    ----------
    instance
        The instance.
    path
        The file; an existing one is replaced.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    write_text(path, dumps(support_of(instance).document_of(instance)) + "\n")


write_ksubset = write_procset = write_sukp = write_submesh = write_instance
"""The same function, under the names of the problems."""


def solution_of(instance: Instance, method: str, result: Result) -> dict[str, Any]:
    """Return the JSON object of a result."""
    proof = result.proof
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": 1,
        "instance": instance.name,
        "sha256": digest(instance),
        "method": method,
        "status": result.status.value,
        "objective": result.objective,
        "bound": result.bound,
        "proof": {"grade": proof.grade.value, "by": proof.by} if proof else None,
        "certificate": result.certificate,
        "limit": result.limit.value if result.limit else None,
        "selection": None
        if result.chosen is None
        else support_of(instance).selection_of(instance, result.chosen),
        "seconds": round(result.seconds, 6),
        "seed": result.seed,
    }
    return {key: value for key, value in document.items() if value is not None}


def write_solution(
    instance: Instance, method: str, result: Result, path: str | Path
) -> None:
    """Write a solution file."""
    write_text(path, dumps(solution_of(instance, method, result)) + "\n")
