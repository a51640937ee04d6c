"""Graded rules: what is drawn, what is counted, and the ten decisions on file."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closeknit.clusters.jobs.request import job_of
from closeknit.clusters.rules.jobs import JOB_RULES, preempt_by_rule
from closeknit.formulations.cluster.answer import decide
from closeknit.formulations.cluster.changes.change import (
    OngoingJob,
    RunningState,
    preempt,
)
from closeknit.formulations.cluster.domains import NodeDevices
from closeknit.papers.catalogue import RunOptions
from closeknit.papers.graded_rules import drawing, study
from closeknit.reports.pages.document import Document

from ..paths import ROOT

FILES = sorted((ROOT / "examples" / "jobs" / "worst-decisions").glob("*.json"))
PAGE = (ROOT / "docs" / "clusters" / "graded-rules.md").read_text("utf-8")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "SHAPES", {"tree": (3, 4, 12), "NVL72": (3, 3, 10)})
    monkeypatch.setattr(drawing, "KINDS", drawing.KINDS[:6])


def test_states_hold_what_their_jobs_hold_and_are_drawn_again_alike() -> None:
    tree = drawing.even_tree(3, 4, 5)
    for busy in (0.3, 0.85):
        state = drawing.drawn_state(random.Random(1), tree, 8, busy)
        state.refuse()
        free = state.devices.free
        assert free.sum() <= (1 - busy) * 8 * 60
        assert (state.without(state.jobs).free == 8).all()
        again = drawing.drawn_state(random.Random(1), tree, 8, busy)
        assert (again.devices.free == free).all()
    for state in (some := list(drawing.recorded_states(3, tree, 4, 4))):
        state.refuse()
        assert (state.without(state.jobs).free == 4).all()
    assert len(some) == 4
    assert len({one.devices.free.tobytes() for one in some}) > 1


def test_all_kinds_of_jobs_are_sound_and_some_fit() -> None:
    tree = drawing.even_tree(3, 4, 8)
    for kind in drawing.KINDS:
        fits = 0
        for i in range(10):
            lots = random.Random(i)
            state = drawing.drawn_state(lots, tree, 8, 0.3)
            job = drawing.drawn_job(lots, kind, state.devices)
            job.refuse(tree)
            fits += decide(job, state.devices).fits is True
        assert fits, kind


@pytest.mark.usefixtures("small")
def test_a_small_study_counts_every_decision_once() -> None:
    seen: list[int] = []
    options = RunOptions(first=1, progress=lambda done, *_: seen.append(done))
    found = study.study(options)
    assert seen == list(range(8))
    numbers = re.search(r"(\d+) decisions .* and (\d+) preemptions", str(found.lead))
    assert numbers
    decisions = int(numbers[1])
    assert 20 < decisions <= 8 * len(drawing.KINDS)
    for title in ("By state", "By shape", "By kind of job"):
        parts = next(x for x in found.sections if x.title == title).tables
        sizes = [int(str(x.caption).rpartition(" ")[2]) for x in parts]
        assert sum(sizes) == decisions
    assert study.study(RunOptions(first=1)) == found


def one(best: tuple[int, ...], did: tuple[int, ...] | str) -> study.GradedRules:
    return study.GradedRules(("s", "t", "k"), best, dict.fromkeys(JOB_RULES, did))


def cells(found: Document, title: str) -> list[Any]:
    [section] = [x for x in found.sections if x.title == title]
    return list(section.tables[0].rows[0][1:])


def test_shares_and_means_are_those_of_what_was_graded() -> None:
    choices = [
        one((1, 2), (1, 2)),
        one((1, 2), (1, 5)),
        one((1, 2), (3, 3)),
        one((1, 2), "no place"),
    ]
    ends = [one((1,), (4,)), one((2,), (2,))]
    choices.append(study.GradedRules(("s", "t", "k"), (), {}))
    found = study.build_document(choices, ends, 0)
    assert "4 decisions on jobs that fit, and 2 preemptions; 1 more" in str(found.lead)
    asked, none, broken, optimal, blocks, most, racks, worst = cells(
        found, "All decisions"
    )
    assert asked.startswith("0.0 (0..")
    assert none == "25.0 (5..70)"  # Wilson's interval of 1 in 4
    assert broken.startswith("0.0 (0..")
    assert optimal.startswith("33.3 (")
    assert blocks.startswith("0.67 ± ")
    assert most == 2
    assert racks.startswith("1.50 ± ")  # of the two with as few blocks
    assert worst == 3
    assert cells(found, "Preemptions")[4:] == ["1.50 ± 19.06", 3]


def test_there_are_ten_worst_decisions_and_the_page_has_each() -> None:
    assert len(FILES) == 10
    for path in FILES:
        assert f"**{path.stem}" in PAGE


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_worst_decision_is_made_again(path: Path) -> None:
    found = json.loads(path.read_text("utf-8"))
    tree = drawing.even_tree(*found["tree"])
    job = job_of(found["job"], {}, tree.number).on(tree)
    free = np.array(found["free"])
    devices = NodeDevices(tree, free, np.full(len(free), found["devices"]))
    rule, did, best = JOB_RULES[found["rule"]], found["did"], found["optimum"]
    if "running" in found:
        jobs = tuple(
            OngoingJob(
                x["name"], {int(i): n for i, n in x["nodes"].items()}, lost=x["lost"]
            )
            for x in found["running"]
        )
        state = RunningState(devices, jobs)
        state.refuse()
        gone = preempt_by_rule(rule, job, state)
        assert gone is not None
        assert [x.name for x in gone] == found["ends"]
        assert len(preempt(job, state).ends) == len(found["fewest"]) < len(gone)
        devices = state.without(x for x in jobs if x.name in found["fewest"])
        assert not job.violations(best, devices)
        return
    placed = rule(job, devices)
    assert (placed and {x: list(some) for x, some in placed.items()}) == did
    assert not job.violations(best, devices)
    exact = decide(job, devices)
    assert exact.objective == job.value(best, devices)
    if did is not None:
        assert not job.violations(did, devices)
        assert job.value(did, devices) > job.value(best, devices)
