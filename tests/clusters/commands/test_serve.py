"""``closeknit serve`` as an operator starts and stops it."""

from __future__ import annotations

import http.client
import signal
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from closeknit.cli.app import run

from ...serving.served import JSON, RACKS, TOKEN, asked, served


class OverSocket(http.client.HTTPConnection):
    """A connection to a socket of the file system."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=300)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(30)
        self.sock.connect(self._path)


def client_of(where: str) -> http.client.HTTPConnection:
    """Return a connection to a server by the address that it prints."""
    port = int(where.rpartition(":")[2])
    return http.client.HTTPConnection("127.0.0.1", port, timeout=300)


@pytest.fixture
def topology(tmp_path: Path) -> str:
    file = tmp_path / "topology.conf"
    file.write_text(RACKS, encoding="utf-8")
    return str(file)


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
        client = client_of(where)
        assert asked(client, "POST", "/select", {"k": 2})[0] == 401
        known = {"authorization": f"Bearer {TOKEN}"}
        client = client_of(where)
        assert asked(client, "POST", "/select", {"k": 2}, **known)[0] == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


@pytest.mark.parametrize("ignored", [False, True])
def test_a_hangup_ends_it_as_sigterm_does(
    topology: str, ignored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    kept = signal.getsignal(signal.SIGHUP)
    # Ignored as under nohup; and heeded, also where the tests run under it.
    signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
    try:
        with served("--topology", topology, "--port", "0") as (process, where):
            client = client_of(where)
            assert asked(client, "GET", "/healthz")[0] == 200
            process.send_signal(signal.SIGHUP)
            if ignored:
                assert asked(client, "GET", "/healthz")[0] == 200
                process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
    finally:
        signal.signal(signal.SIGHUP, kept)


def test_on_the_loopback_other_hosts_are_refused(
    topology: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.delenv("CLOSEKNIT_TOKEN", raising=False)
    with served("--topology", topology, "--port", "0") as (process, where):
        client = client_of(where)
        for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}):
            status, answer = asked(client, "PUT", "/state", {"free": ""}, **headers)
            assert status in (400, 403), answer
        assert asked(client, "GET", "/state")[1]["free_nodes"] == 18
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


@pytest.mark.parametrize(("mode", "warned"), [(0o640, False), (0o644, True)])
def test_a_token_that_others_may_read_is_said(
    mode: int,
    warned: bool,
    topology: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    file = tmp_path / "token"
    file.write_text(TOKEN, encoding="utf-8")
    file.chmod(mode)
    words = ("--topology", topology, "--port", "0", "--token-file", str(file))
    with served(*words) as (process, _):
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr is not None
        said = [line for line in process.stderr if "compiling" not in line]
    expected = f"{file}: other users of this machine may read it (chmod 640)"
    assert said == [f"closeknit: --token-file: {expected}\n"] * warned


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
