"""Find instances on which a method does badly against the proven optimum.

The search is simulated annealing over the free processors of a network (--shape and
--kind) or over points in space (--d). Networks of up to 16 processors, or 22 with
--exhaustive, are searched exhaustively: what is found there is proved to be the worst.
Every optimum on the way is proved by a search of its own; that of the answer is proved
again by auto. Ctrl-C or the time limit gives the worst instance so far. Exit
status 4 if no instance with a positive optimum was found.
"""

from __future__ import annotations

import argparse
import sys
from math import inf
from pathlib import Path
from typing import Any

from ..extensions import hooks
from ..instances import KSubset, Mesh, arrays, read_instance, write_ksubset
from ..instances.errors import InputError
from ..instances.ksubset.generators import network_of
from ..instances.option_values import seconds
from ..instances.support.ksubset import describe, document_of
from ..instances.words import with_noun
from ..instances.writing.files import try_file
from ..methods.by_name import method_named
from ..reports.adversary import AdversarySearch, BadInstance, SearchSpace
from ..reports.adversary.hunt import Sites
from ..reports.adversary.search import most_free, prove_found, run_search
from ..reports.frontier.entries import FOLDER, WORST, changing
from ..reports.frontier.worst import (
    Entries,
    WorstInstance,
    merge_worse,
    read_worst,
    write_worst,
)
from ..solvers import Settings, Ties
from .frame import outputs, shared
from .frame.families import add_kind
from .frame.parser import Parser, flag, once
from .frame.progress import status_line
from .frame.screen import wrap_text

_SECONDS = 60.0
_SIDE = _K = 8
"""Sides of the mesh and processors to choose, where they are not given."""


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("method", nargs="?", metavar="METHOD", help="a heuristic")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--shape",
        type=shared.shape,
        metavar="16x16",
        help="sides of the mesh or torus; fan-outs of the tree (default: 8x8)",
    )
    add_kind(parser)
    where.add_argument(
        "--d",
        type=shared.number,
        metavar="D",
        help="points in D dimensions, which may coincide",
    )
    for name, default, text in (
        ("--size", 32, "side of the cube of points"),
        ("--k", None, f"processors to choose (default: {_K})"),
        (
            "--n",
            None,
            "maximum number of free processors (default: 2k + 4, or all there are)",
        ),
        (
            "--evaluations",
            None,
            "maximum number of runs of the method; makes the search repeatable "
            "(default: no limit)",
        ),
        ("--seed", 0, "random seed of the search; seeded methods have seed 0"),
    ):
        shared.add_number(parser, name, text, default)
    parser.add_argument(
        "--time-limit",
        type=float,
        metavar="S",
        help="seconds (default: 60, or no limit with --evaluations)",
    )
    parser.old_spelling("--budget", "--time-limit")
    parser.add_argument(
        "--ties",
        choices=("lex", "best", "worst"),
        default="lex",
        help="which of equally near processors the method takes",
    )
    flag(parser, "--exhaustive", "try all sets of up to 22 processors")
    once(
        parser, "--start", "FILE", "begin with this instance, which gives network and k"
    )
    parser.add_argument(
        "--out", type=outputs.file, metavar="FILE", help="write the instance there"
    )
    outputs.add_json(parser, "what was found")
    parser.add_argument(
        "--record",
        nargs="?",
        const=str(FOLDER),
        type=outputs.frontier,
        metavar="DIR",
        help="keep the instance in the frontier, or in the one in DIR, if it is worse "
        "than the entry there",
    )
    for word in ("--ledger", "--update-ledger"):
        parser.refuse_old_word(word, "--record keeps it in DIR/worst-ratios.json")
    parser.refuse_old_word(
        "--families", "closeknit verify worst-cases, closeknit ratios worst-cases"
    )
    parser.refuse_old_word("--table", "closeknit frontier page shows the worst ratios")
    for part in hooks("worst"):
        part.add(parser)
    parser.examples(
        "worst mm --shape 16x16 --k 8 --time-limit 30 --out bad.json",
        "worst mc1x1 --shape 4x4 --k 4 --exhaustive",
    )


def run(args: argparse.Namespace) -> int:
    """Search, and print what was found."""
    for part in hooks("worst"):
        if getattr(args, "objectives", False):
            if args.method is not None:
                raise InputError("stands alone", "--objectives")
            part.run(Settings(time_limit=seconds(args.time_limit or _SECONDS)))
            return 0
    if args.method is None:
        raise InputError("is needed", "METHOD")
    hunt, starts = _hunt(args)
    if args.record:
        _read_known(args)  # unusable entries are known now
    found = _search(hunt, starts, exhaustive=args.exhaustive)
    if found is None:
        print("closeknit: nothing found whose optimum is positive", file=sys.stderr)
        return 4
    found = prove_found(hunt, found)
    kept = _keep(args, hunt, found) if args.record else None
    if args.out:
        write_ksubset(found.instance, args.out)
    about = _summary(hunt, found)
    instance = document_of(found.instance)
    if outputs.write_json(args.json, "closeknit/worst", **about, instance=instance):
        _show(found, about["guarantee"], kept)
    return 0


def _hunt(args: argparse.Namespace) -> tuple[AdversarySearch, list[Sites]]:
    """Return what is to be searched, and where to begin."""
    method = method_named(args.method, "ksubset", "METHOD")
    if args.time_limit is not None:
        seconds(args.time_limit)
    if args.evaluations == 0:
        raise InputError("must be at least 1", "--evaluations", 0)
    if args.ties != "lex" and not method.takes_ties:
        raise InputError(
            f"{method.name} breaks ties in one way only: lex", "--ties", args.ties
        )
    ground, starts = _read_start(args) if args.start else (_ground(args), [])
    limit = inf if args.evaluations else 60.0
    hunt = AdversarySearch(
        method=method,
        ground=ground,
        settings=Settings(seed=args.seed, ties=Ties(args.ties)),
        seconds=limit if args.time_limit is None else args.time_limit,
        evaluations=args.evaluations or inf,
    )
    return hunt, starts


def _ground(args: argparse.Namespace) -> SearchSpace:
    k = _K if args.k is None else args.k
    most = args.n
    if args.d is None:
        topology = network_of(args.kind, args.shape or (_SIDE, _SIDE))
        if most is None:
            most = most_free(topology, k, exhaustive=args.exhaustive)
            if k >= most:
                raise InputError(
                    f"k = {k} of {most} processors leaves no choice; k must be smaller",
                    "--shape" if args.k is None else "--k",
                )
        return SearchSpace(topology=topology, k=k, most=most)
    for option, value in (("--d", args.d), ("--size", args.size)):
        if value < 1:
            raise InputError("must be at least 1", option, value)
    cube = Mesh((args.size,) * args.d)
    most = 2 * k + 4 if most is None else most
    return SearchSpace(topology=cube, k=k, most=most, points=True)


def _read_start(args: argparse.Namespace) -> tuple[SearchSpace, list[Sites]]:
    """Read where to begin; points are moved into a cube that is a quarter wider."""
    instance = read_instance(args.start)
    if not isinstance(instance, KSubset):
        raise InputError("must be an instance of ksubset", "--start")
    if instance.required:
        raise InputError("must be an instance that requires nothing", "--start")
    most = args.n or max(instance.n, 2 * instance.k + 4)
    if not instance.topology.repeats:
        places = sum(1 for _ in instance.topology.locations())
        most = min(most, places)
        ground = SearchSpace(topology=instance.topology, k=instance.k, most=most)
    else:
        low = arrays.points(instance).min(axis=0)
        sides = arrays.points(instance).max(axis=0) - low + 1
        margin = int(sides.max()) // 8
        moved = arrays.points(instance) - low + margin
        free = tuple(sorted(tuple(map(int, site)) for site in moved))
        grid = Mesh(tuple(int(side) + 2 * margin for side in sides))
        ground = SearchSpace(topology=grid, k=instance.k, most=most, points=True)
        instance = ground.instance(free)
    if not ground.holds(instance.free):
        raise InputError(
            f"{instance.n} processors are free, no more than k = {instance.k}"
            + (f" or more than --n = {most}" if args.n else ""),
            "--start",
        )
    return ground, [instance.free]


def _search(
    hunt: AdversarySearch, starts: list[Sites], *, exhaustive: bool
) -> BadInstance | None:
    standing = ""

    def report(found: BadInstance) -> None:
        nonlocal standing
        standing = (
            f"ratio {float(found.ratio):.4f}, "
            f"{with_noun(found.evaluations, 'evaluation')}, {found.seconds:.0f} s"
        )

    with status_line(lambda: standing):
        return run_search(hunt, starts, exhaustive=exhaustive, report=report)


def _read_known(args: argparse.Namespace) -> Entries:
    """Read the worst ratios, and check that they can be written."""
    if args.ties != "lex":
        raise InputError("what is recorded has lexicographic ties", "--ties", args.ties)
    path = Path(args.record, f"{WORST}.json")
    try_file(path)
    return read_worst(args.record) if path.exists() else {}


def _keep(args: argparse.Namespace, hunt: AdversarySearch, found: BadInstance) -> bool:
    """Record what was found if it is worse than what is known."""
    entry = WorstInstance.of(
        hunt.method.name, found.instance, found.cost, found.optimum, found.how
    )
    with changing(Path(args.record)):
        entries = _read_known(args)  # read again: others may have written meanwhile
        merged = merge_worse(entries, [entry])
        if merged == entries:
            return False
        write_worst(merged, args.record)
    return True


def _summary(hunt: AdversarySearch, found: BadInstance) -> dict[str, Any]:
    promise = hunt.method.guarantee
    factor = promise(found.instance) if promise else None
    return {
        "method": hunt.method.name,
        "topology": hunt.ground.label,
        "n": found.instance.n,
        "k": found.instance.k,
        "cost": found.cost,
        "optimum": found.optimum,
        "ratio": str(found.ratio),
        "ratio_float": float(found.ratio),
        "guarantee": None if factor is None else str(factor),
        "proved": found.proved,
        "how": found.how,
        "evaluations": found.evaluations,
        "seconds": round(found.seconds, 3),
        "seed": hunt.settings.seed,
    }


def _show(found: BadInstance, guarantee: str | None, kept: bool | None) -> None:
    """Print what was found; ``kept`` is None without --record."""
    print(f"{found.instance.name}: {describe(found.instance)}")
    print(f"  ratio     {found.ratio} = {float(found.ratio):.6f}")
    print(f"  cost      {found.cost}, optimum {found.optimum}")
    if guarantee is not None:
        print(f"  at most   {guarantee} is guaranteed")
    print(f"  found     {found.how}")
    rate = found.evaluations / max(found.seconds, 1e-9)
    print(
        f"  time      {found.seconds:.1f} s, "
        f"{with_noun(found.evaluations, 'evaluation')}, {rate:.0f} a second"
    )
    if found.proved:
        print("  proved    no instance of this size is worse")
    free = " ".join(",".join(map(str, p)) for p in found.instance.free)
    print(wrap_text(free, "  free      ", " " * 12))
    if kept is not None:
        print(f"  frontier  {'entered' if kept else 'not worse than what it has'}")
