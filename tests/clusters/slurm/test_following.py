"""The follower of Slurm, against a cluster in miniature with the true state."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.service.state import ClusterState
from closeknit.clusters.slurm.client import Client
from closeknit.clusters.slurm.following import Follower, follow, slurm_command
from closeknit.clusters.topologies import parse_cluster
from closeknit.scheduler.hostlist import fold, unfold

NODES = [f"n{i}" for i in range(8)]
SELECTOR = NodeSelector(parse_cluster("SwitchName=s Nodes=n[0-7]"))


class Service(Client):
    """A service in the same process, with the state of the real one."""

    def __init__(self) -> None:
        super().__init__("unix:/nowhere")
        self.state = ClusterState(SELECTOR)
        self.wrong: dict[str, Any] | None = None

    def ask(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        if self.wrong is not None:
            return 200, self.wrong
        if method == "POST":
            assert body is not None
            self.state.change(body)
        return 200, self.state.document()

    @property
    def busy(self) -> set[str]:
        text = self.state.document()["busy"]
        return set(unfold(text)) if text else set()


@dataclass
class Slurm:
    """Jobs and nodes as squeue and sinfo print them."""

    running: dict[int, list[str]] = field(default_factory=dict)
    pinned: dict[int, list[str]] = field(default_factory=dict)
    down: set[str] = field(default_factory=set)
    more: str = ""
    odd: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)

    def command(self, words: list[str]) -> str:
        if words[0] == "scontrol":
            self.updated.append(words[2].removeprefix("JobId="))
            assert words[3] == "ReqNodeList="
            if int(self.updated[-1]) not in self.pinned:
                raise OSError("scontrol: Job is no longer pending execution")
            del self.pinned[int(self.updated[-1])]
            return ""
        if words[0] == "sinfo":
            given = {name for nodes in self.running.values() for name in nodes}
            idle = [n for n in NODES if n not in given | self.down]
            return "".join(
                f"{state}|{fold(names)}\n"
                for state, names in (
                    ("allocated", sorted(given)),
                    ("idle", idle),
                    ("drained*", sorted(self.down)),
                )
                if names
            )
        assert words[:3] == ["squeue", "-h", "-o"]
        lines = [f"{n}|R|{fold(has)}||" for n, has in self.running.items()]
        lines += [f"{n}|PD||{fold(has)}|closeknit" for n, has in self.pinned.items()]
        end = "|" + words[3].rpartition("|")[2] + "\n"
        assert len(end) > 16
        rows = [*lines, *self.more.splitlines(), *self.odd]
        return "".join(row + end for row in rows)


def followed(slurm: Slurm, patience: float = 60) -> tuple[Follower, Service]:
    service = Service()
    return Follower(service, patience, slurm.command, renewal=0), service


def said_in_a_step(follower: Follower) -> list[str]:
    said: list[str] = []
    stop = Event()
    stop.set()
    follow(follower, 0, stop, said.append)
    return said


def test_only_nodes_that_sinfo_calls_usable_are_free() -> None:
    service = Service()
    shown = (
        "idle|n0\nidle~|n1\nplanned|n2\nmaint|n3\nreserved|n4\nof_tomorrow|n5\n"
        "idle|n6\ndrained|n6\n"  # in two partitions; nothing is said of n7
    )
    Follower(service, 60, lambda words: shown if words[0] == "sinfo" else "").step()
    assert service.busy == {f"n{i}" for i in range(3, 8)}


def test_a_promise_is_kept_for_one_step_and_then_taken_back() -> None:
    follower, service = followed(slurm := Slurm())
    service.state.take(["n2", "n3"])
    follower.step()
    assert service.busy == {"n2", "n3"}  # its job may still be on its way
    slurm.pinned[1] = ["n2"]
    follower.step()
    assert service.busy == {"n2"}


def test_every_step_renews_the_age_of_the_state() -> None:
    follower, service = followed(slurm := Slurm())
    assert service.state.age is None
    for down in (set(), set(NODES), set[str]()):
        slurm.down = down
        before = service.state.sequence
        follower.step()
        assert service.state.sequence == before + 1
        assert service.state.age is not None


def test_a_job_whose_nodes_others_have_is_given_back_at_once() -> None:
    slurm = Slurm({1: ["n0"]}, {2: ["n0", "n1"], 3: ["n4"]})
    follower, _ = followed(slurm)
    follower.step()
    assert (slurm.updated, follower.unpinned) == (["2"], 1)


def test_a_job_that_waits_too_long_is_given_back() -> None:
    slurm = Slurm({}, {3: ["n4"]})
    follower, _ = followed(slurm, patience=0)
    follower.step()
    assert slurm.updated == ["3"]
    follower.step()
    assert slurm.updated == ["3"]


def test_a_job_that_begins_meanwhile_is_no_error() -> None:
    slurm = Slurm(more="9|PD||n1|closeknit\n")
    follower, _ = followed(slurm, patience=0)
    follower.step()
    assert (slurm.updated, follower.unpinned) == (["9"], 0)


@pytest.mark.parametrize(
    "more",
    ["\n", "x\n", "5|PD||n1|other\n", "5|PD||n1\n", "5|PD|||closeknit\n", "|||\n"],
)
def test_nodes_that_users_asked_for_and_strange_lines_are_left_alone(more: str) -> None:
    follower, service = followed(slurm := Slurm(more=more), patience=0)
    follower.step()
    assert slurm.updated == []
    assert service.busy == set()


@pytest.mark.parametrize("wrong", [{}, {"busy": 3}, {"busy": ["n1"]}, {"busy": "n[1"}])
def test_rubbish_from_the_service_is_an_error_of_one_line(
    wrong: dict[str, Any],
) -> None:
    follower, service = followed(Slurm())
    service.wrong = wrong
    said = said_in_a_step(follower)
    assert len(said) == 1
    assert "busy" in said[0] or "brackets" in said[0]


def test_a_problem_is_reported_once_and_its_end_too() -> None:
    said: list[str] = []
    calls = iter(["squeue: no", "squeue: no", "", ""])
    slurm = Slurm()
    stop = Event()

    def command(words: list[str]) -> str:
        if words[0] == "sinfo":
            problem = next(calls, None)
            if problem is None:
                stop.set()
            elif problem:
                raise OSError(problem)
        return slurm.command(words)

    follow(Follower(Service(), 60, command, renewal=0), 0, stop, said.append)
    assert said == ["squeue: no", "Slurm and the service answer"]


@pytest.mark.parametrize("comment", ["\nn[1-9]", "\n[", "\nn[0-99", "\r7|R|n2||"])
@pytest.mark.parametrize("running", [True, False])
def test_a_line_break_in_a_comment_names_the_job_and_stops_nothing(
    comment: str, running: bool
) -> None:
    slurm = Slurm({7: ["n0"]})
    slurm.odd = [f"44|{'R|n1|' if running else 'PD||'}|{comment}", "45|R|n3||"]
    follower, service = followed(slurm)
    said = said_in_a_step(follower)
    assert service.busy == {"n0", "n3"} | ({"n1"} if running else set())
    assert len(said) == 1
    assert said[0].startswith("job '44': squeue: has a line break: ")
    assert said[0].isprintable()


@pytest.mark.parametrize("row", ["44|R|n[1-9||", "44|R|||", "", "n1", "44|R|n2\nn3||"])
def test_what_is_not_understood_frees_no_node(row: str) -> None:
    follower, service = followed(slurm := Slurm({7: ["n0", "n1"]}))
    follower.step()
    slurm.running, slurm.odd = {8: ["n5"]}, [row]
    for _ in range(3):
        follower.step()
    assert len(follower.unread) == 1
    assert service.busy >= {"n5"}
    if row.startswith("44|R"):
        assert service.busy >= {"n0", "n1", "n5"}
    slurm.odd = []
    follower.step()
    assert service.busy == {"n5"}


def test_a_comment_that_is_cut_within_a_letter_stops_nothing(tmp_path: Path) -> None:
    slurm = tmp_path / "squeue"
    slurm.write_bytes(b"#!/bin/sh\nprintf '44|R|n1||sch\\303'")
    slurm.chmod(0o755)
    row = slurm_command([str(slurm)])
    assert row.startswith("44|R|n1||sch")
    assert row.isprintable()


def test_an_output_that_breaks_off_is_no_step() -> None:
    slurm = Slurm({7: ["n0"]})

    def command(words: list[str]) -> str:
        return slurm.command(words)[: -3 if words[0] == "squeue" else None]

    follower = Follower(Service(), 60, command, renewal=0)
    with pytest.raises(OSError, match="a row does not end"):
        follower.step()


Event_ = st.tuples(
    st.sampled_from(["take", "plain", "begin", "end", "step", "lose"]),
    st.integers(0, 7),
    st.integers(1, 4),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(Event_, max_size=40))
def test_no_node_of_slurm_is_ever_free_and_none_stays_busy(
    events: list[tuple[str, int, int]],
) -> None:
    """Jobs come with promises or without, begin, end and get lost, between steps."""
    follower, service = followed(slurm := Slurm())
    follower.step()
    for number, (kind, at, size) in enumerate(events):
        given = {name for nodes in slurm.running.values() for name in nodes}
        idle = [n for n in NODES if n not in given and n not in service.busy]
        if kind in ("take", "lose") and len(idle) >= size:
            service.state.take(idle[:size])
            if kind == "take":  # otherwise Slurm refuses the job
                slurm.pinned[number] = idle[:size]
        elif kind == "plain":
            if free := [n for n in NODES if n not in given][:size]:
                slurm.running[number] = free  # without nodes it would be no job
        elif kind == "begin" and slurm.pinned:
            job = list(slurm.pinned)[at % len(slurm.pinned)]
            if not given & set(slurm.pinned[job]):
                slurm.running[job] = slurm.pinned.pop(job)
        elif kind == "end" and slurm.running:
            del slurm.running[list(slurm.running)[at % len(slurm.running)]]
        elif kind == "step":
            follower.step()
            used = {n for nodes in slurm.running.values() for n in nodes}
            assert used.union(*slurm.pinned.values()) <= service.busy
    for _ in range(3):
        follower.step()
    used = {n for nodes in slurm.running.values() for n in nodes}
    assert service.busy == used.union(*slurm.pinned.values())


def test_nodes_that_are_down_are_looked_for_now_and_then() -> None:
    slurm = Slurm(down={"n7"})
    service = Service()
    follower = Follower(service, 60, slurm.command, renewal=3600)
    follower.step()
    slurm.down, slurm.running = {"n6"}, {1: ["n5"]}
    follower.step()
    assert service.busy == {"n5", "n7"}
