"""Flow times in tables."""

from __future__ import annotations

from collections.abc import Sequence

from ...reports.pages.document import Cell, Table
from .figures import PRINTED, Setting


def strategies_table(setting: Setting) -> Table:
    """Give every strategy's flow time, and by how much it is above the paper's best."""
    first = PRINTED[0]
    rows: list[dict[str, Cell]] = []
    for name in setting.order(list(setting.found)):
        gap = setting.above(first, name)
        rows.append(
            {
                "*strategy": name,
                "rank in the paper": PRINTED.index(name) + 1
                if name in PRINTED
                else None,
                "flow time": setting.mean(name),
                f"above {first}, %": gap.value if name != first else None,
                "from": gap.low if name != first else None,
                "to": gap.high if name != first else None,
                "*worse in runs": f"{setting.worse_in(first, name)} of {setting.runs}"
                if name != first
                else "",
                "service time": setting.service(name),
                "utilisation, %": setting.utilisation(name),
            }
        )
    slug = f"load_{float(setting.load):.2f}".replace(".", "")
    return Table.of(
        slug,
        "Mean flow and service time, in times of a message; least flow time first",
        rows,
    )


def order_table(loads: Sequence[Setting]) -> Table:
    """Give the order of the paper's four next to the paper's."""
    rows: list[dict[str, Cell]] = [
        {"*load": "the paper", "*order": ", ".join(PRINTED), "rho": None, "*by run": ""}
    ]
    for setting in loads:
        by_run = [setting.rho(run) for run in range(setting.runs)]
        rows.append(
            {
                "*load": f"{float(setting.load):.2f}",
                "*order": ", ".join(setting.order()),
                "rho": setting.rho(),
                "*by run": ", ".join(f"{rho:.1f}" for rho in by_run),
            }
        )
    return Table.of(
        "ranks", "Order by mean flow time, and Spearman's rho with the paper's", rows
    )


def sensitivity_table(settings: Sequence[Setting], names: Sequence[str]) -> Table:
    """Give flow times relative to the paper's best under other assumptions."""
    first = PRINTED[0]
    rows: list[dict[str, Cell]] = []
    for setting in settings:
        row: dict[str, Cell] = {
            "*assumption": setting.name,
            "cycles of a message": setting.pace,
        }
        least = float(setting.found[first][0].flow.sum())
        for name in names:
            flow = float(setting.found[name][0].flow.sum())
            row[name] = 100 * flow / least
        row["rho"] = setting.rho(0)
        rows.append(row)
    return Table.of(
        "assumptions",
        f"Mean flow time in per cent of that of {first}, first run",
        rows,
    )
