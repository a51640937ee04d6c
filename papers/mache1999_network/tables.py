"""Table 2 next to the paper's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...reports.pages.document import Cell, Table
from .figures import Figures, error
from .printed import ELONGATED, INTERARRIVAL, RANK, SERVICE, SHARES, SIX


def ranks_table(columns: Sequence[Figures]) -> Table:
    """Give our ranks of the paper's strategies, the paper's in brackets."""
    rows: list[tuple[Cell, ...]] = []
    for name in SIX:
        cells = [
            f"{column.ranks[name]} ({RANK[name][SHARES.index(column.share)]})"
            for column in columns
        ]
        rows.append((name, *cells))
    rows.append(("Spearman's rho", *(f"{column.rho:.2f}" for column in columns)))
    return Table(
        name="ranks",
        caption="Ranks by mean service time: ours (the paper's)",
        columns=("*strategy", *(f"*{column.share} % I/O" for column in columns)),
        rows=rows,
    )


def service_table(columns: Sequence[Figures]) -> Table:
    """Give every mean service time, next to the paper's, and paired differences."""
    rows: list[tuple[Cell, ...]] = []
    for column in columns:
        for name in column.strategies:
            at = SHARES.index(column.share)
            gap, deviation = column.less(name, ELONGATED)
            rows.append(
                (
                    column.share,
                    name,
                    SERVICE[name][at] if name in SERVICE else None,
                    RANK[name][at] if name in RANK else None,
                    column.mean(name),
                    _known(error(column.of(name))),
                    column.ranks.get(name),
                    gap,
                    _known(deviation),
                    float(column.wait[:, column.strategies.index(name)].mean()),
                    float(column.utilisation[:, column.strategies.index(name)].mean()),
                )
            )
    return Table(
        name="service",
        caption="Service time, from the start of a job to the arrival of its last "
        "message, in cycles; standard errors over streams",
        columns=(
            *("I/O, %", "*strategy", "paper", "rank in the paper"),
            *("mean", "standard error", "rank of the six"),
            *(f"less {ELONGATED}", "its standard error"),
            *("wait", "utilisation, %"),
        ),
        rows=rows,
    )


def load_table(columns: Sequence[Figures]) -> Table:
    """Give the loads, and how often each strategy of the paper was first."""
    rows: list[tuple[Cell, ...]] = []
    for column in columns:
        six = [column.strategies.index(name) for name in SIX]
        busy = column.busy
        first = np.bincount(column.service[:, six].argmin(axis=1), minlength=len(SIX))
        won = [f"{SIX[i]} {first[i]}" for i in np.argsort(-first) if first[i]]
        rows.append(
            (
                column.share,
                INTERARRIVAL[column.share],
                column.interarrival,
                float(busy.mean()),
                float(busy.min()),
                float(busy.max()),
                ", ".join(won),
            )
        )
    return Table(
        name="load",
        caption="Times between arrivals, utilisation of the paper's six strategies, "
        "and on how many streams each of them was first",
        columns=(
            *("I/O, %", "paper's time", "ours, cycles"),
            *("utilisation, %", "least", "most", "*first"),
        ),
        rows=rows,
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value
