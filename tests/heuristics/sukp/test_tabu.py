"""The tabu search: its bookkeeping, its limits, and what it reaches."""

from __future__ import annotations

import csv
import json
import random
import signal
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.sukp import tabu_kernels as kernels
from closeknit.heuristics.sukp.tabu import TabuSearch, moves_of
from closeknit.instances import InputError, Sukp, check, cost, read_instance
from closeknit.instances.sukp.generators import random_sukp
from closeknit.instances.sukp.instance import profit, weight
from closeknit.instances.sukp.text import parse_sukp_text
from closeknit.instances.writing.sukp_text import sukp_text
from closeknit.methods import SUKP as KNAPSACK
from closeknit.solvers import Limit, Settings, Status

from ...data import KNAPSACKS, needs
from ...oracles import least_left_out
from ...strategies import sukps

TABU = KNAPSACK["tabu"]
with_data = needs("data/sukp")
DENSITY = Fraction(1, 5)


def drawn(items: int = 40, elements: int = 35, seed: int = 1) -> Sukp:
    return random_sukp(items, elements, DENSITY, Fraction(4, 5), seed)


# The bookkeeping


def anew(side: kernels.Side) -> None:
    """Compare all that a side keeps with what its choice says."""
    inside = [t for t in range(len(side.own)) if side.inside[t]]
    covers = [
        {int(p) for p in side.parts[side.start[t] : side.start[t + 1]]}
        for t in range(len(side.own))
    ]
    by = [[t for t in inside if p in covers[t]] for p in range(len(side.worth))]

    def worth(parts: set[int]) -> int:
        return sum(int(side.worth[p]) for p in parts)

    covered = {p for p, those in enumerate(by) if those}
    assert side.state[kernels.OWN] == sum(int(side.own[t]) for t in inside)
    assert side.state[kernels.COVERED] == worth(covered)
    assert side.covers.tolist() == [len(those) for those in by]
    assert side.owner.tolist() == [sum(those) for those in by]
    assert side.gain.tolist() == [worth(own - covered) for own in covers]
    key = np.uint64(0)
    for t in inside:
        key ^= side.sign[t]
    assert side.words[kernels.KEY] == key
    for i in range(len(side.own)):
        alone = {p for p in covers[i] if by[p] == [i]}
        assert side.loss[i].tolist() == [worth(alone & other) for other in covers]


@settings(max_examples=60, deadline=None)
@given(instance=sukps(), data=st.data())
def test_marginal_weights_follow_every_move(
    instance: Sukp, data: st.DataObject
) -> None:
    search = TabuSearch(instance, 0)
    for side in (search.items, search.elements):
        if not len(side.own):
            continue
        for t in data.draw(st.lists(st.integers(0, len(side.own) - 1), max_size=30)):
            (kernels.leave if side.inside[t] else kernels.enter)(side, t)
        anew(side)


def test_marginal_weights_after_thousands_of_random_moves() -> None:
    search = TabuSearch(drawn(), 0)
    pick = random.Random(5)
    for side in (search.items, search.elements):
        for number in range(5000):
            t = pick.randrange(len(side.own))
            (kernels.leave if side.inside[t] else kernels.enter)(side, t)
            if number % 500 == 0:
                anew(side)
        anew(side)


def test_marginal_weights_after_a_search() -> None:
    instance = drawn()
    search = TabuSearch(instance, 3)
    while search.moves < 20_000:
        search.step(777)
        assert search.items.state[kernels.COVERED] <= instance.capacity
    assert search.elements.state[kernels.OWN] >= search.need
    assert search.items.state[kernels.TURNS] > 1
    assert search.elements.state[kernels.TURNS] > 1
    anew(search.items)
    anew(search.elements)


def test_the_best_swap_is_the_best_swap() -> None:
    """Both neighbourhoods, against all sets one exchange away."""
    for seed in range(30):
        instance = drawn(15, 12, seed)
        search = TabuSearch(instance, seed)
        search.step(40)
        search.step(40)
        side = search.items
        side.seen[:] = 0
        here = {int(search.item[t]) for t in np.flatnonzero(side.inside)}
        others = set(range(instance.n)) - here
        added = [here | {j} for j in others]
        if not any(not check(instance, s) for s in added):
            added = [here - {i} | {j} for i in here for j in others]
            added += [here - {i} for i in here]
        most = max(profit(instance, s) for s in added if not check(instance, s))
        out, new = kernels.best_of_items(side, instance.capacity)
        kernels.move(side, out, new)
        assert side.state[kernels.OWN] == most
        assert side.state[kernels.COVERED] <= instance.capacity


def test_the_best_exchange_of_elements_is_the_best() -> None:
    for seed in range(30):
        instance = drawn(15, 12, seed)
        search = TabuSearch(instance, seed)
        while search.elements.state[kernels.TURNS] < 1:
            search.step(4096)
        side = search.elements
        side.seen[:] = 0
        n = len(instance.weights)
        here = {int(search.element[t]) for t in np.flatnonzero(side.inside)}

        def heavy(elements: set[int], instance: Sukp = instance) -> bool:
            total = sum(instance.weights) - instance.capacity
            return sum(instance.weights[e] for e in elements) >= total

        def loss(elements: set[int], instance: Sukp = instance) -> int:
            return sum(
                p
                for p, needs in zip(instance.profits, instance.items, strict=True)
                if elements.intersection(needs)
            )

        others = set(range(n)) - here
        near = [here - {e} for e in here]
        if not any(map(heavy, near)):
            near = [here - {e} | {f} for e in here for f in others]
            near += [here | {f} for f in others]
        least = min(loss(elements) for elements in near if heavy(elements))
        out, new = kernels.best_of_elements(side, search.need)
        kernels.move(side, out, new)
        assert side.state[kernels.COVERED] == least
        assert side.state[kernels.OWN] >= search.need


# What it answers


@settings(max_examples=80, deadline=None)
@given(instance=sukps(), seed=st.integers(0, 3))
def test_finds_the_optimum_of_small_ones(instance: Sukp, seed: int) -> None:
    result = TABU(instance, Settings(seed=seed, node_limit=3000))
    assert result.chosen is not None
    assert check(instance, result.chosen) == []
    assert result.objective == cost(instance, result.chosen) == least_left_out(instance)
    assert result.bound is None
    assert result.seed == seed


@pytest.mark.parametrize("seed", range(6))
def test_equals_bruteforce_on_random_ones(seed: int) -> None:
    instance = random_sukp(18, 16, DENSITY, Fraction(1, 2 + seed % 2), seed)
    result = TABU(instance)
    assert result.status is Status.FEASIBLE
    assert result.limit is None
    assert result.objective == KNAPSACK["bruteforce"](instance).objective


def test_same_seed_same_answer_however_it_is_cut() -> None:
    instance = drawn(60, 50)
    chosen = TABU(instance, Settings(seed=4, node_limit=9000)).chosen
    assert TABU(instance, Settings(seed=4, node_limit=9000)).chosen == chosen
    for budget in (1, 7, 5000):
        search = TabuSearch(instance, 4)
        while search.moves < 9000:
            search.step(min(budget, 9000 - search.moves))
        assert search.moves == 9000
        assert tuple(sorted(search.chosen.tolist())) == chosen


def test_seeds_differ() -> None:
    instance = drawn(60, 50)
    met = set()
    for seed in range(8):
        search = TabuSearch(instance, seed)
        while search.moves < 4500:
            search.step(4500 - search.moves)
        met.add(search.items.inside.tobytes())
    assert len(met) > 1


def test_moves_end_it() -> None:
    instance = drawn()
    result = TABU(instance, Settings(node_limit=10))
    assert result.limit is Limit.NODES
    search = TabuSearch(instance, 0)
    assert search.run(float("inf")) is None
    assert search.moves == moves_of(instance)
    assert result.objective is not None
    assert isinstance(result.objective, int)
    assert result.objective >= search.left_out


def test_time_ends_it() -> None:
    result = TABU(drawn(), Settings(time_limit=0, node_limit=10**9))
    assert result.limit is Limit.TIME
    assert result.chosen


def test_ctrl_c_ends_it() -> None:
    TABU(drawn(), Settings(node_limit=10))  # compiled
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        result = TABU(drawn(), Settings(node_limit=10**9))
    finally:
        timer.join()
    assert result.limit is Limit.INTERRUPT
    assert result.chosen


def test_all_fits() -> None:
    instance = Sukp("all", (3, 0, 2), (1, 1), ((0,), (0, 1), ()), 2)
    result = TABU(instance)
    assert result.objective == 0
    nothing = Sukp("nothing", (0, 0), (1, 1), ((0,), (1,)), 0)
    assert TABU(nothing).objective == 0
    assert TABU(Sukp("room for none", (7,), (1,), ((0,),), 0)).chosen == ()


def test_large_numbers() -> None:
    large = 2**60
    instance = Sukp(
        "large", (large, large - 1, 1), (large, large, 1), ((0,), (1,), (2,)), large + 1
    )
    assert TABU(instance, Settings(node_limit=2000)).chosen == (0, 2)


def test_too_many_items() -> None:
    instance = Sukp("many", (1,) * 12_000, (1,), ((0,),) * 12_000, 0)
    with pytest.raises(InputError, match="tabu: 12000 items and 1 elements"):
        TABU(instance)


# The benchmark


def best_known() -> dict[str, dict[str, str]]:
    with (KNAPSACKS / "best_known.csv").open(newline="") as lines:
        return {row["name"]: row for row in csv.DictReader(lines)}


def benchmark() -> list[Path]:
    return sorted(
        path for folder in KNAPSACKS.glob("set*") for path in folder.iterdir()
    )


@with_data
def test_benchmark_files_are_what_their_table_says(tmp_path: Path) -> None:
    table = best_known()
    assert {path.name.removesuffix(".txt.xz") for path in benchmark()} == set(table)
    for path in benchmark():
        instance = read_instance(path)
        assert isinstance(instance, Sukp)
        row = table[instance.name]
        m, n = int(row["items_m"]), int(row["elements_n"])
        assert (instance.n, len(instance.weights)) == (m, n)
        assert instance.capacity == int(row["capacity"])
        density, ratio = (Fraction(x) for x in instance.name.split("_")[3:])
        cells = sum(map(len, instance.items))
        assert abs(Fraction(cells, m * n) - density) < Fraction(1, 100)
        assert abs(Fraction(instance.capacity, sum(instance.weights)) - ratio) < (
            Fraction(1, 100)
        )
        copy = tmp_path / f"{instance.name}.txt"
        copy.write_text(sukp_text(instance))
        assert read_instance(copy) == instance
        assert parse_sukp_text(copy.read_text(), default_name=instance.name) == instance


@with_data
def test_known_solutions_are_worth_what_is_said() -> None:
    table = best_known()
    lines = (KNAPSACKS / "verified_solutions.jsonl").read_text().splitlines()
    solutions = [json.loads(line) for line in lines]
    assert len(solutions) >= 30
    for solution in solutions:
        (path,) = KNAPSACKS.glob(f"set*/{solution['name']}.txt.xz")
        instance = read_instance(path)
        assert isinstance(instance, Sukp)
        items = solution["items0"]
        assert check(instance, items) == []
        assert profit(instance, items) == solution["value"]
        assert weight(instance, items) == solution["weight"]
        assert cost(instance, items) == sum(instance.profits) - solution["value"]
        best = table[instance.name]["best_verified_lower_bound"]
        assert solution["value"] <= int(best)


SMALLEST = (
    "85_100_0.10_0.75",
    "85_100_0.15_0.85",
    "100_85_0.10_0.75",
    "100_85_0.15_0.85",
    "100_100_0.10_0.75",
    "100_100_0.15_0.85",
)


@pytest.mark.slow
@with_data
@pytest.mark.parametrize("name", SMALLEST)
def test_reaches_the_best_known(name: str) -> None:
    instance = read_instance(KNAPSACKS / "setI" / f"sukp_{name}.txt.xz")
    assert isinstance(instance, Sukp)
    wanted = int(best_known()[instance.name]["best_verified_lower_bound"])
    result = TABU(instance, Settings(node_limit=200_000, time_limit=600))
    assert result.chosen is not None
    assert profit(instance, result.chosen) >= wanted
