"""What claims are tested with: samples, shrinking, verdicts, JUnit."""

from xml.etree import ElementTree

import pytest

from closeknit.instances import KSubset, Mesh, Points, mesh
from closeknit.reports.claims.page import cases
from closeknit.reports.claims.running import shrink
from closeknit.reports.claims.running.claim import Claim, Outcome, Trial
from closeknit.reports.claims.running.samples import draw_samples, every_subset
from closeknit.reports.claims.verify import verify as tried
from closeknit.reports.pages.junit import junit_xml


def test_samples_are_the_same_for_the_same_seed_only() -> None:
    first = draw_samples(3, 60)
    draw_samples.cache_clear()
    assert draw_samples(3, 60) == first
    assert {x.free for x in draw_samples(4, 60)} != {x.free for x in first}
    assert {x.topology.kind for x in first} == {"mesh", "torus", "points", "tree"}
    assert {x.topology.dimension for x in first} == {1, 2, 3, 4}
    assert draw_samples(3, 120)[:60] == first


def test_every_subset_is_every_subset() -> None:
    found = list(every_subset(2, 2, least_k=2))
    assert [(x.n, x.k) for x in found] == [(3, 2)] * 4 + [(4, 2), (4, 3)]
    assert len({(x.free, x.k) for x in found}) == 6


def test_shrinking_drops_all_that_does_not_matter() -> None:
    instance = mesh(4, 4, k=7)
    wanted = {(1, 2), (3, 3)}
    small = shrink.smallest_failure(instance, lambda x: x.n - x.k >= 1 and x.n >= 2)
    assert (small.n, small.k) == (2, 1)
    assert small.topology == Mesh(
        tuple(max(axis) + 1 for axis in zip(*small.free, strict=True))
    )
    kept = shrink.smallest_failure(
        instance, lambda x: wanted <= set(x.free) and x.topology == instance.topology
    )
    assert (set(kept.free), kept.k) == (wanted, 1)
    points = KSubset("p", Points(((0,), (5,), (9,))), ((0,), (9,)), 2)
    small = shrink.smallest_failure(points, lambda x: x.n == 2)
    assert small.topology == Points(((0,), (9,)))


def test_verdict_of_an_outcome() -> None:
    instance = mesh(2, 2, k=2)
    with pytest.raises(ValueError, match="does not hold"):
        Outcome(holds=True, result="", instances=1, counterexample=instance)


def test_junit_survives_hostile_text() -> None:
    claim = Claim(
        name="a<b&c",
        statement='says "]]>" \x1b[31m',
        source="",
        tested="",
        test=lambda trial: Outcome(holds=False, result="\x00 \ud800 ok", instances=1),
    )
    [verdict] = tried([claim], Trial())
    root = ElementTree.fromstring(junit_xml("claims", cases([verdict])))
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.attrib["message"] == "\ufffd \ufffd ok"
    assert "]]>" in (failure.text or "")
    waiting = ElementTree.fromstring(junit_xml("claims", cases([], [claim])))
    assert waiting.find(".//skipped") is not None
