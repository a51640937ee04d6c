"""Checking a solution's claims by the fast twins, and by another run if asked."""

from __future__ import annotations

from pathlib import Path

from ..instances import Instance
from ..instances.solution import SolutionFile
from ..proofs.checking import CheckLimits
from ..proofs.checking.answers import examining
from ..proofs.checking.proof_file import PLAIN, Ways
from ..solvers import Settings


def examine(
    instance: Instance,
    solution: SolutionFile,
    proof: str | Path | None = None,
    *,
    prove: Settings | None = None,
    limits: CheckLimits | None = None,
    plain: bool = False,
) -> examining.Findings:
    """Check a solution, as `examining.examine` does.

    What nothing derives is proved again if ``prove`` has the settings of that run.
    """

    def again() -> tuple[bool, str]:
        from .proving import prove_again  # loads every method

        assert prove is not None
        return prove_again(instance, solution, prove)

    return examining.examine(
        *(instance, solution, proof),
        again=None if prove is None else again,
        limits=limits,
        ways=ways_of(plain),
    )


def ways_of(plain: bool) -> Ways:
    """Return what follows proofs and certificates; plain ways import no numpy."""
    if plain:
        return PLAIN
    from ..proofs.writing.twins import FAST

    return FAST
