"""Files of processor sets and knapsacks: read back as written, refused in one line."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.cli.app import run
from closeknit.instances import (
    InputError,
    ProcessorSet,
    ProcSet,
    Sukp,
    problem_of,
    read_if_instance,
    read_instance,
    sha256,
    write_instance,
)
from closeknit.instances.library import suite
from closeknit.instances.problems import parse_instance
from closeknit.instances.reading.json_text import dumps
from closeknit.instances.sukp.generators import random_sukp
from closeknit.instances.sukp.text import parse_sukp_text
from closeknit.instances.support import support_of
from closeknit.instances.writing.sukp_text import sukp_text
from closeknit.methods import METHODS
from closeknit.solvers import solution_of

from ..data import KNAPSACKS, needs
from ..strategies import procsets, sukps
from .schemas import obeys

SETS = [
    {"name": "card", "members": ["a.1", "a.2", "b.1"], "cost": [4, 0]},
    {"name": "host", "members": ["a.1", "a.2"], "cost": [0, 1]},
]
GOOD: dict[str, dict[str, Any]] = {
    "procset": {
        "format": "closeknit/procset",
        "version": 1,
        "name": "good",
        "processors": ["a.1", "a.2", "b.1"],
        "available": ["a.1", "b.1"],
        "request": 1,
        "sets": SETS,
    },
    "sukp": {
        "format": "closeknit/sukp",
        "version": 1,
        "name": "good",
        "profits": [5, 4, 3],
        "weights": [3, 3, 2],
        "items": [[0, 1], [1, 2], []],
        "capacity": 6,
    },
}


def _set(**changes: Any) -> dict[str, Any]:
    """Change the second set; None takes a field out."""
    changed = {k: v for k, v in {**SETS[1], **changes}.items() if v is not None}
    return {"sets": [SETS[0], changed]}


# what is changed in GOOD (None: taken out), what the message says after the file
WRONG_PROCSET: dict[str, tuple[dict[str, Any], str]] = {
    "unknown field": ({"k": 3}, "k: unknown field (known: format, "),
    "other version": ({"version": 2}, "version: must be 1, not 2"),
    "version true": ({"version": True}, "version: must be an integer, not True"),
    "name empty": ({"name": ""}, "name: must not be empty"),
    "name control": ({"name": "a\x07"}, "name: must be text on one line"),
    "seed decimal": ({"seed": 1.5}, "seed: must be an integer, not 1.5"),
    "source list": ({"source": []}, "source: must be a string, not []"),
    "no processors": ({"processors": None}, "processors: is missing"),
    "processors text": ({"processors": "abc"}, "processors: must be a list, not 'abc'"),
    "processor number": ({"processors": [1]}, "processors[0]: must be a string, not 1"),
    "processor empty": (
        {"processors": ["a.1", "a.2", "b.1", ""]},
        "processors[3]: must not be empty",
    ),
    "processor twice": (
        {"processors": ["a.1", "a.2", "b.1", "a.2"]},
        "processors[3]: given twice: 'a.2'",
    ),
    "available stranger": (
        {"available": ["a.1", "c"]},
        "available[1]: no such processor: 'c'",
    ),
    "available twice": ({"available": ["a.1"] * 2}, "available: listed twice: 'a.1'"),
    "available object": ({"available": {}}, "available: must be a list, not {}"),
    "no request": ({"request": None}, "request: is missing"),
    "request 0": ({"request": 0}, "request: must be at least 1, not 0"),
    "request text": ({"request": "all"}, "request: must be an integer, not 'all'"),
    "request true": ({"request": True}, "request: must be an integer, not True"),
    "no sets": ({"sets": None}, "sets: is missing"),
    "sets none": ({"sets": []}, "sets: must not be empty"),
    "sets object": ({"sets": {"card": []}}, "sets: must be a list, not {'card': []}"),
    "set list": ({"sets": [[]]}, "sets[0]: must be an object, not []"),
    "set unknown field": (_set(weight=1), "sets[1].weight: unknown field (known: name"),
    "set no name": (_set(name=None), "sets[1].name: is missing"),
    "set name empty": (_set(name=""), "sets[1].name: must not be empty"),
    "set no members": (_set(members=None), "sets[1].members: is missing"),
    "set of nothing": (_set(members=[]), "sets[1].members: is empty"),
    "set of stranger": (
        _set(members=["a.1", "z"]),
        "sets[1].members[1]: no such processor: 'z'",
    ),
    "member twice": (_set(members=["a.1"] * 2), "sets[1].members: listed twice: 'a.1"),
    "no cost": (_set(cost=None), "sets[1].cost: is missing"),
    "cost number": (_set(cost=4), "sets[1].cost: must be a list, not 4"),
    "cost decimal": (_set(cost=[0, 0.5]), "sets[1].cost[1]: must be an integer, not 0"),
    "cost text": (_set(cost=["x", 0]), "sets[1].cost[0]: must be an integer, not 'x'"),
    "cost empty": ({"sets": [{**SETS[0], "cost": []}]}, "sets[0].cost: must have 1 le"),
    "cost negative": (
        _set(cost=[0, -1]),
        "sets[1].cost: must not be negative, not [0, -1]",
    ),
}
# what a schema cannot say
WRONG_PROCSET_IN_SUM: dict[str, tuple[dict[str, Any], str]] = {
    "set name twice": (_set(name="card"), "sets[1].name: given twice: 'card'"),
    "cost too short": (
        _set(cost=[1]),
        "sets[1].cost: must have 2 levels, as the first set has, not [1]",
    ),
    "cost too long": (
        _set(cost=[1, 2, 3]),
        "sets[1].cost: must have 2 levels, as the first set has, not [1, 2, 3]",
    ),
    "costs overflow": (
        {"sets": [{**one, "cost": [0, 2**61]} for one in SETS]},
        "sets: costs of level 2 sum up to 2^62 or more",
    ),
}

WRONG_SUKP: dict[str, tuple[dict[str, Any], str]] = {
    "unknown field": ({"density": 0.1}, "density: unknown field (known: format, "),
    "other version": ({"version": 3}, "version: must be 1, not 3"),
    "name empty": ({"name": ""}, "name: must not be empty"),
    "no profits": ({"profits": None}, "profits: is missing"),
    "profits none": ({"profits": [], "items": []}, "items: must not be empty"),
    "profit negative": ({"profits": [5, -4, 3]}, "profits[1]: must not be negative, n"),
    "profit decimal": ({"profits": [5, 4.5, 3]}, "profits[1]: must be an integer, not"),
    "profits text": ({"profits": "543"}, "profits: must be a list, not '543'"),
    "no weights": ({"weights": None}, "weights: is missing"),
    "weight negative": ({"weights": [3, 3, -2]}, "weights[2]: must not be negative, n"),
    "weight true": ({"weights": [3, True, 2]}, "weights[1]: must be an integer, not T"),
    "no items": ({"items": None}, "items: is missing"),
    "item number": ({"items": [[0], 1, []]}, "items[1]: must be a list, not 1"),
    "element text": ({"items": [["a"], [], []]}, "items[0][0]: must be an integer, no"),
    "element negative": ({"items": [[-1], [], []]}, "items[0]: no such element: -"),
    "element twice": (
        {"items": [[1, 1], [], []]},
        "items[0]: an element is listed twice",
    ),
    "no capacity": ({"capacity": None}, "capacity: is missing"),
    "capacity negative": ({"capacity": -1}, "capacity: must be at least 0 and below 2"),
    "capacity huge": ({"capacity": 2**62}, "capacity: must be at least 0 and below 2^"),
    "capacity text": ({"capacity": "6"}, "capacity: must be an integer, not '6'"),
    "seed text": ({"seed": "7"}, "seed: must be an integer, not '7'"),
}
WRONG_SUKP_IN_SUM: dict[str, tuple[dict[str, Any], str]] = {
    "no such element": ({"items": [[3], [], []]}, "items[0]: no such element: 3"),
    "items too few": (
        {"items": [[0]]},
        "items: must have one entry per profit (3), not 1",
    ),
    "profits overflow": (
        {"profits": [2**61, 2**61, 0]},
        "profits: sum up to 2^62 or more",
    ),
    "weights overflow": (
        {"weights": [2**61, 2**61, 0]},
        "weights: sum up to 2^62 or more",
    ),
}
BY_SCHEMA = {"procset": WRONG_PROCSET, "sukp": WRONG_SUKP}
ALL = {
    "procset": {**WRONG_PROCSET, **WRONG_PROCSET_IN_SUM},
    "sukp": {**WRONG_SUKP, **WRONG_SUKP_IN_SUM},
}


def changed(problem: str, change: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in {**GOOD[problem], **change}.items() if v is not None}


@pytest.mark.parametrize("problem", GOOD)
def test_the_examples_themselves_are_good(problem: str) -> None:
    assert obeys(problem, GOOD[problem])
    assert problem_of(parse_instance(GOOD[problem])).name == problem


@pytest.mark.parametrize(
    ("problem", "name"), [(problem, name) for problem in ALL for name in ALL[problem]]
)
def test_bad_files_are_refused_in_one_line(
    problem: str, name: str, tmp_path: Path
) -> None:
    change, message = ALL[problem][name]
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(changed(problem, change)))
    with pytest.raises(InputError) as caught:
        read_instance(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_the_command_says_the_same_and_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad"
    text, said = BROKEN_TEXTS["capacity too large"]
    of_file = changed("procset", WRONG_PROCSET["name control"][0])
    for content, message in (
        (json.dumps(of_file), WRONG_PROCSET["name control"][1]),
        (text, said),
    ):
        path.write_text(content)
        assert run(["solve", str(path)]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert err.startswith(f"closeknit: {path}: {message}")


@pytest.mark.parametrize(
    ("problem", "name"),
    [(problem, name) for problem in ALL for name in BY_SCHEMA[problem]],
)
def test_the_schema_refuses_what_the_reader_refuses(problem: str, name: str) -> None:
    by_name_only = name in ("available stranger", "set of stranger")
    document = changed(problem, BY_SCHEMA[problem][name][0])
    assert obeys(problem, document) is by_name_only


@pytest.mark.parametrize(
    "content", ['{"format": "closeknit/what", "version": 1}', '{"format": 7}']
)
def test_unknown_formats_are_told_the_known_ones(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(content)
    names = ("ksubset", "procset", "sukp", "submesh", "contention")
    known = ", ".join(f"closeknit/{name}" for name in names)
    with pytest.raises(InputError, match=f"format: must be one of {known}, not"):
        read_instance(path)
    assert read_if_instance(path) is None


@given(instance=st.one_of(procsets(infeasible=True), sukps()))
def test_what_is_written_is_read_back_and_obeys_the_schema(
    instance: ProcSet | Sukp,
) -> None:
    problem = problem_of(instance)
    document = json.loads(json.dumps(support_of(instance).document_of(instance)))
    assert obeys(problem.name, document)
    assert parse_instance(document) == instance


@pytest.mark.parametrize(
    "name", ["bundled-ksubset", "bundled-procset", "bundled-sukp", "worst-cases"]
)
def test_bundled_files_obey_the_schema_and_are_read_back(
    name: str, tmp_path: Path
) -> None:
    found = suite(name)
    assert len(found) >= 2
    path = tmp_path / "a.json"
    for instance in found:
        document = dumps(support_of(instance).document_of(instance))
        assert obeys(problem_of(instance).name, json.loads(document))
        write_instance(instance, path)
        assert read_instance(path) == instance


def test_the_name_is_that_of_the_file_if_left_out(tmp_path: Path) -> None:
    for problem in GOOD:
        path = tmp_path / f"{problem}.v1.json"
        path.write_text(json.dumps(changed(problem, {"name": None})))
        assert read_instance(path).name == f"{problem}.v1"


@given(instance=procsets(), data=st.data())
def test_the_digest_sees_the_problem_not_how_it_is_listed(
    instance: ProcSet, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(instance.processors))))
    place = {old: new for new, old in enumerate(order)}
    relisted = ProcSet(
        "another",
        tuple(instance.processors[old] for old in order),
        tuple(place[i] for i in instance.available),
        instance.request,
        tuple(
            ProcessorSet(f"set {i}", tuple(place[j] for j in one.members), one.cost)
            for i, one in enumerate(data.draw(st.permutations(instance.sets)))
        ),
        source="elsewhere",
        seed=3,
    )
    assert sha256(relisted) == sha256(instance)
    assert sha256(replace(instance, request=instance.request + 1)) != sha256(instance)
    first = instance.sets[0]
    dearer = replace(first, cost=(first.cost[0] + 1, *first.cost[1:]))
    other = replace(instance, sets=(dearer, *instance.sets[1:]))
    assert sha256(other) != sha256(instance)


@given(instance=sukps())
def test_the_digest_of_a_knapsack_sees_its_numbers(instance: Sukp) -> None:
    assert sha256(replace(instance, name="another", seed=4)) == sha256(instance)
    richer = (instance.profits[0] + 1, *instance.profits[1:])
    assert sha256(replace(instance, profits=richer)) != sha256(instance)
    assert sha256(replace(instance, capacity=instance.capacity + 1)) != sha256(instance)


# Solutions


@given(instance=st.one_of(procsets(infeasible=True), sukps()))
def test_solutions_obey_the_schema(instance: ProcSet | Sukp) -> None:
    result = METHODS[problem_of(instance).name]["bruteforce"](instance)
    assert obeys("solution", solution_of(instance, "bruteforce", result))


@pytest.mark.parametrize(
    ("change", "allowed"),
    [
        ({}, True),
        ({"objective": [8, 1, 2], "bound": [8, 1, 2]}, True),
        ({"selection": ["a.1", "b.1"]}, True),
        ({"selection": [0, 2]}, True),
        ({"selection": []}, True),
        ({"objective": []}, False),
        ({"objective": [1.5]}, False),
        ({"selection": ["a.1", 2]}, False),
        ({"selection": ["a.1", "a.1"]}, False),
        ({"selection": [""]}, False),
    ],
)
def test_the_schema_of_solutions(change: dict[str, Any], allowed: bool) -> None:
    solution = {
        "format": "closeknit/solution",
        "version": 1,
        "instance": "good",
        "sha256": "0" * 64,
        "method": "auto",
        "status": "optimal",
        "objective": 4,
        "bound": 4,
        "proof": {"grade": "enumerated", "by": "bruteforce"},
        "selection": ["a.1"],
    }
    assert obeys("solution", {**solution, **change}) is allowed


# The text format of the benchmark

TEXT = """m=3    n=4     knapsack size=6

The profit of 3 items
5 4 3

The weight of 4 elements
3 3 2 1

Relation matrix
1 1 0 0
0 1 1 0
0 0 0 0
"""


def test_a_benchmark_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sukp_3_4.txt"
    path.write_text(TEXT)
    expected = Sukp("sukp_3_4", (5, 4, 3), (3, 3, 2, 1), ((0, 1), (1, 2), ()), 6)
    assert read_instance(path) == expected
    packed = tmp_path / "sukp_3_4.txt.xz"
    packed.write_bytes(lzma.compress(TEXT.encode()))
    assert read_instance(packed) == expected
    assert read_if_instance(packed) == expected
    path.write_text(TEXT.replace(" ", "  \t").replace("\n", "\r\n"))
    assert read_instance(path) == expected


@given(instance=sukps())
def test_text_is_read_back_as_written(instance: Sukp) -> None:
    assert parse_sukp_text(sukp_text(instance), default_name="drawn") == instance


BROKEN_TEXTS: dict[str, tuple[str, str]] = {
    "head cut": (TEXT[:8], "line 1: must be 'm=ITEMS n=ELEMENTS knapsack size=CAP"),
    "head only": (TEXT.partition("\n")[0], "profit: must be 3 numbers, not 0"),
    "capacity negative": (TEXT.replace("=6", "=-6"), "line 1: must be 'm=ITEMS"),
    "capacity decimal": (TEXT.replace("=6", "=6.5"), "line 1: must be 'm=ITEMS"),
    "capacity too large": (TEXT.replace("=6", f"={2**62}"), "capacity: must be at le"),
    "no items": (
        "m=0 n=1 knapsack size=1\nThe profit of 0 items\n"
        "The weight of 1 elements\n1\nRelation matrix\n",
        "items: must not be empty",
    ),
    "huge": (
        TEXT.replace("m=3", "m=999999999"),
        "m, n: more than 4194304: '999999999, 4'",
    ),
    "numbers before a heading": (
        TEXT.replace("The profit of 3 items\n", ""),
        "line 3: must be the heading of profit, not '5 4 3'",
    ),
    "wrong heading": (
        TEXT.replace("The weight of 4 elements", "The price of 4 elements"),
        "line 6: must be the heading of weight, not 'The price of 4 elements'",
    ),
    "heading twice": (
        TEXT.replace("5 4 3", "5 4 3\nThe profit of 3 items"),
        "line 5: must be the heading of weight, not 'The profit of 3 items'",
    ),
    "something after": (TEXT + "end\n", "line 13: must be the end, not 'end'"),
    "profit too few": (TEXT.replace("5 4 3", "5 4"), "profit: must be 3 numbers, not"),
    "profit too many": (
        TEXT.replace("5 4 3", "5 4 3 2"),
        "line 4: more than 3 numbers under profit",
    ),
    "no number": (TEXT.replace("5 4 3", "5 4 3.0"), "profit, line 4: must be an int"),
    "profit negative": (TEXT.replace("5 4 3", "5 -4 3"), "profits[1]: must not be ne"),
    "matrix cut": (TEXT[:-9], "matrix: must be 12 numbers, not 8"),
    "no bit": (TEXT.replace("1 1", "1 2"), "matrix, line 10: must be 0 or 1, not '2'"),
    "matrix too long": (f"{TEXT}0 0 0 0\n", "line 13: more than 12 numbers under m"),
}


@pytest.mark.parametrize("name", BROKEN_TEXTS)
def test_broken_texts_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    text, message = BROKEN_TEXTS[name]
    path = tmp_path / "broken.txt"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_instance(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_an_archive_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    whole = lzma.compress(TEXT.encode())
    path = tmp_path / "cut.txt.xz"
    for size in range(6, len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError) as caught:
            read_instance(path)
        assert str(caught.value).startswith(f"{path}: is ")


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    whole = bytearray(lzma.compress(TEXT.encode()))
    whole[len(whole) // 2] ^= 0xFF
    path = tmp_path / "damaged.txt.xz"
    path.write_bytes(bytes(whole))
    with pytest.raises(InputError, match="is not a usable xz file: "):
        read_instance(path)


@given(text=st.text(max_size=60), cut=st.integers(0, len(TEXT)))
def test_no_text_breaks_the_reader(text: str, cut: int) -> None:
    for content in (text, TEXT[:cut] + text, TEXT[:cut] + text + TEXT[cut:]):
        try:
            parse_sukp_text(content)
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017


@needs("data/sukp/setI")
def test_the_benchmark_is_read() -> None:
    files = sorted((KNAPSACKS / "setI").glob("*.txt.xz"))
    assert len(files) == 30
    for file in files[:3]:
        instance = read_instance(file)
        items, elements = map(int, instance.name.split("_")[1:3])
        assert isinstance(instance, Sukp)
        assert (instance.n, len(instance.weights)) == (items, elements)


# The generator


def test_random_knapsacks_are_as_described() -> None:
    one = random_sukp(60, 50, Fraction(1, 10), Fraction(3, 4), seed=4)
    assert one == random_sukp(60, 50, Fraction(1, 10), Fraction(3, 4), seed=4)
    assert one != random_sukp(60, 50, Fraction(1, 10), Fraction(3, 4), seed=5)
    numbers = (*one.profits, *one.weights)
    assert 1 <= min(numbers) < 100
    assert 400 < max(numbers) <= 500
    assert one.capacity == 3 * sum(one.weights) // 4
    cells = sum(map(len, one.items))
    assert 0.07 < cells / (60 * 50) < 0.13
    assert min(map(len, one.items)) >= 1
    full = random_sukp(3, 4, Fraction(1), Fraction(0), seed=1)
    assert full.items == ((0, 1, 2, 3),) * 3
    assert full.capacity == 0
    for wrong, field in (
        ((0, 4, Fraction(1, 2), Fraction(1, 2)), "items"),
        ((4, 0, Fraction(1, 2), Fraction(1, 2)), "elements"),
        ((4, 4, Fraction(0), Fraction(1, 2)), "density"),
        ((4, 4, Fraction(1, 2), Fraction(3, 2)), "ratio"),
    ):
        with pytest.raises(InputError, match=f"^{field}: must (be|lie)"):
            random_sukp(*wrong, seed=1)
