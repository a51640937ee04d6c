"""The exhaustive search: exact, refusing what it cannot finish, stoppable."""

from __future__ import annotations

import pytest

from closeknit.exact.ksubset import bruteforce as kernels
from closeknit.exact.ksubset.bruteforce import MOST, bruteforce
from closeknit.instances import InputError, KSubset, Mesh, Points, check, mesh
from closeknit.solvers import Limit, Settings, Status

from ...oracles import optimum


@pytest.mark.parametrize(
    ("instance", "said"),
    [
        (mesh(6, 8, k=24), rf"C\(48, 24\) = \d+ subsets; at most {MOST}"),
        (mesh(40, 51, k=1), "2040 free processors; at most 2000"),
    ],
)
def test_refuses_what_it_cannot_finish(instance: KSubset, said: str) -> None:
    with pytest.raises(InputError, match=said):
        bruteforce(instance)


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (Settings(time_limit=0.0), Limit.TIME),
        (Settings(node_limit=10), Limit.NODES),
        (Settings(node_limit=1), Limit.NODES),
    ],
)
def test_a_limit_leaves_the_best_so_far(limits: Settings, limit: Limit) -> None:
    instance = mesh(5, 6, k=8)
    result = bruteforce(instance, limits)
    assert result.status is Status.FEASIBLE
    assert result.limit is limit
    assert result.bound is None
    assert result.chosen is not None
    assert check(instance, result.chosen) == []


def test_an_interrupt_leaves_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = kernels.search
    calls = 0

    def search(*args: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return whole(*args)

    monkeypatch.setattr("closeknit.exact.ksubset.bruteforce.search", search)
    result = bruteforce(mesh(5, 6, k=8))
    assert result.limit is Limit.INTERRUPT
    assert result.bound is None


def test_resumed_in_pieces_finds_the_same() -> None:
    instance = KSubset("some", Mesh((4, 5)), (*mesh(4, 5, k=1).free[::2], (0, 1)), 5)
    whole = bruteforce(instance)
    assert whole.objective == optimum(instance)
    needed = next(
        nodes
        for nodes in range(1, 10_000)
        if bruteforce(instance, Settings(node_limit=nodes)).status is Status.OPTIMAL
    )
    assert needed > 10


def test_a_gain_of_one_by_coinciding_processors_is_found() -> None:
    sites = ((0,), (1,), (1,))
    result = bruteforce(KSubset("twins", Points(sites), sites, 2))
    assert (result.chosen, result.objective, result.bound) == ((1, 2), 0, 0)
    assert str(result.proof) == "enumerated: bruteforce"
