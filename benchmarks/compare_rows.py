"""The rows of ``compare.py``, and the process that runs them for one commit.

The tree of the commit is the first folder of PYTHONPATH; its name is the argument, so
that no other copy of closeknit can answer. Standard input has names of rows, one a
line; standard output one object for each: seconds by both clocks and the answers,
or what the commit does not know (``unknown``), or what went wrong (``failed``).

A row makes its instances from seeds. The instance of another seed is solved first: it
loads machine code, which an earlier process has compiled.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter, process_time
from typing import Any, NamedTuple

HALF = Fraction(1, 2)
LIMIT = 60.0
OTHER_SEED = 101
SMALL = "closeknit/instances/data/6x6-full-k9.json"
"""In the tree, which is the folder that commands run in."""

Case = Callable[[], str]
"""Solves one instance, and returns cost, bound and status in one text."""


class Row(NamedTuple):
    """Instances of one kind, each solved once a run."""

    make: Callable[[int], Case]
    seeds: int
    clock: str = "cpu"


def answer_of(result: Any) -> str:
    """Return what two commits have to agree on."""
    status = getattr(result.status, "value", result.status)
    return f"cost {result.objective}, bound {result.bound}, {status}"


def _solve(problem: str, instance: Any, method: str = "auto") -> Case:
    from closeknit.methods import METHODS
    from closeknit.solvers import Settings

    found, settings = METHODS[problem][method], Settings(time_limit=LIMIT, threads=1)
    return lambda: answer_of(found(instance, settings))


def _mesh(*shape: int, k: int, kind: str = "mesh") -> Callable[[int], Case]:
    def make(seed: int) -> Case:
        from closeknit.instances.ksubset.generators import random_occupancy

        return _solve("ksubset", random_occupancy(shape, k, HALF, seed, kind=kind))

    return make


def _points(seed: int) -> Case:
    from closeknit.instances.ksubset.generators import uniform_points

    return _solve("ksubset", uniform_points(500, 2, 25, seed))


def _tree(seed: int) -> Case:
    from closeknit.instances.ksubset.generators import random_occupancy

    drawn = random_occupancy((16, 16, 16), 512, HALF, seed, kind="tree")
    return _solve("ksubset", drawn)


def _dragonfly(seed: int) -> Case:
    from closeknit.instances.ksubset.graph_generators import dragonfly

    return _solve("ksubset", dragonfly(4, 2, 2, 16, HALF, seed))


def _hypercube(seed: int) -> Case:
    from closeknit.instances.ksubset.graph_generators import hypercube

    return _solve("ksubset", hypercube(6, 12, HALF, seed))


def _dense_sets(seed: int) -> Case:
    from closeknit.instances.procset.generators import random_sets

    return _solve("procset", random_sets(96, 30, Fraction(1, 5), 24, seed=seed))


def _requests(seed: int) -> Case:
    """Answer 600 requests of the machine of 256 nodes, one after the other."""
    import random

    import numpy as np

    from closeknit.exact.procset.incremental_selector import RequestSolver
    from closeknit.instances.procset.generators import system

    made = system("node", "realistic")
    machine = RequestSolver(len(made.processors), made.sets)
    draw = random.Random(seed)
    asked = []
    for _ in range(600):
        free = np.zeros(len(made.processors), dtype=np.bool_)
        free[draw.sample(range(len(free)), draw.randint(64, len(free)))] = True
        asked.append((free, draw.randint(1, int(free.sum()))))

    def case() -> str:
        answers = [machine.select(free, request) for free, request in asked]
        total = np.sum([one.cost for one in answers], axis=0)
        exact = all(one.exact for one in answers)
        return f"cost {list(map(int, total))}, {'optimal' if exact else 'feasible'}"

    return case


def _sukp(seed: int) -> Case:
    from closeknit.instances.sukp.generators import random_sukp

    return _solve("sukp", random_sukp(60, 60, Fraction(1, 10), Fraction(1, 4), seed))


def _waiting(most: int, seed: int) -> Any:
    from closeknit.instances.submesh.generators import waiting_state

    return waiting_state((256, 256), 1, most, seed)


def _packing(seed: int) -> Case:
    from closeknit.exact.submesh.feasibility import feasibility
    from closeknit.solvers import Settings

    instance, settings = _waiting(42, seed), Settings(time_limit=LIMIT)

    def case() -> str:
        verdict = feasibility(instance, settings)
        return f"fits {verdict.fits}, by {verdict.by}"

    return case


def _migration(seed: int) -> Case:
    return _solve("submesh", _waiting(90, seed))


def _heuristics(seed: int) -> Case:
    """Run the heuristics of the systems on a mesh of 32 x 32."""
    from closeknit.instances.ksubset.generators import random_occupancy

    drawn = random_occupancy((32, 32), 64, HALF, seed)
    names = ("mm", "mm-inc", "mm-free", "mc1x1", "hilbert/best-fit")
    cases = [_solve("ksubset", drawn, name) for name in names]
    return lambda: "; ".join(case() for case in cases)


def _select(seed: int) -> Case:
    """Choose nodes of a tree of switches with 8192 nodes, for two objectives."""
    import random

    import numpy as np

    from closeknit.clusters.placement import NodeSelector, Objective, Request
    from closeknit.clusters.topologies import parse_cluster

    lines = [f"SwitchName=s{i} Nodes=n[{32 * i}-{32 * i + 31}]" for i in range(256)]
    for j in range(16):
        lines.append(f"SwitchName=m{j} Switches=s[{16 * j}-{16 * j + 15}]")
    selector = NodeSelector(
        parse_cluster("\n".join([*lines, "SwitchName=t Switches=m[0-15]"]))
    )
    draw = random.Random(seed)
    share = [draw.betavariate(0.7, 0.7) for _ in range(256)]
    free = np.array([draw.random() > share[i // 32] for i in range(8192)])
    wanted = [Request(512, one) for one in (Objective.SWITCHES, Objective.HOPS)]
    return lambda: "; ".join(
        f"cost {found.objective}, bound {found.bound}, {found.status.value}"
        for found in (selector.select(one, [free]) for one in wanted)
    )


def _links(seed: int) -> Case:
    """Prove the busiest link of a job on a torus of 6 x 6."""
    from closeknit.instances import Torus

    return _contention(Torus(6, 6), 6, "dimension-order", seed)


def _links_tree(seed: int) -> Case:
    from closeknit.instances.ksubset.generators import network_of

    return _contention(network_of("tree", (8, 8, 8)), 48, "", seed)


def _contention(network: Any, k: int, routing: str, seed: int) -> Case:
    import random

    from closeknit.instances import KSubset
    from closeknit.network.contention.instance import Contention

    sites = list(network.locations())
    some = sorted(random.Random(seed).sample(range(len(sites)), len(sites) // 2))
    job = KSubset(f"links-{seed}", network, tuple(sites[i] for i in some), k)
    more = (routing,) if routing else ()
    return _solve("contention", Contention(job, *more))


def _stream(seed: int) -> Case:
    """Serve 200 jobs by mm-inc on a mesh of 16 x 16."""
    return _command(
        *("simulate", "stream", "--method", "mm-inc", "--shape", "16x16"),
        *("--requests", "200", "--seed", str(seed), "--json", "-"),
        keep=lambda measures: str(sorted(measures.items())),
    )


def _command(*words: str, keep: Callable[[Any], str] | None = None) -> Case:
    """Run a command in a process of its own, from its start to its end."""
    whole = [sys.executable, "-m", "closeknit", *words]

    def case() -> str:
        done = subprocess.run(
            whole, cwd=sys.argv[1], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()}")
        return keep(json.loads(done.stdout)) if keep else "ends with 0"

    return case


def _command_solve(seed: int) -> Case:
    return _command(
        *("solve", SMALL, "--json", "-"),
        keep=lambda found: ", ".join(
            f"{name} {found.get(name)}" for name in ("objective", "bound", "status")
        ),
    )


ROWS: dict[str, Row] = {
    "solve-16x16": Row(_mesh(16, 16, k=32), 6),
    "solve-32x32": Row(_mesh(32, 32, k=64), 2),
    "solve-8x8x8": Row(_mesh(8, 8, 8, k=24), 2),
    "solve-torus": Row(_mesh(16, 16, k=16, kind="torus"), 4),
    "points": Row(_points, 2),
    "tree": Row(_tree, 12),
    "dragonfly": Row(_dragonfly, 8),
    "hypercube": Row(_hypercube, 12),
    "heuristics": Row(_heuristics, 12),
    "procset-dense": Row(_dense_sets, 2),
    "procset-requests": Row(_requests, 1),
    "sukp": Row(_sukp, 2),
    "packing": Row(_packing, 6),
    "migration": Row(_migration, 6),
    "select": Row(_select, 24),
    "links": Row(_links, 2),
    "links-tree": Row(_links_tree, 8),
    "whole-help": Row(lambda seed: _command("--help"), 1, "wall"),
    "whole-solve": Row(_command_solve, 1, "wall"),
    "whole-stream": Row(_stream, 1, "wall"),
}
"""Whole processes are measured by the clock on the wall, all else in CPU seconds."""


def _cpu() -> float:
    children = getrusage(RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def measure(row: Row) -> dict[str, Any]:
    """Run a row once."""
    try:
        other = row.make(OTHER_SEED)
        cases = [row.make(seed) for seed in range(row.seeds)]
    except Exception as error:  # whatever the commit lacks
        return {"unknown": f"{type(error).__name__}: {error}"}
    try:
        other()
        gc.collect()
        cpu, wall = _cpu(), perf_counter()
        answers = [case() for case in cases]
        cpu, wall = _cpu() - cpu, perf_counter() - wall
    except Exception as error:  # a row that fails is told, the others go on
        return {"failed": f"{type(error).__name__}: {error}"}
    return {"cpu": cpu, "wall": wall, "answers": answers}


def main() -> None:
    """Answer the names on standard input."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what solvers print
    import closeknit

    [home] = closeknit.__path__
    if not Path(home).resolve().is_relative_to(Path(sys.argv[1]).resolve()):
        sys.exit(f"closeknit is read from {home}, not from {sys.argv[1]}")
    for line in sys.stdin:
        print(json.dumps(measure(ROWS[line.strip()])), file=answers, flush=True)


if __name__ == "__main__":
    main()
