"""Reading the file of a topology: which format it is shows in its content."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...instances import InputError
from ...instances.errors import in_file
from ...instances.reading import fields
from ...instances.reading.parsing import parse_json, refuse_text_before_json
from ..long_reports import MOST_BYTES, text_or_report
from . import coordinates, infiniband, kubernetes, slurm_conf
from .fabric import Cluster
from .lined_yaml import parse_lined
from .slurm_yaml import read_slurm_yaml
from .switch_trees import SourceFile
from .topograph import read_topograph

FORMATS = (
    "Slurm topology.conf or topology.yaml, a topograph model, ibnetdiscover, CSV of "
    "cables or of nodes with coordinates, JSON of Kubernetes nodes"
)


def read_cluster(
    path: str | Path,
    *,
    name: str = "",
    labels: Sequence[str] = (),
    nodes: Sequence[str] = (),
    host_names: Mapping[int, str] | None = None,
    placeholders: Collection[str] = (),
) -> Cluster:
    """Read the topology of a cluster, possibly packed with xz.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    name
        Which topology, in files that have several.
    labels
        Labels of the levels of Kubernetes nodes, from the top down.
    nodes
        Nodes of a flat topology, which lists none.
    host_names
        Hosts of adapters by their GUID, for ibnetdiscover; see `read_name_map`.
    placeholders
        Nodes that do not exist: on trees and blocks they are left out.

    Raises
    ------
    InputError
        If the file cannot be read or is of none of these formats; one line with the
        file, the line in it, the field and the value.
    """
    content = text_or_report(path, most=MOST_BYTES)
    with in_file(path):
        return parse_cluster(
            content,
            str(path),
            name=name,
            labels=labels,
            nodes=nodes,
            host_names=host_names,
            placeholders=placeholders,
        )


def parse_cluster(
    text: str | dict[str, Any],
    file: str = "topology",
    *,
    name: str = "",
    labels: Sequence[str] = (),
    nodes: Sequence[str] = (),
    host_names: Mapping[int, str] | None = None,
    placeholders: Collection[str] = (),
) -> Cluster:
    """Build a cluster from the text of a file, or its JSON; see `read_cluster`."""
    where = SourceFile(file, frozenset(placeholders))
    if isinstance(text, str) and text.lstrip().startswith("{"):
        text = dict(fields.objects(parse_json(text, file=file), "document"))
    elif isinstance(text, str) and not _is_yaml(text):
        refuse_text_before_json(text, file=file)
    if host_names is not None and (
        isinstance(text, dict) or not infiniband.looks_like_ibnetdiscover(text)
    ):
        where.fail(0, "is for ibnetdiscover", "--node-name-map")
    if isinstance(text, dict):
        if not kubernetes.looks_like_kubernetes(text):
            where.fail(0, "is JSON, but no list of Kubernetes nodes")
        return kubernetes.read_kubernetes(text, where, name, labels)
    if not text.strip():
        where.fail(0, "is empty")
    if name and not _is_yaml(text):
        where.fail(0, "is for files with several topologies", "--topology-name", name)
    if labels:
        where.fail(0, "is for Kubernetes nodes", "--labels", ",".join(labels))
    if infiniband.looks_like_ibnetdiscover(text):
        return infiniband.read_ibnetdiscover(text, where, host_names)
    if slurm_conf.looks_like_slurm_conf(text):
        return slurm_conf.read_slurm_conf(text, where)
    header = _header(text)
    if infiniband.looks_like_edges(header):
        return infiniband.read_edges(text, header, where)
    if coordinates.looks_like_coordinates(header):
        return coordinates.read_coordinates(text, where)
    if _is_yaml(text):
        return _from_yaml(text, where, name, nodes)
    if coordinates.has_shape(text):
        where.fail(
            0, "has no line of column names, such as node,x,y,z, below its network"
        )
    raise InputError(f"is none of: {FORMATS}", file=file)


def _from_yaml(
    text: str, where: SourceFile, name: str, nodes: Sequence[str]
) -> Cluster:
    document = parse_lined(text, where)
    if isinstance(document.value, list):
        return read_slurm_yaml(document, where, name, nodes)
    if isinstance(document.value, dict) and {"switches", "blocks"} <= set(
        document.value
    ):
        return read_topograph(document, where, name)
    problem = "is YAML, but neither topology.yaml nor a model of topograph"
    raise InputError(problem, file=where.file)


def _is_yaml(text: str) -> bool:
    """Whether a line begins a list of topologies, or a model's switches or blocks."""
    return bool(re.search(r"^(?:-\s+topology|switches|blocks)\s*:", text, re.MULTILINE))


def _header(text: str) -> list[str]:
    """Return the first line of a CSV that is no comment, as its cells."""
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return next(csv.reader([line[:1000]]))
    return []
