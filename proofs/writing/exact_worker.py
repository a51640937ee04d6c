"""The child process of Exact, a solver that logs pseudo-Boolean proofs.

Run as ``python -I exact_worker.py LOG SECONDS``. Reads a formula from standard input as
JSON, writes ``LOG.formula`` and ``LOG.proof``, and the answer to standard output.
Isolated (-I), so that ``exact`` is the solver and not a folder of that name; it imports
nothing of closeknit.
"""

from __future__ import annotations

import json
import resource
import sys
from time import monotonic


def main() -> None:
    """Solve one formula."""
    from exact import Exact  # type: ignore[attr-defined, unused-ignore]

    begun = monotonic()
    job = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_FSIZE, (job["bytes"], job["bytes"]))
    # No assumptions: every step is derived. No strengthening of the objective's
    # bound by ratios: it would need redundance steps.
    options = {"proof-log": sys.argv[1], "proof-assumptions": "0", "opt-ratio": "0"}
    solver = Exact(list(options.items()))
    names = [f"x{i}" for i in range(1, job["variables"] + 1)]
    for name in names:
        solver.addVariable(name, 0, 1)
    for terms, degree in job["rows"]:
        less = sum(a for a, x in terms if x < 0)  # a ~x = a - a x
        pairs = [(a if x > 0 else -a, names[abs(x) - 1]) for a, x in terms]
        solver.addConstraint(pairs, True, degree - less)
    if job["objective"]:
        solver.setObjective([(a, names[x - 1]) for a, x in job["objective"]], True)
    left = float(sys.argv[2]) - (monotonic() - begun)
    said = "TIMEOUT"
    if left > 0:
        said = solver.runFull(bool(job["objective"]), left)
    values = solver.getLastSolutionFor(names) if solver.hasSolution() else None
    print(json.dumps({"status": said, "values": values}))


if __name__ == "__main__":
    main()
