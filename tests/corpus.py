"""What the readers of files are tried with: good files, and how they are spoilt."""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from closeknit.exact.ksubset.cuts_bb.record import record
from closeknit.instances import KSubset, Mesh, Sukp, problem_of, read_instance
from closeknit.instances.ksubset.certificate_file import check_certificate
from closeknit.instances.reading.files import read_text
from closeknit.instances.reading.json_text import dumps
from closeknit.instances.reading.parsing import parse_json
from closeknit.instances.support import support_of
from closeknit.instances.writing.sukp_text import sukp_text
from closeknit.proofs.checking.opb import read_opb
from closeknit.proofs.writing.proof_files import write_certificate
from closeknit.reports.campaigns.study.file import read_study
from closeknit.reports.frontier.entries import FOLDER, parse_entry, read_entries
from closeknit.scheduler.config import read_configuration
from closeknit.scheduler.hostlist import unfold
from closeknit.simulation.swf import read_header, read_swf
from closeknit.solvers import read_solution
from closeknit.solvers.running import clock

from .additions.recipes import recipes

Read = Callable[[Path], object]
"""Reads a file; what it returns does not matter."""
PROVED = KSubset("proved", Mesh((3, 4)), tuple(Mesh((3, 4)).locations()), 5)
OPTIMUM = 16


@dataclass(frozen=True)
class Reader:
    """A reader and good files for it.

    Parameters
    ----------
    read
        The reader.
    suffix
        Of its files.
    seeds
        Good files.
    kind
        How they are spoilt: ``json``, ``text``, or ``packed`` after unpacking, too.
    spoil
        How many files are made of each.
    """

    read: Read
    suffix: str
    seeds: Callable[[], list[bytes]]
    kind: str = "text"
    spoil: int = 90


def _instances(problem: str) -> list[bytes]:
    few = [one for one in recipes() if problem_of(one).name == problem]
    few.sort(key=lambda one: len(dumps(support_of(one).document_of(one))))
    kinds = {support_of(one).features(one).structure: one for one in reversed(few)}
    return [dumps(support_of(one).document_of(one)).encode() for one in kinds.values()]


def _sukp_texts() -> list[bytes]:
    text = next(sukp_text(one) for one in recipes() if isinstance(one, Sukp)).encode()
    return [text, lzma.compress(text)]


def _solutions() -> list[bytes]:
    head = {"format": "closeknit/solution", "version": 1, "instance": "a"}
    head |= {"sha256": "0" * 64, "method": "auto"}
    return [
        json.dumps(head | rest).encode()
        for rest in (
            {
                "status": "optimal",
                "objective": 16,
                "bound": 16,
                "proof": {"grade": "checked", "by": "town bound"},
                "selection": [[0, 1], [1, 1]],
                "seconds": 0.25,
                "seed": 3,
            },
            {
                "status": "infeasible",
                "proof": {"grade": "checked", "by": "pair"},
                "certificate": {"kind": "pair", "maps": [[[1, 2], [3, 4]]]},
                "limit": "time",
            },
            {
                "status": "feasible",
                "objective": [1, 2, 1],
                "selection": {"at": [0, 0, 1, 1], "moves": []},
            },
        )
    ]


def _certificates() -> list[bytes]:
    nodes = record(PROVED, OPTIMUM, clock.now() + 600)
    assert isinstance(nodes, list)
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "c.xz"
        write_certificate(PROVED, OPTIMUM, nodes, path)
        return [path.read_bytes()]


def _traces() -> list[bytes]:
    rows = [
        f"{n} {60 * n} 5 {100 + n} {1 + n % 7} -1 -1 8 3600 -1 1 2 1 -1 1 {n % 2} -1 -1"
        for n in range(1, 9)
    ]
    text = "; Version: 2.2\n; UnixStartTime: 0\n;   more\n\n" + "\n".join(rows) + "\n"
    return [text.encode()]


def _configurations() -> list[bytes]:
    text = """queues: cluster, fast
slots: [n01..n06 = 1..4], [n07 = fast@1, 2; cluster@3]
groups: left = {n01..n03}, right = {n04.1, n05..n06}
costs:
  when PEs in [1,4]: cluster@left = [1,0], fast@right = [0,-0]
  otherwise: cluster@left = [2,3], cluster@right = [1,1]
end-costs
constraints:
  cluster@when PEs in [2,8]: cost <= ceil(1.25*MINCOST(PEs)) and not cost[1] > 2*PEs,
  cluster@otherwise: true,
  otherwise: cost lex <= [PEs/2 + 3, (4 - 1)*floor(2.5)] or true
options: lookahead = after 1
"""
    return [text.encode()]


def _families() -> list[bytes]:
    found = []
    for name in ("towns", "pmed", "packing"):
        whole = json.loads((FOLDER / f"{name}.json").read_text())
        whole["entries"] = sorted(whole["entries"], key=lambda one: len(str(one)))[:2]
        found.append(json.dumps(whole).encode())
    return found


FORMULA = """* #variable= 3 #constraint= 2
min: +3 xa -2 ~xb ;
+2 xa +3 ~xb -1 xc >= 1 ;
+1 xa +1 xb = 1 ;
"""
STUDY = """format = "closeknit/study"
version = 1
name = "n"
time-limit = 2.5
repeats = 2
seed = 1

[methods]
ksubset = ["mm", "random"]

[exact]
ksubset = "auto"

[[instances]]
family = "random"
shape = ["4x4", "3x3"]
k = 3
count = 2
without = ["random"]

[[instances]]
files = "*.nothing"
optional = true
"""


def _hosts(path: Path) -> object:
    return unfold(read_text(path))


def _request(path: Path) -> object:
    return parse_json(read_text(path))


def _trace(path: Path) -> object:
    read_header(path)
    return sum(1 for _ in read_swf(path))


def _certificate(path: Path) -> object:
    return check_certificate(PROVED, path)


READERS: dict[str, Reader] = {
    **{
        problem: Reader(read_instance, ".json", partial(_instances, problem), "json")
        for problem in ("ksubset", "procset", "sukp", "submesh")
    },
    "sukp text": Reader(read_instance, ".txt", _sukp_texts),
    "trace": Reader(_trace, ".swf", _traces),
    "trace, xz": Reader(
        _trace, ".swf.xz", lambda: [lzma.compress(t) for t in _traces()], "packed"
    ),
    "trace, gz": Reader(
        _trace, ".swf.gz", lambda: [gzip.compress(t) for t in _traces()], "packed"
    ),
    "configuration": Reader(read_configuration, ".conf", _configurations),
    "solution": Reader(read_solution, ".json", _solutions, "json"),
    "certificate": Reader(_certificate, ".xz", _certificates, "packed"),
    "formula": Reader(read_opb, ".opb", lambda: [FORMULA.encode()]),
    "study": Reader(
        lambda path: read_study(str(path)), ".toml", lambda: [STUDY.encode()]
    ),
    "hostlist": Reader(_hosts, ".txt", lambda: [b"n[01-12,15],login1,r[1-2]n[1-3].2"]),
    "frontier": Reader(
        partial(read_entries, parse=parse_entry), ".json", _families, "json"
    ),
    "request": Reader(
        _request,
        ".json",
        lambda: [b'{"queue": "q", "pes": 4, "free": "n[1-2]"}'],
        "json",
    ),
}


# How they are spoilt ---------------------------------------------------------------

VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2**31, 2**63, -(2**63), 10**30, 10**4000),
    *(0.5, 1e300, "", "x", "\u202e", "n[0-99999999]", "a" * 70_000, "\ud800"),
    *([], {}, [[]], [0] * 1000, [None], {"a": 1}, {"kind": "mesh"}),
)
TEXTS = (
    *("NaN", "-Infinity", "1e999999999", "0.1e-999999999", "[" * 200 + "]" * 200),
    *("[" * 100_000, '"\\ud800"', "9" * 5000, "1" + "0" * 4000, "0x10", "01", "'a'"),
)
WORDS = (
    *(
        "\0",
        "\ufeff",
        "\u2028",
        "\u202e",
        "\x1b[31m",
        "-1",
        "1e9",
        "99999999999999999999",
    ),
    *("n[0-9999999999]", "..", "#", ";", '"', "[", "]", "{", "}", "=", "\n", "\t", " "),
    *("1970-01-01", "nan", "inf", "é", "\U0001f600", "0", "true", "'"),
)


def spoilt(
    reader: Reader, seed: bytes, rng: random.Random, times: int
) -> Iterator[bytes]:
    """Yield spoilt files: each kind of fault at places that are drawn."""
    yield from _always(seed)
    makers = [_bytes, _slices, _words]
    if reader.kind == "json":
        makers += [_document, _document, _document]
    for _ in range(times):
        if reader.kind == "packed" and rng.random() < 0.7:
            yield _repacked(seed, lambda body: rng.choice(makers)(body, rng))
        else:
            yield rng.choice(makers)(seed, rng)


def _always(seed: bytes) -> Iterator[bytes]:
    yield from (b"", b"\0", b"\n" * 1000, b"\xff\xfe", seed + seed, seed + b"\0" * 9)
    yield b"\xef\xbb\xbf" + seed
    yield seed.replace(b"\n", b"\r\n")
    yield seed.decode("latin-1").encode("utf-16")
    yield from (seed[: len(seed) // 2], seed[:-1], seed[1:], seed[:9], seed[9:])
    yield b"\xfd7zXZ\x00" + seed
    yield lzma.compress(seed)[:-9]


def _bytes(seed: bytes, rng: random.Random) -> bytes:
    """Flip bits."""
    body = bytearray(seed)
    for _ in range(rng.choice([1, 1, 2, 8])):
        if body:
            body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
    return bytes(body)


def _slices(seed: bytes, rng: random.Random) -> bytes:
    """Cut off, take out, double, move."""
    a, b = sorted((rng.randrange(len(seed) + 1), rng.randrange(len(seed) + 1)))
    b = min(b, a + rng.choice([1, 4, 30, len(seed)]))
    times = rng.choice([0, 0, 2, 40])
    return rng.choice([seed[:a], seed[:a] + seed[a:b] * times + seed[b:]])


def _words(seed: bytes, rng: random.Random) -> bytes:
    """Put something there."""
    a = rng.randrange(len(seed) + 1)
    b = a + rng.choice([0, 0, 1, 5])
    return seed[:a] + rng.choice(WORDS).encode() + seed[b:]


def _document(seed: bytes, rng: random.Random) -> bytes:
    """Change a value, take it out, name it twice or otherwise; of lines, in one."""
    try:
        lines = [json.loads(line) for line in seed.decode().splitlines()]
    except ValueError:
        lines = [json.loads(seed)]
    line = rng.randrange(len(lines))
    places = list(_places(lines[line]))
    holder, key = rng.choice(places)
    what = rng.randrange(6)
    marker = "@@here@@"
    if what < 3:
        holder[key] = rng.choice(VALUES)
    elif what == 3:
        holder[key] = marker
    elif isinstance(holder, dict):
        value = holder.pop(key)
        if what == 4:
            holder[f"{key}x"] = value
    else:
        holder.insert(key, holder[key])
    texts = [json.dumps(one) for one in lines]
    if what == 3:
        texts[line] = texts[line].replace(f'"{marker}"', rng.choice(TEXTS))
    if what == 5 and isinstance(holder, dict):
        texts[line] = texts[line].replace("{", '{"format": 1, "format": 2, ', 1)
    return "\n".join(texts).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = range(len(value)) if isinstance(value, list) else list(value)
    for key in keys:
        yield value, key
        if isinstance(value[key], list | dict):
            yield from _places(value[key])


def _repacked(seed: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Change what is inside, and give it a digest that fits."""
    if seed.startswith(b"\x1f\x8b"):
        return gzip.compress(change(gzip.decompress(seed)))
    body = lzma.decompress(seed)
    text, _, digest_line = body.rstrip(b"\n").rpartition(b"\n")
    if len(digest_line) != 64:
        return lzma.compress(change(body))
    text = change(text + b"\n")
    return lzma.compress(text + hashlib.sha256(text).hexdigest().encode() + b"\n")
