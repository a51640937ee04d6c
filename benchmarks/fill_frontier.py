"""Fill the frontier: solve and prove the instances of each family, keep what is better.

    CLOSEKNIT_DATA=... python benchmarks/fill_frontier.py [FAMILY...] [--time-limit S]

What cannot be proved within the limit is added with the best bound that can, or with
its value alone. Instances whose entry is settled already are left out. The worst ratios
are filled by fill_worst_known.py.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from closeknit.api.findings import Untrue
from closeknit.api.frontier.adding import add_solution
from closeknit.instances import (
    Instance,
    Submesh,
    problem_of,
    read_instance,
    write_instance,
)
from closeknit.instances.submesh.generators import waiting_state
from closeknit.methods import METHODS
from closeknit.proofs.checking.folder import KINDS
from closeknit.proofs.checking.kinds import DNN
from closeknit.reports.frontier.entries import (
    FOLDER,
    WORST,
    data_file,
    generate,
)
from closeknit.reports.frontier.worst import read_families
from closeknit.reports.proofs.proving import certify
from closeknit.solvers import Grade, Result, Settings, Status, answer, write_solution
from closeknit.solvers.running import clock

RECIPES: dict[str, tuple[str, list[str]]] = {
    "towns": (
        "empty meshes: least pair sums of k points of a grid (Bender et al. 2008; "
        "OEIS, docs/papers/oeis); more than 48 points of the plane or 13 of space are "
        "missing: they have no certificates",
        [
            *(f"full --shape 12x12 --k {k}" for k in range(2, 49)),
            *(f"full --shape 6x6x6 --k {k}" for k in range(2, 14)),
        ],
    ),
    "occupied": (
        "meshes, tori, trees half free, and points, drawn by closeknit generate",
        [
            *(
                f"random --shape {shape} --k {k} --seed 1{kind}"
                for shape, k, kind in (
                    *(("8x8", 16, ""), ("16x16", 32, ""), ("16x16", 64, "")),
                    *(("32x32", 16, ""), ("4x4x4", 12, ""), ("6x6x6", 16, "")),
                    *(("8x8x8", 16, ""), ("8x8", 12, " --kind torus")),
                    *(("9x9", 12, " --kind torus"), ("16x16", 32, " --kind torus")),
                    ("4x4x4", 10, " --kind tree"),
                )
            ),
            "full --shape 4x4x4 --kind tree --k 24",
            "uniform --n 60 --d 2 --k 12 --seed 1",
            "clustered --n 80 --d 2 --k 12 --seed 1",
            "uniform --n 500 --d 2 --k 25 --seed 1",
        ],
    ),
    "processor-sets": (
        "planes, domains and drawn sets, as in Drakenberg 2012",
        [
            "planes --shape 5x5x5 --request 12 --free 60% --seed 1",
            "planes --shape 8x8x8 --request 24 --free 50% --seed 1",
            "domains --n 64 --size 8 --request 12 --free 75% --seed 2",
            "sets --n 24 --sets 14 --size 4 --request 9 --levels 2 --free 75% --seed 2",
            "sets --n 40 --sets 30 --size 6 --request 16 --levels 3 --seed 1",
            "drakenberg --request 48 --free 40% --seed 7",
        ],
    ),
    "sukp": (
        "set-union knapsacks: drawn as He et al. 2018 drew them, and their set I, of "
        "which only values are known here; set II is missing",
        [
            f"sukp --items {size} --elements {size} --density 0.{density} "
            f"--ratio 0.{ratio} --seed {seed}"
            for size, density, ratio, seeds in (
                *((20, 10, 75, (1, 2)), (30, 10, 75, (1, 2)), (40, 15, 85, (1, 2))),
                *((60, 10, 75, (1,)), (60, 15, 85, (1,)), (85, 10, 75, (1,))),
            )
            for seed in seeds
        ],
    ),
    "dragonflies": (
        "hosts of dragonflies, some of them busy",
        [
            f"dragonfly --a {a} --p {p} --h {h} --k {k} --free {free}% --seed {seed}"
            for a, p, h in ((2, 2, 2), (4, 2, 2), (4, 4, 2))
            for k, free, seed in ((8, 100, 0), (10, 50, 3), (16, 50, 1), (24, 75, 2))
            if k <= a * p * (a * h + 1) * free // 200
        ],
    ),
    "k-cluster": (
        "random graphs, drawn as those of the k-cluster library: the k nodes with the "
        "most edges among them; a choice of cost c has k (k - 1) - c; the files of the "
        "library are missing",
        [
            f"k-cluster --n {n} --density {density} --k {n * share // 4} --seed 0"
            for n, density, share in product((40, 60, 80), (25, 50, 75), (1, 2, 3))
        ],
    ),
    "grey-patterns": (
        "cells of a torus, chosen far apart (Taillard 1995): 8x8 with k = 13 is half "
        "of QAPLIB's tai64c, 16x16 with k = 92 half of tai256c",
        [
            *(f"grey --shape 8x8 --k {k}" for k in (2, 4, 8, 13, 16, 20, 24, 28, 32)),
            "grey --shape 16x16 --k 92",
        ],
    ),
}
FILES = {
    "pmed": (
        "OR-Library, p-median networks: the closest k nodes, k being the p of the file "
        "(Drezner 2006); pmed19, 20, 24, 25, 29, 30, 34, 37 and 40 are missing",
        [
            f"data/pmed/pmed{i}.txt.xz"
            for i in range(1, 41)
            if i not in (19, 20, 24, 25, 29, 30, 34, 37, 40)
        ],
    ),
}
BY_MATRICES = ("dragonflies", "grey-patterns", "k-cluster", "pmed")
"""Families whose certificates by matrices are smaller than other proofs."""
STATES = (
    "waiting requests, simulated by closeknit generate submesh; residents may move; "
    "sets of the literature are missing, which are no requests to a full mesh"
)


def states() -> Iterator[Submesh]:
    """Yield requests to full meshes, whose residents may be moved."""
    drawn = [
        *(waiting_state((12, 12), 2, 6, seed) for seed in range(1, 9)),
        *(waiting_state((16, 16), 1, 8, seed, rotate=True) for seed in range(1, 13)),
        *(waiting_state((16, 16), 4, 12, seed) for seed in range(1, 13)),
        waiting_state((32, 32), 4, 12, 2),
        *(waiting_state((8, 8), 1, 4, seed, torus=True) for seed in range(1, 5)),
    ]
    for one in drawn:
        yield replace(one, migrate=True)


def known_solutions() -> Iterator[tuple[Path, Instance, list[int]]]:
    """Yield the knapsacks of the literature with the best choices known here."""
    for line in (
        data_file("data/sukp/verified_solutions.jsonl").read_text().splitlines()
    ):
        row = json.loads(line)
        for folder in ("setI", "setII"):
            path = Path(os.environ["CLOSEKNIT_DATA"], "data", "sukp", folder)
            path /= f"{row['name']}.txt.xz"
            if path.is_file():
                yield path, read_instance(path), row["items0"]


@dataclass(frozen=True)
class Target:
    """Where an instance belongs, and how it is made."""

    where: Path
    family: str
    source: str
    limit: float
    recipe: str = ""
    file: Path | None = None


def keep(to: Target, instance: Instance, chosen: list[int] | None = None) -> None:
    """Add an instance, solved and proved, or a choice of it; print what came of it.

    What arithmetic derives is added without a proof in a file.
    """
    if chosen is not None:
        print(
            add(
                to, instance, "tabu search", answer(instance, chosen, start=clock.now())
            ),
            flush=True,
        )
        return
    method = METHODS[problem_of(instance).name]["auto"]
    result = method(instance, Settings(time_limit=to.limit))
    if result.proof is not None and result.proof.grade is Grade.CHECKED:
        try:
            print(add(to, instance, "auto", result), flush=True)
            return
        except Untrue:
            pass
    kinds = (DNN,) if to.family in BY_MATRICES else KINDS
    proven = certify(instance, "auto", result, to.limit, kinds, bounds=True)
    result = proven.result
    if proven.kept is None:
        if result.chosen is None:
            print(f"{to.family}: {instance.name}: left out: {proven.why}", flush=True)
            return
        result = answer(instance, result.chosen, start=clock.now())
    try:
        taken = add(to, instance, "auto", result, proven.content)
    except Untrue as untrue:
        taken = str(untrue)
    print(f"{taken} {result.status.value} {len(proven.content or b'')}", flush=True)


def add(
    to: Target, instance: Instance, by: str, result: Result, proof: bytes | None = None
) -> str:
    """Add a result to the frontier; return what was taken."""
    with TemporaryDirectory() as name:
        at, solution, kept = (Path(name, one) for one in ("i.json", "s.json", "p"))
        write_instance(instance, at)
        write_solution(instance, by, result, solution)
        if proof is not None:
            kept.write_bytes(proof)
        command = f"python benchmarks/fill_frontier.py {to.family}"
        return add_solution(
            *(to.where, str(to.file or at), str(solution)),
            None if proof is None else str(kept),
            family=to.family,
            source=to.source,
            recipe=to.recipe,
            again=f"{command} --time-limit {to.limit:g}",
        )


def main() -> None:
    """Fill the families named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*")
    parser.add_argument("--time-limit", type=float, default=20.0)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    args = parser.parse_args()
    where, limit = args.folder, args.time_limit
    known = {
        name: entry.claims.status
        for file in read_families(where)
        if file.family != WORST
        for name, entry in file.entries.items()
    }

    def wanted(family: str) -> bool:
        return not args.families or family in args.families

    def is_open(name: str) -> bool:
        return known.get(name, Status.FEASIBLE) is Status.FEASIBLE

    for family, (source, recipes) in RECIPES.items():
        for recipe in recipes if wanted(family) else ():
            one = generate(recipe)
            if is_open(one.name):
                keep(Target(where, family, source, limit, recipe), one)
    for family, (source, names) in FILES.items():
        for path in map(data_file, names if wanted(family) else ()):
            one = read_instance(path)
            if is_open(one.name):
                keep(Target(where, family, source, limit, file=path), one)
    if wanted("sukp"):
        for path, one, items in known_solutions():
            if one.name not in known:
                source = "He, Xie, Wong, Wang, FGCS 2018; Wei, Hao"
                keep(Target(where, "sukp", source, limit, file=path), one, items)
    for one in states() if wanted("migration") or wanted("packing") else ():
        if is_open(one.name):
            result = METHODS["submesh"]["auto"](one, Settings(time_limit=limit))
            family = "packing" if result.chosen is None else "migration"
            keep(Target(where, family, STATES, limit), one)


if __name__ == "__main__":
    main()
