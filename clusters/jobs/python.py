"""Jobs of several parts from Python: ``closeknit.place_job``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from ...instances import InputError
from ...solvers import DEFAULT, Settings
from ..placement import NodeSelector
from ..topologies import Cluster, read_cluster
from .machine import whole_nodes
from .placing import JobOutcome, place
from .request import FORMAT, job_of


def place_job(
    topology: Cluster | str | Path,
    roles: Mapping[str, int],
    constraints: Sequence[Mapping[str, Any]] = (),
    *,
    objective: Sequence[Any] | None = None,
    free: Iterable[str] | None = None,
    running: Mapping[str, Collection[str]] | None = None,
    settings: Settings = DEFAULT,
) -> JobOutcome:
    r"""Place a job of several parts on whole nodes, or say why it does not fit.

    Parameters
    ----------
    topology
        The cluster, or the file that it is read from.
    roles
        The number of nodes of each role, by its name.
    constraints, objective
        As in a file ``closeknit/job``; see docs/clusters/jobs.md.
    free
        The names of the free nodes; by default all that no job of ``running`` has.
    running
        The nodes of running jobs, by their names, for ``apart_from``.
    settings
        The time limit counts.

    Returns
    -------
    JobOutcome
        ``nodes`` lists the names of the nodes of each role by rank, if it fits;
        ``clash`` states which constraints clash, and what would help, if not.

    Raises
    ------
    InputError
        For what is unknown or contradicts itself.

    Examples
    --------
    >>> from closeknit.clusters.topologies import parse_cluster
    >>> racks = ["SwitchName=a Nodes=a[1-4]", "SwitchName=b Nodes=b[1-4]"]
    >>> racks = parse_cluster("\n".join([*racks, "SwitchName=top Switches=a,b"]))
    >>> slices = [{"slices": {"switch": 4}}]
    >>> place_job(racks, {"leader": 1, "worker": 7}, slices).nodes["worker"]
    ['a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4']
    >>> found = place_job(racks, {"worker": 8}, [{"slices": {"switch": 3}}])
    >>> [one.text for one in found.clash.members]
    ['the number of pods of worker', 'slices of 3 within one switch (worker)']
    """
    cluster = topology if isinstance(topology, Cluster) else read_cluster(str(topology))
    selector = NodeSelector(cluster)
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": 1,
        "roles": [{"name": name, "count": n} for name, n in dict(roles).items()],
        "constraints": [*constraints],
    }
    if objective is not None:
        document["objective"] = [*objective]
    held = {job: frozenset(names) for job, names in (running or {}).items()}
    for job, names in held.items():
        for name in names:
            if name not in cluster.index:
                raise InputError("is not in the topology", f"running[{job!r}]", name)
    request = job_of(document, held, cluster.index)
    flags = selector.free(free, without=chain(*held.values()) if free is None else ())
    pairs = zip(cluster.fabrics, flags, strict=True)
    machine = [whole_nodes(fabric, some) for fabric, some in pairs]
    return place(request, machine, settings)
