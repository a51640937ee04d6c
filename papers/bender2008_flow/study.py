"""Section 6 of Bender et al. 2008: mean flow time with service decided by a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from ...instances import InputError
from ...reports.pages.document import Document, Finding, Section, judge
from ...simulation.stream.simulator import StartPolicy
from ..catalogue import RunOptions
from ..parts import run_all
from .figures import BLOCKS, PRINTED, Setting, pace_of
from .parts import CUT, MESH, SECONDS, FlowModel, Found, Part, quota, run
from .streams import SHAKE, FlowStream, shaken, stream
from .tables import order_table, sensitivity_table, strategies_table

RANDOM = "random"
OURS = ("mm-inc", "thrifty")
"""Strategies that the paper did not run."""
VARIANTS = ("mc1x1-all", "mm-all", CUT)
"""Other readings of its strategies."""
LINEUP = (*PRINTED, *VARIANTS, *OURS, RANDOM)
HEAVIER = Fraction(11, 20)
"""A load next to that of the log."""
RUNS, FULL_RUNS = 3, 10
MODEL = FlowModel()
MODELS: Mapping[str, FlowModel] = {
    "messages of 4 flits": FlowModel(length=4),
    "messages of 64 flits": FlowModel(length=64),
    "all messages under way at once": FlowModel(outstanding=0),
    "jobs may overtake (EASY)": FlowModel(policy=StartPolicy.EASY.value),
}
TRIED = (*PRINTED, CUT, "thrifty")
"""Strategies that these are run with, once."""


def study(options: RunOptions) -> Document:
    """Measure the pace of messages, run all strategies, and compare rankings."""
    jobs = stream(options.trace, seed=options.seed, first=options.first)
    own = jobs.load
    if not own or max(job.processors for job in jobs.jobs) == 1:
        raise InputError(
            "has no jobs of several processors with run times", file=options.trace or ""
        )
    paces = _paces(jobs, options)
    loads = {own, HEAVIER} if options.load is None else {options.load}
    runs = FULL_RUNS if options.full else RUNS
    named: dict[tuple[str, Fraction], dict[str, list[Part]]] = {}
    for load in sorted(loads):
        named["", load] = {
            name: [
                _part(jobs, options, name, MODEL, paces[MODEL], own / load, number)
                for number in range(runs)
            ]
            for name in LINEUP
        }
    for about, model in MODELS.items():
        named[about, min(loads)] = {
            name: [_part(jobs, options, name, model, paces[model], own / min(loads), 0)]
            for name in TRIED
        }
    distinct = {
        part.key: part
        for by_strategy in named.values()
        for some in by_strategy.values()
        for part in some
    }
    outcomes = run_all(distinct, run, Found, options)
    made = [
        Setting(
            about or f"load {float(load):.2f}",
            load,
            next(iter(by_strategy.values()))[0].pace,
            {
                name: [outcomes[part.key] for part in some]
                for name, some in by_strategy.items()
            },
        )
        for (about, load), by_strategy in named.items()
    ]
    return _build_document(options, jobs, made[: len(loads)], made[len(loads) :])


def _part(
    jobs: FlowStream,
    options: RunOptions,
    strategy: str,
    model: FlowModel,
    pace: float,
    stretch: Fraction,
    number: int,
) -> Part:
    return Part(
        shape=MESH.shape,
        nodes=200_000,
        seed=options.seed,
        jobs=shaken(jobs.jobs, options.seed, number),
        strategy=strategy,
        model=model,
        pace=pace,
        stretch=stretch,
        number=number,
    )


def _paces(jobs: FlowStream, options: RunOptions) -> dict[FlowModel, float]:
    """Measure how long a message lasts where there is much room.

    The best of the paper places the log, with submissions three times as far apart;
    its jobs of one processor last as long as messages of twice their flits.
    """
    plain = [MODEL, *(one for one in MODELS.values() if one.policy == MODEL.policy)]
    tried = {
        model: _part(
            *(jobs, options, PRINTED[0], model, 2.0 * model.length, Fraction(3), 0)
        )
        for model in plain
    }
    found = run_all(tried, run, Found, options)
    sizes = np.array([job.processors for job in jobs.jobs], np.int64)
    sent = np.array([quota(job) for job in jobs.jobs], np.int64)
    paces = {model: pace_of(sizes, sent, one) for model, one in found.items()}
    return paces | {
        model: paces[MODEL] for model in MODELS.values() if model not in paces
    }


def _build_document(
    options: RunOptions,
    jobs: FlowStream,
    loads: Sequence[Setting],
    models: Sequence[Setting],
) -> Document:
    return Document(
        name="bender-flow",
        title="Mean flow time on a mesh of 4x8 processors, service decided by the "
        "network",
        source="Bender et al. 2008, section 6",
        lead=tuple(_summary(loads)),
        findings=tuple(_findings(loads)),
        sections=(
            *(
                Section(
                    title=f"Offered load {float(setting.load):.2f}",
                    tables=(strategies_table(setting),),
                )
                for setting in loads
            ),
            Section(title="Ranks of the paper's four", tables=(order_table(loads),)),
            Section(
                title="What the paper leaves open",
                text=(_ON_MODELS,),
                tables=(sensitivity_table([loads[0], *models], TRIED),),
            ),
        ),
        notes=tuple(_notes(options, jobs, loads[0])),
    )


def _summary(loads: Sequence[Setting]) -> Iterator[str]:
    for setting in loads:
        yield (
            f"At load {float(setting.load):.2f} the paper's four rank "
            f"{', '.join(setting.order())} by mean flow time (the paper: "
            f"{', '.join(PRINTED)}; Spearman's rho {setting.rho():.2f}); all but "
            f"random: {', '.join(setting.order([n for n in LINEUP if n != RANDOM]))}."
        )


def _findings(loads: Sequence[Setting]) -> Iterator[Finding]:
    """Test the three statements on flow time at every load."""
    for setting in loads:
        where = f"load {float(setting.load):.2f}"
        for better, worse in pairwise(PRINTED[:3]):
            yield _above(
                setting, (better,), worse, f"{where}: {better} has less than {worse}"
            )
        for curve in (PRINTED[3], CUT):
            yield _above(
                setting,
                PRINTED[:3],
                curve,
                f"{where}: {curve} is worse than the other three",
            )


def _above(setting: Setting, betters: Sequence[str], worse: str, claim: str) -> Finding:
    gaps = {name: setting.above(name, worse) for name in betters}
    return Finding(
        claim=claim,
        paper="so, without figures",
        ours="; ".join(f"{gap} % above {name}" for name, gap in gaps.items()),
        holds=judge(gap.sign for gap in gaps.values()),
        criterion="the 95 % interval of the difference lies above 0; not judged where "
        "it contains 0",
        remark="runs in which it is: "
        + ", ".join(
            f"{setting.worse_in(name, worse)} of {setting.runs}" for name in betters
        ),
    )


_ON_MODELS = (
    "The same stream, once, as the log has it, with other messages or another policy. "
    "Mean flow time in per cent of that of mc1x1 of the same line."
)


def _notes(options: RunOptions, jobs: FlowStream, setting: Setting) -> Iterator[str]:
    yield jobs.about
    yield (
        f"Seed {options.seed}. {setting.runs} runs: the stream as it is, and with "
        f"every submission moved by up to {SHAKE} s either way, which changes what is "
        "chance in the order of events. All strategies have the same runs."
    )
    yield (
        "Network: 4x8 mesh, wormhole switching, buffers of one flit, dimension order. "
        f"A task of a job of several processors sends one message of {MODEL.length} "
        f"flits per {SECONDS} s of the job's run time, at least one, to the other "
        "tasks in turn, each when the last has arrived. A job ends with its last "
        "message. Strict first come first served."
    )
    yield (
        "A job of one processor sends nothing: it lasts as long as its messages would, "
        f"at {setting.pace:.1f} cycles each. That is what a message took under "
        "mc1x1 when jobs came three times as slowly; by it submissions are brought to "
        "cycles, so that the offered load is that of the log, or the other one. Flow "
        "times are given in these messages' times."
    )
    yield (
        "Not in the paper: sides of the mesh, pattern, number and length of messages, "
        "what jobs of one processor do, the policy, and how its HilbertBF was put on a "
        f"mesh that is no square. {CUT} takes Hilbert's curve of 8x8 and leaves out "
        "half of it, such that a jump of seven hops remains; hilbert/best-fit takes a "
        "curve for 4x8 that never jumps. Chosen after rankings had been seen: the cut "
        "curve and the heavier load, when hilbert/best-fit had turned out to be good, "
        "and one message per 30 s in place of 10 s, to be quicker."
    )
    yield (
        "mc1x1-all and mm-all try a cluster at every processor, free or not, as the "
        "paper's Table 1 does; optimal is the least pair sum at every step, by auto "
        "within 200 000 nodes."
    )
    yield (
        f"Intervals: 95 %, circular block bootstrap over jobs in {BLOCKS} blocks "
        "(weeks, of the whole log), 2000 streams, flow times of a job added up over "
        "the runs; both sides of a comparison are given the same blocks. They tell how "
        "far other weeks might differ. Nothing is corrected for the number of "
        "comparisons."
    )
