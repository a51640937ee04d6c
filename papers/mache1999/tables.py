"""Tables of means against load."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...reports.pages.document import Cell, Table
from .curves import BALANCE, CONTIGUITY, DISPERSAL, Curves, Measure


def measure_table(slug: str, curves: Curves, measure: Measure) -> Table:
    """Give one measure of every strategy at every load."""
    names = list(curves.found)
    rows: list[tuple[Cell, ...]] = []
    for load in curves.loads(names[0]):
        cells = [
            curves.mean(measure, name, load).value
            if load in curves.found[name]
            else None
            for name in names
        ]
        rows.append((float(load), curves.utilisation(names[0], load), *cells))
    return Table(
        name=f"{measure.name.replace(' ', '_')}_{slug}",
        caption=f"Mean {measure.name}, {measure.unit}; {curves.name}",
        columns=("load", "utilisation, %", *names),
        rows=rows,
    )


def ranking_table(slug: str, curves: Curves, loads: Sequence[Fraction]) -> Table:
    """Rank all at the loads at which all were run."""
    rows: list[tuple[Cell, ...]] = []
    for measure in (DISPERSAL, BALANCE, CONTIGUITY):
        for load in loads:
            means = {n: curves.mean(measure, n, load).value for n in curves.found}
            order = sorted(means, key=means.__getitem__, reverse=measure is CONTIGUITY)
            rows.append((measure.name, float(load), ", ".join(order)))
    return Table(
        name=f"ranking_{slug}",
        caption="From best to worst mean; neighbours may differ by chance only",
        columns=("*measure", "load", "*strategies"),
        rows=rows,
    )


def points_table(slug: str, curves: Curves, measures: Sequence[Measure]) -> Table:
    """Give every measure of every point with its interval."""
    rows: list[tuple[Cell, ...]] = []
    for name, by_load in curves.found.items():
        for load, found in by_load.items():
            cells: list[Cell] = []
            for measure in measures:
                mean = curves.mean(measure, name, load)
                cells += [mean.value, mean.low, mean.high]
            share = curves.utilisation(name, load)
            rows.append((name, float(load), share, len(found.k), *cells))
    heads = [
        measure.name + head for measure in measures for head in ("", ", from", ", to")
    ]
    return Table(
        name=f"points_{slug}",
        caption=f"Means with 95 % intervals; {curves.name}",
        columns=("*strategy", "load", "utilisation, %", "jobs", *heads),
        rows=rows,
    )
