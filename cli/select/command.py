"""Choose processors for a job: by a scheduler's configuration, or on a topology.

With --config the answer is which processors, at what cost, what the least cost on the
idle machine would be (MINCOST), and whether the constraint for jobs of this size holds.
Exit status 1 when it does not, so that the job should not start; 3 when fewer
processors are free than requested; 4 when nothing was found within the limit.

With --topology the answer is which nodes of a cluster, proved to be the best choice for
the objective. Exit status 3 when no choice is possible.

With --serve, requests are JSON objects on standard input, one per line, such as
{"queue": "cluster", "pes": 48, "free": "n[01-42]"}. Answers are written to standard
output the same way, and the configuration is loaded again when its file changes.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...extensions import hooks
from ...instances import ProcSet
from ...instances.errors import InputError
from ...instances.option_values import renaming
from ...instances.reading import fields
from ...instances.reading.files import read_text
from ...instances.reading.parsing import parse_json
from ...methods.by_name import method_named
from ...methods.interpreted_or_compiled import in_tiers
from ...reports.pages.numbers import price
from ...scheduler.config import Configuration, read_configuration
from ...scheduler.hostlist import fold, names
from ...scheduler.live import PREPARING, LiveSelector
from ...scheduler.selector import Decision, Selector
from ...solvers import Limit, Settings, Status
from ...solvers.running.method import Method
from ..frame import outputs, shared
from ..frame.parser import Parser, flag, once
from .server import FORMAT, Server, complain, memory

_EVERYTHING = "all"
_MOST_PES = 2**31
_NAMES = 4
"""Names that a list of free processors may have, for each processor of the machine."""
_MEMORY_MIB = 2048
"""What requests and reloading may take with --serve, unless --memory sets it."""
_LARGEST_FREE = 2**26
"""Bytes of a file of free processors."""
_MOST_HINTS = 5000
"""Hosts among which a name that is like another is looked for."""


def options(parser: Parser) -> None:
    """Declare the options."""
    once(parser, "--config", "FILE", "configuration, or the name of a bundled one")
    parser.add_argument(
        "--queue", metavar="Q", help="queue of the job (needed without --serve)"
    )
    shared.add_number(parser, "--pes", "processors wanted (needed without --serve)")
    parser.add_argument(
        "--free",
        metavar="HOSTLIST|@FILE",
        action="append",
        help="free hosts or processors, such as n[01-12],n20.[1-2]; or a file of them "
        "(default: all)",
    )
    parser.add_argument(
        "--method",
        metavar="M",
        help="see closeknit methods procset; with --topology a greedy rule, such as "
        "slurm-tree (default: the exact dynamic programme)",
    )
    parser.old_spelling("--allocator", "--method")
    outputs.add_json(parser, "the answer")
    flag(parser, "--serve", "answer the requests on standard input")
    parser.add_argument(
        "--reload-every",
        type=float,
        default=300.0,
        metavar="S",
        help="with --serve: seconds between checks of the configuration file",
    )
    shared.add_settings(parser, time_limit=10.0)
    for part in hooks("select"):
        part.options(parser)
    parser.examples(
        "select --topology topology.conf -k 32 --state squeue.json sinfo.json",
        "select --config cluster.conf --queue cluster --pes 48 --free 'n[01-42]'",
        "select --config drakenberg-figure-6 --serve",
    )


def run(args: argparse.Namespace) -> int:
    """Answer one request, or with --serve all that arrive."""
    for part in hooks("select"):
        if part.is_for(args):
            return int(part.run(args, args.free))
    if args.config is None:
        raise InputError("is needed, or --topology", "--config")
    args.free = [_EVERYTHING] if args.free is None else args.free
    settings = shared.settings_of(args)
    method = method_named(args.method, "procset") if args.method else None
    if not args.reload_every >= 0:
        raise InputError("must be at least 0", "--reload-every", args.reload_every)
    if args.serve:
        return _serve(args, method)
    for option in ("queue", "pes"):
        if getattr(args, option) is None:
            raise InputError("is needed", f"--{option}")
    selector = Selector(read_configuration(args.config), method)
    decision = in_tiers(
        lambda how: _decide(selector, args.queue, args.pes, args.free, how, "--"),
        _limit_of,
        size=len(selector.configuration.processors),
        settings=settings,
    )
    if outputs.write_json(args.json, FORMAT, **_document(decision, args.queue)):
        _show(decision, args.queue, args.config)
    return _status(decision)


def _limit_of(decision: Decision) -> Limit | None:
    """Return what ended the request early; MINCOST without a proof counts, too."""
    undecided = decision.result.chosen is not None and decision.holds is None
    return Limit.TIME if undecided else decision.result.limit


def _decide(
    selector: Selector,
    queue: str,
    pes: int,
    free: Sequence[str],
    settings: Settings,
    prefix: str,
) -> Decision:
    """Answer a request; errors name the option or field, with this prefix."""
    configuration, field = selector.configuration, f"{prefix}free"
    listed = [free_processors(configuration, one, field) for one in free]
    available = listed[0] if len(listed) == 1 else sorted(set().union(*listed))
    with renaming({name: prefix + name for name in ("queue", "pes")}):
        return selector.select(queue, pes, available, settings)


def free_processors(
    configuration: Configuration, free: str, field: str = "--free"
) -> Sequence[int]:
    """Return the indices of the processors that a hostlist states are free.

    It is ``all``, a hostlist of hosts and processors, or ``@`` and a file of such,
    parted by commas or white space, where ``#`` begins a comment. InputError, which
    names the ``field``, for a name that is neither host nor processor, for a processor
    that is listed twice, alone or with its host, and for far more names than
    processors.
    """
    if free == _EVERYTHING:
        return range(len(configuration.processors))
    if free == "@":
        raise InputError("'@' names no file", field)
    if free.startswith("@"):
        free = re.sub(r"#[^\r\n]*", "", read_text(free[1:], most=_LARGEST_FREE))
    hosts = {host: i for i, host in enumerate(configuration.hosts)}
    found: dict[int, str] = {}
    most = _NAMES * len(configuration.processors)
    for name in names(free, field=field, most=most) if free.strip(", \t\n") else ():
        if name in hosts:
            members: Sequence[int] = configuration.processors_of[hosts[name]]
        elif name in configuration.index:
            members = (configuration.index[name],)
        else:
            likely = [*hosts][:_MOST_HINTS]
            close = get_close_matches(name, likely, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise InputError(f"no such host or processor{hint}", field, name)
        for i in members:
            if i in found:
                raise InputError(
                    f"{configuration.processors[i]} is listed twice", field, name
                )
            found[i] = name
    return sorted(found)


def _status(decision: Decision) -> int:
    if decision.result.status is Status.INFEASIBLE:
        return 3
    if decision.result.chosen is None or decision.holds is None:
        return 4
    return 0 if decision.starts else 1


def _show(decision: Decision, queue: str, config: str) -> None:
    instance, result = decision.instance, decision.result
    print(f"{queue}: {instance.request} of {instance.n} free processors")
    if result.chosen is None:
        infeasible = result.status is Status.INFEASIBLE
        why = "infeasible: the job should not start"
        print(f"  {why if infeasible else 'nothing was found within the limit'}")
        return
    print(f"  chosen      {_places(decision)}")
    print(f"  cost        {price(result.objective)}")
    for n, least in decision.mincost.items():
        print(f"  MINCOST     {price(least)} for {n} on the idle machine")
    if result.bound is not None and result.bound != result.objective:
        print(f"  bound       {price(result.bound)}")
    known = f" ({result.proof})" if result.proof else ""
    print(f"  status      {result.status.value}{known}")
    print(f"  time        {result.seconds:.4f} s")
    if (constraint := decision.constraint) is None:
        print("  constraint  none for this size: the job may start")
        return
    where = f"{Path(config).name}:{constraint.line}" if constraint.line else config
    verdict = {
        True: "holds: the job may start",
        False: "does not hold: the job should not start",
        None: "undecided: MINCOST could not be proved within the limit",
    }[decision.holds]
    print(f"  constraint  {where}: {constraint.head}: {constraint.text}")
    print(f"              {verdict}")


def _places(decision: Decision) -> str:
    """Fold the chosen processors: whole hosts by their names, others one by one."""
    processors = decision.instance.processors
    host_of, size = _hosts(processors)
    taken: dict[str, list[int]] = {}
    for i in sorted(decision.result.chosen or ()):
        taken.setdefault(host_of[i], []).append(i)
    names: list[str] = []
    for host, members in taken.items():
        whole = len(members) == size[host]
        names += [host] if whole else [processors[i] for i in members]
    return fold(names)


@lru_cache(maxsize=2)
def _hosts(processors: tuple[str, ...]) -> tuple[list[str], Counter[str]]:
    """Return the host of each processor, and how many each host has."""
    host_of = [name.rpartition(".")[0] or name for name in processors]
    return host_of, Counter(host_of)


def _document(decision: Decision, queue: str) -> dict[str, Any]:
    result, constraint = decision.result, decision.constraint
    text = constraint and f"{constraint.head}: {constraint.text}"
    document: dict[str, Any] = {
        "queue": queue,
        "pes": decision.instance.request,
        "start": decision.starts,
        "status": result.status.value,
        "processors": decision.processors or None,
        "hostlist": _places(decision) if result.chosen is not None else None,
        "cost": result.objective,
        "bound": result.bound,
        "proof": str(result.proof) if result.proof else None,
        "mincost": {str(n): list(least) for n, least in decision.mincost.items()},
        "constraint": constraint
        and {"line": constraint.line, "text": text, "holds": decision.holds},
        "seconds": round(result.seconds, 6),
    }
    return {key: value for key, value in document.items() if value is not None}


def _serve(args: argparse.Namespace, method: Method[ProcSet] | None) -> int:
    """Answer one request per line until input ends; bad ones get an error."""
    for option in ("queue", "pes"):
        if getattr(args, option) is not None:
            raise InputError("comes with each request of --serve", f"--{option}")
    for stream, name in ((sys.stdin, "input"), (sys.stdout, "output")):
        if stream is None:
            raise InputError("is closed", f"standard {name}")
    settings = shared.settings_of(args)
    try:
        live = LiveSelector(
            args.config, every=args.reload_every, method=method, report=complain
        )
        live.current().prepare(PREPARING)  # compiles what answers need
    except MemoryError:
        raise InputError("there is not enough memory", file=args.config) from None
    server = Server(
        live,
        lambda line: _answer(live.current(), line, settings),
        seconds=settings.time_limit + max(0.5, settings.time_limit / 20),
        source=sys.stdin.fileno(),
        sink=sys.stdout.fileno(),
    )
    with memory(settings.memory_mb or _MEMORY_MIB):
        return server.run()


def _answer(selector: Selector, line: bytes, settings: Settings) -> dict[str, Any]:
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", "request") from None
    request = fields.objects(parse_json(text), "request")
    fields.only(request, ("queue", "pes", "free"), ("queue", "pes"), "")
    queue = fields.string(request["queue"], "queue")
    free = fields.string(request.get("free", _EVERYTHING), "free")
    if free.startswith("@"):
        raise InputError("must be a hostlist", "free", free)
    pes = fields.integer(request["pes"], "pes")
    if pes >= _MOST_PES:
        raise InputError("must be below 2^31", "pes", pes)
    return _document(_decide(selector, queue, pes, [free], settings, ""), queue)
