"""Correlations, losses and differences in tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...pages.bootstrap import Estimate
from ...pages.document import Cell, Table
from .figures import DRAWS, Outcome
from .machines import LOADS, MACHINES
from .objectives import OBJECTIVES


def rho_table(outcome: Outcome) -> Table:
    """Give the mean correlation of every objective with time, by machine."""
    columns = {
        machine: outcome.rhos(outcome.of(machine)) for machine in outcome.machines
    }
    columns["all"] = outcome.rhos(outcome.of())
    return _by_objective(
        "correlations",
        "Spearman's rho of objectives with the time of the job, mean over loads, "
        "workloads and states",
        columns,
    )


def load_table(outcome: Outcome) -> Table:
    """Give the same by machine and by load: alone, and among others."""
    columns = {
        f"{machine}, {load}": outcome.rhos(outcome.of(machine, load))
        for machine in outcome.machines
        for load in outcome.loads
    }
    rows: list[dict[str, Cell]] = []
    for machine in outcome.machines:
        for load in outcome.loads:
            found = columns[f"{machine}, {load}"]
            best = max(range(len(OBJECTIVES)), key=lambda i: found[i].value)
            row: dict[str, Cell] = {"*machine": machine, "*load": load}
            row |= {
                f"*{name}": str(one)
                for name, one in zip(OBJECTIVES, found, strict=True)
            }
            rows.append(row | {"*best": OBJECTIVES[best]})
    return Table.of("by_load", "The same by load, mean over workloads and states", rows)


def regret_table(outcome: Outcome) -> Table:
    """Give what is lost by choosing the set of least objective, by machine."""
    columns = {
        machine: outcome.regrets(outcome.of(machine)) for machine in outcome.machines
    }
    columns["all"] = outcome.regrets(outcome.of())
    return _by_objective(
        "losses",
        "Time of the set with the least objective, in per cent above the least time of "
        "all sets tried; mean over loads, workloads and states",
        columns,
    )


def cells_table(outcome: Outcome, machine: str) -> Table:
    """Give the correlation in every cell of a machine: workload and load."""
    rows: list[dict[str, Cell]] = []
    for load in outcome.loads:
        for workload in outcome.workloads:
            found = outcome.rhos(outcome.of(machine, load), workload)
            row: dict[str, Cell] = {"*load": load, "*workload": workload}
            row |= {
                f"*{name}": str(one)
                for name, one in zip(OBJECTIVES, found, strict=True)
            }
            rows.append(row)
    return Table.of(
        f"cells_{machine.replace('-', '_')}",
        f"Spearman's rho with time, {MACHINES[machine].about}",
        rows,
    )


def compared(machine: str) -> tuple[str, ...]:
    """Return what the optimum is compared with on a machine."""
    return (*MACHINES[machine].heuristics, *DRAWS)


def worth_table(outcome: Outcome) -> Table:
    """Give by how much others are above the optimum, and what is left for others."""
    rows: list[dict[str, Cell]] = []
    for machine in outcome.machines:
        for load in outcome.loads:
            runs = outcome.of(machine, load)
            proven = sum(int(run.found.proven[0]) for run in runs)
            for name in compared(machine):
                time = outcome.above(runs, name)
                row: dict[str, Cell] = {
                    "*machine": machine,
                    "*load": load,
                    "*proven": f"{proven} of {len(runs)}",
                    "*method": name,
                    "time, % above": time.value,
                    "from": time.low,
                    "to": time.high,
                }
                rate: Estimate | None = None
                if LOADS[load].traffic:
                    rate = outcome.above(runs, name, others=True)
                rows.append(
                    row
                    | {
                        "others, %": rate.value if rate else None,
                        "others, from": rate.low if rate else None,
                        "others, to": rate.high if rate else None,
                    }
                )
    return Table.of(
        "worth",
        "Time of the job against that on the optimal set, and what others deliver per "
        "cycle meanwhile against the same; geometric means over workloads and states. "
        "Proven: optima, of the states",
        rows,
    )


def _by_objective(
    name: str, caption: str, columns: Mapping[str, Sequence[Estimate]]
) -> Table:
    rows: list[dict[str, Cell]] = []
    for i, objective in enumerate(OBJECTIVES):
        row: dict[str, Cell] = {"*objective": objective}
        for column, found in columns.items():
            row[f"*{column}"] = str(found[i])
        rows.append(row)
    return Table.of(name, caption, rows)
