"""Grade a scheduler's decisions: the exact ratio of each to the optimum.

Decisions come one a line as JSON, with the free (or busy) nodes, the job and the nodes
that were chosen; or from reports of jobs: sacct --json, squeue --json, workloads of
Kueue as kubectl prints them. Of reports, the free nodes at a start are those on which
no other job runs.

A decision that cannot be graded (unknown nodes, nodes that were not free, another
number of nodes than the job's) is counted and reported with its line. Exit status 1
when nothing could be graded, and with --max-ratio when a ratio is above it or groups
(segments, levels) are not whole. Ctrl-C shows the grades so far; exit status 130.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import TextIO

from ...cli.frame import outputs, shared
from ...cli.frame.parser import Parser, flag
from ...cli.frame.progress import progress_bar
from ...cli.frame.screen import print_table
from ...instances.errors import InputError
from ...instances.option_values import seconds
from ...instances.words import with_noun
from ...instances.writing.files import writing
from ...solvers import Settings
from ...solvers.running.interrupt import deferred
from ..grading import (
    DecisionGrade,
    Defaults,
    PastDecision,
    Totals,
    Ungraded,
    grade_decision,
    read_decisions,
)
from ..pages.grades import (
    NONE,
    as_row,
    place,
    shown_cost,
    shown_ratio,
    summary,
    totals_row,
    verdict,
)
from ..placement import NodeSelector, Objective
from . import select_links
from .cluster import (
    add_exclude,
    add_kinds,
    add_objective,
    add_topology,
    objective_of,
    read_idle,
)

_FORMAT = "closeknit/grade"
"""Format of every line of JSON."""
_EVERY = 64
"""Decisions between two looks at the bar."""
_MOST_KEPT = 10_000


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "file", metavar="FILE", help="decisions or a report, maybe .xz; - for stdin"
    )
    add_topology(parser)
    add_objective(parser, "of jobs that name none", Objective)
    select_links.options(parser)
    add_exclude(parser, "nodes that were never free")
    add_kinds(parser, "reports of what nodes are, for the next two: sinfo, ... as JSON")
    parser.add_argument(
        "--since",
        metavar="TIME",
        help="of a report, grade decisions from this time on: ISO 8601 (UTC if no zone "
        "is given), or seconds since the epoch",
    )
    parser.add_argument(
        "--max-ratio",
        type=_ratio,
        metavar="R",
        help="audit: exit status 1 if a ratio is above R, such as 1.1",
    )
    flag(parser, "--strict", "a decision that cannot be graded is an error")
    shared.add_number(parser, "--worst", "how many of the worst are shown", 10)
    shared.add_time_limit(parser, "seconds for each optimum", 10.0)
    outputs.add_json(parser, "one line per decision, and one with the totals,")
    parser.refuse_old_word("--html", "--json has all decisions, the text the worst")
    parser.examples(
        "grade decisions.jsonl --topology topology.conf --max-ratio 1.1",
        "grade sacct.json --topology topology.conf --json grades.jsonl",
        "grade workloads.json --topology nodes.json --objective blocks --json",
    )


def run(args: argparse.Namespace) -> int:
    """Grade all decisions; return the exit status."""
    for option, files in (("--topology", [args.topology]), ("--state", args.state)):
        if args.file == "-" and "-" in (files or ()):
            raise InputError("cannot also be read from standard input", option)
    if not 1 <= args.worst <= _MOST_KEPT:
        raise InputError(f"must be from 1 to {_MOST_KEPT}", "--worst", args.worst)
    settings = Settings(time_limit=seconds(args.time_limit))
    selector, alike = read_idle(args)
    objective = objective_of(args, selector)
    links = select_links.LinkOptions(args, selector).search(objective)
    selector = replace(selector, links=links)
    defaults = Defaults(
        objective,
        selector.free(),
        _since(args.since),
        lambda text: print(f"closeknit: {text}", file=sys.stderr),
    )
    totals = Totals(args.worst, args.max_ratio)
    with ExitStack() as stack:
        rows: TextIO | None = None
        if args.json:
            rows = sys.stdout
            if args.json != "-":
                rows = stack.enter_context(writing(args.json))
        pressed = stack.enter_context(deferred())
        show = stack.enter_context(progress_bar())
        for decision in read_decisions(args.file, selector, defaults):
            one = _grade(selector, decision, settings, strict=args.strict)
            totals.add(one)
            if rows is not None:
                row = outputs.start_object(_FORMAT, **as_row(one))
                rows.write(json.dumps(row) + "\n")
            if totals.seen % _EVERY == 0:
                show(totals.seen, None, "decisions")
            if pressed.is_set():
                break
        if rows is not None:
            last = outputs.start_object(_FORMAT, totals=totals_row(totals))
            last["objective"] = defaults.objective.value
            if alike:
                last["notes"] = [alike]
            rows.write(json.dumps(last) + "\n")
    if args.json != "-":
        print(selector.cluster.summary())
        if alike:
            print(f"note: {alike}")
        _show(totals, args.file)
    if pressed.is_set():
        seen = with_noun(totals.seen, "decision")
        print(f"closeknit: interrupted after {seen}", file=sys.stderr)
        return 130
    return 0 if totals.passed else 1


def _ratio(text: str) -> Fraction:
    with suppress(argparse.ArgumentTypeError):
        if (found := shared.fraction(text)) >= 1:
            return found
    problem = f"must be a number of at least 1, such as 1.1, not {text!r}"
    raise argparse.ArgumentTypeError(problem)


def _since(text: str | None) -> int | None:
    """Read a time; one without a zone is UTC."""
    if text is None:
        return None
    if text.isdecimal() and len(text) < 16:
        return int(text)
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
        return int(found.timestamp())
    except (ValueError, OverflowError):
        raise InputError("must be a time", "--since", text) from None


def _grade(
    selector: NodeSelector,
    decision: PastDecision | Ungraded,
    settings: Settings,
    *,
    strict: bool,
) -> DecisionGrade | Ungraded:
    one: DecisionGrade | Ungraded = (
        decision
        if isinstance(decision, Ungraded)
        else grade_decision(selector, decision, settings)
    )
    if strict and isinstance(one, Ungraded):
        named = f"job {one.job}: " if one.job else ""
        raise InputError(f"{named}{one.detail}", file=one.where)
    return one


def _show(totals: Totals, file: str) -> None:
    print(summary(totals))
    if found := verdict(totals):
        print(found)
    worst = totals.worst_grades()
    if worst:
        print_table(
            ("where", "job", "k", "ratio", "decision", "optimum"),
            [
                (
                    place(one.where, file),
                    one.job or "–",
                    str(one.k),
                    shown_ratio(one),
                    f"{one.parts[0]}\n{shown_cost(one, one.cost)}",
                    f"{one.parts[1] or NONE}\n{shown_cost(one, one.best)}",
                )
                for one in worst
            ],
            right=("k", "ratio"),
            drop=("where", "job", "optimum"),
            title="\nThe worst decisions, nodes by leaf switch or block",
        )
    if totals.ungraded:
        print("\nNot graded")
        for why, n in totals.ungraded.most_common():
            print(f"  {n} with {why.value}")
        for first in totals.first_ungraded:
            named = f"job {first.job}: " if first.job else ""
            print(f"  {first.where}: {named}{first.detail}")
