"""Check a solution file against its instance, from the definition; or a proof alone.

The digest, the selection, its cost and the status are checked. A bound of grade
"checked" is derived again, by other code than found it; so is infeasibility, from the
certificate in the solution of a submesh request. What a search or a solver vouches for
is named as not derived again, and ends with status 1, unless its grade is accepted.
With --prove it is proved again, by closeknit's own search within the time limit, and
needs no proof in a file. With --proof, a proof is checked step by step: a certificate
of a k-subset, or for any problem a pseudo-Boolean proof in the format of VeriPB, about
the formula that export --to opb writes; what the file begins with states which. Where
FILE is such a formula and ends in .opb, the proof is checked without a solution. A
certificate that a job of parts does not fit (.recount.json) is counted again. Exit
status 0 when everything is true, 1 when something is not or nothing derived it, 2 when
a file cannot be used.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection
from functools import partial
from pathlib import Path

from ..instances import read_instance
from ..instances.errors import InputError
from ..instances.escape_hidden import escape_hidden
from ..instances.reading.files import STANDARD
from ..instances.result import ACCEPTABLE
from ..instances.writing.files import writing
from ..proofs.checking import CheckLimits, formula_of, is_opb
from ..proofs.checking.answers.command import (
    FORMAT,
    Outcome,
    report_formula,
    report_recount,
    report_solution,
)
from ..proofs.checking.recount.file import is_recount
from ..proofs.writing.proof_syntax import SYNTAXES, proof_lines, rewrite
from ..solvers import Settings
from ..solvers.running import clock
from .frame import outputs, shared
from .frame.parser import Parser, flag, once


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE", help="instance file, or formula (.opb)")
    parser.add_argument(
        "solution", metavar="SOLUTION", nargs="?", help="solution file; none with .opb"
    )
    flag(parser, "--prove", "prove the bound again, whatever its grade")
    parser.add_argument(
        "--accept",
        action="append",
        choices=ACCEPTABLE,
        metavar="GRADE",
        help="take this grade's word for what is not derived again: "
        f"{', '.join(ACCEPTABLE)}; may be repeated, and means exactly those named",
    )
    says = "proof of the bound, of any kind, maybe packed by xz or gzip"
    once(parser, "--proof", "FILE", says)
    parser.old_spelling("--certificate", "--proof")
    flag(parser, "--plain", "check the proof in plain Python, nothing compiled")
    parser.add_argument(
        "--rewrite",
        type=outputs.file,
        metavar="OUT",
        help="write a pseudo-Boolean proof, if it holds, in another syntax",
    )
    parser.add_argument(
        "--syntax",
        choices=SYNTAXES,
        default=SYNTAXES[-1],
        help="version of VeriPB's syntax for --rewrite (default: %(default)s)",
    )
    shared.add_settings(parser, time_limit=60.0)
    outputs.add_json(parser, "what holds and what was derived")
    parser.examples(
        "check instance.json solution.json --proof proof.pbp.xz",
        "check instance.json solution.json",
        "check instance.json solution.json --prove --time-limit 300",
        "check instance.json solution.json --accept enumerated",
        "check formula.opb --proof proof.pbp",
    )


def run(args: argparse.Namespace) -> int:
    """Check files; print one line per fault, or what holds and was derived again."""
    if args.rewrite and args.proof is None:
        raise InputError("is for --proof", "--rewrite")
    settings = shared.settings_of(args)
    limits = CheckLimits(seconds=settings.time_limit, now=clock.now)
    if is_opb(args.file):
        found = _formula(args, limits)
    elif is_recount(args.file):
        useless = "--proof", "SOLUTION", "--prove", "--accept"
        _refuse(args, useless, "certificates of counting")
        found = report_recount(args.file, limits)
    else:
        found = _solution(args, settings, limits)
    if outputs.write_json(args.json, FORMAT, **found.fields):
        for line in found.lines:
            print(escape_hidden(line))
    return found.status


def _solution(
    args: argparse.Namespace, settings: Settings, limits: CheckLimits
) -> Outcome:
    """Check a solution against its instance."""
    if args.rewrite and (args.proof == STANDARD or not Path(args.proof).is_file()):
        raise InputError(
            "must be a file for --rewrite, which reads it once more", file=args.proof
        )
    if args.solution is None:
        raise InputError("is missing", "SOLUTION")
    from ..api.examining import examine

    instance = read_instance(args.file)
    look = partial(
        examine,
        proof=args.proof,
        prove=settings if args.prove else None,
        limits=limits,
        plain=args.plain,
    )
    cure = "--prove or --proof"
    found = report_solution(instance, args.solution, args.accept or (), cure, look)
    if not found.status and args.rewrite:
        with proof_lines(args.proof) as steps, writing(args.rewrite) as stream:
            stream.writelines(rewrite(formula_of(instance), steps, args.syntax))
    return found


def _formula(args: argparse.Namespace, limits: CheckLimits) -> Outcome:
    """Check a proof about a formula that stands in a file."""
    useless = "SOLUTION", "--prove", "--accept", "--rewrite"
    _refuse(args, useless, "formulas (.opb)")
    if args.proof is None:
        raise InputError("is needed with a formula (.opb)", "--proof")
    from ..api.examining import ways_of

    propagator = ways_of(args.plain).propagator
    return report_formula(args.file, args.proof, limits, propagator)


def _refuse(args: argparse.Namespace, names: Collection[str], what: str) -> None:
    """Refuse arguments of these names, which are of no use for such a file."""
    for name in names:
        if getattr(args, name.removeprefix("--").lower()):
            raise InputError(f"is not for {what}", name)
