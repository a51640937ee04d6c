"""Checking a file with a pseudo-Boolean proof about an instance."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ...instances.errors import InputError
from ...instances.problems import Instance, problem_of
from ...instances.reading.files import reading, unpacking
from ...instances.value import Value
from .checker import Outcome, check_proof
from .formula import Formula
from .formulas import formula_of, levels_of, unfolded
from .propagation import Propagator
from .statements import Limits, NoProof, Refused, TooLong

MOST_BYTES = 2**32
"""Maximal size of a proof, unpacked."""
_XZ = b"\xfd7zXZ\x00"


@dataclass(frozen=True, slots=True)
class Proved:
    """What a file proves about an instance."""

    bound: Value | None
    """No choice costs less; None if there is no choice at all."""
    steps: int
    """Number of steps of the proof."""
    size: int
    """Bytes of the file."""
    seconds: float = field(default=0.0, compare=False)
    """Time that checking took."""


def check_proof_file(
    instance: Instance,
    path: str | Path,
    limits: Limits | None = None,
    propagator: type[Propagator] = Propagator,
) -> Proved:
    """Check a proof about the formula of an instance, step by step.

    Parameters
    ----------
    instance
        The instance; its formula is derived here.
    path
        A text file in the format of VeriPB 1.1, 2.0 or 3.0, possibly packed by ``xz``.
    limits
        Limits of time and size.
    propagator
        Class that propagates: the plain one, or its compiled twin.

    Raises
    ------
    Refused
        If a step does not follow: the proof is wrong.
    InputError
        If the file is no proof; `TooLong` if a limit is reached. Names the file.
    """
    limits = limits or Limits()
    formula, begun = formula_of(instance), limits.now()
    outcome, size = follow(formula, path, limits, propagator)
    spent = limits.now() - begun
    if outcome.bound is None:
        return Proved(None, outcome.steps, size, spent)
    least = -(-(outcome.bound + formula.offset) // formula.unit)
    levels = levels_of(instance)
    single = problem_of(instance).levels(instance) is None
    bound: Value = least if single else unfolded(max(least, 0), levels)
    return Proved(bound, outcome.steps, size, spent)


def follow(
    formula: Formula, path: str | Path, limits: Limits, propagator: type[Propagator]
) -> tuple[Outcome, int]:
    """Check the proof in a file about a formula; return the outcome, and its bytes.

    Raises as `check_proof_file` does.
    """
    begun = limits.now()
    try:
        with proof_lines(path) as lines:
            outcome = check_proof(formula, lines, limits, propagator)
            for _ in lines:  # what follows the end counts for nothing, but is whole
                if limits.now() - begun > limits.seconds:
                    raise TooLong("has too much text behind its end")
    except Refused as refused:
        raise Refused(f"{path}: {refused}", refused.step) from None
    except NoProof as error:
        raise InputError(str(error), file=path) from None
    except TooLong as error:
        raise TooLong(error.problem, file=path) from None
    except (EOFError, lzma.LZMAError) as error:
        raise InputError(f"is not a usable xz file: {error}", file=path) from None
    return outcome, Path(path).stat().st_size if Path(path).is_file() else 0


@contextmanager
def proof_lines(path: str | Path) -> Iterator[Iterator[str]]:
    """Open a proof; its lines are unpacked."""
    with reading(path) as stream:
        yield _lines(stream)


def _lines(stream: BinaryIO) -> Iterator[str]:
    """Yield the lines of a stream, unpacked; none is longer than a limit."""
    if not hasattr(stream, "peek"):
        raise NoProof("cannot be read")
    packed = stream.peek(len(_XZ))[: len(_XZ)] == _XZ
    source = unpacking(stream) if packed else stream
    most, total = Limits().line + 2, 0
    while line := source.readline(most):
        total += len(line)
        if total > MOST_BYTES:
            raise TooLong(f"unpacks to more than {MOST_BYTES // 2**20} MiB")
        yield line.decode("ascii", "replace")
