"""The commands: one module per command, imported when the command is used.

A command is a module with ``options(parser)`` and ``run(args) -> int``; its docstring
is the text of its help. What takes time to import is imported in ``run``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Protocol, cast

from ..sources import doc_of
from .frame.parser import Parser


class Module(Protocol):
    """What a command's module offers."""

    __doc__: str | None

    def options(self, parser: Parser) -> None:
        """Declare the options."""

    def run(self, args: argparse.Namespace) -> int:
        """Run the command; return the exit status."""


COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "solve": "choose processors and prove how good the choice is",
        "compare": "print a table of ratios to the optimum",
        "ratios": "run methods on instances; report the ratios",
        "ratios compare": "show what changed between two result folders",
        "verify": "test every bound and formula exactly; for continuous integration",
        "worst": "find instances on which a method does badly",
        "reproduce": "reproduce a paper's table or figure",
        "check": "check a solution file independently",
        "plot": "draw an instance or a solution as SVG, PNG or PDF",
        "methods": "list the methods, or explain one",
        "generate": "make instance files, from generators or a job trace",
        "export": "write the model itself: LP, MPS or CP-SAT text",
        "simulate": "simulate job streams on a mesh, torus or tree",
        "select": "choose processors for a job, by a configuration",
        "serve": "choose nodes of a cluster over HTTP",
        "explore": "look at choices and proofs on a local page in the browser",
        "batsim": "schedule the jobs of a simulation by Batsim",
        "slurm": "let closeknit choose the nodes of jobs of a running Slurm",
        "why": "say why a job does not fit on a cluster, and what would help",
        "fragmentation": "say how large a job still fits on a cluster",
        "defrag": "plan the fewest moves of jobs that free racks or switches",
        "grade": "grade a scheduler's decisions against the optimum",
        "whatif": "replay a trace on a cluster under other schedulers' rules",
        "config": "check the configuration of a selector",
        "warm": "compile the kernels of the methods beforehand",
        "completion": "print a completion script for bash, zsh or fish",
    }
)
"""What each command does, in the order in which the help lists them."""


_ELSEWHERE = {
    "ratios": "ratios.command",
    "ratios compare": "ratios.compare",
    "simulate": "simulate.command",
    "select": "select.command",
    **{name: f"select.{name}" for name in ("serve", "config")},
    **{
        name: f"clusters.{name}"
        for name in (
            "batsim",
            "slurm",
            "why",
            "fragmentation",
            "defrag",
            "grade",
            "whatif",
        )
    },
    "completion": "frame.completion",
}
"""Modules of commands that have not the name of the command."""


def module_of(name: str) -> Module:
    """Import the module of a command."""
    module = import_module(f".{_ELSEWHERE.get(name, name)}", __package__)
    return cast("Module", module)


def parser_of(name: str) -> tuple[Parser, Module]:
    """Return the parser of a command, and its module."""
    module = module_of(name)
    said = module.__doc__ or doc_of(module)
    parser = Parser(prog=f"closeknit {name}", description=said)
    module.options(parser)
    return parser, module
