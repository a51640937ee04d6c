"""Test claims: published bounds, derived formulas, exactness of the exact routes.

CLAIM is the name of a claim, a pattern such as 'mm*', a method, or a group: a problem
(ksubset, procset, sukp, submesh), scheduler, network, exact, guarantees, lower-bounds,
towns, worst-cases, lemmas, ptas or curves. A method of your own, MODULE:NAME, is tested
against the guarantee that it states. Without CLAIM, all are tested. Exit status 0
when all hold, 1 when one is broken or its test fails. The smallest counterexample found
is written as an instance file.

With --proofs FOLDER, the proofs in a folder are checked instead, such as ratios
--proofs writes: instances, solutions and proofs, each within the
time limit, without search or solver. One line for each and a summary; exit status 0
when all hold, 1 when one is wrong, 2 when one cannot be used.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..extensions import left_out
from ..instances import Instance, write_instance
from ..instances.errors import InputError
from ..instances.option_values import seconds
from ..instances.support import support_of
from ..instances.writing.files import file_in, replaces
from ..methods.rederiving import count_text
from ..proofs.checking import CheckLimits
from ..proofs.checking.folder import Verdict, print_verdicts, read_index, replay
from ..proofs.checking.proof_file import PLAIN
from ..proofs.writing.twins import FAST
from ..solvers.running import clock
from ..solvers.running.method import Run
from .frame import outputs, shared, streams
from .frame.parser import Parser, flag
from .frame.progress import progress_bar
from .frame.screen import print_table, wrap_text

if TYPE_CHECKING:
    from ..reports.claims.running.claim import Claim, Trial
    from ..reports.claims.verify import ClaimResult

COUNTEREXAMPLES = "closeknit-counterexamples"


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "claims",
        nargs="*",
        metavar="CLAIM",
        help="what to test; see --list (default: all)",
    )
    flag(parser, "--list", "list the claims and how each is tested")
    flag(parser, "--quick", "fewer and smaller instances")
    shared.add_seed(parser, "random seed of the sampled instances")
    shared.add_time_limit(parser, "seconds per run of a method", 60.0)
    shared.add_jobs(parser, "one per CPU; 1 where claims are named")
    parser.add_argument(
        "--junit", type=outputs.file, metavar="FILE", help="write JUnit XML there"
    )
    outputs.add_json(parser, "the verdicts")
    parser.add_argument(
        "--markdown",
        type=outputs.file,
        metavar="FILE",
        help="write a page about the claims and verdicts there",
    )
    parser.add_argument(
        "--out",
        type=outputs.folder,
        metavar="DIR",
        help=f"folder for instances that break a claim (default: {COUNTEREXAMPLES})",
    )
    parser.old_spelling("--counterexamples", "--out")
    parser.add_argument(
        "--proofs", metavar="FOLDER", help="check this folder of answers and proofs"
    )
    flag(parser, "--plain", "check proofs in plain Python, nothing compiled")
    parser.examples(
        "verify --quick",
        "verify 'mm*' submesh --jobs 2 --junit claims.xml",
        "verify --proofs out/proofs",
    )


def run(args: argparse.Namespace, methods: Mapping[str, Run] | None = None) -> int:
    """Test the claims in turn, of the given methods in place of the registered ones."""
    if args.proofs is not None:
        return _proofs(args)
    if args.plain:
        raise InputError("is for --proofs", "--plain")
    from ..reports.claims.catalogue import chosen_claims
    from ..reports.claims.page import write_page
    from ..reports.claims.running.claim import Trial

    claims = chosen_claims(args.claims)
    if args.list:
        _write_list(claims, args.json)
        return 0
    time_limit = seconds(args.time_limit)
    trial = Trial(seed=shared.seed_of(args), quick=args.quick, time_limit=time_limit)
    if methods is not None:
        trial = replace(trial, methods=methods)
    jobs = shared.processes(args.jobs)
    if methods is not None or (args.claims and args.jobs is None):
        jobs = 1
    verdicts, files = _test(claims, trial, args, jobs)
    if args.json:
        _write_json(args.json, trial, verdicts, files)
    if args.markdown:
        write_page(args.markdown, trial, verdicts)
    if args.json != "-":
        _show(verdicts, files)
        if not args.claims and (missing := left_out()):
            print(f"{missing} claims were left out: their parts are not installed")
    streams.annotate("closeknit verify", [*_broken(verdicts, files)])
    return 0 if all(verdict.holds for verdict in verdicts) else 1


def _proofs(args: argparse.Namespace) -> int:
    """Check a folder of proofs."""
    for option in (
        "claims",
        "list",
        "quick",
        "jobs",
        "junit",
        "json",
        "markdown",
        "out",
    ):
        if getattr(args, option):
            field = "CLAIM" if option == "claims" else f"--{option}"
            raise InputError("is for claims, not for --proofs", field)
    limits = CheckLimits(seconds=seconds(args.time_limit), now=clock.now)
    ways = PLAIN if args.plain else FAST
    entries = read_index(args.proofs)
    wrong: list[str] = []

    def note(one: Verdict) -> Verdict:
        if one.word != "holds":
            wrong.append(f"{one.entry.name}: {one.word}: {one.why}")
        return one

    status = print_verdicts(map(note, replay(args.proofs, entries, limits, ways)))
    streams.annotate("closeknit verify --proofs", wrong)
    return status


def _test(
    claims: list[Claim], trial: Trial, args: argparse.Namespace, jobs: int
) -> tuple[list[ClaimResult], dict[str, Path]]:
    """Test; keep the JUnit file up to date, so that a killed run has one too."""
    from ..api.verifying import verdicts_on
    from ..reports.claims.page import cases
    from ..reports.pages.junit import write_junit

    files: dict[str, Path] = {}
    pending = {claim.name: claim for claim in claims}
    updated = args.junit and replaces(args.junit)
    with progress_bar() as show:

        def note(verdicts: list[ClaimResult], one: ClaimResult) -> None:
            del pending[one.claim.name]
            if updated or (args.junit and not pending):
                found = cases(verdicts, pending.values())
                write_junit(args.junit, "closeknit verify", found)
            if path := _keep(one, args.out or COUNTEREXAMPLES):
                files[one.claim.name] = path
            show(len(verdicts), len(claims), next(iter(pending), ""))

        show(0, len(claims), next(iter(pending)))
        return verdicts_on(claims, trial, jobs, note), files


def _keep(verdict: ClaimResult, directory: str) -> Path | None:
    """Write the counterexample, if there is one; the verdict stands if that fails."""
    if verdict.outcome is None or verdict.outcome.counterexample is None:
        return None
    instance = _label(verdict, verdict.outcome.counterexample)
    try:
        name = verdict.claim.name.replace(":", "-").strip("<>")
        path = file_in(directory, f"{name}.json")
        write_instance(instance, path)
    except InputError as error:
        streams.complain(str(error))
        return None
    return path


def _label(verdict: ClaimResult, instance: Instance) -> Instance:
    """Return the instance, labelled with what it is a counterexample to."""
    source = f"counterexample to {verdict.claim.name}: {verdict.said}"
    return replace(instance, source=source)


def _about(claim: Claim) -> dict[str, Any]:
    return {
        "claim": claim.name,
        "statement": claim.statement,
        "source": claim.source,
        "tested": claim.tested,
    }


def _write_list(claims: list[Claim], out: str | None) -> None:
    if out:
        outputs.write_json(out, "closeknit/claims", claims=list(map(_about, claims)))
        return
    for claim in claims:
        source, tested = f"Source: {claim.source}.", f"Tested: {claim.tested}."
        print(claim.name)
        for text in (claim.statement, source, tested):
            print(wrap_text(text, "  "))


def _write_json(
    out: str, trial: Trial, verdicts: list[ClaimResult], files: Mapping[str, Path]
) -> None:
    rows = []
    for verdict in verdicts:
        outcome = verdict.outcome
        row = _about(verdict.claim) | {
            "verdict": verdict.word,
            "result": verdict.said,
            "instances": outcome.instances if outcome else None,
            "seconds": round(verdict.seconds, 3),
            "cpu_seconds": round(verdict.cpu, 3),
        }
        if outcome and outcome.counterexample is not None:
            instance = _label(verdict, outcome.counterexample)
            row["counterexample"] = support_of(instance).document_of(instance)
            if path := files.get(verdict.claim.name):
                row["file"] = str(path)
        rows.append(row)
    outputs.write_json(
        out,
        "closeknit/verdicts",
        holds=all(verdict.holds for verdict in verdicts),
        seed=trial.seed,
        quick=trial.quick,
        claims=rows,
    )


def _broken(verdicts: list[ClaimResult], files: Mapping[str, Path]) -> Iterator[str]:
    """Say of each claim that does not hold why, and where the counterexample is."""
    for verdict in verdicts:
        if not verdict.holds:
            line = f"{verdict.claim.name}: {verdict.word}: {verdict.said}"
            path = files.get(verdict.claim.name)
            yield f"{line} (instance: {path})" if path else line


def _show(verdicts: list[ClaimResult], files: Mapping[str, Path]) -> None:
    from rich.text import Text

    colours = {"holds": "green", "broken": "bold red", "error": "bold red"}
    print_table(
        ("claim", "instances", "verdict", "seconds", "result"),
        [
            (
                verdict.claim.name,
                str(verdict.outcome.instances) if verdict.outcome else "",
                Text(verdict.word, style=colours[verdict.word]),
                f"{verdict.seconds:.1f}",
                Text(verdict.said),
            )
            for verdict in verdicts
        ],
        right=("instances", "seconds"),
        drop=("seconds", "instances", "result"),
    )
    for line in _broken(verdicts, files):
        print(line)
    broken = sum(not verdict.holds for verdict in verdicts)
    total = len(verdicts)
    print(f"{total - broken} of {total} claims hold")
    again = {key: one for verdict in verdicts for key, one in verdict.rederived.items()}
    if again:
        print(count_text(again.values(), "proven answers derived again"))
