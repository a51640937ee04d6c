"""Who may overtake whom: backfilling, shortest first, and a budget of moves."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances.submesh import Submesh, first_overlap
from closeknit.methods.allocators.submesh import ALLOCATORS
from closeknit.simulation.submesh import policies as submesh_policies
from closeknit.simulation.submesh.migration import Migrating
from closeknit.simulation.submesh.policies import Policy, serve
from closeknit.simulation.submesh.simulator import Fixed, Measures, first_come
from closeknit.simulation.submesh.stream import BoxRequest, Uniform, queue

SHAPE = (4, 5)
boxes = st.tuples(st.integers(1, 4), st.integers(1, 5))
queues = st.lists(
    st.tuples(boxes, st.integers(1, 6).map(float)), min_size=1, max_size=12
)
Rows = list[tuple[tuple[int, int], float]]


def asked(rows: Rows) -> list[BoxRequest]:
    return [BoxRequest(n, size, seconds) for n, (size, seconds) in enumerate(rows)]


def served(
    rows: Rows, occupancy: Fixed | Migrating, policy: Policy
) -> tuple[Measures, dict[int, float]]:
    starts: dict[int, float] = {}
    mesh = Submesh("empty", SHAPE, (), (1, 1))

    def look(request: BoxRequest, clock: float) -> None:
        starts[request.number] = clock
        held = {str(n): box for n, box in enumerate(occupancy.boxes())}
        assert first_overlap(mesh, held) is None

    found = serve(asked(rows), occupancy, policy, on_start=look)
    assert not occupancy.boxes()
    assert len(starts) == len(rows)
    return found, starts


def house_of(method: str) -> Fixed | Migrating:
    if method == "mig":
        return Migrating(SHAPE)
    return Fixed(ALLOCATORS[method](SHAPE))


def test_the_short_slip_past_the_first_and_the_long_where_it_is_not_in_the_way() -> (
    None
):
    # 1 waits for 0 to leave at 4, then has the left three columns.
    rows: Rows = [((3, 4), 4), ((3, 5), 2), ((1, 1), 4), ((1, 4), 9), ((2, 1), 9)]
    found = served(rows, house_of("iss"), Policy.EASY)[1]
    # 2 is gone by then; 3 is in the last column; 4 would be in the way until 6
    assert found == {0: 0, 1: 4, 2: 0, 3: 0, 4: 6}
    assert served(rows, house_of("iss"), Policy.FCFS)[1] == {
        0: 0,
        1: 4,
        2: 4,
        3: 4,
        4: 6,
    }


def test_shortest_first_sorts_the_queue() -> None:
    rows: Rows = [((4, 5), 5), ((4, 5), 1), ((4, 5), 3)]
    found, starts = served(rows, house_of("iss"), Policy.SHORTEST)
    assert starts == {1: 0, 2: 1, 0: 4}
    assert found.mean_wait == pytest.approx(5 / 3)


@given(queues, st.sampled_from(["iss", "4iss", "bitmap", "snug", "mig"]))
@settings(max_examples=40, deadline=None)
def test_reservations_are_kept(rows: Rows, method: str) -> None:
    promised: dict[int, float] = {}
    reserve = submesh_policies._reservation

    def noted(*given: object) -> object:
        found = reserve(*given)  # type: ignore[arg-type]
        first = given[0]
        assert isinstance(first, BoxRequest)
        promised.setdefault(first.number, found[0])
        return found

    for policy in (Policy.EASY, Policy.SHORTEST):
        promised.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(submesh_policies, "_reservation", noted)
            starts = served(rows, house_of(method), policy)[1]
        assert all(starts[number] <= then for number, then in promised.items())


def test_overtaking_helps() -> None:
    rows = queue((64, 64), 200, Uniform(1, 64), seed=2)
    for method in ("iss", "4iss"):
        make = ALLOCATORS[method]
        plain = first_come(rows, Fixed(make((64, 64))))
        easy = serve(rows, Fixed(make((64, 64))), Policy.EASY)
        short = serve(rows, Fixed(make((64, 64))), Policy.SHORTEST)
        assert easy.completion_time < plain.completion_time
        assert short.mean_wait < plain.mean_wait
        assert serve(rows, Fixed(make((64, 64))), Policy.FCFS) == plain


def starts_of(rows: Rows, occupancy: Fixed | Migrating) -> list[float]:
    starts: list[float] = []
    moved = [0]

    def look(request: BoxRequest, clock: float) -> None:
        if isinstance(occupancy, Migrating) and occupancy.budget is not None:
            assert occupancy.moved - moved[-1] <= occupancy.budget
        moved.append(occupancy.moved)
        starts.append(clock)

    first_come(asked(rows), occupancy, on_start=look)
    return starts


@given(queues)
@settings(max_examples=15, deadline=None)
def test_a_budget_is_kept_and_all_of_it_is_mig(rows: Rows) -> None:
    starts_of(rows, Migrating(SHAPE, budget=1))
    assert starts_of(rows, Migrating(SHAPE, budget=0)) == starts_of(
        rows, Fixed(ALLOCATORS["fs-f"](SHAPE))
    )
    assert starts_of(rows, Migrating(SHAPE, budget=99)) == starts_of(
        rows, Migrating(SHAPE)
    )
