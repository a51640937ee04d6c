"""The dynamic program over classes and the sets that they have in progress.

Processors in the same sets form a class; see `set_classes`. With the
classes in some order, a shared set is in progress from its first to its last class.
F(M, t) is the least cost so far, M being the sets in progress that are open, t the
number of processors taken. A class is skipped, or taken whole: then the sets it lies
in are open, those not yet in M are paid, and t grows by its size. A set that ends is
struck from M. See docs/science/procset.md.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....instances import InputError, ProcessorSet, ProcSet
from ....solvers import DEFAULT, Grade, Proof, Result, Settings, answer
from ....solvers.running import clock
from ....solvers.running.limits import limits
from ..incremental_selector import RequestSolver
from .program import TooWide

PROOF = Proof(Grade.ENUMERATED, "frontier-dp")


def frontier_dp(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum class by class, with one state per set of open sets in progress.

    Guarantee: exact.
    Time: O(sum over classes of 2^width 2^sets-per-class r) at worst; refused when
        that means more than 2^21 sets of open sets.
    Source: derived for closeknit, see docs/science/procset.md.

    Raises
    ------
    InputError
        If too many sets are in progress at once; the message gives the number.
    """
    found = solve_narrow(instance, settings)
    if isinstance(found, str):
        raise InputError(found, "frontier-dp")
    return found


def solve_narrow(instance: ProcSet, settings: Settings = DEFAULT) -> Result | str:
    """Run `frontier_dp`, or return why the instance is too wide."""
    start = clock.now()
    deadline = start + settings.time_limit
    with limits(deadline) as watch:
        machine, available = _prepare(instance)
        try:
            program = machine.program(
                available, instance.request, nodes=settings.node_limit
            )
        except TooWide as wide:
            return str(wide)
        limit = program.run(watch.reached)
    return answer(
        instance,
        program.chosen().tolist(),
        start=start,
        bound=machine.unfold(program.bound, instance.request),
        proof=PROOF,
        limit=limit,
    )


def _prepare(instance: ProcSet) -> tuple[RequestSolver, npt.NDArray[np.bool_]]:
    """Return a solver for the available part of an instance."""
    n = len(instance.processors)
    available = np.zeros(n, dtype=np.bool_)
    available[list(instance.available)] = True
    sets = []
    for one in instance.sets:
        if members := tuple(i for i in one.members if available[i]):
            sets.append(ProcessorSet(one.name, members, one.cost))
    free = (0,) * instance.levels
    return RequestSolver(n, sets or [ProcessorSet("none", (0,), free)]), available
