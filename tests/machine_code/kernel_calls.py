"""What Python calls kernels with, and what their source then answers.

Run as a program it works through tiny instances of everything that has kernels, from
source, and keeps the calls in the file that it is told: `Calls`, pickled.
"""

from __future__ import annotations

import pickle
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

import closeknit as ck
from closeknit.clusters.placement.warming import CLUSTER_KERNELS
from closeknit.exact.submesh.beam.search import pack_by_beam
from closeknit.exact.submesh.constructive import construct
from closeknit.instances import Mesh
from closeknit.instances.submesh.packing import Item, Packing
from closeknit.methods import METHODS
from closeknit.methods.proofs import PROVERS, prove_and_cite, proved_by
from closeknit.methods.warming import KINDS, tiny_instances, warm
from closeknit.network.warming import NETWORK_KERNELS
from closeknit.proofs.checking.kinds import CERTIFICATE
from closeknit.reports.claims.ksubset import exhaustive, exhaustive_kernels
from closeknit.solvers import Settings, Ties
from closeknit.solvers.running.kernels import Kernel

Calls = dict[str, list[tuple[bytes, bytes]]]
"""By the name of a kernel: what it was given, and what was there afterwards, its answer
and its arguments, both pickled."""

_MOST_CALLS = 3
_MOST_BYTES = 1 << 21


class Recorder:
    """Takes the calls of kernels down while they run from source."""

    def __init__(self) -> None:
        self.calls: Calls = {}
        self._nested = False

    def call(self, kernel: Kernel, *args: Any) -> Any:
        """Stand in for `Kernel.__call__`."""
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
        known = self.calls.setdefault(name, []) if not self._nested else None
        before = b""
        if known is not None and len(known) < _MOST_CALLS:
            before = pickle.dumps(args)
        nested, self._nested = self._nested, True
        try:
            answer = plain(kernel.py_func(*args))
        finally:
            self._nested = nested
        if known is not None and 0 < len(before) < _MOST_BYTES:
            known.append((before, pickle.dumps((answer, args))))
        return answer


def plain(value: Any) -> Any:
    """Return Python's numbers for those of NumPy."""
    if isinstance(value, np.generic):
        return value.item()
    return tuple(map(plain, value)) if type(value) is tuple else value


def equal(one: Any, other: Any) -> bool:
    """Whether two answers are the same, arrays in them entry by entry."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(
            one, other, equal_nan=one.dtype.kind == "f"
        )
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return one is other is None or bool(one == other) or one != one


def methods() -> None:
    """Run all methods on tiny instances, and prove the answers."""
    for kind in KINDS:
        for method in METHODS[kind[0]].values():
            warm(method, kind)
        for instance in tiny_instances(kind):
            answer = METHODS[kind[0]]["auto"](instance, Settings(time_limit=2.0))
            with tempfile.TemporaryDirectory() as folder:
                kinds = (CERTIFICATE,)
                prove_and_cite(
                    instance, answer, f"{folder}/a", seconds=2.0, kinds=kinds
                )
                for prover in PROVERS[kind[0]]:
                    proved_by(
                        *(prover, instance, answer.chosen, f"{folder}/b"), seconds=2.0
                    )


def packings() -> None:
    """Pack boxes in every way."""
    sizes = [(4, 3), (3, 4), (3, 3), (5, 2), (2, 5), (2, 2)]
    for side in (8, 9):
        packing = Packing("tiny", (side, side), tuple(map(Item, sizes)))
        for seed in range(2):
            construct(packing, seed, Stop(200), plain=False)
        pack_by_beam(packing, stop=Stop(200), runs=4)
    fixed = Packing(
        "fixed", (8, 8), (Item((4, 4), at=(1, 1, 4, 4)), Item((3, 3))), torus=True
    )
    construct(fixed, 0, Stop(200), plain=False)


class Stop:
    """Stops a search when it has asked so often."""

    def __init__(self, most: int) -> None:
        self._asked = count()
        self._most = most

    def __call__(self) -> bool:
        """Whether to stop."""
        return next(self._asked) >= self._most


def others() -> None:
    """Run what is no method: networks, clusters, claims, bad instances."""
    for run in (*NETWORK_KERNELS.values(), *CLUSTER_KERNELS.values()):
        run()
    for ties in Ties:
        ck.solve(ck.ksubset(Mesh(4, 4), 5), "mm", ties=ties)
    net = exhaustive.network(Mesh((3, 2)))
    for table in (exhaustive.medians, exhaustive.free_centres, exhaustive.shells):
        table(net)
    exhaustive_kernels.windows(net.hops, True, net.cells)
    ck.worst("mm", Mesh((3, 3)), k=3, exhaustive=True, time_limit=5.0)
    ck.worst("mm", Mesh((5, 5)), k=4, evaluations=30)


def main() -> None:
    """Keep the calls in the file that is named."""
    recorder = Recorder()

    def call(kernel: Kernel, *args: Any) -> Any:
        return recorder.call(kernel, *args)

    Kernel.__call__ = call  # type: ignore[method-assign, assignment]
    np.seterr(over="ignore")
    for work in (methods, packings, others):
        work()
    Path(sys.argv[1]).write_bytes(pickle.dumps(recorder.calls))


if __name__ == "__main__":
    main()
