"""``closeknit explore`` as it is started and ended, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest


def test_it_serves_until_it_is_ended(tmp_path: Path) -> None:
    topology = tmp_path / "topology.conf"
    topology.write_text("SwitchName=r Nodes=a[1-9]\n", encoding="utf-8")
    words = (str(topology), "--port", "0", "--no-open")
    process = subprocess.Popen(
        [sys.executable, "-m", "closeknit", "explore", *words],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", said)
        assert found is not None
        with urllib.request.urlopen(found[0], timeout=300) as page:
            assert b"<title>closeknit explore</title>" in page.read()
        asked = urllib.request.Request(
            f"{found[0]}/api/start", b"{}", {"content-type": "application/json"}
        )
        with urllib.request.urlopen(asked, timeout=300) as answer:
            first = json.load(answer)["first"]
        assert (first["name"], first["view"]) == ("topology", "racks")
        assert len(first["labels"]) == 9
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
        assert (process.returncode, errors) == (0, "")
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (None, "cannot be read: No such file"),
        ("what is this", "is none of: "),
        ("\0\ud8ff", "given.json: is not UTF-8 text (byte 1)"),
        ('{"format": "closeknit/sukp", "version": 1}', "must be 'closeknit/ksubset'"),
        (
            '{"format": "closeknit/ksubset", "version": 1, "k": 1, "topology": '
            '{"kind": "mesh", "shape": [999, 999]}}',
            "at most 4096 are shown",
        ),
        ("1 0 -1 50 2 -1 -1 2 60 -1 1 1 1 1 1 1 -1 -1\n", "is none of: "),
    ],
)
def test_files_that_cannot_be_shown(
    text: str | None, error: str, tmp_path: Path, refusal: Callable[..., str]
) -> None:
    path = tmp_path / "given.json"
    if text is not None:
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
    said = refusal("explore --no-open --port 0", path)
    assert "given.json" in said
    assert error in said


def test_a_port_in_use_is_one_line(refusal: Callable[..., str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = refusal("explore --no-open --port", port)
    assert said == f"--port: Address already in use: {port}"
    assert "must be below 65536" in refusal("explore --no-open --port 70000")
