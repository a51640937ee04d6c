"""Beam search over skylines: right packings, and all perfect ones of few boxes."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.submesh import feasibility
from closeknit.exact.submesh.beam import search as beam
from closeknit.exact.submesh.beam.search import pack_by_beam
from closeknit.exact.submesh.feasibility import by_cpsat, decide
from closeknit.instances.submesh.packed import check_packed, volume
from closeknit.instances.submesh.packing import Item, Packing
from closeknit.solvers import Settings

from ...strategies import cut_up

# fmt: off
OPEN = [
    (13, 44), (48, 96), (31, 88), (10, 64), (10, 74), (93, 19), (3, 44), (94, 80),
    (100, 20), (12, 6), (50, 35), (19, 81), (1, 74), (86, 84), (85, 24), (77, 2),
    (22, 20), (66, 90), (21, 82), (49, 99), (40, 63), (48, 73), (99, 55), (23, 13),
    (90, 32), (89, 21),
]
# fmt: on
"""A state of 25 residents and a request, 3.8 % free, that annealing and 2000 conflicts
of CP-SAT leave open; from `reproduce morgenstern-undecided`."""


def never() -> bool:
    return False


def state() -> Packing:
    return Packing("open", (256, 256), tuple(map(Item, OPEN)))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(cut_up())
def test_what_is_packed_is_packed_rightly(packing: Packing) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(beam, "_FIRST", 1000)
        patched.setattr(beam, "_KEPT", (1, 1, 1))
        boxes = pack_by_beam(packing, stop=never, runs=2)
    if boxes is not None:
        assert not check_packed(packing, boxes)
    if volume(packing) == prod(packing.shape):  # then nothing is left to chance
        assert (boxes is not None) == by_cpsat(packing).fits


@settings(max_examples=3, deadline=None)
@given(st.permutations(range(len(OPEN))), st.booleans())
def test_an_open_state_is_packed_in_any_order(order: list[int], turned: bool) -> None:
    items = [OPEN[i][::-1] if turned else OPEN[i] for i in order]
    packing = Packing("open", (256, 256), tuple(map(Item, items)))
    boxes = pack_by_beam(packing, stop=never, runs=100)
    assert boxes is not None
    assert not check_packed(packing, boxes)


def test_the_cascade_packs_an_open_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feasibility, "_MORE_ROUNDS", 4)
    verdict = decide(state(), Settings(time_limit=60))
    assert (verdict.fits, verdict.by) == (True, "beam")
    assert verdict.boxes is not None
    assert not check_packed(state(), verdict.boxes)


def test_too_many_cells_are_not_packed() -> None:
    packing = Packing("full", (4, 4), (Item((4, 3)), Item((4, 2))))
    assert pack_by_beam(packing, stop=never) is None


def test_it_ends_after_its_runs_and_repeats_them() -> None:
    never_fits = Packing("tight", (256, 256), (*state().items, Item((40, 60))))
    assert pack_by_beam(never_fits, stop=never, runs=3) is None
    again = [pack_by_beam(state(), stop=never, seed=7) for _ in range(2)]
    assert again[0] == again[1]
    assert again[0] != pack_by_beam(state(), stop=never, seed=8)


def test_it_ends_when_told() -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 5

    assert pack_by_beam(state(), stop=stop) is None
    assert asked == 7  # within a run, and before the next
