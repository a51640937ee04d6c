"""Distances, cuts and costs agree on every topology; so do files and digests."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import (
    InputError,
    KSubset,
    Mesh,
    Points,
    Topology,
    Torus,
    Tree,
    arrays,
    check,
    cost,
    mesh,
    read_ksubset,
    sha256,
    write_ksubset,
)
from closeknit.instances.ksubset.json import chosen_of, parse_ksubset
from closeknit.instances.reading.json_text import dumps
from closeknit.instances.reading.parsing import parse_json
from closeknit.instances.support.ksubset import document_of, selection_of

from ...strategies import (
    LARGER_TOPOLOGIES,
    by_kind,
    ksubsets,
    larger_ksubsets,
    tables,
    with_prices,
)


@given(larger_ksubsets())
def test_cuts_sum_up_to_distances(instance: KSubset) -> None:
    cuts = arrays.cuts(instance)
    distance = instance.topology.distance
    apart = cuts.sides[:, :, None] != cuts.sides[:, None, :]
    total = (cuts.weights[:, None, None] * apart).sum(axis=0)
    if rings := instance.topology.ring_lengths:
        assert cuts.denominator == 1 + any(n % 2 for n in rings)
    for i, p in enumerate(instance.free):
        for j, q in enumerate(instance.free):
            assert total[i, j] == cuts.denominator * distance(p, q)
            assert arrays.hops(instance)[i, j] == distance(p, q)
            assert distance(p, q) <= instance.topology.spread(instance.free)


@given(larger_ksubsets(), st.data())
def test_counts_on_the_cuts_give_the_cost(
    instance: KSubset, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(instance.n)))
    chosen = order[: instance.k]
    c = arrays.cuts(instance).sides[:, chosen].sum(axis=1)
    doubled = int((arrays.cuts(instance).weights * c * (instance.k - c)).sum())
    assert doubled == arrays.cuts(instance).denominator * cost(instance, chosen)


@given(larger_ksubsets())
def test_cuts_are_proper_distinct_and_nest(instance: KSubset) -> None:
    cuts = arrays.cuts(instance)
    assert (cuts.weights > 0).all()
    inside = cuts.sides.sum(axis=1)
    assert ((inside > 0) & (inside < instance.n)).all()
    halves = {min(tuple(side), tuple(~side)) for side in cuts.sides}
    if instance.topology.ring_lengths and instance.topology.dimension > 1:
        per_axis = [cuts.sides[cuts.axis == a] for a in np.unique(cuts.axis)]
        assert all(len({tuple(s) for s in group}) == len(group) for group in per_axis)
    elif instance.topology.dimension == 1 and instance.topology.kind != "tree":
        assert len(halves) == len(cuts)
    for h, up in enumerate(cuts.parent):
        if up >= 0:
            assert cuts.axis[up] == cuts.axis[h]
            assert (cuts.sides[h] <= cuts.sides[up]).all()
            assert not (cuts.sides[h] == cuts.sides[up]).all()
    if instance.topology.kind == "tree":  # a forest: others are disjoint or nest
        for g, h in combinations(range(len(cuts)), 2):
            a, b = cuts.sides[g], cuts.sides[h]
            assert not (a & b).any() or (a <= b).all() or (b <= a).all()
    for axis, positions in enumerate(cuts.position.T):
        assert positions.min() == 0, axis
        assert set(positions) == set(range(positions.max() + 1))


@given(LARGER_TOPOLOGIES)
def test_distance_is_a_metric(topology: Topology) -> None:
    sites = sorted(set(topology.locations()))[:9]
    for p in sites:
        assert topology.distance(p, p) == 0
        for q in sites:
            assert topology.distance(p, q) == topology.distance(q, p)
            for r in sites:
                direct = topology.distance(p, r)
                assert direct <= topology.distance(p, q) + topology.distance(q, r)


@pytest.mark.parametrize("kind", range(len(by_kind())))
@given(st.data())
def test_distances_from_a_site_are_those_of_pairs(
    kind: int, data: st.DataObject
) -> None:
    topology = data.draw(by_kind()[kind][1])
    sites = [*topology.locations()]
    for p in sites:
        alone = [topology.distance(p, q) for q in sites]
        assert topology.distances_from(p, sites) == alone


@settings(max_examples=40)
@given(LARGER_TOPOLOGIES, st.data())
def test_cost_of_many_is_the_sum_over_pairs(
    topology: Topology, data: st.DataObject
) -> None:
    """Beyond a few processors the cost is summed another way, to the same end."""
    places = list(topology.locations())
    sites = data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=40))
    pairs = sum(topology.distance(p, q) for p, q in combinations(sites, 2))
    assert topology.pair_sum(sites) == pairs


def test_cost_changes_its_way_beyond_256_processors_unseen() -> None:
    instance = mesh(20, 20, k=258)
    chosen = range(17, 275)
    sites = [instance.free[i] for i in chosen]
    pairs = sum(Mesh((20, 20)).distance(p, q) for p, q in combinations(sites, 2))
    assert cost(instance, chosen) == pairs
    torus = replace(instance, topology=Torus((20, 20)))
    pairs = sum(Torus((20, 20)).distance(p, q) for p, q in combinations(sites, 2))
    assert cost(torus, chosen) == pairs


@given(st.one_of(larger_ksubsets(), ksubsets(tables()), ksubsets(with_prices())))
def test_files_give_back_what_was_written(instance: KSubset) -> None:
    text = dumps(document_of(instance))
    again = parse_ksubset(parse_json(text))
    assert again == instance
    assert sha256(again) == sha256(instance)
    assert dumps(document_of(again)) == text


def test_a_file_on_disk_is_read_back(tmp_path: Path) -> None:
    tree = Tree((-1, 0, 0, 1), (5, 2, 3, 1), (3, 2))
    instance = KSubset("a tree ü", tree, ((3,),), 1, source="by hand", seed=-3)
    write_ksubset(instance, tmp_path / "tree.json")
    assert read_ksubset(tmp_path / "tree.json") == instance
    assert [path.name for path in tmp_path.iterdir()] == ["tree.json"]


@given(larger_ksubsets(), st.randoms(use_true_random=False))
def test_digest_knows_no_order_and_no_names(instance: KSubset, random: object) -> None:
    places = Counter(instance.topology.locations())
    free = list(instance.free)
    busy = list((places - Counter(free)).elements())
    for sites in (free, busy):
        random.shuffle(sites)  # type: ignore[attr-defined]
    document = document_of(instance)
    document.pop("busy", None)
    document.pop("free", None)
    single = instance.topology.kind == "tree"

    def written(sites: list[tuple[int, ...]]) -> list[object]:
        scale = Decimal(instance.topology.scale)
        return [s[0] if single else [Decimal(x) / scale for x in s] for s in sites]

    if instance.topology.grid:
        by_free: list[object] = [list(s) for s in free]
        by_busy: list[object] = [list(s) for s in busy]
    else:
        by_free, by_busy = written(free), written(busy)
    one = parse_ksubset({**document, "free": by_free, "name": "other", "seed": 5})
    two = parse_ksubset({**document, "busy": by_busy, "source": "elsewhere"})
    assert sha256(one) == sha256(two) == sha256(instance)


def test_digest_tells_instances_apart() -> None:
    full = mesh(3, 3, k=4)
    others = [
        full,
        replace(full, k=5),
        replace(full, topology=Torus((3, 3))),
        replace(full, topology=Points(full.free)),
        replace(full, free=full.free[1:]),
    ]
    assert len({sha256(instance) for instance in others}) == len(others)


def test_digest_of_decimals_depends_on_their_value_only() -> None:
    def given_as(text: str) -> KSubset:
        head = '{"format": "closeknit/ksubset", "version": 1, "k": 1, "topology": '
        coordinates = f'{{"kind": "points", "coordinates": {text}}}}}'
        return parse_ksubset(parse_json(head + coordinates))

    plain = given_as("[[0.5, 1], [2, 3]]")
    assert plain.topology.scale == 10
    for same in ("[[2.0, 3.00], [0.50, 1]]", "[[5e-1, 1e0], [20E-1, 3]]"):
        assert given_as(same) == plain
        assert sha256(given_as(same)) == sha256(plain)
    assert given_as("[[-0.0, 1]]") == given_as("[[0, 1.000]]")


def test_points_have_one_scale_only() -> None:
    with pytest.raises(InputError, match="scale: must be a power of ten, not 3"):
        Points(((1, 2),), 3)
    with pytest.raises(InputError, match="scale: must be the least"):
        Points(((10, 20),), 10)


@given(larger_ksubsets(), st.data())
def test_selections_are_written_and_found_again(
    instance: KSubset, data: st.DataObject
) -> None:
    chosen = sorted(data.draw(st.permutations(range(instance.n)))[: instance.k])
    text = dumps({"selection": selection_of(instance, chosen)})
    found = chosen_of(instance, parse_json(text)["selection"])
    assert check(instance, found) == []
    # repeated points are one as good as the other
    assert [instance.free[i] for i in found] == [instance.free[i] for i in chosen]
    assert cost(instance, found) == cost(instance, chosen)


def test_check_names_every_fault() -> None:
    instance = mesh(2, 2, k=2)
    assert check(instance, [1, 3]) == []
    assert check(instance, [-1, 4]) == ["no free processor -1", "no free processor 4"]
    assert check(instance, [1, 1]) == ["a processor is chosen twice"]
    assert check(instance, [1]) == ["1 processor chosen, not 2"]


def test_the_root_of_a_tree_has_no_edge() -> None:
    tree = Tree((-1, 0), (7, 1), (0, 1))
    assert tree.weight == (0, 1)
    assert tree.distance((0,), (1,)) == 1
