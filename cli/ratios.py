"""Run methods on instances, and report every ratio to the proven optimum.

Results go to OUT/results.jsonl row by row; the same command, given again after
it was stopped or killed, runs only what is missing. Then OUT/report.html,
OUT/report.md and OUT/ratios.csv are written. Rows of other settings that are
already in the folder are kept; they are not reported on, but their solutions and
proofs count. Exit status 1: a ratio exceeds what is proven for its method, a
proof is contradicted, or a run failed.
"""

from __future__ import annotations

import argparse
import sys
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from . import running
from .progress import progress_bar

if TYPE_CHECKING:
    from ..reports.campaign import Campaign
    from ..reports.ledger import Ledger

HELP = "run methods on instances; report the ratios"
OUTPUTS = ("report.html", "report.md", "ratios.csv")


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "inputs",
        nargs="*",
        default=["bundled"],
        metavar="FILE|DIR|SUITE",
        help="instance files, folders of them, or suites that come with closeknit "
        "(bundled, bundled-ksubset, bundled-procset, bundled-sukp, bundled-submesh, "
        "worst-cases); bundled if left out",
    )
    parser.add_argument(
        "--out", required=True, metavar="DIR", help="folder of results and report"
    )
    parser.add_argument(
        "--methods",
        metavar="M,M",
        help="methods to measure; every heuristic that takes the instance if left out",
    )
    parser.add_argument(
        "--exact",
        default="auto",
        metavar="M",
        help="route to the optimum (auto; also for problems without such a method)",
    )
    parser.add_argument(
        "--time-limit",
        type=float,
        default=60.0,
        metavar="S",
        help="seconds for each run (60)",
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="processes; one for each CPU if left out"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of methods that draw lots (0)"
    )


def run(args: argparse.Namespace) -> int:
    """Run the campaign, write the report, say what came of it."""
    from ..reports.campaign import run as run_campaign
    from ..reports.ledger import Ledger

    campaign = _campaign(args)
    jobs = running.processes(args.jobs)
    with Ledger(args.out) as ledger:
        _refuse_unwritable(Path(args.out))
        with progress_bar() as progress:
            try:
                run_campaign(campaign, ledger, jobs=jobs, progress=progress)
            except KeyboardInterrupt:
                total = len(campaign.tasks())
                done = len(campaign.rows(ledger))
                print(
                    f"closeknit: interrupted after {done} of {total} runs; "
                    "give the same command again to go on",
                    file=sys.stderr,
                )
                return 130
        return _report(campaign, ledger, Path(args.out))


def _campaign(args: argparse.Namespace) -> Campaign:
    from ..instances import InputError
    from ..reports.campaign import Campaign
    from ..reports.inputs import instances_of
    from ..solvers import Settings

    if not (isfinite(args.time_limit) and args.time_limit > 0):
        raise InputError(
            "must be a positive number of seconds",
            field="--time-limit",
            value=args.time_limit,
        )
    if args.seed < 0:
        raise InputError("must be at least 0", field="--seed", value=args.seed)
    instances = instances_of(args.inputs)
    return Campaign(
        instances=instances,
        lineups=running.lineups(args, instances),
        settings=Settings(time_limit=args.time_limit, seed=args.seed),
        lenient=args.methods is None,
    )


def _refuse_unwritable(out: Path) -> None:
    """Find out now, and not after hours, whether the report can be written."""
    from ..instances import InputError
    from ..instances.files import writing

    for name in OUTPUTS:
        if (out / name).is_dir():
            raise InputError("cannot be written: Is a directory", file=out / name)
    trial = out / ".closeknit-trial"
    with writing(trial):
        pass
    trial.unlink()


def _report(campaign: Campaign, ledger: Ledger, out: Path) -> int:
    from ..instances.files import write_text
    from ..reports.csv_table import csv_table
    from ..reports.html_report import html_report
    from ..reports.markdown_report import markdown_report
    from ..reports.report import report_on

    rows = campaign.rows(ledger)
    methods = {name: lineup.by_name for name, lineup in campaign.lineups.items()}
    report = report_on(
        campaign.instances, rows, methods, witnesses=list(ledger.rows.values())
    )
    write_text(out / "ratios.csv", csv_table(report.judged))
    write_text(out / "report.md", markdown_report(report))
    write_text(out / "report.html", html_report(report))
    print(f"{report.headline}.")
    print(f"{report.finding[:1].upper()}{report.finding[1:]}.")
    print(out / "report.html")
    return 0 if report.holds else 1
