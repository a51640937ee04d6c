"""What every method of the table must hold to, whatever it does inside."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from closeknit.heuristics.ksubset.ptas import published as ptas_published
from closeknit.heuristics.ksubset.strips import even_sizes
from closeknit.instances import (
    Grid,
    InputError,
    KSubset,
    Mesh,
    Points,
    Site,
    Topology,
    Torus,
    check,
    cost,
)
from closeknit.instances.ksubset import worst_cases
from closeknit.methods import KSUBSET
from closeknit.methods.allocators.table import STRATEGIES
from closeknit.solvers import Result, Settings, Status, Ties

from ..metamorphic.relations import relabel_ksubset, translate_ksubset
from ..oracles import optimum
from ..strategies import by_kind, cylinder, grids, ksubsets, points, trees, tunnel

OWN = {name: m for name, m in KSUBSET.items() if not m.runs_solver}
"""Methods of our own; the models run solvers and have tests of their own."""
HEURISTICS = [name for name, method in OWN.items() if not method.exact]

by_name = pytest.mark.parametrize("name", OWN)


def run(name: str, instance: KSubset, **how: object) -> Result:
    """Run a method where it may be run, and the published scheme where it is quick."""
    method = OWN[name]
    assume(not (method.refuses and method.refuses(instance)))
    if m := ptas_published.STRIPS.get(name):
        sizes = even_sizes(instance.k, m)
        d = instance.topology.dimension
        assume(ptas_published.cases(instance.n, sizes, d) <= 1000)
    return method(instance, Settings(**how))  # type: ignore[arg-type]


@cache
def taken(name: str, *, shifts: bool = False) -> st.SearchStrategy[KSubset]:
    """Instances of the kinds that a method takes; or of those that can be shifted."""
    kinds = [
        kind
        for example, kind in by_kind()
        if accepts(name, KSubset("example", example, tuple(example.locations()), 2))
        and not (shifts and not example.is_flat)
    ]
    return ksubsets(st.one_of(kinds)) if kinds else st.nothing()


def accepts(name: str, instance: KSubset) -> bool:
    refuses = OWN[name].refuses
    return refuses is None or refuses(instance) is None


def test_the_table_is_complete() -> None:
    promised = {"mm", "mm-free", "mm-all", "mm-inc", "mm-inc-first", "mc1x1"}
    promised |= {"mm-inc-all", "mc1x1-all"}
    assert promised | {"random", "row-major", "bruteforce"} <= set(OWN)


@by_name
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_answers_are_valid_and_honest(name: str, data: st.DataObject) -> None:
    instance = data.draw(taken(name))
    result = run(name, instance)
    least = optimum(instance)
    assert result.chosen is not None
    assert check(instance, result.chosen) == []
    assert list(result.chosen) == sorted(result.chosen)
    assert result.objective == cost(instance, result.chosen)
    assert isinstance(result.objective, int)
    assert result.objective >= least
    assert result.limit is None
    if OWN[name].exact:
        assert result.status is Status.OPTIMAL
        assert result.bound == result.objective == least
    elif result.bound is not None:
        assert isinstance(result.bound, int)
        assert result.bound <= least
    factor = OWN[name].guarantee
    if factor is not None and (proven := factor(instance)) is not None:
        assert result.objective <= proven * least


@by_name
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_same_seed_same_answer(name: str, data: st.DataObject) -> None:
    instance = data.draw(taken(name))
    seed = data.draw(st.integers(0, 5))
    again = KSubset(
        "anew", instance.topology, tuple(reversed(instance.free)), instance.k
    )
    assert run(name, instance, seed=seed).chosen == run(name, again, seed=seed).chosen


@by_name
def test_refuses_what_it_does_not_take(name: str) -> None:
    method = OWN[name]
    for topology, _ in by_kind():
        instance = KSubset("example", topology, tuple(topology.locations()), 2)
        if method.refuses and (why := method.refuses(instance)):
            with pytest.raises(InputError, match=f"{name}: {why}"):
                method(instance)
            continue
        assert method(instance).chosen is not None
        if not method.takes_ties:
            with pytest.raises(InputError, match="ties: "):
                method(instance, Settings(ties=Ties.WORST))


# Random states, as a scheduler would meet them


KINDS: dict[str, Callable[..., Grid]] = {
    "mesh": Mesh,
    "torus": Torus,
    "cylinder": cylinder,
    "tunnel": tunnel,
}


@cache
def states(kind: str) -> list[tuple[KSubset, set[Site]]]:
    """10 000 states, each with its busy processors."""
    pick = Random(kind)
    shapes = [(6, 6), (5, 6), (4, 3), (2, 5), (3, 3, 3), (2, 4, 3), (1, 13), (9,)]
    made = []
    for number in range(10_000):
        shape = shapes[number % len(shapes)]
        topology = KINDS[kind](shape)
        places = list(topology.locations())
        pick.shuffle(places)
        free = pick.randint(1, len(places))
        k = pick.randint(1, free)
        instance = KSubset("state", topology, tuple(places[:free]), k)
        made.append((instance, set(places[free:])))
    return made


@pytest.mark.parametrize("every", [15, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", HEURISTICS)
def test_never_a_busy_processor(name: str, kind: str, every: int) -> None:
    method = OWN[name]
    refuses = method.refuses or (lambda instance: None)
    # of the strategies, dozens that share how they are asked, every fifth will do;
    # the schemes take up to a second a state; odd steps meet all shapes
    schemes = {"ptas": 201, "ptas-published": 2001}
    step = schemes.get(name.partition("/")[0], 5 if name in STRATEGIES else 1)
    some = states(kind)[:: step * every]
    met = [state for state in some if not refuses(state[0])]
    if not met:
        pytest.skip(f"{name} takes no {kind}")
    for instance, busy in met:
        result = method(instance)
        assert result.chosen is not None
        sites = {instance.free[i] for i in result.chosen}
        assert len(sites) == instance.k
        assert not sites & busy
        assert result.limit is None


# Symmetries. Ties are broken by coordinates, so a heuristic may answer a mirrored
# instance differently, even at another cost. What holds exactly:
# - shifting a mesh's or a point set's processors keeps their order, hence every
#   answer (mm-all: centres beyond the bounding box add no new candidate). The
#   exceptions are below, in LAID_OUT;
# - mm, when its ties are broken for the best or for the worst, does not depend on
#   order: its cost survives mirroring, turning, shifting round a torus and renaming
#   the nodes of a tree; so does the optimum, which is compared above with one found
#   by looking at everything, on instances of every orientation.
# In every other case only the guarantee remains, which is tested above on
# instances of every orientation.


def moved(
    instance: KSubset, topology: Topology, move: Callable[[Site], Site]
) -> KSubset:
    return KSubset("moved", topology, tuple(map(move, instance.free)), instance.k)


_RUNS = "runs go on over the edge of the machine, from line to line"
_WALK = "the walk through a machine depends on its sides"
LAID_OUT = {
    **{f"row/{packing}": _RUNS for packing in ("first-fit", "best-fit")},
    **{
        f"{order}/{packing}": _WALK
        for order in ("hilbert", "snake")
        for packing in ("first-fit", "best-fit", "sorted-free")
    },
    "paging-1": "pages lie at multiples of their side",
    "quadrant": "squares lie at multiples of their side",
    **dict.fromkeys(
        ("mc", "mc/column-major"),
        "on a narrow mesh the squarest box is not that of a wider one",
    ),
    "mc-elongated": "its columns are those of the whole machine, and have a middle",
    "plas": "it begins in the middle of the columns of the machine",
    "mbs": "blocks lie at multiples of their side",
}
"""Strategies laid out over a machine, not over what is idle: shifting into a larger
mesh changes their answers. What survives is in test_allocation_curves.py."""


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in OWN
        if name not in LAID_OUT and not taken(name, shifts=True).is_empty
    ],
)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_shifted_alike(name: str, data: st.DataObject) -> None:
    shiftable = taken(name, shifts=True)
    if shiftable.is_empty:
        pytest.skip(f"{name} takes nothing that can be shifted")
    instance = data.draw(shiftable)
    topology = instance.topology
    by = data.draw(st.tuples(*[st.integers(0, 3)] * topology.dimension))

    def move(site: Site) -> Site:
        return tuple(x + step for x, step in zip(site, by, strict=True))

    wider: Topology
    if grid := topology.grid:
        wider = Mesh(move(tuple(side + 1 for side in grid.shape)))
    else:
        assert isinstance(topology, Points)
        wider = Points(tuple(map(move, topology.coordinates)))
    assert run(name, moved(instance, wider, move)).chosen == run(name, instance).chosen


@pytest.mark.parametrize("ties", [Ties.BEST, Ties.WORST])
@settings(max_examples=40, deadline=None)
@given(instance=taken("mm"), rng=st.randoms(use_true_random=False))
def test_cost_survives_symmetries(ties: Ties, instance: KSubset, rng: Random) -> None:
    """Mirrored, turned and, where it wraps, shifted; with other numbers of nodes."""
    cost = run("mm", instance, ties=ties).objective
    turned = relabel_ksubset(rng, instance)
    assert turned is not None
    assert run("mm", turned.others[0], ties=ties).objective == cost
    if instance.topology.grid and (shifted := translate_ksubset(rng, instance)):
        assert run("mm", shifted.others[0], ties=ties).objective == cost


@settings(max_examples=60, deadline=None)
@given(instance=ksubsets())
def test_ties_lie_between_best_and_worst(instance: KSubset) -> None:
    costs = [run("mm", instance, ties=t).objective for t in (Ties.BEST, Ties.LEX)]
    costs.append(run("mm", instance, ties=Ties.WORST).objective)
    assert all(isinstance(c, int) for c in costs)
    assert costs == sorted(costs)  # type: ignore[type-var]


@settings(max_examples=60, deadline=None)
@given(instance=ksubsets(st.one_of(grids(), points(), trees())))
def test_no_method_beats_what_it_starts_from(instance: KSubset) -> None:
    start = run("mm", instance).objective
    assert isinstance(start, int)
    for better in ("mm-inc", "mm-inc-first", "mm-all", "mm-inc-all"):
        objective = run(better, instance).objective
        assert isinstance(objective, int)
        assert objective <= start


# Worst cases: every method pays there what was derived for it.


@pytest.mark.parametrize(
    "case",
    [
        worst_cases.theorem1(2, 16, Fraction(1, 132)),
        worst_cases.theorem1(3, 24, Fraction(1, 10)),
        worst_cases.median_decoys(2, 8, Fraction(1, 9)),
        worst_cases.mm_distinct(60),
        worst_cases.mm_blocks(16, 50),
        worst_cases.ring_gap(2),
        worst_cases.mc1x1_family(6, 20),
        worst_cases.mc1x1_family(4, 12, 3),
        worst_cases.genalg(),
        worst_cases.genalg_tree(6),
    ],
    ids=lambda case: case.instance.name,
)
def test_worst_cases_are_as_bad_as_derived(case: worst_cases.WorstCase) -> None:
    method = OWN[case.method]
    assert method(case.instance).objective == case.cost
    assert method.guarantee is not None
    factor = method.guarantee(case.instance)
    assert factor is not None
    assert case.cost <= factor * case.optimum
