"""Compare methods on instances: cost, ratio to the optimum, time.

Every method runs on every instance; the exact one gives the optimum to compare with. A
single ratio is shown only where the optimum is proved; elsewhere the interval in which
it must lie. Lexicographic costs have a ratio for every level. Exit status 1 when a
ratio is above what its method guarantees, a method fails, or two answers contradict
each other. Ctrl-C stops the run in progress and shows the results so far; exit status
130.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from . import outputs, running
from .parser import Parser
from .screen import screen

if TYPE_CHECKING:
    from ..instances import Instance
    from ..methods import AnyMethod
    from ..reports.campaigns.rows import Row
    from ..reports.ratios.scoring import ScoredRun
    from ..solvers import Settings


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="instance file")
    parser.add_argument(
        "--methods",
        metavar="M,M",
        help="methods to compare (default: every heuristic that takes the instance)",
    )
    parser.add_argument(
        "--exact", default="auto", metavar="M", help="method that gives the optimum"
    )
    running.add_settings(parser, time_limit=60.0)
    outputs.add_json(parser, "the rows (one line per run)")
    for old in ("--method", "--allocator"):
        parser.old_spelling(old, "--methods")
    parser.examples(
        "compare instance.json --methods mm,mc1x1",
        "compare *.json --time-limit 10 --json rows.jsonl",
    )


def run(args: argparse.Namespace) -> int:
    """Run everything, print one table per instance."""
    from ..instances import read_instance
    from ..methods import METHODS
    from ..reports.campaigns.campaign import Campaign
    from ..reports.campaigns.lineups import lineups as lineups_of
    from ..reports.ratios.scoring import judge
    from ..solvers import Limit

    settings = running.settings_of(args)
    instances = [read_instance(path) for path in args.files]
    lineups = lineups_of(args.methods, args.exact, instances)
    failed = interrupted = False
    judged: list[ScoredRun] = []
    for instance in instances:
        campaign = Campaign(
            instances=[instance],
            lineups=lineups,
            settings=settings,
            lenient=args.methods is None,
        )
        first, *others = campaign.tasks()  # the exact one, shown last
        rows: list[Row] = []
        try:
            for task in (*others, first):
                rows.append(_row(instance, task.method, settings))
                interrupted = rows[-1].limit == Limit.INTERRUPT.value
                if interrupted:
                    break
        except KeyboardInterrupt:
            interrupted = True
        found = judge([instance], rows, METHODS)
        judged += found
        failed |= _wrong(found)
        if args.json != "-" and found:
            _show(instance, found)
        if interrupted:
            print("closeknit: interrupted", file=sys.stderr)
            break
    if args.json:
        _write(args.json, judged)
    if interrupted:
        return 130
    return 1 if failed else 0


def _row(instance: Instance, method: AnyMethod, settings: Settings) -> Row:
    from ..reports.campaigns.campaign import run_one
    from ..reports.campaigns.rows import FAILED, row_of
    from ..solvers import SolverError

    try:
        return run_one(instance, method, settings)
    except SolverError as error:
        return row_of(instance, method.name, settings, str(error), FAILED)


def _wrong(found: list[ScoredRun]) -> bool:
    """Report on standard error what should not be; return whether anything is."""
    from ..reports.campaigns.rows import FAILED

    problems = {one.verdict.contradiction for one in found} - {""}
    for one in found:
        if one.broken:
            problems.add(f"{one.row.method} is above its guarantee {one.guarantee}")
        if one.row.status == FAILED:
            problems.add(f"{one.row.method} failed: {one.row.error}")
    for problem in sorted(problems):
        print(f"closeknit: {found[0].row.instance}: {problem}", file=sys.stderr)
    return bool(problems)


def _show(instance: Instance, found: list[ScoredRun]) -> None:
    from rich.table import Table

    from ..instances import KSubset
    from ..instances.problems import described
    from ..reports.drawing.problems import labels_of, paid
    from ..reports.pages.numbers import decimal, fraction, levels, seconds
    from ..reports.ratios.scoring import open_levels

    table = Table(title=f"{instance.name}: {described(instance)}", title_justify="left")
    table.add_column("method", no_wrap=True)
    cost = labels_of(instance).cost
    table.add_column(cost, justify="right", no_wrap=True)
    promised = isinstance(instance, KSubset) or any(one.guarantee for one in found)
    for column in ("ratio", "exactly", *("guarantee",) * promised, "time"):
        table.add_column(column, justify="right", overflow="fold")
    table.add_column("proof", overflow="fold")
    for one in found:
        row = one.row
        if one.ratios is None and one.intervals is not None:
            shown, exactly = (open_levels(one, write) for write in (decimal, fraction))
        else:
            shown, exactly = (
                levels(one.ratios, write) for write in (decimal, fraction)
            )
        table.add_row(
            row.method,
            paid(instance, row.cost).removeprefix(f"{cost} "),
            shown,
            exactly,
            *(fraction(one.guarantee),) * promised,
            seconds(row.seconds),
            row.error if not row.ran else _known(row),
        )
    screen().print(table)


def _plain(levels: list[Any] | None, one: ScoredRun) -> Any:
    """Give a list of levels, or the only one where costs are integers."""
    if levels is None:
        return None
    shown = [each if isinstance(each, list) else str(each) for each in levels]
    return shown[0] if isinstance(one.row.cost, int) else shown


def _known(row: Row) -> str:
    """Describe what is known and how it is proved; of allocators, what they found."""
    from ..methods.submesh_allocators import ALLOCATORS

    if (
        row.problem == "submesh"
        and row.status == "unknown"
        and row.method in ALLOCATORS
    ):
        return "no free box found"
    return f"{row.status}" + (f" ({row.proof})" if row.proof else "")


def _write(out: str, judged: list[ScoredRun]) -> None:
    """Write one JSON object per line: the row, and its ratio as a fraction."""
    import json

    from ..instances.files import write_text
    from ..reports.campaigns.row_fields import document_of

    lines = []
    for one in judged:
        document = document_of(one.row)
        document["optimum"] = one.verdict.optimum
        document["ratio"] = _plain(None if one.ratios is None else [*one.ratios], one)
        document["interval"] = _plain(
            None
            if one.intervals is None
            else [[str(low), str(high)] for low, high in one.intervals],
            one,
        )
        lines.append(json.dumps(document) + "\n")
    if out == "-":
        sys.stdout.write("".join(lines))
    else:
        write_text(out, "".join(lines))
