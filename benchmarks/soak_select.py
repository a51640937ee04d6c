"""Send one ``closeknit select --serve`` a million requests, one in a hundred hostile.

Run ``make soak``, or ``python benchmarks/soak_select.py [--requests N] [--seconds S]``.
Each request is written when the one before is answered, and timed by the client, from
its last byte written to its answer read. Answers are compared with the first one to the
same request, hostile requests must be answered by an error, and at intervals the
configuration is reloaded. Memory is the resident set of the server; it counts as
flat when, after the warm-up, it stays within 5 MiB of where it was then.

The requests are bounded by their number and by ``--seconds``, whichever ends first.
Exit status 1 when memory is not flat, an answer is wrong, or one request in a thousand
takes longer than 50 ms.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, sleep
from typing import IO, Any

CONFIG = "drakenberg-figure-6"
HOSTILE_EVERY = 100
RELOAD_EVERY = 50_000
QUESTIONS = 300
WARM_UP = 5_000
FLAT_MIB = 5.0
LATENCY_MS = 50.0
_LINE = 2**20


def hostile() -> dict[str, bytes]:
    """Return one request of every invalid kind, without its line break."""

    def free(text: str) -> bytes:
        return json.dumps({"queue": "cluster", "pes": 4, "free": text}).encode()

    def pes(text: str) -> bytes:
        return f'{{"queue": "cluster", "pes": {text}}}'.encode()

    ranges = ",".join(["0-4194303"] * 43)
    return {
        "sum of ranges": free(f"n[{ranges}]"),
        "product of brackets": free("n" + 8 * "[0-9]"),
        "brackets without end": free(20_000 * "[1]"),
        "list of a million": free("n," * (_LINE // 2 - 40)),
        "numbers of a million": free("n[" + "1," * (_LINE // 2 - 40) + "1]"),
        "long name": free("n" * (_LINE - 100)),
        "name unlike any": free("cluster-of-somebody-else"),
        "brackets that do not pair": free("n[01-12"),
        "listed twice": free("n01,n01.1"),
        "range of 10^18": free("n[0-999999999999999999]"),
        "a file": free("@/dev/zero"),
        "control characters": free("n01\x00\x1b[2J"),
        "line too long": free("x" * _LINE),
        "line of 3 MiB": b"\xff" * (3 * _LINE),
        "not UTF-8": b"\xff\xfe\x00",
        "half a character": free("n01")[:-2] + b'\xc3"}',
        "surrogate": rb'{"queue": "\ud800", "pes": 4}',
        "nested arrays": b"[" * 100_000,
        "nested objects": b'{"a":' * 100_000,
        "1e400": pes("1e400"),
        "exponent of 10^9": pes("1e999999999"),
        "5000 digits": pes("9" * 5000),
        "a million digits": pes("9" * (_LINE - 100)),
        "2^63": pes(str(2**63)),
        "negative": pes("-1"),
        "zero": pes("0"),
        "NaN": pes("NaN"),
        "text for a number": pes('"4"'),
        "key twice": b'{"queue": "cluster", "pes": 4, "pes": 4}',
        "unknown key": b'{"queue": "cluster", "pes": 4, "' + b"k" * 100_000 + b'": 1}',
        "unknown queue": b'{"queue": "' + b"q" * 100_000 + b'", "pes": 4}',
        "no object": b"[]",
        "null": b"null",
        "two objects": pes("4") + pes("4"),
        "cut off": pes("4")[:-1],
        "null bytes": 1000 * b"\0",
        "escape of a terminal": b"\x1b]0;title\x07",
    }


def questions(seed: int) -> list[bytes]:
    """Draw valid requests of all sizes, some with everything free."""
    pick = random.Random(seed)
    found = []
    for _ in range(QUESTIONS):
        hosts = pick.sample(range(1, 43), pick.randint(1, 42))
        free = ",".join(f"n{i:02}" for i in sorted(hosts))
        request: dict[str, Any] = {"queue": "cluster", "pes": pick.randint(1, 168)}
        if pick.random() < 0.8:
            request["free"] = free
        found.append(json.dumps(request).encode())
    return found


@dataclass
class Measured:
    """Results of a soak test.

    Parameters
    ----------
    requests, hostile, reloads
        How many there were.
    latencies
        Of all requests after the warm-up, in microseconds.
    resident
        Of the server in MiB, from the end of the warm-up on.
    wrong
        Answers that were not what they should be, in short.
    seconds, server_seconds
        Wall-clock time in all; CPU time of the server.
    """

    requests: int = 0
    hostile: int = 0
    reloads: int = 0
    latencies: array[int] = field(default_factory=lambda: array("L"))
    resident: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    slowest: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    server_seconds: float = 0.0

    @property
    def drift(self) -> float:
        """Largest deviation of the memory from that after the warm-up, in MiB."""
        return max((abs(x - self.resident[0]) for x in self.resident), default=0.0)

    def quantile(self, share: float) -> float:
        """Return the latency that this share of the requests does not exceed, in ms."""
        ranked = sorted(self.latencies)
        return ranked[min(int(share * len(ranked)), len(ranked) - 1)] / 1000


@contextmanager
def served(config: str = CONFIG) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server for as long as the block lasts."""
    process = subprocess.Popen(
        [sys.executable, "-m", "closeknit", "select", "--config", config, "--serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def soak(
    process: subprocess.Popen[bytes],
    requests: int,
    *,
    seconds: float = float("inf"),
    warm_up: int = WARM_UP,
    seed: int = 1,
    progress: IO[str] | None = None,
) -> Measured:
    """Send so many requests to a server after a warm-up, and measure.

    Memory is read a hundred times.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    sink, source = process.stdin.fileno(), process.stdout.fileno()
    pick = random.Random(seed)
    good, bad = questions(seed), hostile()
    kinds = list(bad)
    known: dict[bytes, bytes] = {}
    found = Measured()

    def ask(kind: str, request: bytes) -> int:
        _send(sink, request + b"\n")
        begin = perf_counter()
        answer = _receive(source)
        spent = int(1e6 * (perf_counter() - begin))
        if kind:
            right = answer.startswith(b'{"error":')
        else:
            plain = _plain(answer)
            right = plain == known.setdefault(request, plain)
            right = right and not answer.startswith(b'{"error":')
        if not right:
            found.wrong.append(f"{kind or request!r}: {answer[:100]!r}")
        found.slowest[kind] = max(spent, found.slowest.get(kind, 0))
        return spent

    for request in good:
        ask("", request)
    for kind in kinds:
        ask(kind, bad[kind])
    for i in range(warm_up):
        ask("", good[i % len(good)])
        if i % HOSTILE_EVERY == 0:
            ask(
                kinds[i // HOSTILE_EVERY % len(kinds)],
                bad[kinds[i // 100 % len(kinds)]],
            )
    process.send_signal(signal.SIGHUP)
    sleep(1.0)
    for request in good:
        ask("", request)
    found.slowest.clear()
    start, cpu = perf_counter(), _cpu(process.pid)
    found.resident.append(_resident(process.pid))
    every = max(requests // 100, 1)
    for i in range(1, requests + 1):
        kind = kinds[i // HOSTILE_EVERY % len(kinds)] if i % HOSTILE_EVERY == 0 else ""
        spent = ask(kind, bad[kind] if kind else pick.choice(good))
        found.latencies.append(spent)
        found.requests += 1
        found.hostile += bool(kind)
        if i % RELOAD_EVERY == 0:
            process.send_signal(signal.SIGHUP)
            found.reloads += 1
        if i % every == 0:
            found.resident.append(_resident(process.pid))
            if progress:
                print(
                    f"{i:9,d}  {found.resident[-1]:7.1f} MiB  "
                    f"{perf_counter() - start:7.0f} s",
                    file=progress,
                    flush=True,
                )
        if perf_counter() - start > seconds:
            break
    found.seconds = perf_counter() - start
    found.server_seconds = _cpu(process.pid) - cpu
    return found


def _send(sink: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(sink, view) :]


def _receive(source: int) -> bytes:
    answer = b""
    while not answer.endswith(b"\n"):
        part = os.read(source, 2**16)
        if not part:
            raise SystemExit(f"the server ended; its last words: {answer[:200]!r}")
        answer += part
    return answer


def _plain(answer: bytes) -> bytes:
    """Return an answer without its time."""
    before, _, after = answer.partition(b'"seconds":')
    return before + after.lstrip(b"0123456789.e-")


def _resident(pid: int) -> float:
    """Return the resident set of a process in MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("the server has no memory: it has ended")


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--requests", type=int, default=10**6)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--config", default=CONFIG)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with served(args.config) as process:
        found = soak(
            process,
            args.requests,
            seconds=args.seconds,
            seed=args.seed,
            progress=sys.stderr,
        )
    load = os.getloadavg()
    rows = [
        ("requests", f"{found.requests:,d}"),
        ("of them hostile", f"{found.hostile:,d}, {len(hostile())} kinds"),
        ("reloads", f"{found.reloads}"),
        ("wrong answers", f"{len(found.wrong)}"),
        ("memory after warm-up", f"{found.resident[0]:.1f} MiB"),
        ("memory at the end", f"{found.resident[-1]:.1f} MiB"),
        ("farthest from the first", f"{found.drift:.1f} MiB"),
        *(
            (f"latency p{100 * q:g}", f"{found.quantile(q):.3f} ms")
            for q in (0.5, 0.9, 0.99, 0.999, 0.9999)
        ),
        ("latency max", f"{found.quantile(1):.3f} ms"),
        ("wall clock", f"{found.seconds:.0f} s"),
        ("CPU of the server", f"{found.server_seconds:.0f} s"),
        (
            "load average",
            f"{load[0]:.1f} {load[1]:.1f} {load[2]:.1f}, {os.cpu_count()} CPUs",
        ),
    ]
    for name, value in rows:
        print(f"{name:25s} {value}")
    print("slowest by kind, ms:")
    for kind, spent in sorted(found.slowest.items(), key=lambda pair: -pair[1])[:8]:
        print(f"  {kind or 'good requests':25s} {spent / 1000:.1f}")
    for wrong in found.wrong[:10]:
        print(f"wrong: {wrong}")
    fine = not found.wrong and found.drift <= FLAT_MIB
    return 0 if fine and found.quantile(0.999) < LATENCY_MS else 1


if __name__ == "__main__":
    sys.exit(main())
