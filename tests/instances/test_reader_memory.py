"""Files of up to 10 MB, most of them good, are read or refused within 600 MiB."""

from __future__ import annotations

import gzip
import json
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ..corpus import READERS
from ..paths import ROOT

SIZE = 10_000_000
LIMIT_MIB = 600


def _document(kind: str, **values: object) -> bytes:
    document = {"format": f"closeknit/{kind}", "version": 1, **values}
    return json.dumps(document, separators=(",", ":")).encode()


def _instance(problem: str, **values: object) -> bytes:
    return _document(problem, name="x", **values)


def _mesh() -> bytes:
    busy = [[x, y] for x in range(1024) for y in range(620)]
    mesh = {"kind": "mesh", "shape": [1024, 1024]}
    return _instance("ksubset", topology=mesh, busy=busy, k=9)


def _points() -> bytes:
    places = [[x, y] for x in range(1000) for y in range(640)]
    points = {"kind": "points", "coordinates": places}
    return _instance("ksubset", topology=points, k=9)


def _tree() -> bytes:
    n = 600_000
    nodes = {"parent": [-1, *((v - 1) // 2 for v in range(1, n))]}
    nodes["weight"] = [0] + [1] * (n - 1)
    leaves = list(range(n // 2, n))
    tree = {"kind": "tree", **nodes, "processors": leaves}
    return _instance("ksubset", topology=tree, k=9)


def _procset() -> bytes:
    n = 30_000
    names = [f"n{i}" for i in range(n)]
    sets = [
        {"name": f"s{i}", "members": names[i % 97 :: 97], "cost": [0, i % 7]}
        for i in range(4_000)
    ]
    return _instance("procset", processors=names, request=100, sets=sets)


def _sukp() -> bytes:
    n = 8_000
    items = [sorted({(i * j) % n for j in range(1, 260)}) for i in range(n)]
    ones = [1] * n
    return _instance("sukp", profits=ones, weights=ones, items=items, capacity=n // 2)


def _sukp_text() -> bytes:
    row = "1 0 " * 1_000
    ones = "1 " * 2_000
    parts = {
        "m=2000 n=2000 knapsack size=1000": "",
        "The profit of 2000 items": ones,
        "The weight of 2000 elements": ones,
        "Relation matrix": "\n".join([row] * 2_000),
    }
    return "".join(f"{head}\n{body}\n" for head, body in parts.items()).encode()


def _submesh() -> bytes:
    boxes = [[x, y, x, y] for x in range(1000) for y in range(400)]
    return _instance("submesh", mesh=[1000, 1000], residents=boxes, request=[3, 3])


def _swf(copies: int = 1) -> bytes:
    line = "{} {} 1 10 4 -1 -1 4 10 -1 1 1 1 1 1 -1 -1 -1\n"
    return "".join(line.format(i + 1, i) for i in range(copies * SIZE // 52)).encode()


def _configuration() -> bytes:
    most = 4 * 2**20
    seed = READERS["configuration"].seeds()[0]
    return seed + b"# a remark\n" * ((most - len(seed)) // 11)


def _until_large(seed: bytes) -> bytes:
    return seed * (SIZE // len(seed))


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a mesh": ("ksubset", _mesh),
    "points": ("ksubset", _points),
    "a tree": ("ksubset", _tree),
    "sets": ("procset", _procset),
    "items": ("sukp", _sukp),
    "items as text": ("sukp text", _sukp_text),
    "residents": ("submesh", _submesh),
    "packings": ("packing", lambda: _until_large(READERS["packing"].seeds()[0])),
    "a trace": ("trace", _swf),
    "a trace, packed": ("trace, xz", lambda: lzma.compress(_swf(8), preset=1)),
    "a trace, zipped": ("trace, gz", lambda: gzip.compress(_swf(8), 1)),
    "a configuration": ("configuration", _configuration),
    "bytes as compiled": ("compiled", lambda: bytes(range(256)) * 40_000),
    "a solution": (
        "solution",
        lambda: _document(
            "solution",
            instance="x",
            sha256="0" * 64,
            method="mm",
            status="feasible",
            objective=1,
            selection=[[x, y] for x in range(1000) for y in range(640)],
        ),
    ),
    "a certificate": ("certificate", lambda: lzma.compress(b"[1]\n" * 8_000_000)),
    "a formula": (
        "formula",
        lambda: b"".join(b"+1 x%d +1 y%d >= 1 ;\n" % (i, i) for i in range(400_000)),
    ),
    "hosts": ("hostlist", lambda: b",".join(b"n[0-9]x%d" % i for i in range(800_000))),
    "a family": (
        "frontier",
        lambda: b"[" + b"{}," * 2_000_000 + b"{}]",
    ),
    "a request": ("request", lambda: b'{"free": "' + b"n1," * 3_000_000 + b'"}'),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_files_of_10_mb_take_less_than_600_mib(name: str, tmp_path: Path) -> None:
    which, made = FILES[name]
    path = tmp_path / f"large{READERS[which].suffix}"
    path.write_bytes(made())
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from tests.corpus import READERS\n"
        "from closeknit.instances import InputError\n"
        "try:\n    READERS[sys.argv[1]].read(Path(sys.argv[2])); said = 'read'\n"
        "except InputError as error:\n    said = str(error)\n"
        "status = open('/proc/self/status').read()\n"
        "print(int(status.partition('VmHWM:')[2].split()[0]) // 1024, said[:200])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, which, path],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    mib, _, said = done.stdout.partition(" ")
    print(name, path.stat().st_size, mib, said)
    assert int(mib) < LIMIT_MIB, said
