"""The default exact route for processor sets."""

from __future__ import annotations

from ...exact.procset.frontier_dp.method import solve_narrow
from ...exact.procset.set_opening_bb.method import set_opening_bb
from ...instances import ProcSet
from ...solvers import DEFAULT, Result, Settings
from ...solvers.running.answer import solve_prepaid


def auto(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by frontier-dp or, where that is too wide, by set-opening-bb.

    frontier-dp is used where few sets are in progress at once, as when they follow a
    layout such as racks, line cards or power lines. Planes of a torus and random
    domains are too wide. What is required is paid for first, and costs nothing then.

    Guarantee: exact.
    Time: that of frontier-dp or set-opening-bb.
    Source: derived for closeknit, see docs/science/procset.md.
    """
    if instance.required:
        return solve_prepaid(auto, instance, settings)
    found = solve_narrow(instance, settings)
    return set_opening_bb(instance, settings) if isinstance(found, str) else found
