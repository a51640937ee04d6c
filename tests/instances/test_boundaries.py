"""Exact cases at the edge: what mutants of formulas and checkers had survived."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from hashlib import sha256
from itertools import combinations, combinations_with_replacement, product
from math import floor

import pytest

from closeknit.formulations.ksubset.bounds.bounds import (
    _far_from_town,
    compute_bound,
)
from closeknit.formulations.ksubset.bounds.towns import TOWN_SEARCH
from closeknit.heuristics.allocation.curves import processors_along
from closeknit.heuristics.allocation.curves_hilbert import can_cross, hilbert
from closeknit.heuristics.ksubset.guarantees import rho
from closeknit.instances import (
    Graph,
    Grid,
    InputError,
    KSubset,
    Mesh,
    Points,
    ProcessorSet,
    ProcSet,
    Submesh,
    Sukp,
    Torus,
    Tree,
    arrays,
    check,
    cost,
    mesh,
)
from closeknit.instances.errors import TooLong
from closeknit.instances.ksubset.certificate_file import WrongStep
from closeknit.instances.ksubset.lower_bounds import AXIS, STAR, TOWN
from closeknit.instances.submesh import Placement, Resident
from closeknit.instances.submesh.infeasibility import check_infeasible, image
from closeknit.instances.submesh.instance import unsolvable
from closeknit.instances.submesh.packed import check_packed, placement_from
from closeknit.instances.submesh.packing import Item, Packing, packing_of, ways
from closeknit.instances.submesh.plan import replay
from closeknit.instances.support.ksubset import describe
from closeknit.instances.support.submesh import describe as described_submesh
from closeknit.instances.topologies import Site
from closeknit.instances.topologies.topology import _sum_round
from closeknit.methods.allocators.table import allocator
from closeknit.scheduler.config.expression import Expression, evaluate
from closeknit.simulation.stream.jobs import StreamJob
from closeknit.simulation.stream.simulator import simulate

TREE = Tree((-1, 0, 0, 1), (0, 2, 3, 4), (1, 2, 3))


def test_a_single_processor_is_placed_exactly() -> None:
    assert [rho(1, d) for d in (1, 2, 3)] == [Fraction(1)] * 3


@pytest.mark.parametrize("make", [Mesh, Torus])
def test_networks_have_at_most_2_to_the_24_processors(
    make: Callable[..., Grid],
) -> None:
    assert make((2**24,)).dimension == 1
    with pytest.raises(InputError, match="2\\^24"):
        make((2**24 + 1,))
    with pytest.raises(InputError, match="2\\^24"):
        make((2**12, 2**12 + 1))


@pytest.mark.parametrize(
    ("made", "field"),
    [
        *((Mesh((3, 2)), "shape"), (TREE, "parent"), (mesh(2, 2, k=1), "k")),
        (Sukp("one", (5,), (3,), ((0,),), 3), "capacity"),
    ],
)
def test_networks_and_instances_do_not_change(made: object, field: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(made, field, 9)


def test_spreads() -> None:
    """Half the circumference, half of every ring, twice the depth."""
    assert Mesh((9, 9)).spread([(1, 2), (4, 7)]) == 8
    assert Points(((1, 2), (4, 7))).spread([(1, 2), (4, 7)]) == 8
    assert Torus((9, 4)).spread([(0, 0)]) == 6
    assert TREE.spread([(1,)]) == 12


def test_what_is_told_of_networks() -> None:
    tree = KSubset("tree", TREE, ((1,), (3,)), 2)
    assert tree.topology.processors_in_all == 3
    assert describe(tree) == "tree of 4 nodes, 2 of 3 processors free, k = 2"
    points = KSubset("points", Points(((1, 2), (4, 7))), ((1, 2),), 1)
    assert describe(points) == "2 points in 2-D, 1 of 2 processors free, k = 1"
    star = KSubset("star", Graph(3, ((0, 2, 1), (1, 2, 1)), (0, 1)), ((0,), (1,)), 2)
    assert describe(star) == "graph of 3 nodes, 2 of 2 processors free, k = 2"
    ring = KSubset("ring", Torus((2, 3)), ((0, 0), (1, 2)), 2)
    assert describe(ring) == "2×3 torus, 2 of 6 processors free, k = 2"


def test_items_outside_a_knapsack() -> None:
    one = Sukp("one", (5,), (3,), ((0,),), 3)
    assert [check(one, [i]) for i in (-1, 0, 1)] == [["no item -1"], [], ["no item 1"]]


def test_moves_are_copied_unless_they_may_slide() -> None:
    one = Submesh("one", (4, 1), (Resident((0, 0, 1, 0)),), (1, 1))
    move = [(0, (1, 0, 2, 0))]
    assert len(replay(one, move)) == 1
    assert replay(one, move, slide=True) == []


def test_events_of_a_stream_are_told_apart() -> None:
    jobs = [StreamJob(i, 0, 2, 3, 3) for i in range(3)]
    events = list(simulate(jobs, allocator("row-major", Mesh((2,)))))
    assert len(set(events)) == 6


def test_corners_of_the_same_colour_are_not_joined() -> None:
    assert not can_cross((2, 2), frozenset({0, 1}))
    assert not can_cross((2, 4), frozenset({0, 1}))
    assert not can_cross((3, 3), frozenset())
    assert can_cross((3, 3), frozenset({0, 1}))


def test_hilbert_curves_stay_as_they_are() -> None:
    """Every choice of a cut shows in an allocation; tables in docs rest on them."""
    shapes = [*product(range(1, 13), repeat=2), *product(range(1, 7), repeat=3)]
    shapes += [(2, 3, 2, 3), (3, 3, 3, 3), (2, 2, 5, 2), (20, 3), (3, 31), (9, 8, 3)]
    digest = sha256(b"".join(hilbert(shape).tobytes() for shape in shapes))
    assert digest.hexdigest()[:16] == "a3e239177e8202e7"


@pytest.mark.parametrize("side", range(1, 11))
def test_dual_feasible_functions_are_as_published(side: int) -> None:
    """Each in fractions, from the papers, times its denominator."""
    lengths = [1, 2, 2, 3, 5]
    for k in range(1, side + 1):
        short = [x for x in lengths if x >= k and 2 * x <= side]

        def most(room: int, short: list[int] = short) -> int:
            sums = [sum(c) for n in range(6) for c in combinations(short, n)]
            sizes = [n for n in range(6) for _ in combinations(short, n)]
            return max(n for n, s in zip(sizes, sums, strict=True) if s <= room)

        for x in range(side + 1):
            part = Fraction(x, side)
            u = part if ((k + 1) * part).denominator == 1 else None
            if u is None:
                u = Fraction(floor((k + 1) * part), k)
            assert image("u", k, side, x) == u * k * side
            assert image("identity", k, side, x) == x
            if k > side // 2:
                continue
            count = most(side) - most(side - x) if 2 * x > side else int(x >= k)
            assert image("count", k, side, x, lengths) == count


def proof(kind: str, **fields: object) -> dict[str, object]:
    return {"kind": kind, **fields}


def test_proofs_of_infeasibility_at_their_edges() -> None:
    three = Packing("three", (4, 4), (Item((3, 3)), Item((2, 2)), Item((1, 4))))
    assert check_infeasible(three, proof("pair", items=[0, 1])) == []
    assert check_infeasible(three, proof("pair", items=[0, 2])) != []
    assert check_infeasible(three, proof("pair", items=[0])) != []
    assert check_infeasible(three, proof("stack", axis=0, items=[0, 1])) == []
    [said] = check_infeasible(three, proof("stack", axis=1, items=[0, 2]))
    assert said == "stack: two of them fit side by side along axis 0"
    [said] = check_infeasible(three, proof("stack", axis=0, items=[0, 2]))
    assert said == "stack: 4 long, and the mesh is 4"
    assert check_infeasible(three, proof("no place", item=0)) != []
    # what is malformed else is in tests/exact/submesh/test_feasibility.py
    with pytest.raises(InputError, match="no such item"):
        check_infeasible(three, proof("pair", items=[0, 3]))


@pytest.mark.parametrize(("family", "most"), [("u", 10**9), ("count", 2)])
def test_parameters_of_dual_feasible_functions_have_limits(
    family: str, most: int
) -> None:
    full = Packing("full", (5, 5), (Item((3, 3)),) * 2)
    for k in range(0, 5):
        said = check_infeasible(
            full, proof("dual feasible", functions=[[family, k], ["identity", 1]])
        )
        assert any("no parameter" in one for one in said) == (not 1 <= k <= most)


def test_what_is_wrong_with_a_packing_is_named() -> None:
    items = (Item((2, 1)), Item((1, 1)), Item((1, 2), turns=True))
    three = Packing("three", (3, 2), items, ((2, 1),))
    right = [(0, 0, 1, 0), (2, 0, 2, 0), (0, 1, 1, 1)]
    assert check_packed(three, right) == []
    for box, at, said in (
        ((0, 0, 1, 1), 0, "items[0] is given (2, 2), not (2, 1)"),
        ((0, 0, 0, 1), 0, "items[0] is given (1, 2), not (2, 1)"),
        ((1, 0, 1, 0), 1, "items[1] overlaps items[0]"),
        ((2, 1, 2, 1), 1, "items[1] overlaps a blocked processor"),
        ((3, 0, 3, 0), 1, "items[1] lies outside the mesh"),
        ((1, 0), 1, "items[1] must be 4 coordinates"),
    ):
        boxes = [box if i == at else other for i, other in enumerate(right)]
        assert check_packed(three, boxes) == [said]
    assert check_packed(three, right[:2]) == ["2 boxes for 3 items"]
    held = Packing("held", (3, 2), (Item((1, 1), at=(1, 0, 1, 0)),))
    assert check_packed(held, [(1, 0, 1, 0)]) == []
    assert check_packed(held, [(0, 0, 0, 0)]) == ["items[0] is fixed at (1, 0, 1, 0)"]
    long = Packing("long", (2, 9), (Item((9, 2), turns=True), Item((9, 2))))
    assert [ways(long, one) for one in long.items] == [[(2, 9)], []]


def test_who_is_held_and_who_is_moved() -> None:
    boxes = ((0, 0, 0, 1), (2, 0, 2, 0))
    for fixed, migrate, held in ((False, True, 0), (True, True, 2), (False, False, 2)):
        two = tuple(Resident(box, fixed=fixed) for box in boxes)
        one = Submesh("one", (4, 2), two, (1, 2), migrate=migrate)
        assert sum(item.at is not None for item in packing_of(one).items) == held
    placed = placement_from(one, [boxes[0], (3, 0, 3, 0), (1, 0, 1, 1)])
    assert placed.at == (1, 0, 1, 1)
    assert placed.moves == ((1, (3, 0, 3, 0)),)


@pytest.mark.parametrize(("torus", "steps"), [(False, 4), (True, 2)])
def test_residents_go_the_shorter_way_round_a_torus(torus: bool, steps: int) -> None:
    one = Submesh("one", (5, 3), (Resident((0, 0, 0, 0)),), (1, 1), torus=torus)
    far = 5 - 2 if torus else 4
    there = Placement((2, 2, 2, 2), ((0, (far, 0, far, 0)),))
    assert cost(one, there.flat()) == (1, 1, steps)


def test_blocked_processors_and_boxes_of_a_submesh() -> None:
    def made(**other: object) -> Submesh:
        features: dict[str, object] = {"residents": (), "request": (1, 1), **other}
        return Submesh("one", (4, 3), **features)  # type: ignore[arg-type]

    corners = ((0, 0), (3, 2))
    one = made(blocked=corners, residents=(Resident((1, 0, 2, 1)),))
    assert one.free == 12 - 4 - 2
    # more than what tests/conformance/test_conformance_submesh.py has in files
    for cell in ((0, 3), (-1, 0), (0, 0, 0)):
        with pytest.raises(InputError, match="lies outside the mesh"):
            made(blocked=(cell,))
    with pytest.raises(InputError, match="lies outside the mesh"):
        made(residents=(Resident((0, 0, 0, 3)),))
    with pytest.raises(InputError, match="must be 4 coordinates"):
        made(residents=(Resident((0, 0, 0, 1, 1, 1)),))
    assert described_submesh(made()).startswith("1x1 in a 4x3 mesh with 0 residents")
    assert described_submesh(made(torus=True)).startswith("1x1 in a 4x3 torus with 0")
    round_it = made(torus=True, residents=(Resident((3, 2, 6, 4)),))
    assert round_it.free == 0
    for box in ((3, 2, 7, 2), (0, 0, 0, 3), (4, 0, 4, 0)):
        with pytest.raises(InputError, match="lies outside the mesh"):
            made(torus=True, residents=(Resident(box),))
    with pytest.raises(InputError, match="must be 6 coordinates"):
        Submesh("one", (2, 2, 2), (Resident((0, 0, 1, 1)),), (1, 1, 1))
    with pytest.raises(InputError, match="two or three sides"):
        Submesh("one", (2, 2, 2, 2), (), (2, 2, 2, 2))


def test_what_is_wrong_with_a_placement_is_named() -> None:
    two = (Resident((0, 0, 1, 0)), Resident((3, 0, 3, 0), fixed=True))
    one = Submesh("one", (4, 2), two, (1, 1))
    assert check(one, (2, 0, 2, 0)) == []
    assert check(one, (0, 0, 0, 0, 0, 0, 1, 1, 1)) == []
    for chosen, said in (
        ((2, 0, 2), "is not a placement"),
        ((2, 0, 2, 0, 0), "is not a placement"),
        ((0, 0, 0, 0), "the request overlaps residents[0]"),
        ((2, 0, 2, 1), "the request is given (1, 2), not (1, 1)"),
        ((2, 0, 2, 0, 2, 0, 0, 0, 0), "there is no resident 2"),
        ((2, 0, 2, 0, -1, 0, 0, 0, 0), "there is no resident -1"),
        ((2, 0, 2, 0, 1, 3, 1, 3, 1), "residents[1] is moved, but is fixed"),
        ((2, 0, 2, 0, 0, 0, 0, 0, 1), "residents[0] is given (1, 2), not (2, 1)"),
        ((2, 0, 2, 0, 0, 2, 0, 3, 0), "residents[1] overlaps residents[0]"),
    ):
        found = check(one, chosen)
        assert len(found) == 1
        assert said in found[0]
    turned = Submesh("turned", (4, 2), (Resident((0, 0, 1, 0)),), (2, 1), rotate=True)
    assert check(turned, (2, 0, 2, 1)) == []
    assert check(turned, (2, 0, 2, 0)) != []


def number(value: str) -> Expression:
    return Expression("number", value=Fraction(value))


def test_expressions_are_written_with_the_parentheses_they_need() -> None:
    cost, one, two = Expression("cost"), number("1"), number("2.5")
    total = Expression("sum", (cost, one))
    less, opposite = Expression("minus", (one,)), Expression("minus", (cost,))
    times = Expression("product", (one, two))
    small, both = (Expression("<=", (cost, one)), Expression("true"))
    either = Expression("or", (small, both))
    for node, text in (
        (Expression("product", (total, two)), "(cost + 1)*2.5"),
        (Expression("product", (two, total)), "2.5*(cost + 1)"),
        (Expression("product", (two, Expression("per", (times,)))), "2.5/(1*2.5)"),
        (Expression("sum", (total, one)), "(cost + 1) + 1"),
        (Expression("sum", (one, total)), "1 + (cost + 1)"),
        (Expression("sum", (one, less)), "1 - 1"),
        (Expression("sum", (one, Expression("minus", (total,)))), "1 - (cost + 1)"),
        (Expression("minus", (total,)), "-(cost + 1)"),
        (Expression("minus", (less,)), "--1"),
        (Expression("product", (less, two)), "-1*2.5"),
        (Expression("sum", (times, one)), "1*2.5 + 1"),
        (Expression("and", (either, small)), "(cost <= 1 or true) and cost <= 1"),
        (Expression("or", (either, small)), "(cost <= 1 or true) or cost <= 1"),
        (
            Expression("or", (Expression("and", (small, both)), both)),
            "cost <= 1 and true or true",
        ),
        (Expression("not", (small,)), "not cost <= 1"),
        (Expression("not", (either,)), "not (cost <= 1 or true)"),
        (Expression("not", (Expression("not", (both,)),)), "not not true"),
        (Expression("and", (Expression("not", (both,)), both)), "not true and true"),
        (Expression("product", (times, two)), "(1*2.5)*2.5"),
        (Expression("<=", (total, times)), "cost + 1 <= 1*2.5"),
        (Expression("ceil", (total,)), "ceil(cost + 1)"),
        (Expression("component", (total,), value=2), "(cost + 1)[2]"),
        (Expression("component", (opposite,), value=2), "(-cost)[2]"),
        (
            Expression("=", (Expression("not", (both,)), small)),
            "(not true) = (cost <= 1)",
        ),
        (Expression("vector", (one, two)), "[1,2.5]"),
        (Expression("MINCOST", value=0), "MINCOST(PEs)"),
        (Expression("MINCOST", value=7), "MINCOST(7)"),
    ):
        assert str(node) == text
    assert all(str(number(x)) == x for x in ("0.05", "12.5", "0", "100"))
    least = Fraction(1, 10**64)
    assert str(Expression("number", value=least)) == f"0.{'0' * 63}1"
    with pytest.raises(ValueError, match="not a decimal"):
        str(Expression("number", value=least / 10))
    with pytest.raises(ValueError, match="not a decimal"):
        str(Expression("number", value=Fraction(1, 3)))


def test_the_depth_of_an_expression() -> None:
    one = number("1")
    assert one.depth() == 1
    deep = Expression("minus", (Expression("minus", (one,)),))
    assert deep.depth() == 3
    assert Expression("sum", (deep, one)).depth() == 4
    assert len(list(Expression("sum", (deep, one)).nodes())) == 5


def test_expressions_are_evaluated_as_they_read() -> None:
    def value(node: Expression) -> object:
        return evaluate(node, (3, 8), 4, lambda size: (size, 1))

    cost, two, half = Expression("cost"), number("2"), number("0.5")
    below = Expression("vector", (number("-1.5"), half))
    vector = Expression("vector", (two, two))
    for node, expected in (
        (Expression("sum", (cost, below, vector)), (3.5, 10.5)),
        (Expression("product", (two, cost, half)), (3, 8)),
        (Expression("product", (two, Expression("per", (half,)))), 4),
        (Expression("component", (cost,), value=2), 8),
        (Expression("ceil", (below,)), (-1, 1)),
        (Expression("floor", (below,)), (-2, 0)),
        (Expression("minus", (cost,)), (-3, -8)),
        (Expression("MINCOST", value=0), (4, 1)),
        (Expression("MINCOST", value=9), (9, 1)),
        (Expression("PEs"), 4),
        (Expression("true"), True),
        (Expression("false"), False),
        (Expression("<=", (cost, vector)), False),
        (Expression("<=", (vector, cost)), True),
        (Expression("!=", (cost, vector)), True),
        (Expression("=", (vector, vector)), True),
        (Expression("lex <", (vector, cost)), True),
        (Expression("not", (Expression("lex <", (cost, vector)),)), True),
    ):
        assert value(node) == expected, str(node)


@pytest.mark.parametrize(
    "kind", [Mesh, Torus, lambda shape: Grid(shape, (True, False))]
)
@pytest.mark.parametrize(
    ("site", "said"),
    [
        ((-1, 0), "lies outside"),
        ((0, -1), "lies outside"),
        ((3, 0), "lies outside"),
        ((0, 2), "lies outside"),
        ((0,), "must have 2 coordinates"),
        ((0, 0, 0), "must have 2 coordinates"),
        ((2, 1), "listed twice"),
    ],
)
def test_sites_that_are_not_there(
    kind: Callable[..., Grid], site: Site, said: str
) -> None:
    network = kind((3, 2))
    said += f" the {network.kind}" * said.endswith("outside")
    with pytest.raises(InputError, match=rf"^free\[\d\]: {said}"):
        KSubset("one", network, ((2, 1), site), 1)


@pytest.mark.parametrize(
    ("network", "site", "said"),
    [
        (TREE, (0,), "no such processor"),
        (TREE, (1,), "listed too often"),
        (Points(((1, 2), (4, 7))), (1, 3), "no such processor"),
        (Points(((1, 2), (4, 7))), (1, 2), "listed too often"),
    ],
)
def test_processors_of_a_list_that_are_not_there(
    network: Points, site: Site, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        KSubset("one", network, (next(iter(network.locations())), site), 1)
    twice = Points(((1, 2), (1, 2)))
    assert KSubset("two", twice, ((1, 2), (1, 2)), 2).n == 2


def test_distances_that_are_too_large() -> None:
    # pair sums stay below LARGEST / 2: 2 spread k^2 < 2^62
    for far, k, refused in (
        (2**59 - 1, 1, False),
        (2**59, 1, True),
        (2**59 - 1, 2, False),
        (2**59, 2, True),
        (2**57 - 1, 4, False),
        (2**57, 4, True),
    ):
        line = Points(tuple((x,) for x in (0, 1, 2, far)))
        if refused:
            with pytest.raises(InputError, match=r"more than 62 bits \([^)]*\)$"):
                KSubset("one", line, tuple(line.locations()), k)
        else:
            assert KSubset("one", line, tuple(line.locations()), k).k == k


def machine(**other: object) -> ProcSet:
    features: dict[str, object] = {
        "processors": ("a", "b", "c"),
        "available": (0, 1),
        "request": 1,
        "sets": (ProcessorSet("x", (0, 1), (1, 2)), ProcessorSet("y", (2,), (0, 3))),
        **other,
    }
    return ProcSet("machine", **features)  # type: ignore[arg-type]


def test_processor_sets_that_no_file_has_are_refused() -> None:
    """Files name processors; what they refuse else is in test_files_of_problems.py."""
    for other, said in (
        ({"processors": ()}, "must not be empty"),
        ({"available": (0, 3)}, "no such processor"),
        ({"available": (-1, 0)}, "no such processor"),
        ({"sets": (ProcessorSet("x", (0, 3), (1,)),)}, "no such processor"),
    ):
        with pytest.raises(InputError, match=said):
            machine(**other)
    half = 2**61
    low = (ProcessorSet("x", (0,), (half,)), ProcessorSet("y", (1,), (half - 1,)))
    assert machine(sets=low).total == (2**62 - 1,)
    assert machine().levels == 2
    assert machine(request=9).n == 2
    for available in ((3,), (1, 1)):
        with pytest.raises(InputError):
            machine().asking("other", available, 1)
    with pytest.raises(InputError, match="at least 1"):
        machine().asking("other", (0,), 0)
    assert machine().asking("other", (2, 0), 2).available == (0, 2)


def test_choices_of_processors_that_are_wrong() -> None:
    one = machine()
    assert check(one, [0]) == check(one, [0, 1]) == []
    for chosen, wrong in (
        ([-1], ["no processor -1"]),
        ([3], ["no processor 3"]),
        ([2], ["c is not available"]),
        ([0, 0], ["a processor is chosen twice"]),
        ([], ["0 processors chosen, not 1"]),
    ):
        assert check(one, chosen) == wrong
    last = machine(available=(1, 2))
    assert check(last, [0]) == ["a is not available"]


def test_knapsacks_at_the_edge_are_taken() -> None:
    """What is refused is in test_files_of_problems.py."""
    edges = Sukp("one", (2**61, 2**61 - 1), (0, 0), ((0,), (0, 1)), 0)
    assert edges.n == 2
    assert replace(edges, capacity=2**62 - 1).capacity == 2**62 - 1


def test_rings_are_priced_by_the_shorter_way() -> None:
    for side in range(1, 8):
        for n in range(1, 5):
            for chosen in combinations_with_replacement(range(side), n):
                ring = [min(b - a, side - b + a) for a, b in combinations(chosen, 2)]
                assert _sum_round(chosen, side) == sum(ring)


def test_when_the_search_for_a_town_is_worth_its_time() -> None:
    """Never known to be useless where it is quick, always where none can be met."""

    def skipped(shape: tuple[int, ...], k: int, cost: int) -> bool:
        return _far_from_town(mesh(*shape, k=k), cost)

    assert not skipped((20, 20), 40, 10**9)
    assert skipped((20, 20), 41, 10**9)
    assert not skipped((7, 7, 7), 12, 10**9)
    assert skipped((7, 7, 7), 13, 10**9)
    assert not skipped((12, 12, 1, 1), 40, 10**9)
    cheap, dear = floor(0.335 * 50**2.5), floor(0.335 * 50**2.5) + 1
    assert not skipped((20, 20), 50, cheap)
    assert skipped((20, 20), 50, dear)
    assert skipped((10, 15), 50, cheap)
    assert not skipped((1, 151), 50, cheap)
    cheap, dear = floor(0.47 * 20 ** (7 / 3)), floor(0.47 * 20 ** (7 / 3)) + 1
    assert not skipped((7, 7, 7), 20, cheap)
    assert skipped((7, 7, 7), 20, dear)
    for d, most in TOWN_SEARCH.items():
        shape = (30,) * d
        assert not skipped(shape, most, 1)
        assert skipped(shape, most + 1, 1)


def test_no_bound_of_another_name() -> None:
    assert compute_bound(mesh(3, 3, k=4), "none") is None
    line = KSubset("line", Points(((0,), (5,), (6,))), ((0,), (5,), (6,)), 2)
    assert [compute_bound(line, by) for by in (STAR, TOWN, AXIS)] == [1, 1, 1]
    assert compute_bound(mesh(3, 3, k=4), AXIS) is None


@pytest.mark.parametrize("shape", [(1,), (1, 1, 1, 1), (0, 2), (2, 2, -1)])
def test_packings_have_two_or_three_sides(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="two or three sides"):
        Packing("one", shape, ())
    assert Packing("one", (1, 1), ()).d == 2
    assert Packing("one", (1, 2, 1), ()).d == 3
    for size in ((1,), (0, 1), (1, 1, 1)):
        with pytest.raises(InputError, match="must have 2 sides, each at least 1"):
            Packing("one", (2, 2), (Item(size),))


def test_requests_that_cannot_be_met_by_counting() -> None:
    one = Submesh("one", (4, 2), (Resident((0, 0, 0, 1)),), (3, 2))
    assert unsolvable(one) is None
    for request, rotate, said in (
        ((2, 3), False, "a 2x3 box does not fit into a 4x2 mesh"),
        ((1, 4), False, "a 1x4 box does not fit into a 4x2 mesh"),
        ((1, 4), True, None),
        ((5, 1), True, "a 5x1 box does not fit into a 4x2 mesh"),
        ((4, 2), False, "8 processors requested, 6 free"),
        ((2, 4), True, "8 processors requested, 6 free"),
    ):
        assert unsolvable(replace(one, request=request, rotate=rotate)) == said
    for field, other, said in (
        ("mesh", {"shape": (4, 0)}, "at least 1"),
        ("request", {"request": (0, 1)}, "at least 1"),
        ("request", {"request": (1,)}, "must have 2 sides"),
        ("request", {"request": (1, 1, 1)}, "must have 2 sides"),
    ):
        with pytest.raises(InputError, match=f"{field}.*{said}"):
            replace(one, residents=(), **other)


def test_what_is_shared_cannot_be_written_to() -> None:
    job = KSubset("tree", TREE, ((1,), (2,), (3,)), 2)
    cuts = arrays.cuts(job)
    for array in (
        *(cuts.weights, cuts.axis, cuts.start, cuts.stop, cuts.position),
        *(cuts.parent, cuts.sides, processors_along("snake", (3, 2))),
        *(arrays.points(job), arrays.hops(job)),
    ):
        assert not array.flags.writeable
    assert TREE.dimension == 1


def test_a_number_that_python_does_not_write_is_named_by_its_size() -> None:
    """Its error was another one, without the field."""
    with pytest.raises(InputError, match=r"^topology\.shape: .* of 16610 bits\]$"):
        Mesh((10**5000,))


@pytest.mark.parametrize("kind", [InputError, TooLong, WrongStep])
@pytest.mark.parametrize("value", [..., None, 3])
def test_an_error_keeps_its_kind_in_another_process(
    kind: type[InputError], value: object
) -> None:
    """What took too long is not wrong."""
    error = kind("must be 4", "k", value, file="a.json")
    for one in (pickle.loads(pickle.dumps(error)), error.of_json()):
        assert (type(one), str(one)) == (kind, str(error))
