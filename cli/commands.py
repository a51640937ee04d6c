"""The commands: one module per command, imported when the command is used.

A command is a module with ``options(parser)`` and ``run(args) -> int``; its docstring
is the text of its help. What takes time to import is imported in ``run``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from ..extensions import INSTALLED, load
from ..sources import doc_of
from .frame.parser import Parser


class Module(Protocol):
    """The protocol of a command's module."""

    __doc__: str | None

    def options(self, parser: Parser) -> None:
        """Declare the options."""

    def run(self, args: argparse.Namespace) -> int:
        """Run the command; return the exit status."""


_CORE = {
    "solve": ("cli.solve", "choose processors and prove how good the choice is"),
    "compare": ("cli.compare", "print a table of ratios to the optimum"),
    "ratios": ("cli.ratios.command", "run methods on instances; report the ratios"),
    "ratios compare": (
        "cli.ratios.compare",
        "show what changed between two result folders",
    ),
    "verify": (
        "cli.verify",
        "test every bound and formula exactly; for continuous integration",
    ),
    "worst": ("cli.worst", "find instances on which a method does badly"),
    "frontier": (
        "cli.frontier",
        "best values and bounds known, with proofs: add, check, show",
    ),
    "check": ("cli.check", "check a solution file independently"),
    "plot": ("cli.plot", "draw an instance or a solution as SVG, PNG or PDF"),
    "methods": ("cli.methods", "list the methods, or explain one"),
    "generate": ("cli.generate", "make instance files, from generators or a job trace"),
    "export": ("cli.export", "write the model itself: LP, MPS or CP-SAT text"),
    "simulate": (
        "cli.simulate.command",
        "simulate job streams on a mesh, torus or tree",
    ),
    "select": ("cli.select.command", "choose processors for a job, by a configuration"),
    "explore": (
        "cli.explore",
        "look at choices and proofs on a local page in the browser",
    ),
    "config": ("cli.select.config", "check the configuration of a selector"),
    "warm": ("cli.warm", "compile the kernels of the methods beforehand"),
    "completion": (
        "cli.frame.completion",
        "print a completion script for bash, zsh or fish",
    ),
}
GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "": _CORE,
        **{each.title: each.commands for each in INSTALLED.values() if each.commands},
    }
)
"""The commands of the core, and those of each part, under its title: the module of
each, and what it does."""
COMMANDS: Mapping[str, str] = MappingProxyType(
    {name: says for group in GROUPS.values() for name, (_, says) in group.items()}
)
"""What each command does, in the order in which the help lists them."""


def module_of(name: str) -> Module:
    """Import the module of a command."""
    (module,) = {group[name][0] for group in GROUPS.values() if name in group}
    found: Module = load(module)
    return found


def parser_of(name: str) -> tuple[Parser, Module]:
    """Return the parser of a command, and its module."""
    module = module_of(name)
    said = module.__doc__ or doc_of(module)
    parser = Parser(prog=f"closeknit {name}", description=said)
    module.options(parser)
    return parser, module
