"""Drawn jobs of parts: the sets that `bench_clusters` runs, and by which proofs count.

``python benchmarks/job_sets.py --draw`` writes job_sets.json again: how many groups or
replicas each job of the second set has, just enough to fit or a few too many.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

from closeknit.clusters.jobs.program import minimise
from closeknit.formulations.cluster.answer import decide
from closeknit.formulations.cluster.constraints import Slices
from closeknit.formulations.cluster.domains import DomainTree, NodeDevices
from closeknit.formulations.cluster.job import GangJob, ObjectivePart, Role
from closeknit.formulations.cluster.proof import (
    LOG,
    RECOUNT,
    NoFitProof,
    prove_no_fit,
)
from closeknit.papers.graded_rules.drawing import TEMPLATES, even_tree
from closeknit.solvers import Settings, Status

FILE = Path(__file__).with_name("job_sets.json")
COUNT = 200
SHAPES = {1000: (5, 10, 20), 10_000: (5, 10, 10, 20), 100_000: (10, 25, 20, 20)}
"""Domains in domains, and nodes in a rack."""


TREES = {n: even_tree(*shape) for n, shape in SHAPES.items()}


def domains_of_levels(tree: DomainTree) -> tuple[ObjectivePart, ...]:
    """Return the usual objective."""
    return tuple(ObjectivePart("domains", name) for name in tree.levels[-2::-1])


def nested(n: int, number: int) -> tuple[GangJob, NodeDevices]:
    """Draw a job of whole nodes in nested slices; every other one does not fit."""
    chance, tree = random.Random(1000 * n + number), TREES[n]
    share = [chance.betavariate(0.7, 2.0) for _ in range(prod(SHAPES[n][:-1]))]
    each = SHAPES[n][-1]
    free = np.array([chance.random() > share[i // each] for i in range(n)])
    devices = NodeDevices(tree, np.where(free, 1, -1), np.ones(n, dtype=np.int64))
    size = chance.choice([2, 4, 8, 16])
    slices = [Slices("rack", ("worker",), size)]
    for level in tree.levels[1:-1]:
        if chance.random() < 0.7:
            size *= chance.choice([2, 3, 4])
            slices.append(Slices(level, ("worker",), size))

    def job(pods: int) -> GangJob:
        role = Role("worker", max(1, pods))
        return GangJob((role,), tuple(slices), domains_of_levels(tree))

    most = largest(job, devices, int(free.sum()))
    if number % 2:
        return job(most + chance.randrange(1, max(2, size))), devices
    return job(round(most * chance.uniform(0.1, 1))), devices


def largest(job: Callable[[int], GangJob], devices: NodeDevices, most: int) -> int:
    """Return the largest number with which a job fits."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        bare = job(middle).without()
        fits = decide(bare, devices, Settings(time_limit=20)).fits
        low, high = (middle, high) if fits else (low, middle)
    return low


def drawn(number: int) -> tuple[Callable[[int], GangJob], NodeDevices, int]:
    """Draw a job of several roles on 1000 nodes with eight devices, by its size."""
    chance, tree = random.Random(number), TREES[1000]
    share = [chance.betavariate(0.7, 1.5) for _ in range(50)]
    free = [
        chance.choice([0, 2, 4, 6]) if chance.random() < share[i // 20] else 8
        for i in range(1000)
    ]
    down = [chance.random() < 0.02 for _ in range(1000)]
    devices = NodeDevices(
        tree, np.where(down, -1, free), np.full(1000, 8, dtype=np.int64)
    )
    ask, size = chance.choice([2, 4, 8]), chance.choice([2, 4, 6])
    spread = chance.choice([1, 2, 4])
    templates = [*TEMPLATES.values()]

    def template(count: int) -> GangJob:
        job = templates[number % 3](count, ask, size, spread)
        return replace(job, objective=domains_of_levels(tree))

    return template, devices, chance.randrange(3)


def mixed(number: int) -> tuple[GangJob, NodeDevices]:
    """Return a job of the second set; every other one does not fit."""
    template, devices, _ = drawn(number)
    return template(json.loads(FILE.read_text("utf-8"))[number]), devices


def sets() -> Iterator[tuple[str, Callable[[int], tuple[GangJob, NodeDevices]]]]:
    """Yield the sets, by name: functions of the number of a job."""
    for n in SHAPES:
        yield f"nested slices, {n} nodes", lambda i, n=n: nested(n, i)
    yield "roles apart, spread, with leaders, 1000 nodes", mixed


def print_table(count: int, seconds: float = 10.0) -> None:
    """Print what the jobs of every set take, and by which proofs they are settled."""
    print(
        "| jobs | fit | median, ms | 99 % | most | proven best | does not fit: "
        "recount | pseudo-Boolean | neither | median size, KiB | proving, s |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, draw in sets():
        spent, sizes, proving = [], [], []
        fit = best = 0
        kinds: Counter[str] = Counter()
        for number in range(count):
            job, devices = draw(number)
            if not number:
                decide(job, devices, program=minimise)  # compiles
            began = process_time()
            found = decide(job, devices, Settings(time_limit=seconds), minimise)
            spent.append(1000 * (process_time() - began))
            fit += found.fits is True
            best += found.status is Status.OPTIMAL
            if found.fits is False:
                with TemporaryDirectory() as folder:
                    path = str(Path(folder) / "p")
                    shown = prove_no_fit(job, devices, path, seconds)
                proved = isinstance(shown, NoFitProof)
                kinds[shown.kind if proved else "neither"] += 1
                if proved:
                    sizes.append(shown.size / 1024)
                    proving.append(shown.seconds)
            kinds["neither"] += found.fits is None
        spent.sort()
        cells = [
            str(fit),
            f"{median(spent):.1f}",
            f"{spent[int(0.99 * (count - 1))]:.0f}",
            f"{spent[-1]:.0f}",
            f"{best} of {fit}",
            *(str(kinds[kind]) for kind in (RECOUNT, LOG, "neither")),
            f"{median(sizes or [0]):.0f}",
            f"{median(proving or [0]):.2f}",
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Write how large each job of the second set is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", action="store_true", required=True)
    parser.parse_args()
    sizes = []
    for number in range(COUNT):
        template, devices, more = drawn(number)
        most = largest(template, devices, 400)
        sizes.append(most + 1 + more if number % 2 else max(1, most - more))
        print(number, sizes[-1], flush=True)
    FILE.write_text(json.dumps(sizes) + "\n", "utf-8")


if __name__ == "__main__":
    main()
