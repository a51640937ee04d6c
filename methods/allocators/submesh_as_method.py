"""Submesh allocators as methods: hold the residents' boxes, then search once.

No resident is moved. A place that is found therefore costs nothing, and is optimal.
If no place is found and residents may not be moved, that is a proof of infeasibility
for the allocators that find a free place whenever there is one. In all other cases
nothing is proved.
"""

from __future__ import annotations

from functools import partial

from ...heuristics.submesh.allocator import SearchTimeError
from ...instances import Submesh
from ...instances.result import NOTHING
from ...solvers import Grade, Limit, Proof, Result, Settings, Status, answer
from ...solvers.running import clock
from ...solvers.running.method import Method, Variant
from ...sources import doc_of
from .submesh import ALLOCATORS


def methods() -> list[Method[Submesh]]:
    """Return every allocator as a method, with the docstring of its class."""
    return [
        Method(
            name,
            Variant(run, (name,), doc_of(spec.strategy)),
            refuses=partial(refusal, name),
        )
        for name, spec in ALLOCATORS.items()
    ]


def refusal(name: str, instance: Submesh) -> str | None:
    """Return why an allocator does not support a mesh; None if it does."""
    return ALLOCATORS[name].refuses(instance.shape, instance.torus)


def run(name: str, instance: Submesh, settings: Settings) -> Result:
    """Return the place that an allocator finds for the request of an instance."""
    start = clock.now()
    spec = ALLOCATORS[name]
    limit: Limit | None = None
    box = None
    try:
        allocator = spec(instance.shape, rotate=instance.rotate, torus=instance.torus)
        for one in instance.residents:
            allocator.hold(one.box)
        for cell in instance.blocked:
            allocator.hold((*cell, *cell))
        allocator.until = start + settings.time_limit
        box = allocator.find(instance.request)
    except SearchTimeError:
        limit = Limit.TIME
    except KeyboardInterrupt:
        limit = Limit.INTERRUPT
    if box is not None:
        return answer(instance, box, start=start, bound=(0, 0, 0), proof=NOTHING)
    if limit or instance.migrate or not spec.complete:
        return answer(instance, None, start=start, limit=limit)
    proof = Proof(Grade.ENUMERATED, name)
    return Result(status=Status.INFEASIBLE, proof=proof, seconds=clock.now() - start)
