"""The plugin for slurmctld under a plain Lua, against services good and bad.

Skipped where no Lua with luaposix is installed (on Debian: lua5.1 lua-posix).
"""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from closeknit.scheduler.hostlist import unfold

from ...paths import ROOT
from ...serving.listeners import listening, response

SCRIPTS = ROOT / "clusters" / "slurm"
TOPOLOGY = """\
# leaf switches
SwitchName=a Nodes=n[00-09]  # no Nodes=x here
SwitchName=b LinkSpeed=100 \\
  nodes=n[10-19],login1
SwitchName=c Switches=a,b
"""
LONG = 2000
"""Milliseconds that no good answer takes, on a busy machine either."""


@cache
def lua() -> str:
    """Return a Lua that has luaposix, empty if there is none."""
    wanted = 'require("posix.sys.socket"); require("posix.poll"); require("posix.time")'
    for name in ("lua5.1", "lua5.4", "lua5.3", "lua", "luajit"):
        if shutil.which(name):
            done = subprocess.run(
                [name, "-e", wanted], capture_output=True, check=False
            )
            if done.returncode == 0:
                return name
    return ""


pytestmark = pytest.mark.skipif(not lua(), reason="there is no Lua with luaposix")


class Plugin:
    """A Lua that has loaded the plugin."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.ready = self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")

    def submit(self, **job: object) -> tuple[str, str, str, float]:
        """Return nodes, comment, reason and milliseconds."""
        assert self._process.stdin is not None
        words = " ".join(f"{key}={value}" for key, value in job.items())
        self._process.stdin.write(words + "\n")
        self._process.stdin.flush()
        nodes, comment, why, took = self._line().split("|")
        return nodes, comment, why, float(took)

    def place(self, k: int, **job: object) -> str:
        """Return the nodes of a plain job of k nodes, or why there are none."""
        nodes, comment, why, _ = self.submit(min_nodes=k, max_nodes=k, **job)
        assert bool(nodes) == (comment.split(" ")[0] == "closeknit")
        return nodes or why


@contextlib.contextmanager
def plugin(folder: Path, deadline: float = LONG, rest: float = 0) -> Iterator[Plugin]:
    topology = folder / "topology.conf"
    if not topology.exists():
        topology.write_text(TOPOLOGY, encoding="utf-8")
    words = [str(SCRIPTS), str(folder / "s"), str(topology), str(deadline), str(rest)]
    with subprocess.Popen(
        [lua(), str(Path(__file__).with_name("plugin.lua")), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Plugin(process)
        assert process.stdin is not None
        process.stdin.close()
    assert process.returncode == 0


@contextlib.contextmanager
def answered(
    folder: Path, *answers: bytes | None, **more: float
) -> Iterator[tuple[Plugin, list[bytes]]]:
    """Run the plugin with a service that gives these answers, the last one for ever.

    Yield it and the requests.
    """
    left = [*answers]
    with (
        listening(
            folder / "s", lambda _: left.pop(0) if len(left) > 1 else left[0]
        ) as seen,
        plugin(folder, **more) as lua,
    ):
        yield lua, seen


def good(hosts: str, age: float = 0.25) -> dict[str, Any]:
    return {"status": "optimal", "hostlist": hosts, "state_age": age}


THREE = response(good("n[00-02]"))


def test_a_plain_job_gets_the_nodes_of_the_answer(tmp_path: Path) -> None:
    with answered(tmp_path, response(good("n[00-02,10],login1"))) as (lua, seen):
        assert lua.ready == "ready"
        nodes, comment, _, _ = lua.submit(min_nodes=5, max_nodes=5, comment="mine")
        assert (nodes, comment) == ("n[00-02,10],login1", "closeknit mine")
        head, _, body = seen[0].partition(b"\r\n\r\n")
        assert head.startswith(b"POST /select HTTP/1.1\r\n")
        assert json.loads(body) == {"k": 5, "objective": "switches", "take": True}


WISHES = {
    "req_nodes": "n00",
    "exc_nodes": "n00",
    "features": "fast",
    "array_inx": "1-3",
    "dependency": "after:7",
    "reservation": "night",
    "begin_time": 1700000000,
    "contiguous": 1,
    "priority": 0,
    "partition": "other",
    "tres_per_node": "gpu:1",
}


def test_a_job_with_wishes_of_its_own_is_left_alone(tmp_path: Path) -> None:
    jobs: list[dict[str, Any]] = [
        {},
        {"min_nodes": 1, "max_nodes": 1},
        {"min_nodes": 3, "max_nodes": 4},
        {"min_nodes": 3, "max_nodes": 4294967294},
        {"min_nodes": 4294967294, "max_nodes": 4294967294},
        {"min_nodes": "x", "max_nodes": "x"},
        *({"min_nodes": 3, "max_nodes": 3, key: wish} for key, wish in WISHES.items()),
    ]
    with answered(tmp_path, THREE) as (lua, seen):
        for job in jobs:
            nodes, comment, why, _ = lua.submit(**job)
            left = (job.get("req_nodes", ""), "", "not ours")
            assert (nodes, comment, why) == left, job
        assert seen == []
        unset = {"begin_time": 0, "contiguous": 0, "priority": 4294967294}
        assert lua.place(3, partition="big", features="", **unset) == "n[00-02]"


BAD = {
    "nothing": b"",
    "no HTTP": b"n[00-02]\r\n",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
    "no length": b'HTTP/1.1 200 OK\r\n\r\n{"hostlist": "n[00-02]"}',
    "negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}",
    "huge length": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n{}",
    "half a body": response(good("n[00-02]"))[:-20],
    "too long": b"HTTP/1.1 200 OK\r\n" + b"x" * 10**6,
    "other status": response(good("n[00-02]"), 500),
    "wrong count": response(good("n[00-03]")),
    "too few": response(good("n[00-01]")),
    "unknown node": response(good("n[00-01],m7")),
    "a node twice": response(good("n00,n[00-01]")),
    "open bracket": response(good("n[00-02")),
    "descending": response(good("n[02-00]")),
    "a billion": response(good("n[0-999999999]")),
    "a space": response(good("n00 n01 n02")),
    "a command": response(good("n00,n01,$(reboot)")),
    "empty": response(good("")),
    "no nodes": response({"state_age": 0}),
    "no age": response({"hostlist": "n[00-02]"}),
    "too old": response(good("n[00-02]", 6.0)),
    "negative age": response(good("n[00-02]", -1.0)),
    "a list": response(b"[" * 100000),
    "zeros": b"\0" * 5000,
}


def test_a_bad_answer_leaves_the_job_as_it_is(tmp_path: Path) -> None:
    """And the next one is fine again."""
    turns = [answer for bad in BAD.values() for answer in (bad, THREE)]
    with answered(tmp_path, *turns) as (lua, _):
        for name in BAD:
            nodes, comment, why, _ = lua.submit(min_nodes=3, max_nodes=3)
            assert (nodes, comment, bool(why)) == ("", "", True), name
            assert lua.place(3) == "n[00-02]", name


def test_random_bytes_never_set_a_node(tmp_path: Path) -> None:
    drawn = random.Random(5)

    def spoiled(request: bytes) -> bytes:
        content = bytearray(THREE)
        for _ in range(drawn.randint(1, 6)):
            content[drawn.randrange(len(content))] = drawn.randrange(256)
        return bytes(content)

    with listening(tmp_path / "s", spoiled), plugin(tmp_path) as lua:
        for _ in range(200):
            nodes, _, why, _ = lua.submit(min_nodes=3, max_nodes=3)
            if not nodes:
                assert why
                continue
            # Spoiled so that it is an answer nevertheless: nodes of the topology.
            names = unfold(nodes)
            known = {f"n{i:02d}" for i in range(20)}
            assert len(set(names)) == 3
            assert known.issuperset(names)


def test_a_hanging_service_is_given_up_in_time(tmp_path: Path) -> None:
    with answered(tmp_path, None, deadline=30) as (lua, _):
        taken = []
        for _ in range(5):
            nodes, _, why, took = lua.submit(min_nodes=3, max_nodes=3)
            assert (nodes, why) == ("", "no answer in time")
            taken.append(took)
        # The least of several: others use this machine.
        assert 20 < min(taken) < 60


def test_a_service_that_drips_is_given_up_in_time(tmp_path: Path) -> None:
    never = b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1000
    with answered(tmp_path, never, deadline=30) as (lua, _):
        assert "ends too early" in lua.place(3)


def test_after_failures_the_service_is_left_alone_for_longer(tmp_path: Path) -> None:
    with plugin(tmp_path, rest=60_000) as lua:
        assert "No such file" in lua.place(3)
        assert lua.place(3) == "resting"
    with plugin(tmp_path, rest=0.001) as lua:
        assert all("No such file" in lua.place(3) for _ in range(3))


def test_a_full_cluster_is_no_failure_of_the_service(tmp_path: Path) -> None:
    full = response({"detail": "no"}, 409)
    with answered(tmp_path, full, rest=60_000) as (lua, seen):
        assert [lua.place(3), lua.place(3)] == ["status 409"] * 2
        assert len(seen) == 2


@pytest.mark.parametrize(
    "text",
    [
        "BlockName=b1 Nodes=n[00-03]\nBlockName=b2 Nodes=n[04-07]\nBlockSizes=4,8\n",
        "- topology: t\n  block:\n    block_sizes: [4]\n    blocks:\n"
        "      - block: b1\n        nodes: n[00-03]\n"
        "      - {block: b2, nodes: 'n[04-07]'}\n",
        "- topology: t\n  tree:\n    switches:\n"
        "      - {switch: s1, nodes: n[00-07], x: y}\n",
    ],
    ids=["block", "yaml block", "yaml tree"],
)
def test_blocks_and_yaml_are_read_too(tmp_path: Path, text: str) -> None:
    """Slurm 22.05, which the live tests run, has neither."""
    (tmp_path / "topology.conf").write_text(text, encoding="utf-8")
    answers = (response(good(hosts)) for hosts in ("n[02-05]", "n[06-09]"))
    with answered(tmp_path, *answers) as (lua, _):
        assert lua.place(4) == "n[02-05]"
        assert lua.place(4) == "the answer has a wrong node"


@pytest.mark.parametrize("text", ["", "SwitchName=a Nodes=n[1-", "SwitchName=a"])
def test_without_a_topology_jobs_are_submitted_as_they_are(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "topology.conf").write_text(text, encoding="utf-8")
    with plugin(tmp_path) as lua:
        assert lua.ready.startswith("not ready: ")
        assert lua.place(3) == "not configured"


def test_the_example_loads_and_accepts_every_job(tmp_path: Path) -> None:
    script = (SCRIPTS / "job_submit.lua").read_text(encoding="utf-8")
    text = script.replace("/etc/slurm/?.lua", f"{SCRIPTS}/?.lua") + (
        "print(slurm_job_submit({min_nodes=2, max_nodes=2}, {}, 0), "
        "slurm_job_modify({}, {}, {}, 0))"
    )
    file = tmp_path / "job_submit.lua"
    file.write_text("slurm = {SUCCESS = 0, log_info = print}\n" + text, "utf-8")
    done = subprocess.run(
        [lua(), str(file)], capture_output=True, text=True, check=True
    )
    last = done.stdout.splitlines()[-1].split()
    assert last == ["0", "0"]
