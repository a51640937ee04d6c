"""Campaigns on a Dask cluster: workers and drivers are killed, nothing is lost."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any

import distributed
import pytest
from distributed import Client, LocalCluster

from closeknit.cli.app import run as run_command
from closeknit.instances import InputError, write_ksubset
from closeknit.instances.extras import install
from closeknit.reports.campaigns import cluster, pool
from closeknit.reports.campaigns.campaign import Campaign, Lineup, run
from closeknit.reports.campaigns.store import FILE, ResultStore, rows_in

from ...paths import ROOT
from ...toys import HELD, SABOTEURS, TOYS, dies, small
from .watching import HUNGRY, is_gone, results, sleeper, until, wait_for_rows


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[LocalCluster]:
    """Two workers, each a process with a guard that replaces it when it dies.

    Anew for each test: a guard may give up on workers that die early.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        patch.setenv(HELD, str(tmp_path))
        with LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as running:
            yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "instances"
    place.mkdir()
    for i in range(6):
        write_ksubset(small(f"i{i}", 2 + i % 3, busy=i), place / f"{i}.json")
    return place


def driver(folder: Path, out: Path, *words: str) -> subprocess.Popen[str]:
    program = "from tests.toys import main; main()"
    return subprocess.Popen(
        [
            *(sys.executable, "-c", program),
            *("ratios", str(folder), "--out", str(out), *words),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )


def kill_a_worker(dask: LocalCluster) -> None:
    with cluster.connect(dask.scheduler_address) as client:
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)


def test_a_worker_and_then_the_driver_are_killed(
    dask: LocalCluster, folder: Path, tmp_path: Path
) -> None:
    serial, parts = tmp_path / "serial", tmp_path / "parts"
    address = ("--dask", dask.scheduler_address)
    with driver(folder, serial, "--jobs", "1") as process:
        assert process.wait(90) == 0
    (tmp_path / "i5").touch()
    with driver(folder, parts, *address) as process:
        wait_for_rows(parts, 3)
        kill_a_worker(dask)
        wait_for_rows(parts, 8)
        process.kill()
    stopped_at = rows_in(parts / FILE)
    assert 8 <= len(stopped_at) < 28
    (tmp_path / "i5").unlink()
    with driver(folder, parts, *address) as process:
        said, complained = process.communicate(timeout=300)
    assert (process.returncode, complained) == (0, "")
    assert said.startswith("6 instances, 5 methods, 28 rows; 28 of them (100 %)")
    assert rows_in(parts / FILE)[: len(stopped_at)] == stopped_at
    assert len(results(parts)) == len({row.key for row in rows_in(parts / FILE)}) == 28
    assert results(parts) == results(serial)
    csv = [(out / "ratios.csv").read_text().count("\n") for out in (serial, parts)]
    assert csv == [29, 29]


@pytest.mark.slow
def test_a_run_that_kills_its_worker_three_times_is_given_up(
    dask: LocalCluster, tmp_path: Path
) -> None:
    note = tmp_path / "deaths"
    instances = [replace(small(name, 3), source=str(note)) for name in "ab"]
    methods = [{**TOYS, **SABOTEURS}[name] for name in ("fatal", "slow", "last")]
    plan = Campaign(
        instances=instances,
        lineups={"ksubset": Lineup(methods=methods, exact=TOYS["auto"])},
    )
    with (
        cluster.connect(dask.scheduler_address) as client,
        ResultStore(tmp_path) as store,
    ):
        run(plan, store, runner=partial(cluster.run, client=client))
        rows = plan.rows(store)
    assert Counter(note.read_text().split()) == {"a": 3, "b": 3}
    failed = {row.instance: row.error for row in rows if row.method == "fatal"}
    why = "its worker died (out of memory?), 3 times out of 3"
    assert failed == {"a": why, "b": why}
    others = [row.status for row in rows if row.method != "fatal"]
    assert Counter(others) == {"feasible": 4, "optimal": 2}


def test_a_run_whose_own_process_is_killed_is_made_again(
    dask: LocalCluster, tmp_path: Path
) -> None:
    calls = [
        pool.Call(partial(dies, tmp_path / name, deaths, signal.SIGKILL))
        for name, deaths in (("a", 2), ("b", 3))
    ]
    with cluster.connect(dask.scheduler_address) as client:
        found = dict(cluster.run(calls, client=client))
    why = "its process was killed (SIGKILL; out of memory?), 3 times out of 3"
    assert found == {0: 3, 1: pool.Failure(why)}


def test_ctrl_c_ends_the_driver_and_its_runs(
    dask: LocalCluster, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    (tmp_path / "i5").touch()
    with driver(folder, out, "--dask", dask.scheduler_address) as process:
        wait_for_rows(out, 2)
        os.killpg(process.pid, signal.SIGINT)
        said, complained = process.communicate(timeout=300)
    assert (process.returncode, said) == (130, "")
    assert complained.startswith("closeknit: interrupted after ")
    assert complained.endswith(" of 28 runs; give the same command again to go on\n")
    assert 2 <= len(rows_in(out / FILE)) < 28


@pytest.mark.parametrize("daemon", [True, False])
def test_threads_of_one_worker_start_processes_at_once(daemon: bool) -> None:
    """One lifted for all what is forbidden to daemons; another forbade it again.

    Processes that wait for calls do not keep a process from its end that is no daemon.
    """
    program = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from functools import partial\n"
        "from multiprocessing import current_process\n"
        "from closeknit.reports.campaigns import pool\n"
        f"current_process()._config['daemon'] = {daemon}\n"
        "make = partial(pool.run_here, wanted=lambda: True)\n"
        "with ThreadPoolExecutor(6) as threads:\n"
        "    calls = [pool.Call(partial(pow, 2, n)) for n in range(6)]\n"
        "    print(list(threads.map(make, calls)), current_process().daemon)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, done.stderr) == (f"[1, 2, 4, 8, 16, 32] {daemon}\n", "")


def test_the_first_process_that_is_started_ignores_ctrl_c_too() -> None:
    """Python's tracker of resources, which comes before it, lets signals through."""
    program = (
        "import pathlib, re, time\n"
        "from closeknit.reports.campaigns import pool\n"
        "for each in [pool._start(time.sleep, 0.5) for _ in range(2)]:\n"
        "    status = pathlib.Path(f'/proc/{each.pid}/status').read_text()\n"
        "    print(int(re.search(r'SigBlk:\\s*(\\w+)', status)[1], 16) & 2)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, done.stderr) == ("2\n2\n", "")


def test_limits_hold_on_workers_and_early_leave_ends_what_runs(
    dask: LocalCluster, tmp_path: Path
) -> None:
    note = tmp_path / "pid"
    calls = [
        pool.Call(partial(sleep, 600), allowed=0.5),
        pool.Call(partial(subprocess.call, HUNGRY), memory=500),
        pool.Call(partial(os._exit, 3)),
        pool.Call(partial(int, "x")),
    ]
    with cluster.connect(dask.scheduler_address) as client:
        found = dict(cluster.run(calls, client=client))
        assert found[0] == pool.Failure("still running after 0.5 s; killed")
        assert isinstance(found[1], pool.OutOfMemory)
        assert found[2] == pool.Failure("its process ended unasked (exit status 3)")
        assert found[3].why.startswith("ValueError: invalid literal")
        calls = [
            pool.Call(partial(subprocess.call, sleeper(note))),
            pool.Call(partial(pow, 2, 5)),
        ]
        outcomes = cluster.run(calls, client=client)
        assert next(outcomes) == (1, 32)
        assert until(note.exists)
        child = int(note.read_text())
        assert not is_gone(child)
        outcomes.close()
        assert until(lambda: is_gone(child))


def refused(*words: str, capsys: pytest.CaptureFixture[str]) -> str:
    status = run_command(["ratios", *words])
    said, complained = capsys.readouterr()
    assert (status, said, complained.count("\n")) == (2, "", 1)
    return complained.removeprefix("closeknit: ").rstrip()


def test_nobody_there_is_one_line(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "_ANSWERS_IN", 1.0)
    words = (str(folder), "--out", str(tmp_path / "out"))
    said = refused(*words, "--dask", "tcp://127.0.0.1:9", capsys=capsys)
    assert said.startswith("--dask: no scheduler answers: ")
    assert "'tcp://127.0.0.1:9'" in said
    said = refused(*words, "--dask", "nonsense://x", capsys=capsys)
    assert said.startswith("--dask: no scheduler answers: ")
    assert "(ValueError)" in said
    assert "not allowed with" in refused(
        *words, "--dask", "x", "--jobs", "2", capsys=capsys
    )
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = refused(*words, "--dask", "x", capsys=capsys)
    assert said == f"--dask: needs Dask: {install('dask')}"
    assert not (tmp_path / "out").exists()


def test_a_greeting_joined_by_other_messages_is_asked_for_once_more(
    dask: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def client(where: str, **options: Any) -> Client:
        made.append(where)
        if len(made) <= crowded:
            raise AssertionError  # as Client does where a greeting is not alone
        return Client(where, **options)

    monkeypatch.setattr(distributed, "Client", client)
    for crowded in (1, 4):
        made.clear()
        with cluster.connect(dask.scheduler_address) as connected:
            assert connected.run(pow, 2, 3)
        assert len(made) == crowded + 1
    made.clear()
    crowded = 9
    with (
        pytest.raises(InputError, match=r"no scheduler answers: .*Assert"),
        cluster.connect(dask.scheduler_address),
    ):
        pass
    assert len(made) == 5


def test_workers_with_another_closeknit_are_refused(
    dask: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "version", lambda name: "9.9")
    with cluster.connect(dask.scheduler_address) as client:
        outcomes = cluster.run([pool.Call(partial(pow, 2, 3))], client=client)
        with pytest.raises(InputError, match=r"^worker tcp.* has closeknit .*is 9\.9$"):
            next(outcomes)


# TLS


@pytest.fixture
def tls(tmp_path: Path) -> dict[str, str]:
    """The environment that docs/use/studies.md tells to make."""
    names = {"cert": tmp_path / "cert.pem", "key": tmp_path / "key.pem"}
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=closeknit-study"),
            *("-keyout", str(names["key"]), "-out", str(names["cert"])),
        ],
        check=True,
        capture_output=True,
    )
    start = "DASK_DISTRIBUTED__COMM__"
    return {
        f"{start}REQUIRE_ENCRYPTION": "true",
        f"{start}TLS__CA_FILE": str(names["cert"]),
        **{
            f"{start}TLS__{part}__{what.upper()}": str(path)
            for part in ("SCHEDULER", "WORKER", "CLIENT")
            for what, path in names.items()
        },
    }


def answers(address: str) -> bool:
    host, _, port = address.partition(":")
    with socket.socket() as trial:
        return trial.connect_ex((host, int(port))) == 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_a_cluster_can_be_reached_by_tls_only(
    tls: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    port = address.rpartition(":")[2]
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker"]
    options = {
        "env": {**os.environ, **tls, "PYTHONPATH": str(ROOT)},
        "cwd": ROOT,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    dask += ["--protocol", "tls", "--host", "127.0.0.1", "--port", port]
    worker += [f"tls://{address}", "--no-nanny", "--nthreads", "1"]
    worker += ["--local-directory", str(tmp_path)]
    started = [
        subprocess.Popen([*words, "--no-dashboard"], **options)  # type: ignore[call-overload]
        for words in (dask, worker)
    ]
    try:
        assert until(lambda: answers(address), seconds=400)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in tls.items():
                patch.setenv(name, value)
            with driver(folder, tmp_path / "o", "--dask", f"tls://{address}") as ours:
                said, complained = ours.communicate(timeout=400)
        assert (ours.returncode, complained) == (0, "")
        assert said.startswith("6 instances, 5 methods, 28 rows; 28 of them (100 %)")
        for stranger, complaint in (
            (f"tcp://{address}", "no scheduler answers: "),
            (f"tls://{address}", "needs certificates in Dask's configuration"),
        ):
            words = ("--dask", stranger)
            with driver(folder, tmp_path / "other", *words) as process:
                said, complained = process.communicate(timeout=400)
            assert (process.returncode, said) == (2, "")
            assert complained.startswith(f"closeknit: --dask: {complaint}")
            assert complained.count("\n") == 1
        assert not (tmp_path / "other").exists()
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
