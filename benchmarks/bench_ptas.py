"""The improved PTAS: seconds, how good its choice is, and how good its bound.

    python benchmarks/bench_ptas.py [ROW...]

Half-full random meshes, single instances, CPU seconds of one core after a warm-up. The
optimum is proved by ``auto``; where it is not within a minute, the cheapest choice
known stands for it and the row is marked. Baseline: mm-inc, on the same instances.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from time import process_time

import numpy as np

from closeknit import KSUBSET, KSubset, Mesh, Settings, Status

ROWS = {
    "16x16 k=32": ((16, 16), 32, ("ptas/2", "ptas")),
    "16x16 k=64": ((16, 16), 64, ("ptas/2", "ptas")),
    "32x32 k=64": ((32, 32), 64, ("ptas/2", "ptas")),
    "32x32 k=128": ((32, 32), 128, ("ptas/2", "ptas")),
    "32x32 k=256": ((32, 32), 256, ("ptas/2", "ptas")),
}
SEEDS = (1, 2, 3)


def instance(shape: tuple[int, ...], k: int, seed: int) -> KSubset:
    sites = list(Mesh(shape).locations())
    picked = np.random.default_rng(seed).choice(len(sites), len(sites) // 2, False)
    free = tuple(sites[i] for i in picked)
    return KSubset(f"half-full-{seed}", Mesh(shape), free, k)


def main(wanted: list[str]) -> None:
    print(f"{'':12}  {'method':8} {'s':>7}  choice/opt  bound/opt  guarantee")
    for name, (shape, k, methods) in ROWS.items():
        if wanted and name not in wanted:
            continue
        cases = [instance(shape, k, seed) for seed in SEEDS]
        optima, open_ = [], 0
        for case in cases:
            proved = KSUBSET["auto"](case, Settings(time_limit=60))
            assert isinstance(proved.objective, int)
            open_ += proved.status is not Status.OPTIMAL
            optima.append(proved.objective)
        for method in ("mm-inc", *methods):
            KSUBSET[method](instance((4,) * len(shape), 3, 0))
            seconds, choice, bound = [], [], []
            for case, optimum in zip(cases, optima, strict=True):
                start = process_time()
                result = KSUBSET[method](case)
                seconds.append(process_time() - start)
                choice.append(Fraction(result.objective, optimum))  # type: ignore[arg-type]
                bound.append(Fraction(result.bound or 0, optimum))  # type: ignore[arg-type]
            promised = KSUBSET[method].guarantee
            factor = promised(cases[0]) if promised else None
            mean = [float(sum(values) / len(values)) for values in (choice, bound)]
            told = f"{mean[1]:9.4f}" if mean[1] else " " * 9
            note = f"  ({open_} optima not proved)" if open_ else ""
            print(
                f"{name:12}  {method:8} {max(seconds):7.2f}  {mean[0]:10.4f}  {told}"
                f"  {factor}{note}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
