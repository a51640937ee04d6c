"""Fill the frontier with the worst instances known: every heuristic, several k.

Searches meshes of 16x16, cubes of 4x4x4 for curves, rings for windows and trees for
the placements on trees; and runs every heuristic on the worst-case families. Entries
that are worse than what it has are kept, after every search; so it can be
stopped at any time, and run again with another --seed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from closeknit.instances import InputError, KSubset, Mesh, Topology, Torus
from closeknit.instances.library import all_worst_cases
from closeknit.instances.topologies import switch_tree
from closeknit.methods import KSUBSET
from closeknit.reports.adversary import AdversarySearch, SearchSpace, anneal
from closeknit.reports.frontier.entries import FOLDER
from closeknit.reports.frontier.worst import (
    WorstInstance,
    merge_worse,
    read_worst,
    write_worst,
)
from closeknit.solvers import Settings, Status
from closeknit.solvers.running.method import Method

KS = (2, 3, 4, 8, 16)
EXPENSIVE = ("ptas", "ptas-published")
"""Methods by the beginning of their names that are given smaller meshes, longer."""
ASKED = (
    *("mm", "mm-free", "mm-all", "mm-inc", "mm-inc-first", "mm-inc-all", "mc1x1"),
    *("mc1x1-all", "mc", "mbs", "paging", "plas", "mc-elongated", "hilbert/best-fit"),
    *("thrifty", "ring-window"),
)
"""Methods that are searched four times as long as the others."""


def grounds(method: Method[KSubset]) -> Iterator[tuple[Topology, int, int]]:
    """Give where a method is searched, with k and the most free processors."""
    if method.name in ("consecutive", "shuffle"):
        yield from ((switch_tree((4, 4, 4)), k, 2 * k + 4) for k in KS)
        return
    if method.name == "ring-window":
        yield from (
            (Torus((side,)), k, n) for side, k, n in ((46, 10, 14), (64, 8, 14))
        )
        return
    if method.name.startswith(EXPENSIVE):
        yield from ((Mesh((8, 8)), k, n) for k, n in ((2, 6), (3, 8), (4, 10), (8, 16)))
        return
    yield from ((Mesh((16, 16)), k, 2 * k + 4) for k in KS)
    if method.name.startswith("hilbert") or method.name in (
        "mm",
        "mm-inc",
        "mc",
        "mbs",
    ):
        yield from ((Mesh((4, 4, 4)), k, 2 * k + 4) for k in (2, 4, 8))


def searched(seconds: float, seed: int, names: list[str]) -> Iterator[WorstInstance]:
    """Search, the methods in turn."""
    for name, method in KSUBSET.items():
        if method.exact or (names and name not in names):
            continue
        for topology, k, most in grounds(method):
            budget = seconds * (4 if name in ASKED else 1)
            try:
                hunt = AdversarySearch(
                    method=method,
                    ground=SearchSpace(topology=topology, k=k, most=most),
                    settings=Settings(seed=seed),
                    seconds=budget,
                )
                found = anneal(hunt)
            except InputError as error:
                print(f"{name}: {error}", flush=True)
                continue
            if found is not None:
                yield WorstInstance.of(
                    name, found.instance, found.cost, found.optimum, found.how
                )


def built() -> Iterator[WorstInstance]:
    """Run every heuristic on the worst-case families."""
    for case in all_worst_cases():
        instance = case.instance
        proved = KSUBSET["auto"](instance)
        if proved.status is not Status.OPTIMAL:
            continue
        for name, method in KSUBSET.items():
            if method.exact or method.seeded or name.startswith(EXPENSIVE):
                continue
            if method.refusal(instance):
                continue
            paid = method(instance).objective
            assert isinstance(paid, int)
            assert isinstance(proved.objective, int)
            if paid > proved.objective:
                yield WorstInstance.of(
                    name, instance, paid, proved.objective, f"family {instance.name}"
                )


def main() -> None:
    """Run all, and keep entries that are worse than the known ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each search")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", default=str(FOLDER))
    parser.add_argument("names", nargs="*", help="methods; all if left out")
    args = parser.parse_args()
    sources = [searched(args.seconds, args.seed, args.names)]
    if not args.names:
        sources.insert(0, built())
    for source in sources:
        for entry in source:
            known = read_worst(args.folder)
            merged = merge_worse(known, [entry])
            if merged != known:
                write_worst(merged, args.folder)
            _, topology, k = entry.key
            print(
                f"{entry.method:20} {topology:12} k={k:<3} {entry.ratio!s:>12} "
                f"{float(entry.ratio):8.4f} {'*' if merged != known else ''}",
                flush=True,
            )


if __name__ == "__main__":
    main()
