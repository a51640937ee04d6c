"""What the least pair sum is worth on the wire, and what should be minimised."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...instances.writing.files import write_text
from ...reports.pages.bootstrap import Estimate
from ...reports.pages.document import Document, Finding, Section, judge
from ..catalogue import RunOptions
from ..parts import run_all
from . import parts, streams
from .choices import BEST, FEW, GREEDY, OBJECTIVES, PAIR_SUM
from .figures import BUSY, AllRuns
from .machines import LOADS, MACHINES, SIZES
from .parts import START, WINDOW, Part
from .plots import alone, overview
from .streams import FIRST_FIT, RULES, USUAL, StreamPart
from .tables import (
    cells_table,
    interval,
    losses_table,
    other_pairs,
    others_table,
    pairs_table,
    rho_table,
    streams_table,
)
from .workloads import BYTES, PATTERNS

STATES, FULL_STATES = 24, 72
"""States of each machine and load; sizes of the job take turns."""
STREAMS, FULL_STREAMS = 10, 30
JOBS = streams.JOBS
LINEUP = tuple(MACHINES)
JOINS = (16, 32)
"""Processors of the job that joins."""
TREE_MOST = 10
"""What flow times on trees may be above those of the pair sum, in per cent."""


def study(options: RunOptions) -> Document:
    """Run every pattern on every set in every state, and every rule on every stream."""
    seeds = range(options.seed, options.seed + _number(options, STATES, FULL_STATES))
    flows = range(options.seed, options.seed + _number(options, STREAMS, FULL_STREAMS))
    joins = {
        (machine, load, seed): Part(
            shape=(MACHINES[machine].processors,),
            nodes=0,
            seed=seed,
            machine=machine,
            load=load,
            k=JOINS[seed % 2],
        )
        for seed in seeds
        for machine in LINEUP
        for load in LOADS
    }
    runs = {
        (machine, rule, seed): StreamPart(
            shape=(MACHINES[machine].processors,),
            nodes=0,
            seed=seed,
            machine=machine,
            rule=rule,
            jobs=JOBS,
        )
        for seed in flows
        for machine in LINEUP
        for rule in RULES
        if rule != USUAL or MACHINES[machine].tree
    }
    states = run_all(joins, parts.run, parts.Found, options)
    flow = run_all(runs, streams.run, streams.StreamFound, options)
    outcome = AllRuns(
        {(m, load): [states[m, load, i] for i in seeds] for m, load, _ in joins},
        {(m, rule): [flow[m, rule, i] for i in flows] for m, rule, _ in runs},
    )
    picture = overview(outcome)
    if options.out:
        write_text(Path(options.out) / "hops-or-seconds.svg", alone(picture))
    return Document(
        name="hops-or-seconds",
        title="Hops or seconds: what allocation should minimise",
        source="beyond the papers: closeknit's own question",
        lead=tuple(_lead(outcome)),
        picture=picture,
        findings=tuple(_findings(outcome)),
        sections=(
            Section(
                title="One job joins a machine in use",
                tables=(
                    losses_table(outcome, "one_job", BUSY),
                    *(
                        losses_table(outcome, f"one_job_{i}", [load])
                        for i, load in enumerate(LOADS)
                    ),
                    others_table(outcome),
                ),
            ),
            Section(
                title="Which objective predicts time", tables=(rho_table(outcome),)
            ),
            Section(
                title="A stream of jobs",
                tables=(
                    streams_table(outcome, run=False),
                    streams_table(outcome, run=True),
                ),
            ),
            Section(title="Which power, which reserve", tables=(pairs_table(outcome),)),
            Section(title="Every cell", tables=(cells_table(outcome),), folded=True),
        ),
        notes=tuple(_notes(options, outcome)),
    )


def _number(options: RunOptions, usual: int, full: int) -> int:
    return options.first or (full if options.full else usual)


def _lead(outcome: AllRuns) -> Iterator[str]:
    for machine in outcome.machines:
        losses = outcome.losses(machine)
        yield (
            f"{machine.capitalize()}: one job on the set of least pair sum takes "
            f"{interval(losses[PAIR_SUM])} % longer than on the best tried, on few "
            f"switches or runs of numbers {interval(losses[FEW])} %, where contention "
            f"with known traffic is least {interval(losses[BEST])} %. In a stream "
            f"contention with a reserve changes the flow time of the pair sum by "
            f"{interval(outcome.flow(machine, USUAL))} %, the least busy link by "
            f"{interval(outcome.flow(machine, GREEDY))} %, first fit by "
            f"{interval(outcome.flow(machine, FIRST_FIT))} %."
        )


def _findings(outcome: AllRuns) -> Iterator[Finding]:
    """Answer the questions for every machine."""
    for machine in outcome.machines:
        kind, loss = MACHINES[machine], outcome.losses(machine)[BEST]
        if kind.most is not None:
            yield Finding(
                claim=f"{machine}: one job that knows the others' traffic loses at "
                f"most {kind.most} % by {BEST}",
                paper="",
                ours=f"{interval(loss, 1)} %",
                holds=loss.value <= kind.most,
                criterion="mean time above the best of the list, 50 and 75 % busy",
            )
        yield _judge(
            f"{machine}: {BEST} loses less than the pair sum",
            outcome.gap(machine, PAIR_SUM, BEST),
            "less by: ",
        )
        flow = outcome.flow(machine, USUAL)
        if kind.tree:
            yield Finding(
                claim=f"{machine}: in a stream contention with a reserve is at most "
                f"{TREE_MOST} % above the pair sum",
                paper="",
                ours=f"{interval(flow, 1)} %",
                holds=flow.high <= TREE_MOST,
                criterion="upper end of the interval of flow times",
            )
        else:
            yield _judge(
                f"{machine}: in a stream contention with a reserve is faster than the "
                "pair sum",
                Estimate(-flow.value, -flow.high, -flow.low),
                "less flow time by: ",
            )
        yield _judge(
            f"{machine}: in a stream the least busy link, greedily, is slower than the "
            "pair sum",
            outcome.flow(machine, GREEDY),
            "more flow time by: ",
        )
    every = len(outcome.machines)
    for _, base, others, gap in other_pairs(outcome):
        better = {
            name: sum(gap(one, name, base).sign < 0 for one in outcome.machines)
            for name in others
        }
        yield Finding(
            claim=f"no other power and reserve are better than {base} on all machines",
            paper="",
            ours="better beyond chance on: "
            + "; ".join(f"{n} of {every} ({name})" for name, n in better.items()),
            holds=every not in better.values(),
            criterion="interval of the difference below 0 on every machine: no",
        )


def _judge(claim: str, gap: Estimate, before: str) -> Finding:
    return Finding(
        claim=claim,
        paper="",
        ours=f"{before}{interval(gap, 1)} %",
        holds=judge([gap.sign]),
        criterion="interval above 0; below 0: no",
    )


def _notes(options: RunOptions, outcome: AllRuns) -> Iterator[str]:
    yield (
        "; ".join(f"{name}: {MACHINES[name].about}" for name in outcome.machines)
        + ". Packets of 16 phits of 4 bytes, virtual cut-through, but worms of as many "
        "flits on the mesh. Powers and reserves had been chosen in trials on other "
        "states of these machines, but "
        + ", ".join(one for one in outcome.machines if not MACHINES[one].tuned)
        + ", which was not tried before."
    )
    yield (
        f"States: jobs of {', '.join(map(str, SIZES))} processors, drawn, are placed "
        "by mm until the machine is full, half of them leave, twice; then jobs leave "
        "until the share of the load is held. The job that joins has "
        f"{' or '.join(map(str, JOINS))} processors in turn, tasks in the order of "
        "their numbers. Alone: others hold 75 %, and send nothing."
    )
    yield (
        f"Patterns: {', '.join(PATTERNS)}; a task sends {BYTES} bytes in the mean. "
        "Every other job draws a pattern and sends it again and again, from a cycle "
        f"drawn below {START}; the job comes at {START + WINDOW}. Port counters are of "
        f"the {WINDOW} cycles before."
    )
    proofs = [outcome.proven(one) for one in outcome.machines]
    yield (
        "The list: the pair sum (auto, "
        f"{sum(a for a, _ in proofs)} of {sum(b for _, b in proofs)} proven); few "
        "switches (on grids the shortest run of numbers); by exchanges the least "
        "busy of the links that the job uses, and the least contention, the sum over "
        "links of (b + r + l)^p - (b + r)^p; three random sets; one drawn near to a "
        "processor. Equal sets are run once."
    )
    yield (
        f"Streams: {JOBS} jobs, first come first served, each sends its pattern 1 + "
        "Geom(1/5) times; the first tenth is left out. Mean cycles between jobs: "
        + ", ".join(f"{MACHINES[one].gap} {one}" for one in outcome.machines)
        + ". First fit takes the free processors of the lowest numbers."
    )
    yield (
        f"Objectives against time: {', '.join(OBJECTIVES)}. Intervals: 95 %, bootstrap "
        "over states, 2000 times, a state with all its loads together, or over "
        "streams; not corrected for the number of comparisons. Few streams make "
        "intervals rather too short."
    )
