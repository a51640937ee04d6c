"""Load ``closeknit serve`` with requests, and with deltas between them.

Run ``make bench NAME=serve``, or ``python benchmarks/bench_serve.py [--requests N]
[--rate R] [--connections C] [--nodes N]``. First as many requests a second as the
server answers, over so many connections; then at a fixed rate, where latency counts
from when a request was due, so that a server that stalls is not spared; and requests
for the health at that rate, which show what the machine itself adds. All print the
processor time of the server for a request: what one core could answer. Requests one by
one have the quantiles of that time, which the load of the machine changes little. Exit
status 1 when an answer is wrong, or memory grew by more than 5 MiB after the warm-up.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

LEAF = 25
WARM_UP = 500
DELTA_EVERY = 10
"""Requests to one delta."""
MOST_AT_RATE = 10_000
ONE_BY_ONE = 2000
FLAT_MIB = 5.0
_HZ = os.sysconf("SC_CLK_TCK")


def tree(nodes: int) -> str:
    """Return a topology.conf of three levels, ten leaf switches to a rack."""
    leaves = nodes // LEAF
    lines = [
        f"SwitchName=s{i} Nodes=n[{i * LEAF:05}-{i * LEAF + LEAF - 1:05}]"
        for i in range(leaves)
    ]
    racks = range(0, leaves, 10)
    lines += [
        f"SwitchName=r{i} Switches=s[{i}-{min(i + 9, leaves - 1)}]" for i in racks
    ]
    return "\n".join(
        [*lines, f"SwitchName=top Switches={','.join(f'r{i}' for i in racks)}"]
    )


class Server:
    """A server on a socket, for as long as the block lasts."""

    def __init__(self, folder: str, nodes: int) -> None:
        topology, self.path = Path(folder) / "topology.conf", f"{folder}/socket"
        topology.write_text(tree(nodes), encoding="utf-8")
        words = ["serve", "--topology", str(topology), "--socket", self.path]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "closeknit", *words],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.summary = self.process.stdout.readline().strip()
        assert self.process.stdout.readline().startswith("listening")

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0

    def cpu(self) -> float:
        """Return the processor time that it has used, in seconds."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text()
        ticks = stat.rpartition(")")[2].split()[11:13]
        return sum(map(int, ticks)) / _HZ

    def cpu_ms(self) -> float:
        """Return the processor time of its threads in ms, as exactly as is known."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6

    def resident(self) -> float:
        """Return its resident memory in MiB."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class Client:
    """One connection, kept open."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def open(self) -> Client:
        """Connect."""
        self._in, self._out = await asyncio.open_unix_connection(self._path)
        return self

    async def ask(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Send a request; return status and content of the answer."""
        verb = "POST" if body else "GET"
        head = (
            f"{verb} {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        self._out.write(head.encode() + body)
        answer = await self._in.readuntil(b"\r\n\r\n")
        length = int(answer.lower().partition(b"content-length:")[2].split()[0])
        return int(answer.split(maxsplit=2)[1]), await self._in.readexactly(length)


def bodies(nodes: int, count: int, seed: int) -> list[tuple[str, bytes]]:
    """Draw requests of 1 to 128 nodes, and deltas that keep half of the nodes busy."""
    pick = random.Random(seed)
    found: list[tuple[str, bytes]] = []
    for i in range(count):
        if i % DELTA_EVERY == 0:
            drawn = pick.sample(range(nodes), nodes // 20)
            half = len(drawn) // 2
            free, busy = (
                ",".join(f"n{x:05}" for x in part)
                for part in (drawn[:half], drawn[half:])
            )
            found.append(("/state", json.dumps({"free": free, "busy": busy}).encode()))
        else:
            found.append(("/select", json.dumps({"k": pick.randint(1, 128)}).encode()))
    return found


def right(path: str, body: bytes, status: int, answer: bytes) -> bool:
    """Whether an answer is what was asked for, and optimal."""
    if status != 200:
        return False
    found = json.loads(answer)
    if path != "/select":
        return "sequence" in found
    chosen = len(set(found["chosen"])) == json.loads(body)["k"]
    return chosen and found["status"] == "optimal" and found["cost"] == found["bound"]


async def load(
    server: Server, work: list[tuple[str, bytes]], connections: int, rate: float
) -> tuple[list[float], int]:
    """Send all; return latencies in ms, and how many answers were wrong.

    ``rate`` is in requests a second; 0 sends each as soon as a connection is free.
    """
    clients = [await Client(server.path).open() for _ in range(connections)]
    begin, taken, latencies, wrong = perf_counter(), 0, [], 0

    async def one(client: Client) -> None:
        nonlocal taken, wrong
        while taken < len(work):
            i, taken = taken, taken + 1
            due = begin + i / rate if rate else perf_counter()
            if due > perf_counter():
                await asyncio.sleep(due - perf_counter())
            answer = await client.ask(*work[i])
            latencies.append((perf_counter() - due) * 1000)
            wrong += not right(*work[i], *answer)

    await asyncio.gather(*map(one, clients))
    return latencies, wrong


async def one_by_one(server: Server, work: list[tuple[str, bytes]]) -> list[float]:
    """Send all in turn; return the processor time of the server for each, in ms."""
    client, found = await Client(server.path).open(), []
    for path, body in work:
        before = server.cpu_ms()
        await client.ask(path, body)
        found.append(server.cpu_ms() - before)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--rate", type=float, default=500.0)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--nodes", type=int, default=1000)
    args = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, Server(folder, args.nodes) as server:
        print(server.summary)
        warm = bodies(args.nodes, WARM_UP, 1)
        asyncio.run(load(server, warm, args.connections, 0))
        before = server.resident()
        for title, rate in (
            ("as fast as it answers", 0.0),
            ("at a rate", args.rate),
            ("GET /healthz at that rate", args.rate),
        ):
            count = min(args.requests, MOST_AT_RATE) if rate else args.requests
            work = bodies(args.nodes, count, 2)
            if "healthz" in title:
                work = [("/healthz", b"")] * count
            gc.collect()
            gc.freeze()
            cpu, begin = server.cpu(), perf_counter()
            latencies, missed = asyncio.run(load(server, work, args.connections, rate))
            seconds, cpu = perf_counter() - begin, server.cpu() - cpu
            wrong += missed
            p50, p99, most = np.percentile(latencies, (50, 99, 100))
            print(
                f"{title}: {len(work)} requests, {len(work) / seconds:.0f}/s, "
                f"{cpu * 1000 / len(work):.2f} ms of CPU each "
                f"({len(work) / cpu:.0f}/s on one core), "
                f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, greatest {most:.1f} ms"
            )
        alone = asyncio.run(one_by_one(server, bodies(args.nodes, ONE_BY_ONE, 3)))
        p50, p99, most = np.percentile(alone, (50, 99, 100))
        print(
            f"one by one: {ONE_BY_ONE} requests, CPU p50 {p50:.2f} ms, "
            f"p99 {p99:.2f} ms, greatest {most:.1f} ms"
        )
        grown = server.resident() - before
        print(f"memory: {before:.1f} MiB after the warm-up, {grown:+.1f} MiB since")
    print(f"wrong answers: {wrong}")
    return int(bool(wrong) or grown > FLAT_MIB)


if __name__ == "__main__":
    sys.exit(main())
