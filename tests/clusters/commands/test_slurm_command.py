"""``closeknit slurm`` as an operator uses it, in front of recorded commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.clusters.slurm.client import Client, ServiceError

from ...serving.listeners import listening, response


def test_the_files_of_the_plugin_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["slurm", "files", str(tmp_path)]) == 0
    script = (tmp_path / "job_submit.lua").read_text(encoding="utf-8")
    assert "closeknit.place(job)" in script
    assert "function M.place(job)" in (tmp_path / "closeknit_submit.lua").read_text()
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_script_that_is_there_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "job_submit.lua").write_text("-- of the site\n", encoding="utf-8")
    assert run(["slurm", "files", str(tmp_path)]) == 0
    assert (tmp_path / "job_submit.lua").read_text() == "-- of the site\n"
    assert (tmp_path / "closeknit_submit.lua").exists()
    assert "is there" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["files", "/no/such"], "FOLDER: is no folder: '/no/such'"),
        (["follow", "--service", "socket"], "--service: socket: must be unix:/path"),
        (["follow", "--every", "0"], "--every: must be seconds above 0"),
        (["follow", "--every", "nan"], "--every: must be seconds above 0"),
        (["follow", "--patience", "-3"], "--patience: must be seconds above 0"),
        (["follow", "--patience", "x"], "--patience: must be a number, not 'x'"),
    ],
)
def test_bad_input_is_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["slurm", *words]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error
    assert len(error.splitlines()) == 1


def test_the_service_is_told_what_slurm_uses(tmp_path: Path) -> None:
    for name, says in (
        ("sinfo", "allocated|n[1-2]\\nidle|n[3-4]\\n"),
        ("squeue", "7|R|n[1-2]||closeknit|$end\\n8|PD||n3|closeknit|$end\\n"),
    ):
        (tmp_path / name).write_text(
            f'#!/bin/sh\nend="${{3##*|}}"\nprintf "{says}"\n', encoding="utf-8"
        )
        (tmp_path / name).chmod(0o755)
    state = {"busy": "", "free": "n[1-4]", "sequence": 0}
    with (
        listening(tmp_path / "s", lambda _: response(state)) as seen,
        subprocess.Popen(
            [
                *(sys.executable, "-m", "closeknit", "slurm", "follow"),
                *("--service", f"unix:{tmp_path / 's'}", "--every", "0.05"),
            ],
            env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        end = time.monotonic() + 300
        while len(seen) < 4 and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=300)
    assert (process.returncode, error) == (0, "")
    assert seen[0].startswith(b"GET /state ")
    assert seen[1].startswith(b"POST /state ")
    assert json.loads(seen[1].partition(b"\r\n\r\n")[2]) == {"busy": "n[1-3]"}


def test_without_commands_of_slurm_or_a_service_it_goes_on_trying(
    tmp_path: Path,
) -> None:
    with pytest.raises(ServiceError):
        Client(f"unix:{tmp_path / 's'}").ask("GET", "/state")
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "closeknit", "slurm", "follow"),
            *("--service", f"unix:{tmp_path / 's'}", "--every", "0.02"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert "No such file" in process.stderr.readline()
        with listening(tmp_path / "s", lambda _: response({"busy": ""})):
            line = process.stderr.readline()
            process.send_signal(signal.SIGTERM)
            _, rest = process.communicate(timeout=300)
    assert line.startswith("closeknit: ")
    assert "Traceback" not in rest
    assert process.returncode == 0
