"""Solve instances, and report how close to optimal each solution is.

Instances of any problem: processors close together (ksubset), processors that touch
the cheapest sets (procset), items of most profit (sukp; also benchmark text), room for
a box of processors, if need be by moving residents (submesh).

Without --method, the strongest exact route is taken, warm-started by the best
heuristic. While it works, incumbent, bound and gap are shown on standard error. Exit
status 0 when there is a solution for every file, 4 when one ended without any, 3 when
one is proved to have none, 1 when two answers contradict each other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..instances import Instance, Value, problem_of, read_instance
from ..instances.errors import InputError
from ..instances.reading.json_text import dumps
from ..methods import AnyMethod, interpreted_or_compiled
from ..methods.by_name import methods_named, problems_of
from ..methods.confirming import run_and_confirm
from ..methods.proofs import kinds_to_write, prove_and_cite
from ..proofs.writing.kinds import AUTO, WRITTEN
from ..solvers import Limit, Result, Status
from ..solvers.running import clock
from ..solvers.running.method import stopped_result
from ..solvers.running.progress import observed
from ..solvers.running.settings import Settings, Ties
from .frame import outputs, shared
from .frame.parser import Once, Parser
from .frame.progress import status_line

if TYPE_CHECKING:
    from ..api.solution import Solution

_WORTH_COMPILING = 1.0
"""Seconds without machine code from which `closeknit warm` is recommended."""


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="instance file")
    parser.add_argument(
        "--method",
        default="auto",
        metavar="M",
        help="name of a method, see closeknit methods",
    )
    parser.old_spelling("--allocator", "--method")
    shared.add_settings(parser, time_limit=60.0)
    parser.add_argument(
        "--ties",
        choices=[ties.value for ties in Ties],
        default=Ties.LEX.value,
        help="which of equally near processors mm takes",
    )
    outputs.add_json(parser, "the solution")
    parser.add_argument(
        "--plot",
        type=outputs.picture,
        metavar="PICTURE",
        help="draw the solution (one FILE only); ends in "
        f"{', '.join(outputs.PICTURES)}",
    )
    parser.add_argument(
        "--proof",
        type=outputs.file,
        action=Once,
        metavar="OUT.xz",
        help="write a proof that check --proof can follow (one FILE only)",
    )
    parser.add_argument(
        "--proof-kind",
        choices=(AUTO, *(row.option for row in WRITTEN.values())),
        default=AUTO,
        action=Once,
        help="kind of the proof (default: the first that there is for the instance)",
    )
    parser.old_spelling("--certificate", "--proof", "--proof-kind=certificate")
    parser.examples(
        "solve instance.json --time-limit 10 --json solution.json",
        "solve instance.json --proof proof.xz --json solution.json",
        "solve a.json b.json --method mm --json",
    )


def run(args: argparse.Namespace) -> int:
    """Solve every file in turn."""
    from ..api.solution import Solution

    settings = shared.settings_of(args, Ties(args.ties))
    for option in ("plot", "proof"):
        if getattr(args, option) and len(args.files) > 1:
            raise InputError("takes one FILE", f"--{option}", len(args.files))
    instances = [read_instance(path) for path in args.files]
    methods: dict[str, AnyMethod] = {}
    for problem in problems_of(instances):
        methods |= methods_named(args.method, [problem])
    if len(names := {method.name for method in methods.values()}) == 1:
        args.method = names.pop()  # where it was given by an old name
    method = methods[problem_of(instances[0]).name]
    kinds = kinds_to_write(instances[0], method, args.proof, args.proof_kind)
    solutions: list[Solution] = []
    unproved = False
    for path, instance in zip(args.files, instances, strict=True):
        try:
            result = _solve(methods[problem_of(instance).name], instance, settings)
        except InputError as error:
            if error.field in (args.method, *vars(args)):  # not of what the file has
                raise
            raise error.of_file(path) from None
        if args.proof:
            result, unproved = _prove(instance, result, args.proof, kinds, settings)
        solutions.append(Solution(instance, args.method, result))
        if args.json != "-":
            print(solutions[-1])
        if result.limit is Limit.INTERRUPT and len(solutions) < len(instances):
            print("closeknit: interrupted", file=sys.stderr)
            break
    if args.json:
        _write(args.json, solutions)
    if args.plot and solutions[0].chosen is not None:
        solutions[0].draw().write(args.plot)
    if interpreted_or_compiled.without_machine_code >= _WORTH_COMPILING:
        advice = f"closeknit warm {' '.join(problems_of(instances))}"
        print(
            f"closeknit: no machine code yet; `{advice}`, once, makes the next run "
            "quicker",
            file=sys.stderr,
        )
    if len(solutions) < len(instances):
        return 130
    ends = {solution.status for solution in solutions}
    if Status.UNKNOWN in ends or unproved:
        return 4
    return 3 if Status.INFEASIBLE in ends else 0


def _solve(method: AnyMethod, instance: Instance, settings: Settings) -> Result:
    """Run the method; return any choice if interrupted before it has found one."""
    from ..api.answers import format_standing

    start = clock.now()

    def standing() -> str:
        seconds = f"{clock.now() - start:.0f} of {settings.time_limit:g} s"
        return ", ".join([f"{instance.name}: {method.name}", seconds, *known])

    known: list[str] = []

    def observe(incumbent: Value, bound: Value | None) -> None:
        known[:] = format_standing(instance, incumbent, bound)

    try:
        with status_line(standing), observed(observe):
            return run_and_confirm(method, instance, settings)
    except KeyboardInterrupt:
        return stopped_result(instance, Limit.INTERRUPT, start=start)


def _prove(
    instance: Instance,
    result: Result,
    path: str,
    kinds: Collection[str],
    settings: Settings,
) -> tuple[Result, bool]:
    """Write a proof to a file, check it, and cite it; say whether there is none."""
    found = prove_and_cite(
        instance, result, path, seconds=settings.time_limit, kinds=kinds
    )
    said = found.why
    if kept := found.kept:
        said = (
            f"{kept.kind} by {kept.by}, {kept.size} bytes, written in "
            f"{kept.writing:.1f} s, checked in {kept.checking:.1f} s"
        )
    print(f"closeknit: {path}: {said}", file=sys.stderr)
    return found.result, kept is None


def _write(out: str, solutions: list[Solution]) -> None:
    """Write one object, or one per line if there are several."""
    single = len(solutions) == 1
    texts = (dumps(one.document(), indented=single) + "\n" for one in solutions)
    outputs.write_out(out, "".join(texts))
