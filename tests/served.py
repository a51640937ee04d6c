"""``closeknit serve`` in a process of its own, and requests to it."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

RACKS = (
    "SwitchName=r Nodes=a[1-9]\nSwitchName=s Nodes=b[1-9]\nSwitchName=t Switches=r,s"
)
TOKEN = "a-token-of-some-length"
JSON = {"content-type": "application/json"}


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
