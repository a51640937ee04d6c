"""Figures 4 and 5 (a): time of a selection against |Pa| - r, exact and heuristic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import FuncFormatter

from ...exact.procset.incremental_selector import RequestSolver, Selection
from ...heuristics.procset.reaching import ReachingMachine
from ...instances import ProcSet
from ...instances.procset.sample_machine import system
from ...methods import PROCSET
from ...reports.pages.document import Cell, Document, Finding, Plot, Section, Table
from ...reports.pages.plot_style import (
    FAINT,
    INK,
    A,
    B,
    as_plot,
    in_style,
    sheet,
    time_label,
)
from ...simulation.dispatch import Flags, dispatch
from ...simulation.week import NODE, Submission
from ...solvers import Settings, Status
from ...solvers.running import clock
from ..catalogue import RunOptions
from .week_stream import NODES, Ints, stream

WALL = 12
"""|Pa| - r at which the paper stopped running its exact algorithm."""
_EDGES = (0, 2, 4, 6, 8, 10, 12, 16, 24, 40, 60, 80, 120, 160, NODES)
"""Last |Pa| - r of each bin, in nodes."""
_EACH = 40
"""Largest number of requests per bin that are timed."""
_FEW = 4
"""The same, for general solvers."""
_REPEATS = 3
_PATIENCE = 10.0
"""Seconds for a run of the exact algorithm of 1994 or of a solver."""
_WALLED = 20
"""Largest |Pa| - r at which the exact algorithm of 1994 is tried."""


@dataclass(frozen=True, slots=True)
class MetRequest:
    """A request in its state: the available nodes, and how many are requested."""

    available: Flags
    request: int

    @property
    def surplus(self) -> int:
        """|Pa| - r, in nodes."""
        return int(np.count_nonzero(self.available)) - self.request


@dataclass(frozen=True, slots=True)
class Timed:
    """Mean and greatest time of a method in a bin, and how many runs it finished."""

    mean: float
    most: float
    runs: int
    proved: int


def study(options: RunOptions) -> Document:
    """Collect requests of a stream, and time every method on the same ones."""
    jobs, about = stream(options)
    bins = _collect(jobs)
    methods = dict(_methods())
    found: dict[str, list[Timed | None]] = {name: [] for name in methods}
    steps = len(methods) * len(bins)
    for place, (name, (run, most, each)) in enumerate(methods.items()):
        for step, met in enumerate(bins):
            options.progress(place * len(bins) + step, steps, name)
            found[name].append(_time(run, [m for m in met if m.surplus <= most][:each]))
    options.progress(steps, steps, "")
    return build_document(bins, found, about, options.seed)


def _collect(jobs: Sequence[Submission]) -> list[list[MetRequest]]:
    """Run the stream under the exact algorithm; keep requests of every |Pa| - r."""
    machine = RequestSolver(NODES, system("node").sets)
    bins: list[list[MetRequest]] = [[] for _ in _EDGES]
    seen = [0] * len(_EDGES)

    def choose(free: Flags, job: Submission) -> Ints:
        met = MetRequest(free.copy(), job.processors)
        at = int(np.searchsorted(_EDGES, met.surplus))
        # evenly over the stream: thinned out whenever a bin is full
        seen[at] += 1
        if len(bins[at]) < _EACH:
            bins[at].append(met)
        elif seen[at] % max(1, len(jobs) // (_EACH * 10)) == 0:
            bins[at][seen[at] % _EACH] = met
        return machine.select(free, job.processors).chosen

    for _ in dispatch(jobs, NODES, choose):
        pass
    return bins


Run = Callable[[MetRequest], bool]
"""Answers a request; returns whether the answer was proved optimal."""


def _methods() -> Iterator[tuple[str, tuple[Run, int, int]]]:
    """List the methods, the |Pa| - r up to which each is tried, and how often."""
    for granularity, suffix in (("node", ""), ("core", ", cores")):
        yield (
            f"exact: frontier-dp{suffix}",
            (_by_machine(RequestSolver, granularity), NODES, _EACH),
        )
        yield (
            f"reaching{suffix}",
            (_by_machine(ReachingMachine, granularity), NODES, _EACH),
        )
    yield "exact, 1994: goldschmidt", (_run_of("goldschmidt"), _WALLED, _EACH)
    yield "cpsat", (_run_of("classes/cpsat"), NODES, _FEW)
    yield "mip (HiGHS)", (_run_of("classes/highs"), NODES, _FEW)


def _by_machine(kind: type[RequestSolver | ReachingMachine], granularity: str) -> Run:
    """Run a machine whose sets are laid out once; each node may be 8 processors."""
    each = NODE if granularity == "core" else 1
    machine = kind(NODES * each, system(granularity).sets)

    def run(met: MetRequest) -> bool:
        found = machine.select(np.repeat(met.available, each), met.request * each)
        return isinstance(found, Selection) and found.exact

    return run


def _run_of(name: str) -> Run:
    sample = system("node")
    settings = Settings(time_limit=_PATIENCE)

    def run(met: MetRequest) -> bool:
        available = np.flatnonzero(met.available).tolist()
        instance: ProcSet = sample.ask(met.request, available)
        return PROCSET[name](instance, settings).status is Status.OPTIMAL

    return run


def _time(run: Run, met: Sequence[MetRequest]) -> Timed | None:
    """Time a method on requests, the best of a few runs each; warmed up before."""
    if not met:
        return None
    run(met[0])
    times, proved = [], 0
    for one in met:
        best = np.inf
        done = False
        for _ in range(_REPEATS):
            begin = clock.now()
            done = run(one)
            best = min(best, clock.now() - begin)
            if best > 0.05:
                break
        times.append(best)
        proved += done
    return Timed(float(np.mean(times)), max(times), len(times), proved)


def build_document(
    bins: Sequence[Sequence[MetRequest]],
    found: dict[str, list[Timed | None]],
    about: str,
    seed: int,
) -> Document:
    """Compare the results with the paper."""
    heads = [
        f"{first} to {last}" if last > first else str(last)
        for first, last in zip([0, *(e + 1 for e in _EDGES[:-1])], _EDGES, strict=True)
    ]
    exact = [one for one in found["exact: frontier-dp"] if one]
    reaching = [one for one in found["reaching"] if one]
    beyond = [
        one
        for last, one in zip(_EDGES, found["exact: frontier-dp"], strict=True)
        if one and last > WALL
    ]
    old = found["exact, 1994: goldschmidt"]
    finished = [
        head
        for head, one in zip(heads, old, strict=True)
        if one and one.proved == one.runs
    ]
    both = [
        (a, b)
        for a, b in zip(found["exact: frontier-dp"], found["reaching"], strict=True)
        if a and b
    ]
    faster = sum(a.mean < b.mean for a, b in both)
    lead = (
        f"frontier-dp answers every request, proved optimal, in "
        f"{_milli(float(np.mean([one.mean for one in exact])))} on average and "
        f"{_milli(max(one.most for one in exact))} at most; reaching takes "
        f"{_milli(float(np.mean([one.mean for one in reaching])))} and "
        f"{_milli(max(one.most for one in reaching))}. In {faster} of {len(both)} bins "
        "of |Pa| - r the exact answer comes sooner than the heuristic one.",
        "The exact algorithm of 1994, which the paper used, finishes every request "
        f"within {_PATIENCE:g} s for |Pa| - r "
        + (f"in {', '.join(finished)}." if finished else "in no bin."),
    )
    return Document(
        name="drakenberg-time",
        title="How long does a selection take?",
        source="Drakenberg 2012, Figures 4 and 5 (a)",
        lead=lead,
        findings=(
            Finding(
                claim="an exact algorithm is practical only up to |Pa| - r of",
                paper=str(WALL),
                ours=f"{sum(one.proved for one in beyond)} of "
                f"{sum(one.runs for one in beyond)} requests beyond it proved optimal",
                holds=any(one.proved < one.runs or one.most >= 1 for one in beyond)
                if beyond
                else None,
                criterion="refuted if frontier-dp proves the optimum of every request "
                f"beyond {WALL} within 1 s; slowest "
                f"{_milli(max((one.most for one in beyond), default=0))}",
                remark="the algorithm of 1994 does have that wall",
            ),
            Finding(
                claim="the heuristic is fast enough for a scheduler",
                paper="yes",
                ours=f"{_milli(max(one.most for one in reaching))} at most",
                holds=max(one.most for one in reaching) < 1.0,
                criterion="every selection takes less than 1 s",
            ),
        ),
        sections=(
            Section(
                title="Against the number of processors not selected",
                tables=(_table(heads, bins, found),),
                plots=(_plot(heads, found),),
            ),
        ),
        notes=(
            f"Stream: {about}; seed {seed}, run under frontier-dp. Up to {_EACH} "
            f"requests of each bin, {_FEW} for general solvers; the best of "
            f"{_REPEATS} runs of each request below 50 ms.",
            "At core granularity a request is for all 8 processors of its nodes, out "
            "of all 8 of each free node: 2048 processors, 6 levels.",
            "The selection alone is timed, in a process that runs: the machine's sets "
            "are laid out once. The solvers' times include building their models, "
            "and for HiGHS starting its process.",
            "The paper's times are graphs, of 2008's machines: Lisp for Figure 4, C "
            "for Figure 5 (a). Only the wall and the shape can be compared.",
        ),
    )


def _table(
    heads: Sequence[str],
    bins: Sequence[Sequence[MetRequest]],
    found: dict[str, list[Timed | None]],
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for at, head in enumerate(heads):
        if not bins[at]:
            continue
        row: list[Cell] = [head, len(bins[at])]
        for timed in found.values():
            one = timed[at]
            row += [1e3 * one.mean, 1e3 * one.most] if one else [None, None]
        rows.append(tuple(row))
    columns = [f"{name}, {part}" for name in found for part in ("mean ms", "max ms")]
    return Table(
        name="times",
        caption="Milliseconds of a selection, by |Pa| - r in nodes",
        columns=("*|Pa| - r", "requests", *columns),
        rows=rows,
    )


@in_style
def _plot(heads: Sequence[str], found: dict[str, list[Timed | None]]) -> Plot:
    looks = {
        "exact: frontier-dp": (A, "-"),
        "reaching": (B, "-"),
        "exact: frontier-dp, cores": (A, "--"),
        "reaching, cores": (B, "--"),
        "exact, 1994: goldschmidt": (INK, "-"),
        "cpsat": (FAINT, "-"),
        "mip (HiGHS)": (FAINT, "--"),
    }
    figure, axes = sheet(7.4, 4.6)
    for name, timed in found.items():
        colour, style = looks[name]
        points = [(at, one.mean) for at, one in enumerate(timed) if one]
        axes.plot(
            [at for at, _ in points],
            [mean for _, mean in points],
            color=colour,
            linestyle=style,
            linewidth=1.5,
            marker="o",
            markersize=2.5,
            label=name,
        )
    wall = next(at for at, last in enumerate(_EDGES) if last == WALL)
    axes.axvline(wall + 0.5, color=FAINT, linewidth=0.8)
    axes.text(
        wall + 0.6, 0.98, "the paper's wall", color=FAINT, va="top",
        transform=axes.get_xaxis_transform(),
    )  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(time_label))
    axes.set_xticks(range(len(heads)), heads, rotation=35, ha="right")
    axes.set_xlabel("nodes not selected, |Pa| - r")
    axes.set_ylabel("mean time of a selection")
    axes.grid(axis="y")
    figure.legend(frameon=False, fontsize=8, ncols=4, loc="outside upper center")
    return as_plot(
        figure,
        "Time of a selection against |Pa| - r",
        "The same requests for every method, on a logarithmic scale of time.",
    )


def _milli(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"
