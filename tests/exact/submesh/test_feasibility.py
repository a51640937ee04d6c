"""Feasibility with migration: the cascade, its proofs, and its solvers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.cli.app import run
from closeknit.exact.submesh.constructive import construct
from closeknit.exact.submesh.direct import first_free, free_box, mark_held
from closeknit.exact.submesh.feasibility import by_cpsat, cascade, decide, feasibility
from closeknit.exact.submesh.refutation import refute
from closeknit.instances import InputError, Submesh, check, write_submesh
from closeknit.instances.submesh import Resident, box_at, overlap, sides
from closeknit.instances.submesh.infeasibility import FAMILIES, check_infeasible, image
from closeknit.instances.submesh.packed import check_packed
from closeknit.instances.submesh.packing import Item, Packing, packing_of, ways
from closeknit.methods import SUBMESH
from closeknit.solvers import (
    Grade,
    Limit,
    Proof,
    Settings,
    Status,
    read_solution,
    solution_errors,
    write_solution,
)

from ...oracles import packs

QUICK = settings(max_examples=150, deadline=None)


@st.composite
def packings(
    draw: st.DrawFn, *, torus: bool | None = None, d: int | None = None
) -> Packing:
    """Draw a small packing whose volume is about that of the mesh."""
    d = draw(st.sampled_from([2, 2, 2, 3])) if d is None else d
    most = 5 if d == 2 else 3
    shape = tuple(draw(st.integers(2, most)) for _ in range(d))
    wrapped = draw(st.booleans()) if torus is None else torus
    cells = list(product(*(range(side) for side in shape)))
    blocked = draw(st.lists(st.sampled_from(cells), max_size=2, unique=True))
    items = []
    for _ in range(draw(st.integers(1, 5))):
        size = tuple(draw(st.integers(1, side)) for side in shape)
        items.append(Item(size, draw(st.booleans())))
    if draw(st.booleans()):
        place = draw(st.sampled_from(cells))
        size = tuple(
            draw(st.integers(1, side - x)) for x, side in zip(place, shape, strict=True)
        )
        box = box_at(place, size)
        if not any(
            all(box[a] <= cell[a] <= box[d + a] for a in range(d)) for cell in blocked
        ):
            items.append(Item(size, at=box))
    return Packing("drawn", shape, tuple(items), tuple(blocked), wrapped)


@QUICK
@given(packings())
def test_the_cascade_agrees_with_trying_everything(packing: Packing) -> None:
    verdict = decide(packing)
    assert verdict.fits is packs(packing)
    if verdict.fits:
        assert verdict.boxes is not None
        assert check_packed(packing, verdict.boxes) == []
    else:
        assert verdict.proof is not None
        if verdict.proof.grade is Grade.CHECKED:
            assert check_infeasible(packing, verdict.certificate) == []


@QUICK
@given(packings())
def test_the_model_agrees_with_trying_everything(packing: Packing) -> None:
    verdict = by_cpsat(packing)
    assert verdict.fits is packs(packing)


@QUICK
@given(packings())
def test_proofs_are_right(packing: Packing) -> None:
    certificate = refute(packing)
    if certificate is not None:
        assert check_infeasible(packing, certificate) == []
        assert not packs(packing)


@QUICK
@given(packings(), st.data())
def test_no_certificate_refutes_what_packs(
    packing: Packing, data: st.DataObject
) -> None:
    """Whatever the certificate says, the checker accepts it only if it is true."""
    count = len(packing.items)
    names = st.sampled_from(FAMILIES)
    some = st.lists(st.integers(0, count - 1), unique=True, max_size=count)
    certificate = data.draw(
        st.one_of(
            st.fixed_dictionaries({"kind": st.just("pair"), "items": some}),
            st.fixed_dictionaries(
                {
                    "kind": st.just("stack"),
                    "axis": st.integers(0, packing.d - 1),
                    "items": some,
                }
            ),
            st.fixed_dictionaries(
                {"kind": st.just("no place"), "item": st.integers(0, count - 1)}
            ),
            st.fixed_dictionaries(
                {
                    "kind": st.just("dual feasible"),
                    "functions": st.lists(
                        st.tuples(names, st.integers(1, 4)).map(list),
                        min_size=packing.d,
                        max_size=packing.d,
                    ),
                }
            ),
        )
    )
    if check_infeasible(packing, certificate) == []:
        assert not packs(packing)


@given(
    st.sampled_from([f for f in FAMILIES if f != "count"]),
    st.integers(2, 14),
    st.data(),
)
def test_functions_are_dual_feasible(
    family: str, side: int, data: st.DataObject
) -> None:
    """Lengths that add up to at most the side are mapped to at most its image."""
    k = data.draw(st.integers(1, side))
    room = image(family, k, side, side)

    def partitions(left: int, least: int) -> Iterator[list[int]]:
        yield []
        for x in range(least, left + 1):
            for rest in partitions(left - x, x):
                yield [x, *rest]

    for lengths in partitions(side, 1):
        assert sum(image(family, k, side, x) for x in lengths) <= room


@given(
    st.integers(2, 14), st.lists(st.integers(1, 14), min_size=1, max_size=8), st.data()
)
def test_counting_is_dual_feasible(
    side: int, lengths: list[int], data: st.DataObject
) -> None:
    """The same, for the lengths of the items that it counts."""
    lengths = [min(x, side) for x in lengths]
    k = data.draw(st.integers(1, max(side // 2, 1)))
    room = image("count", k, side, side, lengths)
    for picked in product((0, 1), repeat=len(lengths)):
        some = [x for x, p in zip(lengths, picked, strict=True) if p]
        if sum(some) <= side:
            assert sum(image("count", k, side, x, lengths) for x in some) <= room


@pytest.mark.parametrize(
    ("certificate", "field"),
    [
        (3, "certificate"),
        ({}, "certificate.kind"),
        ({"kind": "magic"}, "certificate.kind"),
        ({"kind": "area"}, "certificate.kind"),
        ({"kind": "no place", "item": 0, "more": 1}, "certificate.more"),
        ({"kind": "pair"}, "certificate.items"),
        ({"kind": "pair", "items": [0, 7]}, "certificate.items[1]"),
        ({"kind": "pair", "items": [0, 0]}, "certificate.items[1]"),
        ({"kind": "stack", "axis": 2, "items": [0]}, "certificate.axis"),
        ({"kind": "no place", "item": -1}, "certificate.item"),
        ({"kind": "dual feasible", "functions": [["u", 1]]}, "certificate.functions"),
        ({"kind": ["pair"]}, "certificate.kind"),
        ({"kind": "pair", "items": [[0, 1]]}, "certificate.items[0]"),
        ({"kind": "pair", "items": [False, True]}, "certificate.items[0]"),
        ({"kind": "pair", "items": 0}, "certificate.items"),
        ({"kind": "pair", "items": None}, "certificate.items"),
        ({"kind": "no place", "item": [0]}, "certificate.item"),
        ({"kind": "no place", "item": True}, "certificate.item"),
        ({"kind": "stack", "axis": False, "items": [0]}, "certificate.axis"),
        ({"kind": "stack", "axis": -1, "items": [0]}, "certificate.axis"),
        (
            {"kind": "dual feasible", "functions": [["u", 1], ["u", 1, 1]]},
            "certificate.functions[1]",
        ),
        (
            {"kind": "dual feasible", "functions": [["u", 1], ["U", 1]]},
            "certificate.functions[1][0]",
        ),
        (
            {"kind": "dual feasible", "functions": [["u", 1], ["u", "1"]]},
            "certificate.functions[1][1]",
        ),
    ],
)
def test_malformed_certificates_are_refused(certificate: object, field: str) -> None:
    packing = Packing("two", (5, 5), (Item((3, 3)), Item((3, 3))))
    with pytest.raises(InputError) as caught:
        check_infeasible(packing, certificate)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "certificate",
    [
        {"kind": "pair", "items": [0, 2]},
        {"kind": "pair", "items": [0]},
        {"kind": "stack", "axis": 0, "items": [0, 1, 2]},
        {"kind": "no place", "item": 0},
        {"kind": "dual feasible", "functions": [["identity", 1], ["identity", 1]]},
        {"kind": "dual feasible", "functions": [["count", 9], ["identity", 1]]},
        {"kind": "dual feasible", "functions": [["u", 0], ["identity", 1]]},
    ],
)
def test_certificates_that_prove_nothing_are_named(certificate: object) -> None:
    packing = Packing("three", (5, 5), (Item((3, 3)), Item((3, 3)), Item((2, 1))))
    assert check_infeasible(packing, {"kind": "pair", "items": [0, 1]}) == []
    assert len(check_infeasible(packing, certificate)) == 1


def test_two_functions_prove_nothing_on_a_torus() -> None:
    packing = Packing("two", (5, 5), (Item((3, 3)), Item((3, 3))), torus=True)
    both = {"kind": "dual feasible", "functions": [["u", 1], ["u", 1]]}
    assert check_infeasible(packing, both)
    flat = Packing("two", (5, 5), packing.items)
    assert check_infeasible(flat, both) == []


@st.composite
def requests(draw: st.DrawFn) -> Submesh:
    """Draw residents that are there, and a request."""
    shape = tuple(draw(st.integers(2, 5)) for _ in range(2))
    torus = draw(st.booleans())
    empty = Submesh("drawn", shape, (), (1, 1), torus=torus)
    residents: list[Resident] = []
    for _ in range(draw(st.integers(0, 5))):
        size = [draw(st.integers(1, max(side - 1, 1))) for side in shape]
        most = [
            side - 1 if torus else side - s for s, side in zip(size, shape, strict=True)
        ]
        box = box_at([draw(st.integers(0, m)) for m in most], size)
        if not any(overlap(empty, box, one.box) for one in residents):
            flags = draw(st.integers(0, 9))
            residents.append(Resident(box, flags == 0, flags in (1, 2)))
    return Submesh(
        "drawn",
        shape,
        tuple(residents),
        tuple(draw(st.integers(1, side)) for side in shape),
        rotate=draw(st.booleans()),
        migrate=draw(st.sampled_from([True, True, False])),
        torus=torus,
    )


@QUICK
@given(requests())
def test_requests_are_decided(instance: Submesh) -> None:
    packing = packing_of(instance)
    verdict = feasibility(instance)
    assert verdict.fits is packs(packing)
    result = cascade(instance)
    if verdict.fits:
        assert verdict.placement is not None
        assert check(instance, verdict.placement.flat()) == []
        assert result.status in (Status.OPTIMAL, Status.FEASIBLE)
        assert (result.status is Status.OPTIMAL) == (not verdict.placement.moves)
    else:
        assert result.status is Status.INFEASIBLE
    if verdict.fits is False and not instance.migrate:
        assert result.proof is not None
        assert result.proof.grade is Grade.CHECKED


@QUICK
@given(requests())
def test_a_free_box_is_found_wherever_there_is_one(instance: Submesh) -> None:
    held = [one.box for one in instance.residents]
    size = instance.request
    found = free_box(instance.shape, held, size, instance.torus)
    free = [
        box_at((x, y), size)
        for x in range(instance.shape[0])
        for y in range(instance.shape[1])
        if instance.torus
        or (x + size[0] <= instance.shape[0] and y + size[1] <= instance.shape[1])
    ]
    free = [box for box in free if not any(overlap(instance, box, b) for b in held)]
    assert (found in free) if free else found is None
    assert found is None or sides(found) == size
    # many boxes are counted instead; the same place is found first
    taken = mark_held(instance.shape, held)
    assert first_free(taken, size, instance.torus) == found


def test_no_time_means_not_decided() -> None:
    packing = Packing("tight", (20, 20), tuple(Item((4, 4)) for _ in range(25)))
    verdict = decide(packing, Settings(time_limit=0.0))
    assert verdict.fits is None
    assert verdict.limit is Limit.TIME
    assert "proofs" in verdict.tried


def test_ctrl_c_means_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(packing: Packing) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("closeknit.exact.submesh.feasibility.refute", pressed)
    instance = Submesh("full", (2, 2), (Resident((0, 0, 0, 0)),), (2, 1), migrate=True)
    blocked = Submesh("full", (3, 1), (Resident((1, 0, 1, 0)),), (2, 1))
    assert feasibility(instance).fits
    result = cascade(blocked)
    assert result.status is Status.UNKNOWN
    assert result.limit is Limit.INTERRUPT


CELLS = {"kind": "dual feasible", "functions": [["identity", 1]] * 2}
"""More cells are requested than there are."""
HIGH = Submesh("high", (5, 5), (Resident((0, 0, 2, 2)),), (3, 3))
"""Two squares that fit along no axis."""


def test_solution_files_hold_the_certificate(tmp_path: Path) -> None:
    result = cascade(HIGH)
    assert result.certificate == {"kind": "pair", "items": [0, 1]}
    write_solution(HIGH, "cascade", result, tmp_path / "s.json")
    solution = read_solution(tmp_path / "s.json")
    assert solution.certificate == result.certificate
    assert solution_errors(HIGH, solution) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "certificate: pair: "),
        ({"certificate": None}, "certificate: missing"),
        ({"certificate": CELLS}, "certificate: dual feasible: rescaled to 18"),
        ({"proof": Proof(Grade.CHECKED, "stack")}, "proof: is checked: stack"),
        ({"proof": Proof(Grade.SOLVER, "pair")}, "proof: is solver: pair"),
        ({"proof": None}, "proof: missing"),
        ({"status": Status.UNKNOWN}, "certificate: of infeasibility"),
    ],
)
def test_tampered_solutions_are_named(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    write_solution(HIGH, "cascade", cascade(HIGH), tmp_path / "s.json")
    about = HIGH if change else replace(HIGH, shape=(6, 5))
    solution = replace(read_solution(tmp_path / "s.json"), **change)
    assert any(line.startswith(said) for line in solution_errors(about, solution))


def test_the_command_follows_the_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, answer = tmp_path / "high.json", tmp_path / "s.json"
    write_submesh(HIGH, file)
    write_solution(HIGH, "cascade", cascade(HIGH), answer)
    assert run(["check", str(file), str(answer)]) == 0
    assert "holds: infeasible (checked: pair)" in capsys.readouterr().out
    document = json.loads(answer.read_text())
    document["certificate"]["items"] = [0, 9]
    answer.write_text(json.dumps(document))
    assert run(["check", str(file), str(answer)]) == 2
    assert "certificate.items" in capsys.readouterr().err


@QUICK
@given(packings(), st.integers(0, 3))
def test_construction_packs_rightly_and_repeatably(packing: Packing, seed: int) -> None:
    if not all(ways(packing, item) for item in packing.items):
        return
    boxes = construct(packing, seed, lambda: False)
    assert boxes == construct(packing, seed, lambda: False)
    assert boxes is None or check_packed(packing, boxes) == []


def test_the_method_decides_as_trying_everything_does() -> None:
    """Turned, fixed, blocked, and in space; both answers occur."""
    answers = set()
    flat = Submesh(
        "flat",
        (5, 4),
        (Resident((1, 1, 2, 2)), Resident((4, 0, 4, 1), fixed=True)),
        (4, 2),
        blocked=((0, 3),),
    )
    for instance in (
        flat,
        replace(flat, rotate=True, request=(1, 4)),
        replace(flat, request=(5, 2)),
        Submesh("tight", (3, 3), (Resident((0, 1, 1, 1), turns=True),), (1, 3)),
        Submesh("space", (2, 2, 2), (Resident((0, 0, 0, 1, 0, 0)),), (2, 1, 2)),
        Submesh("turn", (4, 2), (Resident((1, 0, 2, 1)),), (1, 2), rotate=True),
        Submesh("long", (4, 2), (Resident((1, 0, 2, 0)),), (1, 4), rotate=True),
    ):
        result = SUBMESH["no-overlap/cpsat"](instance, Settings(time_limit=30.0))
        feasibility = packs(packing_of(instance))
        answers.add(feasibility)
        if feasibility:
            assert result.chosen is not None
            assert check(instance, result.chosen) == []
        else:
            assert result.status is Status.INFEASIBLE
    assert answers == {True, False}


@pytest.mark.parametrize("torus", [False, True])
def test_many_items_are_put_in_one_by_one(torus: bool) -> None:
    """The clock is looked at for each; what is fixed stays, what turns may turn."""
    items = (
        Item((5, 5), at=(10, 10, 14, 14)),
        *(Item((3, 1), turns=i % 2 == 0) for i in range(100)),
    )
    packing = Packing("many", (30, 30), items, blocked=((0, 0),), torus=torus)
    asked = count()
    boxes = construct(packing, 0, lambda: next(asked) < 0)
    assert boxes is not None
    assert check_packed(packing, boxes) == []
    assert next(asked) == 100
    full = Packing("full", (15, 20), (*items[1:], Item((1, 1))), torus=torus)
    assert construct(full, 0, lambda: False) is None
    asked = count()
    assert construct(packing, 0, lambda: next(asked) == 40) is None
