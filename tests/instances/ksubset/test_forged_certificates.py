"""Certificates forged with a checker that is wrong by one are refused."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from closeknit.instances import InputError, KSubset, cost, mesh
from closeknit.instances.errors import RefusedStep
from closeknit.instances.ksubset.certificate import CertificateChecker, derive
from closeknit.instances.ksubset.certificate_file import check_certificate
from closeknit.instances.ksubset.counts import (
    CHOSEN,
    REJECTED,
    UNDECIDED,
    CountState,
    links,
)
from closeknit.instances.submesh.infeasibility import check_infeasible
from closeknit.instances.submesh.packing import Item, Packing
from closeknit.proofs.writing.proof_files import write_certificate
from closeknit.reports.claims.running.samples import draw_samples

from ...forging.certificate_edits import CERTIFICATE_EDITS

FAULTS = {
    name: edit
    for name, edit in CERTIFICATE_EDITS.items()
    # counts alone bring no proof to where coinciding points are told apart
    if "coinciding" not in name
}


def small() -> list[KSubset]:
    return [x for x in draw_samples(5, 400) if x.n <= 6 and 1 < x.k < x.n]


def forged(checker: CertificateChecker, state: CountState) -> list[Any] | None:
    """Prove what a checker lets pass; None where it lets nothing pass."""
    steps: list[Any] = []
    while checker.close(state):
        points = range(len(state.status))
        value, low, high = checker.bound(state)[0], state.low, state.high
        ends: list[Any] = [
            ["bound", value, [int(x) for x in low], [int(x) for x in high]],
            *([reason, p] for reason in ("twins", "companions") for p in points),
            *(["exchange", p, q] for p, q in product(points, repeat=2)),
            *(["narrow", h] for h in range(len(low))),
        ]
        for end in ends:
            if accepted(checker.leaf, state, checker.shapes.end(end, "")):
                return [[steps, end]]
        free = [p for p in points if state.status[p] == UNDECIDED]
        ways: list[Any] = [
            [rule, *lists]
            for rule, p in product(("cost", "twins", "companions"), free)
            for lists in ([[p], []], [[], [p]])
        ]
        ways += [
            ["narrow", [[h, int(low[h]) + at, int(high[h]) - 1 + at]]]
            for h, at in product(range(len(low)), (0, 1))
            if low[h] < high[h]
        ]
        for step in ways:
            decoded = checker.shapes.step(step, "")
            if accepted(checker.step, state, decoded):
                checker.step(state, decoded)
                steps.append(step)
                break
        else:
            open_cuts = [h for h in range(len(low)) if low[h] < high[h]]
            if not open_cuts:
                return None
            h, at = open_cuts[0], int(low[open_cuts[0]])
            other = state.copy()
            state.high[h] = at
            other.low[h] = at + 1
            one, two = forged(checker, state), forged(checker, other)
            if one is None or two is None:
                return None
            return [[steps, ["split", h, at]], *one, *two]
    return [[steps, ["counts"]]]


def accepted(derive: Any, state: CountState, what: Any) -> bool:
    try:
        derive(state.copy(), what)
    except RefusedStep:
        return False
    return True


def least(instance: KSubset) -> int:
    every = combinations(range(instance.n), instance.k)
    return min(cost(instance, chosen) for chosen in every)


def test_counts_bound_each_other_along_nested_cuts_or_round_a_ring() -> None:
    one_axis = (0, 0, 0)
    assert list(links(one_axis, (-1, 0, 0))) == [(1, 0), (2, 0)]
    assert list(links(one_axis, (-1, -1, -1))) == [(0, 1), (1, 2), (2, 0)]


@pytest.mark.parametrize("a", [UNDECIDED, CHOSEN, REJECTED])
@pytest.mark.parametrize("b", [UNDECIDED, CHOSEN, REJECTED])
def test_who_needs_another_is_chosen_with_it_or_rejected_with_it(
    monkeypatch: pytest.MonkeyPatch, a: int, b: int
) -> None:
    monkeypatch.setattr(
        CertificateChecker, "needs", lambda self, state, p, others: [True] * len(others)
    )
    checker = CertificateChecker(mesh(2, 2, k=2), 1)
    state = checker.root()
    state.status[:2] = a, b
    after = {
        (CHOSEN, UNDECIDED): [CHOSEN, CHOSEN],
        (UNDECIDED, REJECTED): [REJECTED, REJECTED],
    }.get((a, b))
    if after is None:
        with pytest.raises(RefusedStep, match="exchanging 0 and 1 decides nothing"):
            checker.step(state, checker.shapes.step(["exchange", [[0, 1]]], ""))
        return
    checker.step(state, checker.shapes.step(["exchange", [[0, 1]]], ""))
    assert state.status[:2] == after


@pytest.mark.parametrize(
    "split", [(-1, 0), (0, -1), (0, 1), (0.0, 0), (0, 0.5), (True, "0")]
)
def test_only_a_count_that_is_open_is_split(split: tuple[Any, Any]) -> None:
    instance = mesh(2, 2, k=1)
    checker = CertificateChecker(instance, 1)
    state = checker.root()
    assert checker.close(state)
    assert (state.low[0], state.high[0]) == (0, 1)
    node = checker.shapes.node
    assert len(derive(checker, state.copy(), node([[], ["split", 0, 0]]))) == 2
    with pytest.raises((RefusedStep, InputError), match="split"):
        derive(checker, state, node([[], ["split", *split]]))


def test_nothing_false_can_be_forged_and_the_truth_can_be_proved() -> None:
    for instance in small()[:15]:
        optimum = least(instance)
        for objective in (optimum, optimum + 1):
            checker = CertificateChecker(instance, objective)
            nodes = forged(checker, checker.root())
            assert (nodes is not None) == (objective == optimum), instance


@pytest.mark.parametrize("name", FAULTS)
def test_a_forged_certificate_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "forged.xz"
    for instance in small():
        objective = least(instance) + 1
        with monkeypatch.context() as patch:
            FAULTS[name].plant(patch)
            checker = CertificateChecker(instance, objective)
            nodes = forged(checker, checker.root())
            if nodes is None:
                continue
            write_certificate(instance, objective, nodes, path)
            assert check_certificate(instance, path) == objective
        with pytest.raises(InputError, match=r"forged\.xz"):
            check_certificate(instance, path)
        return
    pytest.fail(f"nothing could be forged with {name!r}: is it a fault at all?")


@pytest.mark.parametrize(
    ("height", "fits", "more", "certificate"),
    [
        (
            3,
            ((4, 2), (4, 1)),
            ((4, 2), (4, 1), (1, 1)),
            {"kind": "dual feasible", "functions": [["identity", 1]] * 2},
        ),
        (
            6,
            ((4, 3), (4, 3)),
            ((4, 3), (4, 3), (3, 1)),
            {"kind": "dual feasible", "functions": [["u", 1], ["identity", 1]]},
        ),
        (2, ((2, 2), (2, 2)), ((3, 2), (2, 2)), {"kind": "pair", "items": [0, 1]}),
        (
            3,
            ((3, 3), (1, 3)),
            ((4, 3), (1, 3)),
            {"kind": "stack", "axis": 0, "items": [0, 1]},
        ),
    ],
)
def test_what_just_fits_is_not_refuted(
    height: int, fits: Any, more: Any, certificate: Any
) -> None:
    """One more box, or one more in length, and the same certificate holds."""
    for sizes, refuted in (fits, False), (more, True):
        packing = Packing("boxes", (4, height), tuple(map(Item, sizes)))
        assert (not check_infeasible(packing, certificate)) == refuted
