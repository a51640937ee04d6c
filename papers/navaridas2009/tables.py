"""Tables of execution times."""

from __future__ import annotations

from collections.abc import Sequence

from ...reports.pages.document import Cell, Table
from .machines import RANDOM
from .panels import TIE, Panel


def panel_table(panel: Panel) -> Table:
    """Give every workload's time in every placement, relative to the best."""
    rows: list[dict[str, Cell]] = []
    for name in panel.workloads:
        row: dict[str, Cell] = {
            "*workload": name,
            "bytes": panel.sizes[name],
            "best, cycles": round(panel.best(name)),
        }
        for placement in panel.placements:
            row[placement] = panel.bar(name, placement)
            if placement == RANDOM:
                row["random, from"], row["random, to"] = panel.spread(name, RANDOM)
        row["worst to best"] = panel.ratio(name)
        row["*worst"] = panel.worst(name)
        rows.append(row)
    slug = panel.machine.topology.replace("-", "_")
    return Table.of(
        f"{slug}_{panel.machine.nodes}",
        f"Times relative to the best placement of the paper, {panel.machine.name}",
        rows,
    )


def runs_table(panels: Sequence[Panel]) -> Table:
    """Give every run in cycles."""
    rows: list[dict[str, Cell]] = [
        {
            "*network": panel.machine.topology,
            "nodes": panel.machine.nodes,
            "*workload": name,
            "bytes": panel.sizes[name],
            "*placement": placement,
            "permutation": number if placement == RANDOM else None,
            "cycles": found.time,
            "first instance": int(found.ended.min()),
            "links per packet": found.hops,
            "phits on the busiest link": found.busiest,
        }
        for panel in panels
        for name in panel.workloads
        for placement in panel.placements
        for number, found in enumerate(panel.found[name][placement])
    ]
    return Table.of(
        "runs",
        "Every run: cycles until the slowest and until the fastest instance has ended",
        rows,
    )


def ours_table(panels: Sequence[Panel]) -> Table:
    """Count where placements that the paper does not have are better or worse."""
    rows: list[dict[str, Cell]] = []
    for panel in panels:
        for placement in panel.machine.ours:
            bars = {name: panel.bar(name, placement) for name in panel.workloads}
            best, worst = (
                min(bars, key=bars.__getitem__),
                max(bars, key=bars.__getitem__),
            )
            rows.append(
                {
                    "*network": panel.machine.name,
                    "*placement": placement,
                    "better than all of the paper": sum(
                        TIE * bar < 1 for bar in bars.values()
                    ),
                    "as good as the best": sum(
                        1 <= TIE * bar <= TIE**2 for bar in bars.values()
                    ),
                    "better than random": sum(
                        bar < panel.bar(name, RANDOM) for name, bar in bars.items()
                    ),
                    "*at best": f"{bars[best]:.2f} ({best})",
                    "*at worst": f"{bars[worst]:.2f} ({worst})",
                }
            )
    return Table.of(
        "ours",
        "Placements that the paper does not have, by workloads; equal within 1 %",
        rows,
    )
