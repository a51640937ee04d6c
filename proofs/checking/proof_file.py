"""Checking a file with a proof about an instance."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ...instances.errors import InputError
from ...instances.ksubset.certificate import CertificateChecker
from ...instances.ksubset.certificate_file import (
    WrongStep,
    follow_lines,
    read_lines,
)
from ...instances.problems import Instance, problem_of
from ...instances.value import Value
from .checker import ProvenResult, check_proof
from .dnn.matrices import BoundsChecker, Squares, squares_of
from .formulas import formula_of, levels_of, unfold
from .kinds import CERTIFICATE, DNN, DNN_FORMAT, FILE_KINDS, LOG, reading_proof
from .propagation import Propagator
from .rows import Formula
from .statements import CheckLimits, NoProof, Refused, TimeBudget, TooLong

MOST_BYTES = 2**32
"""Maximal size of a proof, unpacked."""


class Ways(NamedTuple):
    """What follows proofs of each kind: in plain Python, or the fast twins."""

    propagator: type[Propagator] = Propagator
    checker: type[CertificateChecker] = CertificateChecker
    squares: Callable[..., Squares | None] = squares_of


PLAIN = Ways()


@dataclass(frozen=True, slots=True)
class Proved:
    """What a file proves about an instance."""

    bound: Value | None
    """No choice costs less; None if there is no choice at all."""
    steps: int
    """Number of steps of a pseudo-Boolean proof."""
    size: int = 0
    """Bytes of the file."""
    seconds: float = field(default=0.0, compare=False)
    """Time that checking took."""


def check_proof_file(
    instance: Instance,
    path: str | Path,
    limits: CheckLimits | None = None,
    ways: Ways = PLAIN,
    kinds: Collection[str] = tuple(FILE_KINDS),
) -> Proved:
    """Check a proof about an instance, step by step, as its kind demands.

    Parameters
    ----------
    instance
        The instance; what the proof is about is derived from it here.
    path
        A proof of one of the kinds, which is told by what the file begins with;
        possibly packed by ``xz`` or ``gzip``.
    limits
        Limits of time and size.
    ways
        What follows proofs of each kind.
    kinds
        Those of `FILE_KINDS` that will do.

    Raises
    ------
    Refused
        If a step does not follow: the proof is wrong.
    InputError
        If the file is no proof of these kinds, or they are not about such instances;
        `TooLong` if a limit is reached. Names the file.
    """
    limits = (limits or CheckLimits()).from_now()
    with reading_proof(path, kinds) as (kind, stream):
        row = FILE_KINDS[kind]
        if not row.is_about(instance):
            problem = problem_of(instance).name
            about = f"{', '.join(row.problems)} ({row.where})"
            what = f"is a {kind}: about {about} only, not {instance.name} ({problem})"
            raise InputError(what, file=path)
        try:
            bound, steps = CHECKERS[kind](instance, stream, path, limits, ways)
        except WrongStep as error:
            raise Refused(str(error)) from None
        except TooLong as error:
            raise TooLong(error.problem, file=path) from None
    size = Path(path).stat().st_size if Path(path).is_file() else 0
    return Proved(bound, steps, size, limits.spent())


def _check_log(
    instance: Instance,
    stream: BinaryIO,
    path: str | Path,
    limits: CheckLimits,
    ways: Ways,
) -> tuple[Value | None, int]:
    """Check a text in the format of VeriPB 1.1, 2.0 or 3.0."""
    formula = formula_of(instance, TimeBudget(limits).spend)
    outcome = follow(formula, stream, path, limits, ways.propagator)
    if outcome.bound is None:
        return None, outcome.steps
    least = -(-(outcome.bound + formula.offset) // formula.unit)
    levels = levels_of(instance)
    single = problem_of(instance).levels(instance) is None
    return least if single else unfold(max(least, 0), levels), outcome.steps


def _check_certificate(
    instance: Instance,
    stream: BinaryIO,
    path: str | Path,
    limits: CheckLimits,
    ways: Ways,
) -> tuple[Value | None, int]:
    """Check a certificate of the problem."""
    check = problem_of(instance).follow_certificate
    assert check is not None
    clock = {"seconds": limits.seconds, "now": limits.now, "begun": limits.begun}
    return check(instance, path, stream, **clock, by=ways.checker), 0


def _check_dnn(
    instance: Any,
    stream: BinaryIO,
    path: str | Path,
    limits: CheckLimits,
    ways: Ways,
) -> tuple[Value | None, int]:
    """Check a certificate by semidefinite matrices."""
    objective, lines = read_lines(DNN_FORMAT, instance, path, stream)

    def follow_nodes(rest: Iterator[Any], look: Callable[[], None]) -> None:
        BoundsChecker(instance, objective, rest, look, ways.squares).follow()

    clock = limits.seconds, limits.now, limits.begun
    follow_lines(path, lines, follow_nodes, *clock)
    return objective, 0


CHECKERS: dict[str, Callable[..., tuple[Value | None, int]]] = {
    CERTIFICATE: _check_certificate,
    LOG: _check_log,
    DNN: _check_dnn,
}
"""By kind of proof: what returns its bound, or None, and how many steps it has."""


def follow(
    formula: Formula,
    stream: BinaryIO,
    path: str | Path,
    limits: CheckLimits,
    propagator: type[Propagator],
) -> ProvenResult:
    """Check a proof about a formula; ``path`` is that of the stream.

    Raises as `check_proof_file` does.
    """
    limits = limits.from_now()
    lines = lines_of(stream)
    try:
        outcome = check_proof(formula, lines, limits, propagator)
        for _ in lines:  # what follows the end counts for nothing, but is whole
            if limits.spent() > limits.seconds:
                raise TooLong("has too much text behind its end")
    except Refused as refused:
        raise Refused(f"{path}: {refused}", refused.step) from None
    except NoProof as error:
        raise InputError(str(error), file=path) from None
    except TooLong as error:
        raise TooLong(error.problem, file=path) from None
    return outcome


def lines_of(stream: BinaryIO) -> Iterator[str]:
    """Yield the lines of a stream; none is longer than a limit."""
    most, total = CheckLimits().line + 2, 0
    while line := stream.readline(most):
        total += len(line)
        if total > MOST_BYTES:
            raise TooLong(f"unpacks to more than {MOST_BYTES // 2**20} MiB")
        yield line.decode("ascii", "replace")
