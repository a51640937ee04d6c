"""``closeknit select`` as a scheduler calls it, once or for as long as it runs."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.exact.procset.frontier_dp import program as frontier_programme
from closeknit.instances import InputError, cost
from closeknit.instances.writing.files import write_bytes
from closeknit.methods import PROCSET
from closeknit.scheduler.config import (
    Configuration,
    parse_configuration,
    read_configuration,
)
from closeknit.scheduler.live import LiveSelector
from closeknit.scheduler.selector import Decision, Selector
from closeknit.solvers import DEFAULT, Limit, Settings, Status

from ...faults.fault_injection import Injector, out_of_memory
from .samples import SAMPLE, sample

Answer = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Answer:
    def ask(words: str) -> tuple[int, dict[str, Any]]:
        status = run(["select", "--config", SAMPLE, "--json", *words.split()])
        return status, json.loads(capsys.readouterr().out)

    return ask


# The five size classes of the sample: everything free, and too scattered.
SIZES = [
    (4, 4, "n41.[1-2],n42.[1-2]", 118),
    (5, 16, "n01,n08,n15,n22", 119),
    (17, 24, "n01,n08,n15,n22,n29,n36", 120),
    (33, 48, ",".join(f"n{i:02}" for i in range(1, 43, 3)), 121),
    (65, 68, ",".join(f"n{i:02}" for i in range(1, 43, 2)), 122),
]


@pytest.mark.parametrize(("least", "pes", "scattered", "line"), SIZES)
def test_every_size_class_starts_on_an_idle_machine_and_not_on_scattered_hosts(
    answer: Answer, least: int, pes: int, scattered: str, line: int
) -> None:
    for size in (least, pes):
        status, found = answer(f"--queue cluster --pes {size}")
        assert (status, found["start"], found["status"]) == (0, True, "optimal")
        assert found["constraint"]["line"] == line
        assert found["cost"] == found["mincost"][str(size)]
        assert len(found["processors"]) == size
    status, found = answer(f"--queue cluster --pes {pes} --free {scattered}")
    assert (status, found["start"]) == (1, False)
    assert found["constraint"].items() >= {"line": line, "holds": False}.items()
    assert len(found["processors"]) == pes


def test_people_see_the_line_of_the_constraint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--queue", "cluster", "--pes", "4", "--free", "n41.[1-2],n42.[1-2]"]
    assert run(["select", "--config", SAMPLE, *words]) == 1
    shown = capsys.readouterr().out
    assert "chosen      n41.[1-2],n42.[1-2]" in shown
    assert f"{SAMPLE}:118: when PEs in [1,4]: cost <= [0,0,0,0,166]" in shown
    assert "the job should not start" in shown


def test_too_few_free_processors_are_infeasible(
    answer: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--queue cluster --pes 9 --free n[01-02]"
    status, found = answer(words)
    assert (status, found["status"], found["start"]) == (3, "infeasible", False)
    assert "processors" not in found
    assert run(["select", "--config", SAMPLE, *words.split()]) == 3
    assert "infeasible" in capsys.readouterr().out
    status, found = answer("--queue cluster --pes 1 --free=")
    assert (status, found["status"]) == (3, "infeasible")


def test_free_processors_come_from_a_file(answer: Answer, tmp_path: Path) -> None:
    file = tmp_path / "free"
    file.write_text("# two racks\nn[01-03]  n[04-07]\nn08.1, n08.2 # half\n")
    status, found = answer(f"--queue cluster --pes 30 --free @{file}")
    assert status in (0, 1)
    assert found["hostlist"] == "n[01-07],n08.[1-2]"


def test_the_queue_decides_which_processors_count(tmp_path: Path) -> None:
    text = """
        queues: day, night
        slots: [a=day@1,3; night@2,4]
        groups: one={a.1}, all={a}
        costs: otherwise:
            day@one=[1], night@all=[2]
        end-costs
        constraints: otherwise : cost <= [9]
    """
    selector = Selector(parse_configuration(text, name="two"))
    day = selector.select("day", 1)
    assert day.processors == ["a.3"]
    night = selector.select("night", 2)
    assert night.processors == ["a.2", "a.4"]
    assert night.result.objective == (2,)
    assert selector.select("night", 3).result.status is Status.INFEASIBLE


ASKED = "--queue cluster --pes 4"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--queue fast --pes 4", "--queue: no such queue"),
        ("--pes 4", "--queue: is needed"),
        ("--queue cluster", "--pes: is needed"),
        ("--queue cluster --pes 0", "--pes: must be at least 1, not 0"),
        ("--queue cluster --pes -1", "argument --pes"),
        (f"{ASKED} --free n1", "did you mean n"),
        (f"{ASKED} --free n01,n01", "listed twice"),
        (f"{ASKED} --free n01,n01.2", "n01.2 is listed"),
        (f"{ASKED} --free n[01", "brackets"),
        (f"{ASKED} --free @/no/file", "cannot be read"),
        (f"{ASKED} --method magic", "--method: no such"),
        ("--queue cluster --serve", "comes with each request"),
        (f"{ASKED} --reload-every -1", "at least 0"),
    ],
)
def test_bad_input_is_one_line(
    words: str, complaint: str, refusal: Callable[..., str]
) -> None:
    assert complaint in refusal("select --config", SAMPLE, words)


def test_a_missing_or_broken_configuration_is_one_line(
    tmp_path: Path, refusal: Callable[..., str]
) -> None:
    broken = tmp_path / "broken.conf"
    broken.write_text("queues: cluster\nslots: [n01=1..4\n")
    for config in (tmp_path / "none.conf", broken):
        said = refusal("select --queue cluster --pes 1 --config", config)
        assert str(config) in said


@pytest.mark.parametrize("method", ["reaching", "bruteforce"])
def test_other_methods_answer_too(answer: Answer, method: str) -> None:
    words = "--queue cluster --pes 6 --free n[01-03]"
    status, found = answer(f"{words} --method {method}")
    best = answer(words)[1]
    assert status in (0, 1)
    assert found["cost"] >= best["cost"]
    assert ("proof" in found) == (method == "bruteforce")


def test_mincost_and_choice_are_those_of_the_definition() -> None:
    configuration = read_configuration(SAMPLE)
    selector = Selector(configuration)
    idle = configuration.usable("cluster")
    for pes in (3, 8, 20, 40):
        decision = selector.select("cluster", pes)
        assert decision.result.chosen is not None
        assert decision.mincost[pes] == cost(decision.instance, decision.result.chosen)
        instance = configuration.instance("cluster", pes, idle)
        for n, least in decision.mincost.items():
            asked = instance.asking("idle", instance.available, n)
            assert PROCSET["frontier-dp"](asked).objective == least


# A running selector


def wait_for(reached: Callable[[], bool]) -> None:
    """Wait for what another thread does; five minutes mean that it never will."""
    end = time.monotonic() + 300
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.005)


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def price(configuration: Configuration) -> int:
    sets = {one.name: one for one in configuration.sets_for("cluster", 1)}
    return sets["h15"].cost[-1]


def test_a_changed_file_is_loaded_when_its_time_has_come(tmp_path: Path) -> None:
    path = tmp_path / "pss.conf"
    path.write_bytes(sample(7))
    clock = Clock()
    live = LiveSelector(path, every=300.0, clock=clock)
    path.write_bytes(sample(8))
    clock.now = 299.0
    assert price(live.current().configuration) == 7
    clock.now = 300.0
    live.current()  # a look begins
    wait_for(lambda: live.reloads == 1)
    assert price(live.current().configuration) == 8
    assert (live.reloads, live.error) == (1, None)


def test_a_broken_file_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pss.conf"
    content = sample(7)
    path.write_bytes(content)
    said: list[str] = []
    live = LiveSelector(path, report=lambda error: said.append(str(error)))
    before = live.configuration
    middle = len(content) // 2
    changed = content.replace(b"costs:", b"c\xffsts:")
    for broken in (content[:middle], changed, b"", b"queues: ["):
        path.write_bytes(broken)
        live.look()
        live.look()
        assert live.current().configuration is before
        assert live.error is not None
        assert str(path) in str(live.error)
    path.unlink()
    live.look()
    assert live.current().configuration is before
    assert len(said) == 5  # each content is complained of once
    assert live.error is not None
    path.write_bytes(sample(9))
    live.look()
    assert price(live.current().configuration) == 9
    assert live.error is None


def test_a_configuration_must_be_good_to_begin_with(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        LiveSelector(tmp_path / "none.conf")


def test_files_are_swapped_under_load(tmp_path: Path) -> None:
    """Threads ask on while a file is written slowly, cut off, and renamed in place."""
    path = tmp_path / "pss.conf"
    contents = [sample(extra) for extra in (7, 8, 9)]
    path.write_bytes(contents[0])
    live = LiveSelector(path, every=0.0)
    stop = threading.Event()
    seen: set[int] = set()
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            while not stop.is_set():
                selector = live.current()
                decision = selector.select("cluster", 4)
                assert decision.result.status is Status.OPTIMAL
                assert decision.result.objective is not None
                seen.add(price(selector.configuration))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(30):
        content = contents[turn % 3]
        if turn % 2:
            with path.open("wb") as stream:  # half-written for a while
                stream.write(content[: len(content) // 2])
                stream.flush()
                time.sleep(0.01)
                stream.write(content[len(content) // 2 :])
        else:
            write_bytes(path, content)
        time.sleep(0.02)
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert seen == {7, 8, 9}
    live.look()
    assert live.error is None
    assert price(live.configuration) == 7 + 29 % 3


def test_answers_do_not_wait_for_a_file_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pss.conf"
    path.write_bytes(sample(7))
    live = LiveSelector(path)
    begun, gate = threading.Event(), threading.Event()

    def slowly(file: Path) -> Configuration:
        begun.set()
        assert gate.wait(60)
        return read_configuration(file)

    monkeypatch.setattr("closeknit.scheduler.live.read_configuration", slowly)
    path.write_bytes(sample(8))
    live.begin()
    assert begun.wait(60)
    live.begin(force=True)  # and once more after that
    for _ in range(3):
        assert price(live.current().configuration) == 7
    gate.set()
    wait_for(lambda: live.reloads == 2)
    assert price(live.current().configuration) == 8


def test_no_memory_or_thread_for_a_new_file_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "pss.conf"
    path.write_bytes(sample(7))
    said: list[str] = []
    live = LiveSelector(path, report=lambda error: said.append(str(error)))
    path.write_bytes(sample(8))
    points = out_of_memory(
        "closeknit.scheduler.live:read_configuration",
        "threading:Thread.start",
    )
    with Injector(points, 1, lasting=True):
        live.look()
        live.begin()
    assert price(live.current().configuration) == 7
    assert said == [
        f"{path}: cannot be loaded: there is not enough memory",
        f"{path}: cannot be checked: no thread can be started",
    ]
    live.begin(force=True)
    wait_for(lambda: live.reloads == 1)
    assert price(live.current().configuration) == 8


def test_lookahead_of_the_configuration_is_heeded() -> None:
    configuration = read_configuration(SAMPLE)
    free = [i for i in range(len(configuration.processors)) if i % 7 not in (1, 2)]
    plain = Selector(configuration).select("cluster", 20, free)
    ahead = Selector(replace(configuration, lookahead=1))
    wise = ahead.select("cluster", 20, free, Settings())
    assert plain.result.status is Status.OPTIMAL
    assert wise.result.status is Status.FEASIBLE  # for the costs as they stand
    assert isinstance(plain.result.objective, tuple)
    assert isinstance(wise.result.objective, tuple)
    assert wise.result.objective[0] == plain.result.objective[0]
    assert wise.result.objective >= plain.result.objective


def machine(groups: dict[str, list[str]], prices: list[str], limit: str) -> str:
    """Return a configuration of one queue, of hosts with a processor each."""
    hosts = dict.fromkeys(host for on in groups.values() for host in on)
    parts = {
        "slots": [f"[{host}=1]" for host in hosts],
        "groups": [f"{name}={{{','.join(on)}}}" for name, on in groups.items()],
        "costs: otherwise": [
            f"q@{name}={price}" for name, price in zip(groups, prices, strict=True)
        ],
    }
    listed = "\n".join(f"{part}: {', '.join(them)}" for part, them in parts.items())
    return f"queues: q\n{listed}\nend-costs\nconstraints: otherwise : {limit}\n"


def test_systems_too_wide_for_the_programme_are_answered_too() -> None:
    """The planes of a torus: no order keeps few of them in progress."""
    side = 6
    hosts = [f"p{x}{y}{z}" for x, y, z in product(range(side), repeat=3)]
    planes = {
        f"{axis}{at}": [h for h in hosts if h[1 + place] == str(at)]
        for place, axis in enumerate("xyz")
        for at in range(side)
    }
    text = machine(planes, ["[1]"] * len(planes), "cost <= MINCOST(PEs) + [1]")
    selector = Selector(parse_configuration(text, name="planes"))
    wide = Selector(parse_configuration(text, name="planes"), PROCSET["set-opening-bb"])
    free = [i for i in range(side**3) if i % 5]
    decision = selector.select("q", 12, free)
    assert decision.result.status is Status.OPTIMAL
    assert decision.mincost == {12: (7,)}  # a box of 2 x 2 x 3
    assert decision.holds is (decision.result.objective <= (8,))  # type: ignore[operator]
    assert wide.select("q", 12, free).result.objective == decision.result.objective


# Limits of a search


FREE = [i for i in range(40) if i % 3]


def of_ring(settings: Settings = DEFAULT) -> Decision:
    """Ask a machine whose programme has two words and some thousand entries."""
    groups = {f"g{i}": [f"n{(i + j) % 40}" for j in range(6)] for i in range(40)}
    prices = [f"[{i % 7 + 1},{2**50 + i * i}]" for i in range(40)]
    text = machine(groups, prices, "cost <= MINCOST(PEs)")
    selector = Selector(parse_configuration(text, name="ring"))
    return selector.select("q", 15, FREE, settings)


def best_and_bound(decision: Decision, exact: Decision, limit: Limit) -> None:
    result = decision.result
    assert (exact.result.status, result.status) == (Status.OPTIMAL, Status.FEASIBLE)
    assert result.limit is limit
    assert isinstance(exact.result.objective, tuple)
    assert isinstance(result.objective, tuple)
    assert isinstance(result.bound, tuple)
    assert result.bound <= exact.result.objective <= result.objective


def test_a_search_out_of_time_gives_its_best_choice_and_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = of_ring()
    monkeypatch.setattr(frontier_programme, "_WORK", 100)  # between looks at limits
    hasty = of_ring(Settings(time_limit=1e-9))
    best_and_bound(hasty, exact, Limit.TIME)
    assert (hasty.holds, hasty.starts, hasty.mincost) == (None, False, {})


def test_a_search_out_of_memory_gives_its_best_choice_and_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = of_ring()
    monkeypatch.setattr(frontier_programme, "ROOM", 64)
    assert of_ring().result.objective == exact.result.objective
    monkeypatch.setattr(frontier_programme, "MOST_BYTES", 10_000)
    best_and_bound(of_ring(), exact, Limit.MEMORY)
