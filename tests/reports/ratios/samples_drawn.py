"""Ratio reports of as many rows as a test wants, drawn."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice

from closeknit.instances import KSubset, mesh
from closeknit.methods import METHODS
from closeknit.reports.campaigns.rows import Row
from closeknit.reports.ratios.report import Report, report_on
from closeknit.solvers import Grade, Proof

from ...toys import made, optimal

TABLE = METHODS["ksubset"]
SOLVED = Proof(Grade.SOLVER, "cp-sat 9.15")


def row(instance: KSubset, method: str, best: int, rng: random.Random) -> Row:
    """What a method found that day, drawn; an exact one proves most optima."""
    chosen = tuple(sorted(rng.sample(range(instance.n), instance.k)))
    trace = ((0.1, best + 9, best // 2), (0.4, best, best - 3))
    if not TABLE[method].exact:
        cost = best + int(rng.expovariate(20 / best))
        time = rng.expovariate(100)
        return made(instance, method, cost=cost, selection=chosen, seconds=time)
    if rng.random() < 0.8:
        done = optimal(instance, method, best, selection=chosen)
        return replace(done, seconds=rng.expovariate(1), trace=trace)
    bound = best - rng.randrange(1, 99)
    left = {"bound": bound, "proof": SOLVED, "limit": "time", "selection": chosen}
    return made(instance, method, cost=best, **left, seconds=10.0, trace=trace)


def drawn(instances: int, heuristics: int, exact: int) -> Report:
    rng = random.Random(17)
    plain = (name for name, method in TABLE.items() if not method.exact)
    proving = (name for name, method in TABLE.items() if method.exact)
    names = [*islice(plain, heuristics), *islice(proving, exact)]
    listed, rows = [], []
    for i in range(instances):
        side, best = rng.choice((8, 16, 32)), rng.randrange(500, 5000)
        full = mesh(side, side, k=rng.choice((4, 8, 16, 24)))
        kept = sorted(rng.sample(full.free, full.n * rng.choice((4, 5, 6, 7)) // 8))
        name = f"{side}x{side}-random-50pct-k{full.k}-s{i}"
        instance = KSubset(name, full.topology, tuple(kept), full.k)
        listed.append(instance)
        rows += [row(instance, method, best, rng) for method in names]
    assert len({row.method for row in rows}) == heuristics + exact
    return report_on(listed, rows, METHODS)
