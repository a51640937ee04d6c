"""What the paper leaves open, decided otherwise, and the ranking that it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...network.jobs import MixedTraffic
from ...reports.pages.document import Cell, Table
from .figures import Figures
from .loads import GOAL, LoadCase
from .parts import SIZES
from .printed import ELONGATED, PLAS


@dataclass(frozen=True, kw_only=True)
class DecisionVariant:
    """One decision that is made otherwise.

    ``start`` is the time between arrivals that is tried first, as a multiple of that
    of the table.
    """

    name: str
    traffic: MixedTraffic
    sizes: str = SIZES
    goal: float = GOAL
    start: float = 1.0

    def case(self, column: Figures) -> LoadCase:
        """Return what is run in place of a column of the table."""
        return LoadCase(
            traffic=replace(self.traffic, share=column.share / 100),
            sizes=self.sizes,
            goal=self.goal,
            start=float(f"{self.start * column.interarrival:.3g}"),
        )


def variants(base: MixedTraffic) -> Iterator[DecisionVariant]:
    """Yield all variants of what the table runs."""
    for first, what in (
        ("row", "that of its own row"),
        ("number", "by its number"),
        ("top", "the top one"),
    ):
        yield DecisionVariant(
            name=f"first I/O node of a task: {what}", traffic=replace(base, first=first)
        )
    for times in (0.25, 4.0):
        messages = times * base.messages
        yield DecisionVariant(
            name=f"{messages:g} messages of a job",
            traffic=replace(base, messages=messages),
            start=times,
        )
    yield DecisionVariant(
        name=f"{base.messages / 16:g} messages of a task",
        traffic=replace(base, quota="task", messages=base.messages / 16),
    )
    yield DecisionVariant(
        name="every task to each I/O node or each other task, once",
        traffic=replace(base, quota="pattern"),
        start=2.0,
    )
    for length in (1, 16):
        yield DecisionVariant(
            name=f"messages of {length} flit{'s' * (length > 1)}",
            traffic=replace(base, length=length),
            start=length / base.length,
        )
    yield DecisionVariant(
        name="I/O drawn per message, not per job", traffic=replace(base, per="message")
    )
    yield DecisionVariant(
        name="all messages under way at once", traffic=replace(base, outstanding=0)
    )
    yield DecisionVariant(
        name="sizes exponential of mean 16", traffic=base, sizes="exponential:16"
    )
    for goal in (45.0, 80.0):
        yield DecisionVariant(
            name=f"utilisation {goal:g} %",
            traffic=base,
            goal=goal,
            start=GOAL / goal,
        )


Row = tuple[str, Sequence[Figures]]
"""What is decided otherwise, and the columns that it gives."""


def sensitivity_table(rows: Sequence[Row]) -> Table:
    """Give the rank correlation of every column."""
    cells: list[tuple[Cell, ...]] = []
    for name, columns in rows:
        busy = [float(column.busy.mean()) for column in columns]
        streams = len(columns[0].service)
        cells.append(
            (
                name,
                streams,
                *(column.rho for column in columns),
                f"{min(busy):.0f} to {max(busy):.0f}",
            )
        )
    shares = [column.share for column in rows[0][1]]
    return Table(
        name="sensitivity",
        caption="Spearman's rho with the paper's service times, per share of I/O, when "
        "one decision is made otherwise",
        columns=(
            *("*decision", "streams"),
            *(f"{share} % I/O" for share in shares),
            "*utilisation, %",
        ),
        rows=cells,
    )


def orders_table(rows: Sequence[Row]) -> Table:
    """Give the order of the strategies in every column."""
    cells: list[dict[str, Cell]] = []
    for name, columns in rows:
        for column in columns:
            gap, deviation = column.less(PLAS, ELONGATED)
            cells.append(
                {
                    "*decision": name,
                    "I/O, %": column.share,
                    "cycles between arrivals": column.interarrival,
                    "utilisation, %": float(column.busy.mean()),
                    "rho": column.rho,
                    f"{ELONGATED}, cycles": column.mean(ELONGATED),
                    f"{PLAS} less {ELONGATED}": gap,
                    "its standard error": deviation,
                    "*least to most": ", ".join(column.order),
                }
            )
    return Table.of("orders", "The order of the six in every column", cells)
