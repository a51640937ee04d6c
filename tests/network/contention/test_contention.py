"""The contention problem: its definition, files, methods, bounds and claims."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import closeknit as ck
from closeknit.cli.app import run
from closeknit.instances import (
    InputError,
    Topology,
    cost,
    read_instance,
    sha256,
    write_instance,
)
from closeknit.instances.ksubset.graph_generators import (
    dragonfly_network,
    fat_tree_network,
)
from closeknit.instances.problems import parse_instance
from closeknit.instances.support import support_of
from closeknit.instances.value import as_tuple
from closeknit.methods import KSUBSET, METHODS
from closeknit.network.claims import contention as claims
from closeknit.network.contention import (
    annealing_kernels,
    bounds,
    decisions,
    search,
)
from closeknit.network.contention import instance as definition
from closeknit.network.contention.annealing import pairs_of
from closeknit.network.contention.auto import method_soon
from closeknit.network.contention.decisions import Decisions, crossings_of
from closeknit.network.contention.instance import Contention, loads
from closeknit.network.loads import LoadTable
from closeknit.reports.claims.running.claim import Trial
from closeknit.solvers import Grade, Limit, Settings, Status
from closeknit.solvers.running import interrupt

from ...paths import ROOT

TABLE = METHODS["contention"]
SCHEMA = Draft202012Validator(
    json.loads((ROOT / "docs/schema/contention.schema.json").read_text())
)
DRAWN = st.integers(0, 2**32).map(lambda seed: claims.draw_contention(Random(seed)))
QUICK = Trial(seed=0, quick=True)


def pair_by_pair(instance: Contention, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """Price a choice from the ways of all pairs, in fractions of a port."""
    sent: dict[int, Fraction] = {}
    units = instance.units()
    most = max(units.sum(axis=0).max(), units.sum(axis=1).max(), 1)
    for s, t in permutations(range(instance.k), 2):
        ends = (instance.numbers[chosen[i]] for i in (s, t))
        for e, part in instance.routes.pair(*ends).items():
            load = Fraction(int(units[s, t]), int(most)) * part
            sent[e] = sent.get(e, Fraction(0)) + load
    parts = []
    for e, load in sent.items():
        if load:
            one = instance.wires[e]
            whole = -(-load * instance.unit // 1)
            before = Fraction(one.busy, one.capacity) + instance.reserve
            parts.append((before, before + Fraction(whole, one.capacity)))
    common, p = instance.common, instance.power
    if p:
        return (int(sum((y**p - x**p) for x, y in parts) * common**p),)
    hops = cost(instance.job, chosen)
    assert isinstance(hops, int)
    return int(max((y for _, y in parts), default=0) * common), hops


@given(instance=DRAWN, data=st.data())
def test_costs_are_those_of_all_pairs(
    instance: Contention, data: st.DataObject
) -> None:
    choices = list(combinations(range(instance.n), instance.k))
    chosen = data.draw(st.sampled_from(choices))
    assert as_tuple(cost(instance, chosen)) == pair_by_pair(instance, chosen)


@given(instance=DRAWN)
def test_files_come_back_as_they_were(instance: Contention) -> None:
    document = support_of(instance).document_of(instance)
    assert not list(SCHEMA.iter_errors(document))
    again = parse_instance(json.loads(json.dumps(document)))
    assert isinstance(again, Contention)
    assert again == instance or len(instance.links) != len(again.links)
    assert sha256(again) == sha256(instance)
    chosen = range(instance.k)
    assert cost(again, chosen) == cost(instance, chosen)


@given(instance=DRAWN)
def test_bounds_by_name_hold_and_are_derived_again(instance: Contention) -> None:
    least = min(
        as_tuple(cost(instance, some))
        for some in combinations(range(instance.n), instance.k)
    )
    stars = bounds.derive_bound(instance, bounds.STARS)
    assert (stars is None) == bool(instance.traffic)
    assert stars is None or as_tuple(stars) <= least
    tree = bounds.derive_bound(instance, bounds.TREE)
    assert tree is None or as_tuple(tree) == least
    assert bounds.derive_bound(instance, "moon phase") is None


GOOD: dict[str, Any] = {
    "format": "closeknit/contention",
    "version": 1,
    "topology": {"kind": "mesh", "shape": [6]},
    "k": 2,
    "routing": "dimension-order",
    "unit": 100,
    "links": [[0, 1, 100, 90]],
    "power": 4,
}
GRAPH: dict[str, Any] = {
    "topology": {
        "kind": "graph",
        "nodes": 2,
        "edges": [[0, 1, 1]],
        "processors": [0, 1],
    },
    "links": [],
}
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no link": ({"links": [[0, 2, 100, 0]]}, "links[0]: is no link of the network"),
    "twice": (
        {"links": [[0, 1, 100, 0], [0, 1, 100, 5]]},
        "links[1]: listed twice: [0, 1]",
    ),
    "negative": ({"links": [[0, 1, 100, -1]]}, "links[0][3]: must lie between 0"),
    "no capacity": ({"links": [[0, 1, 0, 0]]}, "links[0].capacity: must lie between 1"),
    "short": ({"links": [[0, 1, 5]]}, "links[0]: must be a list of 4"),
    "power": ({"power": 9}, "power: must lie between 0 and 8"),
    "reserve of links": (
        {"power": 0, "reserve": 1},
        "reserve: must lie between 0 and",
    ),
    "unit": ({"unit": 0}, "unit: must lie between 1"),
    "routing": ({"routing": "minimal"}, "routing: must be one of adaptive, dim"),
    "routing of a number": ({"routing": 7}, "routing: must be a string"),
    "tasks": ({"traffic": [[0, 2, 1]]}, "traffic[0]: must be two different tasks"),
    "amount": ({"traffic": [[0, 1, 0]]}, "traffic[0]: must lie between 1"),
    "traffic twice": ({"traffic": [[0, 1, 1], [0, 1, 2]]}, "traffic[1]: listed twice"),
    "field": ({"required": [[0]]}, "required: unknown field"),
    "table of others": (
        {"routing": "table", "table": [[0]], **GRAPH},
        "table: must have 2 rows, one per processor, not 1",
    ),
    "short table": (
        {"routing": "table", "table": [[1, 1], [0]], **GRAPH},
        "table[1]: must have 2 entries, one per node, not 1",
    ),
    "table to nowhere": (
        {"routing": "table", "table": [[1, 1], [0, 7]], **GRAPH},
        "table[1]: no such node: 7",
    ),
    "points": (
        {
            "topology": {"kind": "points", "coordinates": [[0, 0], [1, 1]]},
            "routing": "drawn",
        },
        "topology: has no links",
    ),
    "prices": (
        {
            "topology": {"kind": "mesh", "shape": [4], "price": [0, 1, 2, 3]},
            "routing": "dimension-order",
        },
        "topology: has no links: 'priced mesh'",
    ),
    "capacities": (
        {"links": [[i, i + 1, p, 0] for i, p in enumerate((99991, 99989, 99971))]},
        "links.capacity: have no small common multiple",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_one_line_and_exit_2(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, message = BAD[name]
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(InputError) as caught:
        read_instance(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert run(["solve", str(path)]) == 2
    assert capsys.readouterr() == ("", f"closeknit: {caught.value}\n")


def test_a_table_that_leads_nowhere_is_named_with_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"kind": "graph", "nodes": 4, "edges": [[0, 1], [1, 2], [2, 3], [3, 0]]}
    table = [[-1, 0, -1, 0], [1, -1, 1, 0], [1, 2, -1, 2], [3, 0, 3, -1]]
    job = {"format": GOOD["format"], "version": 1, "topology": line, "k": 2}
    (path := tmp_path / "t.json").write_text(
        json.dumps(job | {"routing": "table", "table": table})
    )
    assert run(["solve", str(path)]) == 2
    message = f"closeknit: {path}: table[0][2]: leads nowhere\n"
    assert capsys.readouterr() == ("", message)


def test_annealing_does_not_depend_on_the_size_of_units() -> None:
    """Loads in whole parts of 2^29 times 10^9 units would pass 2^63."""
    mesh, k = ck.Mesh(16, 16), 40
    busy = [[x, y] for x in range(16) for y in range(16) if (7 * x + 3 * y) % 4 == 0]
    pairs = [pair for pair in permutations(range(k), 2) if sum(pair) % 3]
    small, large = (
        ck.contention(
            *(mesh, k), busy=busy, unit=1000, traffic=[(*one, amount) for one in pairs]
        )
        for amount in (1, 10**9)
    )
    assert large.load_table.whole * 10**9 > 2**58
    settings = Settings(node_limit=1)
    first, second = (TABLE["anneal"](one, settings) for one in (small, large))
    assert first.objective == second.objective


def test_solve_compare_check_and_cost_work_on_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, solution = tmp_path / "a.json", tmp_path / "a.solution.json"
    path.write_text(json.dumps(GOOD | {"busy": [[5]]}))
    assert not list(SCHEMA.iter_errors(GOOD))
    assert run(["solve", str(path)]) == 0
    out, _ = capsys.readouterr()
    assert "2 of contention" in out
    assert "optimal" in out
    assert run(["solve", str(path), "--json"]) == 0
    out, _ = capsys.readouterr()
    solution.write_text(out)
    assert json.loads(out)["selection"] == [[1], [2]]
    assert run(["check", str(path), str(solution), "--accept", "enumerated"]) == 0
    wrong = json.loads(out)
    wrong["objective"] -= 1
    wrong["bound"] = wrong["objective"]
    solution.write_text(json.dumps(wrong))
    assert run(["check", str(path), str(solution), "--accept", "enumerated"]) == 1
    capsys.readouterr()
    assert run(["compare", str(path)]) == 0
    assert "anneal" in capsys.readouterr().out
    assert run(["plot", str(path), "--out", str(tmp_path / "a.svg")]) == 0


def test_a_tree_is_checked_by_arithmetic(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = ck.Tree((-1, 0, 0, *[1] * 4, *[2] * 4), (0, *[1] * 10), range(3, 11))
    for objective in ("links", "contention"):
        job = ck.contention(tree, 5, objective=objective)
        write_instance(job, tmp_path / "t.json")
        path, solution = str(tmp_path / "t.json"), tmp_path / "t.solution.json"
        assert run(["solve", path, "--json"]) == 0
        solution.write_text(capsys.readouterr().out)
        assert json.loads(solution.read_text())["proof"]["grade"] == "checked"
        assert run(["check", path, str(solution)]) == 0
        capsys.readouterr()
        document = json.loads(solution.read_text())
        level = document["bound"]
        document["status"] = "feasible"
        document["bound"] = [level[0], level[1] + 1] if objective == "links" else level
        if objective == "links":  # a bound above the cost
            solution.write_text(json.dumps(document))
            assert run(["check", path, str(solution)]) == 1
            capsys.readouterr()


def test_numbers_beyond_64_bits_are_exact() -> None:
    parent = [-1, *[0] * 32, *[1 + i // 32 for i in range(1024)]]
    tree = ck.Tree(parent, [0, *[1] * (len(parent) - 1)], range(33, len(parent)))
    job = ck.contention(tree, 512)
    found = TABLE["auto"](job, Settings())
    assert found.status is Status.OPTIMAL
    assert isinstance(found.objective, int)
    assert found.objective > 2**64
    spread = [i for i in range(1024) if i % 2]
    assert found.objective == cost(job, found.chosen or ())
    assert found.objective <= as_tuple(cost(job, spread))[0]


def test_a_sum_beyond_120_bits_is_found_by_search() -> None:
    tree = ck.Tree((-1, 0, 0, 1, 1, 2, 2), (0, *[1] * 6), (3, 4, 5, 6))
    job = ck.contention(tree, 2, unit=10**9)
    assert TABLE["link-dp"].refusal(job) == "numbers are too large"
    assert cost(job, (0, 2)) == 4 * 10**36
    found = TABLE["auto"](job, Settings())
    assert found.status is Status.OPTIMAL
    assert found.objective == 0
    spread = TABLE["auto"](ck.contention(tree, 3, unit=10**9), Settings())
    assert spread.objective == 4 * 10**36


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"objective": "hops"}, "objective: must be contention or links, not 'hops'"),
        ({"purpose": "fun"}, "purpose: must be job or stream, not 'fun'"),
        ({"traffic": "star"}, "traffic: must be one of ring, halo2d"),
        ({"traffic": "halo2d:3x3"}, "traffic: has 9 ranks, the job has 4 nodes"),
    ],
)
def test_bad_arguments_are_one_line(given_: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        ck.contention(ck.Mesh(4, 4), 4, **given_)
    assert str(caught.value).startswith(message)


def test_a_job_avoids_links_in_use() -> None:
    busy = [(a, a + 1, 100, 90) for a in range(3)] + [(4, 5, 100, 10)]
    job = ck.contention(ck.Mesh(8), 3, routing="dimension-order", unit=200, links=busy)
    assert ck.solve(job).selection == [[5], [6], [7]]
    assert loads(job, [5, 6, 7]) == {e: 200 for e in range(10, 14)}


@pytest.mark.parametrize(
    ("network", "k", "routing"),
    [
        (dragonfly_network(2, 1, 1), 4, "minimal"),
        (fat_tree_network(4), 4, "d-mod-k"),
        (ck.Mesh(3, 4), 6, "dimension-order"),
        (ck.Torus(4, 3), 5, "dimension-order"),
    ],
    ids=["dragonfly", "fat-tree", "mesh", "torus"],
)
def test_decisions_prove_the_busiest_link(
    network: Topology, k: int, routing: str
) -> None:
    chance = Random(7)
    plain = ck.contention(network, k, routing=routing, objective="links")
    busy = [
        (a, b, plain.unit, chance.randrange(plain.unit)) for a, b in plain.routes.links
    ]
    job = ck.contention(network, k, routing=routing, objective="links", links=busy)
    found = TABLE["decisions"](job, Settings())
    choices = combinations(range(job.n), k)
    least = min(as_tuple(cost(job, some))[0] for some in choices)
    assert found.bound is not None
    assert as_tuple(found.bound)[0] == least == as_tuple(found.objective or 0)[0]
    assert found.limit is None


def _one_way_ring(k: int, *hosts: int) -> Contention:
    """Return hosts of switches in a ring that is passed one way only."""
    n = len(hosts)
    home = [v for v, some in enumerate(hosts) for _ in range(some)]
    edges = [(v, v + 1, 1) for v in range(n - 1)] + [(0, n - 1, 1)]
    edges += [(v, n + i, 1) for i, v in enumerate(home)]
    table = [[(v + 1) % n for v in range(n)] + home for _ in home]
    for i, v in enumerate(home):
        table[i][v], table[i][n + i] = n + i, -1
    hosts = tuple(range(n, n + len(home)))
    graph = ck.Graph(n + len(home), tuple(edges), hosts)
    return ck.contention(graph, k, routing="table", table=table, objective="links")


@pytest.mark.parametrize(
    ("job", "start"),
    [
        (_one_way_ring(4, 1, 1, 1, 1, 1, 2), (0, 1, 2, 3)),
        (_one_way_ring(2, 1, 2, 1), (0, 1)),
    ],
    ids=["more pairs over a link than by shortest ways", "no link at all"],
)
def test_decisions_look_for_all_that_links_may_carry(
    job: Contention, start: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Annealing is replaced by a bad choice, so that decisions have to improve it."""
    monkeypatch.setattr(decisions, "annealed", lambda *_, **__: ([*start], None))
    monkeypatch.setattr(decisions, "improve_hops", lambda job, best, hops: best)
    least = min(as_tuple(cost(job, x))[0] for x in combinations(range(job.n), job.k))
    found = TABLE["decisions"](job, Settings())
    assert as_tuple(found.objective or 0)[0] == as_tuple(found.bound or 0)[0] == least
    assert least < as_tuple(cost(job, start))[0]


def test_a_processor_at_the_root_of_a_tree_is_not_at_its_switch() -> None:
    """The first node has one link, to the switch below it, and is as far from it."""
    tree = ck.Tree((-1, 0, 1, 2), (0, 1, 1, 1), range(4))
    job = ck.contention(tree, 2, free=[0, 2], objective="links")
    found = TABLE["auto"](job, Settings())
    assert found.objective == found.bound == (100, 2)
    assert found.status is Status.OPTIMAL


def test_crossings_and_room_are_those_of_the_table() -> None:
    job = ck.contention(fat_tree_network(4), 4, routing="d-mod-k", objective="links")
    ways = Decisions(job, crossings_of(job))
    for chosen in combinations(range(0, 16, 2), 4):
        carried = job.load_table.of([job.numbers[i] for i in chosen])
        for e, parts in ways.crossings.parts.items():
            held = [
                sum(len({*ways.crossings.classes[c]} & {*chosen}) for c in side)
                for part in parts
                for side in part
            ]
            assert (
                sum(a * b for a, b in zip(held[::2], held[1::2], strict=True))
                == (carried[e])
            )


def test_parts_too_small_for_machine_words_are_refused() -> None:
    """A packet has two ways at nearly each of 88 links."""
    corners = [(0, 0), (0, 1), (44, 44)]
    job = ck.contention(ck.Mesh(45, 45), 2, free=corners)
    with pytest.raises(InputError, match="routing: splits traffic into too small"):
        ck.solve(job)


@pytest.mark.parametrize(
    ("error", "limit"),
    [(interrupt.OutOfTimeError, Limit.TIME), (KeyboardInterrupt, Limit.INTERRUPT)],
)
@pytest.mark.parametrize("routing", ["adaptive", "dimension-order"])
def test_what_ends_before_a_search_leaves_the_first_choice(
    routing: str,
    error: type[BaseException],
    limit: Limit,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Time that is over, or Ctrl-C, before a table of loads or a model is built."""

    def late(*_: object) -> None:
        assert interrupt._alarms
        raise error

    job = ck.contention(ck.Mesh(6, 6), 7, routing="dimension-order", objective="links")
    with monkeypatch.context() as patch:
        patch.setattr(decisions, "crossings_of", late)
        assert TABLE["decisions"](job, Settings()).limit is limit
    monkeypatch.setattr(definition, "LoadTable", late)
    job = ck.contention(ck.Mesh(6, 6), 7, routing=routing, objective="links")
    for name in (method_soon(job), "link-bb"):
        found = TABLE[name](job, Settings())
        assert found.limit is limit
        assert found.chosen == KSUBSET["mm"](job.job, Settings()).chosen


def test_limits_leave_a_choice_and_a_bound() -> None:
    job = ck.contention(ck.Mesh(8, 8), 12, routing="dimension-order", objective="links")
    for name in ("auto", "anneal", "link-bb"):
        found = TABLE[name](job, Settings(time_limit=0))
        assert found.limit is Limit.TIME
        assert found.chosen is not None
        assert found.status is Status.FEASIBLE
    few = TABLE["link-bb"](job, Settings(node_limit=5))
    assert few.limit is Limit.NODES
    assert few.proof is not None
    assert few.proof.grade is Grade.CHECKED


def test_what_is_left_of_the_time_is_for_hops(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The busiest link is proved by the solver, which nobody else is asked about."""
    job = ck.contention(
        ck.Mesh(6, 6), 8, routing="dimension-order", objective="links", busy=[(0, 3)]
    )
    write_instance(job, path := tmp_path / "mesh.json")
    assert run(["solve", str(path), "--time-limit", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["objective"][0] == found["bound"][0] == 600
    assert found["objective"][1] > found["bound"][1]
    assert found["limit"] == "time"


def test_what_other_problems_have_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path := tmp_path / "a.json").write_text(json.dumps(GOOD))
    for to, problem in (("cpsat", "FILE: has no model"), ("opb", "has no formula")):
        assert run(["export", str(path), "--to", to]) == 2
        assert problem in capsys.readouterr().err


def test_the_claims_hold() -> None:
    for claim in claims.CONTENTION_CLAIMS:
        assert claim.test(QUICK).holds, claim.name


def test_a_choice_that_is_not_best_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault that is planted: hops are not improved, nor searched."""
    monkeypatch.setattr(
        search, "annealed", lambda instance, *_, **__: ([*range(instance.k)], None)
    )
    monkeypatch.setattr(search._Price, "of", lambda *_: 2**100)
    assert not claims.exact_in_order(QUICK).holds


@pytest.mark.parametrize(
    ("what", "name", "fault"),
    [
        (Decisions, "room", lambda *_: 0),
        (Decisions, "values", lambda *_: []),
        (search._Price, "of", lambda *_: 2**100),
    ],
)
def test_faults_behind_a_good_first_choice_are_noticed(
    what: object, name: str, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Annealing alone finds the best choices of small networks."""
    monkeypatch.setattr(what, name, fault)
    assert not claims.exact_in_order(QUICK).holds


def test_a_bound_that_is_too_high_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault that is planted: prices of links count twice."""
    monkeypatch.setattr(search, "star_bound", lambda one: 10**60)
    with pytest.raises(ck.SolverError, match="claims at least"):
        claims.never_below(QUICK)


@pytest.mark.parametrize("make", [claims.on_a_mesh, claims.on_a_dragonfly])
def test_reductions_notice_links_that_are_left_out(
    make: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault that is planted: links of others count for nothing."""
    monkeypatch.setattr(definition, "loads", lambda *_: {0: 1})
    assert not claims._reduce(QUICK, make).holds


def test_loads_of_exchanges_are_those_of_the_table() -> None:
    """Exchanged processors leave nothing behind, in order or not."""
    chance = np.random.default_rng(4)
    job = ck.contention(ck.Torus(4, 4), 5, routing="adaptive")
    table = LoadTable(job.routes)
    ring = np.roll(np.eye(5, dtype=np.int64), 1, axis=1)
    for units, alike in ((1 - np.eye(5, dtype=np.int64), True), (ring, False)):
        pairs = pairs_of(units, alike)
        places = np.sort(chance.choice(16, 5, replace=False))
        load = table.of(places.tolist(), units)
        wires = annealing_kernels.Wires(
            *(table.first, table.link, table.amount, table.row, table.column),
            *(np.zeros(len(load)), np.ones(len(load)), 2, False),
        )
        for _ in range(50):
            others = np.setdiff1d(np.arange(16), places)
            moved = places.copy()
            begin, end = annealing_kernels.place(
                moved, int(chance.integers(5)), int(chance.choice(others)), alike
            )
            delta = np.zeros(len(load), np.int64)
            for sign, some in ((-1, places), (1, moved)):
                annealing_kernels.shift(wires, pairs, some, begin, end, sign, delta)
            load += delta
            places = moved
            order = places if alike else np.sort(places)
            assert order.tolist() == places.tolist()
            assert load.tolist() == table.of(places.tolist(), units).tolist()
