"""Case after case: a method, an instance, a relation, and whether the optima obey it.

    python -m tests.metamorphic.runner --count 1000000

A case is its number: the same number draws the same again (``--first N --count 1``).
Methods are those of the tables that prove optima: a new one is covered by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from random import Random
from time import perf_counter
from typing import Any

from closeknit.instances.support import support_of
from closeknit.methods import METHODS
from closeknit.solvers import Settings, Status
from closeknit.solvers.running.logs import LOG
from closeknit.solvers.running.method import AnyMethod
from tests.metamorphic.drawing import draw_instance
from tests.metamorphic.relations import RELATIONS, Optimum

Pair = tuple[str, str, str]
"""Problem, method, relation."""
OFTEN = 150
"""Cases of a search for one of a method that starts a process for each instance."""
_SETTINGS = Settings(threads=1, time_limit=60)
_PIECE = 250
_TRIES = 100
"""Draws after which another method is taken."""


@dataclass
class Found:
    """How many cases were tried of each pair, and what is wrong."""

    tried: Counter[Pair] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Found) -> None:
        self.tried += other.tried
        self.wrong += other.wrong


def starts_processes(method: AnyMethod) -> bool:
    """Whether each instance is solved in another process, which takes 0.1 seconds."""
    return method.runs_solver and not method.name.endswith("cpsat")


def exact_methods(
    methods: Mapping[str, Mapping[str, AnyMethod]] = METHODS,
) -> list[AnyMethod]:
    """Return all methods that prove optima."""
    return [one for table in methods.values() for one in table.values() if one.exact]


def pairs_of(methods: Iterable[AnyMethod]) -> list[tuple[AnyMethod, str]]:
    """Return every method with every relation that says something about it."""
    return [
        (method, name)
        for method in methods
        for name in RELATIONS[method.problem]
        if method.takes_required or name != "required or busy"
    ]


@cache
def _schedule() -> tuple[list[tuple[AnyMethod, str]], list[int]]:
    pairs = pairs_of(exact_methods())
    return pairs, [1 if starts_processes(method) else OFTEN for method, _ in pairs]


def try_number(number: int) -> Found:
    """Try the case of a number."""
    rng = Random(f"metamorphic {number}")
    pairs, weights = _schedule()
    while True:  # some relations say nothing about the instances of some methods
        [(method, relation)] = rng.choices(pairs, weights)
        found = try_case(rng, method, relation, f"case {number}")
        if found.tried:
            return found


def try_case(rng: Random, method: AnyMethod, relation: str, name: str) -> Found:
    """Draw instances until the method takes one and its relatives, and compare."""
    found = Found()
    for _ in range(_TRIES):
        one = draw_instance(rng, method.problem, method.takes_required)
        outcome = RELATIONS[method.problem][relation](rng, one)
        if outcome is None or any(map(method.refusal, (one, *outcome.others))):
            continue
        found.tried[method.problem, method.name, relation] += 1
        instances = [one, *outcome.others]
        try:
            optima = [optimum_by(method, each) for each in instances]
            if outcome.holds(*optima):
                return found
            why = f"has optima {optima}"
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        files = [json.dumps(support_of(each).document_of(each)) for each in instances]
        text = f"{name}: {method.problem} {method.name}, {relation}: {why}"
        found.wrong.append("\n  ".join([text, *files]))
        return found
    return found


def optimum_by(method: AnyMethod, instance: Any) -> Optimum:
    """Return the optimum that a method proves, None if there is no solution."""
    result = method(instance, _SETTINGS)
    if result.status is Status.INFEASIBLE:
        return None
    if result.status is not Status.OPTIMAL:
        raise AssertionError(f"{instance.name} is only {result.status.value}")
    return result.objective


def try_numbers(numbers: range) -> Found:
    """Try the cases of several numbers."""
    found = Found()
    for number in numbers:
        found.add(try_number(number))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10**6)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    args = parser.parse_args()
    LOG.setLevel("ERROR")
    end = args.first + args.count
    pieces = [range(a, min(a + _PIECE, end)) for a in range(args.first, end, _PIECE)]
    found, start, shown = Found(), perf_counter(), 0
    with ProcessPoolExecutor(args.processes) as pool:
        for done, one in zip(count(1), pool.map(try_numbers, pieces), strict=False):
            found.add(one)
            print(*one.wrong, sep="\n", end="\n" * bool(one.wrong), flush=True)
            if 20 * done // len(pieces) > shown or done == len(pieces):
                shown = 20 * done // len(pieces)
                spent = perf_counter() - start
                tried = found.tried.total()
                print(
                    f"{tried} cases, {len(found.wrong)} wrong, {spent:.0f} s, "
                    f"{tried / spent:.0f} a second",
                    file=sys.stderr,
                    flush=True,
                )
    for (problem, method, relation), number in sorted(found.tried.items()):
        print(f"{number:8}  {problem} {method}, {relation}")
    print(f"{found.tried.total()} cases, {len(found.wrong)} wrong")
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
