"""``closeknit batsim`` as a process that a simulator talks to."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from closeknit.cli.app import run

from ...paths import ROOT

zmq = pytest.importorskip("zmq")
RACKS = (
    "SwitchName=a Nodes=a[1-3]\nSwitchName=b Nodes=b[1-3]\nSwitchName=t Switches=a,b"
)
TRANSCRIPT = ROOT / "tests" / "clusters" / "batsim.jsonl"


@pytest.fixture
def topology(tmp_path: Path) -> str:
    file = tmp_path / "topology.conf"
    file.write_text(RACKS, encoding="utf-8")
    return str(file)


def talk(topology: str, messages: list[bytes]) -> tuple[int, list[bytes], str, str]:
    """Send messages as Batsim does; return status, answers and what was printed."""
    words = ["--topology", topology, "--policy", "easy", "--endpoint"]
    with subprocess.Popen(
        [*(sys.executable, "-m", "closeknit", "batsim"), *words, "tcp://127.0.0.1:*"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        endpoint = process.stdout.readline().split()[-1]
        answers = []
        with zmq.Context() as context, context.socket(zmq.REQ) as socket:
            socket.setsockopt(zmq.LINGER, 0)
            socket.connect(endpoint)
            for message in messages:
                socket.send(message)
                while not socket.poll(100) and process.poll() is None:
                    pass
                if not socket.poll(0):
                    break
                answers.append(socket.recv())
        out, err = process.communicate(timeout=30)
        return process.returncode, answers, out, err


def test_a_simulation_from_begin_to_end(topology: str) -> None:
    messages = TRANSCRIPT.read_bytes().splitlines()
    status, answers, out, _ = talk(topology, messages)
    assert (status, out) == (0, "4 jobs were started\n")
    found = [
        (event["type"], event["data"].get("alloc"), answer["now"])
        for answer in map(json.loads, answers)
        for event in answer["events"]
    ]
    assert found == [
        ("EXECUTE_JOB", "0-1", 5),
        ("EXECUTE_JOB", "3-5", 5),
        ("REJECT_JOB", None, 6.5),
        ("EXECUTE_JOB", "2", 6.5),
        ("EXECUTE_JOB", "0-3", 40.25),
    ]


def test_a_bad_message_ends_the_process_with_one_line(topology: str) -> None:
    first = TRANSCRIPT.read_bytes().splitlines()[0]
    status, answers, out, err = talk(topology, [first, b'{"now": 1, "events": 7}'])
    assert (status, len(answers), out) == (2, 1, "")
    assert err == "closeknit: events: must be a list, not 7\n"


def test_bad_endpoints_and_options(
    topology: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("batsim", "--topology", topology)
    assert run([*words, "--endpoint", "tcp:28000"]) == 2
    assert capsys.readouterr().err.startswith("closeknit: --endpoint: ")
    assert run([*words, "--policy", "sjf"]) == 2
    assert "fcfs" in capsys.readouterr().err
