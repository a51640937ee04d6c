"""Compare methods on instances: cost, ratio to the optimum, time.

Every method runs on every instance; the exact one gives the optimum to compare
with. A ratio stands only where the optimum is proved; else the interval in which
it must lie. Exit status 1 when a ratio is above what its method guarantees, a
method fails, or two answers contradict each other.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from . import running

if TYPE_CHECKING:
    from ..heuristics import AnyMethod
    from ..instances import KSubset
    from ..reports.rows import Row
    from ..reports.verdicts import Judged
    from ..solvers import Settings

HELP = "table of ratios on the terminal"


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="instance file")
    parser.add_argument(
        "--methods",
        metavar="M,M",
        help="every heuristic that takes the instance if left out",
    )
    parser.add_argument(
        "--exact", default="auto", metavar="M", help="gives the optimum (default auto)"
    )
    running.add_settings(parser, time_limit=60.0)
    parser.add_argument(
        "--json", metavar="OUT", help="write the rows there; - for standard output"
    )


def run(args: argparse.Namespace) -> int:
    """Run everything, print one table an instance."""
    from ..heuristics import KSUBSET
    from ..instances import read_ksubset
    from ..reports.campaign import Campaign
    from ..reports.verdicts import judge

    settings = running.settings_of(args)
    methods, exact = running.compared_methods(args, KSUBSET)
    instances = [read_ksubset(path) for path in args.files]
    failed = False
    judged: list[Judged] = []
    for instance in instances:
        campaign = Campaign(
            instances=[instance],
            methods=methods,
            exact=exact,
            settings=settings,
            lenient=args.methods is None,
        )
        first, *others = campaign.tasks()  # the exact one, shown last
        rows = [_row(instance, method, settings) for _, method in (*others, first)]
        found = judge([instance], rows, KSUBSET)
        judged += found
        failed |= _wrong(found)
        if args.json != "-":
            _show(instance, found)
    if args.json:
        _write(args.json, judged)
    return 1 if failed else 0


def _row(instance: KSubset, method: AnyMethod, settings: Settings) -> Row:
    from ..reports.campaign import run_one
    from ..reports.rows import FAILED, row_of
    from ..solvers import SolverError

    try:
        return run_one(instance, method, settings)
    except SolverError as error:
        return row_of(instance, method.name, settings, str(error), FAILED)


def _wrong(found: list[Judged]) -> bool:
    """Say on standard error what should not be."""
    from ..reports.rows import FAILED

    problems = {one.verdict.contradiction for one in found} - {""}
    for one in found:
        if one.broken:
            problems.add(f"{one.row.method} is above its guarantee {one.guarantee}")
        if one.row.status == FAILED:
            problems.add(f"{one.row.method} failed: {one.row.error}")
    for problem in sorted(problems):
        print(f"closeknit: {found[0].row.instance}: {problem}", file=sys.stderr)
    return bool(problems)


def _show(instance: KSubset, found: list[Judged]) -> None:
    from rich.console import Console
    from rich.table import Table

    from ..instances.problems import described
    from ..reports.wording import decimal, fraction, price, seconds

    table = Table(title=f"{instance.name}: {described(instance)}", title_justify="left")
    table.add_column("method")
    for column in ("cost", "ratio", "exactly", "guarantee", "time"):
        table.add_column(column, justify="right")
    table.add_column("proof")
    for one in found:
        row = one.row
        shown, exactly = decimal(one.ratio), fraction(one.ratio)
        if one.ratio is None and one.interval is not None:
            shown = " .. ".join(map(decimal, one.interval))
            exactly = " .. ".join(map(fraction, one.interval))
        table.add_row(
            row.method,
            price(row.cost),
            shown,
            exactly,
            fraction(one.guarantee),
            seconds(row.seconds),
            row.error if not row.ran else f"{row.status}" + _of(row),
        )
    Console().print(table)


def _of(row: Row) -> str:
    return f" ({row.proof})" if row.proof else ""


def _write(out: str, judged: list[Judged]) -> None:
    """Write one JSON object a line: the row, and its ratio as a fraction."""
    import json

    from ..instances.files import write_text
    from ..reports.rows import line_of

    lines = []
    for one in judged:
        document = json.loads(line_of(one.row))
        document["optimum"] = one.verdict.optimum
        document["ratio"] = None if one.ratio is None else str(one.ratio)
        document["interval"] = (
            None if one.interval is None else [str(end) for end in one.interval]
        )
        lines.append(json.dumps(document) + "\n")
    if out == "-":
        sys.stdout.write("".join(lines))
    else:
        write_text(out, "".join(lines))
