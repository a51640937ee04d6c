"""Which searches write pseudo-Boolean proofs, and proving an answer by them.

To add one: a function that takes an instance, an optimal choice or None, and a
`ProofLog`, and writes a whole proof that nothing is cheaper, or that there is no
choice; it returns False for instances that it does not serve.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..exact.sukp.sukp_bb import record as sukp_bb
from ..instances import Instance, problem_of
from ..instances.proofs import Proved
from ..instances.value import cost_text, ordered
from ..solvers.exact_log import prove_by_exact
from ..solvers.proof_log import MOST_BYTES, ProofLog, kept_proof
from ..solvers.result import LOGGED, Limit, Result, SolverError, Status

Prover = Callable[[Any, Sequence[int] | None, ProofLog], bool]
"""Writes a proof about an instance and its optimal choice, or returns False."""

PROVERS: dict[str, tuple[Prover, ...]] = {
    "ksubset": (),
    "procset": (),
    "sukp": (sukp_bb.write_proof,),
    "submesh": (),
}
"""The searches that write proofs, by problem, the best first; then comes Exact."""


class _DoesNotServe(Exception):
    """A search writes no proofs for an instance."""


def proved_by(
    prover: Prover,
    instance: Instance,
    chosen: Sequence[int] | None,
    path: str | Path,
    *,
    seconds: float,
    most_bytes: int = MOST_BYTES,
) -> Proved | Limit | None:
    """Keep and check the proof of one search; None where it writes none."""

    def write(log: ProofLog) -> None:
        if not prover(instance, chosen, log):
            raise _DoesNotServe

    try:
        return kept_proof(instance, path, write, seconds=seconds, most_bytes=most_bytes)
    except _DoesNotServe:
        return None


def logged(
    instance: Instance, result: Result, path: str | Path, *, seconds: float
) -> tuple[Result, str]:
    """Write a proof of an answer to a file, check it, and cite it.

    Parameters
    ----------
    instance, result
        The instance and what a method found.
    path
        Receives the proof, packed by ``xz``.
    seconds
        Limit of each search that tries.

    Returns
    -------
    Result
        Of grade ``checked`` if the proof shows that the answer is optimal.
    str
        Why it does not; empty if it does.

    Raises
    ------
    SolverError
        If a proof does not hold, or contradicts the answer.
    """
    proved: Proved | Limit | None = None
    why = "no proof: Exact is not installed; install closeknit[proofs]"
    if result.status in (Status.OPTIMAL, Status.INFEASIBLE):
        for prover in PROVERS[problem_of(instance).name]:
            proved = proved_by(prover, instance, result.chosen, path, seconds=seconds)
            if isinstance(proved, Proved):
                break
            if proved is not None:
                why = f"no proof: stopped by {proved.value}"
    if not isinstance(proved, Proved) and find_spec("exact") is not None:
        proved = prove_by_exact(instance, path, seconds=seconds)
        if isinstance(proved, Limit):
            why = f"no proof: stopped by {proved.value}"
    if not isinstance(proved, Proved):
        return result, why
    return _with_proof(result, proved, path)


def _with_proof(result: Result, proved: Proved, path: str | Path) -> tuple[Result, str]:
    """Return a result with what a checked proof adds to it."""
    if proved.bound is None:
        if result.chosen is not None:
            raise SolverError(f"{path} proves that there is no solution")
        return (
            replace(
                result,
                status=Status.INFEASIBLE,
                proof=LOGGED,
                limit=None,
                certificate=None,
            ),
            "",
        )
    if result.objective is None or ordered(proved.bound) != ordered(result.objective):
        return result, f"proves a bound of {cost_text(proved.bound)}"
    optimal = replace(
        result, status=Status.OPTIMAL, bound=proved.bound, proof=LOGGED, limit=None
    )
    return optimal, ""
