"""``closeknit serve`` as an operator starts and stops it."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run

RACKS = (
    "SwitchName=r Nodes=a[1-9]\nSwitchName=s Nodes=b[1-9]\nSwitchName=t Switches=r,s"
)
TOKEN = "a-token-of-some-length"
JSON = {"content-type": "application/json"}


class OverSocket(http.client.HTTPConnection):
    """A connection to a socket of the file system."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=30)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(30)
        self.sock.connect(self._path)


@pytest.fixture
def topology(tmp_path: Path) -> str:
    file = tmp_path / "topology.conf"
    file.write_text(RACKS, encoding="utf-8")
    return str(file)


@contextmanager
def served(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server; yield it and where it listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "closeknit", "serve", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == (
            "Slurm topology.conf: 2-level tree, 2 leaf switches, 18 nodes\n"
        )
        where = process.stdout.readline().removeprefix("listening on ").strip()
        yield process, where
    finally:
        process.kill()
        process.wait()


def asked(
    client: http.client.HTTPConnection,
    method: str,
    path: str,
    body: Any = None,
    **headers: str,
) -> tuple[int, Any]:
    content = json.dumps(body) if body is not None else None
    client.request(method, path, content, JSON | headers)
    answer = client.getresponse()
    return answer.status, json.loads(answer.read())


def test_a_socket_from_start_to_stop(topology: str, tmp_path: Path) -> None:
    path = tmp_path / "socket"
    stale = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stale.bind(str(path))
    stale.close()
    with served("--topology", topology, "--socket", str(path)) as (process, where):
        assert where == f"unix:{path}"
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        client = OverSocket(str(path))
        assert asked(client, "POST", "/state", {"busy": "a[1-7]"})[0] == 200
        status, answer = asked(client, "POST", "/select", {"k": 9})
        assert (status, answer["hostlist"]) == (200, "b[1-9]")
        assert asked(client, "GET", "/openapi.json")[1]["openapi"] == "3.1.0"
        large = 50 * 2**20
        client.putrequest("POST", "/select")
        for name, value in (JSON | {"content-length": str(large)}).items():
            client.putheader(name, value)
        client.endheaders()
        refused = client.getresponse()
        assert (refused.status, refused.headers["connection"]) == (413, "close")
        refused.read()
        again = subprocess.run(
            [*process.args[:-1], str(path)],  # type: ignore[index]
            capture_output=True,
            text=True,
            check=False,
        )
        assert again.returncode == 2
        assert again.stderr.startswith("closeknit: --socket: is in use: ")
        assert asked(OverSocket(str(path)), "GET", "/healthz")[0] == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr is not None
        said = process.stderr.read().splitlines()
        assert [line for line in said if "compiling" not in line] == []
        assert not path.exists()


def test_a_port_with_a_token(
    topology: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOSEKNIT_TOKEN", TOKEN)
    words = ("--topology", topology, "--port", "0", "--host", "127.0.0.1")
    with served(*words) as (process, where):
        port = int(where.rpartition(":")[2])
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        assert asked(client, "POST", "/select", {"k": 2})[0] == 401
        known = {"authorization": f"Bearer {TOKEN}"}
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        assert asked(client, "POST", "/select", {"k": 2}, **known)[0] == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def bad(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    status = run(["serve", *words])
    said = capsys.readouterr()
    assert (status, said.out) == (2, "")
    return said.err


def test_bad_options_are_one_line(
    topology: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CLOSEKNIT_TOKEN", raising=False)
    empty = tmp_path / "empty"
    empty.write_text("\n", encoding="utf-8")

    def ask(*words: str) -> str:
        return bad(capsys, "--topology", topology, *words)

    assert "is no loopback: clients need a token" in ask("--host", "0.0.0.0")
    assert "must be an address of IP" in ask("--host", "example.org")
    assert "must be below 65536" in ask("--port", "65536")
    assert "--queue: must be at least 1, not 0" in ask("--queue", "0")
    assert "must be one word of 16 to 4096" in ask("--token-file", str(empty))
    assert "is no socket" in ask("--socket", str(empty))
    assert "--socket: No such file" in ask("--socket", str(tmp_path / "no" / "s"))
    assert "too long" in ask("--socket", str(tmp_path / ("s" * 200)))
    topology = str(empty)
    assert f"{empty}: is empty" in ask("--port", "0")
    socket_file = tmp_path / "socket"
    assert "is empty" in ask("--socket", str(socket_file))
    assert not socket_file.exists()
