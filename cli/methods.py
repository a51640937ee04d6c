"""List the methods, or explain one: what it does, guarantees and takes.

NAME is a problem (ksubset, procset, sukp, submesh) or a method. Those called quick are
run by `closeknit compare` if no methods are named. Of a method, everything
known about it is printed; of a problem, or of all without NAME, each method with its
guarantee, its time and its source.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from textwrap import fill, shorten
from typing import Any

from ..instances import InputError
from ..instances.ksubset.generators import mesh, torus, tree
from ..methods import METHODS, AnyMethod
from ..methods.by_name import methods_named
from ..methods.old_names import require_known
from ..reports.pages.numbers import decimal, fraction
from ..sources import doc_of
from .frame import outputs, shared
from .frame.parser import Parser, flag, plain
from .frame.screen import wrap_text

_WIDTH = 79
_MOST_K = 1024
"""Processors of the networks for which guarantees are shown, at most."""
_LINES = ("Guarantee", "Time", "Ties", "Source")
"""Lines of a docstring that are shown as fields."""


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="a problem or a method (default: all)"
    )
    parser.add_argument(
        "--k",
        type=shared.number,
        metavar="K",
        help="show the factors that are proven for K processors, and why",
    )
    flag(parser, "--short", "print one line per method")
    outputs.add_json(parser, "the methods")
    parser.examples("methods submesh --short", "methods mm", "methods mm --k 12")


def run(args: argparse.Namespace) -> int:
    """Print a description of the methods asked for."""
    named = args.name not in (None, *METHODS)
    if args.k is not None and not 1 <= args.k <= _MOST_K:
        raise InputError(f"must be from 1 to {_MOST_K}", "--k", args.k)
    if args.k is not None and (args.short or args.json):
        raise InputError("goes with neither --short nor --json", "--k")
    found = _found(args.name)
    if args.json:
        listed = [_document(problem, method) for problem, method in found]
        outputs.write_json(args.json, "closeknit/methods", methods=listed)
    if args.json != "-":
        write: Callable[[str, AnyMethod], str]
        write = _short if args.short else _format_docstring if named else _entry
        if args.k is not None:
            found = [one for one in found if one[1].guarantee]
            write = _proven(args.k)
            if not found:
                print("no factor is proven")
        between = "\n" if args.short else "\n\n"
        if found:
            print(between.join(write(problem, method) for problem, method in found))
    return 0


def _found(name: str | None) -> list[tuple[str, AnyMethod]]:
    """Return the methods asked for, each with the name of its problem."""
    if name is None or name in METHODS:
        return [
            (problem, method)
            for problem, table in METHODS.items()
            if name in (None, problem)
            for method in table.values()
        ]
    known = (*METHODS, *(one for table in METHODS.values() for one in table))
    require_known(name, known, "NAME", "problem or method")
    return [*methods_named(name, [*METHODS], "NAME").items()]


def _kind(method: AnyMethod) -> str:
    words = ["exact" if method.exact else "heuristic"]
    words += ["quick"] * method.quick + ["seeded"] * method.seeded
    return ", ".join(words)


def _short(problem: str, method: AnyMethod) -> str:
    line = f"{problem:8}{method.name:21}{'exact' if method.exact else '':6}"
    summary = plain(method.summary).replace("\n", " ")
    return line + shorten(summary, _WIDTH - len(line), placeholder=" ...")


def _entry(problem: str, method: AnyMethod) -> str:
    lines = [f"{method.name} ({problem}, {_kind(method)})"]
    lines.append(wrap_text(method.summary.replace("``", ""), "    "))
    lines += _fields(method, ("guarantee", "time", "source"), "    ", "      ")
    return "\n".join(lines)


def _fields(
    method: AnyMethod, names: Iterable[str], first: str, then: str
) -> Iterator[str]:
    """Wrap the fields of a docstring, each behind its name."""
    for name in names:
        if text := method.doc_entry(name.title()):
            yield wrap_text(f"{name}: {text}".replace("``", ""), first, then)


def _format_docstring(problem: str, method: AnyMethod) -> str:
    """Return the whole docstring, with its fields wrapped at the end."""
    doc = doc_of(method.function)
    body = [part for part in doc.split("\n\n") if not part.startswith(tuple(_LINES))]
    parts = [f"{method.name} ({problem}, {_kind(method)})"]
    parts += [fill(plain(part).replace("\n", " "), _WIDTH) for part in body]
    return "\n\n".join([*parts, "\n".join(_fields(method, _LINES, "", "    "))])


def _proven(k: int) -> Callable[[str, AnyMethod], str]:
    """Return the function that writes the factors of a method for k processors."""
    networks = {
        "mesh or points, 1 dimension": mesh(k, k=k),
        "mesh or points, 2 dimensions": mesh(k, 1, k=k),
        "mesh or points, 3 dimensions": mesh(k, 1, 1, k=k),
        "ring": torus(k, k=k),
        "tree": tree(k, k=k),
    }

    def write(_: str, method: AnyMethod) -> str:
        lines = [f"{method.name}, k = {k}: proven to cost at most"]
        for network, instance in networks.items():
            bounds = method.bounds(instance)
            for i, (factor, why) in enumerate(bounds):
                head = f"  {network}:" if not i else "    beside"
                equal = f"{fraction(factor)} = {decimal(factor)}"
                lines.append(wrap_text(f"{equal}  {why}", f"{head} ", "      "))
        return "\n".join(lines if lines[1:] else [f"{lines[0]}: nothing is proven"])

    return write


def _document(problem: str, method: AnyMethod) -> dict[str, Any]:
    return {
        "problem": problem,
        "name": method.name,
        "exact": method.exact,
        "quick": method.quick,
        "seeded": method.seeded,
        "needs_metric": method.needs_metric,
        "takes_required": method.takes_required,
        "summary": method.summary,
        **{what.lower(): method.doc_entry(what) or None for what in _LINES},
    }
