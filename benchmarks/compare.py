"""Compare the speed and the answers of two commits, in pairs of runs on one machine.

    make bench COMPARE=v0.1.0,HEAD
    python benchmarks/compare.py A,B [--rows NAME,NAME] [--pairs N] [--json OUT]
                                     [--markdown OUT] [--list]

Both commits are unpacked into a temporary folder. They share this environment where
they pin what it has, else each gets the versions that it pins. Every row of
``compare_rows.py`` runs once in both, so that no clock contains a compilation; then N
pairs of fresh processes run the rows in turn, A first in one row, B first in the next.
Rows are measured in CPU seconds of the solving part, on one thread; those named
``whole-`` are commands, from start to end by the clock on the wall.

The table has the medians, and the ratio B/A with an interval of 95 %
(``compare_verdicts.py``). A row whose interval lies above 1.15 is named as slower. One
that lies above 1.5, or that fails in B alone, is run again, and the exit status is 1
where that holds twice. A row that a commit does not know is named, and no good news;
neither are other answers. Nothing compared: exit status 1. A commit that is not there,
or a commit beside itself: exit status 2.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tomllib
import venv
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any, Protocol

from compare_rows import ROWS
from compare_verdicts import (
    FAIL,
    FEWEST_PAIRS,
    SUSPICIOUS,
    Comparison,
    Runs,
    Verdict,
    compare,
    failures,
    summary,
)

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = Path(__file__).resolve().with_name("compare_rows.py")
MOST_SECONDS = 300.0
"""For one row, its compilation included; then the process is ended."""
SIDES = ("A", "B")


def say(text: str) -> None:
    """Tell where the comparison is."""
    print(f"compare: {text}", file=sys.stderr, flush=True)


class Side(Protocol):
    """What runs rows of one commit."""

    def ask(self, row: str) -> dict[str, Any]:
        """Run a row once."""

    def close(self) -> None:
        """End the process."""


class Worker:
    """A process that runs rows; one that dies is a failure of the row alone."""

    def __init__(
        self,
        python: str,
        tree: Path,
        script: Path = SCRIPT,
        seconds: float = MOST_SECONDS,
    ) -> None:
        threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        self._command = [python, str(script), str(tree)]
        self._environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("CLOSEKNIT")},
            **dict.fromkeys(threads, "1"),
            "PYTHONPATH": str(tree),
            "NUMBA_CACHE_DIR": str(tree.parent / f"{tree.name}-kernels"),
            "PYTHONHASHSEED": "0",
        }
        self._seconds = seconds
        self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._command,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, row: str) -> dict[str, Any]:
        """Run a row once; start another process if this one ends."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        timer = Timer(self._seconds, process.kill)
        timer.start()
        try:
            process.stdin.write(f"{row}\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        late = not timer.is_alive()
        timer.cancel()
        if line.endswith("\n"):
            found: dict[str, Any] = json.loads(line)
            return found
        self.close()
        self._process = self._start()
        if late:
            return {"failed": f"took more than {self._seconds:g} s"}
        return {"failed": f"its process ended with status {process.returncode}"}

    def close(self) -> None:
        """End the process and wait for it."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        self._process.wait()


def measure(
    rows: Sequence[str],
    start: Callable[[str], Side],
    pairs: int,
) -> dict[str, Runs]:
    """Run rows in pairs of fresh processes; a row in trouble is not run again."""
    runs = {row: Runs() for row in rows}
    for pair in range(pairs):
        say(f"pair {pair + 1} of {pairs}")
        sides = {name: start(name) for name in SIDES}
        try:
            for place, row in enumerate(rows):
                if not runs[row].trouble:
                    order = SIDES if (pair + place) % 2 == 0 else SIDES[::-1]
                    found = {name: sides[name].ask(row) for name in order}
                    runs[row].add(found, ROWS[row].clock)
        finally:
            for side in sides.values():
                side.close()
    return runs


def prepare(rows: Sequence[str], start: Callable[[str], Side]) -> None:
    """Run every row once in both commits, so that all machine code is there."""

    def run(name: str) -> None:
        side = start(name)
        try:
            for row in rows:
                side.ask(row)
        finally:
            side.close()

    with ThreadPoolExecutor(len(SIDES)) as pool:
        list(pool.map(run, SIDES))


def git(*words: str) -> bytes:
    """Return what git prints; end with its words if it fails."""
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True)
    if done.returncode:
        print(f"compare: {done.stderr.decode().strip()}", file=sys.stderr)
        raise SystemExit(2)
    return done.stdout


def commit_of(name: str) -> str:
    """Return the full name of a commit; end with one line if there is none."""
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    done = subprocess.run(
        ["git", "-C", str(ROOT), *words, f"{name}^{{commit}}"], capture_output=True
    )
    if done.returncode:
        print(f"compare: there is no commit {name!r}", file=sys.stderr)
        raise SystemExit(2)
    return done.stdout.decode().strip()


def unpack(commit: str, tree: Path) -> str:
    """Write the files of a commit into a folder; return its full name."""
    name = commit_of(commit)
    with tarfile.open(fileobj=BytesIO(git("archive", name))) as files:
        files.extractall(tree, filter="data")
    return name


def pins_of(tree: Path) -> str:
    """Return a digest of what a tree wants to be installed."""
    wanted = tomllib.loads((tree / "pyproject.toml").read_text("utf-8"))["project"]
    pins = (tree / "constraints.txt").read_text("utf-8")
    text = json.dumps([sorted(wanted["dependencies"]), pins])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def python_for(tree: Path, folder: Path) -> str:
    """Return an interpreter with what a tree pins: this one, if it pins the same."""
    pins = pins_of(tree)
    if pins == pins_of(ROOT):
        return sys.executable
    home = folder / f"environment-{pins}"
    python = home / "bin" / "python"
    if not home.exists():
        say(f"an environment for the versions that {tree.name} pins")
        venv.create(home, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        pip.append("--disable-pip-version-check")
        pinned = ["--require-hashes", "-r", str(tree / "constraints.txt")]
        own = ["--no-deps", "--no-build-isolation", str(tree)]  # for its metadata
        for words in (pinned, own):
            if subprocess.run([*pip, *words], check=False).returncode:
                say(f"pip cannot install what {tree.name} pins")
                raise SystemExit(2)
    return str(python)


def lines(comparisons: Iterable[Comparison]) -> list[list[str]]:
    """Return the cells of the table."""
    cells = []
    for one in comparisons:
        shown = ["", "", "", ""]
        if one.medians is not None and one.ratio is not None:
            middle, low, high = one.ratio
            shown = [f"{seconds:.4f}" for seconds in one.medians]
            shown += [f"{middle:.3f}", f"{low:.3f} to {high:.3f}"]
        clock = ROWS[one.row].clock
        cells.append([one.row, clock, *shown, one.verdict.value, one.note])
    return cells


HEAD = ["row", "clock", "A, s", "B, s", "B/A", "95 %", "verdict", ""]


def table(comparisons: Sequence[Comparison]) -> str:
    """Return the table as Markdown, which a terminal shows as well."""
    cells = [HEAD, *lines(comparisons)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEAD))]
    cells.insert(1, ["-" * max(3, width) for width in widths])
    return "\n".join(
        "| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in cells
    )


def warnings(comparisons: Sequence[Comparison]) -> list[str]:
    """Return a line for each row that is no good news."""
    found = []
    for one in comparisons:
        if one.verdict in (Verdict.SLOWER, Verdict.MUCH_SLOWER) and one.ratio:
            middle, low, _ = one.ratio
            found.append(f"{one.row}: {middle:.2f} times as long, at least {low:.2f}")
        if one.note:
            found.append(f"{one.row}: {one.verdict.value}: {one.note}")
    return found


def document(one: Comparison, runs: Runs) -> dict[str, Any]:
    """Return what --json has of a row."""
    medians, ratio = one.medians or (None, None), one.ratio or (None, None, None)
    keys = ("median_a", "median_b", "ratio", "low", "high")
    return {
        "row": one.row,
        "clock": ROWS[one.row].clock,
        "verdict": one.verdict.value,
        **dict(zip(keys, (*medians, *ratio), strict=True)),
        "note": one.note,
        "seconds": runs.seconds,
        "answers": [sorted(side) for side in runs.answers],
    }


def options(words: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commits", nargs="?", metavar="A,B", help="as git names them")
    parser.add_argument("--rows", default=",".join(ROWS), metavar="NAME,NAME")
    parser.add_argument("--pairs", type=int, default=9, metavar="N")
    parser.add_argument("--json", type=Path, metavar="OUT")
    parser.add_argument("--markdown", type=Path, metavar="OUT", help="is appended to")
    parser.add_argument("--list", action="store_true", help="print the rows' names")
    args = parser.parse_args(words)
    args.rows = list(dict.fromkeys(args.rows.split(",")))
    if strange := [row for row in args.rows if row not in ROWS]:
        parser.error(f"--rows: no such row: {strange[0]}; there are {', '.join(ROWS)}")
    if args.pairs < FEWEST_PAIRS:
        parser.error(f"--pairs: must be at least {FEWEST_PAIRS}, not {args.pairs}")
    args.commits = (args.commits or "").split(",")
    if not args.list and (len(args.commits) != 2 or not all(args.commits)):
        parser.error("two commits are needed, such as v0.1.0,HEAD")
    for out in (args.json, args.markdown):
        if out and (out.is_dir() or not out.absolute().parent.is_dir()):
            parser.error(f"no file can be written there: {out}")
    return args


def report(
    rows: Sequence[str], start: Callable[[str], Side], args: argparse.Namespace
) -> int:
    """Measure, print, run what is suspicious again; return the exit status."""
    runs = measure(rows, start, args.pairs)
    first = [compare(row, runs[row]) for row in rows]
    parts = [table(first)]
    again: list[Comparison] = []
    if suspicious := [one.row for one in first if one.verdict in SUSPICIOUS]:
        say(f"once more: {', '.join(suspicious)}")
        more = measure(suspicious, start, args.pairs)
        again = [compare(row, more[row]) for row in suspicious]
        parts += ["Once more:", table(again)]
    failed = failures(first, again)
    parts.append(summary(first))
    if failed:
        parts.append(f"Beyond {FAIL:g} in two runs: {', '.join(failed)}")
    compared = sum(one.ratio is not None for one in first)
    if not compared:
        parts.append("No row was compared.")
    text = "\n\n".join(parts) + "\n"
    print(text, end="")
    if args.markdown:
        with args.markdown.open("a", encoding="utf-8") as file:
            file.write(text)
    if args.json:
        found = {
            "a": args.commits[0],
            "b": args.commits[1],
            "pairs": args.pairs,
            "rows": [document(one, runs[one.row]) for one in first],
            "again": [document(one, more[one.row]) for one in again],
            "failures": failed,
            "summary": summary(first),
        }
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if os.environ.get("GITHUB_ACTIONS"):
        for line in warnings(first):
            print(f"::warning title=Speed::{line}")
    return 1 if failed or not compared else 0


def main(words: Sequence[str] | None = None) -> int:
    """Compare two commits."""
    args = options(words)
    if args.list:
        print(*ROWS, sep="\n")
        return 0
    if len({*map(commit_of, args.commits)}) == 1:
        print(f"compare: {','.join(args.commits)}: the same commit", file=sys.stderr)
        return 2
    with TemporaryDirectory(prefix="closeknit-compare-") as name:
        folder = Path(name)
        trees = {side: folder / side for side in SIDES}
        args.commits = [
            unpack(commit, tree)
            for commit, tree in zip(args.commits, trees.values(), strict=True)
        ]
        for side, commit in zip(SIDES, args.commits, strict=True):
            say(f"{side} is {commit[:12]}")
        pythons = {side: python_for(tree, folder) for side, tree in trees.items()}

        def start(side: str) -> Side:
            return Worker(pythons[side], trees[side])

        say("compiling")
        prepare(args.rows, start)
        return report(args.rows, start, args)


if __name__ == "__main__":
    sys.exit(main())
