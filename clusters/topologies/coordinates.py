"""CSV of nodes and their coordinates, for meshes, tori and points in space.

A comment ``# torus 8x8x4``, ``# mesh 8x8`` or ``# grid 8x8x4 rings 1,2`` before the
column names gives the network; without one, nodes are points and hops are counted along
the axes. Of TPUs ``# torus 16x16x16 cubes 4x4x4 hosts 2x2x1`` gives the chips of a cube
and of a node, whose coordinates are those of its first chip; ``optical`` in place of
``torus`` joins any cubes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from math import prod

import numpy as np

from ...instances import Points, Site
from ...instances.errors import in_file
from ...instances.ksubset.generators import network_of
from ...instances.topologies.grid import grid_shape
from .fabric import MOST_NODES, Cluster, FabricKind, Hierarchy, Space
from .infiniband import csv_rows
from .switch_trees import SourceFile, cluster_of, switches_of
from .tpu import Shape, text_of

_HEADS = ("node", "name", "host", "hostname", "nodename")
_SIDES = r"\d{1,7}(?:\s*[x,]\s*\d{1,7}){0,7})"
_SHAPE = re.compile(
    rf"^#\s*(?P<kind>torus|mesh|grid|optical)\s+(?P<shape>{_SIDES}"
    r"(?:\s+rings\s+(?P<rings>\d(?:\s*,\s*\d){0,7}))?"
    rf"(?:\s+cubes\s+(?P<cubes>{_SIDES}\s+hosts\s+(?P<hosts>{_SIDES})?\s*$",
    re.MULTILINE | re.IGNORECASE | re.ASCII,
)
_NETWORK = re.compile(
    r"^#[ \t]*(?:torus|mesh|grid|optical)[ \t:=]*\d.*", re.MULTILINE | re.IGNORECASE
)
_FARTHEST = 2**31


def looks_like_coordinates(header: list[str]) -> bool:
    """Whether a line of column names is that of nodes with coordinates."""
    return len(header) >= 2 and header[0].strip().lower() in _HEADS


def has_shape(text: str) -> bool:
    """Whether a comment gives a network, whatever the column names are."""
    return bool(_SHAPE.search(text))


def read_coordinates(text: str, where: SourceFile) -> Cluster:
    """Build a cluster from nodes and coordinates; raises InputError with the line."""
    shape_line = None
    for said in _NETWORK.finditer(text):
        number = text.count("\n", 0, said.start()) + 1
        if shape_line is not None:
            where.fail(number, "is the second one", "network", said.group())
        if (shape_line := _SHAPE.match(text, said.start())) is None:
            where.fail(number, "must be such as # torus 8x8x4", "network", said.group())
    nodes: dict[str, int] = {}
    sites: list[tuple[int, ...]] = []
    shape: tuple[int, ...] = ()
    cube, host = Shape(), Shape()
    if shape_line:
        shape = grid_shape(_sides(shape_line["shape"]))
        cube, host = _cubes(shape_line, shape, where)
    for number, row in csv_rows(text, where):
        if nodes.setdefault(where.name(number, row[0], "node"), number) != number:
            where.fail(number, "is listed twice", "node", row[0])
        if len(nodes) > MOST_NODES:
            where.fail(number, f"has more than {MOST_NODES} nodes")
        sites.append(_site(number, row, where))
        if len(sites[-1]) != len(sites[0]) or (shape and len(sites[-1]) != len(shape)):
            wanted = len(shape or sites[0])
            where.fail(number, f"must have {wanted} coordinates", "node", ",".join(row))
        if shape and any(
            not 0 <= x < side for x, side in zip(sites[-1], shape, strict=True)
        ):
            where.fail(number, "lies outside the network", "node", ",".join(row))
        if host and np.mod(sites[-1], host).any():
            problem = f"is no first chip of a node of {text_of(host)}"
            where.fail(number, problem, "node", ",".join(row))
    if not nodes:
        where.fail(0, "has no nodes")
    if shape and len(set(sites)) < len(sites):
        where.fail(0, "two nodes have the same coordinates")
    words = text_of(shape)
    if shape_line and shape_line["kind"].lower() == "optical":
        return _optical(dict(zip(nodes, sites, strict=True)), cube, host, where)
    with in_file(where.file):
        if shape_line:
            kind = shape_line["kind"].lower()
            rings = re.sub(r"\s", "", shape_line["rings"] or "")
            if (kind == "grid") is not bool(rings):
                where.fail(0, "a grid has rings, as in # grid 8x8x4 rings 1,2")
            topology = network_of(f"{kind}:{rings}".rstrip(":"), shape)
            words += f" {kind}" + f" with rings on {rings}" * bool(rings)
        else:
            topology = Points(tuple(sites))
            words = f"points in {len(sites[0])}-D"
    words += f" of cubes {text_of(cube)}" if cube else ""
    kind, names = FabricKind.PRODUCT, tuple(nodes)
    fabric = Space(kind, names, topology, tuple(sites), words, cube, host)
    return Cluster("nodes with coordinates", (fabric,))


def _sides(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


def _cubes(line: re.Match[str], shape: Shape, where: SourceFile) -> tuple[Shape, Shape]:
    """Return the chips of a cube and of a node, where a comment gives them."""
    if not line["cubes"]:
        if line["kind"].lower() == "optical":
            where.fail(0, "needs cubes and hosts, as in cubes 4x4x4 hosts 2x2x1")
        return (), ()
    cube, host = _sides(line["cubes"]), _sides(line["hosts"])
    for name, part, whole in (("cubes", cube, shape), ("hosts", host, cube)):
        if len(part) != len(whole) or 0 in part or np.mod(whole, part).any():
            where.fail(0, f"must divide {text_of(whole)}", name, text_of(part))
    return cube, host


def _optical(
    nodes: Mapping[str, Site], cube: Shape, host: Shape, where: SourceFile
) -> Cluster:
    """Build a tree of cubes: optical switches can join any of them."""
    sites = np.array([*nodes.values()])
    corners = ("-".join(map(str, at)) for at in (sites - sites % cube).tolist())
    paths = {node: (corner,) for node, corner in zip(nodes, corners, strict=True)}
    levels = [text_of(cube), "pod"]
    source = "nodes with coordinates, cubes joined optically"
    cluster = cluster_of(source, switches_of(paths, "pod"), where, levels=levels)
    [fabric] = cluster.fabrics
    assert isinstance(fabric, Hierarchy)
    return replace(cluster, fabrics=(replace(fabric, chips=prod(host)),))


def _site(number: int, row: list[str], where: SourceFile) -> tuple[int, ...]:
    """Read coordinates: a column each, or all in one such as ``(0,1,2)`` or ``0x1``."""
    words = row[1:]
    if len(words) == 1:
        words = re.split(r"[\s,;x]+", words[0].strip("()[] "))
    if not words or not all(re.fullmatch(r"-?\d{1,18}", w, re.ASCII) for w in words):
        where.fail(number, "must have integer coordinates", "node", ",".join(row))
    site = tuple(map(int, words))
    if any(abs(x) >= _FARTHEST for x in site):
        where.fail(number, "coordinates must stay below 2^31", "node", ",".join(row))
    return site
