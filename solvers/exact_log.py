"""Proofs by Exact: a solver of pseudo-Boolean formulas that logs what it derives.

Exact (AGPL) is the optional extra ``closeknit[proofs]`` and runs in a process of its
own. Its log is about its own copy of the formula, which is compared with the formula of
the instance row by row, and rewritten to be about that.
"""

from __future__ import annotations

import json
import lzma
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from ..instances import Instance
from ..instances.files import write_bytes
from ..instances.proofs import Formula, Proved, formula_of
from ..instances.proofs.rows import normalised
from .proof_log import checked_proof
from .result import Limit, SolverError

_MOST_BYTES = 2**31
"""Maximal size of a log."""
_GRACE = 5.0
"""Seconds after which a solver that does not stop in time is killed."""


def prove_by_exact(
    instance: Instance, path: str | Path, *, seconds: float
) -> Proved | Limit:
    """Let Exact prove an optimum or infeasibility; check its log and keep it.

    Parameters
    ----------
    instance
        The instance; the formula is that of ``export --to opb``.
    path
        Receives the proof, in the format of VeriPB 1.1, packed by ``xz``.
    seconds
        Limit on solving, and on checking.

    Returns
    -------
    Proved or Limit
        What the checked proof proves; the limit that ended solving or checking.

    Raises
    ------
    SolverError
        If Exact is not installed, crashes, or its log does not hold.
    """
    try:
        version("exact")
    except PackageNotFoundError:
        raise SolverError("Exact is not installed; install closeknit[proofs]") from None
    formula = formula_of(instance)
    with TemporaryDirectory(prefix="closeknit-") as folder:
        log = Path(folder) / "log"
        if not _solved(formula, log, seconds):
            return Limit.TIME
        text = "".join(_rewritten(formula, log))
        write_bytes(path, lzma.compress(text.encode()))
    return checked_proof(instance, path, seconds)


def _solved(formula: Formula, log: Path, seconds: float) -> bool:
    """Run Exact; return whether it ended by itself."""
    job = {
        "variables": len(formula.names),
        "rows": [
            [[(a, x) for x, a in row.terms.items()], row.degree] for row in formula.rows
        ],
        "objective": [(a, x) for x, a in formula.objective.items() if a],
        "seconds": seconds,
        "bytes": _MOST_BYTES,
    }
    worker = Path(__file__).with_name("exact_worker.py")
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(worker), str(log)],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=seconds + _GRACE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2] or f"status {done.returncode}"
        raise SolverError(f"Exact failed: {last}")
    answer = json.loads(done.stdout.strip().rpartition("\n")[2])
    return answer["status"] in ("UNSAT", "SAT")


def _rewritten(formula: Formula, log: Path) -> Iterator[str]:
    """Yield the lines of a log, about the rows and variables of a formula."""
    rows = {
        (frozenset(row.terms.items()), row.degree): number
        for number, row in enumerate(formula.rows, 1)
    }
    numbers = []
    for line in log.with_suffix(".formula").read_text().splitlines():
        if ">=" in line:
            left, _, degree = line.rstrip(" ;").partition(">=")
            words = left.split()
            pairs = zip(words[::2], words[1::2], strict=True)
            row = normalised(
                [
                    (int(a), int(x.lstrip("~x")) * (-1 if x[0] == "~" else 1))
                    for a, x in pairs
                ],
                int(degree),
            )
            number = rows.get((frozenset(row.terms.items()), row.degree))
            if number is None:
                raise SolverError("Exact logged a row that is not in the formula")
            numbers.append(number)
    names = formula.names
    with log.with_suffix(".proof").open() as lines:
        for line in lines:
            if line.startswith("l "):
                yield f"l {numbers[int(line[2:]) - 1]}\n"
            else:
                yield re.sub(r"\bx(\d+)", lambda m: names[int(m[1]) - 1], line)
