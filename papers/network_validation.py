"""Networks beside figures of other simulators, and below their cuts."""

from __future__ import annotations

from ..network.open_loop.engine import Phases
from ..network.validation import Row, rows
from ..reports.pages.document import Bad, Document, Section, Table
from .catalogue import RunOptions

ROWS = 22
"""Rows of the table."""
_LEAD = (
    "Latencies up to 90 % of saturation are to be within 15 % of those of BookSim 2; "
    "the last point of each curve depends on details of the allocators, and is shown "
    "only. What CAMINOS states for one message is to be met exactly. Packets of "
    "permutations on a tree are to pass as quickly as theory says of switches with one "
    "queue per input, and flows as quickly as they. No network accepts more than its "
    "bisection lets pass."
)


def study(options: RunOptions) -> Document:
    """Measure every row with the cycles that `validation.rows` takes by default."""
    return measured(options, None)


def measured(options: RunOptions, phases: Phases | None) -> Document:
    """Measure every row.

    Parameters
    ----------
    options
        Their seed is that of the traffic, counted from 1.
    phases
        Cycles of each measurement; None for the default.
    """
    found: list[Row] = []
    for row in rows(phases, seed=1 + options.seed):
        found.append(row)
        options.progress(len(found), ROWS, row.name)
    fails = sum(not row.holds for row in found)
    table = Table(
        name="rows",
        caption="Cycles, or flits per processor and cycle",
        columns=("*network", "*source", "theirs", "ours", "off %", "*demand", "*met"),
        rows=tuple(
            (
                row.name,
                row.source,
                row.theirs,
                row.ours,
                100 * (row.ours / row.theirs - 1),
                row.demand.value,
                "yes" if row.holds else Bad("no"),
            )
            for row in found
        ),
    )
    return Document(
        name="network-validation",
        title="Networks beside other simulators",
        source=(
            "BookSim 2 (Jiang et al. 2013), CAMINOS (Camarero et al. 2022), "
            "Karol, Hluchyj and Morgan 1987"
        ),
        verdict=f"{len(found) - fails} of {len(found)} rows are as demanded.",
        lead=(_LEAD,),
        sections=(Section(title="Rows", tables=(table,)),),
        notes=(f"Seed of the traffic: {1 + options.seed}.",),
    )
