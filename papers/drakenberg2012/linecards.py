"""Figure 5 (b): line cards of a job against its size, for five ways to select."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy import stats

from ...exact.procset.incremental_selector import RequestSolver
from ...heuristics.procset.reaching import ReachingMachine
from ...instances.procset.sample_machine import system
from ...reports.pages.document import Cell, Document, Finding, Plot, Section, Table
from ...reports.pages.plot_style import FAINT, INK, A, B, as_plot, in_style, sheet
from ...simulation.dispatch import Flags, dispatch
from ...simulation.week import JOBS, WEEK, Submission
from ..catalogue import RunOptions
from .week_stream import NODES, Ints, beginning, stream, week_of_nodes

ON_A_CARD = 12
Way = Callable[[Flags, Submission], Ints]
_PAPER = ("sequential", "least-loaded", "reaching")
_NAMES = (*_PAPER, "exact", "lookahead")
_LOOKS = {
    "sequential": (FAINT, ":"),
    "least-loaded": (FAINT, "--"),
    "reaching": (A, "-"),
    "exact": (B, "-"),
    "lookahead": (INK, "-"),
}


LOADS = (Fraction(1, 2), Fraction(3, 4), Fraction(1), Fraction(5, 4))
"""Jobs of a week, as shares of the paper's number."""
SEEDS = 3
"""Weeks drawn at every load."""
_AHEAD = ("exact", "lookahead")


def study(options: RunOptions) -> Document:
    """Run the same stream under every way to select, each on its own machine.

    Then look ahead, and do not, in several synthetic weeks of several loads.
    """
    jobs, about = stream(options)
    weeks = _weeks(options)
    steps = len(_NAMES) + len(_AHEAD) * len(weeks)
    cards: dict[str, list[tuple[int, int]]] = {}
    for done, name in enumerate(_NAMES):
        options.progress(done, steps, name)
        cards[name] = _run(name, jobs, options.seed)
    rows: list[dict[str, Cell]] = []
    for done, (load, seed, week) in enumerate(weeks):
        options.progress(len(_NAMES) + len(_AHEAD) * done, steps, f"load {load}")
        exact, ahead = (_on_several(_run(name, week, seed)) for name in _AHEAD)
        busy = sum(job.processors * job.seconds for job in week) / (NODES * WEEK)
        rows.append(
            {
                "*load": f"{float(load):g}",
                "seed": seed,
                "work, % of the week": 100 * busy,
                "exact": float(exact.mean()),
                "lookahead": float(ahead.mean()),
                "*exact less lookahead": _fewer(exact, ahead),
            }
        )
    options.progress(steps, steps, "")
    return build_document(cards, rows, about, options.seed)


def _weeks(options: RunOptions) -> list[tuple[Fraction, int, list[Submission]]]:
    """Draw weeks of several loads; none where a trace was given."""
    if options.trace is not None:
        return []
    return [
        (
            load,
            seed,
            beginning(week_of_nodes(seed, round(load * JOBS)), options.first),
        )
        for load in LOADS
        for seed in range(options.seed, options.seed + SEEDS)
    ]


def _run(name: str, jobs: Sequence[Submission], seed: int) -> list[tuple[int, int]]:
    """Return size and number of line cards of every job, in the order of the jobs."""
    way, after = _way(name, seed)
    found: dict[int, tuple[int, int]] = {}
    for turn in dispatch(jobs, NODES, way):
        used = len(np.unique(turn.chosen // ON_A_CARD))
        found[turn.job.number] = (turn.job.processors, used)
        after(turn.chosen, turn.time + turn.job.seconds)
    return [found[job.number] for job in jobs]


def _on_several(rows: Sequence[tuple[int, int]]) -> Ints:
    """Return the numbers of line cards of the jobs on several nodes."""
    return np.array([used for size, used in rows if size > 1])


def _way(name: str, seed: int) -> tuple[Way, Callable[[Ints, int], None]]:
    """Return the selector, and callbacks for a selection and its end."""

    def forget(chosen: Ints, end: int) -> None:
        return None

    if name == "sequential":
        return (lambda free, job: np.flatnonzero(free)[: job.processors]), forget
    if name == "least-loaded":
        return _least_loaded()
    sets = system("node", "realistic").sets
    if name == "reaching":
        reaching = ReachingMachine(NODES, sets)
        return (
            lambda free, job: reaching.select(free, job.processors, seed + job.number)
        ), forget
    machine = RequestSolver(NODES, sets, lookahead=1 if name == "lookahead" else None)
    return (lambda free, job: machine.select(free, job.processors).chosen), forget


def _least_loaded() -> tuple[Way, Callable[[Ints, int], None]]:
    """Select the nodes idle for longest: their load average has decayed most."""
    ended: npt.NDArray[np.int64] = np.full(NODES, -1, dtype=np.int64)

    def way(free: Flags, job: Submission) -> Ints:
        there = np.flatnonzero(free)
        return np.sort(there[np.argsort(ended[there], kind="stable")][: job.processors])

    def note(chosen: Ints, end: int) -> None:
        ended[chosen] = end

    return way, note


def build_document(
    cards: dict[str, list[tuple[int, int]]],
    ahead_by_load: Sequence[dict[str, Cell]],
    about: str,
    seed: int,
) -> Document:
    """Compare the results with the paper."""
    several = {name: _on_several(rows) for name, rows in cards.items()}
    mean = {
        name: float(used.mean()) if len(used) else 1.0 for name, used in several.items()
    }
    fewer = _fewer(several["reaching"], several["exact"])
    ahead = _fewer(several["exact"], several["lookahead"])
    least = _least(cards["exact"])
    lead = (
        "Line cards of a job on several nodes, on average: "
        + ", ".join(f"{name} {mean[name]:.2f}" for name in _NAMES)
        + f". None can have fewer than {least:.2f}, were every job alone.",
        f"Optimal choices would have bought {mean['reaching'] - mean['exact']:+.3f} "
        f"line cards per job over reaching ({fewer}); looking one level further ahead "
        f"buys {mean['exact'] - mean['lookahead']:+.3f} over optimal ones ({ahead})"
        + (
            ": what is best for each job is not best for those that follow."
            if mean["lookahead"] < mean["exact"]
            else "."
        ),
    )
    return Document(
        name="drakenberg-linecards",
        title="How many line cards does a job use?",
        source="Drakenberg 2012, Figure 5 (b)",
        lead=lead,
        findings=tuple(
            Finding(
                claim=f"reaching uses fewer line cards than {other} selection",
                paper="clearly",
                ours=f"{mean['reaching']:.2f} against {mean[other]:.2f}",
                holds=mean["reaching"] < mean[other],
                criterion="the lesser mean over jobs on several nodes; less by "
                f"{mean[other] - mean['reaching']:.2f}",
            )
            for other in ("sequential", "least-loaded")
        ),
        sections=(
            _by_size(cards),
            *([_over_loads(ahead_by_load)] if ahead_by_load else []),
        ),
        notes=(
            f"Stream: {about}; seed {seed}. Every way to select runs the whole stream "
            "on a machine of its own, so later jobs meet what its own choices left. "
            "A job starts when it fits, even if earlier ones wait.",
            "Jobs ask for whole nodes, so nodes are the processors here; at core "
            "granularity the first level, fewest nodes, comes out the same for all.",
            "sequential: the free nodes of lowest number. least-loaded: the free "
            "nodes idle for longest, as a decaying load average orders them. "
            "lookahead: exact, with the free processors left in opened line cards as "
            "second level.",
            "The paper's figure has no numbers to compare with, only its order.",
        ),
    )


def _fewer(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> str:
    """Compare job by job, over blocks of jobs, which depend on one another."""
    blocks = max(2, min(50, len(one) // 100))
    if len(one) < blocks:
        return "too few jobs to tell"
    differences = [
        float(a.mean() - b.mean())
        for a, b in zip(
            np.array_split(one, blocks), np.array_split(other, blocks), strict=True
        )
    ]
    half = float(stats.t.ppf(0.975, blocks - 1) * stats.sem(differences))
    middle = float(np.mean(differences))
    return f"95 % interval {middle - half:+.3f} to {middle + half:+.3f}"


def _least(rows: Sequence[tuple[int, int]]) -> float:
    sizes = np.array([size for size, _ in rows if size > 1])
    return float((-(-sizes // ON_A_CARD)).mean()) if len(sizes) else 1.0


def _by_size(cards: dict[str, list[tuple[int, int]]]) -> Section:
    sizes = sorted({size for size, _ in cards["exact"]})
    rows: list[dict[str, Cell]] = []
    lines: dict[str, list[tuple[int, float, float]]] = {name: [] for name in _NAMES}
    for size in sizes:
        jobs = sum(s == size for s, _ in cards[_NAMES[0]])
        row: dict[str, Cell] = {"nodes": size, "jobs": jobs}
        for name in _NAMES:
            used = np.array([u for s, u in cards[name] if s == size])
            mean, spread = float(used.mean()), float(used.std())
            row |= {f"{name}, mean": mean, f"{name}, sd": spread}
            lines[name].append((size, mean, spread))
        rows.append(row)
    caption = "Line cards of a job, by its number of nodes"
    return Section(
        title="By size",
        tables=(Table.of("by_size", caption, rows),),
        plots=(_plot(lines),),
    )


def _over_loads(rows: Sequence[dict[str, Cell]]) -> Section:
    better = sum(row["exact"] > row["lookahead"] for row in rows)  # type: ignore[operator]
    caption = "Line cards of a job on several nodes"
    return Section(
        title="Looking ahead, over seeds and loads",
        text=(
            f"In {better} of {len(rows)} weeks, preferring line cards with few free "
            "nodes left, below the fewest line cards, leaves more room for later jobs.",
        ),
        tables=(Table.of("lookahead", caption, rows),),
    )


@in_style
def _plot(lines: dict[str, list[tuple[int, float, float]]]) -> Plot:
    figure, axes = sheet(7.2, 4.0)
    for shift, (name, points) in enumerate(lines.items()):
        colour, style = _LOOKS[name]
        sizes = np.array([size for size, _, _ in points], dtype=np.float64)
        axes.errorbar(
            sizes + 0.09 * (shift - 2),
            [mean for _, mean, _ in points],
            [spread for _, _, spread in points],
            color=colour,
            linestyle=style,
            linewidth=1.4,
            elinewidth=0.6,
            capsize=1.5,
            label=name,
        )
    most = max(size for size, _, _ in lines["exact"])
    least = np.arange(1, most + 1)
    axes.step(least, -(-least // ON_A_CARD), where="mid", color=FAINT, linewidth=0.8)
    axes.text(most, 1.02, "least possible ", ha="right", va="bottom", color=FAINT)
    axes.set_xlabel("nodes of the job")
    axes.set_ylabel("line cards")
    axes.set_ylim(bottom=0.5)
    axes.legend(frameon=False, loc="upper left")
    return as_plot(
        figure,
        "Line cards of a job against its size",
        "Mean and standard deviation over all jobs of a size; the thin step is "
        "what an empty machine would allow.",
    )
