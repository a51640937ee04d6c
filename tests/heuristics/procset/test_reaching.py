"""Reaching: as printed, and priced by what it saves."""

from __future__ import annotations

import signal
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from closeknit.heuristics.procset import reaching_kernels as kernels
from closeknit.heuristics.procset.layout import layout_of, words
from closeknit.heuristics.procset.reaching import ReachingMachine
from closeknit.instances import IntArray, ProcessorSet, ProcSet, check, cost
from closeknit.instances.procset.generators import drakenberg_system, system
from closeknit.methods import PROCSET
from closeknit.solvers import Limit, Settings, Status

from ...oracles import cheapest
from ...strategies import procsets

NAMES = ("reaching-printed", "reaching")


def _sets(*sets: tuple[tuple[int, ...], int]) -> tuple[ProcessorSet, ...]:
    return tuple(
        ProcessorSet(f"s{i}", members, (price,))
        for i, (members, price) in enumerate(sets)
    )


def _ask(n: int, request: int, *sets: tuple[tuple[int, ...], int]) -> ProcSet:
    names = tuple(f"p{i}" for i in range(n))
    return ProcSet("by-hand", names, tuple(range(n)), request, _sets(*sets))


HAND = _ask(5, 3, ((0, 1), 3), ((2,), 1), ((3,), 1), ((2, 3, 4), 5))
"""Two of five are to go. Row 1 gets {2} or {3}; row 2 gets {0, 1} and {2, 3}.

As printed, these are worth 3 and 1 + 1 + 5, for {2, 3} touches the large set; but
then 4 still needs that. By what is covered they are worth 3 and 1 + 1.
"""


def test_prices_by_touched_sets_mislead() -> None:
    printed = PROCSET["reaching-printed"](HAND)
    covering = PROCSET["reaching"](HAND)
    assert (printed.chosen, printed.objective) == ((0, 1, 4), (8,))
    assert (covering.chosen, covering.objective) == ((2, 3, 4), (7,))
    assert cheapest(HAND) == (7,)


def test_an_empty_row_removes_nothing_as_printed() -> None:
    """Pairs only, and an odd number to go: no union has that many."""
    pairs = _ask(6, 3, ((0, 1), 4), ((2, 3), 2), ((4, 5), 1))
    printed = PROCSET["reaching-printed"](pairs)
    assert (printed.chosen, printed.objective) == (tuple(range(6)), (7,))
    covering = PROCSET["reaching"](pairs)
    assert (covering.chosen, covering.objective) == ((2, 3, 4), (3,))


@settings(deadline=None)
@given(instance=procsets(), seed=st.integers(0, 3))
def test_takes_as_many_as_are_requested(instance: ProcSet, seed: int) -> None:
    found = PROCSET["reaching"](instance, Settings(seed=seed))
    assert found.status is Status.FEASIBLE
    assert len(found.chosen or ()) == instance.request


@settings(deadline=None)
@given(procsets(most_sets=5))
def test_as_the_figure_reads(instance: ProcSet) -> None:
    """Without ties, the kernel does what the figure does, step by step."""
    distinct = tuple(
        replace(one, cost=(2**i, *one.cost)) for i, one in enumerate(instance.sets)
    )
    instance = replace(instance, sets=distinct)
    removed = _figure_3(instance)
    found = PROCSET["reaching-printed"](instance)
    expected = set(instance.available) - removed
    assert found.objective == cost(instance, expected)
    assert found.chosen == tuple(sorted(expected))


def _figure_3(instance: ProcSet) -> set[int]:
    """Fig. 3 in plain Python; no draw with unions of one size and cost is taken."""
    free = set(instance.available)
    surplus = len(free) - instance.request
    remove: list[set[int]] = [set() for _ in range(len(free) + 1)]

    def enter(union: set[int]) -> None:
        size = len(union)
        gain, before = cost(instance, union), cost(instance, remove[size])
        assume(gain != before or union == remove[size])
        if gain > before:
            remove[size] = union

    parts = [set(one.members) & free for one in instance.sets]
    for part in parts:
        enter(part)
    for j in range(1, surplus):
        for part in parts:
            if remove[j] and len(remove[j] | part) > j:
                enter(remove[j] | part)
    return remove[surplus]


def test_ties_fall_as_the_coin_does() -> None:
    alike = _ask(8, 4, *(((i,), 1) for i in range(8)))
    chosen = {
        PROCSET["reaching"](alike, Settings(seed=seed)).chosen for seed in range(20)
    }
    assert len(chosen) > 5


def test_machine_code_tosses_the_coins_of_the_source() -> None:
    """Signed products would overflow, which machine code takes for impossible."""
    unions, spoilt = np.array([[1], [2]], dtype=np.uint64), np.zeros(1, dtype=np.int64)
    word, state = 17, np.array([17, 0])
    for _ in range(64):
        word = (word * 6364136223846793005 + 1442695040888963407) % 2**64
        tossed = kernels._better(
            unions[0], spoilt, True, unions[1], spoilt, True, state
        )
        assert tossed == (word >= 2**63)
        assert int(state[0]) % 2**64 == word


def test_costs_too_wide_for_one_word() -> None:
    far = 2**60
    instance = ProcSet(
        "wide",
        ("a", "b", "c"),
        (0, 1, 2),
        2,
        (
            ProcessorSet("a", (0,), (1, far, 3)),
            ProcessorSet("b", (1,), (1, far + 1, 0)),
            ProcessorSet("c", (2,), (1, 5, far)),
        ),
    )
    folded = words([one.cost for one in instance.sets])
    assert folded.shape == (3, 3)
    assert layout_of(3, instance.sets).price.shape == (3, 3)
    assert PROCSET["reaching"](instance).objective == cheapest(instance)


def test_cores_of_a_host_are_one_class() -> None:
    machine = system("core")
    layout = layout_of(len(machine.processors), machine.sets)
    assert len(layout.class_first) - 1 == 256
    assert layout.price.shape == (334, 1)
    assert len(layout.class_set) == 5 * 256


def test_cores_that_fill_no_node() -> None:
    """20 of 40 cores of 5 nodes: half a node is left over, and costs nothing."""
    free = range(40)
    instance = drakenberg_system(20, granularity="core", available=free)
    found = PROCSET["reaching"](instance)
    assert found.chosen is not None
    assert len(found.chosen) == 20
    assert found.objective is not None
    assert isinstance(found.objective, tuple)
    assert found.objective[0] == 3


def test_a_machine_answers_as_the_method_does() -> None:
    machine = system()
    ready = ReachingMachine(len(machine.processors), machine.sets)
    for seed in range(5):
        asked = machine.draw(20, Fraction(1, 4), seed)
        flags = np.zeros(len(machine.processors), dtype=np.bool_)
        flags[list(asked.available)] = True
        chosen = ready.select(flags, asked.request, seed)
        assert not check(asked, chosen.tolist())
        alone = PROCSET["reaching"](asked, Settings(seed=seed))
        assert tuple(chosen.tolist()) == alone.chosen


@pytest.mark.parametrize("name", NAMES)
def test_a_time_limit_brings_what_there_is(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("closeknit.heuristics.procset.reaching._WORK", 1)
    instance = drakenberg_system(30, free=100, seed=1)
    stopped = PROCSET[name](instance, Settings(time_limit=0))
    assert stopped.limit is Limit.TIME
    assert stopped.objective is not None
    assert PROCSET[name](instance).limit is None


def test_ctrl_c_brings_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    once = kernels.reach
    turns: list[int] = []

    def reach(*args: int | IntArray) -> int:
        turns.append(0)
        if len(turns) == 3:
            signal.raise_signal(signal.SIGINT)
        return int(once(*args[:-1], 1))

    monkeypatch.setattr(kernels, "reach", reach)
    instance = drakenberg_system(30, free=100, seed=1)
    stopped = PROCSET["reaching"](instance)
    assert (stopped.limit, len(turns)) == (Limit.INTERRUPT, 3)
    assert stopped.chosen is not None
