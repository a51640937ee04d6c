"""Proofs that sukp-bb writes: they hold, and for the optimum only."""

from __future__ import annotations

import io
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from closeknit.exact.sukp.bruteforce import bruteforce
from closeknit.exact.sukp.sukp_bb.record import write_proof
from closeknit.instances import Sukp, read_instance
from closeknit.methods import SUKP
from closeknit.methods.proofs import prove_and_cite
from closeknit.proofs.checking import Propagator, Refused, check_proof, formula_of
from closeknit.proofs.checking.kinds import LOG
from closeknit.proofs.writing.proof_log import ProofLog
from closeknit.proofs.writing.propagation_kernels import FastPropagator
from closeknit.solvers import Grade, SolverError, Status

from ...oracles import least_left_out
from ...paths import ROOT
from ...strategies import some_sukp, sukps

BUNDLED = sorted((ROOT / "instances" / "data").glob("sukp-*.json"))


def written(instance: Sukp, chosen: tuple[int, ...]) -> str:
    """Return the text of a proof."""
    stream = io.StringIO()
    assert write_proof(instance, chosen, ProofLog(formula_of(instance), stream))
    return stream.getvalue()


def bound(
    instance: Sukp, text: str, propagator: type[Propagator] = FastPropagator
) -> int | None:
    """Check a proof; return what it proves."""
    lines = text.splitlines(keepends=True)
    return check_proof(formula_of(instance), lines, None, propagator).bound


def optimum(instance: Sukp) -> tuple[int, ...]:
    """Return an optimal choice."""
    chosen = bruteforce(instance).chosen
    assert chosen is not None
    return chosen


@settings(max_examples=100, deadline=None)
@given(sukps())
def test_proves_the_optimum(instance: Sukp) -> None:
    small = tuple(p % 2**30 for p in instance.profits)
    light = tuple(w % 2**30 for w in instance.weights)
    instance = replace(instance, profits=small, weights=light)
    text = written(instance, optimum(instance))
    for propagator in (Propagator, FastPropagator):
        assert bound(instance, text, propagator) == least_left_out(instance)


@pytest.mark.parametrize("unit", [1, 2**15, 2**29])
def test_proves_what_takes_a_search(unit: int) -> None:
    rng = random.Random(unit)
    clauses = ""
    for _ in range(20):
        instance = some_sukp(rng, rng.randint(8, 15), rng.randint(8, 20), unit=unit)
        chosen = optimum(instance)
        text = written(instance, chosen)
        kept = set(chosen)
        left = sum(p for j, p in enumerate(instance.profits) if j not in kept)
        assert bound(instance, text) == left
        clauses += "".join(re.findall("\nrup .*", text))
    assert clauses.count("z") > 5  # branches on items
    assert clauses.count("y") > 2  # and on elements


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_bundled_instances_are_checked(path: Path, tmp_path: Path) -> None:
    instance = read_instance(path)
    assert isinstance(instance, Sukp)
    found = prove_and_cite(
        instance,
        SUKP["sukp-bb"](instance),
        tmp_path / "p.xz",
        seconds=60,
        kinds=(LOG,),
    )
    assert not found.why
    result = found.result
    assert result.status is Status.OPTIMAL
    assert result.proof is not None
    assert result.proof.grade is Grade.CHECKED


def test_a_choice_that_is_not_optimal_has_no_proof() -> None:
    rng = random.Random(3)
    for _ in range(10):
        instance = some_sukp(rng, 10, 12)
        best = least_left_out(instance)
        if best < sum(instance.profits):
            with pytest.raises(SolverError, match="costs less than"):
                written(instance, ())


def test_items_without_profit_need_no_step() -> None:
    """They are lost like others, but a step may not multiply by 0."""
    items = ((0, 1, 2), (0, 1), (0, 2), (1, 2), (2,))
    instance = Sukp("nothing", (9, 0, 8, 0, 7), (1, 2, 3), items, 3)
    text = written(instance, optimum(instance))
    assert bound(instance, text) == least_left_out(instance)


def test_a_proof_of_another_instance_is_refused() -> None:
    rng = random.Random(5)
    instance = some_sukp(rng, 12, 16)
    text = written(instance, optimum(instance))
    roomier = replace(instance, capacity=sum(instance.weights))
    with pytest.raises(Refused):
        bound(roomier, text)


def test_huge_numbers_are_left_to_others() -> None:
    instance = Sukp("huge", (2**41, 1), (1, 1), ((0,), (1,)), 1)
    log = ProofLog(formula_of(instance), io.StringIO())
    assert not write_proof(instance, (0,), log)
    assert not write_proof(instance, None, log)
