"""How much of migration can be decided, from 2 residents to 240, and what that leaves.

Morgenstern 1994 decides whether residents can make room up to ten of them. Here every
state of a simulation is put to a cascade whose steps are counted, and the whole
simulation is run twice: what stays undecided is a no, which gives a schedule that can
be carried out, and then a yes, which gives one that no method can beat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from statistics import median

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from ....exact.submesh.feasibility import Feasibility
from ....instances.submesh.packing import Packing
from ....simulation.submesh import Measures, first_come
from ....simulation.submesh_budget import Budget
from ....simulation.submesh_migration import Migrating
from ....simulation.submesh_stream import Request, Uniform, queue
from ....solvers import Settings, clock
from ...pages.document import Cell, Document, Finding, Plot, Section, Table
from ...pages.plot_style import CLOUD, INK, STYLE, A, B, as_svg
from ..catalogue import RunOptions

SHAPE = (256, 256)
RANGES = (
    (256, 500),
    (183, 500),
    (154, 500),
    (131, 150),
    (102, 150),
    (90, 150),
    (59, 200),
    (42, 250),
    (29, 450),
)
"""Longest side, and requests: 2, 5, 7.5, 11, 20, 26, 60, 120, 240 residents, about."""
RESIDENTS = (5, 10, 15, 20, 30, 60, 120, 240)
"""Upper ends of the classes; what is more is the last."""
LOADS = (70, 80, 85, 90, 96)
"""Lower ends of the classes in per cent, but for the first."""
FEW = 20
"""Residents up to which nearly everything should be decided."""


@dataclass(frozen=True, slots=True)
class Case:
    """One decision whether residents could make room.

    Parameters
    ----------
    residents
        Who is there.
    load
        Processors held if the request were let in, per cent.
    fits
        The answer.
    by
        The step that gave it.
    seconds
        Processor time.
    """

    residents: int
    load: float
    fits: bool | None
    by: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Range:
    """What came of the queue of one range of sides."""

    longest: int
    requests: int
    no: Measures
    yes: Measures
    cases: Sequence[Case]
    again: int
    """Undecided in the run that takes them for a yes."""

    @property
    def bracket(self) -> float:
        """By how many per cent the schedule may be longer than need be."""
        return 100 * (self.no.completion_time / self.yes.completion_time - 1)


class _Recorder:
    """Decides within a budget, and notes what was asked."""

    def __init__(self, budget: Budget, told: Callable[[], None]) -> None:
        self.budget = budget
        self.told = told
        self.cases: list[Case] = []

    def __call__(self, packing: Packing, settings: Settings) -> Feasibility:
        self.told()
        start = clock.cpu()
        verdict = self.budget(packing, settings)
        seconds = clock.cpu() - start
        load = 100 * sum(prod(one.size) for one in packing.items) / prod(packing.shape)
        residents = len(packing.items) - 1
        self.cases.append(Case(residents, load, verdict.fits, verdict.by, seconds))
        return verdict


def study(order: RunOptions) -> Document:
    """Run the queues of all ranges, undecided as a no and as a yes."""
    budget = Budget()
    _simulated(queue((32, 32), 60, Uniform(1, 12)), (32, 32), budget)  # compiled
    ranges = []
    for k, (longest, most) in enumerate(RANGES):
        n = min(most, order.first or most)
        requests = queue(SHAPE, n, Uniform(1, longest), seed=order.seed)

        def told(k: int = k, longest: int = longest) -> None:
            order.progress(k, len(RANGES), f"sides to {longest}")

        no, asked = _simulated(requests, SHAPE, budget, told=told)
        yes, again = no, asked
        if any(case.fits is None for case in asked):
            yes, again = _simulated(requests, SHAPE, budget, generous=True, told=told)
        undecided = sum(case.fits is None for case in again)
        ranges.append(Range(longest, n, no, yes, asked, undecided))
    order.progress(len(RANGES), len(RANGES), "")
    return _written(ranges, budget, order)


def _simulated(
    requests: Sequence[Request],
    shape: tuple[int, int],
    budget: Budget,
    *,
    generous: bool = False,
    told: Callable[[], None] = lambda: None,
) -> tuple[Measures, list[Case]]:
    recorder = _Recorder(budget, told)
    occupancy = Migrating(shape, generous=generous, decider=recorder)
    return first_come(requests, occupancy), recorder.cases


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some decisions are a yes, a no, and neither."""

    yes: int
    no: int
    undecided: int

    @property
    def n(self) -> int:
        """All of them."""
        return self.yes + self.no + self.undecided

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share that is undecided, in per cent."""
        if not self.n:
            return 0.0, 100.0
        found = stats.binomtest(self.undecided, self.n).proportion_ci(method="wilson")
        return 100 * float(found.low), 100 * float(found.high)

    @property
    def undecided_pct(self) -> float | None:
        """The share that is undecided, in per cent."""
        return 100 * self.undecided / self.n if self.n else None

    @property
    def cells(self) -> tuple[Cell, ...]:
        """For a table: see `_COUNTED`."""
        low, high = self.interval
        return (
            self.n,
            self.yes,
            self.no,
            self.undecided,
            self.undecided_pct,
            low,
            high,
        )


_COUNTED = ("decisions", "yes", "no", "undecided", "undecided %", "from %", "to %")


def share(cases: Iterable[Case]) -> Share:
    """Count answers.

    >>> two = share([Case(3, 90.0, True, "annealing", 0.1), Case(3, 95.0, None, "", 1)])
    >>> two.yes, two.undecided, [round(x) for x in two.interval]
    (1, 1, [9, 91])
    """
    found = Counter(case.fits for case in cases)
    return Share(found[True], found[False], found[None])


Classes = list[tuple[str, list[Case]]]


def by_residents(cases: Sequence[Case]) -> Classes:
    """Sort decisions by how many residents there are."""
    ends = (-1, *RESIDENTS, 10**9)
    return [
        (
            f"over {low}" if high == ends[-1] else f"{low + 1} to {high}",
            [case for case in cases if low < case.residents <= high],
        )
        for low, high in pairwise(ends)
    ]


def by_load(cases: Sequence[Case]) -> Classes:
    """Sort decisions by the load there would be."""
    ends = (0, *LOADS, 101)
    return [
        (
            f"to {high}" if not low else f"{low} to {min(high, 100)}",
            [case for case in cases if low <= case.load < high],
        )
        for low, high in pairwise(ends)
    ]


def _written(ranges: Sequence[Range], budget: Budget, order: RunOptions) -> Document:
    cases = [case for one in ranges for case in one.cases]
    few = [case for case in cases if case.residents <= FEW]
    ten = [case for case in cases if case.residents <= 10]
    many = [case for case in cases if case.residents > FEW]
    exact = [one for one in ranges if not any(c.fits is None for c in one.cases)]
    rest = [one for one in ranges if one not in exact]
    worst = max(rest, key=lambda one: one.bracket, default=None)
    lead = (
        f"Of {len(cases)} decisions, {_decided(cases)} were reached: {_decided(ten)} "
        f"with at most 10 residents, {_decided(few)} with at most {FEW}, "
        f"{_decided(many)} with more. "
        f"{len(exact)} of {len(ranges)} ranges of sides run without an undecided one"
        + (
            f"; in the others the completion time is known to within "
            f"{min(one.bracket for one in rest):.1f} to {worst.bracket:.1f} %."
            if worst
            else "."
        ),
    )
    findings = [
        Finding(
            claim=f"decided with at most {most} residents",
            paper=paper,
            ours=f"{_decided(some)}, longest {_longest(some)}",
            holds=_reached(some) >= target if some else None,
            criterion=f"at least {target:.0%} of the decisions are reached within the "
            f"budget; {_reached(some):.2%} are"
            if some
            else "",
        )
        for most, paper, some, target in (
            (10, "all, with the effort of a search", ten, 1.0),
            (FEW, "not at all beyond 10", few, 0.95),
        )
    ]
    findings.append(
        Finding(
            claim=f"decided with more than {FEW} residents",
            paper="not at all",
            ours=f"{_decided(many)}, longest {_longest(many)}",
        )
    )
    return Document(
        name="morgenstern-undecided",
        title="What of migration can be decided, and what the rest is worth",
        source="Morgenstern 1994, section 4, beyond its ten residents",
        lead=lead,
        findings=tuple(findings),
        sections=(_ranges(ranges), _shares(cases), _steps(cases)),
        notes=(
            f"Seed {order.seed}, one queue a range, first come first served on "
            "256x256, sides uniform from 1, residence 5 to 30.",
            f"Budget of a decision: {budget}.",
            "Counted are attempts for which enough processors are free and FS_f finds "
            "no free box, in the run that takes the undecided for a no. The load is "
            "that with the request let in.",
            "Intervals are Wilson's at 95 %, as if decisions were independent of each "
            "other; a request that waits is decided on again after each release.",
            "The bracket: by how much the completion time with every undecided request "
            "turned away exceeds that with every one let in.",
            "Times are processor time of one thread.",
        ),
    )


def _reached(cases: Sequence[Case]) -> float:
    return sum(case.fits is not None for case in cases) / len(cases)


def _decided(cases: Sequence[Case]) -> str:
    if not cases:
        return "none of none"
    return f"{sum(c.fits is not None for c in cases)} of {len(cases)}"


def _longest(cases: Sequence[Case]) -> str:
    return f"{max((case.seconds for case in cases), default=0):.2g} s"


def _ranges(ranges: Sequence[Range]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    tight: list[tuple[Cell, ...]] = []
    for one in ranges:
        times = [case.seconds for case in one.cases]
        rows.append(
            (
                f"1 to {one.longest}",
                one.requests,
                one.no.mean_allocated,
                max((case.residents for case in one.cases), default=0),
                *share(one.cases).cells,
                1000 * median(times) if times else None,
                max(times, default=None),
            )
        )
        full = [case for case in one.cases if 90 <= case.load < 96]
        tight.append(
            (
                f"1 to {one.longest}",
                one.no.mean_allocated,
                *share(full).cells,
                one.again,
                one.no.completion_time,
                one.yes.completion_time,
                one.bracket,
                one.no.utilization_pct,
                one.yes.utilization_pct,
            )
        )
    return Section(
        title="Range by range",
        tables=(
            Table(
                name="ranges",
                caption="Decisions of a run that takes the undecided for a no",
                columns=(
                    "*sides",
                    "requests",
                    "mean residents",
                    "most",
                    *_COUNTED,
                    "median ms",
                    "longest s",
                ),
                rows=tuple(rows),
            ),
            Table(
                name="bracket",
                caption="Decisions at 90 to 96 % load; completion time and utilisation "
                "with the undecided as a no and as a yes",
                columns=(
                    "*sides",
                    "mean residents",
                    *_COUNTED,
                    "undecided in the yes run",
                    "completion, no",
                    "completion, yes",
                    "bracket %",
                    "utilisation %, no",
                    "utilisation %, yes",
                ),
                rows=tuple(tight),
            ),
        ),
        plots=(_bracket_plot(ranges),),
    )


def _shares(cases: Sequence[Case]) -> Section:
    few, many = (
        [case for case in cases if (case.residents > FEW) == more]
        for more in (False, True)
    )
    loads = [
        (who, name, *share(some).cells)
        for who, group in ((f"to {FEW}", few), (f"over {FEW}", many))
        for name, some in by_load(group)
    ]
    tables = (
        Table(
            name="residents",
            caption="Decisions by residents, all ranges together",
            columns=("*residents", *_COUNTED),
            rows=tuple(
                (name, *share(some).cells) for name, some in by_residents(cases)
            ),
        ),
        Table(
            name="loads",
            caption="Decisions by load with the request let in, all ranges together",
            columns=("*residents", "*load %", *_COUNTED),
            rows=tuple(loads),
        ),
    )
    return Section(
        title="Share decided", tables=tables, plots=(_share_plot(cases, many),)
    )


def _steps(cases: Sequence[Case]) -> Section:
    found = Counter((case.by or "none", case.fits) for case in cases)
    said = {True: "yes", False: "no", None: "undecided"}
    rows = sorted(
        ((by, said[fits], count) for (by, fits), count in found.items()),
        key=lambda row: (row[1], -row[2], row[0]),
    )
    table = Table(
        name="steps",
        caption="What decided",
        columns=("*step", "*answer", "decisions"),
        rows=tuple(rows),
    )
    return Section(title="Steps", tables=(table,))


def _share_plot(cases: Sequence[Case], many: Sequence[Case]) -> Plot:
    spoken = "Share of decisions that are a yes, a no, and undecided"
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.8, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        _bars(left, by_residents(cases), "residents")
        _bars(right, by_load(many), f"load with the request, %; over {FEW} residents")
        left.set_ylabel("share of decisions, %")
        left.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
        caption = (
            "Bars, with the number of decisions above them; lines are 95 % intervals "
            "of the undecided share."
        )
        return Plot(spoken, caption, as_svg(figure, spoken))


def _bars(axes: Axes, classes: Classes, label: str) -> None:
    shown = [(name, share(some)) for name, some in classes if some]
    places = range(len(shown))
    base = [0.0] * len(shown)
    for kind, colour in (("undecided", B), ("no", CLOUD), ("yes", A)):
        high = [100 * getattr(one, kind) / one.n for _, one in shown]
        axes.bar(places, high, bottom=base, color=colour, width=0.8, label=kind)
        base = [low + more for low, more in zip(base, high, strict=True)]
    for place, (_, one) in zip(places, shown, strict=True):
        axes.plot([place, place], one.interval, color=INK, linewidth=1.4)
        axes.annotate(str(one.n), (place, 101), ha="center", va="bottom", fontsize=7)
    names = [name.replace(" to ", "–") for name, _ in shown]
    axes.set_xticks(places, names, fontsize=7)
    axes.set_xlabel(label)
    axes.set_ylim(0, 108)


def _bracket_plot(ranges: Sequence[Range]) -> Plot:
    spoken = "How much longer the schedule may be than need be"
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 3.0), layout="constrained")
        axes = figure.subplots()
        axes.plot(
            [one.no.mean_allocated for one in ranges],
            [one.bracket for one in ranges],
            color=A,
            marker="o",
            markersize=4,
        )
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.set_xlabel("mean residents")
        axes.set_ylabel("bracket on completion time, %")
        axes.grid(axis="y")
        return Plot(spoken, "One queue a range of sides.", as_svg(figure, spoken))
