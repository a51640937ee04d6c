"""Campaigns: methods on many instances, resumable, with a report on the ratios."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from logging import getLogger
from pathlib import Path
from time import monotonic
from typing import Any

from ..instances import InputError, Instance
from ..instances.writing.files import file_in, try_file, write_text
from ..methods.user_methods import OwnMethod
from ..reports.campaigns import pool
from ..reports.campaigns.audit import audit
from ..reports.campaigns.campaign import Campaign, Runner, is_lenient, lineups
from ..reports.campaigns.campaign import run as run_campaign
from ..reports.campaigns.compiling import compile_for
from ..reports.campaigns.rows import FAILED
from ..reports.campaigns.store import ResultStore
from ..reports.campaigns.study.file import MAX_RUNS, is_study, read_study
from ..reports.campaigns.study.inputs import Collected
from ..reports.campaigns.study.inputs import instances_of as instances_named
from ..reports.pages.csv_tables import csv_of
from ..reports.pages.html import html_of
from ..reports.pages.markdown import markdown_of
from ..reports.proofs.campaign import kept_proofs
from ..reports.proofs.proving import proof_kernels
from ..reports.proofs.rederivation import rederive_all
from ..reports.ratios.document import SITE, ratio_document
from ..reports.ratios.report import Report, many, report_on
from ..reports.ratios.rows_table import rows_table
from ..solvers import Settings
from ..solvers.running.settings import cpus
from .solving import MethodLike, as_list, instances_of
from .tables import SHOWN, RunRow, Table, record

OUTPUTS = ("report.html", "report.md", "ratios.csv")
"""What a campaign writes, besides its results."""

_LOG = getLogger("closeknit.campaigns")


class Ratios(Table[RunRow]):
    """One row for each run of a campaign; see `ratios`.

    Parameters
    ----------
    report
        The runs, and what follows from them.
    out
        The folder of the results.
    """

    def __init__(self, report: Report, out: Path) -> None:
        self.report = report
        self.out = out
        super().__init__(list(map(record, report.judged)), SHOWN, report.headline)

    @property
    def page(self) -> Path:
        """The report, for a browser."""
        return self.out / "report.html"

    @property
    def holds(self) -> bool:
        """Whether a method answered, no guarantee or proof broke, and no run failed."""
        return self.report.holds

    @property
    def problems(self) -> list[str]:
        """What does not hold, one line each: which run, and which figures."""
        return self.report.problems

    @property
    def finding(self) -> str:
        """Say in one sentence whether what was promised holds."""
        return self.report.finding


def ratios(
    source: Any,
    out: str | Path,
    *,
    methods: MethodLike | Iterable[MethodLike] | None = None,
    exact: MethodLike | None = None,
    time_limit: float | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    trace: str | Path | None = None,
    max_runs: int = MAX_RUNS,
    proofs: bool = False,
    progress: Callable[[int, int, str], None] | None = None,
) -> Ratios:
    """Run methods on instances; report every ratio to the proven optimum.

    Every result is written to ``out/results.sqlite`` at once; the same call runs only
    what is missing there. Rows are known by instance, method, the digest of its code,
    version and settings: after a change of a method, its runs are made again. Data
    that a method of your own reads from files is not seen; pass ``fresh=True`` then.

    Parameters
    ----------
    source
        A study file (``.toml``) or the name of a bundled one; or one or several of:
        instances, files, folders of them, bundled suites.
    out
        Folder of the results and the report.
    methods, exact
        As in `compare`; a study file names its own.
    time_limit, seed
        See `Settings`; 60 s and 0 if left out. A study file has its own.
    jobs
        Processes; one for each CPU if left out. Methods that no other process can
        import, such as functions of a notebook, are run in this one.
    fresh
        Set the results that are in ``out`` aside.
    retry_failed
        Run again what failed before.
    trace, max_runs
        For a study: the trace of its snapshots, and the number of runs beyond which
        it is refused.
    proofs
        Prove the answers, too, and keep the proofs in ``out/proofs``.
    progress
        Called with the number of runs done, of all runs, and the last run. The same
        is logged at level INFO under the name ``closeknit.campaigns``.

    Returns
    -------
    Ratios
        A row for each run; ``to_frame``, ``page``, ``holds``.

    Raises
    ------
    InputError
        In one line, when something given cannot be used.
    """
    sources = _sources(source)
    if len(sources) == 1 and isinstance(sources[0], str) and is_study(sources[0]):
        given: dict[str, object] = {"methods": methods, "exact": exact}
        given |= {"time_limit": time_limit, "seed": seed}
        for name, value in given.items():
            if value is not None:
                raise InputError("is in the study file", name)
        campaign = read_study(
            sources[0], trace=None if trace is None else str(trace), max_runs=max_runs
        )
    else:
        instances = _instances(sources)
        campaign = Campaign(
            instances=instances,
            lineups=lineups(as_list(methods), exact or "auto", instances),
            settings=Settings(
                time_limit=60.0 if time_limit is None else time_limit, seed=seed or 0
            ),
            lenient=is_lenient(methods),
        )
    number = _processes(jobs)
    with ResultStore(Path(out), fresh=fresh) as store:
        report = conduct(
            campaign,
            store,
            runner=partial(run_somewhere, jobs=number, scratch=store.scratch),
            compiling_jobs=number,
            retry_failed=retry_failed,
            progress=progress or (lambda done, total, what: None),
            proofs=proofs,
        )
    return Ratios(report, Path(out))


def conduct(
    campaign: Campaign,
    store: ResultStore,
    *,
    runner: Runner,
    compiling_jobs: int | None,
    retry_failed: bool,
    progress: Callable[[int, int, str], None],
    proofs: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Report:
    """Run what is missing, and write the report next to the store; see `campaign.run`.

    ``say`` receives lines: what was kept of earlier runs, what was not since other code
    made it, and how long machine code and runs took.

    ``compiling_jobs`` processes compile beforehand; if None, that is left to the runs.
    With ``retry_failed``, what failed before is run again; with ``proofs``, the answers
    are proved, and the proofs kept, see `kept_proofs`. What was only enumerated, or is
    the word of a solver, is derived again, see `rederive_all`.
    """
    out = store.path.parent
    for name in OUTPUTS:  # known now, and not after hours
        try_file(out / name)
    known = audit(campaign.instances, store.rows.values(), store.path)
    if retry_failed:
        rows = campaign.rows(store)
        store.forget(row.key for row in rows if row.status == FAILED)
    if line := _set_outdated_aside(campaign, store):
        _LOG.info("%s", line)
        say(line)
    began = monotonic()
    if compiling_jobs is not None:  # each process would compile what others do, too
        wanted = campaign.missing_methods(store)
        more = proof_kernels(wanted) if proofs else {}
        compile_for(wanted, jobs=compiling_jobs, more=more)
    ready = monotonic()

    def tell(done: int, total: int, what: str) -> None:
        _LOG.info("%d of %d runs done%s", done, total, f": {what}" if what else "")
        progress(done, total, what)

    run_campaign(campaign, store, runner=runner, progress=tell)
    witnesses = [row for row in known if store.rows.get(row.key) is row]
    methods = {name: lineup.by_name for name, lineup in campaign.lineups.items()}
    judged = partial(
        report_on,
        *(campaign.instances, campaign.rows(store), methods),
        witnesses=witnesses,
    )
    report = judged()
    if proofs:
        kept = kept_proofs(
            report.verdicts,
            out,
            seconds=campaign.settings.time_limit,
            runner=runner,
            again=retry_failed,
            progress=tell,
        )
        judged = partial(judged, kept=kept)
        report = judged()
    again = rederive_all(
        report,
        out,
        settings=campaign.settings,
        runner=runner,
        again=retry_failed,
        progress=tell,
    )
    report = judged(wrong=again.wrong, confirmed=again.confirmed, rederived=str(again))
    write_text(file_in(out, "ratios.csv"), csv_of(rows_table(report.judged)))
    near = out.resolve()
    has_site = (near.parent / SITE).is_file()
    document = ratio_document(report, near.name if has_site else "")
    write_text(file_in(out, "report.md"), markdown_of(document))
    write_text(file_in(out, "report.html"), html_of(document))
    taken = ready - began, monotonic() - ready
    say("machine code {:.0f} s, runs, proofs and report {:.0f} s".format(*taken))
    return report


def _set_outdated_aside(campaign: Campaign, store: ResultStore) -> str:
    """Set rows aside that other code made; say how many were, and how many are kept."""
    outdated = campaign.outdated_rows(store)
    aside = store.set_aside(outdated).name if outdated else ""
    kept = len(campaign.rows(store))
    parts = [f"{many(kept, 'row')} kept from an earlier run"] * (kept > 0)
    unknown = sum(not key[-1] for key in outdated)
    for count, what in (
        (len(outdated) - unknown, "made by code that has changed"),
        (unknown, "of a closeknit that did not note by which code"),
    ):
        if count:
            verb = "was" if count == 1 else "were"
            parts.append(f"{many(count, 'row')} {what} {verb} set aside, in {aside}")
    return "; ".join(parts)


def run_somewhere(
    calls: Sequence[pool.Call], *, jobs: int, scratch: Path | None
) -> Generator[tuple[int, Any], None, None]:
    """Make calls as `pool.run` does; make those that cannot be sent elsewhere here.

    The limits of memory and of hung calls do not hold for these.
    """
    here = [i for i, call in enumerate(calls) if not _portable(call)]
    away = [i for i, call in enumerate(calls) if _portable(call)]
    for position, outcome in pool.run(
        [calls[i] for i in away], jobs=jobs, scratch=scratch
    ):
        yield away[position], outcome
    for i in here:
        yield i, pool.value_of(calls[i].function)


def _portable(call: pool.Call) -> bool:
    """Whether another process can make this call: all but methods without a module."""
    values = getattr(call.function, "args", ())
    return all(one.where for one in values if isinstance(one, OwnMethod))


def _sources(source: Any) -> list[Any]:
    several = isinstance(source, list | tuple | set)
    return [
        str(one) if isinstance(one, Path) else one
        for one in (source if several else [source])
    ]


def _instances(sources: Sequence[Any]) -> list[Instance]:
    """Return the instances that are given, or that files, folders and suites hold."""
    found = Collected()
    for place, one in enumerate(sources):
        given = instances_named([one]) if isinstance(one, str) else instances_of(one)
        for instance in given:
            found.add(instance, one if isinstance(one, str) else f"source[{place}]")
    if not found.instances:
        raise InputError("there is no instance", "source")
    return found.instances


def _processes(jobs: object) -> int:
    if jobs is None:
        return cpus()
    if type(jobs) is not int or jobs < 1:
        raise InputError("must be an integer, at least 1", "jobs", jobs)
    return jobs
