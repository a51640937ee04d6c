"""Budget, counted in steps, for deciding whether residents can make room.

Unlike a time limit, it gives the same boxes the same answer on every machine. It
follows the cascade of `exact.submesh.feasibility`, with less effort where a decision
is less likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...exact.submesh.beam.search import pack_by_beam
from ...exact.submesh.constructive import construct, is_plain
from ...exact.submesh.feasibility import Feasibility, by_cpsat
from ...exact.submesh.refutation import refute
from ...instances.submesh.packing import Packing
from ...solvers import DEFAULT, Grade, Proof, Settings

_LONG = 3600.0
"""Time limit of a decision as a safeguard; not reached so far."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A cascade whose every step is limited by a count.

    The steps are proofs of infeasibility, construction, annealing, beam search with a
    limit of runs and CP-SAT with one of conflicts by number of boxes.
    """

    rounds: int = 4  # of annealing, for any number of boxes
    beams: Sequence[tuple[int, int]] = ((20, 0), (31, 50))
    """Runs of the beam search up to a number of boxes; beyond, there is none."""
    conflicts: Sequence[tuple[int, int]] = ((16, 50_000), (20, 10_000), (30, 2_000))
    """CP-SAT's limit of conflicts up to a number of boxes; beyond, it is not called."""

    def __call__(self, packing: Packing, settings: Settings = DEFAULT) -> Feasibility:
        """Decide within the budget; seed and threads of the settings apply."""
        if (certificate := refute(packing)) is not None:
            kind = certificate["kind"]
            proof = Proof(Grade.CHECKED, kind)
            return Feasibility(
                fits=False, by=kind, proof=proof, certificate=certificate
            )
        boxes = construct(packing, settings.seed, _never, rounds=0)
        if boxes is not None:
            return Feasibility(fits=True, by="construction", boxes=boxes)
        boxes = construct(packing, settings.seed, _never, self.rounds, plain=False)
        if boxes is not None:
            return Feasibility(fits=True, by="annealing", boxes=boxes)
        for most, runs in self.beams:
            if len(packing.items) <= most and is_plain(packing):
                boxes = pack_by_beam(
                    packing, stop=_never, runs=runs, seed=settings.seed
                )
                if boxes is not None:
                    return Feasibility(fits=True, by="beam", boxes=boxes)
                break
        for most, conflicts in self.conflicts:
            if len(packing.items) <= most:
                limits = replace(settings, time_limit=_LONG, node_limit=conflicts)
                return by_cpsat(packing, limits)
        return Feasibility()

    def __str__(self) -> str:
        asked, beams = (
            ", ".join(f"{count} up to {most} boxes" for most, count in limits)
            for limits in (self.conflicts, self.beams)
        )
        return (
            f"proofs of no, construction, {self.rounds} rounds of annealing, runs of "
            f"beam search: {beams}, and conflicts of CP-SAT: {asked}; none beyond"
        )


def _never() -> bool:
    return False
