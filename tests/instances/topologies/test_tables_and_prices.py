"""Tables of distances, and prices of hops."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import closeknit as ck
from closeknit.heuristics.ksubset.stars import star_sums
from closeknit.instances import (
    Distances,
    InputError,
    KSubset,
    Mesh,
    Points,
    Priced,
    Torus,
    Tree,
    arrays,
    check,
    cost,
    read_ksubset,
    sha256,
    write_ksubset,
)
from closeknit.instances.ksubset.generators import grey_pattern
from closeknit.instances.ksubset.json import parse_ksubset
from closeknit.methods import KSUBSET
from closeknit.solvers import Settings, Ties

from ...data import QAPLIB, REASON
from ...oracles import optimum
from ...strategies import ksubsets, tables, with_prices

ROWS = [[0, 5, 1], [5, 0, 1], [1, 1, 0]]


def instance(topology: Any, k: int = 2) -> dict[str, Any]:
    return {"format": "closeknit/ksubset", "version": 1, "topology": topology, "k": k}


def table(rows: Any) -> dict[str, Any]:
    return instance({"kind": "table", "distance": rows})


def torus(price: Any) -> dict[str, Any]:
    return instance({"kind": "torus", "shape": [4, 4], "price": price})


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (table([[0, 1], [2, 0]]), r"topology.distance[0][1]: must be 2, as the other"),
        (table([[0, -1], [-1, 0]]), r"topology.distance[0][1]: must lie between 0"),
        (table([[0, 1.5], [1.5, 0]]), r"topology.distance[0][1]: must be an integer"),
        (table([[0, True], [True, 0]]), "topology.distance[0][1]: must be an integer"),
        (table([[0, 2**62], [2**62, 0]]), "topology.distance[0][1]: must lie between"),
        (table([[0, 1], [1, 3]]), r"topology.distance[1][1]: must be 0, not 3"),
        (table([[0, 1]]), r"topology.distance[0]: must have 1 entries, one a row, not"),
        (table([]), r"topology.distance: must have 1 to 4096 rows, not 0"),
        (
            table([[0]] * 100_000),
            "topology.distance: must have 1 to 4096 rows",
        ),
        (table("x"), r"topology.distance: must be a list"),
        (instance({"kind": "table"}), "distance"),
        (
            instance({"kind": "table", "distance": ROWS, "price": [0] * 6}),
            "topology.price: is for networks with hops, not 'table'",
        ),
        (torus([0, 1, 2, 3]), "topology.price: must have 5 entries, for distances up"),
        (torus([0, 1, 2, 3, -4]), r"topology.price[4]: must lie between 0 and 2^62"),
        (torus([0, 1, 2, 3, 4.5]), r"topology.price[4]: must be an integer"),
        (torus(None), "topology.price: must be a list"),
        (
            instance({"kind": "mesh", "shape": [9999], "price": [0]}),
            "topology.price: is for distances of at most 4096, not 'up to 9998'",
        ),
        (
            instance({"kind": "mesh", "shape": [300, 300], "price": [0]}),
            "topology.price: is for at most 65536 processors, not 90000",
        ),
        (
            instance({"kind": "points", "coordinates": [[0.5], [1]], "price": [0, 1]}),
            "topology.price: is for distances that are integers",
        ),
        (
            instance({"kind": "table", "distance": ROWS}, k=4),
            "k: must be at most the number of free processors (3), not 4",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(
    document: Any, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as caught:
        read_ksubset(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_price_of_a_priced_network_is_refused() -> None:
    with pytest.raises(InputError, match="is for networks with hops"):
        Priced(Priced(Mesh(3), (0, 1, 2)), (0, 1, 2))


@settings(max_examples=150)
@given(ksubsets(with_prices()))
def test_a_price_takes_the_place_of_the_hops(one: KSubset) -> None:
    topology = one.topology
    assert isinstance(topology, Priced)
    hops = arrays.hops(one)
    for i, j in combinations(range(one.n), 2):
        there = topology.network.distance(one.free[i], one.free[j])
        assert hops[i, j] == hops[j, i] == topology.price[there]
    assert not hops.diagonal().any()
    chosen = list(range(one.k))
    assert cost(one, chosen) == int(hops[: one.k, : one.k].sum()) // 2
    assert not check(one, chosen)


@settings(max_examples=100, deadline=None)
@given(st.one_of(ksubsets(tables()), ksubsets(with_prices())))
def test_every_method_that_answers_is_right(one: KSubset) -> None:
    best = optimum(one)
    for name, method in KSUBSET.items():
        if "/" in name or (method.refuses and method.refuses(one)):
            continue
        result = method(one, Settings(time_limit=20))
        assert isinstance(result.objective, int)
        assert result.chosen is not None
        assert result.objective == cost(one, result.chosen)
        assert result.objective >= best
        assert result.bound is None or int(str(result.bound)) <= best
        assert not method.exact or result.objective == best


def test_prices_of_nothing_are_paid_at_one_place() -> None:
    """Three processors at one point; far is cheap, so one of each place is best."""
    places = Points([[0, 0], [0, 0], [0, 0], [3, 0], [0, 4]])
    one = ck.ksubset(Priced(places, (9, 9, 9, 3, 2, 2, 2, 1)), k=3)
    answer = ck.solve(one)
    assert answer.cost == 3 + 2 + 1
    assert len({one.free[i] for i in answer.chosen or ()}) == 3
    for ties in Ties:
        found = KSUBSET["mm"](one, Settings(ties=ties))
        assert found.objective == cost(one, found.chosen or ())
    assert star_sums(one, np.array([0, 1, 3])).tolist() == [11, 11, 20, 4, 7]


def test_names_of_graphs_are_kept(tmp_path: Path) -> None:
    import networkx

    path = networkx.relabel_nodes(networkx.path_graph(4), dict(enumerate("abcd")))
    one = ck.ksubset(Priced(ck.Graph(path), (0, 3, 2, 1)), k=2, busy=["b"])
    assert [one.names[i] for i in ck.solve(one).chosen or ()] == ["a", "d"]
    write_ksubset(one, tmp_path / "one.json")
    document = json.loads((tmp_path / "one.json").read_text())
    assert document["topology"]["names"] == ["a", "b", "c", "d"]
    assert parse_ksubset(document).names == ("a", "c", "d")


def test_no_factor_where_the_triangle_fails() -> None:
    broken = ck.ksubset(Distances(ROWS), k=2)
    whole = ck.ksubset(Distances([[0, 2, 1], [2, 0, 1], [1, 1, 0]]), k=2)
    spread = ck.ksubset(Priced(Torus(4, 4), (0, 12, 6, 4, 3)), k=5)
    for name, method in KSUBSET.items():
        assert not method.bounds(broken), name
        assert not method.bounds(spread), name
        promised = method.needs_metric and not (
            method.refuses and method.refuses(whole)
        )
        assert bool(method.bounds(whole)) == promised, name
    stacked = Priced(Points([[0], [0], [4]]), (2, 0, 0, 0, 2))
    assert not arrays.is_metric(stacked)  # the diagonal is not what pairs cost


def test_digests_without_prices_are_what_they_were() -> None:
    tree = Tree((-1, 0, 0), (0, 1, 1), (1, 2))
    one = KSubset("x", tree, ((1,), (2,)), 2)
    other = KSubset("x", Priced(tree, (0, 1, 2)), ((1,), (2,)), 2)
    assert sha256(one) != sha256(other)
    assert sha256(ck.mesh(2, 2, k=2))[:16] == "b7e7f6834d6b5e94"


@pytest.mark.parametrize(("side", "k"), [(8, 13), (16, 92)])
@pytest.mark.skipif(not QAPLIB.is_dir(), reason=f"{REASON}data/qaplib")
def test_grey_patterns_are_those_of_the_library(side: int, k: int) -> None:
    text = (QAPLIB / f"tai{side * side}c.dat").read_text().split()
    n = int(text[0])
    first, second = np.array(text[1:], dtype=int).reshape(2, n, n)
    flow, far = sorted((first, second), key=np.max)
    assert np.count_nonzero(flow.any(axis=0)) == k
    table = grey_pattern((side, side), k).topology.table
    assert (far == np.array(table)).all()
