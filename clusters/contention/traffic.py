"""What running jobs send over the links of a tree, from the pattern of each.

The rank that sends most sends as much as its port lets pass, times the share of time in
which it does; the others in proportion. What links carry is rounded once, at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ...instances import InputError
from ...network.workloads.patterns import ALL_TO_ALL, traffic_of
from ..ranks import places_below
from ..topologies import Hierarchy
from .links import UNIT, TreeLinks


def add_jobs(
    fabric: Hierarchy, links: TreeLinks, stated: Sequence[Mapping[str, Any]], file: str
) -> tuple[TreeLinks, int]:
    """Return links with what jobs send, and of how many jobs that is not known.

    Parameters
    ----------
    fabric, links
        The tree.
    stated
        What a file states of jobs, from `read_running`; ranks are in the order of the
        nodes.
    file
        Its name.

    Raises
    ------
    InputError
        If a job with a pattern has no nodes, unknown ones, or too few for its pattern.
    """
    number = {name: i for i, name in enumerate(fabric.nodes)}
    sums = [Fraction(0)] * len(fabric.parent)
    unknown = 0
    for i, entry in enumerate(stated):
        at = f"jobs[{i}]"
        if "pattern" not in entry:
            unknown += 1
            continue
        names = entry.get("nodes", ())
        if not names:
            raise InputError("is needed with a pattern", f"{at}.nodes", file=file)
        if strange := [name for name in names if name not in number]:
            problem = "is not in the topology"
            raise InputError(problem, f"{at}.nodes", strange[0], file=file)
        try:
            found = _loads(fabric, [number[x] for x in names], entry["pattern"])
        except InputError as error:
            problem, value = error.problem, entry["pattern"]
            raise InputError(problem, f"{at}.pattern", value, file=file) from None
        for v, load in found.items():
            sums[v] += load * entry.get("share", 100) / 100
    way = [round(UNIT * load) for load in sums]
    return TreeLinks(links.capacity, np.array([way, way], dtype=np.int64)), unknown


def _loads(
    fabric: Hierarchy, nodes: Sequence[int], pattern: str
) -> dict[int, Fraction]:
    """Return what a job sends up and down the link above each domain, in ports."""
    inside = places_below(fabric, nodes)
    inside.pop(0, None)  # there is no link above the root
    k = len(nodes)
    if pattern == ALL_TO_ALL:
        counts = ((v, len(some)) for v, some in inside.items())
        return {v: Fraction(c * (k - c), max(1, k - 1)) for v, c in counts}
    traffic = traffic_of(pattern, k)
    if traffic is None:
        raise InputError(
            f"must be {ALL_TO_ALL}, ring, halo2d[:AxB] or halo3d[:AxBxC]", "pattern"
        )
    a, b = np.nonzero(traffic)
    most = int(np.bincount(np.concatenate([a, b]), minlength=1).max())
    found = {}
    for v, some in inside.items():
        below = np.zeros(k, dtype=np.bool_)
        below[some] = True
        across = int(np.count_nonzero(below[a] != below[b]))
        found[v] = Fraction(across, max(1, most))
    return found
