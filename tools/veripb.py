"""Let VeriPB, a checker of other hands, confirm proofs.

    python tools/veripb.py [FOLDER...] [--drawn N] [--seed S] [--time-limit S]

It is given the pseudo-Boolean proofs of folders that `ratios --proofs` wrote, those of
the frontier where that is the folder, and those of N drawn instances for each problem,
every tenth of them also by Exact: as written, and rewritten in 2.0 and 3.0, about the
formula that `export --to opb` writes. What it confirms has to be the cost of the
solution. Ends with 1 if anything is refused, and keeps the files of that; with 2 if
there was no proof. `veripb` is looked for on PATH; `make veripb` installs it.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from io import StringIO
from itertools import chain, combinations
from math import prod
from pathlib import Path
from shutil import copyfile, copytree, which
from tempfile import TemporaryDirectory
from typing import NamedTuple

import closeknit as ck
from closeknit.cli.app import run
from closeknit.instances import (
    Instance,
    KSubset,
    ProcessorSet,
    ProcSet,
    Submesh,
    Sukp,
    arrays,
    read_instance,
    write_instance,
)
from closeknit.instances.procset.generators import (
    random_domains,
    random_sets,
    torus_planes,
)
from closeknit.instances.reading.json_text import dumps
from closeknit.instances.result import LOGGED
from closeknit.instances.solution import FORMAT
from closeknit.instances.submesh import Resident, box_at, overlap
from closeknit.instances.sukp.generators import random_sukp
from closeknit.instances.topologies.graph import Graph
from closeknit.methods.proofs import prove_and_cite
from closeknit.proofs.checking import Proved, formula_of
from closeknit.proofs.checking.folder import INDEX, read_index
from closeknit.proofs.checking.formulas import fold, levels_of
from closeknit.proofs.checking.kinds import LOG
from closeknit.proofs.writing.exact_log import solve_by_exact
from closeknit.proofs.writing.proof_syntax import proof_lines
from closeknit.reports.frontier.entries import WORST
from closeknit.reports.frontier.worst import read_families
from closeknit.solvers import SolverError, read_solution, write_solution

EVERY = 10
"""Of the drawn instances one in so many is also proved by Exact."""
READS = ("2.0", "3.0")
"""Versions of the syntax that VeriPB 3 reads."""
WAYS = ("as written", *READS)
WRONG = "Exact, whose log our checker refuses"


def draw_graph(pick: random.Random) -> KSubset:
    """Draw a request to a connected graph whose distances are no sums of cuts."""
    while True:
        nodes = pick.randint(4, 11)
        edges = {(pick.randrange(v), v): pick.randint(1, 3) for v in range(1, nodes)}
        for pair in pick.sample(
            list(combinations(range(nodes), 2)), pick.randint(1, nodes)
        ):
            edges.setdefault(pair, pick.randint(1, 3))
        listed = tuple((u, v, w) for (u, v), w in edges.items())
        hosts = sorted(pick.sample(range(nodes), pick.randint(3, nodes)))
        network = Graph(nodes, listed, tuple(hosts))
        free = tuple(network.locations())
        instance = KSubset("drawn", network, free, pick.randint(1, len(free)))
        if not arrays.has_cuts(instance):
            return instance


def draw_processor_sets(pick: random.Random) -> ProcSet:
    """Draw a request to planes, to domains, or to any sets, some of them odd."""
    kind, seed = pick.randrange(6), pick.randrange(10**6)
    costs = pick.choice(["equal", "levels", "drawn"])
    request, private = pick.randint(2, 8), pick.choice([0, 0, 3])
    free = pick.randint(request, 12)
    draw: Callable[..., ProcSet]
    if kind == 0:
        shape = pick.choice([(3, 3, 3), (4, 4), (3, 2, 2), (2, 2, 2, 2)])
        free = min(free, prod(shape))
        draw = partial(torus_planes, shape, costs=costs)
    elif kind == 1:
        families, size = pick.randint(2, 4), pick.randint(2, 5)
        draw = partial(random_domains, 14, families, size, costs=costs)
    elif kind == 2:
        share = Fraction(pick.randint(1, 4), 10)
        draw = partial(random_sets, 24, pick.randint(5, 12), share, levels=2)
    if kind < 3:
        return draw(request=request, free=free, seed=seed, private=private)
    n, levels = pick.randint(1, 9), pick.randint(1, 4)
    large = pick.choice([1, 3, 3, 9, 2**33])
    held = tuple(
        ProcessorSet(
            f"s{i}",
            tuple(pick.sample(range(n), pick.randint(1, n))),
            tuple(pick.choice([0, pick.randint(0, large)]) for _ in range(levels)),
        )
        for i in range(pick.randint(1, 8))
    )
    some = tuple(pick.sample(range(n), pick.randint(1, n)))
    names = tuple(f"p{i}" for i in range(n))
    return ProcSet("drawn", names, some, pick.randint(1, len(some) + 1), held)


def draw_knapsack(pick: random.Random) -> Sukp:
    """Draw a knapsack like those of the literature, or an odd one."""
    if pick.randrange(2):
        share = Fraction(pick.randint(1, 9), 10)
        density = Fraction(pick.randint(1, 4), 10)
        sizes = pick.randint(1, 22), pick.randint(1, 22)
        return random_sukp(*sizes, density, share, pick.randrange(10**6))
    m, large = pick.randint(1, 9), pick.choice([1, 5, 2**35])
    weights = tuple(pick.choice([0, 1, pick.randint(0, large)]) for _ in range(m))
    items = [
        tuple(sorted(pick.sample(range(m), pick.randint(0, m))))
        for _ in range(pick.randint(1, 9))
    ]
    profits = tuple(pick.choice([0, 1, pick.randint(0, large)]) for _ in items)
    return Sukp("drawn", profits, weights, tuple(items), pick.randint(0, sum(weights)))


def draw_submesh(pick: random.Random) -> Submesh:
    """Draw a mesh or torus with residents; some requests cannot be placed."""
    shape = pick.choice([(4, 4), (2, 5), (3, 3), (5, 1), (2, 2, 3), (5, 5), (6, 4)])
    torus, held = pick.randrange(3) == 0, list[Resident]()
    empty = Submesh("empty", shape, (), (1,) * len(shape), torus=torus)
    for _ in range(pick.randint(0, 5)):
        size = [pick.randint(1, min(side, 3)) for side in shape]
        place = [
            pick.randrange(side if torus else side - s + 1)
            for s, side in zip(size, shape, strict=True)
        ]
        box = box_at(place, size)
        if not any(overlap(empty, box, other.box) for other in held):
            held.append(Resident(box, pick.randrange(4) == 0, pick.randrange(2) == 0))
    return Submesh(
        "drawn",
        shape,
        tuple(held),
        tuple(pick.randint(1, side + (pick.randrange(9) == 0)) for side in shape),
        rotate=pick.randrange(2) == 0,
        migrate=pick.randrange(4) > 0,
        torus=torus,
    )


DRAW: dict[str, Callable[[random.Random], Instance]] = {
    "ksubset": draw_graph,
    "procset": draw_processor_sets,
    "sukp": draw_knapsack,
    "submesh": draw_submesh,
}


def ask_veripb(instance: Path, solution: Path, proof: Path) -> dict[str, str]:
    """Return what VeriPB says of a proof, by way of writing; empty where it agrees.

    The files that it reads are written beside the instance.
    """
    formula, one = instance.with_suffix(".opb"), read_instance(instance)
    _closeknit("export", str(instance), "--to", "opb", "--out", str(formula))
    texts = {"as written": instance.with_suffix(".pbp")}
    with proof_lines(proof) as lines:
        texts["as written"].write_text("".join(lines))
    if not texts["as written"].read_text().split("\n", 1)[0].endswith(READS):
        del texts["as written"]
    for version in READS:
        out = texts[version] = instance.with_suffix(f".{version}.pbp")
        given = [str(instance), str(solution), "--proof", str(proof)]
        _closeknit("check", *given, "--rewrite", str(out), "--syntax", version)
    answer, shape = read_solution(solution), formula_of(one)
    least: int | str = "INF"
    if answer.objective is not None:
        least = fold(answer.objective, levels_of(one)) * shape.unit - shape.offset
    right = f"s VERIFIED BOUNDS {least} <= obj <= {least}"
    return {way: find_objection(formula, text, right) for way, text in texts.items()}


def _closeknit(*command: str) -> None:
    """Run a command of closeknit's that must succeed."""
    written = StringIO()
    with redirect_stdout(written), redirect_stderr(written):
        status = run(command)
    if status:
        raise SystemExit(f"closeknit {' '.join(command)}: {written.getvalue()}")


def find_objection(formula: Path, proof: Path, right: str) -> str:
    """Run VeriPB; return its verdict where it is not the right one."""
    done = subprocess.run(
        ["veripb", str(formula), str(proof)],
        capture_output=True,
        text=True,
        check=False,
    )
    if right in done.stdout.splitlines():
        return ""
    lines = [*done.stdout.splitlines()[1:], *done.stderr.splitlines()]
    wrong = [line.strip() for line in lines if not line.startswith("Info")]
    return "; ".join(filter(None, wrong))[:300]


class Case(NamedTuple):
    """An answer, and its proof; ``by`` says whose, or why there is none."""

    by: str
    instance: Path
    solution: Path
    proof: Path | None


def draw_cases(
    problem: str, count: int, seed: int, limit: float, folder: Path
) -> Iterator[Case]:
    """Write drawn instances, solutions and proofs, each over the one before."""
    pick = random.Random(f"{problem} {seed}")
    at, solution, proof = folder / "i.json", folder / "s.json", folder / "p.xz"
    for number in range(count):
        instance = DRAW[problem](pick)
        result = ck.solve(instance, time_limit=limit).result
        found = prove_and_cite(instance, result, proof, seconds=limit, kinds={LOG})
        write_instance(instance, at)
        write_solution(instance, "auto", result, solution)
        if found.kept is None:
            yield Case(found.why, at, solution, None)
            continue
        yield Case(found.kept.by, at, solution, proof)
        if number % EVERY == 0 and found.kept.by != "Exact" and find_spec("exact"):
            try:
                solved = solve_by_exact(instance, seconds=limit, keep=proof)
            except SolverError:
                yield Case(WRONG, at, solution, None)
                continue
            if isinstance(solved.proved, Proved):
                yield Case("Exact", at, solution, proof)


def copy_cases(kept: Path, folder: Path) -> Iterator[Case]:
    """Copy what a folder of proofs holds, or the frontier, one after the other."""
    at, solution = folder / "i.json", folder / "s.json"
    if not (kept / INDEX).exists():
        files = (file for file in read_families(kept) if file.family != WORST)
        for one in chain(*(file.entries.values() for file in files)):
            if one.claims.proof == LOGGED and one.proof is not None:
                names = {"instance": one.name, "sha256": one.sha256}
                head = {"format": FORMAT, "version": 1, **names}
                write_instance(one.read(), at)
                solution.write_text(dumps({**head, **one.solution}))
                yield Case(LOGGED.by, at, solution, one.proof.path(kept))
        return
    for entry in read_index(kept):
        copyfile(kept / entry.instance.file, at)
        copyfile(kept / entry.solution.file, solution)
        proof = None
        if entry.kind == LOG and entry.proof is not None:
            proof = kept / entry.proof.file
        yield Case(entry.by if proof else entry.kind, at, solution, proof)


def tally(name: str, cases: Iterator[Case], refused: Path) -> tuple[int, int]:
    """Print how many proofs of each kind are confirmed.

    Returns how many are not, and how many times one was.
    """
    counts: dict[str, Counter[str]] = {}
    wrong = 0
    for case in cases:
        mine = counts.setdefault(case.by, Counter())
        mine["answers"] += 1
        if case.proof is None:
            wrong += case.by == WRONG
            continue
        objections = ask_veripb(case.instance, case.solution, case.proof)
        for way, objection in objections.items():
            mine[way] += not objection
            if objection:
                wrong += 1
                where = refused / str(len(list(refused.glob("*"))))
                copytree(case.instance.parent, where)
                print(f"{where}, {way}: {objection}", file=sys.stderr, flush=True)
    for by, mine in sorted(counts.items()):
        cells = [str(mine[way]) if way in mine else "" for way in WAYS]
        row = [name, by, str(mine["answers"]), *cells]
        print(f"| {' | '.join(row)} |", flush=True)
    return wrong, sum(mine[way] for mine in counts.values() for way in WAYS)


def main() -> int:
    """Print a table of verdicts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", metavar="FOLDER", nargs="*", type=Path)
    parser.add_argument("--drawn", metavar="N", type=int, default=0)
    parser.add_argument("--problem", choices=list(DRAW), help="draw of this one only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time-limit", metavar="S", type=float, default=10.0)
    parser.add_argument("--refused", type=Path, default=Path("out/veripb/refused"))
    args = parser.parse_args()
    if which("veripb") is None:
        parser.error("there is no veripb on PATH: make install-veripb")
    print(f"| from | proved by | answers | {' | '.join(WAYS)} |")
    print("|---|---|---:|---:|---:|---:|", flush=True)
    found = []
    with TemporaryDirectory(prefix="closeknit-") as scratch:
        folder = Path(scratch)
        for kept in args.folders:
            found.append(tally(str(kept), copy_cases(kept, folder), args.refused))
        for problem in [args.problem] if args.problem else DRAW:
            given = args.drawn, args.seed, args.time_limit, folder
            cases = draw_cases(problem, *given)
            found.append(tally(f"drawn {problem}", cases, args.refused))
    wrong, confirmed = map(sum, zip(*found, strict=True))
    if not confirmed and not wrong:
        print("no proof was confirmed", file=sys.stderr)
        return 2
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
