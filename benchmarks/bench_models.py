"""Time general solvers until they prove the models of closeknit optimal.

    python benchmarks/bench_models.py [--time-limit S] [--methods M,M] [--only TEXT]
        [--without AID] [--larger]

Instances are seeded: half of a square mesh occupied at random, and full meshes. Every
model starts from mm-inc and the checked bound, or without the bound where that would
be proof enough (both are shown: bound..mm-inc). A cell is the seconds until
optimality was proved, or at the limit the bound and the cost. A model that
did not prove some k on a mesh is not tried on larger meshes with that k.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import cast

from closeknit.formulations.ksubset import catalogue
from closeknit.formulations.ksubset.bounds.bounds import best_bound
from closeknit.formulations.ksubset.strengthening import Strengthening
from closeknit.instances import KSubset, Mesh, cost, mesh
from closeknit.methods import KSUBSET
from closeknit.methods.ksubset.models import CP_SAT, NAMES
from closeknit.solvers import Settings, SolverError, Status, cpsat, mip
from closeknit.solvers.formulation import CpFormulation, MipFormulation

AIDS = ("hint", "bound", "symmetry", "nesting")
"""What a model may be left without: see `formulations.ksubset.strengthening`."""
HALF = (6, 8, 10, 12, 16)
LARGER = ((24, 16), (16, 32))
"""Sides and k of further half-full meshes."""
FULL = (6, 8)
SIZES = (4, 8, 16)


def half(side: int, k: int) -> KSubset:
    """Occupy half of a mesh."""
    places = list(Mesh((side, side)).locations())
    free = tuple(random.Random(side).sample(places, len(places) // 2))
    return KSubset(f"{side}x{side}-half-k{k}", Mesh((side, side)), free, k)


def instances(larger: bool = False) -> Iterator[KSubset]:
    """Yield the instances of the table, smaller meshes first."""
    for side in HALF:
        for k in SIZES:
            yield half(side, k)
    for side, k in LARGER if larger else ():
        yield half(side, k)
    for side in FULL:
        for k in SIZES:
            yield replace(mesh(side, side, k=k), name=f"{side}x{side}-full-k{k}")
    yield replace(mesh(8, 8, k=25), name="8x8-full-k25")


def cell(
    name: str, instance: KSubset, limit: float, without: str | None = None
) -> tuple[str, bool]:
    """Run one model; return what to print and whether it proved the optimum."""
    if instance.k > instance.n:
        return "", True
    settings = Settings(time_limit=limit)
    start = perf_counter()
    hint = KSUBSET["mm-inc"](instance).chosen
    assert hint is not None
    bound, proof = best_bound(instance)
    if bound == cost(instance, hint):  # nothing left to do: measure without
        strengthening = Strengthening(hint=hint)
    else:
        strengthening = Strengthening(hint=hint, bound=bound, proof=proof)
    if without in ("hint", "bound"):
        strengthening = replace(strengthening, **{without: None})
    elif without is not None:
        strengthening = replace(strengthening, **{without: False})
    formulation, _, backend = name.partition("/")
    try:
        if backend == CP_SAT:
            model = catalogue.CP[formulation].build(instance, strengthening)
            result = cpsat.solve(
                cast(CpFormulation, model), settings=settings, start=start
            )
        else:
            model = catalogue.MIP[formulation].build(instance, strengthening)
            result = mip.solve(
                cast(MipFormulation, model), backend, settings=settings, start=start
            )
    except SolverError as error:
        return f"error: {error}", False
    if result.status is Status.OPTIMAL:
        return f"{result.seconds:.1f}", True
    return f"{result.bound}..{result.objective}", False


def main() -> None:
    """Print the table as Markdown: one row per instance, as soon as it is done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--methods", default=",".join(NAMES))
    parser.add_argument("--only", default="", help="instances whose name has this")
    parser.add_argument("--without", choices=AIDS, help="leave this aid out")
    parser.add_argument("--larger", action="store_true", help="two more instances")
    args = parser.parse_args()
    methods = args.methods.split(",")
    for name in methods:
        if name not in NAMES:
            parser.error(f"no such method: {name} (known: {', '.join(NAMES)})")
    print("| instance | n | known before |", " | ".join(methods), "|")
    print("|---|---|---|" + "---|" * len(methods))
    given_up: set[tuple[str, str, int]] = set()
    for instance in instances(args.larger):
        if args.only not in instance.name:
            continue
        family = instance.name.split("-")[1]
        checked, _ = best_bound(instance)
        best = KSUBSET["mm-inc"](instance).objective
        cells = []
        for name in methods:
            key = (name, family, instance.k)
            if key in given_up:
                cells.append("-")
                continue
            text, proved = cell(name, instance, args.time_limit)
            cells.append(text)
            if not proved:
                given_up.add(key)
        known = f"{checked}..{best}"
        print(f"| {instance.name} | {instance.n} | {known} |", end=" ")
        print(" | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
