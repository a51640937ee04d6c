"""Streams, worst cases and moves of the page, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from closeknit.instances import InputError, Mesh, Submesh
from closeknit.instances.submesh import Resident
from closeknit.instances.submesh.json import document_of
from closeknit.reports.explorer.cases import families, ledger
from closeknit.reports.explorer.explorer import Explorer
from closeknit.simulation.stream.jobs import generated
from closeknit.simulation.stream.simulator import Policy, Start, simulate
from closeknit.solvers.running.kernels import interpreted

from ...oracles import cheapest_placement

MESH = {"kind": "mesh", "shape": [6, 6]}
SWF = "; Version: 2.2\n" + "".join(
    f"{i} {10 * i} -1 50 {size} -1 -1 {size} 60 -1 1 1 1 1 1 1 -1 -1\n"
    for i, size in enumerate((2, 4, 99, 3), 1)
)


@pytest.fixture(autouse=True)
def source() -> Iterator[None]:
    with interpreted():
        yield


@pytest.fixture
def explorer() -> Explorer:
    return Explorer()


def cells(event: list[int]) -> set[int]:
    """Read the processors of a start, as the page does."""
    found, at = set(), 0
    for gap, length in zip(event[4::2], event[5::2], strict=True):
        found |= set(range(at + gap, at + gap + length))
        at += gap + length
    return found


def test_a_drawn_stream_is_that_of_the_command(explorer: Explorer) -> None:
    from closeknit.methods.allocators.table import allocator

    drawn = {"requests": 12, "sizes": "uniform:1:9", "seed": 3, "interarrival": 20}
    body = {"topology": MESH, "busy": [0, 7], "method": "mm", "policy": "easy"}
    found = explorer.answer("stream", {**body, "drawn": drawn})
    machine = allocator("mm", Mesh((6, 6)))
    machine.hold([0, 7])
    jobs = generated(
        12, seed=3, most=34, sides=(6, 6), sizes="uniform:1:9", interarrival=20.0
    )
    wanted = [
        (one.job.number, one.time, set(one.grant.used.tolist()))
        for one in simulate(jobs, machine, Policy.EASY)
        if isinstance(one, Start)
    ]
    starts = [one for one in found["film"]["events"] if isinstance(one, list)]
    assert [(one[0], one[1], cells(one)) for one in starts] == wanted
    assert not any({0, 7} & cells(one) for one in starts)
    assert ["jobs started", 12] in found["measures"]


def test_a_trace_is_played(explorer: Explorer) -> None:
    loaded = explorer.answer("load", {"name": "log.swf", "text": SWF})
    assert (loaded["kind"], loaded["about"]) == ("trace", "4 jobs")
    body = {"topology": MESH, "busy": [], "method": "hilbert/best-fit"}
    body |= {"topology": {"kind": "mesh", "shape": [8, 8]}}
    trace = {"name": "log.swf", "text": SWF}
    found = explorer.answer("stream", {**body, "trace": trace})
    assert len([one for one in found["film"]["events"] if isinstance(one, list)]) == 3
    assert found["notes"] == ["1 skipped: larger than the machine"]
    halved = explorer.answer("stream", {**body, "trace": {**trace, "divide": 2}})
    assert len([one for one in halved["film"]["events"] if isinstance(one, list)]) == 4


def test_every_family_is_made_from_its_own_values(explorer: Explorer) -> None:
    for family in families():
        values = {one["name"]: one["value"] for one in family["parameters"]}
        values = {name: text for name, text in values.items() if text}
        found = explorer.answer("family", {"family": family["name"], "values": values})
        (view, *_) = found["views"].values()
        assert len(view["spots"]) == len(found["labels"]) > 0, family["name"]
        assert view["width"] < 1400, family["name"]
        if family["worst"]:
            assert found["case"]["agrees"], family["name"]
            assert family["dragged"][0] in {one["name"] for one in family["parameters"]}


def test_a_parameter_is_dragged(explorer: Explorer) -> None:
    for eps in (3, 132, 400):
        values = {"d": "2", "k": "8", "eps": f"1/{eps}"}
        found = explorer.answer("family", {"family": "theorem1", "values": values})
        ratio = Fraction(7, 4) * (1 - Fraction(1, eps) * Fraction(3, 4))
        assert Fraction(found["case"]["exactly"]) == ratio
        assert found["case"]["agrees"]


def test_the_worst_instances_known(explorer: Explorer) -> None:
    index, entry = next(
        (i, one) for i, one in enumerate(ledger()) if one["method"] == "mm"
    )
    found = explorer.answer("worst", {"index": index})
    assert (found["k"], found["case"]["ratio"]) == (entry["k"], entry["ratio"])
    assert found["case"]["agrees"]
    assert len(found["labels"]) - len(found["busy"]) >= found["k"]


WAITS = Submesh(
    "waits",
    (4, 3),
    (
        Resident((1, 0, 1, 1)),
        Resident((3, 2, 3, 2), fixed=True),
        Resident((0, 2, 0, 2)),
    ),
    (3, 2),
    blocked=((2, 2),),
)


def test_residents_move_one_by_one(explorer: Explorer) -> None:
    asked = {"instance": document_of(WAITS), "method": "auto"}
    loaded = explorer.answer("load", {"name": "a.json", "text": _text(WAITS)})
    assert (loaded["kind"], loaded["blocked"]) == ("submesh", [8])
    assert [one["fixed"] for one in loaded["residents"]] == [False, True, False]
    found = explorer.answer("plan", asked)
    best = cheapest_placement(WAITS)
    assert best is not None
    assert found["status"] == "optimal"
    assert len(found["steps"]) >= best[0] > 0
    boxes = [set(one["cells"]) for one in loaded["residents"]]
    for step in found["steps"]:
        others = set().union(*(b for i, b in enumerate(boxes) if i != step["resident"]))
        assert boxes[step["resident"]] == set(step["before"])
        assert not set(step["after"]) & (others | {8})
        boxes[step["resident"]] = set(step["after"])
    at = np.array(found["at"]).reshape(-1)
    assert len(at) == 6
    assert not set(at.tolist()) & (set().union(*boxes) | {8})


def test_a_request_that_does_not_fit(explorer: Explorer) -> None:
    body = {"instance": document_of(WAITS), "method": "auto", "request": [4, 3]}
    found = explorer.answer("plan", body)
    assert (found["status"], found["steps"]) == ("infeasible", [])
    assert "There is no placement: proved" in found["finding"]
    free = {**body, "request": [1, 1], "method": "fs-1"}
    assert "no resident moves" in explorer.answer("plan", free)["finding"]


def _text(instance: Submesh) -> str:
    from closeknit.instances.reading.json_text import dumps

    return dumps(document_of(instance))


@pytest.mark.parametrize(
    ("family", "values", "error"),
    [
        ("graph", {"file": "/etc/passwd", "k": "1"}, "family: no such family"),
        ("full", {"shape": "9999x9999", "k": "1"}, "shape: at most 4096"),
        ("full", {"shape": "x".join(["1"] * 30), "kind": "tree", "k": "1"}, "40 char"),
        ("full", {"shape": "8x8"}, "k: is missing"),
        ("full", {"shape": "8x8", "k": "0"}, "k: must be at least 1"),
        ("full", {"shape": "8x8", "k": "x"}, "k: must be"),
        ("full", {"shape": "8x8", "k": "1", "count": "9"}, "values.count: unknown"),
        ("full", {"shape": "8x8", "k": 3}, "k: must be a string"),
        ("random", {"shape": "8x8", "k": "9", "free": "5%"}, "k: must be at most"),
        ("uniform", {"n": "99999999", "k": "3"}, "n: must be at most 4096"),
        ("uniform", {"n": "40", "k": "3", "d": "99999"}, "d: must be at most"),
        ("hypercube", {"d": "4000", "k": "3"}, "hypercube: has more than"),
        ("dragonfly", {"a": "60", "p": "60", "h": "60", "k": "3"}, "has more than"),
        ("fat-tree", {"radix": "64", "k": "3"}, "fat-tree: has more than"),
        ("random-regular", {"n": "4096", "k": "3"}, "at most 2048 are shown"),
        ("genalg-tree", {"k": "2000"}, "genalg-tree: has more than"),
        ("theorem1", {"k": "8", "eps": "1/0"}, "eps: "),
        ("theorem1", {"k": "8", "eps": "2"}, "eps: must"),
        ("submesh", {"shape": "64x65", "most": "3"}, "shape: at most 4096"),
        ("submesh", {"shape": "8x8", "most": "3", "after": "99999"}, "after: must be"),
    ],
)
def test_what_is_not_made(
    explorer: Explorer, family: str, values: dict[str, Any], error: str
) -> None:
    with pytest.raises(InputError) as caught:
        explorer.answer("family", {"family": family, "values": values})
    assert error in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"method": "nothing"}, "method: no such allocator"),
        ({"policy": "lifo"}, "policy: must be fcfs or easy"),
        ({"drawn": {"requests": 2001}}, "requests: must be from 1 to 2000"),
        ({"drawn": {"sizes": "gauss"}}, "sizes: must be exponential"),
        ({"drawn": {"interarrival": -1}}, "interarrival"),
        ({"drawn": {"interarrival": "x"}}, "interarrival: must be a number"),
        ({"drawn": {"x": 1}}, "drawn.x: unknown field"),
        ({"drawn": {}, "trace": {}}, "trace: cannot be given with drawn"),
        ({"trace": {"name": "a", "text": "1 2 3"}}, "a:1: run time: is missing"),
        ({"trace": {"name": "a", "text": 3}}, "trace.text: must be a string"),
        ({"busy": [36]}, "busy[0]: is no number"),
    ],
)
def test_what_is_not_played(
    explorer: Explorer, changed: dict[str, Any], error: str
) -> None:
    body = {"topology": MESH, "busy": [], "method": "mm"}
    with pytest.raises(InputError) as caught:
        explorer.answer("stream", {**body, **changed})
    assert error in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"instance": 3}, "instance: must be an object"),
        ({"method": "nothing"}, "no such method"),
        ({"request": [1, 2, 3]}, "request: must have 2 sides"),
        ({"request": ["a", 1]}, "request[0]: must be an integer"),
        ({"time_limit": 99}, "time_limit: must be above 0"),
        ({"instance": {**document_of(WAITS), "mesh": [99, 99]}}, "at most 4096"),
    ],
)
def test_what_is_not_planned(
    explorer: Explorer, changed: dict[str, Any], error: str
) -> None:
    body = {"instance": document_of(WAITS), "method": "auto"}
    with pytest.raises(InputError) as caught:
        explorer.answer("plan", {**body, **changed})
    assert error in str(caught.value)


def test_no_entry_of_the_ledger(explorer: Explorer) -> None:
    with pytest.raises(InputError, match="index: must be below"):
        explorer.answer("worst", {"index": len(ledger())})
