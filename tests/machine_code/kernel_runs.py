"""Run kernels in forked processes, on the calls that `kernel_calls` kept.

    python -m tests.machine_code.kernel_runs CALLS < GROUPS

GROUPS is JSON: [[FOLDER, [KERNEL, ...], EARLIER], ...].
Each process begins where this one is: numba is imported and has listed what it can
compile, which takes half a second, and nothing is compiled. It
keeps machine code in its FOLDER, numbers EARLIER functions, as if it had compiled them,
and runs its kernels in turn. A line of JSON for each
of them tells what came of it: `Ran`.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .kernel_calls import Calls, equal


@dataclass(frozen=True)
class Ran:
    """What came of a kernel in a process.

    ``closures`` are numba's own functions in functions that were compiled for it,
    ``drawn`` the numbers of all functions that were, with their files and lines.
    """

    group: int
    kernel: str
    loaded: bool
    right: bool
    closures: list[str]
    drawn: list[tuple[int, str]]


def kernel_named(name: str) -> Any:
    """Return a kernel."""
    module, _, function = name.rpartition(".")
    return getattr(import_module(module), function)


def linked(library: Any) -> Iterator[str]:
    """Yield the names of functions that a piece of machine code was linked with."""
    for each in library._linking_libraries:
        yield from (function.name for function in each.get_defined_functions())
        yield from linked(each)


def settled(name: str, outcome: Any) -> Any:
    """Leave out what a kernel returns without having set it."""
    if name != "closeknit.exact.procset.frontier_dp.kernels_layers.grow":
        return outcome
    (done, layers), given = outcome
    first, mask, skip, take, cost = layers
    last = first[max(0, int(np.argmax(first)) - 1)]
    return (done, first, mask, skip[:last], take[:last], cost[0, :last]), given


def run(group: int, kernels: list[str], earlier: int, calls: Calls) -> Iterator[Ran]:
    """Run kernels in turn in this process."""
    from numba.core.bytecode import FunctionIdentity

    for _ in range(earlier):
        FunctionIdentity.from_function(run)
    drawn: list[tuple[int, str]] = []
    real = FunctionIdentity.from_function.__func__

    def noting(kind: Any, function: Any) -> Any:
        made = real(kind, function)
        place = f"{made.filename}:{made.firstlineno} {made.func_qualname}"
        drawn.append((made.unique_id, place))
        return made

    FunctionIdentity.from_function = classmethod(noting)
    for name in kernels:
        kernel = kernel_named(name)
        right = True
        for before, after in calls[name]:
            given = pickle.loads(before)
            found, kept = (kernel(*given), given), pickle.loads(after)
            right &= equal(settled(name, found), settled(name, kept))
        made = [one.library for one in kernel.dispatcher.overloads.values()]
        names = {each for library in made for each in linked(library)}
        closures = [n for n in names if n.startswith("_ZN5numba") and "_3clocals" in n]
        loaded = bool(kernel.dispatcher.stats.cache_hits)
        yield Ran(group, name, loaded, right, sorted(closures), drawn)
        drawn = []


def main() -> None:
    """Fork a process for each group of kernels, one after the other."""
    from numba import config
    from numba.core.registry import cpu_target

    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    calls: Calls = pickle.loads(Path(sys.argv[1]).read_bytes())
    groups = json.load(sys.stdin)
    for name in {name for _, kernels, _ in groups for name in kernels}:
        kernel_named(name)
    for i, (folder, kernels, earlier) in enumerate(groups):
        child = os.fork()
        if not child:
            config.CACHE_DIR = folder
            for ran in run(i, kernels, earlier, calls):
                print(json.dumps(asdict(ran)), flush=True)
            os._exit(0)
        if status := os.waitpid(child, 0)[1]:
            print(f"{kernels} ended with {status}", file=sys.stderr)


if __name__ == "__main__":
    main()
