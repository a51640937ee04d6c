"""The branch and bound on a doubly nonnegative relaxation."""

from __future__ import annotations

import lzma
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import pytest

import closeknit as ck
from closeknit.cli.app import run
from closeknit.exact.ksubset.distances_bb.search import twins
from closeknit.exact.ksubset.dnn_bb import relaxation, search
from closeknit.exact.ksubset.dnn_bb.relaxation import Ascent, Matrix, dual_matrix, start
from closeknit.exact.ksubset.dnn_bb.search import dnn_bb
from closeknit.exact.ksubset.dnn_bb.symmetries import Symmetries
from closeknit.formulations.ksubset.bounds.bounds import star_bound
from closeknit.instances import InputError, KSubset, arrays, read_instance
from closeknit.instances.ksubset.edge_lists import parse_edge_list
from closeknit.instances.ksubset.graph_generators import dragonfly, random_regular
from closeknit.methods import KSUBSET
from closeknit.solvers import Limit, Settings, Status

from ...paths import SHARED

PMED4 = "data/pmed/pmed4.txt.xz"
TEXT = "4 5 2\n1 2 3\n2 3 4\n3 4 1\n4 1 9\n2 1 2\n"


def test_every_bound_is_below_the_optimum() -> None:
    """At every look; the multipliers give the bound that is stated."""
    random = np.random.default_rng(1)
    for n, r in ((6, 3), (9, 2), (9, 7)):
        costs = random.integers(0, 50, (n, n)).astype(float)
        costs = (costs + costs.T) / 2
        best = min(
            sum(costs[i, j] for i in chosen for j in chosen)
            for chosen in _choices(n, r)
        )
        ascent = Ascent(costs, r, start(costs, r))
        for _ in range(20):
            bound = ascent.advance()
            assert bound <= best + 1e-6
            dual = ascent.best
            least = np.linalg.eigvalsh(dual_matrix(costs, r, dual))[0]
            assert r * least == pytest.approx(bound, abs=1e-6)
            assert dual.z.min() >= 0
        assert bound >= 0.9 * best


def _choices(n: int, r: int) -> list[list[int]]:
    masks = (mask for mask in range(1 << n) if mask.bit_count() == r)
    return [[i for i in range(n) if mask >> i & 1] for mask in masks]


def test_it_proves_what_the_search_on_distances_does_not() -> None:
    instance = random_regular(60, 5, 15, seed=1)
    found = dnn_bb(instance, Settings(time_limit=100))
    assert found.status is Status.OPTIMAL
    again = dnn_bb(instance, Settings(time_limit=100))
    assert (again.chosen, again.nodes) == (found.chosen, found.nodes)
    limit = Settings(time_limit=1, node_limit=found.nodes)
    other = KSUBSET["distances-bb"](instance, limit)
    assert isinstance(other.bound, int)
    assert isinstance(found.objective, int)
    assert other.bound < found.objective


def test_limits_end_it_with_a_bound() -> None:
    instance = random_regular(300, 4, 40, seed=2)
    found = dnn_bb(instance, Settings(time_limit=1))
    assert found.limit is not None
    assert isinstance(found.bound, int)
    assert isinstance(found.objective, int)
    assert 0.7 * found.objective < found.bound < found.objective


def test_what_it_does_not_take_is_told() -> None:
    assert "at most 2000 are searched" in str(search.refusal(ck.mesh(50, 50, k=3)))
    far = KSubset("far", ck.Points(((0, 0), (10**9, 0), (5, 5))), ((0, 0), (5, 5)), 2)
    assert search.refusal(far) is None


def test_triangles_raise_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a third of what is missing to the optimum, at least, on a random graph."""
    costs = arrays.hops(random_regular(60, 5, 15, seed=1)) / 2
    with_triangles = Ascent(costs, 15, start(costs, 15)).advance(200)
    monkeypatch.setattr(relaxation, "_CUT", 10**9)
    without = Ascent(costs, 15, start(costs, 15)).advance(200)
    optimum = dnn_bb(random_regular(60, 5, 15, seed=1)).objective
    assert isinstance(optimum, int)
    assert without + (optimum - without) / 3 < with_triangles <= optimum


def test_twins_shrink_the_matrix_and_the_bound_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """72 hosts of 36 routers: the matrix that is decomposed has 36 rows."""
    instance = dragonfly(4, 2, 2, k=9)
    hops = arrays.hops(instance)
    whole = Ascent(hops / 2, 9, start(hops / 2, 9))
    small = Ascent(hops / 2, 9, start(hops / 2, 9), twins(hops))
    rows = set()
    decompose = Ascent._negative_part

    def noting(self: Ascent, v: Matrix) -> Matrix:
        rows.add((self is small, len(v)))
        return decompose(self, v)

    monkeypatch.setattr(Ascent, "_negative_part", noting)
    assert small.advance(100) == pytest.approx(whole.advance(100), rel=0.005)
    assert rows == {(True, 36), (False, 72)}
    least = np.linalg.eigvalsh(dual_matrix(hops / 2, 9, small.best))[0]
    assert 9 * least == pytest.approx(small.best.bound)
    best = KSUBSET["distances-bb"](instance).objective
    assert isinstance(best, int)
    assert small.best.bound <= best


def test_symmetries_of_a_torus_are_found() -> None:
    """8 * 8 translations and 8 turns; of the cells next to one, all are alike."""
    torus = ck.ksubset(ck.Torus((8, 8)), k=5)
    hops = arrays.hops(torus)
    found = Symmetries(hops)
    none, everything = np.zeros(0, dtype=int), np.arange(64)
    alike = found.alike(3, none, everything)
    assert len(alike) == 63
    for j, pairs in alike.items():
        image = np.array(pairs[1::2])[np.argsort(pairs[::2])]
        assert image[3] == j
        assert (hops[image][:, image] == hops).all()
    assert sorted(found.alike(1, np.array([0]), everything[1:])) == [7, 8, 56]


def test_no_decomposition_begins_that_takes_longer_than_the_time_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bound by stars is told then."""
    monkeypatch.setattr(search, "_PACE", 1.0)
    monkeypatch.setattr(Ascent, "step", lambda self: pytest.fail("too long"))
    instance = random_regular(60, 5, 15, seed=1)
    found = dnn_bb(instance, Settings(time_limit=100))
    assert found.limit is Limit.TIME
    assert found.bound == star_bound(instance)


def test_a_plain_search_keeps_no_tree() -> None:
    instance = dragonfly(4, 2, 2, k=9)
    one = search.DnnSearch(instance, tuple(range(9)))
    while one._unfinished() and one.nodes < 3:
        one._step(1)
    assert one.nodes == 3
    assert not one.root.steps


# Files of p-median networks


def test_of_parallel_edges_the_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "four.txt.xz"
    path.write_bytes(lzma.compress(TEXT.encode()))
    instance = read_instance(path)
    assert isinstance(instance, KSubset)
    assert (instance.name, instance.n, instance.k) == ("four", 4, 2)
    assert instance.topology.distance((0,), (1,)) == 2
    assert instance.topology.distance((0,), (3,)) == 7
    assert instance.names == ("1", "2", "3", "4")


@pytest.mark.parametrize("first", [0, 1])
def test_a_file_of_the_k_cluster_library_asks_for_a_dense_part(
    first: int, tmp_path: Path
) -> None:
    pairs = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]
    lines = [f"{i + first} {j + first} 0.5" for i, j in pairs]
    path = tmp_path / "five.dat"
    path.write_text("\n".join(["5 3 5", *lines]) + "\n")
    instance = read_instance(path)
    assert isinstance(instance, KSubset)
    assert (instance.n, instance.k) == (5, 3)
    found = ck.solve(instance)
    assert found.cost == 3 * 2 - 3
    assert found.chosen == (0, 1, 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("4 5 2\n1 2 3\n", "line 1: must be followed by 5 edges, not 1"),
        ("4 1 2\n1 2\n", "line 2: must be three integers, not '1 2'"),
        ("4 1 2\n1 2 3.5\n", "line 2: must be three integers, not '1 2 3.5'"),
        ("4 1 2\n1 2 0.5 1\n", "line 2: must be three integers, not '1 2 0.5 1'"),
        ("4 2 2\n1 2 0.5\n2 3 1\n", "line 3: must be two integers and 0.5, not"),
        ("4 2 1\n1 2 0.5\n2 3 0.5\n", "line 1: must be followed by 1 edges, not 2"),
        ("4 2 1\n4 5 0.5\n", "line 2: must join two different nodes from 1 to 4"),
        ("4 2 1\n0 4 0.5\n", "line 2: must join two different nodes from 0 to 3"),
        ("5000 2 1\n1 2 0.5\n", "line 1: at most 4096 nodes and 524288 edges"),
        ("4 5 1\n1 2 .5\n", "k: must be at most the number of free processors"),
        ("4 1 2\n1 5 3\n", "line 2: must join two different nodes from 1 to 4"),
        ("4 1 2\n1 1 3\n", "line 2: must join two different nodes"),
        ("4 1 2\n1 2 0\n", "line 2: a length must be positive"),
        ("4 1 2\n1 2 3\n", "topology.edges: not connected"),
        ("2 1 3\n1 2 3\n", "k: must be at most the number of free processors"),
        ("2 1 0\n1 2 3\n", "k: "),
        ("99999999 1 0\n1 2 3\n", "line 1: at most 65536 nodes"),
    ],
)
def test_a_bad_file_is_told(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_instance(path)
    assert str(error.value).startswith(f"{path}: ")
    assert told in str(error.value)


def test_random_text_is_read_or_refused() -> None:
    random = Random(1)
    for _ in range(500):
        text = list(TEXT)
        for _ in range(random.randrange(1, 4)):
            text[random.randrange(len(text))] = random.choice("0123456789 \n-x")
        with suppress(InputError):
            assert parse_edge_list("".join(text)).k >= 1


@pytest.mark.data(PMED4)
def test_a_network_of_or_library_is_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, kept, out = (str(x) for x in (SHARED / PMED4, tmp_path / "p", tmp_path / "s"))
    assert run(["solve", file, "--proof", kept, "--json", out, "--method", "auto"]) == 0
    assert "bound   14661 (checked: dnn certificate)" in capsys.readouterr().out
    assert run(["check", file, out, "--proof", kept, "--plain"]) == 0
