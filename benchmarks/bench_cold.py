"""Time first starts: commands with an empty folder of machine code, and again.

Each row is a process of its own, started as a user starts it. ``first`` rows begin with
an empty folder, ``again`` rows with what the row before left there. Seconds are wall
clock; processor seconds, children included, are printed as well, because on a busy
machine only they are meaningful.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

TINY = """{"format": "closeknit/ksubset", "version": 1, "name": "job-17",
"topology": {"kind": "mesh", "shape": [8, 8]},
"busy": [[0, 3], [1, 3], [2, 3], [2, 4], [2, 5], [5, 5]], "k": 9}"""
RANDOM = ["generate", "random", "--free", "50%", "--seed", "1"]
HALF = [*RANDOM, "--shape", "16x16", "--k", "32", "--out"]
LARGE = [*RANDOM, "--shape", "32x32", "--k", "64", "--out"]
MACHINE = ["--config", "drakenberg-figure-6", "--queue", "cluster"]
SELECT = ["select", *MACHINE, "--pes", "24"]


@dataclass(frozen=True)
class Row:
    """One command, and the seconds that it should take at most."""

    what: str
    words: list[str]
    target: float | None = None
    empty: bool = True


def rows(folder: Path) -> list[Row]:
    """List the commands; instance files lie in the folder."""
    tiny, half, large = (str(folder / f"{name}.json") for name in ("tiny", "16", "32"))
    return [
        Row("solve 8x8, first ever", ["solve", tiny], 5.0),
        Row("solve 8x8, again", ["solve", tiny], 0.4, empty=False),
        Row("solve 16x16 half full, k = 32, first ever", ["solve", half], 10.0),
        Row("solve 32x32 half full, k = 64, first ever", ["solve", large]),
        Row("solve 32x32, again", ["solve", large], empty=False),
        Row("solve 16x16, then", ["solve", half], empty=False),
        Row("select, first ever", SELECT),
        Row("verify --quick", ["verify", "--quick"], 60.0),
        Row("warm: all kernels", ["warm"], 60.0),
        Row("warm, again", ["warm"], empty=False),
        Row("solve 8x8, all kernels there", ["solve", tiny], 0.4, empty=False),
    ]


def main() -> None:
    """Run the rows that are wanted and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="rows whose text contains one of these")
    only = parser.parse_args().only
    closeknit = Path(sys.executable).with_name("closeknit")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "tiny.json").write_text(TINY)
        for words, name in (HALF, "16"), (LARGE, "32"):
            subprocess.run([closeknit, *words, folder], check=True, capture_output=True)
            next(folder.glob(f"{name}x*.json")).rename(folder / f"{name}.json")
        print(f"{'':44} {'wall':>8} {'CPU':>8} {'wanted':>8}")
        cache = 0
        for row in rows(folder):
            cache += row.empty
            if only and not any(text in row.what for text in only):
                continue
            environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / str(cache))}
            before, began = os.times(), perf_counter()
            done = subprocess.run(
                [closeknit, *row.words],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
            wall, after = perf_counter() - began, os.times()
            spent = after.children_user + after.children_system
            spent -= before.children_user + before.children_system
            wanted = "" if row.target is None else f"{row.target:8.1f}"
            print(f"{row.what:44} {wall:8.2f} {spent:8.2f} {wanted}", flush=True)
            if done.returncode:
                print(f"  exit {done.returncode}: {done.stderr.strip()}")


if __name__ == "__main__":
    main()
