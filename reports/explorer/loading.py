"""Files that the page loads: instances, topologies of clusters, traces."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...clusters.availability import Known, availability
from ...clusters.topologies import Fabric, Hierarchy, parse_cluster
from ...clusters.topologies.wiring import tree_topology
from ...instances import InputError, Points, Topology, Tree
from ...instances.problems import is_instance, parse_instance, problem_of
from ...instances.reading import fields
from ...instances.reading.parsing import parse_json
from ...instances.visible import visible
from ...instances.words import counted
from ...simulation.swf import FIELDS, read_swf
from . import boxes
from .board import admitted, document_of
from .scenes import MOST_SHOWN

MOST_TEXT = 4 * 2**20
"""Characters of a file."""
NO_NODE = "no node"
"""Label of a place of a network at which a cluster has no node."""
_MOST_K = 16
_NUMBERS = re.compile(r"(?:-?\d+(?:\.\d*)?\s+){17}-?\d+(?:\.\d*)?\s*", re.ASCII)


def loaded(body: dict[str, Any]) -> dict[str, Any]:
    """Load a file: ``name``, ``text`` and, of several fabrics, the number ``part``.

    Returns
    -------
    dict
        Of kind ``network``, ``submesh`` or ``trace``.

    Raises
    ------
    InputError
        If it is none of these, or too large; names the file.
    """
    fields.only(body, ("name", "text", "part"), ("name", "text"), "")
    name = visible(fields.string(body["name"], "name"))[:100] or "file"
    text = body["text"]
    if not isinstance(text, str):
        raise InputError("must be a string", "text", text)
    part = fields.integer(body.get("part", 0), "part")
    try:
        return _loaded(name, text, part)
    except InputError as error:
        raise error if error.file else error.of_file(name) from None


def _loaded(name: str, text: str, part: int) -> dict[str, Any]:
    if len(text) > MOST_TEXT:
        raise InputError(f"has more than {MOST_TEXT // 2**20} MiB")
    if looks_like_swf(text):
        with trace_file(name, text) as path:
            jobs = sum(1 for _ in read_swf(path))
        return {"kind": "trace", "name": name, "about": counted(jobs, "job")}
    if text.lstrip().startswith("{"):
        document = parse_json(text)
        if is_instance(document):
            instance = parse_instance(document, default_name=Path(name).stem)
            if load := boxes.LOADERS.get(problem_of(instance).name):
                return load(instance)
            problem = f"must be ksubset or submesh, not {document['format']!r}"
            raise InputError(problem, "format")
    cluster = parse_cluster(text, name)
    if not 0 <= part < len(cluster.fabrics):
        raise InputError(f"must be below {len(cluster.fabrics)}", "part", part)
    unusable = availability(cluster, Known()).reasons
    found = _of_fabric(cluster.fabrics[part], Path(name).stem, unusable)
    found["about"] = cluster.summary()
    found["parts"] = [fabric.summary() for fabric in cluster.fabrics]
    found["part"] = part
    found["file"] = name
    return found


def looks_like_swf(text: str) -> bool:
    """Whether the first line that is no comment has eighteen numbers."""
    for line in text.splitlines():
        if line.strip() and not line.startswith(";"):
            return bool(_NUMBERS.fullmatch(line.strip()))
    return text.lstrip().startswith(";") and FIELDS[0] in text.lower()


@contextmanager
def trace_file(name: str, text: str) -> Iterator[Path]:
    """Provide a trace as a file; errors in it have the name that the page knows."""
    with TemporaryDirectory(prefix="closeknit-") as folder:
        path = Path(folder) / "trace.swf"
        path.write_text(text, encoding="utf-8")
        try:
            yield path
        except InputError as error:
            where = error.file.replace(str(path), name) or name
            field, value = error.field, error.value
            raise InputError(error.problem, field, value, file=where) from None


def _of_fabric(fabric: Fabric, name: str, unusable: Collection[str]) -> dict[str, Any]:
    """Return a fabric as a network; its nodes, in the order of their sites.

    Nodes that the file calls unusable are busy on the page.
    """
    count = len(fabric.nodes)
    if count > MOST_SHOWN:
        problem = f"has {count} nodes; at most {MOST_SHOWN} are shown"
        raise InputError(problem, "topology")
    busy = [i for i, node in enumerate(fabric.nodes) if node in unusable]
    if len(busy) == count:
        raise InputError("calls none of these nodes usable", "nodes")
    k = min(_MOST_K, max(1, (count - len(busy)) // 2))
    if isinstance(fabric, Hierarchy):
        return document_of(
            admitted(_halved(tree_topology(fabric))),
            *(busy, k, name),
            nodes=fabric.nodes,
            domains=fabric.domains,
            racks=True,
        )
    topology: Topology = fabric.topology
    if topology.repeats:
        topology = Points(tuple(fabric.sites), topology.scale)
    labels: dict[tuple[int, ...], list[str]] = {}
    for node, site in zip(fabric.nodes, fabric.sites, strict=True):
        labels.setdefault(site, []).append(node)
    if len(labels) < count and not topology.repeats:
        problem = "has several nodes at one place, which the page does not show"
        raise InputError(problem, "topology")
    names, absent = [], []
    for number, site in enumerate(admitted(topology).locations()):
        if site not in labels or not labels[site]:
            absent.append(number)
            names.append(NO_NODE)
        else:
            names.append(labels[site].pop(0))
    return document_of(topology, absent, k, name, nodes=names)


def _halved(tree: Tree) -> Tree:
    """Return a tree of twice the hops in hops, if these are whole."""
    weight = np.array(tree.weight)
    if (weight % 2).any():
        return tree
    return Tree(tree.parent, tuple((weight // 2).tolist()), tree.processors)
