"""`make published`: what is run for the pages, and which answers count."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ..modules import loaded
from ..paths import ROOT

TOOL = ROOT / "tools" / "published.py"


@pytest.fixture(scope="module")
def published() -> ModuleType:
    found: ModuleType = loaded(TOOL)
    return found


def line(**changed: object) -> str:
    given = {
        "problem": "ksubset",
        "instance": "ab",
        "method": "auto",
        "cost": 8,
        "bound": 8,
        "status": "optimal",
        "proof": "enumerated: cuts-bb",
        "limit": None,
    }
    return json.dumps(given | changed) + "\n"


def test_every_command_of_the_pages_is_run_or_has_its_reason(
    published: ModuleType,
) -> None:
    for everything in (False, True):
        jobs = published.jobs(everything=everything)
        assert len(jobs) > 60
        assert len({job.key for job in jobs if job.run}) <= len(jobs)
        assert all(job.run or job.why for job in jobs)
        for job in jobs:
            for command in filter(None, job.run.split(" && ")):
                assert published.program_of(command)[0] == sys.executable


def test_times_and_what_a_limit_stopped_do_not_count(
    published: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "answers.log").write_text(line() + line(limit="time", cost=9) + line())
    (tmp_path / "table.csv").write_text("method,cost,seconds\nmm,8,0.25\n")
    (tmp_path / "one.json").write_text('{"cost": 8, "solve_seconds": 1.5}')
    found, stopped, contradictions = published.answers_in(tmp_path)
    assert (len(found), stopped, contradictions) == (3, 1, 0)
    assert not any("0.25" in one or "1.5" in one for one in found)


def test_printed_tables_count_where_a_command_writes_no_answers(
    published: ModuleType, tmp_path: Path
) -> None:
    """Benchmarks that call a search directly only print what it found."""
    table = (
        "| instance | cost | CPU s | nodes |\n|---|--:|--:|--:|\n| a | 8 | 0.2 | 71 |\n"
    )
    (tmp_path / "printed.txt").write_text(f"compiled\n{table}\n2 rows\n")
    found, _, _ = published.answers_in(tmp_path)
    assert found == ['{"instance": "a", "cost": "8"}']
    (tmp_path / "answers.log").write_text(line())
    assert len(published.answers_in(tmp_path)[0]) == 1
    assert published.answers_in(tmp_path)[0] != found


def test_two_answers_to_one_question_contradict_each_other(
    published: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "answers.log").write_text(line() + line(cost=7, bound=7))
    assert published.answers_in(tmp_path)[2] == 1


@pytest.mark.parametrize(
    ("status", "answers", "contradictions", "digest", "word"),
    [
        (0, 3, 0, "ab", "as before"),
        (0, 3, 0, "cd", "CHANGED"),
        (0, 0, 0, "ab", "no answers"),
        (0, 3, 1, "ab", "1 contradictions"),
        (2, 3, 0, "ab", "exit 2"),
    ],
)
def test_only_equal_answers_are_as_before(
    published: ModuleType,
    status: int,
    answers: int,
    contradictions: int,
    digest: str,
    word: str,
) -> None:
    done = published.Done("run", 1.0, status, answers, 0, contradictions, digest, "v")
    assert published.verdict(done, {"run": "ab"}) == word
    assert published.verdict(done, {}) == ("new" if word in KNOWN else word)


KNOWN = ("as before", "CHANGED")


def test_nothing_to_run_is_an_error() -> None:
    done = subprocess.run(
        [sys.executable, str(TOOL), "--only", "no such command"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "no command is run\n")
