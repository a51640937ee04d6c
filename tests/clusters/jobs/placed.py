"""Jobs of parts, placed on the free nodes of a cluster."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from closeknit.clusters.jobs.machine import whole_nodes
from closeknit.clusters.jobs.placing import JobOutcome, place
from closeknit.clusters.jobs.request import job_of
from closeknit.clusters.placement import NodeSelector


def placed(
    selector: NodeSelector,
    roles: Mapping[str, int],
    *constraints: Mapping[str, Any],
    busy: Collection[str] = (),
) -> JobOutcome:
    """Place so many pods of each role, one on a node."""
    document = {
        "format": "closeknit/job",
        "version": 1,
        "roles": [{"name": name, "count": n} for name, n in roles.items()],
        "constraints": [*constraints],
    }
    request = job_of(document, {}, selector.cluster.index)
    pairs = zip(selector.cluster.fabrics, selector.free(without=busy), strict=True)
    return place(request, [whole_nodes(fabric, free) for fabric, free in pairs])
