"""Who may overtake whom: backfilling, shortest first, and a budget of moves."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.methods.allocators.submesh import ALLOCATORS
from closeknit.simulation.submesh import policies as submesh_policies
from closeknit.simulation.submesh.migration import Migrating
from closeknit.simulation.submesh.policies import Policy, serve
from closeknit.simulation.submesh.simulator import Fixed, first_come
from closeknit.simulation.submesh.stream import BoxRequest, Uniform, queue

from .boxes import SHAPE, Rows, queues, served


def house_of(method: str) -> Fixed:
    return Migrating(SHAPE) if method == "mig" else Fixed(ALLOCATORS[method](SHAPE))


def test_who_is_not_in_the_way_slips_past_the_first() -> None:
    # 1 waits for 0 to leave at 4, then has the left three columns.
    rows: Rows = [((3, 4), 4), ((3, 5), 2), ((1, 1), 4), ((1, 4), 9), ((2, 1), 9)]
    # 2 is gone by then; 3 is in the last column; 4 would be in the way until 6
    assert served(rows, house_of("iss"), Policy.EASY)[1] == [0, 4, 0, 0, 6]
    assert served(rows, house_of("iss"))[1] == [0, 4, 4, 4, 6]


def test_shortest_first_sorts_the_queue() -> None:
    rows: Rows = [((4, 5), 5), ((4, 5), 1), ((4, 5), 3)]
    found, starts = served(rows, house_of("iss"), Policy.SHORTEST)
    assert starts == [4, 0, 1]
    assert found.mean_wait == pytest.approx(5 / 3)


@given(queues(*SHAPE), st.sampled_from(["iss", "4iss", "bitmap", "snug", "mig"]))
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


@given(queues(*SHAPE))
@settings(max_examples=15, deadline=None)
def test_no_budget_is_fixed_and_a_large_one_is_mig(rows: Rows) -> None:
    for budget, method in ((0, "fs-f"), (99, "mig")):
        starts = served(rows, Migrating(SHAPE, budget=budget))[1]
        assert starts == served(rows, house_of(method))[1]
