"""Allocations, and what was measured on each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from ...instances import KSubset, Mesh
from ...methods import KSUBSET
from .parts import Found, methods_of

_SIDE = 16


@dataclass(frozen=True, slots=True)
class ChosenProcessors:
    """Processors of a network.

    ``title`` is what pages say, ``machine`` the network's text, ``packets`` about how
    many a run sends.
    """

    title: str
    machine: str
    places: tuple[int, ...]
    packets: int

    @property
    def ranks(self) -> int:
        """Number of processors."""
        return len(self.places)


def allocations(seed: int, *, full: bool) -> list[ChosenProcessors]:
    """Return whole tori and fat-trees, and choices of a half-busy mesh."""
    found = []
    sizes = [("4x4", "4x2", 16, 25_000), ("8x8", "4x3", 64, 100_000)]
    if full:
        sizes.append(("32x32", "4x5", 1024, 400_000))
    for torus, tree, ranks, packets in sizes:
        every = tuple(range(ranks))
        found.append(
            ChosenProcessors(f"torus {torus}", f"torus:{torus}", every, packets)
        )
        arity, levels = tree.split("x")
        title = f"{arity}-ary {levels}-tree"
        found.append(ChosenProcessors(title, f"tree:{tree}", every, packets))
        if ranks < _SIDE**2:
            title = f"{ranks} of a half-busy mesh {_SIDE}x{_SIDE}"
            machine = f"mesh:{_SIDE}x{_SIDE}"
            found.append(
                ChosenProcessors(title, machine, _chosen(ranks, seed), packets)
            )
    return found


def _chosen(k: int, seed: int) -> tuple[int, ...]:
    """Let mm choose from the free half of a mesh."""
    grid = Mesh(_SIDE, _SIDE)
    drawn = np.random.default_rng(seed).permutation(_SIDE**2)[: _SIDE**2 // 2]
    free = [(int(p) // _SIDE, int(p) % _SIDE) for p in np.sort(drawn)]
    instance = KSubset("half-busy", grid, tuple(free), k)
    chosen = KSUBSET["mm"](instance).chosen or ()
    return tuple(_SIDE * free[i][0] + free[i][1] for i in chosen)


@dataclass(frozen=True, slots=True)
class AllocationPanel:
    """What was measured on one allocation, by program."""

    allocation: ChosenProcessors
    found: Mapping[str, Found]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods other than the identity, each once."""
        names = dict.fromkeys(methods_of(self.allocation.ranks))
        return tuple(name for name in names if name != "identity")

    def relative(self, program: str, measure: str, method: str) -> float:
        """Return what a method takes by what the identity takes; mean if drawn."""
        found = self.found[program]
        values = {"cost": found.cost, "time": found.time}[measure].astype(float)
        names = np.array(methods_of(self.allocation.ranks))
        return float(values[names == method].mean() / values[0])

    def mean(self, measure: str, method: str) -> float:
        """Return the geometric mean of `relative` over all programs."""
        ratios = [self.relative(one, measure, method) for one in self.found]
        return float(np.exp(np.log(ratios).mean()))

    def gap(self, program: str) -> float:
        """Return by how many per cent the best cost is above the bound."""
        found = self.found[program]
        return float(100 * (found.cost.min() / max(1, int(found.bound[0])) - 1))

    def rank_correlation(self, measure: str) -> float | None:
        """Return the mean of Spearman's rho of a measure and the time over programs.

        None if no program has orders of different costs.
        """
        rhos = [
            float(spearmanr(values, one.time).statistic)
            for one in self.found.values()
            for values in [{"cost": one.cost, "busiest": one.busiest}[measure]]
            if len(set(values.tolist())) > 1 < len(set(one.time.tolist()))
        ]
        return float(np.mean(rhos)) if rhos else None

    def outcomes(self, before: str) -> tuple[int, int, int]:
        """Count programs that annealing makes cheaper than another method.

        Those that are faster, equal within 1 %, and slower.
        """
        ratios = [
            self.relative(one, "time", "annealing") / self.relative(one, "time", before)
            for one in self.found
            if self.relative(one, "cost", "annealing")
            < self.relative(one, "cost", before)
        ]
        faster = sum(ratio < 1 / 1.01 for ratio in ratios)
        slower = sum(ratio > 1.01 for ratio in ratios)
        return faster, len(ratios) - faster - slower, slower
