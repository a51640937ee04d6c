"""Processes, store, campaign: nothing lost, nothing doubled, nothing hangs."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from multiprocessing import active_children
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from closeknit.instances import InputError
from closeknit.instances.reading.parsing import parse_json
from closeknit.reports.campaigns import pool
from closeknit.reports.campaigns.campaign import Campaign, Lineup, run
from closeknit.reports.campaigns.interrupts import undisturbed
from closeknit.reports.campaigns.row_fields import document_of, parse_row
from closeknit.reports.campaigns.rows import Row
from closeknit.reports.campaigns.store import FILE, LOCK, ResultStore, rows_in
from closeknit.solvers import Grade, Proof, Settings

from ...in_process import at_once
from ...paths import ROOT
from ...toys import SABOTEURS, TOYS, dies, made, optimal, small
from .watching import HUNGRY, is_gone, sleeper, until, wait_for_rows


@pytest.fixture(autouse=True)
def _workers_find_the_toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)


# The pool


def test_every_call_has_an_outcome_whatever_befalls_it() -> None:
    calls = [
        pool.Call(partial(pow, 2, 3)),
        pool.Call(partial(signal.raise_signal, signal.SIGKILL)),
        pool.Call(partial(sleep, 600), allowed=0.5),
        pool.Call(partial(int, "x")),
        pool.Call(partial(os._exit, 3)),
        pool.Call(partial(sys.exit, 4)),
        pool.Call(partial(__import__, "os")),
        pool.Call(partial(pow, 2, 5)),
    ]
    found = dict(pool.run(calls, jobs=2))
    assert found == {
        0: 8,
        1: pool.Failure(
            "its process was killed (SIGKILL; out of memory?), 3 times out of 3"
        ),
        2: pool.Failure("still running after 0.5 s; killed"),
        3: pool.Failure("ValueError: invalid literal for int() with base 10: 'x'"),
        4: pool.Failure("its process ended unasked (exit status 3)"),
        5: pool.Failure("its process ended unasked (exit status 4)"),
        6: pool.Failure("TypeError: cannot pickle 'module' object"),
        7: 32,
    }
    assert active_children() == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_call_is_made_again_when_nothing_else_runs(
    tmp_path: Path, number: int
) -> None:
    calls = [
        pool.Call(partial(dies, tmp_path / "a", 2, number)),
        pool.Call(partial(dies, tmp_path / "b", 3, number)),
        *(pool.Call(partial(pow, i, 2)) for i in range(5)),
    ]
    found = list(pool.run(calls, jobs=2))
    assert {place for place, _ in found[:5]} == set(range(2, 7))
    outcomes = dict(found)
    assert outcomes[0] == 3
    assert isinstance(outcomes[1], pool.Failure)
    assert outcomes[1].why.endswith(", 3 times out of 3")
    assert (tmp_path / "b").read_text().count("died") == 3


def test_a_crash_is_not_repeated(tmp_path: Path) -> None:
    note = tmp_path / "a"
    calls = [pool.Call(partial(dies, note, 9, signal.SIGSEGV))]
    why = "its process was killed (SIGSEGV)"
    assert list(pool.run(calls, jobs=1)) == [(0, pool.Failure(why))]
    assert note.read_text() == "died\n"


def test_temporary_files_of_workers_lie_where_they_are_told(tmp_path: Path) -> None:
    calls = [
        pool.Call(partial(tempfile.mkdtemp)),
        pool.Call(partial(subprocess.getoutput, "mktemp")),
    ]
    found = dict(pool.run(calls, jobs=1, scratch=tmp_path))
    assert {Path(made).parent for made in found.values()} == {tmp_path}


def test_calls_are_begun_in_the_order_given() -> None:
    calls = [pool.Call(partial(pow, i, 2)) for i in range(20)]
    assert list(pool.run(calls, jobs=1)) == [(i, i * i) for i in range(20)]


def test_no_calls_need_no_processes() -> None:
    assert list(pool.run([], jobs=4)) == []


def test_leaving_early_stops_workers_and_their_children(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    calls = [
        pool.Call(partial(subprocess.call, sleeper(note))),
        pool.Call(partial(until, partial(note.exists))),
    ]
    outcomes = pool.run(calls, jobs=2)
    assert next(outcomes) == (1, True)
    child = int(note.read_text())
    assert not is_gone(child)
    outcomes.close()
    assert active_children() == []
    assert until(partial(is_gone, child))


def test_workers_and_their_children_die_with_the_process_above(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = (
        "import subprocess\nfrom functools import partial\n"
        "from closeknit.reports.campaigns import pool\n"
        f"calls = [pool.Call(partial(subprocess.call, {sleeper(note)}))]\n"
        "list(pool.run(calls, jobs=1))\n"
    )
    with subprocess.Popen([sys.executable, "-c", program]) as above:
        assert until(partial(note.exists))
        above.kill()
    assert until(partial(is_gone, int(note.read_text())))


def test_ctrl_c_waits_for_what_must_not_be_left_half_done() -> None:
    done = []

    def disturbed() -> None:
        with undisturbed():
            os.kill(os.getpid(), signal.SIGINT)
            sleep(0.05)
            done.append(True)
        done.append(False)

    with pytest.raises(KeyboardInterrupt):
        disturbed()
    assert done == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


# Rows


EVERY_KIND_OF_ROW = [
    made(small("a"), "mm", cost=4, selection=(0, 1, 4)),
    optimal(small("ä b"), "auto", 4, selection=(0, 1, 4), limit=None),
    made(
        small("a"),
        "mm",
        cost=(8, 1),
        bound=(7, 9),
        proof=Proof(Grade.SOLVER, "cp-sat 9.15: really"),
        limit="time",
        selection=(0, 1, 2),
        seconds=1e-06,
        time_limit=0.1,
    ),
    made(small("a"), "mm", status="failed", error="it broke", seconds=None),
    made(small("a"), "mm", status="unknown", limit="time"),
]


@pytest.mark.parametrize("row", EVERY_KIND_OF_ROW)
def test_rows_are_read_back_as_written(row: Row) -> None:
    assert parse_row(parse_json(json.dumps(document_of(row)))) == row
    assert parse_row(document_of(row)) == row


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"cost": 1}, "status: Status.OPTIMAL contradicts the given solution."),
        ({"bound": 5}, "status: Bound 5 is above cost 4."),
        ({"bound": 3}, "status: A result is optimal if its bound equals its cost."),
        ({"status": "great"}, "status: must be one of optimal, "),
        ({"proof": "hearsay: mine"}, "proof: must be one of checked, "),
        (
            {"proof": "solver: "},
            "proof: must name its source, not 'solver: '",
        ),
        ({"seconds": -1}, "seconds: must be at least 0, not -1"),
        ({"seconds": "long"}, "seconds: must be a number, not 'long'"),
        ({"limit": "boredom"}, "limit: must be one of time, "),
        ({"n": "many"}, "n: must be an integer, not 'many'"),
        ({"colour": "red"}, "colour: unknown field"),
        ({"status": "failed"}, "status: disagrees with the rest: 'failed'"),
    ],
)
def test_contradictory_rows_are_refused(
    changes: dict[str, object], complaint: str
) -> None:
    document = document_of(optimal(small("a"), "auto", 4, selection=(0, 1, 4)))
    if changes == {"cost": 1}:
        del document["selection"]
    document.update(changes)
    with pytest.raises(InputError) as caught:
        parse_row(document)
    assert str(caught.value).startswith(complaint)


@pytest.mark.parametrize("name", ["instance", "method", "time_limit", "finished"])
def test_missing_fields_are_named(name: str) -> None:
    document = document_of(made(small("a"), "mm", cost=4, selection=(0, 1, 4)))
    del document[name]
    with pytest.raises(InputError, match=f"^{name}: is missing$"):
        parse_row(document)


# The store


def rows_of(*methods: str) -> list[Row]:
    return [made(small("a"), m, cost=4, selection=(0, 1, 4)) for m in methods]


def test_rows_are_there_for_others_as_soon_as_they_are_appended(tmp_path: Path) -> None:
    rows = rows_of("mm", "mc1x1")
    where = tmp_path / "deep" / "out"
    with ResultStore(where) as store:
        for count, row in enumerate(rows, start=1):
            store.append(row)
            assert rows_in(where / FILE) == rows[:count]
    assert sorted(path.name for path in where.iterdir()) == [LOCK, FILE]
    with ResultStore(where) as store:
        assert list(store.rows.values()) == rows


def test_rows_come_out_of_the_store_as_they_went_in(tmp_path: Path) -> None:
    rows = [replace(row, seed=seed) for seed, row in enumerate(EVERY_KIND_OF_ROW)]
    with ResultStore(tmp_path) as store:
        for row in rows:
            store.append(row)
    assert rows_in(tmp_path / FILE) == rows


def test_others_can_ask_the_store_in_sql(tmp_path: Path) -> None:
    with ResultStore(tmp_path) as store:
        for seed, row in enumerate(EVERY_KIND_OF_ROW):
            store.append(replace(row, seed=seed))
        with closing(sqlite3.connect(tmp_path / FILE)) as database:
            asked = database.execute(
                "SELECT method, cost, typeof(cost), grade FROM results "
                "WHERE cost IS NOT NULL ORDER BY rowid"
            ).fetchall()
    assert asked == [
        ("mm", 4, "integer", None),
        ("auto", 4, "integer", "enumerated"),
        ("mm", "[8,1]", "text", "solver"),
    ]


def test_a_process_killed_while_it_writes_leaves_whole_rows(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom tests.toys import made, small\n"
        "from closeknit.reports.campaigns.store import ResultStore\n"
        f"with ResultStore({str(tmp_path)!r}) as store:\n"
        "    for i in range(10**6):\n"
        "        store.append(made(small('a'), 'mm', cost=4, selection=(0, 1, 4),\n"
        "                          seed=len(store.rows)))\n"
    )
    before = 0
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT) as writer:
            wait_for_rows(tmp_path, before + 20)
            writer.kill()
        with ResultStore(tmp_path) as store:
            seeds = [row.seed for row in store.rows.values()]
        assert seeds == list(range(len(seeds)))
        assert len(seeds) >= before + 20
        before = len(seeds)


def test_rows_can_be_taken_out_again(tmp_path: Path) -> None:
    first, second = rows_of("mm", "mc1x1")
    with ResultStore(tmp_path) as store:
        store.append(first)
        store.append(second)
        store.forget([first.key])
        assert rows_in(tmp_path / FILE) == list(store.rows.values()) == [second]
        store.append(first)


def test_a_fresh_store_puts_the_old_one_aside(tmp_path: Path) -> None:
    first, second = rows_of("mm", "mc1x1")
    for row in (first, second):
        with ResultStore(tmp_path, fresh=True) as store:
            assert store.rows == {}
            store.append(row)
    assert rows_in(tmp_path / FILE) == [second]
    assert rows_in(tmp_path / f"{FILE}.old") == [first]


@pytest.mark.parametrize(
    "name", [LOCK, FILE, f"{FILE}-wal", ".results.scratch", "report.html", "ratios.csv"]
)
def test_what_a_campaign_writes_is_refused_as_a_link_and_not_followed(
    tmp_path: Path, name: str
) -> None:
    target, where = tmp_path / "elsewhere", tmp_path / "out"
    where.mkdir()
    (where / name).symlink_to(target)
    why = rf"{re.escape(name)}: must not be a symbolic link"
    with pytest.raises(InputError, match=why):
        ResultStore(where)
    assert not target.exists()
    assert [path.name for path in where.iterdir()] == [name]


def test_a_folder_of_a_former_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    old = tmp_path / "results.jsonl"
    old.write_text("{}\n")
    with pytest.raises(InputError, match=r"results\.jsonl: is of a former version"):
        ResultStore(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [old.name]


def test_two_runs_at_once_are_refused(tmp_path: Path) -> None:
    with (
        ResultStore(tmp_path),
        pytest.raises(InputError, match=r"another run is writing here$"),
    ):
        ResultStore(tmp_path)
    with ResultStore(tmp_path):
        pass


def test_a_store_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be made"):
        ResultStore(tmp_path / "file")
    (tmp_path / "folder" / FILE).mkdir(parents=True)
    with pytest.raises(InputError, match=r"results\.sqlite: cannot be "):
        ResultStore(tmp_path / "folder")


# The campaign


def lineup(*names: str) -> dict[str, Lineup]:
    methods = [{**TOYS, **SABOTEURS}[name] for name in names]
    return {"ksubset": Lineup(methods=methods, exact=TOYS["auto"])}


def campaign(*instances: str, lenient: bool = True, limit: float = 60) -> Campaign:
    return Campaign(
        instances=[small(name, k) for k, name in enumerate(instances, start=2)],
        lineups=lineup("first", "last", "shy"),
        settings=Settings(time_limit=limit),
        lenient=lenient,
    )


def ran(plan: Campaign, where: Path, jobs: int = 0, **more: Any) -> list[Row]:
    """Run a campaign with a store there, and return its rows.

    In this process, unless a number of others is given.
    """
    runner = partial(pool.run, jobs=jobs) if jobs else partial(at_once, jobs=1)
    with ResultStore(where) as store:
        run(plan, store, runner=runner, **more)
        return plan.rows(store)


def test_exact_runs_are_begun_first() -> None:
    tasks = [(t.instance.name, t.method.name) for t in campaign("a", "b", "c").tasks()]
    assert tasks[:3] == [("a", "auto"), ("b", "auto"), ("c", "auto")]
    assert ("b", "shy") in tasks
    assert ("c", "shy") not in tasks
    assert len(tasks) == len(set(tasks)) == 11


def test_all_is_run_once_and_found_in_order(tmp_path: Path) -> None:
    plan = campaign("a", "b", "c", lenient=False)
    told: list[tuple[int, int]] = []
    rows = ran(plan, tmp_path, 2, progress=lambda d, t, w: told.append((d, t)))
    names = ["first", "last", "shy", "auto"]
    assert [(r.instance, r.method) for r in rows] == [
        (i, m) for i in "abc" for m in names
    ]
    assert [r.status for r in rows if r.method == "auto"] == ["optimal"] * 3
    assert [r.status for r in rows if r.method == "shy"][2] == "refused"
    assert told == [(done, 12) for done in range(13)]
    (refused,) = [r for r in rows if not r.ran]
    assert refused.error == "shy: takes k up to 3 only"


def test_a_second_run_does_only_what_is_missing(tmp_path: Path) -> None:
    plan = campaign("a", "b")
    ran(plan, tmp_path)
    with ResultStore(tmp_path) as store:
        whole = list(store.rows.values())
        store.forget([whole[2].key, whole[5].key])
    kept = whole[:2] + whole[3:5] + whole[6:]
    told: list[int] = []
    ran(plan, tmp_path, progress=lambda d, t, w: told.append(d))
    after = rows_in(tmp_path / FILE)
    assert after[: len(kept)] == kept
    assert told == [6, 7, 8]
    assert {row.key for row in after} == {row.key for row in whole}


def test_repeats_differ_in_their_seed(tmp_path: Path) -> None:
    plan = replace(campaign("a"), settings=Settings(seed=5), repeats=3)
    rows = ran(plan, tmp_path)
    assert len(rows) == 12
    assert [(r.repeat, r.seed) for r in rows[:4]] == [(0, 5), (1, 6), (2, 7), (0, 5)]
    assert [r.method for r in rows[:4]] == ["first"] * 3 + ["last"]


def test_a_run_that_takes_too_much_memory_costs_only_its_own_row(
    tmp_path: Path,
) -> None:
    plan = replace(
        campaign("a"),
        lineups=lineup("greedy", "first"),
        settings=Settings(memory_mb=400),
    )
    rows = {row.method: row for row in ran(plan, tmp_path, 1)}
    assert [row.memory_limit for row in rows.values()] == [400] * 3
    assert rows["first"].status == "feasible"
    peak = rows["first"].memory_peak
    assert peak is not None
    assert 20 < peak < 400
    row = rows["greedy"]
    assert (row.status, row.limit, row.cost) == ("unknown", "memory", None)
    assert row.error.startswith("took ")
    assert row.error.endswith(" MiB of memory, more than 400; killed")
    assert row.memory_peak is not None
    assert row.memory_peak > 400


def test_the_memory_of_children_counts(tmp_path: Path) -> None:
    calls = [pool.Call(partial(subprocess.call, HUNGRY), memory=500)]
    ((_, outcome),) = pool.run(calls, jobs=1)
    assert isinstance(outcome, pool.OutOfMemory)
    assert 500 < outcome.mib < 800


def test_other_settings_are_other_runs(tmp_path: Path) -> None:
    for plan in (campaign("a", limit=5), campaign("a")):
        rows = ran(plan, tmp_path)
    assert len(rows_in(tmp_path / FILE)) == 8
    assert {r.time_limit for r in rows} == {60.0}


def test_broken_and_killed_methods_cost_only_their_own_rows(tmp_path: Path) -> None:
    plan = replace(campaign("a", "b"), lineups=lineup("killed", "broken", "first"))
    rows = ran(plan, tmp_path, 2)
    told = {r.method: (r.status, r.error) for r in rows}
    assert told == {
        "killed": (
            "failed",
            "its process was killed (SIGKILL; out of memory?), 3 times out of 3",
        ),
        "broken": ("failed", "SolverError: the solver broke"),
        "first": ("feasible", ""),
        "auto": ("optimal", ""),
    }
    assert len(rows) == 8


def test_rows_say_what_was_run_and_where(tmp_path: Path) -> None:
    plan = Campaign(instances=[small("a", busy=3)], lineups=lineup())
    (row,) = ran(plan, tmp_path)
    assert (row.topology, row.shape, row.n, row.k, row.d) == ("mesh", (3, 4), 9, 3, 2)
    assert (row.locations, row.cost, row.selection) == (12, 4, (0, 1, 2))
    assert str(row.proof) == "enumerated: toy"
    assert row.python == sys.version.split()[0]
    assert f"numba {version('numba')}" in row.solvers
    assert row.finished.endswith("+00:00")
