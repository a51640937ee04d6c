"""Correlations, losses and differences in tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...reports.pages.bootstrap import Estimate
from ...reports.pages.document import Cell, Table
from .figures import DRAWS, AllRuns, Run
from .machines import LOADS, MACHINES
from .objectives import OBJECTIVES


def rho_table(outcome: AllRuns) -> Table:
    """Give the mean correlation of every objective with time, by machine."""
    return _by_objective(
        outcome,
        "correlations",
        "Spearman's rho of objectives with the time of the job, mean over loads, "
        "workloads and states",
        outcome.rhos,
    )


def regret_table(outcome: AllRuns) -> Table:
    """Give what is lost by choosing the set of least objective, by machine."""
    return _by_objective(
        outcome,
        "losses",
        "Time of the set with the least objective, in per cent above the least time of "
        "all sets tried; mean over loads, workloads and states",
        outcome.regrets,
    )


def _by_objective(
    outcome: AllRuns,
    name: str,
    caption: str,
    judge: Callable[[Sequence[Run]], list[Estimate]],
) -> Table:
    columns = {machine: judge(outcome.of(machine)) for machine in outcome.machines}
    columns["all"] = judge(outcome.of())
    rows: list[dict[str, Cell]] = []
    for i, objective in enumerate(OBJECTIVES):
        row: dict[str, Cell] = {"*objective": objective}
        rows.append(
            row | {column: _value(found[i]) for column, found in columns.items()}
        )
    return Table.of(name, caption, rows)


def load_table(outcome: AllRuns) -> Table:
    """Give the correlations by machine and load."""
    rows: list[dict[str, Cell]] = []
    for machine in outcome.machines:
        for load in outcome.loads:
            found = outcome.rhos(outcome.of(machine, load))
            best = max(range(len(OBJECTIVES)), key=lambda i: found[i].value)
            row: dict[str, Cell] = {"*machine": machine, "*load": load}
            row |= {
                name: _value(one) for name, one in zip(OBJECTIVES, found, strict=True)
            }
            rows.append(row | {"*best": OBJECTIVES[best]})
    return Table.of("by_load", "Spearman's rho by load", rows)


def cells_table(outcome: AllRuns) -> Table:
    """Give every cell, with intervals, and the means over workloads."""
    rows: list[dict[str, Cell]] = []
    for machine in outcome.machines:
        for load in outcome.loads:
            runs = outcome.of(machine, load)
            for workload in (*outcome.workloads, None):
                rhos = outcome.rhos(runs, workload)
                losses = outcome.regrets(runs, workload)
                for i, objective in enumerate(OBJECTIVES):
                    rows.append(
                        {
                            "*machine": machine,
                            "*load": load,
                            "*workload": workload or "all",
                            "*objective": objective,
                            **_shown("rho", rhos[i]),
                            **_shown("loss, %", losses[i]),
                        }
                    )
    return Table.of(
        "cells",
        "Spearman's rho of an objective with time, and the loss by choosing the set "
        "that has least of it, in every cell",
        rows,
    )


def comparisons(machine: str) -> tuple[str, ...]:
    """Return what the optimum is compared with on a machine."""
    return (*MACHINES[machine].heuristics, *DRAWS)


def worth_table(outcome: AllRuns, machine: str) -> Table:
    """Give by how many per cent a job takes longer than on the optimal set."""
    proven = [int(run.found.proven[0]) for run in outcome.of(machine)]
    rows: list[dict[str, Cell]] = []
    for name in comparisons(machine):
        row: dict[str, Cell] = {"*set of": name}
        for load in outcome.loads:
            row[load] = _value(outcome.above(outcome.of(machine, load), name))
        for load in outcome.loads:
            if LOADS[load].traffic:
                runs = outcome.of(machine, load)
                rate = outcome.above(runs, name, others=True)
                row[f"others, {load}"] = _value(rate)
        rows.append(row)
    return Table.of(
        f"worth_{machine.replace('-', '_')}",
        f"{machine}: time of the job, and what others deliver per cycle meanwhile, in "
        "per cent above those with the set of least pair sum "
        f"({sum(proven)} of {len(proven)} proven)",
        rows,
    )


def differences_table(outcome: AllRuns) -> Table:
    """Give the same with intervals."""
    rows: list[dict[str, Cell]] = []
    for machine in outcome.machines:
        for load in outcome.loads:
            runs = outcome.of(machine, load)
            for name in comparisons(machine):
                rate = None
                if LOADS[load].traffic:
                    rate = outcome.above(runs, name, others=True)
                rows.append(
                    {
                        "*machine": machine,
                        "*load": load,
                        "*set of": name,
                        **_shown("time, %", outcome.above(runs, name)),
                        **_shown("others, %", rate),
                    }
                )
    return Table.of(
        "differences",
        "Time and what others deliver, in per cent above those with the set of least "
        "pair sum",
        rows,
    )


def _value(one: Estimate) -> float:
    """Return a number with two decimals: no more of them are sure."""
    return round(one.value, 2) + 0.0  # no -0.0


def _shown(name: str, one: Estimate | None) -> dict[str, Cell]:
    """Return a number and its interval as three cells."""
    what = name.partition(",")[0]
    return {
        name: one.value if one else None,
        f"{what}, from": one.low if one else None,
        f"{what}, to": one.high if one else None,
    }
