"""Packings with little left free: made tight, and filled niche by niche."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.submesh.feasibility import by_cpsat, decide
from closeknit.exact.submesh.pack_by_gaps import search as searched
from closeknit.exact.submesh.pack_by_gaps.search import pack_by_gaps
from closeknit.exact.submesh.tightening import tighten
from closeknit.instances.submesh.packing import Item, Packing, check_packed
from closeknit.solvers import Grade, Settings

from ...data import PACKINGS, needs
from ...modules import loaded
from ...paths import ROOT
from ...strategies import cut_up

QUICK = settings(max_examples=200, deadline=None)


def never() -> bool:
    return False


@QUICK
@given(cut_up())
def test_niches_agree_with_the_model(packing: Packing) -> None:
    fits = by_cpsat(packing).fits
    assert fits is not None
    found, boxes, nodes = pack_by_gaps(packing, most_nodes=10**7, stop=never)
    assert found is fits
    assert (boxes is not None) is fits
    assert boxes is None or check_packed(packing, boxes) == []
    assert pack_by_gaps(packing, most_nodes=10**7, stop=never) == (found, boxes, nodes)


@QUICK
@given(cut_up(), st.data())
def test_niches_agree_where_more_stays_free(
    packing: Packing, data: st.DataObject
) -> None:
    """Whole gaps stay free, or what is left of a box up to the wall."""
    items = list(packing.items)
    for _ in range(data.draw(st.integers(1, 2))):
        if len(items) > 1:
            items.pop(data.draw(st.integers(0, len(items) - 1)))
    most = data.draw(st.integers(0, 2))  # turned and longer, so that not all still fit
    for _ in range(most):
        i = data.draw(st.integers(0, len(items) - 1))
        w, h = items[i].size
        if h < packing.shape[0] and w <= packing.shape[1]:
            items[i] = Item((h + 1, w))
    some = replace(packing, items=tuple(items))
    fits = by_cpsat(some).fits
    tight = tighten(some)
    for axes in (False, True):
        turned = replace(
            some,
            shape=some.shape[::-1],
            items=tuple(replace(one, size=one.size[::-1]) for one in items),
        )
        given_ = turned if axes else some
        found, boxes, _ = pack_by_gaps(given_, most_nodes=10**7, stop=never)
        assert found is fits
        assert boxes is None or check_packed(given_, boxes) == []
    if fits is not None and tight is not None and tight.waste >= 0 and tight.left:
        for axis in (0, 1):  # either search is complete
            assert searched._Search(tight, axis, 10**7).resume(10**7) is fits


@QUICK
@given(cut_up())
def test_a_full_table_changes_no_answer(packing: Packing) -> None:
    whole = pack_by_gaps(packing, most_nodes=10**7, stop=never)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(searched, "_REMEMBERED", 4)
        patched.setattr(searched, "_RUN", 7)
        found, boxes, _ = pack_by_gaps(packing, most_nodes=10**7, stop=never)
    assert found is whole[0]
    assert boxes is None or check_packed(packing, boxes) == []


@QUICK
@given(cut_up())
def test_what_is_tight_packs_if_the_whole_does(packing: Packing) -> None:
    fits = by_cpsat(packing).fits
    tight = tighten(packing)
    if tight is None or tight.waste < 0:
        assert fits is False
        return
    assert tight.shape[0] <= packing.shape[0]
    assert tight.shape[1] <= packing.shape[1]
    if not tight.left:
        assert fits is True
        return
    # Its boxes are of one size each, or may be turned.
    rest = Packing(
        "tight",
        tight.shape,
        tuple(Item(several[0], len(several) > 1) for several in tight.sizes),
    )
    assert by_cpsat(rest).fits is fits


def test_a_row_beside_which_nothing_fits_is_set_aside() -> None:
    items = (Item((6, 2)), Item((3, 3)), Item((3, 2)))
    tight = tighten(Packing("row", (7, 5), items))
    assert tight is not None
    # Two that leave a row of 1 free are lengthened; one below the row has it all.
    assert dict(tight.aside)[0] == (0, 3, 5, 4)
    assert tight.shape[1] <= 3


def test_sides_are_lengthened_to_what_nothing_fills() -> None:
    """Beside 5 of 9 cells fit 3 of 4: the 5 is made 6."""
    items = (Item((5, 4)), Item((3, 4)), Item((3, 4)), Item((5, 5)), Item((3, 5)))
    packing = Packing("odd", (9, 9), items)
    tight = tighten(packing)
    assert tight is not None
    assert tight.waste < 81 - sum(i.size[0] * i.size[1] for i in items)


def test_too_few_nodes_or_no_time_decide_nothing() -> None:
    items = tuple(Item((w, 11 - w)) for w in range(2, 10))
    packing = Packing("many", (16, 16), items)
    assert pack_by_gaps(packing, most_nodes=2, stop=never)[0] is None
    assert pack_by_gaps(packing, most_nodes=10**6, stop=lambda: True) == (None, None, 0)


def test_a_perfect_packing_with_large_sides() -> None:
    """Sides of several words of sums, and keys too long to be remembered."""
    items = [Item((97, 60)), Item((31, 60)), Item((40, 68)), Item((88, 68))]
    packing = Packing("large", (128, 128), tuple(items))
    found, boxes, _ = pack_by_gaps(packing, most_nodes=10**5, stop=never)
    assert found
    assert boxes is not None
    assert check_packed(packing, boxes) == []
    wrong = replace(packing, items=(*items[:3], Item((68, 88))))
    assert pack_by_gaps(wrong, most_nodes=10**5, stop=never)[0] is False


@pytest.mark.slow
@needs("data/packing/CJCM.jsonl")
def test_what_was_not_decided_in_twenty_seconds() -> None:
    read_packings = loaded(ROOT / "benchmarks" / "packings.py").read_packings
    packings = read_packings(PACKINGS / "CJCM.jsonl")
    packing = next(p for p in packings if p.name == "E00N23")
    verdict = decide(packing, Settings(time_limit=600.0))
    assert verdict.fits is False
    assert verdict.by == "niches"
    assert verdict.proof is not None
    assert verdict.proof.grade is Grade.ENUMERATED
