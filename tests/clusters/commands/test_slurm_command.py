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

from closeknit.clusters.slurm.client import Client, ServiceError

from ...serving.listeners import listening, response
from ..asking import Ask


def test_the_files_of_the_plugin_are_written(ask: Ask, tmp_path: Path) -> None:
    status, out, _ = ask("slurm files", str(tmp_path))
    script = (tmp_path / "job_submit.lua").read_text(encoding="utf-8")
    assert "closeknit.place(job)" in script
    assert "function M.place(job)" in (tmp_path / "closeknit_submit.lua").read_text()
    assert (status, len(out.splitlines())) == (0, 2)


def test_a_script_that_is_there_stays(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "job_submit.lua").write_text("-- of the site\n", encoding="utf-8")
    status, out, _ = ask("slurm files", str(tmp_path))
    assert (tmp_path / "job_submit.lua").read_text() == "-- of the site\n"
    assert (tmp_path / "closeknit_submit.lua").exists()
    assert (status, "is there" in out) == (0, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("files /no/such", "FOLDER: is no folder: '/no/such'"),
        ("follow --service socket", "--service: socket: must be unix:/path"),
        ("follow --every 0", "--every: must be seconds above 0"),
        ("follow --every nan", "--every: must be seconds above 0"),
        ("follow --patience -3", "--patience: must be seconds above 0"),
        ("follow --patience x", "--patience: must be a number, not 'x'"),
    ],
)
def test_bad_input_is_one_line(words: str, said: str, ask: Ask) -> None:
    status, _, err = ask("slurm", words)
    assert (status, err.count("\n")) == (2, 1)
    assert said in err


def following(folder: Path, every: float, **environment: str) -> subprocess.Popen[str]:
    """Start a follower of Slurm that tells the service at the socket s."""
    service = f"unix:{folder / 's'}"
    words = ["follow", "--service", service, "--every", str(every)]
    return subprocess.Popen(
        [sys.executable, "-m", "closeknit", "slurm", *words],
        env=os.environ | environment,
        stderr=subprocess.PIPE,
        text=True,
    )


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
        following(tmp_path, 0.05, PATH=f"{tmp_path}:{os.environ['PATH']}") as process,
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
    with following(tmp_path, 0.02) as process:
        assert process.stderr is not None
        assert "No such file" in process.stderr.readline()
        with listening(tmp_path / "s", lambda _: response({"busy": ""})):
            line = process.stderr.readline()
            process.send_signal(signal.SIGTERM)
            _, rest = process.communicate(timeout=300)
    assert line.startswith("closeknit: ")
    assert "Traceback" not in rest
    assert process.returncode == 0
