"""Two programs of one page write the same formulas, row by row."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from closeknit.instances import (
    InputError,
    Instance,
    KSubset,
    Mesh,
    Priced,
    ProcSet,
    Submesh,
    Sukp,
    Value,
    check,
    read_instance,
)
from closeknit.instances.problems import parse_instance
from closeknit.instances.reading.parsing import parse_json
from closeknit.instances.support import describe
from closeknit.proofs.checking import CheckLimits, Formula, formula_of
from closeknit.proofs.checking.checker import ProvenResult
from closeknit.proofs.checking.formulas import levels_of
from closeknit.proofs.checking.kinds import LOG
from closeknit.proofs.checking.proof_file import CHECKERS, PLAIN
from closeknit.proofs.writing.opb_text import opb_text
from tests.oracles import cheapest, cheapest_placement, least_left_out, optimum
from tests.paths import ROOT

from .compare import canonical, first_difference, least, plain
from .drawing import drawn
from .encoder import encode, proven_bound

BUNDLED = sorted((ROOT / "instances" / "data").glob("*.json"))
PAGE = ROOT / "docs" / "science" / "proofs.md"
ENCODER = Path(__file__).with_name("encoder.py")


def difference(instance: Instance) -> str:
    """Return where the formulas of an instance differ first; "" if they do not."""
    second = encode(instance)
    assert second is not None, f"{instance.name}: only the second has no formula"
    first = plain(formula_of(instance), levels_of(instance))
    return first_difference(canonical(first), canonical(second))


def assert_same(seeds: range) -> None:
    for seed in seeds:
        found = difference(drawn(seed))
        assert not found, f"seed {seed}: {found}"


# The formulas


def test_formulas_of_drawn_instances() -> None:
    assert_same(range(300))


@pytest.mark.slow
@pytest.mark.parametrize("thousand", range(10))
def test_formulas_of_10000_drawn_instances(thousand: int) -> None:
    assert_same(range(1000 * thousand, 1000 * (thousand + 1)))


def test_all_bundled_instances_are_found() -> None:
    assert len(BUNDLED) == 31


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_formulas_of_bundled_instances(path: Path) -> None:
    assert difference(read_instance(path)) == ""


BLOCKED = tuple((x, 0) for x in range(99))
LINE = Mesh(3163)
SIZES = [
    (KSubset("pairs", Priced(LINE, (1,) * 3163), tuple(LINE.locations()), 2), False),
    (Submesh("mesh", (669, 4), (), (600, 1), blocked=BLOCKED), True),
    (Submesh("mesh", (670, 4), (), (600, 1), blocked=BLOCKED), False),
    (Submesh("no way", (670, 4), (), (671, 1), blocked=BLOCKED), True),
    (Submesh("torus", (128, 128), (), (100, 100), torus=True), False),
]  # fmt: skip


@pytest.mark.parametrize(("instance", "exists"), SIZES, ids=lambda one: str(one)[:40])
def test_formulas_that_are_too_large(instance: Instance, exists: bool) -> None:
    """3 B (B - 1) times the sum of the sides, with B = 100 boxes, is near the limit."""
    if exists:
        assert difference(instance) == ""
        return
    with pytest.raises(InputError, match="terms, more than 20000000"):
        formula_of(instance)
    assert encode(instance) is None


SQUARE = [(0, 1), (1, 2), (2, 3), (0, 3)]


def square_and_triangle(path: int) -> tuple[list[Any], list[int], bool]:
    """Two rings at the ends of a path have path + 5 halves; the last link adds none."""
    end = path + 3
    way = [(v, v + 1) for v in range(3, end)]
    triangle = [(end, end + 1), (end, end + 2), (end + 1, end + 2)]
    return [*SQUARE, *way, *triangle], [0, 1, 2, 3, end + 1], path + 5 < 512


GRAPHS: dict[str, tuple[list[Any], list[int], bool]] = {
    "a(x) is neither 0 nor as long as the link": (
        [(0, 1, 2), (0, 3), (1, 2, 2), (1, 4), (2, 4, 2), (3, 4, 2)],
        [0, 1, 3, 4],
        False,
    ),
    "a link across has another length": (
        [(0, 2), (0, 3), (1, 2), (1, 3, 2)],
        [0, 1, 2, 3],
        False,
    ),
    "a link across is closed": (
        [(0, 1), (0, 2), (0, 5), (1, 3), (1, 4), (2, 3), (2, 4), (3, 5)],
        [0, 1, 2, 4, 5],
        False,
    ),
    "the sum is not the distance": ([*SQUARE, (1, 3)], [0, 1, 2, 3], False),
    "a link is longer than a way round": ([*SQUARE, (0, 2, 3)], [0, 1, 2, 3], False),
    "not all nodes embed, which is noticed": (
        [(0, 1), (0, 4), (0, 5), (2, 3), (2, 5), (3, 6), (3, 7), (4, 7), (5, 6)],
        [1, 3, 4, 6, 7],
        False,
    ),
    "the same graph, otherwise numbered": (
        [(0, 2), (0, 7), (1, 2), (1, 4), (1, 6), (2, 5), (3, 4), (3, 6), (3, 7)],
        [0, 3, 4, 5, 7],
        True,
    ),
    "511 halves": square_and_triangle(506),
    "512 halves": square_and_triangle(507),
}
"""Links, processors, and whether there are cuts: in each, one clause decides."""


@pytest.mark.parametrize("which", GRAPHS)
def test_graphs_in_which_one_clause_of_the_second_test_decides(which: str) -> None:
    edges, processors, has_cuts = GRAPHS[which]
    nodes = 1 + max(v for edge in edges for v in edge[:2])
    topology = {"kind": "graph", "nodes": nodes, "edges": [*map(list, edges)]}
    own = {"topology": {**topology, "processors": processors}, "k": 2}
    document = {"format": "closeknit/ksubset", "version": 1, **own}
    instance = parse_instance(parse_json(json.dumps(document)), default_name="graph")
    assert difference(instance) == ""
    formula = encode(instance)
    assert formula is not None
    assert has_cuts == any(name.startswith("u") for name in formula["variables"])


# Examples of the page


def shown_examples() -> dict[str, tuple[Instance, str]]:
    """Return the instances of the section "The formulas", and their formulas."""
    section = PAGE.read_text("utf-8").partition("\n## The formulas\n")[2]
    section = section.partition("\n## ")[0]
    found = {}
    pattern = (
        r"    \$ cat (\S+)\n((?:    (?!\$).*\n)+)"
        r"    \$ closeknit export \1 --to opb\n((?:    (?!\$).*\n)+)"
    )
    for name, text, formula in re.findall(pattern, section):
        instance = parse_instance(parse_json(text), default_name=name)
        found[name] = instance, re.sub("^    ", "", formula, flags=re.MULTILINE)
    return found


EXAMPLES = shown_examples()


def test_every_problem_has_an_example() -> None:
    kinds = {type(instance) for instance, _ in EXAMPLES.values()}
    assert kinds == {KSubset, ProcSet, Sukp, Submesh}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_the_page_are_whole(name: str) -> None:
    instance, shown = EXAMPLES[name]
    assert "".join(opb_text(formula_of(instance), describe(instance))) == shown
    assert difference(instance) == ""


# Bounds


def checked_bound(
    instance: Instance, objective: int, monkeypatch: pytest.MonkeyPatch
) -> Value | None:
    """Return what ``check`` takes as proved if a proof ends with a bound on f."""

    def follow(formula: Formula, *_: object) -> ProvenResult:
        return ProvenResult(objective, 1)

    monkeypatch.setattr("closeknit.proofs.checking.proof_file.follow", follow)
    limits: tuple[Any, ...] = None, "proof", CheckLimits(), PLAIN
    return CHECKERS[LOG](instance, *limits)[0]


def test_bounds_of_drawn_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound on the objective proves the same bound on the cost."""
    for seed in range(300):
        instance, rng = drawn(seed), Random(seed)
        most = sum(map(abs, formula_of(instance).objective.values()))
        for objective in [-1, 0, 1, *(rng.randint(-most, most + 1) for _ in range(5))]:
            wanted = checked_bound(instance, objective, monkeypatch)
            assert proven_bound(instance, objective) == wanted, (seed, objective)


# Optima


def cheapest_choice(instance: Instance) -> Value | None:
    """Return the least cost, by looking at every choice; None if there is none."""
    match instance:
        case KSubset():
            return optimum(instance)
        case ProcSet():
            return None if instance.request > instance.n else cheapest(instance)
        case Sukp():
            fits = not check(instance, instance.required)
            return least_left_out(instance) if fits else None
        case Submesh():
            return cheapest_placement(instance)
    raise AssertionError(instance)


@pytest.mark.parametrize("part", range(5))
def test_optima_of_drawn_instances(part: int) -> None:
    """The least objective, by enumeration, proves the cost of the cheapest choice."""
    for seed in range(200 * part, 200 * (part + 1)):
        instance = drawn(seed, small=True)
        formula = encode(instance)
        assert formula is not None
        found = least(canonical(formula))
        bound = None if found is None else proven_bound(instance, found)
        assert bound == cheapest_choice(instance), seed


# The second program


COMPUTED = {
    *("cuts", "has_cuts", "embedding", "distance", "pair_sum", "spread", "walked"),
    *("neighbours", "required_indices", "dearest"),
}
"""Attributes of instances and networks that the first program computes with."""


def test_the_second_program_shares_nothing_but_the_readers() -> None:
    tree = ast.parse(ENCODER.read_text("utf-8"))
    imported = {
        node.module if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    ours = {name for name in imported if name is None or "closeknit" in name}
    assert ours <= {"closeknit.instances"}
    assert not any("tests" in str(name) for name in imported)
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and not (isinstance(node.value, ast.Name) and node.value.id == "self")
    }
    assert not used & COMPUTED
