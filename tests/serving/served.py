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
def served(*words: str, files: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server, which may have so many files open; yield it and its address."""
    server = [sys.executable, "-m", "closeknit", "serve", *words]
    limited = ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh", *server]
    process = subprocess.Popen(
        limited if files else server,
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
