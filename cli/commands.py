"""The commands: one module per command, imported when the command is used.

A command is a module with ``options(parser)`` and ``run(args) -> int``; its docstring
is the text of its help. What takes time to import is imported in ``run``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from .parser import Parser


class Module(Protocol):
    """What a command's module offers."""

    __doc__: str | None

    def options(self, parser: Parser) -> None:
        """Declare the options."""

    def run(self, args: argparse.Namespace) -> int:
        """Run the command; return the exit status."""


class Command(NamedTuple):
    """A command as the help lists it, and what imports its module."""

    help: str
    module: Callable[[], Module]


def _solve() -> Module:
    from . import solve

    return solve


def _compare() -> Module:
    from . import compare

    return compare


def _ratios() -> Module:
    from . import ratios

    return ratios


def _ratios_compare() -> Module:
    from . import ratios_compare

    return ratios_compare


def _verify() -> Module:
    from . import verify

    return verify


def _worst() -> Module:
    from . import worst

    return worst


def _reproduce() -> Module:
    from . import reproduce

    return reproduce


def _check() -> Module:
    from . import check

    return check


def _plot() -> Module:
    from . import plot

    return plot


def _methods() -> Module:
    from . import methods

    return methods


def _generate() -> Module:
    from . import generate

    return generate


def _export() -> Module:
    from . import export

    return export


def _simulate() -> Module:
    from . import simulate

    return simulate


def _select() -> Module:
    from . import select

    return select


def _config() -> Module:
    from . import config

    return config


def _warm() -> Module:
    from . import warm

    return warm


def _completion() -> Module:
    from . import completion

    return completion


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "solve": Command("choose processors and prove how good the choice is", _solve),
        "compare": Command("print a table of ratios to the optimum", _compare),
        "ratios": Command("run methods on instances; report the ratios", _ratios),
        "ratios compare": Command(
            "show what changed between two result folders", _ratios_compare
        ),
        "verify": Command(
            "test every bound and formula exactly; for continuous integration", _verify
        ),
        "worst": Command("find instances on which a method does badly", _worst),
        "reproduce": Command("reproduce a paper's table or figure", _reproduce),
        "check": Command("check a solution file independently", _check),
        "plot": Command("draw an instance or a solution as SVG, PNG or PDF", _plot),
        "methods": Command("list the methods, or explain one", _methods),
        "generate": Command(
            "make instance files, from generators or a job trace", _generate
        ),
        "export": Command("write the model itself: LP, MPS or CP-SAT text", _export),
        "simulate": Command("simulate job streams on a mesh, torus or tree", _simulate),
        "select": Command("choose processors for a job, by a configuration", _select),
        "config": Command("check or compile the configuration of a selector", _config),
        "warm": Command("compile all kernels beforehand", _warm),
        "completion": Command(
            "print a completion script for bash, zsh or fish", _completion
        ),
    }
)
"""Commands in the order in which the help lists them; two words are one command."""


def parser_of(name: str) -> tuple[Parser, Module]:
    """Return the parser of a command, and its module."""
    module = COMMANDS[name].module()
    parser = Parser(prog=f"closeknit {name}", description=module.__doc__)
    module.options(parser)
    return parser, module
