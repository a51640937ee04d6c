"""A check ends at its time limit, also in code that never looks at the clock."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import pytest

from closeknit.cli.app import run
from closeknit.instances import Graph, InputError, KSubset, write_instance
from closeknit.instances.topologies import graph as graphs
from closeknit.proofs.checking import CheckLimits, TooLong
from closeknit.proofs.checking.alarm import end_in_time
from closeknit.proofs.checking.answers.command import main
from closeknit.solvers import Grade, Proof, answer, write_solution

SOON = CheckLimits(seconds=0.05)


def loop(*_: object) -> NoReturn:
    while True:
        pass


def state() -> tuple[object, float]:
    return signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[0]


def test_what_goes_on_is_ended() -> None:
    before = state()
    with pytest.raises(TooLong, match=r"^takes more than 0\.05 s to check$"):
        end_in_time(SOON, loop)
    assert state() == before
    assert end_in_time(SOON, lambda: 3) == 3
    assert state() == before


def test_errors_pass() -> None:
    before = state()

    def complain() -> NoReturn:
        raise InputError("is wrong", "k")

    with pytest.raises(InputError, match="k: is wrong"):
        end_in_time(SOON, complain)
    assert state() == before


def test_no_code_on_the_way_takes_it_for_an_error_of_its_own() -> None:
    def swallow_errors() -> NoReturn:
        while True:
            with suppress(Exception):
                loop()

    with pytest.raises(TooLong):
        end_in_time(SOON, swallow_errors)


def test_it_comes_again_where_it_was_lost() -> None:
    lost = []

    def lose_one() -> NoReturn:
        try:
            loop()
        except BaseException as error:
            lost.append(error)
        loop()

    with pytest.raises(TooLong):
        end_in_time(SOON, lose_one)
    assert len(lost) == 1


def test_time_in_which_the_clock_stands_does_not_count() -> None:
    still = CheckLimits(seconds=0.05, now=lambda: 0.0)
    assert end_in_time(still, lambda: time.sleep(0.6)) is None


def test_a_thread_goes_on_and_a_timer_of_the_program_is_kept() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(end_in_time(SOON, lambda: 3)))
    thread.start()
    thread.join()
    assert found == [3]
    rang: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.4)
        end_in_time(SOON, lambda: time.sleep(0.6))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rang == [1]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Write an instance whose cuts are looked for, and a solution that needs them."""
    ring = Graph(5, tuple((v, (v + 1) % 5, 1) for v in range(5)), (0, 1, 2, 3, 4))
    one = KSubset("ring", ring, tuple(ring.locations()), 2)
    paths = [str(tmp_path / name) for name in ("i.json", "s.json")]
    write_instance(one, paths[0])
    proof = Proof(Grade.CHECKED, "certificate")
    result = answer(one, [0, 1], start=0.0, bound=1, proof=proof)
    write_solution(one, "mine", result, paths[1])
    return paths


@pytest.mark.parametrize(
    "command", [lambda words: run(["check", *words]), main], ids=["check", "alone"]
)
def test_looking_for_cuts_keeps_the_limit(
    command: Callable[[list[str]], int],
    files: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """That of a graph of some thousand nodes took minutes, whatever the limit was."""
    monkeypatch.setattr(graphs, "embedding_of", loop)
    assert command([*files, "--time-limit", "0.05"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.endswith(": takes more than 0.05 s to check\n")
