"""Compare methods on instances: cost, ratio to the optimum, time.

Every method runs on every instance; the exact one gives the optimum to compare with.
Without --methods those run that `closeknit methods` calls quick; with --all every
heuristic that takes the instance. A single ratio is shown only where the optimum is
proved; elsewhere the interval in which it must lie. Lexicographic costs have a ratio
for every level. Exit status 1 when a ratio is above what its method guarantees, a
method fails, or two answers contradict each other. Ctrl-C stops the run in progress and
shows the results so far; exit status 130.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..instances import Instance, KSubset, problem_of, read_instance
from ..instances.support import describe
from ..methods import METHODS
from ..methods.allocators.submesh import ALLOCATORS
from ..reports.campaigns.campaign import count_left_out, left_out, lineups
from ..reports.campaigns.row_fields import document_of
from ..reports.campaigns.rows import Row
from ..reports.drawing.problems import format_cost, labels_of
from ..reports.pages.numbers import decimal, fraction, levels, seconds
from ..reports.ratios.scoring import ScoredRun, open_levels
from ..solvers import Limit
from .frame import outputs, shared, streams
from .frame.parser import Parser, flag
from .frame.progress import Clock, status_line
from .frame.screen import WIDTH, print_table, screen, wrap_text


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="instance file")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--methods", metavar="M,M", help="methods to compare (default: the quick ones)"
    )
    flag(which, "--all", "compare every heuristic that takes the instance")
    parser.add_argument(
        "--exact", default="auto", metavar="M", help="method that gives the optimum"
    )
    shared.add_settings(parser, time_limit=60.0)
    outputs.add_json(parser, "the rows (one line per run)")
    for old in ("--method", "--allocator"):
        parser.old_spelling(old, "--methods")
    parser.examples(
        "compare instance.json --methods mm,mc1x1",
        "compare *.json --time-limit 10 --json rows.jsonl",
    )


def run(args: argparse.Namespace) -> int:
    """Run all methods on all instances; print one table per instance."""
    from ..api.solving import run_each

    settings = shared.settings_of(args)
    instances = [read_instance(path) for path in args.files]
    lenient = args.methods is None
    quick = lenient and not args.all
    found = lineups(args.methods, args.exact, instances, quick=quick)
    now = ""
    clock = Clock()

    def progress(done: int, total: int, what: str) -> None:
        nonlocal now
        clock.begin(done)
        now = clock.line(done, total, what)

    for name, lineup in found.items():
        if not lineup.methods and not lenient:
            problem = f"none of --methods is for {name} files"
            streams.complain(f"{problem}: only the optimum is shown")
    compared = run_each(instances, found, settings, lenient=lenient, progress=progress)
    failed = interrupted = False
    scored: list[ScoredRun] = []
    try:
        for instance in instances:
            # The line ends before a table is printed.
            with status_line(lambda: now if sys.stderr.isatty() else ""):
                runs = next(compared, None)
            if runs is None:
                break
            scored += runs
            failed |= _wrong(runs)
            interrupted = any(one.row.limit == Limit.INTERRUPT.value for one in runs)
            if args.json != "-" and runs:
                _show(instance, runs)
        next(compared, None)  # raises what ended the last one early
    except KeyboardInterrupt:
        interrupted = True
    if interrupted:
        print("closeknit: interrupted", file=sys.stderr)
    if args.json:
        _write(args.json, scored)
    if interrupted:
        return 130
    if quick and args.json != "-" and (others := count_left_out(found, instances)):
        print(left_out(others, "--all"))
    return 1 if failed else 0


def _wrong(found: list[ScoredRun]) -> bool:
    """Report on standard error what should not be; return whether anything is."""
    problems = {one.verdict.contradiction for one in found} - {""}
    for one in found:
        if one.problem:
            problems.add(f"{one.row.method}: {one.problem}")
    named = [f"{found[0].row.instance}: {problem}" for problem in sorted(problems)]
    for line in named:
        print(f"closeknit: {line}", file=sys.stderr)
    streams.annotate("closeknit compare", named)
    return bool(problems)


def _show(instance: Instance, found: list[ScoredRun]) -> None:
    cost = labels_of(instance).cost
    promised = isinstance(instance, KSubset) or any(one.guarantee for one in found)
    rows = []
    for one in found:
        row = one.row
        if one.ratios is None and one.intervals is not None:
            ratios = [open_levels(one, write) for write in (decimal, fraction)]
        else:
            ratios = [levels(one.ratios, write) for write in (decimal, fraction)]
        rows.append(
            (
                row.method,
                format_cost(instance, row.cost).removeprefix(f"{cost} "),
                *ratios,
                *(fraction(one.guarantee),) * promised,
                seconds(row.seconds),
                row.error if not row.ran else _known(row),
            )
        )
    print_table(
        (
            "method",
            cost,
            "ratio",
            "exactly",
            *("guarantee",) * promised,
            "time",
            "proof",
        ),
        rows,
        right=("profit", "cost", "ratio", "exactly", "guarantee", "time"),
        drop=("exactly", "proof", "time", "guarantee", "ratio"),
        title=f"{instance.name}: {describe(instance)}",
    )
    _print_reasons(instance, found)


def _print_reasons(instance: Instance, found: list[ScoredRun]) -> None:
    """Say for each guarantee why it holds, and which others are next to it."""
    table = METHODS[problem_of(instance).name]
    said: dict[str, list[str]] = {}
    for one in found:
        method = table.get(one.row.method)
        bounds = method.bounds(instance) if method and one.guarantee else []
        if bounds:
            text = "; beside ".join(f"{fraction(f)} ({why})" for f, why in bounds)
            said.setdefault(text, []).append(one.row.method)
    width = min(WIDTH, screen().width) - 1
    for text, names in said.items():
        print(wrap_text(text, f"{', '.join(names)}: ", "  ", width))


def _known(row: Row) -> str:
    """Describe what is known and how it is proved; of allocators, what they found."""
    placing = row.problem == "submesh" and row.method in ALLOCATORS
    if placing and row.status == "unknown":
        return "no free box found"
    return f"{row.status}" + (f" ({row.proof})" if row.proof else "")


def _write(out: str, judged: list[ScoredRun]) -> None:
    """Write one JSON object per line: the row, and its ratio as a fraction."""
    import json

    lines = []
    for one in judged:
        document = document_of(one.row)
        document["optimum"] = one.verdict.optimum
        ratios: list[Any] = [str(ratio) for ratio in one.ratios or ()]
        intervals = [[str(low), str(high)] for low, high in one.intervals or ()]
        alone = isinstance(one.row.cost, int)
        for name, found in (("ratio", ratios), ("interval", intervals)):
            document[name] = (found[0] if alone else found) if found else None
        lines.append(json.dumps(document) + "\n")
    outputs.write_out(out, "".join(lines))
