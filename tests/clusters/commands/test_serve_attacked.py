"""``closeknit serve`` under clients that want to end it, or to keep others out."""

from __future__ import annotations

import http.client
import json
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from time import monotonic

import pytest

from ...serving.served import RACKS, TOKEN, asked, served

HEALTH = b"GET /healthz HTTP/1.1\r\nhost: x\r\n"
MIB = 2**20
MOST_GROWTH = 24 * MIB
Served = tuple["subprocess.Popen[str]", int]


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """Run a server with a token; yield its process and port."""
    monkeypatch.setenv("CLOSEKNIT_TOKEN", TOKEN)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    topology = tmp_path / "topology.conf"
    topology.write_text(RACKS, encoding="utf-8")
    with served("--topology", str(topology), "--port", "0") as (process, where):
        yield process, int(where.rpartition(":")[2])
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def memory(pid: int) -> int:
    """Return the most that a process has had in memory, in bytes."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(text.partition("VmHWM:")[2].split()[0]) * 1024


def cpu(pid: int) -> float:
    """Return the processor time of a process, in seconds."""
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2]
    return sum(map(int, stat.split()[11:13])) / os.sysconf("SC_CLK_TCK")


def healthy(port: int) -> bool:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    return asked(client, "GET", "/healthz")[0] == 200


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=2)


def sent(line: socket.socket, piece: bytes, most: int) -> None:
    """Send a piece again and again, until nothing more is taken."""
    with suppress(OSError):
        while most > 0:
            line.sendall(piece)
            most -= len(piece)


@pytest.mark.parametrize(
    "begin", [HEALTH, HEALTH + b"y: ", b"GET /", b"\r\n", HEALTH + b"\r\nGET /"]
)
def test_a_head_without_end_is_refused(port: Served, begin: bytes) -> None:
    pid, number = port[0].pid, port[1]
    before = memory(pid)
    piece = b"x: y\r\n" if begin == HEALTH else b"z"
    if begin == b"\r\n":
        piece = begin
    with connected(number) as line:
        line.sendall(begin)
        sent(line, piece * 2**16, 40 * MIB)
    assert memory(pid) - before < MOST_GROWTH
    with connected(number) as line:
        line.sendall(begin + piece * (70_000 // len(piece)))
        assert b"HTTP/1.1 431 " in whole(line)
    assert healthy(number)


def whole(line: socket.socket) -> bytes:
    """Return all that is answered until the line is closed."""
    return b"".join(iter(lambda: line.recv(2**16), b""))


def test_what_is_no_http_gets_a_problem_document(port: Served) -> None:
    for content in (
        b"\x16\x03\x01\x02\x00",
        b"GET /state HTTP/1.1\r\n x\r\n\r\n",
        HEALTH + b"transfer-encoding: chunked\r\n\r\n-1\r\n",
    ):
        with connected(port[1]) as line:
            line.sendall(content)
            head, _, body = whole(line).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert b"application/problem+json" in head
        assert json.loads(body)["detail"] == "request: is no HTTP/1.1"


def test_trailers_and_unread_bodies_have_an_end(port: Served) -> None:
    pid, number = port[0].pid, port[1]
    before = memory(pid)
    chunked = HEALTH + b"transfer-encoding: chunked\r\n\r\n"
    for begin in (chunked + b"1\r\na\r\n0\r\n", chunked + b"1;"):
        with connected(number) as line:
            line.sendall(begin)
            sent(line, b"x: y\r\n" * 2**16, 40 * MIB)
    assert memory(pid) - before < MOST_GROWTH
    assert healthy(number)


def test_requests_ahead_stay_with_the_client(port: Served) -> None:
    pid, number = port[0].pid, port[1]
    before = memory(pid)
    with connected(number) as line:
        sent(line, (HEALTH + b"\r\n") * 2**12, 32 * MIB)  # no answer is read
        assert healthy(number)
        assert memory(pid) - before < MOST_GROWTH


def test_requests_ahead_are_answered_in_turn(port: Served) -> None:
    body = b"content-length: 6\r\n\r\n\n\r\n\r\na"
    with connected(port[1]) as line:
        line.sendall((HEALTH + body + HEALTH + b"\r\n") * 50 + HEALTH)
        line.sendall(b"connection: close\r\n\r\n")
        assert whole(line).count(b"HTTP/1.1 200 OK") == 101


def test_blank_lines_in_chunks_take_no_longer(port: Served) -> None:
    known = f"authorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\n"
    head = b"POST /select HTTP/1.1\r\nhost: x\r\nconnection: close\r\n" + known.encode()
    body = b"\n" * 900_000 + b'{"k": 2}'
    chunk = b"transfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
    before = cpu(port[0].pid)
    with connected(port[1]) as line:
        line.settimeout(30)
        line.sendall(head + chunk % (len(body), body))
        assert line.recv(2**16).startswith(b"HTTP/1.1 200 ")
    assert cpu(port[0].pid) - before < 0.8  # two seconds, if parsed line by line


def test_silent_connections_shut_nobody_out(port: Served) -> None:
    pid, number = port[0].pid, port[1]
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (4096, 4096))
    needed = 1200
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        pytest.skip(f"needs {needed} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    try:
        with ExitStack() as held:
            for i in range(1040):
                line = held.enter_context(connected(number))
                if i % 2:
                    line.sendall(HEALTH)
            assert healthy(number)
            known = {"authorization": f"Bearer {TOKEN}"}
            client = http.client.HTTPConnection("127.0.0.1", number, timeout=10)
            assert asked(client, "POST", "/select", {"k": 2}, **known)[0] == 200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_head_has_ten_seconds(port: Served) -> None:
    begin = monotonic()
    with connected(port[1]) as silent, connected(port[1]) as slow:
        slow.sendall(HEALTH)
        for line in (silent, slow):
            line.settimeout(14)
        answer = slow.recv(2**16)
        assert answer.startswith(b"HTTP/1.1 408 ")
        with suppress(ConnectionResetError):
            assert silent.recv(1) == b""
    assert 8 < monotonic() - begin < 14


def test_the_end_does_not_wait_for_answers_that_nobody_reads(
    port: Served,
) -> None:
    known = f"authorization: Bearer {TOKEN}\r\n".encode()
    request = b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n" + known + b"\r\n"
    with ExitStack() as held:
        for _ in range(50):
            line = held.enter_context(connected(port[1]))
            with suppress(OSError):
                line.settimeout(0.05)
                line.sendall(request * 500)
        assert healthy(port[1])
        port[0].send_signal(signal.SIGTERM)
        assert port[0].wait(20) == 0


def test_few_open_files_shut_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients above the limit wait, or are told; nothing is printed about them."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    topology = tmp_path / "topology.conf"
    topology.write_text(RACKS, encoding="utf-8")
    words = ("--topology", str(topology), "--port", "0")
    with served(*words, files=32) as (process, where), ExitStack() as held:
        number = int(where.rpartition(":")[2])
        for _ in range(60):
            held.enter_context(connected(number))
        assert healthy(number)
        body = b"content-length: 8\r\ncontent-type: application/json\r\n\r\n"
        body += b'{"k": 2}'
        lines = []
        for _ in range(100):
            lines.append(held.enter_context(connected(number)))
            lines[-1].sendall(b"POST /select HTTP/1.1\r\nhost: localhost\r\n" + body)
            lines[-1].shutdown(socket.SHUT_WR)
        begun = cpu(process.pid)
        answers = []
        for line in lines:
            line.settimeout(20)
            with suppress(ConnectionResetError):  # the oldest of the silent ones
                answers.append(line.recv(2**16)[:13])
        assert set(answers) <= {b"HTTP/1.1 200 ", b"HTTP/1.1 503 ", b""}
        assert answers.count(b"HTTP/1.1 200 ") >= 10
        assert healthy(number)
        assert cpu(process.pid) - begun < 5
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_too_few_open_files_are_an_error(tmp_path: Path) -> None:
    topology = tmp_path / "topology.conf"
    topology.write_text(RACKS, encoding="utf-8")
    command = f"{sys.executable} -m closeknit serve --port 0 --topology {topology}"
    done = subprocess.run(
        ["sh", "-c", f"ulimit -n 16; exec {command}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "ulimit -n" in done.stderr
