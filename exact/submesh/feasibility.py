"""Whether the residents and the request can be placed without overlapping.

Each step of a cascade returns a placement, a proof of infeasibility, or no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...instances import Submesh
from ...instances.submesh import Box, Placement
from ...instances.submesh.packed import check_packed, placement_from
from ...instances.submesh.packing import Packing, packing_of, ways
from ...solvers import (
    DEFAULT,
    Grade,
    Limit,
    Proof,
    Result,
    Settings,
    SolverError,
    Status,
    answer,
)
from ...solvers.running import clock
from .beam.search import pack_by_beam
from .constructive import construct, is_plain
from .direct import free_box
from .refutation import Certificate, refute

DIRECT = Proof(Grade.ENUMERATED, "direct fit")
"""Proof for a placement that moves no resident."""
_BEAM = 0.75
"""Share of the time left for the beam search, with more items than `_SOLVED`."""
_ROUNDS = 1
"""Annealing rounds before CP-SAT."""
_SOLVED = 20
"""Number of items up to which CP-SAT usually decides at once."""
_MORE_ROUNDS = 16
"""Annealing rounds for more items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feasibility:
    """Whether boxes can be packed.

    Parameters
    ----------
    fits
        True, False, or None if not decided.
    by
        The step that decided; "" if none did.
    boxes
        Boxes of the items: residents in order, then the request; None unless they fit.
    placement
        The same boxes as a placement of a submesh request.
    proof
        Proof that they cannot be packed.
    certificate
        A proof of infeasibility that `infeasibility` checks, if there is one.
    tried
        The steps taken, in order.
    limit
        The limit that ended the cascade early.
    """

    fits: bool | None = None
    by: str = ""
    boxes: tuple[Box, ...] | None = None
    placement: Placement | None = None
    proof: Proof | None = None
    certificate: Certificate | None = None
    tried: tuple[str, ...] = ()
    limit: Limit | None = None


def feasibility(instance: Submesh, settings: Settings = DEFAULT) -> Feasibility:
    """Decide whether there is a placement; find one, or prove that there is none.

    Steps: direct fit, `refute`, then those of `decide`. If no resident may be moved,
    the first two are complete. Ctrl-C returns "not decided", with the steps tried.
    """
    start = clock.now()
    packing = packing_of(instance)
    held = [one.box for one in instance.residents]
    try:
        blocked = [(*cell, *cell) for cell in instance.blocked]
        for size in ways(packing, packing.items[-1]):
            box = free_box(instance.shape, [*held, *blocked], size, instance.torus)
            if box is not None:
                return Feasibility(
                    fits=True,
                    by="direct fit",
                    boxes=(*held, box),
                    placement=Placement(box),
                    tried=("direct fit",),
                )
    except KeyboardInterrupt:
        return Feasibility(tried=("direct fit",), limit=Limit.INTERRUPT)
    verdict = decide(packing, settings, start=start, hint=_hint(packing, held))
    verdict = replace(verdict, tried=("direct fit", *verdict.tried))
    if verdict.boxes is not None:
        placement = placement_from(instance, verdict.boxes)
        verdict = replace(verdict, placement=placement)
    return verdict


def decide(
    packing: Packing,
    settings: Settings = DEFAULT,
    *,
    start: float | None = None,
    hint: Sequence[Box] = (),
) -> Feasibility:
    """Decide whether boxes can be packed.

    Steps: checkable proofs of infeasibility (`refute`); constructive packings
    (`construct`); annealing (`construct`); `pack_by_beam` with many items; CP-SAT from
    the hint.

    Parameters
    ----------
    packing
        The packing problem.
    settings
        Time limit, seed, threads.
    start
        ``clock.now()`` when the run began.
    hint
        Boxes of the items, possibly overlapping, from which a solver starts.
    """
    start = clock.now() if start is None else start
    tried: list[str] = []
    try:
        tried.append("proofs")
        if (certificate := refute(packing)) is not None:
            kind = certificate["kind"]
            return Feasibility(
                fits=False,
                by=kind,
                proof=Proof(Grade.CHECKED, kind),
                certificate=certificate,
                tried=tuple(tried),
            )

        def stop() -> bool:
            return clock.now() - start >= settings.time_limit

        if stop():
            return Feasibility(tried=tuple(tried), limit=Limit.TIME)
        tried.append("construction")
        boxes = construct(packing, settings.seed, stop, rounds=0)
        if boxes is not None:
            return _verdict_of_packing(packing, boxes, "construction", tried)
        tried.append("annealing")
        rounds = _ROUNDS if len(packing.items) <= _SOLVED else _MORE_ROUNDS
        boxes = construct(packing, settings.seed, stop, rounds, plain=False)
        if boxes is not None:
            return _verdict_of_packing(packing, boxes, "annealing", tried)
        if len(packing.items) > _SOLVED and is_plain(packing) and not stop():
            tried.append("beam")
            now = clock.now()
            share = (settings.time_limit - (now - start)) * _BEAM
            boxes = pack_by_beam(
                packing, stop=lambda: clock.now() - now >= share, seed=settings.seed
            )
            if boxes is not None:
                return _verdict_of_packing(packing, boxes, "beam", tried)
        tried.append("cp-sat")
        verdict = by_cpsat(packing, settings, start=start, hint=hint)
    except KeyboardInterrupt:
        verdict = Feasibility(limit=Limit.INTERRUPT)
    return replace(verdict, tried=tuple(tried))


def _verdict_of_packing(
    packing: Packing, boxes: tuple[Box, ...], by: str, tried: Sequence[str]
) -> Feasibility:
    """Return a positive verdict, after checking the boxes."""
    if wrong := check_packed(packing, boxes):
        raise SolverError(f"{packing.name}: {by} packed wrongly: {wrong[0]}")
    return Feasibility(fits=True, by=by, boxes=boxes, tried=tuple(tried))


def by_cpsat(
    packing: Packing,
    settings: Settings = DEFAULT,
    *,
    start: float | None = None,
    hint: Sequence[Box] = (),
) -> Feasibility:
    """Decide by CP-SAT alone; the boxes are checked from the definition."""
    from ...solvers import cpsat

    decide = cpsat.decide  # imported first: its error names what is missing
    from ...formulations.submesh.packing_cpsat import PARAMETERS, no_overlap

    if not all(ways(packing, item) for item in packing.items):
        return Feasibility(fits=False, by="cp-sat", proof=Proof(Grade.SOLVER, cpsat.BY))
    built = no_overlap(packing, hint=hint)
    found = decide(
        built.model,
        built.variables,
        settings=settings,
        start=start,
        parameters=PARAMETERS,
    )
    if found.impossible:
        return Feasibility(fits=False, by="cp-sat", proof=Proof(Grade.SOLVER, cpsat.BY))
    if found.values is None:
        return Feasibility(tried=("cp-sat",), limit=found.limit)
    boxes = built.decode(found.values)
    return _verdict_of_packing(packing, boxes, "cp-sat", ("cp-sat",))


def _hint(packing: Packing, held: Sequence[Box]) -> tuple[Box, ...]:
    """Return the present boxes of the residents, and the request at the origin."""
    size = ways(packing, packing.items[-1])
    if not size:
        return ()
    return (*held, (*(0,) * packing.d, *(s - 1 for s in size[0])))


def cascade(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Decide by direct fit, checkable proofs, constructive packings and solvers.

    Returns the first placement that is found, which may move more residents than
    necessary.

    Guarantee: exact on whether there is a placement; optimal if no resident moves.
    Time: exponential at worst; measured in docs/science/submesh-feasibility.md.
    Source: derived for closeknit, see docs/science/submesh-feasibility.md.
    """
    start = clock.now()
    return as_result(instance, feasibility(instance, settings), settings, start)


def cp_sat(instance: Submesh, /, settings: Settings = DEFAULT) -> Result:
    """Decide by CP-SAT alone: boxes that do not overlap, from the present places.

    Guarantee: exact on whether there is a placement, if the solver is right.
    Time: exponential at worst; measured in docs/science/submesh-feasibility.md.
    Source: the constraint of Beldiceanu and Carlsson 2001, as CP-SAT has it.
    """
    start = clock.now()
    packing = packing_of(instance)
    hint = _hint(packing, [one.box for one in instance.residents])
    try:
        verdict = by_cpsat(packing, settings, start=start, hint=hint)
    except KeyboardInterrupt:
        verdict = Feasibility(limit=Limit.INTERRUPT)
    if verdict.boxes is not None:
        placement = placement_from(instance, verdict.boxes)
        verdict = replace(verdict, placement=placement)
    return as_result(instance, verdict, settings, start)


def as_result(
    instance: Submesh, verdict: Feasibility, settings: Settings, start: float
) -> Result:
    """Convert a verdict to a `Result`."""
    if verdict.fits is False:
        return Result(
            status=Status.INFEASIBLE,
            proof=verdict.proof,
            certificate=verdict.certificate,
            seconds=clock.now() - start,
            seed=settings.seed,
        )
    chosen = None if verdict.placement is None else verdict.placement.flat()
    stays = verdict.placement is not None and not verdict.placement.moves
    return answer(
        instance,
        chosen,
        start=start,
        bound=(0, 0, 0) if stays else None,
        proof=DIRECT if stays else None,
        limit=verdict.limit,
        seed=settings.seed,
    )
