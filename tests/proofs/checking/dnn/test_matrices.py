"""Certificates by semidefinite matrices: what is accepted is true."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from itertools import combinations
from math import isqrt
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import closeknit as ck
from closeknit.exact.ksubset.dnn_bb import record as recording
from closeknit.exact.ksubset.dnn_bb import search
from closeknit.exact.ksubset.dnn_bb.record import record
from closeknit.instances import Distances, InputError, KSubset
from closeknit.instances.errors import RefusedStep
from closeknit.instances.ksubset.certificate_file import WrongStep, follow_lines
from closeknit.instances.ksubset.generators import random_cluster
from closeknit.proofs.checking import CheckLimits, Refused, check_proof_file
from closeknit.proofs.checking.dnn import matrices as dnn
from closeknit.proofs.checking.dnn.matrices import BoundsChecker, squares_of
from closeknit.proofs.checking.kinds import DNN_FORMAT
from closeknit.proofs.writing.bound_arrays import NodeArrays, fast_squares
from closeknit.proofs.writing.proof_files import write_certificate
from closeknit.proofs.writing.twins import FAST
from closeknit.solvers import Limit, SolverError
from closeknit.solvers.running import clock

from ....faults.planting import Edit
from ....modules import loaded
from ....oracles import optimum
from ....paths import ROOT

Lines = list[Any]
DRAWN = 60
"""Instances that are proved and whose proofs are forged; see `cases`."""


def drawn(random: Random, most: int = 10) -> KSubset:
    """Draw an instance of some elements."""
    n = random.randint(4, most)
    top = random.choice([1, 2, 3, 20, 10**6])
    table = [[0] * n for _ in range(n)]
    for i, j in combinations(range(n), 2):
        table[i][j] = table[j][i] = random.randint(0, top)
    free, k = tuple((i,) for i in range(n)), random.randint(2, n - 1)
    must = tuple(random.sample(free, random.choice([0, 0, random.randint(0, k)])))
    return KSubset("drawn", Distances(table), free, k, required=must)


def follow(
    instance: KSubset,
    objective: int,
    lines: Lines,
    squares: Callable[..., Any] = squares_of,
) -> None:
    """Check lines; raises InputError where they do not prove the objective."""

    def follow_nodes(rest: Iterator[Any], look: Callable[[], None]) -> None:
        BoundsChecker(instance, objective, rest, look, squares).follow()

    follow_lines("proof", [*map(json.dumps, lines)], follow_nodes)


def proved(instance: KSubset) -> tuple[int, Lines]:
    """Return the optimum and its proof, with as many branches as there may be."""
    result = search.dnn_bb(instance)
    assert isinstance(result.objective, int)
    assert result.chosen is not None
    lines = record(
        instance, result.objective, tuple(result.chosen), clock.now() + 60, 2
    )
    assert isinstance(lines, list)
    return result.objective, lines


@pytest.fixture(autouse=True)
def _branching(monkeypatch: pytest.MonkeyPatch) -> None:
    """Price few choices one by one, so that bounds and branches are needed."""
    monkeypatch.setattr(search.DnnSearch, "listed", 2)


def cases(seed: int, count: int) -> Iterator[tuple[KSubset, int, Lines]]:
    """Yield instances with their optimum and proof."""
    random = Random(seed)
    for _ in range(count):
        instance = drawn(random)
        objective, lines = proved(instance)
        yield instance, objective, lines


# What is accepted

WORDS = {"bound", "list", "branch", "out", "triangles"}


def agrees(seed: int, count: int) -> set[str]:
    """Compare with all choices; return the words of the proofs."""
    words = set()
    for instance, objective, lines in cases(seed, count):
        assert objective == optimum(instance)
        for squares in (squares_of, fast_squares):
            follow(instance, objective, lines, squares)
            with pytest.raises(InputError):
                follow(instance, objective + 1, lines, squares)
        with pytest.raises(SolverError, match=f"a choice costs {objective}"):
            record(
                *(instance, objective + 1, tuple(range(instance.k))),
                *(clock.now() + 9, 2),
            )
        words |= {line[0] for line in lines if line and isinstance(line[0], str)}
    return words


def test_optima_and_proofs_are_those_of_enumeration() -> None:
    assert agrees(1, DRAWN) == WORDS


def torus(a: int, b: int, k: int, prices: list[int]) -> KSubset:
    """Price the hops of a torus; row by row."""
    sites = [divmod(i, b) for i in range(a * b)]
    net = ck.Torus((a, b))
    table = [[prices[net.distance(p, q)] for q in sites] for p in sites]
    free = tuple((i,) for i in range(a * b))
    return KSubset("torus", Distances(table), free, k)


@pytest.mark.parametrize(("a", "b"), [(3, 3), (3, 4), (2, 6), (1, 11)])
def test_symmetries_of_a_torus_shorten_proofs_that_hold(a: int, b: int) -> None:
    """Any prices of hops, so also where the nearest are the most expensive."""
    random = Random(a)
    for k in (3, 4, 6):
        prices = [0, *(random.randint(1, 50) for _ in range(a + b))]
        instance = torus(a, b, k, prices)
        objective, lines = proved(instance)
        assert objective == optimum(instance)
        if ["list"] not in lines[:1] and "bound" not in str(lines[:2]):
            assert any(line[0] == "orbit" and len(line) == a * b + 1 for line in lines)
        follow(instance, objective, lines)
        with pytest.raises(InputError):
            follow(instance, objective + 1, lines)


@pytest.mark.slow
def test_optima_and_proofs_are_those_of_enumeration_for_many() -> None:
    assert agrees(2, 2000) == WORDS


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(-9, 9), min_size=n, max_size=n),
            min_size=n,
            max_size=n,
        )
    ),
    st.integers(0, 40),
    st.sampled_from([1, 10**5, 10**12, 10**30]),
)
def test_squares_are_found_of_semidefinite_matrices_only(
    factor: list[list[int]], more: int, scale: int
) -> None:
    """Of A'A + 1 always; of any symmetric matrix only if x'Nx is never negative."""
    n = len(factor)
    a = np.array(factor, dtype=object)
    square = a.T.dot(a) * scale
    rows = [[int(square[i, j]) for j in range(i + 1)] for i in range(n)]
    for i in range(n):
        rows[i][i] += scale
    assert squares_of(rows) is not None
    rows = [[int(x) * scale for x in a[i, : i + 1]] for i in range(n)]
    for i in range(n):
        rows[i][i] += more * scale
    found = squares_of(rows)
    assert found == fast_squares(rows)
    whole = np.array([[0] * n for _ in range(n)], dtype=float)
    for i, row in enumerate(rows):
        whole[i, : i + 1] = whole[: i + 1, i] = row
    values = np.linalg.eigvalsh(whole)
    if found is not None:
        assert values[0] > -1e-9 * max(1.0, values[-1])
        factor, p = found
        for i in range(n):  # what is left has a dominant diagonal
            rest = [
                4**p * rows[max(i, j)][min(i, j)]
                - sum(a * b for a, b in zip(factor[i], factor[j], strict=False))
                for j in range(n)
            ]
            assert rest[i] >= sum(map(abs, rest)) - abs(rest[i])
    elif values[0] > 0:
        assert values[0] < 1e-2 * values[-1]


# Forgeries


def changed(random: Random, lines: Lines) -> Lines:
    """Change one number or word, or drop, repeat or swap lines."""
    forged = deepcopy(lines)
    at = random.randrange(len(forged))
    kind = random.randrange(6)
    if kind == 0:
        del forged[at]
    elif kind == 1:
        forged.insert(at, deepcopy(forged[random.randrange(len(forged))]))
    elif kind == 2:
        forged[at] = ["list"]
    else:
        line = forged[at]
        places = [i for i, one in enumerate(line) if isinstance(one, int)]
        if places:
            i = random.choice(places)
            line[i] += random.choice([1, -1, 7, -7, 2**20, -(2**20), -line[i]])
    return forged


def forgeries(seed: int, count: int) -> Iterator[tuple[KSubset, int, Lines]]:
    """Yield forged proofs of one more than the optimum."""
    random = Random(seed)
    known = list(cases(seed, max(1, min(count // 20, 200))))
    for _ in range(count):
        instance, objective, lines = random.choice(known)
        yield instance, objective + 1, changed(random, lines)


def accepted(seed: int, count: int) -> int:
    """Count forged proofs that are accepted."""
    found = 0
    for instance, objective, lines in forgeries(seed, count):
        for squares in (squares_of, fast_squares):
            with suppress(InputError):
                follow(instance, objective, lines, squares)
                found += 1
    return found


def long_columns(n: int) -> Iterator[list[list[int]]]:
    """Yield matrices whose columns or errors are longer than 64 bits can square."""
    random = Random(n)
    for _ in range(300):
        b = -random.randrange(2**33, 2**35)
        yield [[random.randrange(9)], [b, 1]]
    yield [[*[0] * i, 2**34] for i in range(64)] + [[-(2**34)] * 64 + [0]]
    for _ in range(300):
        size = random.randrange(2, n)
        top = 2 ** random.randrange(1, 36)
        yield [
            [random.randrange(-top, top) for _ in range(i)] + [random.randrange(9)]
            for i in range(size)
        ]


def test_what_64_bits_cannot_hold_is_no_square() -> None:
    """A product that wrapped to 0 made any matrix semidefinite, and any proof hold."""
    for rows in long_columns(6):
        assert squares_of(rows) == fast_squares(rows)


@pytest.mark.parametrize("squares", [squares_of, fast_squares])
def test_a_bound_whose_columns_are_multiples_of_a_word_is_refused(squares: Any) -> None:
    """Constant U, and N_ij = -256 m root_i: the arrays took nothing off."""
    instance = ck.mesh(6, 6, k=5)
    n, r, objective = instance.n, instance.k, 48
    w = ((objective - 1) << 2) // r + 1
    u = (w + n + 2 * (r - 1)) // (2 * (r - 1)) + 1
    diagonal = 2 * (r - 1) * u - w
    rows = []
    for i in range(n):
        root = (isqrt(16 * (diagonal << 24) + i * i) - i) // 4
        rows.append(256 * root * -(-2 * u // (256 * root)))
    more = (1 << 35) // max(rows) - 1
    places = instance.free
    far = instance.topology.distance
    z = [
        [
            (2 * far(places[i], places[j]) - 2 * u + more * rows[i]) // 2
            for j in range(i)
        ]
        for i in range(1, n)
    ]
    with pytest.raises(WrongStep, match="semidefinite"):
        follow(instance, objective, [["bound", 1], [u] * n, *z], squares)


def test_long_numbers_wait_for_more_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = random_cluster(40, 20, seed=0)
    objective, plain = proved(instance)
    bounds = [one for one in plain if one[0] == "bound"]
    bound_lines, calls = NodeArrays.bound_lines, list[bool]()

    def reluctant(self: NodeArrays, gap: int, coarse: bool = False) -> Any:
        calls.append(coarse)
        return None if coarse else bound_lines(self, gap)

    monkeypatch.setattr(NodeArrays, "bound_lines", reluctant)
    assert proved(instance) == (objective, plain)
    assert calls == [False] * len(bounds) != []
    monkeypatch.setattr(recording, "_LARGE", 0)
    calls.clear()
    follow(instance, *proved(instance))
    looks = "".join("-+"[coarse] for coarse in calls)
    assert set(looks.split("-")) == {"+" * recording._PATIENCE, ""}


def test_the_checker_is_short() -> None:
    """docs/science/any-network.md states how many lines of code it has at most."""
    sources = (ROOT / "proofs" / "checking" / "dnn").glob("*.py")
    sizes = loaded(ROOT / "tools" / "sizes.py")
    assert sum(sizes.size_of(one.read_text("utf-8")).code for one in sources) <= 150


def test_numbers_too_long_for_their_rows_are_refused() -> None:
    rows = [[1 << 4095] * (i + 1) for i in range(800)]
    with pytest.raises(RefusedStep, match="too long for 800 rows"):
        squares_of(rows)


def test_nothing_follows_a_complete_tree() -> None:
    instance = ck.mesh(2, 2, k=2)
    with pytest.raises(WrongStep, match="proof:3: the tree is complete already"):
        follow(instance, 1, [["list"], None])


def test_no_changed_proof_of_one_more_is_accepted() -> None:
    assert accepted(3, 200) == 0


@pytest.mark.slow
def test_no_changed_proof_of_one_more_is_accepted_of_many() -> None:
    assert accepted(4, 10_000) == 0


def _negative(n: int) -> Iterator[int]:
    """Yield triangles that raise all eigenvalues but that of the sum."""
    for i in range(n):
        yield from (i, (i + 1) % n, (i + 2) % n, -(10**9))
        yield from (i, (i + 1) % n, (i + 3) % n, -(10**9))


def _branches(i: int, n: int, r: int) -> Iterator[list[Any]]:
    """Yield a tree whose leaves are single choices; i and those behind it are left."""
    if r == 0 or i == n:
        yield ["list"]
    else:
        yield ["branch", i]
        yield from _branches(i + 1, n, r - 1)
        yield from _branches(i + 1, n, r)


ROUND = [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0]
_HOPS = [[min((i - j) % 6, (j - i) % 6) for j in range(6)] for i in range(6)]
RING = KSubset("ring", Distances(_HOPS), tuple((i,) for i in range(6)), 2)


def _hole(old: str, new: str) -> Edit:
    return Edit("proofs.checking.dnn.matrices", old, new)


HOLES = {
    "all matrices are semidefinite": _hole(
        "self.squares(rows, self.look)) is None",
        "self.squares(rows, self.look)) is False",
    ),
    "Z may be negative": _hole("exactly(at, 0, most)", "exactly(at, -most, most)"),
    "elements weigh much": _hole("return g > 0 and", "return True or"),
    "all processors are alike": _hole("orbit = [i]", "orbit = [*left]"),
    "permutations may change distances": _hole(
        "!= self.far[whole[a]][whole[b]]", "is None"
    ),
    "permutations may move what is chosen": _hole(
        "for some in (chosen, left))", "for some in (chosen + left,))"
    ),
    "triangles may be negative": _hole("not 0 <= t <= most", "t > most"),
    "many choices are not priced": _hole("combinations(left, r)", "()"),
    "what is chosen costs twice": _hole("1 - self._pairs", "1 - 2 * self._pairs"),
}


@pytest.mark.parametrize("hole", HOLES)
def test_a_planted_hole_lets_a_forgery_through(
    hole: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The forgeries would find it: the positive control."""
    instance = drawn(Random(5), 8)
    objective = optimum(instance)
    n, k = instance.n, instance.k
    choices = [set(one) for one in combinations(range(n), k)]
    best = [one for one in choices if ck.cost(instance, list(one)) == objective]
    dear = min(set(range(n)) - set().union(*best))
    swaps = [[dear, i, i, dear] for i in range(n) if i != dear]
    zero = [[0] * i for i in range(1, n)]
    high = [[-(10**10)] * i for i in range(1, n)]
    forged: dict[str, Lines] = {
        "all matrices are semidefinite": [["bound", 0], [0] * n, *zero],
        "Z may be negative": [["bound", 0], [10**10] * n, *high],  # and dominates
        "all processors are alike": [["orbit", dear], ["list"], ["list"]],
        "permutations may change distances": [
            *(["orbit", dear, *swaps], ["list"], ["list"])
        ],
        "permutations may move what is chosen": [
            *(["orbit", 0, ROUND], ["orbit", 3, ROUND], ["list"], ["list"], ["list"])
        ],
        "triangles may be negative": [
            ["triangles", *_negative(n)],
            *([["bound", 0], [-(10**6)] * n, *zero]),
        ],
        "elements weigh much": [
            ["out", 4, -(10**6) * (objective + 1), [*range(n - k + 1)]],
            *([0] * n, *zero),
            ["list"],
        ],
        "many choices are not priced": [["list"]],
        "what is chosen costs twice": [*_branches(0, n, k)],
    }
    if hole == "permutations may move what is chosen":
        instance, objective = RING, 1
    if hole == "what is chosen costs twice":
        instance = ck.mesh(2, n // 2, k=k)
        objective = optimum(instance)
    with pytest.raises(InputError):
        follow(instance, objective + 1, forged[hole])
    HOLES[hole].plant(monkeypatch)
    follow(instance, objective + 1, forged[hole])


# Files

ZERO: Lines = [["bound", 0], [0] * 9, *([0] * i for i in range(1, 9))]


def written(folder: Path, lines: Lines, instance: KSubset, objective: int) -> Path:
    """Write a file."""
    path = folder / "proof.xz"
    write_certificate(instance, objective, lines, path, DNN_FORMAT)
    return path


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "branches are missing"),
        ([7], "no such step here: 7"),
        ([["guess"]], "no such step here: .'guess'"),
        ([["branch", 99]], "2: no such step here: .'branch', 99]"),
        ([["branch", True]], "must be an integer"),
        ([["branch", 1, 2]], r"no such step here: .'branch', 1, 2]"),
        ([["branch", [1]]], "no such step here"),
        ([["bound", 65]], "must lie between 0 and 64"),
        ([["bound", 0]], "branches are missing"),
        ([["bound", 0], [1, 2]], "U: must be a list of 9, not "),
        ([["bound", 0], [0] * 9, [-1]], r"4: Z.0.: must lie between 0 and 2\^4096"),
        ([["bound", 0], [1 << 4097] * 9], r"must lie between -2\^4096 and 2\^4096"),
        ([["bound", 0], [0.5] * 9], "must be an integer"),
        ([["out", 0, 1 << 4097, []]], "must lie between"),
        ([["list", 1]], "no such step here: .'list', 1]"),
        ([["orbit"]], "no such step here: .'orbit']"),
        ([["orbit", None]], "no such step here"),
        ([["orbit", True]], "i: must be an integer"),
        ([["orbit", 9]], "no such step here: .'orbit', 9]"),
        ([["orbit", 0, 1]], "must be a list"),
        ([["orbit", 0, [0, 1]]], "orbit: no permutation: "),
        ([["orbit", 0, [0, 1, 1]]], "orbit: no permutation: "),
        ([["orbit", 0, [0, 1, 0, 1, 1, 0]]], "orbit: no permutation: "),
        ([["orbit", 0, [0, 9, 9, 0]]], "orbit: no permutation: "),
        ([["branch", 0], ["orbit", 1, [0, 1, 1, 0]]], "orbit: no permutation: "),
        ([["orbit", 0, [0, 1, 1, 0]]], "the distances of 0 change"),
        ([["triangles", 0.5], *ZERO], "must be an integer"),
        ([["triangles", 0, 1, 2], *ZERO], r"triangles: .0, 1, 2[])]"),
        ([["triangles", 0, 1, 9, 1], *ZERO], r"triangles: .0, 1, 9, 1[])]"),
        ([["triangles", 0, 1, 0, 1], *ZERO], r"triangles: .0, 1, 0, 1[])]"),
        ([["triangles", 0, 1, 2, -1], *ZERO], r"triangles: .0, 1, 2, -1[])]"),
        ([["triangles", 0, 1, 2, 1 << 4097], *ZERO], r"triangles: .0, 1, 2, "),
        ([["list"], ["list"]], "the tree is complete already"),
    ],
)
def test_a_bad_line_is_told(lines: Lines, told: str, tmp_path: Path) -> None:
    instance = ck.mesh(3, 3, k=4)
    objective = optimum(instance)
    path = written(tmp_path, lines, instance, objective)
    for ways in (FAST, FAST._replace(squares=squares_of)):
        with pytest.raises((Refused, InputError), match=told) as error:
            check_proof_file(instance, path, CheckLimits(), ways)
        assert "\n" not in str(error.value)
        assert str(path) in str(error.value)


def test_a_file_for_another_instance_or_damaged_is_refused(tmp_path: Path) -> None:
    instance = ck.mesh(3, 3, k=4)
    path = written(tmp_path, [["list"]], instance, optimum(instance))
    assert check_proof_file(instance, path).bound == optimum(instance)
    with pytest.raises(InputError, match="instance: must be"):
        check_proof_file(ck.mesh(3, 3, k=5), path)
    text = lzma.decompress(path.read_bytes()).decode()
    head, *rest = text.splitlines()
    document = json.loads(head) | {"objective": 0}
    path.write_text("\n".join([json.dumps(document), *rest]) + "\n")
    with pytest.raises(InputError, match="damaged"):
        check_proof_file(instance, path)


def test_a_check_ends_at_its_limit(tmp_path: Path) -> None:
    instance = ck.mesh(3, 3, k=4)
    path = written(tmp_path, [["list"]], instance, optimum(instance))
    now = iter(range(1000))
    limits = CheckLimits(seconds=0.5, now=lambda: float(next(now)))
    with pytest.raises(InputError, match=r"takes more than 0.5 s to check"):
        check_proof_file(instance, path, limits)


def test_too_many_processors_are_refused(tmp_path: Path) -> None:
    wide = ck.mesh(71, 71, k=2)
    path = written(tmp_path, [["list"]], wide, 1)
    with pytest.raises(InputError, match="at most 5000 free processors"):
        check_proof_file(wide, path)


def test_long_lists_are_refused() -> None:
    wide = ck.mesh(6, 6, k=9)
    with pytest.raises(WrongStep, match="too many choices"):
        follow(wide, 1, [["list"]])


def test_pricing_looks_at_the_clock() -> None:
    """A file of long lists took minutes, whatever the limit."""
    seen = 0

    def pause() -> None:
        nonlocal seen
        seen += 1
        if seen > 200:  # of which 120 look up distances
            raise TimeoutError

    checker = BoundsChecker(ck.mesh(4, 4, k=3), 1, iter([["list"]]), pause)
    with pytest.raises(TimeoutError):
        checker.follow()
    assert dnn.listing(0, 16, 3) == 560 * 7  # three distances to chosen, three pairs


def test_weighing_and_moving_look_at_the_clock() -> None:
    """Entries of y may grow long, and so may a list of permutations that move none."""
    squares = squares_of([[*[1] * i, 10] for i in range(9)])
    assert squares is not None
    seen: list[None] = []
    assert dnn.weighs(squares, 8, 2, 0, lambda: seen.append(None))
    assert len(seen) == 9
    step = ["orbit", 0, *[[]] * 100]
    instance = ck.mesh(2, 2, k=2)
    checker = BoundsChecker(instance, 1, iter([step]), lambda: seen.append(None))
    with pytest.raises(StopIteration):
        checker.follow()
    assert len(seen) > 109


def test_a_recorder_prices_no_more_than_a_checker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Beyond half of it nodes end by bounds."""
    monkeypatch.setattr(search.DnnSearch, "listed", 400)
    monkeypatch.setattr(dnn, "MOST_LISTED", 600)
    random, complete = Random(6), 0
    for _ in range(25):
        instance = drawn(random, 14)
        found = search.dnn_bb(instance)
        assert isinstance(found.objective, int)
        until = clock.now() + 60
        lines = record(instance, found.objective, tuple(found.chosen or ()), until, 400)
        if isinstance(lines, list):
            complete += 1
            follow(instance, found.objective, lines)
        else:
            assert lines is Limit.NODES
    assert 5 <= complete < 25
