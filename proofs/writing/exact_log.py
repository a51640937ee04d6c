"""Proofs by Exact: a solver of pseudo-Boolean formulas that logs what it derives.

Exact (AGPL) is the optional extra ``proofs`` and runs in a process of its
own. Its log is about its own copy of the formula, which is compared with the formula of
the instance row by row, and rewritten to be about that.
"""

from __future__ import annotations

import json
import lzma
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

import numpy as np

from ...instances import InputError, Instance, Submesh, problem_of
from ...instances.extras import install
from ...instances.result import Limit
from ...instances.submesh import Box, box_at
from ...instances.submesh.packed import placement_from
from ...instances.submesh.packing import Packing, packing_of, ways
from ...instances.writing.files import write_bytes
from ...solvers.running import clock
from ...solvers.running.errors import SolverError
from ...solvers.running.interrupt import run_alarmed
from ..checking import (
    CheckLimits,
    Formula,
    Proved,
    Refused,
    TooLong,
    check_proof_file,
    formula_of,
)
from ..checking.rows import normalise
from .proof_log import MOST_BYTES
from .twins import FAST

_GRACE = 1.0
"""Seconds after which a solver that does not stop in time is killed."""


class Unusable(Exception):
    """A log proves nothing: it is cut off, unreadable or about other rows.

    So is one whose steps hold, but not its conclusion.
    """


@dataclass(frozen=True, slots=True)
class ExactOutcome:
    """What Exact found, and what its log proves."""

    ended: bool
    """Whether it ended by itself, and so claims to know the optimum."""
    chosen: tuple[int, ...] | None
    """The best choice that it found."""
    proved: Proved | Limit | Unusable
    """What its checked log proves; the limit that ended solving or checking; or why the
    log is of no use."""


def solve_by_exact(
    instance: Instance,
    *,
    seconds: float,
    checking: float | None = None,
    keep: str | Path | None = None,
) -> ExactOutcome:
    """Solve the formula of an instance by Exact, and check its log.

    Parameters
    ----------
    instance
        The instance; the formula is that of ``export --to opb``.
    seconds
        Limit on solving.
    checking
        Limit on checking; None for what solving leaves.
    keep
        Receives the log, packed by ``xz``, if it holds.

    Raises
    ------
    SolverError
        If Exact is not installed, crashes, or a step of its log does not hold.
    """
    start = clock.now()
    exact_version()
    formula, _ = run_alarmed(seconds, lambda: formula_of(instance))
    left = seconds - (clock.now() - start)
    if formula is None or left <= 0:
        return ExactOutcome(False, None, Limit.TIME)
    text = _job(formula)
    with TemporaryDirectory(prefix="closeknit-") as folder:
        log, draft = Path(folder) / "log", Path(folder) / "proof"
        ended, true = _solve(text, log, left)
        chosen = None if true is None else choice_of(instance, formula, true)
        if not ended:
            return ExactOutcome(False, chosen, Limit.TIME)
        packed = keep is not None
        proved: Proved | Limit | Unusable
        try:
            with (
                lzma.open(draft, "wt", encoding="ascii") if packed else draft.open("w")
            ) as stream:
                steps = _rewrite(formula, log, true, stream)
            left = seconds - (clock.now() - start) if checking is None else checking
            proved = _check(instance, draft, left, steps)
        except KeyboardInterrupt:
            proved = Limit.INTERRUPT
        except Unusable as error:
            proved = error
        if keep is not None and isinstance(proved, Proved):
            write_bytes(keep, draft.read_bytes())
    return ExactOutcome(True, chosen, proved)


def exact_version() -> str:
    """Return the version of Exact; SolverError if it is not installed."""
    try:
        return version("exact")
    except PackageNotFoundError:
        problem = f"Exact is not installed: {install('proofs')}"
        raise SolverError(problem) from None


def refute_by_exact(
    formula: Formula, path: str | Path, *, seconds: float
) -> Limit | None:
    """Refute a formula by Exact; None if the log is written, packed by ``xz``.

    It is not checked yet. Raises SolverError if Exact fails, or finds a solution.
    """
    with TemporaryDirectory(prefix="closeknit-") as folder:
        log = Path(folder) / "log"
        ended, true = _solve(_job(formula), log, seconds)
        if true is not None:
            raise SolverError("Exact finds a solution where there is none")
        if not ended:
            return Limit.TIME
        try:
            with lzma.open(path, "wt", encoding="ascii", preset=1) as stream:
                _rewrite(formula, log, None, stream)
        except Unusable as error:
            raise SolverError(f"Exact's log {error}") from None
    return None


def _job(formula: Formula) -> str:
    """Return a formula as the text that the worker reads."""
    job = {
        "variables": len(formula.names),
        "rows": [
            [[(a, x) for x, a in row.terms.items()], row.degree] for row in formula.rows
        ],
        "objective": [(a, x) for x, a in formula.objective.items() if a],
        "bytes": MOST_BYTES,
    }
    return json.dumps(job)


def _solve(job: str, log: Path, seconds: float) -> tuple[bool, frozenset[int] | None]:
    """Run Exact; return whether it ended by itself, and the variables that are 1."""
    worker = Path(__file__).with_name("exact_worker.py")
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(worker), str(log), str(seconds)],
            input=job,
            capture_output=True,
            text=True,
            timeout=seconds + _GRACE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, None
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2] or f"status {done.returncode}"
        raise SolverError(f"Exact failed: {last}")
    answer = json.loads(done.stdout.strip().rpartition("\n")[2])
    true = None
    if answer["values"] is not None:
        true = frozenset(v for v, one in enumerate(answer["values"], 1) if one)
    return answer["status"] in ("UNSAT", "SAT"), true


def choice_of(
    instance: Instance, formula: Formula, true: frozenset[int]
) -> tuple[int, ...]:
    """Return the choice that an assignment of the formula stands for."""
    names = {formula.names[v - 1] for v in true}
    return _CHOICES[problem_of(instance).name](instance, names)


def _placement(instance: Submesh, names: set[str]) -> tuple[int, ...]:
    packing = packing_of(instance)
    boxes = (
        _boxes_on_a_torus(packing, names)
        if instance.torus
        else boxes_of(packing, names)
    )
    return placement_from(instance, boxes).flat()


_CHOICES: dict[str, Callable[[Any, set[str]], tuple[int, ...]]] = {
    "ksubset": lambda one, names: tuple(i for i in range(one.n) if f"x{i}" in names),
    "procset": lambda one, names: tuple(p for p in one.available if f"x{p}" in names),
    "sukp": lambda one, names: tuple(j for j in range(one.n) if f"z{j}" not in names),
    "submesh": _placement,
}


def boxes_of(packing: Packing, true: set[str]) -> tuple[Box, ...]:
    """Return the boxes of a packing into a mesh, given the variables that are 1."""
    boxes = []
    for i, item in enumerate(packing.items):
        at = [
            sum(f"o{i}_{a}_{t}" in true for t in range(1, side))
            for a, side in enumerate(packing.shape)
        ]
        several = ways(packing, item)
        way = next((w for w in range(len(several)) if f"r{i}_{w}" in true), 0)
        boxes.append(item.at or box_at(at, several[way]))
    return tuple(boxes)


def _boxes_on_a_torus(packing: Packing, true: Iterable[str]) -> tuple[Box, ...]:
    boxes = []
    for i, way, cell in sorted(tuple(map(int, x[1:].split("_"))) for x in true):
        item = packing.items[i]
        several = ways(packing, item) if item.at is None else [item.size]
        at = np.unravel_index(cell, packing.shape)
        boxes.append(box_at([int(c) for c in at], several[way]))
    return tuple(boxes)


def _rewrite(
    formula: Formula, log: Path, true: frozenset[int] | None, stream: TextIO
) -> int:
    """Rewrite a log, about the rows and variables of a formula; count its steps.

    Exact may conclude from a row that is contradictory only together with others, and
    concludes nothing where there is no objective and it has a solution. Raises
    `Unusable`.
    """
    names = formula.names
    if true is not None and not any(formula.objective.values()):
        signs = ("" if v in true else "~" for v in range(1, len(names) + 1))
        assignment = " ".join(map("".join, zip(signs, names, strict=True)))
        stream.write(f"pseudo-Boolean proof version 1.1\no {assignment}\nc -1\n")
        return 1
    named = {f"x{v}": name for v, name in enumerate(names, 1)}
    steps = -1  # the header is none
    try:
        rows = {str(i): row for i, row in enumerate(_logged_rows(formula, log), 1)}
        with log.with_suffix(".proof").open(encoding="ascii") as lines:
            for line in lines:
                if not line.endswith("\n"):
                    break
                if line.startswith("c "):
                    stream.write("u >= 1 ;\nc -1\n")
                    return steps
                if line.startswith("l "):
                    line = f"l {rows[line[2:].strip()]}\n"
                else:
                    line = re.sub(r"\bx\d+", lambda m: named[m[0]], line)
                stream.write(line)
                steps += bool(line.strip()) and line[0] not in "*%"
    except KeyError as error:
        raise Unusable(f"is about another formula: it has no {error}") from None
    except (OSError, ValueError, IndexError) as error:
        raise Unusable(f"cannot be read: {error}") from None
    raise Unusable("is cut off")


def _logged_rows(formula: Formula, log: Path) -> Iterator[int]:
    """Yield the number in the formula of each row that Exact logged."""
    rows = {
        (frozenset(row.terms.items()), row.degree): number
        for number, row in enumerate(formula.rows, 1)
    }
    for line in log.with_suffix(".formula").read_text("ascii").splitlines():
        if ">=" in line:
            left, _, degree = line.rstrip(" ;").partition(">=")
            words = left.split()
            pairs = zip(words[::2], words[1::2], strict=True)
            row = normalise(
                [
                    (int(a), int(x.lstrip("~x")) * (-1 if x[0] == "~" else 1))
                    for a, x in pairs
                ],
                int(degree),
            )
            number = rows.get((frozenset(row.terms.items()), row.degree))
            if number is None:
                raise Unusable("is about a row that is not in the formula")
            yield number


def _check(
    instance: Instance, path: Path, seconds: float, steps: int
) -> Proved | Limit:
    """Check a log of so many steps before its conclusion.

    Raises `Unusable` where these hold and the conclusion does not, and SolverError
    where one of them does not hold.
    """
    limits = CheckLimits(seconds=max(seconds, 1.0), now=clock.now)
    try:
        return check_proof_file(instance, path, limits, FAST)
    except TooLong:
        return Limit.TIME
    except InputError as error:
        raise Unusable(f"cannot be read: {error.problem}") from None
    except Refused as refused:
        if 0 < refused.step <= steps:
            raise SolverError(f"Exact's log does not hold: {refused}") from None
        raise Unusable("has a conclusion that does not follow") from None
