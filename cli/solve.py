"""Choose k processors of every instance, and say how close to optimal they are.

Without --method, the strongest exact route is taken, warm-started by the best
heuristic. Exit status 0 when there is a solution for every file, 4 when one ended
without any, 3 when one is proved to have none.
"""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING

from ..instances.errors import InputError
from ..solvers.result import CERTIFIED
from ..solvers.settings import Settings, Ties
from . import running

if TYPE_CHECKING:
    from ..instances import KSubset
    from ..solvers import Result

HELP = "choose processors and prove how good the choice is"
_MOST_SHOWN = 64


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="instance file")
    parser.add_argument(
        "--method", default="auto", metavar="M", help="see closeknit methods"
    )
    running.add_settings(parser, time_limit=60.0)
    parser.add_argument(
        "--ties",
        choices=[ties.value for ties in Ties],
        default=Ties.LEX.value,
        help="which of equally near processors mm takes (default lex)",
    )
    parser.add_argument(
        "--json", metavar="OUT", help="write the solution there; - for standard output"
    )
    parser.add_argument(
        "--plot", metavar="OUT.svg", help="draw the choice (one FILE only)"
    )
    parser.add_argument(
        "--certificate",
        metavar="OUT.xz",
        help="write the proof down, so that check can follow it (one FILE only)",
    )


def run(args: argparse.Namespace) -> int:
    """Solve every file in turn."""
    from ..heuristics import KSUBSET
    from ..instances import read_ksubset
    from ..solvers import Limit, Status

    settings = running.settings_of(args, Ties(args.ties))
    method = running.method_named(args.method, KSUBSET)
    for option in ("plot", "certificate"):
        if getattr(args, option) and len(args.files) > 1:
            raise InputError(
                "takes one FILE", field=f"--{option}", value=len(args.files)
            )
    instances = [read_ksubset(path) for path in args.files]
    answers: list[tuple[KSubset, Result]] = []
    for instance in instances:
        result = method(instance, settings)
        if args.certificate:
            result = _certified(instance, result, args.certificate, settings)
        answers.append((instance, result))
        if args.json != "-":
            _show(instance, args.method, result)
        if result.limit is Limit.INTERRUPT and len(answers) < len(instances):
            print("closeknit: interrupted", file=sys.stderr)
            break
    if args.json:
        _write(args.json, args.method, answers)
    if args.plot and answers[0][1].chosen is not None:
        from ..instances.files import write_text
        from ..reports.drawing import draw

        instance, result = answers[0]
        write_text(args.plot, draw(instance, {args.method: result.chosen or ()}))
    if len(answers) < len(instances):
        return 130
    ends = {result.status for _, result in answers}
    uncertified = args.certificate and answers[0][1].proof != CERTIFIED
    if Status.UNKNOWN in ends or uncertified:
        return 4
    return 3 if Status.INFEASIBLE in ends else 0


def _certified(
    instance: KSubset, result: Result, path: str, settings: Settings
) -> Result:
    """Write the proof of an optimum down, follow it, and let it vouch."""
    from dataclasses import replace

    from ..heuristics.cuts_bb_record import record
    from ..instances.certificate_file import check_certificate, write_certificate
    from ..solvers import Limit, Status

    why = "it was not proved optimal"
    if result.status is Status.OPTIMAL:
        assert isinstance(result.objective, int)
        deadline = perf_counter() + settings.time_limit
        nodes = record(instance, result.objective, deadline)
        if not isinstance(nodes, Limit):
            write_certificate(instance, result.objective, nodes, path)
            check_certificate(instance, path)
            return replace(result, proof=CERTIFIED)
        why = f"writing the proof down was stopped by {nodes.value}"
    print(f"closeknit: {path}: no certificate: {why}", file=sys.stderr)
    return result


def _write(out: str, method: str, answers: list[tuple[KSubset, Result]]) -> None:
    """Write one object, or one a line if there are several."""
    from ..instances.files import write_text
    from ..instances.ksubset_json import dumps
    from ..solvers import solution_of

    documents = [solution_of(instance, method, result) for instance, result in answers]
    if len(documents) == 1:
        text = dumps(documents[0]) + "\n"
    else:
        text = "".join(dumps(each, indented=False) + "\n" for each in documents)
    if out == "-":
        sys.stdout.write(text)
    else:
        write_text(out, text)


def _show(instance: KSubset, method: str, result: Result) -> None:
    """Print an answer for people."""
    from ..instances.ksubset_json import selection_of

    print(f"{instance.name}: {instance.k} of {instance.n} free processors, {method}")
    pairs = instance.k * (instance.k - 1) // 2
    if result.objective is not None:
        assert isinstance(result.objective, int)
        line = f"  cost    {_length(instance, result.objective)}"
        if pairs:
            mean = Fraction(result.objective, pairs)
            line += f" ({_length(instance, mean)} a pair)"
        print(line)
    if result.bound is not None:
        assert isinstance(result.bound, int)
        print(f"  bound   {_length(instance, result.bound)} ({result.proof})")
    verdict = result.status.value
    if result.ratio is not None and result.ratio > 1:
        verdict += f", at most {float(result.ratio):.4f} times the optimum"
    if result.limit:
        verdict += f", stopped by {result.limit.value}"
    print(f"  status  {verdict}")
    print(f"  time    {result.seconds:.3f} s")
    if result.chosen is not None:
        selection = selection_of(instance, result.chosen)
        shown = " ".join(_site(site) for site in selection[:_MOST_SHOWN])
        more = len(selection) - _MOST_SHOWN
        print(f"  chosen  {shown}" + (f" and {more} more (--json)" if more > 0 else ""))


def _length(instance: KSubset, hops: Fraction | int) -> str:
    """Write a distance in the units of the file."""
    length = Fraction(hops) / instance.topology.scale
    return str(length) if length.denominator == 1 else f"{float(length):.3f}"


def _site(site: object) -> str:
    return ",".join(map(str, site)) if isinstance(site, list) else str(site)
