"""Proofs in files that a job of parts does not fit.

Where counting decides, the certificate is what was counted, and its check a recount in
plain Python. Else the model is written as a pseudo-Boolean formula, numbers in binary,
and refuted by Exact, where it is installed, or by an own search for small ones.
"""

from __future__ import annotations

import itertools
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...instances.writing.files import write_text
from ...proofs.checking import CheckLimits, Formula, check_opb_proof
from ...proofs.checking.recount.file import check_recount
from ...proofs.checking.statements import TooLong
from ...proofs.writing.exact_log import refute_by_exact
from ...proofs.writing.learning import Learner
from ...proofs.writing.opb_text import opb_text
from ...proofs.writing.proof_files import recount_text
from ...proofs.writing.proof_log import OutOfRoom, ProofLog
from ...proofs.writing.propagation_kernels import FastPropagator
from ...solvers import Limit, SolverError
from ...solvers.later import cp_model
from ...solvers.running import clock
from .domains import NodeDevices
from .forest import PieceForest
from .job import GangJob
from .model import JobModel
from .stages import NoPlace, NoSolution
from .tree import Counting, tree_job

RECOUNT, LOG = "recount", "pseudo-Boolean proof"


@dataclass(frozen=True)
class NoFitProof:
    """A proof that a job does not fit, which was checked."""

    kind: str
    """`RECOUNT` or `LOG`."""
    files: tuple[str, ...]
    size: int
    """Bytes of all files."""
    seconds: float


def prove_no_fit(
    job: GangJob, devices: NodeDevices, path: str, seconds: float
) -> NoFitProof | Limit:
    """Write a proof that a job does not fit, and check it.

    Parameters
    ----------
    job, devices
        A job that does not fit; all its pods have to be placed.
    path
        How the names of the files begin.
    seconds
        Limit on writing, and again on checking.

    Raises
    ------
    SolverError
        If it fits, or a proof does not hold.
    """
    start, tree = clock.now(), devices.tree
    forest = PieceForest(job, tree)
    ask = tree_job(job, devices, forest)
    if ask is not None and not Counting(tree, ask).fits:
        document = {
            "pods": ask.pods,
            "levels": tree.levels,
            "sizes": sorted(ask.sizes.items()),
            "most": sorted(ask.most.items()),
            "parent": tree.parent.tolist(),
            "height": tree.height.tolist(),
            "home": tree.home.tolist(),
            "room": ask.room.tolist(),
        }
        name = f"{path}.recount.json"
        write_text(name, recount_text(document))
        check_recount(name, CheckLimits(now=clock.now))
        return _kept(RECOUNT, start, name)
    model = JobModel(job, devices, forest).model
    return _prove_formula(formula_of_model(model), job.text, path, start, seconds)


def prove_impossible(
    what: NoPlace | NoSolution, path: str, seconds: float
) -> NoFitProof | Limit:
    """Write a proof that there is nothing less, or no change at all, and check it.

    Parameters
    ----------
    what
        What is impossible, of a change.
    path, seconds
        As for `prove_no_fit`.
    """
    if isinstance(what, NoPlace):
        return prove_no_fit(what.job, what.devices, path, seconds)
    start = clock.now()
    formula = formula_of_model(what.model, what.rows, dict(what.at_most))
    return _prove_formula(formula, "a change", path, start, seconds)


def prove_refuted(
    model: cp_model.CpModel, text: str, path: str, seconds: float
) -> NoFitProof | Limit:
    """Write a proof that a model of linear rows has no solution, and check it.

    ``text`` states what has none; the rest is as for `prove_no_fit`.
    """
    formula = formula_of_model(model)
    return _prove_formula(formula, text, path, clock.now(), seconds)


def _prove_formula(
    formula: Formula, text: str, path: str, start: float, seconds: float
) -> NoFitProof | Limit:
    opb, log = f"{path}.opb", f"{path}.pbp.xz"
    write_text(opb, "".join(opb_text(formula, text)))
    outcome = None
    try:
        outcome = _write_log(formula, opb, log, start, seconds)
    finally:
        if not isinstance(outcome, NoFitProof):
            for name in (opb, log):
                Path(name).unlink(missing_ok=True)
    return outcome


def _write_log(
    formula: Formula, opb: str, log: str, start: float, seconds: float
) -> NoFitProof | Limit:
    if find_spec("exact") is not None:
        found = refute_by_exact(formula, log, seconds=seconds)
    else:
        found = _refute(formula, log, start + seconds)
    if found is not None:
        return found
    limits = CheckLimits(seconds=max(1.0, seconds), now=clock.now)
    try:
        bound = check_opb_proof(opb, log, limits, FastPropagator).bound
    except TooLong:
        return Limit.TIME
    if bound is not None:
        raise SolverError(f"{log} does not prove that there is no placement")
    return _kept(LOG, start, opb, log)


def _kept(kind: str, start: float, *names: str) -> NoFitProof:
    size = sum(Path(name).stat().st_size for name in names)
    return NoFitProof(kind, names, size, clock.now() - start)


def _refute(formula: Formula, path: str, deadline: float) -> Limit | None:
    """Refute a formula by an own search; None if the proof is written."""
    with lzma.open(path, "wt", encoding="ascii", preset=1) as stream:
        try:
            log = ProofLog(formula, stream, deadline=deadline)
            learner = Learner(len(formula.names), formula.rows)
            if not learner.refute(log.check_time):
                raise SolverError(
                    "the formula of a job that does not fit has a solution"
                )
            log.infeasible(learner.write(log))
        except OutOfRoom as ended:
            return ended.limit
    return None


def formula_of_model(
    model: cp_model.CpModel,
    rows: int | None = None,
    at_most: Mapping[int, int] | None = None,
) -> Formula:
    """Return a model of bounded numbers and linear rows as a formula.

    A number up to m is a sum of bits: powers of two, and what is left up to m.

    Parameters
    ----------
    model, rows
        The model, and how many of its rows count; None: all.
    at_most
        By the indices of variables: less than what the model allows.
    """
    formula = Formula()
    bits: list[list[tuple[int, int]]] = []
    offsets: list[int] = []
    for i, variable in enumerate(model.proto.variables):
        low, *_, most = variable.domain
        most = (at_most or {}).get(i, most)
        found: list[tuple[int, int]] = []
        power, left = 1, most - low
        while left:
            weight = min(power, left)
            name = f"v{i}_{len(found)}"
            found.append((weight, formula.variable(name)))
            left, power = left - weight, 2 * power
        formula.meaning.append(f"v{i}: {variable.name}, from {low} to {most}")
        bits.append(found)
        offsets.append(low)
    for row in itertools.islice(model.proto.constraints, rows):
        _add_row(formula, row, bits, offsets)
    return formula


def _add_row(
    formula: Formula, row: Any, bits: list[list[tuple[int, int]]], offsets: list[int]
) -> None:
    """Add a linear row or clauses, which hold unless what enforces them does not."""
    unless = [-1 - x for x in row.enforcement_literal]
    rows: list[tuple[list[tuple[int, int]], int, int]] = []
    clauses: list[list[int]] = []
    if row.has_bool_or():
        clauses = [[*row.bool_or.literals]]
    elif row.has_bool_and():
        clauses = [[x] for x in row.bool_and.literals]
    elif row.has_linear():
        pairs = list(zip(row.linear.vars, row.linear.coeffs, strict=True))
        low, *_, high = row.linear.domain
        rows = [(pairs, low, high)]
    else:
        raise SolverError("a row that is not linear is not expected")
    for clause in clauses:
        literals = [*clause, *unless]
        pairs = [(x, 1) if x >= 0 else (-1 - x, -1) for x in literals]
        rows.append((pairs, 1 - sum(x < 0 for x in literals), 2**62))
    free = unless if row.has_linear() else []
    for pairs, low, high in rows:
        terms = [(a * weight, bit) for x, a in pairs for weight, bit in bits[x]]
        fixed = sum(a * offsets[x] for x, a in pairs)
        negated = [(-a, bit) for a, bit in terms]
        for some, least in ((terms, low - fixed), (negated, fixed - high)):
            if least > -(2**61):
                slack = max(0, least - sum(min(a, 0) for a, _ in some))
                for x in free:  # enough on its own if the row is not enforced
                    [(_, bit)] = bits[x if x >= 0 else -1 - x]
                    some = [*some, (slack if x >= 0 else -slack, bit)]
                    least -= 0 if x >= 0 else slack
                formula.at_least(some, least)
