"""Branch and bound over which sets are open: exact for sets without structure.

Once it is known which shared sets are open, the rest is counting: classes whose sets
are all open can be taken. The search opens and closes sets; see
docs/science/set-opening-bb.md for its bounds and why they hold.
"""

from __future__ import annotations

from ....formulations.procset.set_classes import classes_of
from ....instances import ProcSet
from ....solvers import DEFAULT, Grade, Proof, Result, Settings, answer
from ....solvers.running import clock
from .search import SetOpeningSearch

PROOF = Proof(Grade.ENUMERATED, "set-opening-bb")


def set_opening_bb(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by branch and bound over which sets are open.

    Guarantee: exact.
    Time: exponential at worst in the number of shared sets; O(processors) for most
    nodes, and O(r) per set where a knapsack settles the rest.
    Ties: the first found; the same every time.
    Source: derived for closeknit, see docs/science/set-opening-bb.md.
    """
    start = clock.now()
    search = SetOpeningSearch(classes_of(instance))
    limit = search.run(start + settings.time_limit, settings.node_limit)
    return answer(
        instance,
        search.chosen,
        start=start,
        bound=search.bound,
        proof=PROOF,
        limit=limit,
        nodes=search.nodes,
    )
