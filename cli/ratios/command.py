"""Run methods on instances, and report every ratio to the proven optimum.

What to run is written in a study file (STUDY.toml, see docs/use/studies.md; standard
comes with closeknit), or named: instance files, folders of them, suites.

Every result is written to OUT/results.sqlite at once; the same command, repeated after
it was stopped or killed, runs only what is missing. Then OUT/report.html,
OUT/report.md and OUT/ratios.csv are written. Rows of other settings that are already
in the folder are kept; they are not reported, but their solutions and proofs count.
Exit status 1: a ratio exceeds what is proven for its method, a proof is contradicted,
or a run failed. Exit status 2: no method but the exact one answered,
or no guarantee that methods state could be tested.

Another command, closeknit ratios compare A B, shows what changed between two such
folders; an input that is called compare is therefore written ./compare.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from ...instances import InputError
from ...instances.option_values import seconds
from ...reports.campaigns import pool
from ...reports.campaigns.campaign import Campaign, Runner, is_lenient, lineups
from ...reports.campaigns.store import ResultStore
from ...reports.campaigns.study.inputs import instances_of
from ...solvers.running.settings import Settings
from ..frame import outputs, shared, streams
from ..frame.parser import Parser, flag, once
from ..frame.progress import progress_bar

_BUNDLED = "bundled"
_SHOWN = 20
"""What does not hold is listed up to so many lines."""
_RATHER_IN_THE_STUDY = ("methods", "exact", "time_limit", "seed")


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="STUDY|FILE|DIR|SUITE",
        help="a study file, or instance files, folders of them, or suites that come "
        "with closeknit: bundled, bundled-ksubset, bundled-procset, bundled-sukp, "
        "bundled-submesh, worst-cases (default: bundled)",
    )
    parser.add_argument(
        "--out",
        type=outputs.folder,
        required=True,
        metavar="DIR",
        help="folder of results and report",
    )
    parser.add_argument(
        "--methods",
        metavar="M,M",
        help="methods to measure; systems for all but variants of variants (default: "
        "every heuristic that takes the instance)",
    )
    parser.add_argument(
        "--exact",
        metavar="M,M",
        help="exact method that gives the optimum: of several the first that a problem "
        "has, auto where it has none (default: auto)",
    )
    parser.add_argument(
        "--time-limit", type=float, metavar="S", help="seconds per run (default: 60)"
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="random seed (default: 0)"
    )
    once(parser, "--trace", "FILE", "SWF trace for the snapshots of a study")
    parser.old_spelling("--swf", "--trace")
    shared.add_number(
        parser, "--max-runs", "refuse a study of more runs (default: 1000000)"
    )
    where = parser.add_mutually_exclusive_group()
    shared.add_jobs(where)
    where.add_argument(
        "--dask", metavar="ADDRESS", help="run on the workers of a Dask scheduler"
    )
    parser.refuse_old_word(
        "--dask-jobqueue", "start dask workers by sbatch, and give --dask ADDRESS"
    )
    before = parser.add_mutually_exclusive_group()
    flag(before, "--resume", "run only what OUT does not hold yet (the default)")
    flag(
        before, "--fresh", "set the results that OUT holds aside, as results.sqlite.old"
    )
    flag(before, "--retry-failed", "run again what failed before")
    parser.refuse_old_word("--parquet", "read OUT/results.sqlite or OUT/ratios.csv")
    parser.refuse_old_word("--junit", "the exit status and OUT/ratios.csv have it")
    flag(
        parser,
        "--proofs",
        "prove the answers too, each within the time limit; keep the proofs in "
        "OUT/proofs, for verify --proofs, and report their sizes and checking times",
    )
    parser.examples(
        "ratios bundled --out results --methods mm,mc1x1",
        "ratios study.toml --out results --jobs 4 --retry-failed",
    )


def run(args: argparse.Namespace) -> int:
    """Run the campaign, write the report, and print its headline."""
    from ...api.campaigns import conduct

    campaign = _campaign(args)
    jobs = shared.processes(args.jobs) if args.dask is None else None
    notes: list[str] = []
    with (
        _runner(args, jobs) as runner_for,
        ResultStore(args.out, fresh=args.fresh) as store,
    ):
        with progress_bar() as progress:
            try:
                report = conduct(
                    campaign,
                    store,
                    runner=runner_for(store.scratch),
                    compiling_jobs=jobs,
                    retry_failed=args.retry_failed,
                    progress=progress,
                    proofs=args.proofs,
                    say=notes.append,
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
        out = Path(args.out)
    print(f"{report.headline}.")
    print(f"{report.finding[:1].upper()}{report.finding[1:]}.")
    for line in report.problems[:_SHOWN]:
        print(f"  {line}")
    if len(report.problems) > _SHOWN:
        print(f"  and {len(report.problems) - _SHOWN} more, in the report")
    for line in notes:
        print(f"{line}.")
    print(out / "report.html")
    for verdict in report.contradictions:
        streams.complain(f"{verdict.instance.name}: {verdict.contradiction}")
    streams.annotate("closeknit ratios", report.problems)
    print(f"{report.rederived[:1].upper()}{report.rederived[1:]}.")
    if report.nothing and not report.problems:
        raise InputError(report.nothing)
    return 0 if report.holds else 1


def _refuse(args: argparse.Namespace, names: tuple[str, ...], why: str) -> None:
    for name in names:
        if getattr(args, name) not in (None, False):
            raise InputError(why, f"--{name.replace('_', '-')}")


@contextmanager
def _runner(
    args: argparse.Namespace, jobs: int | None
) -> Iterator[Callable[[Path], Runner]]:
    """Return where runs are made, once it is known where their temporary files go.

    Without processes here it is a cluster, whose workers have folders of their own.
    """
    if jobs is not None:
        yield lambda scratch: partial(pool.run, jobs=jobs, scratch=scratch)
        return
    from ...reports.campaigns.cluster import connect
    from ...reports.campaigns.cluster import run as run_on_cluster

    with connect(args.dask) as client:
        yield lambda scratch: partial(run_on_cluster, client=client)


def _campaign(args: argparse.Namespace) -> Campaign:
    from ...reports.campaigns.study.file import MAX_RUNS, is_study, read_study

    if studies := [name for name in args.inputs if is_study(name)]:
        if len(args.inputs) > 1:
            raise InputError("a study file stands alone", file=studies[0])
        _refuse(args, _RATHER_IN_THE_STUDY, "stands in the study file")
        most = MAX_RUNS if args.max_runs is None else args.max_runs
        return read_study(studies[0], trace=args.trace, max_runs=most)
    _refuse(args, ("trace", "max_runs"), "is for a study file")
    time_limit = seconds(60 if args.time_limit is None else args.time_limit)
    settings = Settings(time_limit=time_limit, seed=args.seed or 0)
    instances = instances_of(args.inputs or [_BUNDLED])
    return Campaign(
        instances=instances,
        lineups=lineups(args.methods, args.exact or "auto", instances),
        settings=settings,
        lenient=is_lenient(args.methods),
    )
