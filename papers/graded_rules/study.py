"""Rules of schedulers against the optimum on jobs of parts: refusals, domains, ends."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ...clusters.jobs.program import minimise
from ...clusters.rules.jobs import JOB_RULES, preempt_by_rule
from ...formulations.cluster.answer import decide
from ...formulations.cluster.changes.change import RunningState, preempt
from ...formulations.cluster.job import GangJob
from ...instances import InputError
from ...reports.pages.document import Cell, Document, Name, Section, Table
from ...solvers import Settings, Status
from ..catalogue import RunOptions
from . import drawing

BUSY = (30, 60, 85)
"""Shares of devices in use, in per cent."""
COUNT, COUNT_FULL = 4, 60
"""States of every shape and share, and recorded ones of every shape."""
_LIMIT = Settings(time_limit=30.0)
_WHYS = ("not asked", "no place", "broken")


@dataclass(frozen=True)
class GradedRules:
    """What each rule did with a job, next to the optimum.

    Parameters
    ----------
    about
        The kind of the state, its shape, and the kind of the job.
    best
        Blocks and racks of the optimum; of a preemption the least number of jobs.
    did
        The same numbers by rule, or why there are none.
    """

    about: tuple[str, str, str]
    best: tuple[int, ...]
    did: dict[str, tuple[int, ...] | str]


def grade(
    job: GangJob, state: RunningState, about: tuple[str, str, str], ends: bool = False
) -> GradedRules | None:
    """Let every rule place a job, or end others for it.

    None: it does not fit, or no job has to end. Nothing did where this is not decided.
    """
    if ends:
        change = preempt(job, state, _LIMIT)
        best: tuple[int, ...] = (len(change.ends),)
        status = change.status
    else:
        exact = decide(job, state.devices, _LIMIT, minimise)
        status, best = exact.status, exact.objective or ()
    if status is Status.INFEASIBLE or (status is Status.OPTIMAL and not any(best)):
        return None
    did: dict[str, tuple[int, ...] | str] = {}
    for name, rule in JOB_RULES.items() if status is Status.OPTIMAL else ():
        try:
            gone = preempt_by_rule(rule, job, state) if ends else []
            free = state.without(gone or ())
            placed = None if gone is None else rule(job, free)
        except InputError:
            did[name] = _WHYS[0]
            continue
        if placed is None:
            did[name] = _WHYS[1]
        elif job.violations(placed, free):
            did[name] = _WHYS[2]
        else:
            did[name] = (len(gone or ()),) if ends else job.value(placed, free)
    return GradedRules(about, best, did)


def _states(seed: int, count: int) -> Iterator[tuple[str, str, RunningState]]:
    for shape, sizes in drawing.SHAPES.items():
        tree, each = drawing.even_tree(*sizes), drawing.DEVICES[shape]
        for busy in BUSY:
            for i in range(count):
                lots = random.Random(f"{seed} {shape} {busy} {i}")
                state = drawing.drawn_state(lots, tree, each, busy / 100)
                yield f"{busy} % in use", shape, state
        for state in drawing.recorded_states(seed, tree, each, count):
            yield "recorded", shape, state


def study(options: RunOptions) -> Document:
    """Grade all rules on drawn and recorded states."""
    count = options.first or (COUNT_FULL if options.full else COUNT)
    choices: list[GradedRules | None] = []
    ends: list[GradedRules | None] = []
    total = len(drawing.SHAPES) * (len(BUSY) + 1) * count
    for i, (source, shape, state) in enumerate(_states(options.seed, count)):
        options.progress(i, total, f"{shape}, {source}")
        lots = random.Random(f"{options.seed} {i}")
        for kind in drawing.KINDS:
            job = drawing.drawn_job(lots, kind, state.devices)
            choices.append(grade(job, state, (source, shape, kind)))
        if shape != "tree" and source.startswith(f"{BUSY[-1]}"):
            for kind in drawing.KINDS[1:3]:
                job = drawing.drawn_job(lots, kind, state.without(state.jobs))
                ends.append(grade(job, state, (source, shape, kind), ends=True))
    return build_document([*filter(None, choices)], [*filter(None, ends)], options.seed)


def build_document(
    choices: Sequence[GradedRules], ends: Sequence[GradedRules], seed: int
) -> Document:
    """Put what was graded into tables."""
    undecided = sum(not one.did for one in (*choices, *ends))
    choices = [one for one in choices if one.did]
    ends = [one for one in ends if one.did]
    numbers = ("more blocks", "more racks")
    sections = [("All decisions", [_table("all", choices, numbers)])]
    for i, title in enumerate(("By state", "By shape", "By kind of job")):
        parts = dict.fromkeys(one.about[i] for one in choices)
        tables = [
            _table(part, [x for x in choices if x.about[i] == part], numbers)
            for part in parts
        ]
        sections.append((title, tables))
    sections.append(("Preemptions", [_table("preemptions", ends, ("more jobs",))]))
    return Document(
        name="graded-rules",
        title="Rules of schedulers on jobs of parts, against the optimum",
        source="closeknit, docs/clusters/graded-rules.md",
        lead=(
            f"{len(choices)} decisions on jobs that fit, and {len(ends)} preemptions; "
            f"{undecided} more are open after {_LIMIT.time_limit:g} s. Seed {seed}. "
            "The optimum has the fewest blocks, and of these the fewest racks.",
        ),
        sections=tuple(
            Section(title=title, tables=tuple(some)) for title, some in sections
        ),
    )


def _table(name: str, found: Sequence[GradedRules], numbers: Sequence[str]) -> Table:
    """Make a table: a number is compared where those before it are the least."""
    rows: list[list[Cell]] = []
    for rule in JOB_RULES:
        cells: list[Cell] = [Name(rule)]
        for why in _WHYS:
            cells.append(_share([one.did[rule] == why for one in found]))
        pairs = [(x.best, did) for x in found if isinstance(did := x.did[rule], tuple)]
        cells.append(_share([best == did for best, did in pairs]))
        for i in range(len(numbers)):
            more = [did[i] - best[i] for best, did in pairs if best[:i] == did[:i]]
            cells += [_mean(more), max(more, default=None)]
        rows.append(cells)
    heads = [f"*{head}, %" for head in (*_WHYS, "optimal")]
    heads += [x for number in numbers for x in (f"*{number}", "most")]
    return Table(
        name=name.replace(" ", "_").replace("%", "percent"),
        caption=f"{name}, {len(found)}",
        columns=("*rule", *heads),
        rows=rows,
    )


def _share(flags: Sequence[bool]) -> str:
    """Return a share in per cent, with its interval by Wilson, 95 %."""
    if not flags:
        return ""
    ends = stats.binomtest(sum(flags), len(flags)).proportion_ci(0.95, "wilson")
    return f"{100 * np.mean(flags):.1f} ({100 * ends.low:.0f}..{100 * ends.high:.0f})"


def _mean(values: Sequence[int]) -> str:
    """Return a mean, ± half of its interval by Student, 95 %."""
    if len(values) < 2:
        return ""
    half = stats.sem(values) * stats.t.ppf(0.975, len(values) - 1)
    return f"{np.mean(values):.2f} ± {half:.2f}"
