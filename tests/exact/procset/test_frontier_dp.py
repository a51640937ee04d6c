"""The dynamic program over sets in progress: exact, whatever the order and size."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.procset import incremental_selector as machine
from closeknit.exact.procset.frontier_dp import kernels as frontier_kernels
from closeknit.exact.procset.frontier_dp import order as frontier_order
from closeknit.exact.procset.frontier_dp import program as frontier_program
from closeknit.exact.procset.frontier_dp.folding import folding_of, prices_of
from closeknit.exact.procset.frontier_dp.kernels_layers import gather, grow
from closeknit.exact.procset.incremental_selector import RequestSolver
from closeknit.exact.procset.lookahead import lookahead_instance
from closeknit.formulations.procset.set_classes import classes_of
from closeknit.instances import InputError, ProcessorSet, ProcSet, check, cost
from closeknit.instances.procset.generators import (
    drakenberg_system,
    random_sets,
    system,
    torus_planes,
)
from closeknit.methods import PROCSET
from closeknit.solvers import Grade, Limit, Settings, Status

from ...oracles import cheapest
from ...strategies import procsets
from ..stopped import assert_stopped

METHOD = PROCSET["frontier-dp"]
LARGE = 2**56
"""Costs of which two levels do not fit one word."""


def proved(instance: ProcSet) -> tuple[int, ...]:
    """Cost of what frontier-dp chooses, proved optimal by itself."""
    result = METHOD(instance)
    assert result.status is Status.OPTIMAL
    assert result.proof is not None
    assert (result.proof.grade, result.proof.by) == (Grade.ENUMERATED, "frontier-dp")
    assert result.chosen is not None
    assert len(result.chosen) == instance.request
    assert result.objective == result.bound == cost(instance, result.chosen)
    assert isinstance(result.objective, tuple)
    return result.objective


def flags(instance: ProcSet) -> npt.NDArray[np.bool_]:
    """Of each processor: whether it is available."""
    found = np.zeros(len(instance.processors), dtype=np.bool_)
    found[list(instance.available)] = True
    return found


def prepared(instance: ProcSet, **how: object) -> RequestSolver:
    return RequestSolver(len(instance.processors), instance.sets, **how)  # type: ignore[arg-type]


def some_system(rng: random.Random, *, most: int = 9, dearest: int = 9) -> ProcSet:
    """Any sets, of any cost, some of which may be alike or free of charge."""
    n, levels = rng.randint(1, 10), rng.randint(1, 4)
    prices = [0, 1, dearest, rng.randint(0, dearest)]
    sets = tuple(
        ProcessorSet(
            f"s{s}",
            tuple(rng.sample(range(n), rng.randint(1, n))),
            tuple(rng.choice(prices) for _ in range(levels)),
        )
        for s in range(rng.randint(1, most))
    )
    free = tuple(rng.sample(range(n), rng.randint(1, n)))
    names = tuple(f"p{i}" for i in range(n))
    return ProcSet("any", names, free, rng.randint(1, len(free)), sets)


def with_level(instance: ProcSet, large: int) -> ProcSet:
    """Let every set cost so much and a little more at one more level, or nothing."""
    sets = tuple(
        replace(one, cost=(*one.cost, large + i if large else 0))
        for i, one in enumerate(instance.sets)
    )
    return replace(instance, sets=sets)


def agrees_with_every_choice(instance: ProcSet) -> None:
    """The method, the machine and its table are as good as the best of all choices."""
    least = cheapest(instance)
    assert proved(instance) == least
    ready, free = prepared(instance), flags(instance)
    found = ready.select(free, instance.request)
    chosen = found.chosen.tolist()
    assert chosen == sorted(chosen)
    assert len(chosen) == instance.request
    assert check(instance, chosen) == []
    assert found.exact
    assert found.cost == cost(instance, chosen) == least
    assert ready.mincosts(free, instance.n)[instance.request - 1] == least


@pytest.mark.parametrize("dearest", [3, 1000, LARGE])
def test_it_is_as_good_as_every_choice(dearest: int) -> None:
    rng = random.Random(dearest)
    for _ in range(500):
        agrees_with_every_choice(some_system(rng, dearest=dearest))


@settings(max_examples=100, deadline=None)
@given(instance=procsets(infeasible=True))
def test_more_than_there_is_is_infeasible(instance: ProcSet) -> None:
    result = METHOD(instance)
    enough = instance.request <= instance.n
    assert result.status is (Status.OPTIMAL if enough else Status.INFEASIBLE)
    if not enough:
        with pytest.raises(InputError, match="processor"):
            prepared(instance).select(flags(instance), instance.request)


@settings(max_examples=100, deadline=None)
@given(instance=procsets())
def test_all_orders_cost_the_same(instance: ProcSet) -> None:
    least = cheapest(instance)
    for order in frontier_order.ORDERS:
        ready = prepared(instance, order=order)
        assert ready.order == order
        assert ready.select(flags(instance), instance.request).cost == least


@settings(max_examples=60, deadline=None)
@given(instance=procsets())
def test_one_sweep_prices_every_smaller_request(instance: ProcSet) -> None:
    ready, free = prepared(instance), flags(instance)
    table = ready.mincosts(free, instance.n)
    assert table == [ready.select(free, r).cost for r in range(1, instance.n + 1)]
    assert table == sorted(table)


# --- systems too large to enumerate ------------------------------------------


@pytest.fixture(scope="module", params=["node", "core"])
def cluster(request: pytest.FixtureRequest) -> tuple[ProcSet, RequestSolver]:
    made = system(request.param)
    return made.ask(1), RequestSolver(len(made.processors), made.sets)


def some_requests(instance: ProcSet, count: int) -> Iterator[ProcSet]:
    """Requests of any size to parts of a machine."""
    rng = random.Random(5)
    n = len(instance.processors)
    for number in range(count):
        made = drakenberg_system(
            1,
            granularity="node" if n == 256 else "core",
            free=rng.randint(1, 256),
            partly=Fraction(rng.choice([0, 0, 1, 5]), 10),
            seed=number,
        )
        most = rng.choice([min(12, made.n), made.n])
        yield replace(made, request=rng.randint(1, most))


def test_method_and_machine_agree_on_the_cluster(
    cluster: tuple[ProcSet, RequestSolver],
) -> None:
    instance, ready = cluster
    for asked in some_requests(instance, 25):
        found = ready.select(flags(asked), asked.request)
        assert found.exact
        assert found.cost == cost(asked, found.chosen.tolist()) == proved(asked)


def test_bounds_leave_nothing_out(
    cluster: tuple[ProcSet, RequestSolver], monkeypatch: pytest.MonkeyPatch
) -> None:
    instance, ready = cluster
    monkeypatch.setattr(frontier_kernels, "PLAIN", 2**62)
    for asked in some_requests(instance, 15):
        whole = ready.program(flags(asked), asked.request)
        assert whole.run(lambda: None) is None
        found = ready.select(flags(asked), asked.request)
        assert found.cost == ready.unfold(whole.bound, asked.request)


def test_wide_systems_agree_between_orders_and_with_bounds() -> None:
    for seed in range(12):
        instance = random_sets(40, 12, Fraction(1, 4), 18, levels=2, seed=seed)
        free = flags(instance)
        costs = {
            prepared(instance, order=order).select(free, 18).cost
            for order in frontier_order.ORDERS
        }
        assert costs == {proved(instance)}


def test_classes_are_those_of_the_definition(
    cluster: tuple[ProcSet, RequestSolver],
) -> None:
    instance, ready = cluster
    for asked in some_requests(instance, 10):
        classes = classes_of(asked)
        static, _ = ready._folding(asked.request)
        plan = gather(static, flags(asked))
        assert sorted(plan.size * plan.unit) == sorted(classes.sizes)
        assert len(plan.bit) == len(classes.shared)
        assert len(plan.shared) == sum(map(len, classes.opens))


def test_words_agree_with_one_word(cluster: tuple[ProcSet, RequestSolver]) -> None:
    """One more level, of large costs, goes into a word of its own."""
    instance, ready = cluster
    for asked in some_requests(instance, 6):
        several = prepared(with_level(asked, 2**50))
        assert len(several._folding(asked.request)[1].words) > 1
        found = several.select(flags(asked), asked.request)
        expected = ready.select(flags(asked), asked.request)
        assert found.cost[:-1] == expected.cost
        assert several.mincosts(flags(asked), min(9, asked.n)) == [
            several.select(flags(asked), r).cost for r in range(1, min(9, asked.n) + 1)
        ]


def test_two_words_fit_into_one_above_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is above the bound is little, so that it leaves room for the second word."""
    scales = []
    for seed in range(10):
        drawn = random_sets(40, 12, Fraction(1, 4), 18, levels=2, seed=seed)
        sets = tuple(
            ProcessorSet(
                one.name, one.members, (one.cost[0], 2**20 * one.cost[1] + i, 2**35 + i)
            )
            for i, one in enumerate(drawn.sets)
        )
        instance = replace(drawn, sets=sets)
        ready = prepared(instance)
        program = ready.program(flags(instance), 18)
        assert program.run(lambda: None) is None
        scales.append(program._arcs.scale)
        with monkeypatch.context() as patch:
            patch.setattr(frontier_kernels, "PLAIN", 2**62)
            plain = ready.program(flags(instance), 18)
            assert plain.run(lambda: None) is None
        assert program.bound == plain.bound
        least = ready.unfold(plain.bound, 18)
        assert cost(instance, program.chosen().tolist()) == least
        assert cost(instance, plain.chosen().tolist()) == least
    assert max(scales) > 1


@pytest.mark.parametrize("large", [0, LARGE])
def test_the_way_back_may_be_computed_a_second_time(
    large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = random_sets(40, 12, Fraction(1, 4), 18, levels=2, seed=3)
    instance = with_level(drawn, large)
    expected = proved(instance)
    monkeypatch.setattr(frontier_program, "ROOM", 400)
    monkeypatch.setattr(machine, "ROOM", 400)
    monkeypatch.setattr(machine, "_FIRST_ROOM", 100)
    kept = []
    keep = frontier_program.Program._keep

    def count(self: frontier_program.Program) -> None:
        kept.append(0)
        keep(self)

    monkeypatch.setattr(frontier_program.Program, "_keep", count)
    found = prepared(instance).select(flags(instance), 18)
    assert found.cost == cost(instance, found.chosen.tolist()) == expected
    assert proved(instance) == expected
    assert len(kept) > 10


# --- orders, widths, folding ---------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(
    incidence=st.lists(
        st.frozensets(st.integers(0, 5), max_size=4).map(lambda s: tuple(sorted(s))),
        min_size=1,
        max_size=9,
        unique=True,
    )
)
def test_orders_are_permutations_and_the_best_is_taken(
    incidence: list[tuple[int, ...]],
) -> None:
    work = {}
    for name, order in frontier_order.ORDERS.items():
        found = order(incidence)
        assert sorted(found) == list(range(len(incidence)))
        assert found == order(incidence)
        work[name] = frontier_order.predicted_work([incidence[k] for k in found])
    name, found = frontier_order.choose_order(incidence)
    assert work[name] <= min(work["given"], work["greedy"])


def test_the_greedy_order_is_taken_where_the_given_one_is_wide() -> None:
    rng = random.Random(1)
    pairs = [(i, i + 1) for i in range(60)]
    shuffled = rng.sample(pairs, len(pairs))
    # a path, its nodes in any order, so that the order given is wide
    assert max(frontier_order.widths(shuffled)) > 10
    name, found = frontier_order.choose_order(shuffled)
    assert name == "greedy"
    assert max(frontier_order.widths([shuffled[k] for k in found])) <= 3


def test_least_work_is_found_among_all_orders_of_few_classes() -> None:
    incidence = [(0, 1), (1, 2), (0, 3), (3, 4), (2, 4)]
    least = min(
        frontier_order.predicted_work([incidence[k] for k in order])
        for order in permutations(range(5))
    )
    _, found = frontier_order.choose_order(incidence)
    assert frontier_order.predicted_work([incidence[k] for k in found]) == least


@settings(max_examples=100, deadline=None)
@given(instance=procsets())
def test_width_is_stated_beforehand(instance: ProcSet) -> None:
    """As counted from the classes' definition, in the order of the machine."""
    ready, free = prepared(instance), flags(instance)
    classes = classes_of(instance)
    of = {i: opens for own, opens in zip(classes.members, classes.opens, strict=True)
          for i in own}  # fmt: skip
    static, _ = ready._folding(1)
    plan = gather(static, free)
    order = [
        next(
            i for i in static.members[static.first[c] : static.first[c + 1]] if free[i]
        )
        for c in plan.which
    ]
    assert ready.width(free) == max(frontier_order.widths([of[int(i)] for i in order]))
    everything = np.ones_like(free)
    assert ready.width(free) <= ready.width(everything)
    assert ready.width(free) <= len(classes.shared)


def test_the_paper_machine_is_narrow() -> None:
    for granularity in ("node", "core"):
        instance = drakenberg_system(48, granularity=granularity)
        assert prepared(instance).width(flags(instance)) <= 7


def test_folding_bounds_levels_by_what_a_request_can_touch() -> None:
    costs = [(1, 2**30, 2**30)] * 40
    incidence = [(s,) for s in range(40)]
    prices = prices_of(costs, [1] * 40, None)
    for request in (1, 3, 40):
        folding = folding_of(prices, incidence, 3, request)
        total = tuple(min(request, 40) * c for c in costs[0])
        folded = [int(x) * min(request, 40) for x in folding.base[:, 0]]
        assert folding.unfold(folded) == total
        assert len(folding.words) == 1


# --- limits and refusals ---------------------------------------------------------


def test_too_wide_is_refused_with_the_width() -> None:
    instance = torus_planes((12, 12, 12), 32)
    with pytest.raises(InputError, match=r"width \d+: more than \d+ sets of open sets"):
        METHOD(instance)
    with pytest.raises(InputError, match="width"):
        prepared(instance).mincosts(flags(instance), 5)


def test_what_is_too_wide_is_given_up_before_it_is_listed() -> None:
    """But not what is wide at some classes only."""
    planes = torus_planes((10, 10, 10), 32, free=Fraction(1, 2), seed=1)
    hub = ProcessorSet("hub", tuple(range(13)), (1,))
    spokes = [ProcessorSet(f"spoke {i}", (i, 20 + i), (1,)) for i in range(13)]
    chain = [ProcessorSet(f"link {i}", (i, i + 1), (2,)) for i in range(40, 400)]
    for sets, processors, narrow in (
        (planes.sets, 1000, False),
        ((hub, *spokes, *chain), 401, True),
    ):
        ready = RequestSolver(processors, sets, order="given")
        free = np.ones(processors, dtype=np.bool_)
        fine, layers = grow(
            gather(ready._folding(1)[0], free), frontier_program.MOST_ENTRIES
        )
        assert fine == narrow
        assert np.diff(layers.begin).max() > 2**12
        assert layers.begin.max() < 2**18


def test_machines_too_wide_are_answered_by_reaching() -> None:
    instance = torus_planes((7, 7, 7), 30)
    found = prepared(instance).select(flags(instance), 30)
    assert not found.exact
    assert len(found.chosen) == 30
    assert check(instance, found.chosen.tolist()) == []
    assert found.cost == cost(instance, found.chosen.tolist())


@pytest.mark.parametrize("large", [0, LARGE])
@pytest.mark.parametrize(
    ("limits", "limit"),
    [({"time_limit": 0.0}, Limit.TIME), ({"node_limit": 2000}, Limit.NODES)],
)
def test_limits_leave_a_choice_and_a_bound(
    large: int,
    limits: dict[str, float],
    limit: Limit,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frontier_program, "_WORK", 1000)
    drawn = random_sets(60, 14, Fraction(1, 4), 25, levels=2, seed=4)
    instance = with_level(drawn, large)
    least = proved(instance)
    result = METHOD(instance, Settings(**limits))  # type: ignore[arg-type]
    assert_stopped(instance, result, limit, least)
    assert result.chosen == METHOD(instance, Settings(**limits)).chosen  # type: ignore[arg-type]


def test_control_c_leaves_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier_program, "_WORK", 1000)
    step = frontier_program.Program._step

    def slow(self: frontier_program.Program, *args: int) -> int:
        time.sleep(0.05)
        return step(self, *args)

    monkeypatch.setattr(frontier_program.Program, "_step", slow)
    instance = random_sets(60, 14, Fraction(1, 4), 25, levels=2, seed=4)
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    result = METHOD(instance)
    timer.join()
    assert result.limit is Limit.INTERRUPT
    assert result.chosen is not None


@pytest.mark.parametrize(
    ("how", "field"),
    [
        ({"order": "random"}, "order"),
        ({"lookahead": 0}, "lookahead"),
        ({"lookahead": 3}, "lookahead"),
    ],
)
def test_machines_refuse_what_they_do_not_know(
    how: dict[str, object], field: str
) -> None:
    sets = (ProcessorSet("both", (0, 1), (1, 2)),)
    with pytest.raises(InputError) as caught:
        RequestSolver(2, sets, **how)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_machines_refuse_requests_that_make_no_sense() -> None:
    ready = RequestSolver(2, (ProcessorSet("both", (0, 1), (1,)),))
    both = np.ones(2, dtype=np.bool_)
    for free, request, field in (
        (both, 0, "request"),
        (both, 3, "request"),
        (~both, 1, "available"),
        (np.ones(3, dtype=np.bool_), 1, "available"),
    ):
        with pytest.raises(InputError) as caught:
            ready.select(free, request)
        assert caught.value.field == field


def test_same_request_same_answer() -> None:
    made = system("node", "uniform")
    machines = [RequestSolver(256, made.sets) for _ in range(2)]
    for seed in range(20):
        instance = made.draw(9, 120, seed)
        answers = {
            tuple(ready.select(flags(instance), 9).chosen.tolist())
            for ready in (*machines, machines[0])
        }
        assert len(answers) == 1


# --- the route taken without --method ------------------------------------------------


def test_auto_takes_the_route_that_suits() -> None:
    narrow = PROCSET["auto"](drakenberg_system(48, free=100, seed=2))
    wide = PROCSET["auto"](torus_planes((8, 8, 8), 12))
    assert narrow.proof is not None
    assert wide.proof is not None
    assert (narrow.proof.by, wide.proof.by) == ("frontier-dp", "set-opening-bb")
    assert narrow.status is wide.status is Status.OPTIMAL


# --- looking ahead ---------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(instance=procsets(levels=3), after=st.integers(1, 3))
def test_lookahead_is_exact_with_one_more_level(instance: ProcSet, after: int) -> None:
    longer = lookahead_instance(instance, after)
    least = cheapest(longer)
    found = prepared(instance, lookahead=after).select(
        flags(instance), instance.request
    )
    chosen = found.chosen.tolist()
    assert cost(longer, chosen) == least
    assert found.cost == cost(instance, chosen)
    assert found.cost == (*least[:after], *least[after + 1 :])
    assert found.cost[:after] == cheapest(instance)[:after]
    table = prepared(instance, lookahead=after).mincosts(
        flags(instance), instance.request
    )
    assert table[-1] == found.cost


@settings(max_examples=60, deadline=None)
@given(instance=procsets())
def test_the_method_keeps_the_first_level_optimal(instance: ProcSet) -> None:
    result = PROCSET["lookahead"](instance)
    assert result.bound is None
    assert isinstance(result.objective, tuple)
    assert result.objective[0] == cheapest(instance)[0]
    chosen = result.chosen
    assert chosen is not None
    assert cost(lookahead_instance(instance), chosen) == cheapest(
        lookahead_instance(instance)
    )


def test_it_prefers_the_rack_with_less_room() -> None:
    racks = (
        ProcessorSet("left", (0, 1, 2, 3), (1,)),
        ProcessorSet("right", (4, 5, 6), (1,)),
    )
    names = tuple("abcdefg")
    instance = ProcSet("two", names, (0, 1, 2, 3, 4, 6), 2, racks)
    assert PROCSET["frontier-dp"](instance).objective == (1,)
    assert PROCSET["lookahead"](instance).chosen == (4, 6)
    with pytest.raises(InputError, match="lookahead"):
        lookahead_instance(instance, 2)
