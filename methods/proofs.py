"""Which searches write pseudo-Boolean proofs, and proving an answer by them.

To add one: a function that takes an instance, an optimal choice or None, and a
`ProofLog`, and writes a whole proof that nothing is cheaper, or that there is no
choice; it returns False for instances that it does not serve.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..exact.ksubset.cuts_bb.record import record
from ..exact.ksubset.distances_bb import proof as distances_bb
from ..exact.ksubset.dnn_bb import record as dnn_bb
from ..exact.ksubset.dnn_bb import search as dnn_search
from ..exact.procset.proving import levels
from ..exact.submesh.proving import prove_by_learning
from ..exact.sukp.sukp_bb import record as sukp_bb
from ..instances import InputError, Instance, KSubset, cost, problem_of
from ..instances.extras import install
from ..instances.ksubset.certificate_file import FORMAT as CUTS_FORMAT
from ..instances.outcome import BOUNDED, CERTIFIED, Result
from ..instances.result import LOGGED, NOTHING, Grade, Limit, Status
from ..instances.support import support_of
from ..instances.value import as_tuple, cost_text
from ..instances.writing.files import write_bytes
from ..proofs.checking import Proved
from ..proofs.checking.folder import BY_DEFINITION, KINDS, shown_by_definition
from ..proofs.checking.kinds import (
    CERTIFICATE,
    DNN,
    DNN_FORMAT,
    LOG,
)
from ..proofs.writing.exact_log import ExactOutcome, Unusable, solve_by_exact
from ..proofs.writing.kinds import AUTO, WRITTEN, kinds_about
from ..proofs.writing.proof_files import write_certificate
from ..proofs.writing.proof_log import ProofLog, check_own_proof, keep_proof
from ..solvers import answer
from ..solvers.running import clock
from ..solvers.running.errors import SolverError
from ..solvers.running.method import AnyMethod

Prover = Callable[[Any, Sequence[int] | None, ProofLog], bool]
"""Writes a proof about an instance and its optimal choice, or returns False."""

PROVERS: dict[str, tuple[Prover, ...]] = {
    "ksubset": (distances_bb.prove,),
    "procset": (levels.prove,),
    "sukp": (sukp_bb.write_proof,),
    "submesh": (prove_by_learning,),
}
"""The searches that write proofs, by problem, the best first; then comes Exact, and at
once where something is required, of which they know nothing."""


class _DoesNotServe(Exception):
    """A search writes no proofs for an instance."""


def proved_by(
    prover: Prover,
    instance: Instance,
    chosen: Sequence[int] | None,
    path: str | Path,
    *,
    seconds: float,
) -> Proved | Limit | None:
    """Keep and check the proof of one search; None where it writes none."""

    def write(log: ProofLog) -> None:
        if not prover(instance, chosen, log):
            raise _DoesNotServe

    try:
        return keep_proof(instance, path, write, seconds=seconds)
    except _DoesNotServe:
        return None


@dataclass(frozen=True, slots=True)
class Kept:
    """A checked proof of an answer, and how it was found.

    ``kind`` is one of `KINDS`; ``by`` states who wrote it. ``size`` is in bytes; times
    are of writing it, a search or a solver included, and of checking it.
    """

    kind: str
    by: str
    size: int = 0
    writing: float = 0.0
    checking: float = 0.0


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer, with the proof that was kept for it.

    Parameters
    ----------
    result
        The answer, of grade ``checked`` if a proof shows that it is optimal.
    kept
        The proof; None if there is none.
    why
        Why there is none; empty if there is one.
    """

    result: Result
    kept: Kept | None
    why: str


def kinds_to_write(
    instance: Instance, method: AnyMethod, proof: str | Path | None, wanted: str = AUTO
) -> list[str]:
    """Return which kinds of proofs to try on an answer, in order; none without a file.

    Parameters
    ----------
    instance, method
        The instance, and the method that is to answer.
    proof, wanted
        The file, if one is asked for, and the option of a kind, or ``auto``.

    Raises
    ------
    InputError
        Before any work, where no such proof can be written.
    """
    if proof is None:
        if wanted != AUTO:
            raise InputError("is for a proof in a file", "proof_kind", wanted)
        return []
    kinds = kinds_about(instance, wanted)
    if kinds in ([CERTIFICATE], [DNN]) and not method.exact:
        raise InputError(
            f"{wanted} is for exact methods, which prove something, not {method.name}",
            "proof_kind",
        )
    return kinds


def prove_and_cite(
    instance: Instance,
    result: Result,
    path: str | Path,
    *,
    seconds: float,
    kinds: Collection[str] = KINDS,
    exact: bool = True,
) -> Cited:
    """Prove an answer in the way that costs least, keep the proof, and cite it.

    In turn: what the definition shows, then the kinds that are written about such
    instances, in the order of `kinds_about`, until there is a proof.

    Parameters
    ----------
    instance, result
        The instance and what a method found.
    path
        Receives the proof, packed by ``xz``, unless the definition shows enough.
    seconds
        Limit of each search that tries.
    kinds
        Kinds of proofs that will do.
    exact
        Whether Exact is asked where no search of closeknit's own writes a proof.

    Raises
    ------
    SolverError
        If a proof does not hold, or contradicts the answer.
    """
    if BY_DEFINITION in kinds and shown_by_definition(
        instance, result.objective, result.certificate
    ):
        result = _by_definition(result)
        return Cited(result, Kept(BY_DEFINITION, str(result.proof)), "")
    reasons = []
    for kind in kinds_about(instance):
        if kind in kinds:
            found = WRITERS[kind](instance, result, path, seconds, exact)
            if found.kept is not None:
                return found
            result = found.result
            reasons.append(found.why)
    return Cited(result, None, "; ".join(reasons) or "no proof: none is written of it")


def _by_definition(result: Result) -> Result:
    """Cite what the definition shows: that a solution costs nothing."""
    if result.objective is None or (
        result.proof is not None and result.proof.grade is Grade.CHECKED
    ):
        return result
    return replace(
        result,
        status=Status.OPTIMAL,
        bound=result.objective,
        proof=NOTHING,
        limit=None,
    )


def keep_certificate(
    instance: KSubset, result: Result, path: str | Path, seconds: float, exact: bool
) -> Cited:
    """Write the search over cuts down as a certificate, check it, and cite it.

    Parameters are those of `prove_and_cite`.
    """
    if result.status is not Status.OPTIMAL or not isinstance(result.objective, int):
        return Cited(result, None, "no certificate: it was not proved optimal")
    start = clock.now()
    nodes = record(instance, result.objective, start + seconds)
    kept = _keep_nodes(instance, result.objective, nodes, path, seconds, start)
    if isinstance(kept, str):
        return Cited(result, None, kept)
    return Cited(replace(result, proof=CERTIFIED), kept, "")


def _keep_bounds(
    instance: KSubset, result: Result, path: str | Path, seconds: float, exact: bool
) -> Cited:
    """Write the bound down as a certificate by semidefinite matrices, and cite it.

    Parameters are those of `prove_and_cite`.
    """
    bound = result.bound
    if not isinstance(bound, int) or result.chosen is None:
        return Cited(result, None, "no certificate: there is no bound")
    if why := dnn_search.refusal(instance):
        return Cited(result, None, f"no certificate: {why}")
    start = clock.now()
    chosen = tuple(result.chosen)
    nodes = dnn_bb.record(instance, bound, chosen, start + seconds)
    kept = _keep_nodes(instance, bound, nodes, path, seconds, start, DNN)
    if isinstance(kept, str):
        return Cited(result, None, kept)
    return Cited(replace(result, proof=BOUNDED), kept, "")


def _keep_nodes(
    instance: KSubset,
    objective: int,
    nodes: list[Any] | Limit,
    path: str | Path,
    seconds: float,
    start: float,
    kind: str = CERTIFICATE,
) -> Kept | str:
    """Write and check a certificate of nodes; return why there is none."""
    if isinstance(nodes, Limit):
        return f"no certificate: writing the proof down was stopped by {nodes.value}"
    with TemporaryDirectory(prefix="closeknit-") as folder:
        draft = Path(folder) / "proof.xz"
        name = {CERTIFICATE: CUTS_FORMAT, DNN: DNN_FORMAT}[kind]
        write_certificate(instance, objective, nodes, draft, name)
        spent = clock.now() - start
        proved = check_own_proof(instance, draft, 10 * seconds)
        if isinstance(proved, Limit):
            return f"no certificate: stopped by {proved.value}"
        write_bytes(path, draft.read_bytes())
    by = WRITTEN[kind].by
    return Kept(kind, by, proved.size, spent, proved.seconds)


def _log_proof(
    instance: Instance,
    result: Result,
    path: str | Path,
    seconds: float,
    exact: bool,
) -> Cited:
    """Let the searches of closeknit write a pseudo-Boolean proof, then Exact."""
    proved: Proved | Limit | Unusable | None = None
    why = f"no proof: Exact is not installed: {install('proofs')}"
    start, by = clock.now(), "Exact"
    if result.status in (Status.OPTIMAL, Status.INFEASIBLE):
        required = support_of(instance).required(instance)
        for prover in () if required else PROVERS[problem_of(instance).name]:
            start = clock.now()
            proved = proved_by(prover, instance, result.chosen, path, seconds=seconds)
            if isinstance(proved, Proved):
                by = prover.__module__.partition(".")[2]
                break
            if isinstance(proved, Limit):
                why = f"no proof: stopped by {proved.value}"
    exact = exact and find_spec("exact") is not None
    if not isinstance(proved, Proved) and exact:
        start = clock.now()
        solved = solve_by_exact(instance, seconds=seconds, checking=seconds, keep=path)
        proved = solved.proved
        result = _better(instance, result, solved, start)
        if isinstance(proved, Limit):
            why = f"no proof: stopped by {proved.value}"
        elif isinstance(proved, Unusable):
            why = f"no proof: Exact's log {proved}"
    if not isinstance(proved, Proved):
        return Cited(result, None, why)
    spent = clock.now() - start - proved.seconds
    result, why = _with_proof(result, proved, path)
    kept = Kept(LOG, by, proved.size, spent, proved.seconds)
    return Cited(result, None if why else kept, why)


WRITERS: dict[str, Callable[..., Cited]] = {
    CERTIFICATE: keep_certificate,
    LOG: _log_proof,
    DNN: _keep_bounds,
}
"""Who writes each of `FILE_KINDS`."""


def _better(
    instance: Instance, result: Result, solved: ExactOutcome, start: float
) -> Result:
    """Return what Exact found, where that is better than the answer."""
    if solved.chosen is None or not isinstance(solved.proved, Proved):
        return result
    price = cost(instance, solved.chosen)
    if result.objective is not None and as_tuple(result.objective) <= as_tuple(price):
        return result
    found = answer(instance, solved.chosen, start=start)
    return replace(found, seconds=result.seconds + found.seconds)


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
    if result.objective is None or as_tuple(proved.bound) < as_tuple(result.objective):
        return result, f"proves a bound of {cost_text(proved.bound)}"
    if as_tuple(proved.bound) > as_tuple(result.objective):
        raise SolverError(f"{path} proves more than a solution costs")
    optimal = replace(
        result, status=Status.OPTIMAL, bound=proved.bound, proof=LOGGED, limit=None
    )
    return optimal, ""
