"""Answers of methods, as lines of a file, where CLOSEKNIT_ANSWERS names one.

`make published` compares these lines with those of earlier versions. A line has what
was asked and what was answered, and neither times nor dates.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from ...instances import InputError, Instance, problem_of
from ...instances.outcome import Result
from ...instances.problems import sha256
from .settings import Settings

ANSWERS = "CLOSEKNIT_ANSWERS"


def record(method: str, instance: Instance, settings: Settings, result: Result) -> None:
    """Append an answer to the file in one write, so that processes do not mix lines."""
    path = os.environ.get(ANSWERS)
    if not path:
        return
    line = {
        "problem": problem_of(instance).name,
        "instance": sha256(instance),
        "name": instance.name,
        "method": method,
        "seed": settings.seed,
        "ties": settings.ties.value,
        "nodes": settings.node_limit,
        "cost": result.objective,
        "bound": result.bound,
        "status": result.status.value,
        "proof": str(result.proof) if result.proof else None,
        "limit": result.limit.value if result.limit else None,
    }
    text = json.dumps(line) + "\n"
    try:
        with Path(path).open("a", buffering=len(text) + 1, encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", ANSWERS, path
        ) from None
