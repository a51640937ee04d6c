"""Decide orthogonal packing instances, and states of a first-come-first-served mesh.

    python benchmarks/bench_packing.py [FILE.jsonl...] [--limit S] [--states N]

Prints for every instance of the files (by default the sets of Clautiaux et al. and of
Hopper and Turton in ../shared) the answer, the step that decided and the CPU
seconds, and compares the answers with a table next to the file, if there is one; those
of Hopper and Turton pack as they were cut. Then runs a stream of requests
with migration and prints, by the number of residents, the share of states decided and
how long they took. One run: wall-clock time is limited, CPU time is printed.
"""

from __future__ import annotations

import argparse
import csv
import heapq
import random
import statistics
import time
from collections import Counter
from pathlib import Path

from packings import read_packings

from closeknit.exact.submesh.direct import free_box
from closeknit.exact.submesh.feasibility import Feasibility, decide, feasibility
from closeknit.instances import Submesh
from closeknit.instances.submesh import Box, Resident
from closeknit.solvers import Settings

DATA = Path(__file__).parents[2] / "shared" / "data" / "packing"
FILES = (DATA / "CJCM.jsonl", DATA / "HT2001a.jsonl")
KINDS = ((0, 10), (11, 20), (21, 40), (41, 10**6))


def answers_beside(file: Path) -> dict[str, bool]:
    table = file.with_name(f"{file.stem}_answers.csv")
    if not table.exists():
        return {}
    with table.open() as rows:
        return {
            row["name"]: row["answer"] == "feasible" for row in csv.DictReader(rows)
        }


def pack(file: Path, limit: float) -> None:
    known = answers_beside(file)
    decided = wrong = 0
    packings = read_packings(file)
    for packing in packings:
        start = time.process_time()
        verdict = decide(packing, Settings(time_limit=limit))
        seconds = time.process_time() - start
        agrees = known.get(packing.name) in (None, verdict.fits)
        decided += verdict.fits is not None
        wrong += verdict.fits is not None and not agrees
        said = {True: "yes", False: "no", None: "undecided"}[verdict.fits]
        print(
            f"{packing.name:12} {len(packing.items):4} items  {said:9} "
            f"{verdict.by or '-':14} {seconds:8.3f} s"
            + ("" if agrees or verdict.fits is None else "  WRONG"),
            flush=True,
        )
    print(f"{decided} of {len(packings)} decided, {wrong} against the table")


def states(
    side: int, most: int, requests: int, seed: int, limit: float
) -> list[tuple[int, float, Feasibility]]:
    """Serve requests in order, migrating; record every state without a free box."""
    rng = random.Random(seed)
    queue = [
        ((rng.randint(1, most), rng.randint(1, most)), rng.uniform(5, 30))
        for _ in range(requests)
    ]
    held: dict[int, Box] = {}
    ends: list[tuple[float, int]] = []
    now = 0.0
    noted = []
    served = 0
    while served < len(queue):
        size, residence = queue[served]
        boxes = list(held.values())
        box = free_box((side, side), boxes, size)
        if box is None:
            instance = Submesh(
                "state", (side, side), tuple(Resident(b) for b in boxes), size
            )
            start = time.process_time()
            verdict = feasibility(instance, Settings(time_limit=limit))
            noted.append((len(boxes), time.process_time() - start, verdict))
            if verdict.boxes is not None:
                *moved, box = verdict.boxes
                held = dict(zip(held, moved, strict=True))
        if box is None:
            now, gone = heapq.heappop(ends)
            del held[gone]
            continue
        held[served] = box
        heapq.heappush(ends, (now + residence, served))
        served += 1
    return noted


def filled(
    side: int, most: int, seed: int, limit: float
) -> list[tuple[int, Feasibility]]:
    """Add boxes, migrating, until one is not placed that would fit by its area."""
    rng = random.Random(seed)
    held: list[Box] = []
    noted = []
    while True:
        size = rng.randint(1, most), rng.randint(1, most)
        box = free_box((side, side), held, size)
        if box is not None:
            held.append(box)
            continue
        instance = Submesh("full", (side, side), tuple(map(Resident, held)), size)
        if size[0] * size[1] > instance.free:
            return noted
        verdict = feasibility(instance, Settings(time_limit=limit))
        noted.append((instance.free - size[0] * size[1], verdict))
        if verdict.boxes is None:
            return noted
        held = list(verdict.boxes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="*", default=list(FILES))
    parser.add_argument("--limit", type=float, default=20.0)
    parser.add_argument("--states", type=int, default=60, metavar="REQUESTS")
    args = parser.parse_args()
    decide(read_packings(args.files[0])[0])  # load and compile
    for file in args.files:
        pack(file, args.limit)
    for side, most in ((256, 256), (256, 192), (256, 128)):
        noted = states(side, most, args.states, 1, min(args.limit, 10.0))
        for low, high in KINDS:
            some = [one for one in noted if low <= one[0] <= high]
            if not some:
                continue
            times = [seconds for _, seconds, _ in some]
            done = sum(verdict.fits is not None for _, _, verdict in some)
            print(
                f"{side}x{side}, sides 1 to {most}, {low} to {high} residents: "
                f"{done} of {len(some)} states decided, "
                f"median {1000 * statistics.median(times):.1f} ms, "
                f"most {max(times):.2f} s; by "
                + ", ".join(
                    f"{by or 'nothing'} {count}"
                    for by, count in Counter(v.by for *_, v in some).most_common()
                ),
                flush=True,
            )
    for most in (90, 60, 32):
        runs = [filled(256, most, seed, 4.0) for seed in range(1, 6)]
        free = [100 * left / 256**2 for run in runs for left, v in run if v.fits]
        last = [run[-1] for run in runs if run and run[-1][1].boxes is None]
        print(
            f"256x256 filled with sides 1 to {most}: {len(free)} migrations, at "
            f"best to {min(free, default=100):.1f} % free; the end: "
            + ", ".join(
                f"{'no' if v.fits is False else 'undecided'} at "
                f"{100 * left / 256**2:.1f} %"
                for left, v in last
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
