"""Count the lines that a command can reach: what a reader of it may have to read.

    python tools/reach.py            # each command of LIMITS, and its limit
    python tools/reach.py check -v   # the modules, and how each is reached

Counted are the modules that a command's module imports, directly or not, also inside
functions, and those that strings name, as tables of extensions do. Left out are the
list of commands, since it names all of them, and what stands under ``WITHOUT``.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import defaultdict, deque
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tests.house import imports, modules  # noqa: E402

COMMANDS = {"check": "cli.check", "ratios": "cli.ratios.command"}
LIMITS = {"check": 12_000, "ratios": 45_000}
"""What is wanted."""
MOST = {"check": 16_520, "ratios": 62_500}
"""What is reached until then; a test fails beyond."""
WITHOUT = {
    "": "the list of names of the package, loaded when asked for",
    "cli.commands": "the list of commands",
    "api.proving": "what check --prove loads",
}


def edges() -> dict[str, set[str]]:
    """Return which modules each module imports, or names in a string."""
    known = modules()
    found: dict[str, set[str]] = defaultdict(set)
    for one in imports(known):
        found[one.importer].add(one.imported)
    for name, module in known.items():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                place = f"closeknit.{node.value.partition(':')[0]}"
                if place.count(".") > 1 and place in known:
                    found[name].add(place)
        while "." in name:  # importing a module imports the packages around it
            inner, name = name, name.rpartition(".")[0]
            found[inner].add(name)
    return found


def reached(start: str, known: dict[str, set[str]]) -> dict[str, str]:
    """Return the modules that one reaches, each with that from which it is reached."""
    left_out = {f"closeknit.{name}".rstrip(".") for name in WITHOUT}
    found, due = {start: ""}, deque([start])
    while due:
        here = due.popleft()
        for name in sorted(known[here]):
            if name not in found and name not in left_out:
                found[name] = here
                due.append(name)
    return found


@cache
def lines() -> dict[str, int]:
    """Return the number of lines of each module."""
    return {
        name: one.path.read_text("utf-8").count("\n") for name, one in modules().items()
    }


def lines_of(names: Iterable[str]) -> int:
    """Count the lines of modules."""
    return sum(lines().get(name, 0) for name in names)


def main() -> None:
    """Print what commands reach."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", default=[*COMMANDS])
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    known = edges()
    for command in args.commands:
        found = reached(f"closeknit.{COMMANDS[command]}", known)
        if args.verbose:
            for name in sorted(found):
                print(f"{lines_of([name]):6} {name}  <- {found[name]}")
        limit = LIMITS[command]
        print(f"{command}: {lines_of([*found])} lines (at most {limit} are wanted)")


if __name__ == "__main__":
    main()
