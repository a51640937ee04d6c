"""The command ``closeknit-check``, and what ``closeknit check`` shares with it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from ....instances.errors import InputError
from ....instances.escape_hidden import escape_hidden
from ....instances.problems import Instance, problem_of, read_instance
from ....instances.result import ACCEPTABLE, Status
from ....instances.solution import SolutionFile, read_solution
from ....instances.value import cost_text
from ....instances.words import with_noun
from ..alarm import end_in_time
from ..folder import print_verdicts, read_index, replay
from ..opb import check_opb_proof, is_opb
from ..propagation import Propagator
from ..recount.file import check_recount, is_recount
from ..statements import CheckLimits, Refused
from .examining import Findings, examine

FORMAT = "closeknit/check"
_DESCRIPTION = """Check an instance, a solution and a proof, in plain Python.

FILE is an instance, and what follows a solution and, if its bound rests on a proof in
a file, that proof; or a formula (.opb) and a proof about it; or a certificate of
counting (.recount.json); or a folder of answers and proofs with its index.json."""
_EPILOG = """Exit status: 0 all holds, 1 something is wrong or nothing derives it, 2 a
file cannot be used or a limit is reached."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check found: its lines, its exit status, and fields of its JSON object."""

    status: int
    lines: list[str]
    fields: dict[str, Any]

    @property
    def document(self) -> dict[str, Any]:
        """The JSON object."""
        return {"format": FORMAT, "version": 1, **self.fields}


def report_solution(
    instance: Instance,
    file: str | Path,
    accept: Collection[str],
    cure: str,
    look: Callable[[Instance, SolutionFile], Findings],
) -> Outcome:
    """Check the solution in a file.

    ``accept`` are the grades whose word is taken, ``cure`` names the options that help,
    ``look`` finds what is true and what can be derived.
    """
    claimed = read_solution(file)
    try:
        found = look(instance, claimed)
    except InputError as error:
        if error.field.startswith("certificate"):  # which stands in the solution
            raise error.of_file(file) from None
        raise
    wrong = found.wrong or found.objection(accept, cure)
    lines = wrong or ([f"{found.open}: accepted"] if found.open else [])
    content = {
        "instance": instance.name,
        "status": claimed.status.value,
        "cost": claimed.objective,
        "bound": claimed.bound,
        "proof": claimed.proof and str(claimed.proof),
        "holds": not wrong,
        "derived": {"cost": found.cost, "bound": found.bound, "status": found.status},
        "accepted": bool(found.open and not wrong),
        "lines": wrong or ([found.open] if found.open else []),
    }
    lines = lines or [_claim(found, problem_of(instance).unsolvable(instance))]
    return Outcome(int(bool(wrong)), [f"{file}: {line}" for line in lines], content)


def _claim(found: Findings, unsolvable: str | None) -> str:
    """Return the line about a solution of which everything was derived."""
    solution = found.claimed
    claim = solution.status.value
    if solution.objective is not None:
        claim += f", cost {cost_text(solution.objective)}"
    if solution.bound is not None:
        claim += f", bound {cost_text(solution.bound)} ({solution.proof})"
    if solution.status is Status.INFEASIBLE:
        claim += f" ({solution.proof})" + (f": {unsolvable}" if unsolvable else "")
    return f"holds: {claim}" + (f"; {found.remark}" if found.remark else "")


def report_formula(
    file: str | Path,
    proof: str | Path,
    limits: CheckLimits,
    propagator: type[Propagator] = Propagator,
) -> Outcome:
    """Check a proof about a formula that stands in a file."""
    proved, why = None, ""
    try:
        check = partial(check_opb_proof, file, proof, limits, propagator)
        proved = end_in_time(limits, check)
    except Refused as refused:
        why = str(refused)
    unsatisfiable = proved is not None and proved.bound is None
    content = {
        "formula": str(file),
        "holds": proved is not None,
        "derived": proved is not None,
        "unsatisfiable": unsatisfiable,
        "bound": proved and proved.bound,
        "steps": proved and proved.steps,
        "lines": [why] if why else [],
    }
    if proved is None:
        return Outcome(1, [why], content)
    concludes = "UNSAT" if unsatisfiable else f"objective at least {proved.bound}"
    steps = with_noun(proved.steps, "step")
    return Outcome(0, [f"{proof}: derived: {concludes} ({steps})"], content)


def report_recount(file: str | Path, limits: CheckLimits) -> Outcome:
    """Check a certificate that a job of parts does not fit."""
    why = ""
    try:
        pods, most = end_in_time(limits, partial(check_recount, file, limits))
        lines = [f"{file}: holds: {pods} pods do not fit: the slices take {most}"]
    except Refused as refused:
        why = str(refused)
        lines = [why]
    content = {"certificate": str(file), "holds": not why, "derived": not why}
    return Outcome(int(bool(why)), lines, content | {"lines": [why] if why else []})


def check_files(
    files: Sequence[str], accept: Collection[str], limits: CheckLimits
) -> Outcome:
    """Check what the words of a command line name, in plain Python.

    Raises InputError if a file cannot be used.
    """
    first, *rest = files
    counted, formula = is_recount(first), is_opb(first)
    most = 0 if counted else 1 if formula else 2
    if not rest and most:
        raise InputError("is missing", field="PROOF" if formula else "SOLUTION")
    if len(rest) > most:
        raise InputError("is one file too many", value=rest[most])
    if accept and (counted or formula):
        what = "certificates of counting" if counted else "formulas (.opb)"
        raise InputError(f"is not for {what}", "--accept")
    if counted:
        return report_recount(first, limits)
    if formula:
        return report_formula(first, rest[0], limits)
    look = partial(examine, proof=rest[1] if rest[1:] else None, limits=limits)
    cure = "PROOF or --accept"
    return report_solution(read_instance(first), rest[0], accept, cure, look)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = _Parser(
        prog="closeknit-check",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="see above")
    parser.add_argument(
        "--accept",
        action="append",
        choices=ACCEPTABLE,
        default=[],
        help="take this grade's word for what is not derived; may be repeated",
    )
    parser.add_argument(
        "--time-limit",
        type=float,
        default=600.0,
        metavar="S",
        help="seconds for following a proof (default: %(default)g)",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        if sys.stdout is None:
            raise InputError("is closed", file="standard output")
        args = parser.parse_args(words)
        if not 0 < args.time_limit < float("inf"):
            raise InputError("must be positive", "--time-limit", args.time_limit)
        limits = CheckLimits(seconds=args.time_limit)
        if len(args.files) == 1 and Path(args.files[0]).is_dir():
            folder = args.files[0]
            for given, name in ((args.json, "--json"), (args.accept, "--accept")):
                if given:
                    raise InputError("is not for folders", name)
            status = print_verdicts(replay(folder, read_index(folder), limits))
        else:
            found = check_files(args.files, args.accept, limits)
            status = found.status
            lines = [json.dumps(found.document)] if args.json else found.lines
            print(
                "\n".join(line if args.json else escape_hidden(line) for line in lines)
            )
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    except InputError as error:
        return _complain(str(error), 2)
    except MemoryError:
        return _complain("out of memory", 2)
    except OSError as error:
        if error.filename is None:  # standard output: full, or nobody reads on
            _silence(1)
        if isinstance(error, BrokenPipeError):
            return 141
        place = error.filename or "standard output: cannot be written"
        return _complain(f"{place}: {error.strerror or error}", 2)


def _complain(text: str, status: int) -> int:
    line = f"closeknit-check: {escape_hidden(' '.join(text.split()))}"
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        _silence(2)
    return status


def _silence(stream: int) -> None:
    """Let what is left in the buffer of a stream go nowhere when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


class _Parser(argparse.ArgumentParser):
    """Complains in one line, and fails where its help cannot be written."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")

    def _print_message(self, message: str, file: Any = None) -> None:
        print(message, end="", file=file or sys.stderr, flush=True)
