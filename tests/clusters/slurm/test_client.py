"""Questions to services that answer, hang, or answer rubbish."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from closeknit.clusters.slurm.client import Client, ServiceError

from ...serving.listeners import listening, response


def test_a_question_and_its_answer(tmp_path: Path) -> None:
    with listening(tmp_path / "s", lambda _: response({"a": [1]}, 409)) as seen:
        client = Client(f"unix:{tmp_path / 's'}", token="secret", seconds=30)
        assert client.ask("POST", "/x", {"k": 3}) == (409, {"a": [1]})
    assert seen[0].startswith(b"POST /x HTTP/1.1\r\nHost: localhost\r\n")
    assert b"\r\nAuthorization: Bearer secret\r\n" in seen[0]
    assert seen[0].endswith(b'\r\n\r\n{"k": 3}')


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\r\n\r\n{}",
        b"HTTP/1.1\r\n\r\n{}",
        b"HTTP/1.1 x y\r\n\r\n{}",
        b"SSH-2.0 200 OK\r\n\r\n{}",
        response(b"[]"),
        response(b"{"),
        response(b"[" * 100_000),
        response(b"\xff"),
    ],
    ids=range(9),
)
def test_rubbish_is_one_line(tmp_path: Path, answer: bytes) -> None:
    path = tmp_path / "s"
    with listening(path, lambda _: answer), pytest.raises(ServiceError) as error:
        Client(f"unix:{path}", seconds=30).ask("GET", "/state")
    assert str(error.value).startswith(f"unix:{path}: ")
    assert "\n" not in str(error.value)


def test_a_hanging_service_is_given_up(tmp_path: Path) -> None:
    begin = time.monotonic()
    with (
        listening(tmp_path / "s", lambda _: None),
        pytest.raises(ServiceError, match="timed out"),
    ):
        Client(f"unix:{tmp_path / 's'}", seconds=0.1).ask("GET", "/state")
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize("address", ["", "s", "https://x", "http://", "ftp://x:1"])
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(ServiceError, match="must be unix:/path or http://host:port"):
        Client(address)


def test_nobody_listens(tmp_path: Path) -> None:
    for address in (f"unix:{tmp_path / 's'}", "http://127.0.0.1:1"):
        with pytest.raises(ServiceError):
            Client(address).ask("GET", "/state")
