"""Queues of boxes on a mesh, for tests of what serves them."""

from __future__ import annotations

from hypothesis import strategies as st

from closeknit.cli.app import run
from closeknit.exact.submesh.feasibility import Feasibility, decide
from closeknit.instances.submesh.packing import Packing
from closeknit.simulation.submesh.policies import Policy, serve
from closeknit.simulation.submesh.simulator import Fixed, Measures
from closeknit.simulation.submesh.stream import BoxRequest
from closeknit.solvers import Settings

SHAPE = (4, 5)
Rows = list[tuple[tuple[int, ...], float]]
"""Sides and residence times."""


def queues(*shape: int, most: int = 12) -> st.SearchStrategy[Rows]:
    boxes = st.tuples(*(st.integers(1, side) for side in shape))
    times = st.integers(1, 6).map(float)
    return st.lists(st.tuples(boxes, times), min_size=1, max_size=most)


def asked(rows: Rows) -> list[BoxRequest]:
    return [BoxRequest(n, size, seconds) for n, (size, seconds) in enumerate(rows)]


def served(
    rows: Rows, occupancy: Fixed, policy: Policy = Policy.FCFS
) -> tuple[Measures, list[float]]:
    """Serve a queue; return the measures, and when each request started."""
    starts: dict[int, float] = {}

    def look(request: BoxRequest, clock: float) -> None:
        assert starts.setdefault(request.number, clock) == clock

    measures = serve(asked(rows), occupancy, policy, on_start=look)
    assert not occupancy.boxes()
    return measures, [starts[n] for n in range(len(rows))]


def forgetful(packing: Packing, limits: Settings) -> Feasibility:
    """Know the answer where few boxes are concerned."""
    return decide(packing, limits) if len(packing.items) <= 2 else Feasibility()


def simulate(*words: str) -> int:
    """Run the command on a mesh of 32 by 32."""
    return run(["simulate", "submesh", "--shape", "32x32", *words])
