"""What the least pair sum is worth on the wire, and what should be minimised."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from ...instances.reading.files import read_bytes
from ...reports.pages.bootstrap import Estimate
from ...reports.pages.document import Document, Finding, Section, all_hold
from ..catalogue import RunOptions
from ..parts import run_all
from .figures import DRAWS, AllRuns, Run
from .machines import LOADS, MACHINES, NEAR, NODES, RANDOM, SIZES, names
from .objectives import LINK, OBJECTIVES, OF_SET, PAIR_SUM, TRAFFIC_HOPS
from .parts import START, Found, Part, run
from .plots import overview, scatter
from .tables import (
    cells_table,
    differences_table,
    load_table,
    regret_table,
    rho_table,
    worth_table,
)
from .workloads import KERNELS, MEASURED, WAVES

STATES, FULL_STATES = 6, 12
"""States of each machine and load; sizes of the job take turns."""
BUDGET, FULL_BUDGET = 2**13, 2**16
"""Bytes that a task sends, in the mean."""
LINEUP = tuple(MACHINES)
LOADED = tuple(LOADS)
MM = "mm"


def study(options: RunOptions) -> Document:
    """Run every workload on every set in every state, and correlate."""
    workloads = KERNELS if options.traffic is None else (*KERNELS, MEASURED)
    parts = dict(_parts(options, workloads))
    found = run_all(parts, run, Found, options)
    runs: dict[tuple[str, str], list[Run]] = {}
    for (machine, load, _), part in parts.items():
        one = Run(part, found[machine, load, part.seed], names(MACHINES[machine]))
        runs.setdefault((machine, load), []).append(one)
    return _build_document(options, AllRuns(workloads, runs))


def _parts(
    options: RunOptions, workloads: tuple[str, ...]
) -> Iterator[tuple[tuple[str, str, int], Part]]:
    states = options.first or (FULL_STATES if options.full else STATES)
    digest = ""
    if options.traffic is not None:
        digest = sha256(read_bytes(options.traffic)).hexdigest()
    for number in range(states):
        for machine in LINEUP:
            for load in LOADED:
                sizes = LOADS[load].sizes(MACHINES[machine])
                seed = options.seed + number
                yield (
                    (machine, load, seed),
                    Part(
                        shape=(MACHINES[machine].processors,),
                        nodes=NODES,
                        seed=seed,
                        machine=machine,
                        load=load,
                        k=sizes[number % len(sizes)],
                        workloads=workloads,
                        budget=FULL_BUDGET if options.full else BUDGET,
                        traffic=options.traffic,
                        digest=digest,
                    ),
                )


def _build_document(options: RunOptions, outcome: AllRuns) -> Document:
    return Document(
        name="hops-or-seconds",
        title="Hops or seconds: what allocation should minimise",
        source="beyond the papers: closeknit's own question",
        lead=(verdict(outcome), *_summary(outcome)),
        findings=tuple(_findings(outcome)),
        sections=(
            Section(
                title="Which objective predicts time",
                text=(_ON_RHO,),
                plots=(overview(outcome),),
                tables=(rho_table(outcome), regret_table(outcome)),
            ),
            Section(title="By load", tables=(load_table(outcome),)),
            Section(
                title="What the optimum is worth",
                text=(_ON_WORTH,),
                tables=tuple(
                    worth_table(outcome, machine) for machine in outcome.machines
                ),
            ),
            Section(
                title="Time against hops, and against links",
                plots=tuple(
                    scatter(outcome, machine, objective)
                    for machine in outcome.machines
                    for objective in (PAIR_SUM, LINK)
                ),
            ),
            Section(
                title="Every cell, with intervals",
                tables=(differences_table(outcome), cells_table(outcome)),
                folded=True,
            ),
        ),
        notes=tuple(_notes(options, outcome)),
    )


def verdict(outcome: AllRuns) -> str:
    """Answer in one sentence, from the intervals over all loads of a machine."""
    where: dict[str, list[str]] = {"faster": [], "link": []}
    for machine in outcome.machines:
        runs = outcome.of(machine)
        hops = outcome.rhos(runs)[OBJECTIVES.index(PAIR_SUM)]
        if hops.sign > 0:
            where["faster"].append(machine)
        if outcome.rho_gap(runs, LINK, PAIR_SUM).sign > 0:
            where["link"].append(machine)
    return (
        "Sets of fewer hops are surely faster on: "
        f"{', '.join(where['faster']) or 'none'}; the load of the busiest link "
        f"surely predicts time better on: {', '.join(where['link']) or 'none'}."
    )


def _summary(outcome: AllRuns) -> Iterator[str]:
    for machine in outcome.machines:
        runs = outcome.of(machine)
        rhos = dict(zip(OBJECTIVES, outcome.rhos(runs), strict=True))
        losses = dict(zip(OBJECTIVES, outcome.regrets(runs), strict=True))
        best = max(OF_SET, key=lambda name: rhos[name].value)
        yield (
            f"{machine.capitalize()}: rho with time is {_two(rhos[PAIR_SUM])} for the "
            f"pair sum, {_two(rhos[LINK])} for the busiest link of all to all; best "
            f"of what the set alone tells is {best}. The set of least pair sum takes "
            f"{losses[PAIR_SUM].value:.0f} % longer than the fastest tried, that of "
            f"the least busy link {losses[LINK].value:.0f} %. Against the proven least "
            f"pair sum {MM} takes {_per_cent(outcome.above(runs, MM))} more time, sets "
            f"drawn at random {_per_cent(outcome.above(runs, DRAWS[1]))}."
        )


def _two(one: Estimate) -> str:
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"


def _per_cent(one: Estimate) -> str:
    return f"{one.value:+.1f} % [{one.low:+.1f}, {one.high:+.1f}]"


def _findings(outcome: AllRuns) -> Iterator[Finding]:
    """Answer the questions for every machine."""
    for machine in outcome.machines:
        by_load = {load: outcome.of(machine, load) for load in outcome.loads}
        yield _faster(
            f"{machine}: a job is faster on the proven least pair sum than on random "
            "sets",
            {load: outcome.above(runs, "random") for load, runs in by_load.items()},
        )
        yield _faster(
            f"{machine}: a job is faster on the proven least pair sum than on that of "
            f"{MM}",
            {load: outcome.above(runs, MM) for load, runs in by_load.items()},
        )
        yield _judge(
            f"{machine}: the pair sum predicts time better than the busiest link of "
            "all to all",
            {
                load: outcome.rho_gap(runs, PAIR_SUM, LINK)
                for load, runs in by_load.items()
            },
            "rho, pair sum less link: ",
            str,
        )
        yield _judge(
            f"{machine}: others deliver less while the job is on random sets",
            {
                load: _negate(outcome.above(runs, "random", others=True))
                for load, runs in by_load.items()
                if LOADS[load].traffic
            },
            "less by ",
            _per_cent,
        )


def _negate(one: Estimate) -> Estimate:
    return Estimate(-one.value, -one.high, -one.low)


def _faster(claim: str, gaps: dict[str, Estimate]) -> Finding:
    return _judge(claim, gaps, "more time there: ", _per_cent)


def _judge(
    claim: str,
    gaps: dict[str, Estimate],
    before: str,
    shown: Callable[[Estimate], str],
) -> Finding:
    signs = {1: True, 0: None, -1: False}
    return Finding(
        claim=claim,
        paper="",
        ours=before + "; ".join(f"{shown(gap)} {load}" for load, gap in gaps.items()),
        holds=all_hold(signs[gap.sign] for gap in gaps.values()) if gaps else None,
        criterion="interval above 0 at every load; below 0 at one: no",
    )


_ON_RHO = (
    "In every state the sets of processors are ranked by an objective and by the "
    "simulated time; an objective that is the same for all sets counts as 0. "
    "Objectives are known before the job runs: the first five from the set alone, "
    f"the next two from the set and the job's traffic ({TRAFFIC_HOPS}: its bytes times "
    "hops), the last one with the traffic of all others on the links that it uses, too."
)
_ON_WORTH = (
    "Near and random are sets that are drawn. Where the choice is made by pair sum, "
    "this says what the last per cent of it are worth."
)


def _notes(options: RunOptions, outcome: AllRuns) -> Iterator[str]:
    runs = outcome.of()
    seeds = sorted({run.part.seed for run in runs})
    yield (
        "; ".join(f"{name}: {MACHINES[name].about}" for name in outcome.machines)
        + ". Packets of 16 phits of 4 bytes, worms of as many flits."
    )
    yield (
        f"States: seeds {seeds[0]} to {seeds[-1]}. Jobs of "
        f"{', '.join(map(str, SIZES))} processors, drawn, are placed by mm until the "
        "machine is full, half of them leave, twice; then jobs leave until the share "
        "of the load is held. The job that is judged has 8, 16 and 32 processors in "
        "turn, at 90 % 8 and 16. Loads with the same share have the same states."
    )
    yield (
        f"Sets: the least pair sum (auto, at most {NODES} nodes), the methods of the "
        f"table, {NEAR} drawn among the 1.5 k free processors nearest to one, {RANDOM} "
        "drawn among all free ones; equal sets are counted once. Tasks are placed by "
        "the numbers of processors, whatever order a method lists them in: sets are "
        "compared, not orders."
    )
    budget = runs[0].part.budget
    yield (
        f"Workloads: {', '.join(outcome.workloads)}; a task sends {budget} bytes in "
        f"the mean, messages of at least a packet; WF has {WAVES} waves. CG and FT are "
        "skeletons."
        + (
            f" Measured: {Path(options.traffic).name}, its ranks divided evenly among "
            "the tasks, all pairs at once, entries of 1000 bytes and more."
            if options.traffic
            else " Measured communication is added by --traffic FILE."
        )
    )
    yield (
        "Loads: alone, three quarters of the processors are held by jobs that send "
        "nothing; otherwise all other jobs run the same workload again and again, from "
        f"cycles drawn below {START}, at which the job that is judged begins; its time "
        "runs to its last message. Other jobs are the same for all sets of a state."
    )
    yield (
        "Busiest links are those of the network's own routes, equally over all that "
        "packets may choose from, without time; links of processors to their switches "
        "are left out. Bounding box on the fat-tree: processors of the smallest "
        "subtree; on the dragonfly of all groups that are touched. Pieces there: "
        "switches that are touched."
    )
    yield (
        "Intervals: 95 %, bootstrap over states, 2000 times, a state with all its "
        "loads together; states are few, so that intervals are rough and rather too "
        "short. Nothing is corrected for the number of comparisons. What others "
        "deliver was added to the study after first trials had shown that scattered "
        "sets can be faster, and the mesh by packets to see whether its wires or its "
        "worms make it differ from the torus."
    )
