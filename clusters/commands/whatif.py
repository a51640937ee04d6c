"""Replay a trace on a cluster under the rules of several schedulers.

The trace is in the Standard Workload Format, or a report of jobs (sacct --json, or
workloads of Kueue, one document or one object a line). Jobs wait first come first
served, with EASY backfilling unless --policy says otherwise; each rule chooses the
nodes of every job on the free nodes that its own choices have left. Measured are waits,
hops, leaf switches, what a choice costs above the optimum for the same free nodes, and
the largest job that still fits, with intervals, paired by job.

Clusters are trees, blocks and graphs with leaf switches (for meshes and tori there is
simulate stream). Jobs that were not finished, have no size, or that a rule does not
serve even on the idle cluster are skipped and counted.
"""

from __future__ import annotations

import argparse
from collections import Counter
from fractions import Fraction
from itertools import islice

from ...cli.frame import outputs, shared
from ...cli.frame.families import add_parameter
from ...cli.frame.parser import Once, Parser
from ...cli.frame.progress import progress_bar
from ...cli.frame.screen import print_table, wrap_text
from ...instances.errors import InputError
from ...instances.option_values import renaming, seconds
from ...instances.words import with_noun
from ...reports.pages.document import format_cell
from ...simulation.families import TRACE_RANGE, window_of
from ...simulation.stream.jobs import Skipped, StreamJob, jobs_of_trace, rescale
from ...simulation.stream.simulator import StartPolicy
from ..grading.reading import is_json
from ..pages.whatif import (
    PairedMean,
    as_rows,
    difference,
    interval,
    means,
    remark,
    says,
)
from ..placement import NodeSelector
from ..topologies import Hierarchy
from ..whatif.machine import METHODS, THRIFTY
from ..whatif.simulator import (
    ReplayOutcome,
    ReplaySetting,
    fitting,
    in_groups,
    jobs_of_report,
    replay,
)
from .cluster import (
    add_kinds,
    add_objective,
    add_topology,
    naming_options,
    objective_of,
    read_idle,
)

_RULES = ("slurm-tree", "kueue-best-fit", "volcano-binpack", "thrifty", "optimum")
_WITH_SEGMENTS = ("slurm-block", *_RULES[1:])
_EVERY = 64
"""Starts between two looks at the bar."""


def options(parser: Parser) -> None:
    """Declare the options."""
    add_topology(parser)
    add_kinds(parser, "reports of what nodes are, for the next two: sinfo, ... as JSON")
    parser.add_argument(
        "--trace",
        metavar="FILE",
        action=Once,
        required=True,
        help="SWF, which may end in .xz or .gz, or JSON of sacct or Kueue",
    )
    parser.add_argument(
        "--method",
        metavar="M,M",
        help=f"of {', '.join(METHODS)}; the others are compared with the first "
        f"(default: {','.join(_RULES)}; slurm-block where jobs have segments)",
    )
    add_objective(parser, "what the optimum minimises, and regret is measured by")
    parser.add_argument(
        "--policy",
        choices=[one.value for one in StartPolicy],
        default="easy",
        help="which jobs may start",
    )
    part = parser.add_mutually_exclusive_group()
    for parameter in TRACE_RANGE:
        add_parameter(part, parameter)
    parser.add_argument(
        "--scale-arrivals",
        type=shared.fraction,
        metavar="F",
        help="factor of the times of submission, such as 1/2 or 0.8 (default: 1)",
    )
    shared.add_number(
        parser, "--divide", "processors of a node, for traces in SWF (default: 1)"
    )
    shared.add_number(
        parser, "--segment", "groups for jobs whose size is a multiple of N"
    )
    parser.add_argument(
        "--communication",
        type=shared.fraction,
        metavar="SHARE",
        help="the share of run times that grows with a job's hops (default: 0)",
    )
    shared.add_number(
        parser,
        "--replays",
        "replays, the first as recorded, others begin at other jobs",
        3,
    )
    shared.add_time_limit(parser, "seconds for each optimum on graphs", 1.0)
    outputs.add_json(parser, "the measures")
    parser.refuse_old_word("--html", "the text and --json have the same numbers")
    parser.examples(
        "whatif --topology topology.conf --trace log.swf.xz --first 5000",
        "whatif --topology topology.conf --trace sacct.json --json whatif.json",
        "whatif --topology nodes.json --trace log.swf --segment 4 --communication 0.3",
    )


def run(args: argparse.Namespace) -> int:
    """Replay the trace under every method, and print what was measured."""
    if args.trace == "-":
        raise InputError("must be a file", "--trace", "-")
    selector, alike = read_idle(args)
    setting = _setting(args, selector)
    skipped: Counter[Skipped] = Counter()
    jobs = _jobs(args, selector, skipped)
    methods = _methods(args, selector, jobs)
    with naming_options():
        jobs = fitting(jobs, selector, methods, skipped, setting.seconds)
    if not jobs:
        problem = f"no job of these could be run ({skipped.total()} skipped)"
        raise InputError(problem, file=args.trace)
    outcomes: list[ReplayOutcome] = []
    total = len(jobs) * setting.replays * len(methods)
    with progress_bar() as show:
        for i, name in enumerate(methods):
            for found in replay(jobs, selector, name, setting):
                if isinstance(found, ReplayOutcome):
                    outcomes.append(found)
                elif found % _EVERY == 0:
                    done = i * len(jobs) * setting.replays + found
                    show(done, total, name)
    measured = means(outcomes)
    notes = _notes(args, setting, len(jobs), skipped)
    notes += [alike] if alike else []
    if open_ := sum(one.open for one in outcomes):
        notes.append(
            f"{with_noun(open_, 'choice')} without a proved optimum within "
            f"{setting.seconds:g} s: "
            "what they cost above it is at most this"
        )
    if args.json:
        outputs.write_json(
            args.json,
            "closeknit/whatif",
            topology=selector.cluster.summary(),
            trace=str(args.trace),
            objective=setting.objective.value,
            jobs=len(jobs),
            skipped={why.value: n for why, n in skipped.items()},
            notes=notes,
            measures=as_rows(measured, setting.objective),
        )
    if args.json != "-":
        print(selector.cluster.summary())
        for note in notes:
            print(note)
        _show(measured)
    return 0


def _setting(args: argparse.Namespace, selector: NodeSelector) -> ReplaySetting:
    with naming_options():
        return ReplaySetting(
            objective_of(args, selector),
            StartPolicy(args.policy),
            args.replays,
            float(args.communication or 0),
            seconds(args.time_limit),
        )


def _jobs(
    args: argparse.Namespace, selector: NodeSelector, skipped: Counter[Skipped]
) -> list[StreamJob]:
    most = max(int(one.sum()) for one in selector.free())
    window = window_of(args.range, args.first)
    scale = Fraction(1) if args.scale_arrivals is None else args.scale_arrivals
    divide = 1 if args.divide is None else args.divide
    with renaming({"arrival scale": "--scale-arrivals", "divide": "--divide"}):
        if is_json(args.trace):
            if args.divide is not None:
                raise InputError("is for traces in SWF", "divide", divide)
            jobs, left_out = jobs_of_report(args.trace, most)
            jobs = rescale(islice(jobs, *window), scale)
        else:
            jobs, left_out = jobs_of_trace(
                args.trace, most=most, scale=scale, divide=divide, window=window
            )
    skipped.update(left_out)
    if args.segment:
        jobs = [in_groups(job, args.segment) for job in jobs]
    return jobs


def _methods(
    args: argparse.Namespace, selector: NodeSelector, jobs: list[StreamJob]
) -> list[str]:
    if args.method is None:
        rules = _WITH_SEGMENTS if any(job.shape for job in jobs) else _RULES
        trees = all(isinstance(f, Hierarchy) for f in selector.cluster.fabrics)
        return [name for name in rules if trees or name != THRIFTY]
    names = [name.strip() for name in args.method.split(",")]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError("is given twice", "--method", name)
    return names


def _notes(
    args: argparse.Namespace,
    setting: ReplaySetting,
    jobs: int,
    skipped: Counter[Skipped],
) -> list[str]:
    reasons = "; ".join(f"{n} {why.value}" for why, n in skipped.items())
    left_out = f", {skipped.total()} skipped ({reasons})" if skipped else ""
    share = f"{100 * setting.communication:g} % of run times grow with hops"
    return [
        f"{with_noun(jobs, 'job')}{left_out}",
        f"{setting.policy.value}, {with_noun(setting.replays, 'replay')}, optimum by "
        f"{setting.objective.value}"
        + (f", {share}" if setting.communication else "")
        + (f", segments of {args.segment}" if args.segment else ""),
    ]


def _show(found: list[PairedMean]) -> None:
    for measure in dict.fromkeys(one.measure for one in found):
        rows = [one for one in found if one.measure == measure]
        print_table(
            ("method", "mean", "95 %", "difference", "95 % (paired)"),
            [
                (
                    one.method,
                    str(format_cell(one.own.value)),
                    interval(one.own),
                    *difference(one.difference),
                )
                for one in rows
            ],
            right=("mean", "95 %", "difference", "95 % (paired)"),
            drop=("95 %", "95 % (paired)"),
            title=f"\n{says(measure)}",
        )
    if text := remark(found):
        print(f"\n{wrap_text(text.replace('`', ''))}")
