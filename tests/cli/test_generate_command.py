"""``closeknit generate`` through the real command line."""

from __future__ import annotations

import gzip
import json
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.cli.commands import parser_of
from closeknit.instances import KSubset, read_instance, read_ksubset

from ..data import IPSC, PARAGON, needs
from ..instances.schemas import obeys

Capture = pytest.CaptureFixture[str]

FAMILIES = {
    "full --shape 4x3 --k 5": ["4x3-full-k5"],
    "full --shape 2x2x2 --kind torus --k 5": ["2x2x2-torus-full-k5"],
    "full --shape 2x3 --kind tree --k 5": ["2x3-tree-full-k5"],
    "torus --shape 4x3 --k 5": ["4x3-torus-full-k5"],
    "random --shape 6x6 --k 4 --seed 7 --count 3": [
        "6x6-random-50pct-k4-s7",
        "6x6-random-50pct-k4-s8",
        "6x6-random-50pct-k4-s9",
    ],
    "random --shape 6x6 --kind torus --k 4 --free 12": [
        "6x6-torus-random-12free-k4-s0"
    ],
    "fragmented --shape 6x6 --k 4 --method row-major --count 2": [
        "6x6-fragmented-75pct-row-major-k4-s0",
        "6x6-fragmented-75pct-row-major-k4-s1",
    ],
    "fragmented --shape 6x6 --k 4 --method hilbert/best-fit": [
        "6x6-fragmented-75pct-hilbert-best-fit-k4-s0"
    ],
    "fragmented --shape 4x4 --kind tree --k 2 --utilisation 80% --mean-size 3 "
    "--sizes uniform --starts 50": ["4x4-tree-fragmented-80pct-mm-k2-s0"],
    "uniform --n 20 --d 3 --k 4 --size 50": ["uniform-n20-d3-size50-k4-s0"],
    "clustered --n 20 --k 4 --clusters 2 --spread 3": [
        "clustered-n20-d2-c2-spread3-size1000-k4-s0"
    ],
    "grey --shape 3x4 --k 5": ["3x4-grey-k5"],
    "dragonfly --a 2 --p 2 --h 1 --k 3": ["dragonfly-a2-p2-h1-full-k3"],
    "fat-tree --radix 4 --k 5 --free 50% --seed 2": ["fat-tree-4-random-50pct-k5-s2"],
    "hypercube --d 3 --k 4": ["hypercube-3-full-k4"],
    "random-regular --n 10 --k 4 --seed 1": ["regular-n10-d3-full-k4-s1"],
    "theorem1 --d 3 --k 24 --eps 1/10": ["theorem1-d3-k24-eps1-10"],
    "median-decoys --k 11 --eps 0.01": ["median-decoys-d2-k11-eps1-100"],
    "mm-distinct --L 20": ["mm-distinct-L20"],
    "mm-blocks --k 16 --L 40": ["mm-blocks-k16-L40"],
    "ring-gap --s 2": ["ring-gap-s2"],
    "mc1x1-worst --k 8 --r 50": ["mc1x1-worst-d2-k8-r50"],
    "genalg": ["genalg-L100"],
    "genalg-tree --k 4": ["genalg-tree-k4-L100"],
    "hilbert-gap --N 8": ["hilbert-gap-N8"],
    "drakenberg --request 9 --racks 2 --free 50% --seed 3 --count 2": [
        "drakenberg-56-node-50pct-r9-s3",
        "drakenberg-56-node-50pct-r9-s4",
    ],
    "drakenberg --request 20 --granularity core --costs uniform --racks 1 --centre 0 "
    "--free 20 --partly 25%": ["drakenberg-25-core-uniform-20free-25pct-r20-s0"],
    "planes --shape 4x3 --request 5": ["planes-4x3-equal-full-r5"],
    "planes --shape 3x3x3 --request 8 --free 20 --costs levels --private 5": [
        "planes-3x3x3-levels-own5-20free-r8-s0"
    ],
    "domains --n 30 --request 9 --families 2 --size 7 --costs drawn": [
        "domains-30-2of7-drawn-full-r9-s0"
    ],
    "sets --n 30 --sets 9 --request 6 --levels 2 --free 80% --seed 1": [
        "random-30-9sets-20pct-l2-80pct-r6-s1"
    ],
    "sets --n 30 --sets 9 --size 4 --request 6 --most 3": [
        "random-30-9sets-of4-l1-full-r6-s0"
    ],
    "submesh --shape 8x8 --most 5 --seed 1": ["waiting-8x8-sides1to5-s1"],
    "submesh --shape 6x6x4 --least 2 --most 4 --after 9 --rotate": [
        "waiting-6x6x4-sides2to4-turns-s0"
    ],
    "submesh --shape 8x8 --most 5 --torus --count 2": [
        "waiting-torus-8x8-sides1to5-s0",
        "waiting-torus-8x8-sides1to5-s1",
    ],
    "k-cluster --n 9 --k 3 --density 25 --count 2": [
        *("cluster-n9-d25-k3-s0", "cluster-n9-d25-k3-s1"),
    ],
    "sukp --items 9 --elements 8 --density 1/4 --ratio 0.5": [
        "sukp-9x8-density25pct-capacity50pct-s0"
    ],
}


@pytest.mark.parametrize("options", FAMILIES)
def test_every_family_writes_instances(
    options: str, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "deep" / "folder"
    assert run(["generate", *options.split(), "--out", str(out)]) == 0
    printed, err = capsys.readouterr()
    names = FAMILIES[options]
    assert printed.splitlines() == [str(out / f"{name}.json") for name in names]
    assert err == ""
    assert sorted(path.stem for path in out.iterdir()) == sorted(names)
    for name in names:
        path = out / f"{name}.json"
        instance = read_instance(path)
        assert instance.name == name
        if isinstance(instance, KSubset):
            assert obeys("ksubset", json.loads(path.read_text()))
    before = {path: path.read_bytes() for path in out.iterdir()}
    assert run(["generate", *options.split(), "--out", str(out)]) == 0
    assert {path: path.read_bytes() for path in out.iterdir()} == before


def test_no_family_is_left_out() -> None:
    """All that the help lists is tried above, but what reads files."""
    parser, _ = parser_of("generate")
    tried = {options.split()[0] for options in FAMILIES} | {"trace", "graph"}
    assert set(parser.subcommands) == tried


# what the makers refuse is in the tests of instances; here: what is read from words,
# that a message names the option, and what no test of a maker has
SIDES = "argument --shape: must be sides such as 16x22,"
WINDOW = "argument --range: must be A:B with A"
NONSENSE = [
    ("", "the following arguments are required: FAMILY"),
    ("cube --k 3", "argument FAMILY: invalid choice: 'cube'"),
    ("full --k 3", "the following arguments are required: --shape"),
    ("full --shape 3x3", "the following arguments are required: --k"),
    ("full --shape 3x --k 3", SIDES),
    ("full --shape 3x0 --k 3", SIDES),
    ("full --shape 3,3 --k 3", SIDES),
    ("full --shape -3x3 --k 3", "argument --shape: expected one argument"),
    ("full --shape 9999x9999 --k 3", "--shape: must have at most 2^24 processors"),
    ("full --shape 3x3 --k 10", "--k: must be at most the number of free process"),
    ("full --shape 3x3 --k 1e3", "argument --k: must be an integer from 0 to"),
    ("full --shape 3x3 --k 99999999999", "argument --k: must be an integer from"),
    ("random --shape 3x3 --k 1 --free 0.5", "argument --free: must be a count such"),
    ("random --shape 3x3 --k 1 --free 1e9%", "argument --free: must be a percent"),
    ("random --shape 3x3 --k 1 --free 101%", "--free: must leave between 1 and al"),
    ("random --shape 3x3 --k 1 --count 0", "--count: must be from 1 to 1000000, not"),
    ("random --shape 3x3 --k 1 --seed -1", "argument --seed: must be an integer"),
    ("random --shape 3x3 --k 1 --kind x", "argument --kind: must be mesh, torus, tr"),
    ("fragmented --shape 3x3 --k 1 --mean-size 7", "--mean-size: must lie between"),
    ("fragmented --shape 3x3 --k 1 --method no", "--method: no such method"),
    ("theorem1 --k 8 --eps 1/0", "argument --eps: must be a fraction such as"),
    ("theorem1 --k 8 --eps 1e-9999999", "argument --eps: must be a fraction such"),
    ("mm-distinct --L 5", "--L: must be at least 6, not 5"),
    ("mm-blocks --k 12", "--k: must be a multiple of 8, not 12"),
    ("mm-blocks --k 16 --L 31", "--L: must be at least 32, not 31"),
    ("ring-gap --s 0", "--s: must be at least 1, not 0"),
    ("drakenberg", "the following arguments are required: --request"),
    ("drakenberg --request 1 --granularity rack", "argument --granularity: inv"),
    ("drakenberg --request 1 --costs free", "argument --costs: invalid choice"),
    ("drakenberg --request 1 --partly 101%", "--partly: must lie between 0 and 1"),
    ("planes --shape 3x3 --request 1 --costs x", "argument --costs: invalid cho"),
    ("domains --n 0 --request 1", "--n: must be at least 1, not 0"),
    ("domains --n 9 --request 1 --size 0", "--size: must be at least 1, not 0"),
    ("domains --n 9999999 --request 1", "--n: must be at most 2^24 divided by"),
    (
        "domains --n 2 --size 1 --families 9999 --costs levels --request 1",
        "--costs: mu",
    ),
    ("sets --n 9 --sets 0 --request 1", "--sets: must be at least 1, not 0"),
    ("sets --n 9 --sets 2 --size 10 --request 1", "--size: must lie between 1 an"),
    ("sets --n 9 --sets 2 --size 0% --request 1", "--size: must lie between 0 and"),
    ("sets --n 9 --sets 2 --levels 0 --request 1", "--levels: must be at least 1"),
    ("sets --n 9 --sets 2 --most 0 --request 1", "--most: must be at least 1"),
    ("sets --n 9 --sets 9 --levels 9999999 --request 1", "--levels: must be at most 2"),
    ("submesh --shape 8x8 --most 0", "--most: must be at least 1, not 0"),
    ("submesh --shape 8x8 --least 4 --most 3", "--most: must not be below the"),
    ("submesh --shape 8 --most 3", "--shape: must have two or three sides, not"),
    ("submesh --shape 2x2 --most 1", "--most: no request waits among 20000"),
    ("sukp --items 99999999 --elements 3", "--items: must be at most 2^24"),
    ("sukp --items 3 --elements 99999999", "--elements: must be at most 2^24"),
    ("sukp --items 16777216 --elements 16777216 --density 1/99999999", "--items: must"),
    ("trace --shape 3x3", "the following arguments are required: --trace"),
    ("trace --trace x", "the following arguments are required: --shape"),
    ("trace --trace x --mesh 3x3 --torus 3x3", "argument --torus: not allowed with"),
    *(
        (f"trace --trace x --shape 3x3 --range={one}", WINDOW)
        for one in ("5:5", "9:5", "9", "-3:5")
    ),
    ("trace --trace x --shape 3x3 --first 0", "--first: must be at least 1, not 0"),
    ("trace --trace x --shape 3x3 --first 3 --range 0:3", "argument --range: not all"),
    ("trace --trace x --shape 3x3 --every 0", "--every: must be at least 1, not 0"),
    ("trace --trace x --shape 3by3", SIDES),
    ("trace --trace x --shape 3x3 --method y", "--method: no such method"),
    ("trace --trace no.swf --shape 3x3", "no.swf: cannot be read: No such"),
]


@pytest.mark.parametrize(("options", "message"), NONSENSE)
def test_nonsense_is_one_line_and_exit_2(
    options: str, message: str, tmp_path: Path, refusal: Callable[..., str]
) -> None:
    out = f"--out {tmp_path}" if " " in options else ""
    assert refusal("generate", options, out).startswith(message)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written(
    tmp_path: Path, refusal: Callable[..., str]
) -> None:
    taken = tmp_path / "file"
    taken.write_text("")
    for place in (taken, taken / "below"):
        said = refusal("generate genalg --out", place)
        assert said.startswith(f"{place}: cannot be made")
    (tmp_path / "genalg-L100.json").mkdir()
    said = refusal("generate genalg --out", tmp_path)
    assert said.endswith("genalg-L100.json: cannot be written: Is a directory")
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "file",
        "genalg-L100.json",
    ]


# --- traces ------------------------------------------------------------------


def _log(*rows: tuple[int, int, int, int]) -> str:
    """Write lines of (submit, run, size, partition)."""
    return "; Computer: small\n" + "".join(
        f"{i} {submit} -1 {run} {size} -1 -1 -1 -1 -1 1 1 1 -1 1 {partition} -1 -1\n"
        for i, (submit, run, size, partition) in enumerate(rows, start=1)
    )


ROWS = [
    (0, 50, 3, 1),
    (1, 50, 2, 2),
    (2, -1, 2, 1),
    (3, 50, 40, 1),
    (4, 50, 2, 1),
    (60, 50, 4, 2),
    (61, 50, 1, 1),
]


def _trace(log: Path, out: Path, *options: str) -> int:
    fixed = ["--trace", str(log), "--shape", "2x4", "--method", "row-major"]
    return run(["generate", "trace", *fixed, "--out", str(out), *options])


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_a_trace_becomes_the_occupancies_its_jobs_met(
    suffix: str, tmp_path: Path, capsys: Capture
) -> None:
    packs: dict[str, Callable[[bytes], bytes]] = {
        "": bytes,
        ".gz": gzip.compress,
        ".xz": lzma.compress,
    }
    log = tmp_path / f"small.swf{suffix}"
    log.write_bytes(packs[suffix](_log(*ROWS).encode()))
    out = tmp_path / "out"
    assert _trace(log, out) == 0
    printed, err = capsys.readouterr()
    assert printed.splitlines() == [
        str(out / f"small-{i}.json") for i in (1, 2, 5, 6, 7)
    ]
    assert err == (
        "5 files written, 2 jobs skipped (1 no run time; 1 larger than the machine)\n"
    )
    met = {i: read_ksubset(out / f"small-{i}.json") for i in (1, 2, 5, 6, 7)}
    assert {i: (one.n, one.k) for i, one in met.items()} == {
        1: (8, 3),
        2: (5, 2),
        5: (3, 2),
        6: (8, 4),
        7: (4, 1),
    }
    before = {path: path.read_bytes() for path in out.iterdir()}
    assert _trace(log, out) == 0
    assert {path: path.read_bytes() for path in out.iterdir()} == before
    assert met[5].free == ((1, 1), (1, 2), (1, 3))
    assert met[5].source == (
        f"small.swf{suffix} replayed on 2x4, first come first served, under "
        "row-major, job 5"
    )


def test_window_step_and_partition(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "small.swf"
    log.write_text(_log(*ROWS))

    def written(*options: str) -> list[tuple[str, int]]:
        out = tmp_path / "-".join(options).replace(":", "to")
        assert _trace(log, out, *options) == 0
        capsys.readouterr()
        found = sorted(out.iterdir())
        return [
            (path.stem.removeprefix("small-"), read_ksubset(path).n) for path in found
        ]

    assert written("--range", "1:5") == [("2", 5), ("5", 3)]
    assert written("--range", "1:") == [("2", 5), ("5", 3), ("6", 8), ("7", 4)]
    assert written("--range", ":5", "--every", "2") == [("1", 8), ("5", 3)]
    assert written("--every", "3") == [("1", 8), ("6", 8)]
    assert written("--partition", "2") == [("2", 8), ("6", 8)]
    assert written("--partition", "2", "--range", "1:2") == [("6", 8)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--range", "7:"], "no job of 7: could be placed (2 skipped)"),
        (["--range", "2:4"], "no job of 2:4 could be placed (2 skipped)"),
        (["--partition", "9"], "no job of 0: could be placed (0 skipped)"),
    ],
)
def test_an_empty_selection_is_an_error(
    options: list[str], message: str, tmp_path: Path, capsys: Capture
) -> None:
    log = tmp_path / "small.swf"
    log.write_text(_log(*ROWS))
    assert _trace(log, tmp_path / "out", *options) == 2
    assert capsys.readouterr().err == f"closeknit: {log}: {message}\n"


def test_a_bad_line_ends_the_replay(tmp_path: Path, capsys: Capture) -> None:
    """All that the reader refuses is in tests/simulation/test_swf.py."""
    log = tmp_path / "small.swf"
    log.write_text(f"{_log(*ROWS)}8 70 -1 5\n")
    assert _trace(log, tmp_path / "out") == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"{log}:9: allocated processors: is missing (4 fields, not 18)" in err
    assert _trace(log, tmp_path / "again", "--range", "0:7") == 0  # it is not reached


def test_the_program_itself(tmp_path: Path) -> None:
    """Once as a user runs it: a process of its own, a torus, mm, and then solve."""
    log = tmp_path / "small.swf.gz"
    log.write_bytes(gzip.compress(_log(*ROWS).encode()))
    command = [sys.executable, "-m", "closeknit"]

    def program(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *arguments], cwd=tmp_path, capture_output=True, text=True
        )

    trace = f"generate trace --trace {log.name} --kind torus --shape 2x4 --out out"
    done = program(*trace.split(), "--every", "2")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
    assert done.stdout.split() == [f"out/small-{i}.json" for i in (1, 5, 7)]
    solved = program("solve", *done.stdout.split(), "--method", "mm")
    assert solved.returncode == 0, solved.stderr


@needs("data/swf")
@pytest.mark.parametrize(
    ("log", "machine"),
    [
        (PARAGON, ["--shape", "16x22"]),
        (IPSC, ["--kind", "torus", "--shape", "8x16"]),
    ],
)
def test_the_archives_logs(
    log: Path, machine: list[str], tmp_path: Path, capsys: Capture
) -> None:
    options = ["--range", "0:1000", "--every", "50", "--out", str(tmp_path)]
    assert run(["generate", "trace", "--trace", str(log), *machine, *options]) == 0
    assert capsys.readouterr().err == "20 files written, 0 jobs skipped\n"
    written = sorted(tmp_path.iterdir())
    assert len(written) == 20
    for path in written:
        assert obeys("ksubset", json.loads(path.read_text()))
        assert read_ksubset(path).k >= 1


@pytest.mark.parametrize("words", ["--k 4096", "--k 2 --count 0"])
def test_no_folder_is_made_for_nothing(words: str, tmp_path: Path) -> None:
    out = tmp_path / "made"
    command = f"generate random --shape 4x4 {words} --out {out}"
    assert run(command.split()) == 2
    assert not out.exists()
