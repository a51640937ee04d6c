"""Run methods on instances, and report every ratio to the proven optimum.

What to run stands in a study file (STUDY.toml, see docs/studies.md; standard comes
with closeknit), or is named: instance files, folders of them, suites.

Every result goes to OUT/results.sqlite at once; the same command, given again after
it was stopped or killed, runs only what is missing. Then OUT/report.html,
OUT/report.md and OUT/ratios.csv are written. Rows of other settings that are
already in the folder are kept; they are not reported on, but their solutions and
proofs count. Exit status 1: a ratio exceeds what is proven for its method, a
proof is contradicted, or a run failed.

    closeknit ratios compare A B [--fail-on worse|answers]

says what became better or worse from A to B: folders that this command filled, or
stores. A file or folder called compare is written ./compare.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from . import comparing, outputs, reading, running, study_file
from .progress import progress_bar

if TYPE_CHECKING:
    from ..reports.campaigns.campaign import Campaign, Runner
    from ..reports.campaigns.rows import Row
    from ..reports.campaigns.store import ResultStore

HELP = "run methods on instances; report the ratios"
OUTPUTS = ("report.html", "report.md", "ratios.csv")
_BUNDLED = "bundled"
_RATHER_IN_THE_STUDY = ("methods", "exact", "time_limit", "seed")
_ONLY_TO_RUN = (
    *(
        "out",
        "jobs",
        "dask",
        "dask_jobqueue",
        "trace",
        "max_runs",
        *_RATHER_IN_THE_STUDY,
    ),
    *("fresh", "resume", "retry_failed", "parquet"),
)


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="STUDY|FILE|DIR|SUITE",
        help="a study file, or instance files, folders of them, or suites that come "
        "with closeknit (bundled, bundled-ksubset, bundled-procset, bundled-sukp, "
        "bundled-submesh, worst-cases); bundled if left out",
    )
    parser.add_argument(
        "--out",
        type=outputs.folder,
        metavar="DIR",
        help="folder of results and report",
    )
    parser.add_argument(
        "--methods",
        metavar="M,M",
        help="methods to measure; every heuristic that takes the instance if left out",
    )
    parser.add_argument(
        "--exact",
        metavar="M",
        help="route to the optimum (auto; also for problems without such a method)",
    )
    parser.add_argument(
        "--time-limit", type=float, metavar="S", help="seconds for each run (60)"
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="of methods that draw lots (0)"
    )
    parser.add_argument(
        "--trace", metavar="SWF", help="the trace of which a study takes snapshots"
    )
    parser.add_argument(
        "--max-runs",
        type=reading.number,
        metavar="N",
        help=f"a study of more runs is refused ({study_file.MAX_RUNS})",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--jobs", type=int, metavar="N", help="processes; one for each CPU if left out"
    )
    where.add_argument(
        "--dask", metavar="ADDRESS", help="run on the workers of a Dask scheduler"
    )
    where.add_argument(
        "--dask-jobqueue",
        metavar="TOML",
        help="run on workers that are started as jobs of Slurm, as this file says",
    )
    before = parser.add_mutually_exclusive_group()
    before.add_argument(
        "--resume",
        action="store_true",
        help="run only what OUT does not hold yet (this is the default)",
    )
    before.add_argument(
        "--fresh",
        action="store_true",
        help="put results that OUT holds aside, as results.sqlite.old",
    )
    before.add_argument(
        "--retry-failed", action="store_true", help="run again what failed before"
    )
    parser.add_argument(
        "--parquet",
        action="store_true",
        help="write OUT/results.parquet too (needs closeknit[parquet])",
    )
    comparing.options(parser)


def run(args: argparse.Namespace) -> int:
    """Run the campaign, write the report, say what came of it."""
    if args.inputs[:1] == [comparing.WORD]:
        _refuse(args, _ONLY_TO_RUN, "is not for a comparison (a file: ./compare)")
        return comparing.run(args, args.inputs[1:])
    _refuse(args, comparing.OPTIONS, "is for a comparison: closeknit ratios compare")
    from ..reports.campaigns.audit import audited
    from ..reports.campaigns.campaign import run as run_campaign
    from ..reports.campaigns.compiling import compile_for
    from ..reports.campaigns.forecast import Forecast
    from ..reports.campaigns.rows import FAILED
    from ..reports.campaigns.store import ResultStore

    if args.out is None:
        raise _no_out()
    if args.parquet:
        from ..reports.ratios.parquet import arrow

        arrow()
    campaign = _campaign(args)
    with (
        _runner(args) as runner_for,
        ResultStore(args.out, fresh=args.fresh) as store,
    ):
        _refuse_unwritable(Path(args.out))
        known = audited(campaign.instances, store.rows.values(), store.path)
        if args.retry_failed:
            rows = campaign.rows(store)
            store.forget(row.key for row in rows if row.status == FAILED)
        runner = runner_for(store.scratch)
        forecast = Forecast(running.processes(args.jobs) if _here(args) else 1)
        with progress_bar(forecast) as progress:
            try:
                if _here(args):  # each process would compile what others do, too
                    compile_for(
                        campaign.wanted(store), jobs=running.processes(args.jobs)
                    )
                run_campaign(
                    campaign,
                    store,
                    runner=runner,
                    progress=progress,
                    forecast=forecast,
                )
            except KeyboardInterrupt:
                total = len(campaign.tasks())
                done = len(campaign.rows(store))
                print(
                    f"closeknit: interrupted after {done} of {total} runs; "
                    "give the same command again to go on",
                    file=sys.stderr,
                )
                return 130
        return _report(campaign, store, Path(args.out), known, parquet=args.parquet)


def _no_out() -> Exception:
    from ..instances import InputError

    return InputError(
        "the following arguments are required: --out (see closeknit ratios --help)"
    )


def _refuse(args: argparse.Namespace, names: tuple[str, ...], why: str) -> None:
    from ..instances import InputError

    for name in names:
        if getattr(args, name) not in (None, False):
            raise InputError(why, field=f"--{name.replace('_', '-')}")


def _here(args: argparse.Namespace) -> bool:
    return args.dask is None and args.dask_jobqueue is None


@contextmanager
def _runner(args: argparse.Namespace) -> Iterator[Callable[[Path], Runner]]:
    """Return where runs are made, once it is known where their temporary files go.

    The workers of a cluster have folders of their own, and are left in the end.
    """
    if _here(args):
        from ..reports.campaigns import pool

        jobs = running.processes(args.jobs)
        yield lambda scratch: partial(pool.run, jobs=jobs, scratch=scratch)
        return
    from ..reports.campaigns.cluster import connected
    from ..reports.campaigns.cluster import run as run_on_cluster

    with connected(args.dask, jobqueue=args.dask_jobqueue) as client:
        yield lambda scratch: partial(run_on_cluster, client=client)


def _campaign(args: argparse.Namespace) -> Campaign:
    studies = [name for name in args.inputs if study_file.is_study(name)]
    if not studies:
        _refuse(args, ("trace", "max_runs"), "is for a study file")
        return _named(args)
    from ..instances import InputError

    if len(args.inputs) > 1:
        raise InputError("a study file stands alone", file=studies[0])
    _refuse(args, _RATHER_IN_THE_STUDY, "stands in the study file")
    most = study_file.MAX_RUNS if args.max_runs is None else args.max_runs
    return study_file.read_study(studies[0], trace=args.trace, max_runs=most)


def _named(args: argparse.Namespace) -> Campaign:
    """Return the campaign whose instances and settings the command line names."""
    from ..instances import InputError
    from ..reports.campaigns.campaign import Campaign
    from ..reports.campaigns.inputs import instances_of
    from ..solvers import Settings

    time_limit = running.seconds(60 if args.time_limit is None else args.time_limit)
    seed = args.seed or 0
    if not 0 <= seed < 2**31:
        raise InputError("must be from 0 to 2^31 - 1", field="--seed", value=seed)
    instances = instances_of(args.inputs or [_BUNDLED])
    args.exact = args.exact or "auto"
    return Campaign(
        instances=instances,
        lineups=running.lineups(args, instances),
        settings=Settings(time_limit=time_limit, seed=seed),
        lenient=args.methods is None,
    )


def _refuse_unwritable(out: Path) -> None:
    """Find out now, and not after hours, whether the report can be written."""
    from ..instances.files import try_file

    for name in OUTPUTS:
        try_file(out / name)


def _report(
    campaign: Campaign,
    store: ResultStore,
    out: Path,
    known: Sequence[Row],
    *,
    parquet: bool,
) -> int:
    """Write the report; ``known`` are the rows that were there, audited."""
    from ..instances.files import write_text
    from ..reports.pages.csv_tables import csv_of
    from ..reports.pages.html import html_of
    from ..reports.pages.markdown import markdown_of
    from ..reports.ratios.document import ratio_document
    from ..reports.ratios.report import report_on
    from ..reports.ratios.rows_table import rows_table

    witnesses = [row for row in known if store.rows.get(row.key) is row]
    rows = campaign.rows(store)
    methods = {name: lineup.by_name for name, lineup in campaign.lineups.items()}
    report = report_on(campaign.instances, rows, methods, witnesses=witnesses)
    write_text(out / "ratios.csv", csv_of(rows_table(report.judged)))
    document = ratio_document(report)
    write_text(out / "report.md", markdown_of(document))
    write_text(out / "report.html", html_of(document))
    if parquet:
        from ..reports.ratios.parquet import write_parquet

        write_parquet(report.judged, out / "results.parquet")
    print(f"{report.headline}.")
    print(f"{report.finding[:1].upper()}{report.finding[1:]}.")
    print(out / "report.html")
    return 0 if report.holds else 1
