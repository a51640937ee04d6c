"""Slurm's topology.yaml: several named topologies, as documented for version 26.05."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from ...instances import Torus
from ...scheduler.hostlist import first_repeated
from .fabric import MOST_NODES, Cluster, Fabric, FabricKind, Space
from .lined_yaml import Lined
from .slurm_conf import block_size, blocks_of, refuse_sharing, rings_of
from .switch_trees import SourceFile, Switch, cluster_of, first_of, left_out

_SOURCE = "Slurm topology.yaml"
_KINDS = ("tree", "block", "flat", "ring", "torus3d")
_AXES = ("x", "y", "z")


def read_slurm_yaml(
    document: Lined, where: SourceFile, name: str = "", nodes: Sequence[str] = ()
) -> Cluster:
    """Build a cluster from one of the topologies of a file.

    Parameters
    ----------
    document
        The file.
    where
        Its name, for messages.
    name
        Which topology; by default the first with ``cluster_default: true``, as in
        Slurm, or the only one.
    nodes
        Nodes of a flat topology, which lists none.
    """
    found: dict[str, dict[str, Lined]] = {}
    default = ""
    for entry in document.items(where, "document"):
        known = ("topology", "cluster_default", *_KINDS)
        fields = entry.entries(where, "topology", known, ("topology",))
        title = fields["topology"].text(where, "topology")
        if title in found:
            where.fail(entry.line, "is defined twice", "topology", title)
        kinds = [kind for kind in _KINDS if kind in fields]
        if len(kinds) != 1:
            problem = f"must have exactly one of {', '.join(_KINDS)}"
            where.fail(entry.line, problem, "topology", title)
        found[title] = fields
        flag = fields.get("cluster_default")
        if flag and flag.flag(where, "cluster_default"):
            default = default or title
    if not found:
        where.fail(document.line, "has no topology")
    chosen = name or default or (next(iter(found)) if len(found) == 1 else "")
    there = first_of(list(found))
    if not chosen:
        problem = f"needs a name: {there} are there, none is cluster_default"
        where.fail(0, problem, "--topology-name")
    if chosen not in found:
        problem = f"no such topology (there are: {there})"
        where.fail(0, problem, "topology", chosen)
    return _built(found[chosen], chosen, where, nodes)


def _built(
    fields: Mapping[str, Lined], name: str, where: SourceFile, nodes: Sequence[str]
) -> Cluster:
    kind = next(kind for kind in _KINDS if kind in fields)
    body = fields[kind]
    source = f"{_SOURCE} ({name})"
    if kind == "tree":
        return _tree(body, source, where)
    if kind == "block":
        return _blocks(body, source, where)
    if kind == "ring":
        inner = body.entries(where, "ring", ("rings",), ("rings",))
        rings = []
        for entry in inner["rings"].items(where, "rings"):
            one = entry.entries(where, "ring", ("ring", "nodes"), ("ring", "nodes"))
            title = one["ring"].text(where, "ring")
            rings.append((entry.line, title, one["nodes"].names(where, "nodes")))
        return rings_of(source, rings, where)
    if kind == "torus3d":
        return _toruses(body, source, where)
    if not body.flag(where, "flat"):
        where.fail(body.line, "must be true", "flat", body.value)
    if not nodes:
        problem = "lists no nodes: name them with --free"
        where.fail(body.line, problem, "flat topology", name)
    return cluster_of(source, [Switch("flat", 0, (), nodes)], where)


def _tree(body: Lined, source: str, where: SourceFile) -> Cluster:
    inner = body.entries(where, "tree", ("switches",), ("switches",))
    switches = []
    for entry in inner["switches"].items(where, "switches"):
        known = ("switch", "children", "nodes")
        one = entry.entries(where, "switch", known, ("switch",))
        name = one["switch"].text(where, "switch")
        children = one["children"].names(where, "children") if "children" in one else []
        nodes = one["nodes"].names(where, "nodes") if "nodes" in one else []
        if children and nodes:
            where.fail(entry.line, "has both children and nodes", "switch", name)
        switches.append(Switch(name, entry.line, children, nodes))
    return cluster_of(source, switches, where)


def _blocks(body: Lined, source: str, where: SourceFile) -> Cluster:
    inner = body.entries(where, "block", ("block_sizes", "blocks"), ("blocks",))
    blocks = []
    for entry in inner["blocks"].items(where, "blocks"):
        one = entry.entries(where, "block", ("block", "nodes"), ("block",))
        name = one["block"].text(where, "block")
        nodes = one["nodes"].names(where, "nodes") if "nodes" in one else []
        blocks.append(Switch(name, entry.line, (), nodes))
    sizes: list[int] = []
    if "block_sizes" in inner:
        sizes = [
            block_size(size.line, size.value, where)
            for size in inner["block_sizes"].items(where, "block_sizes")
        ]
    return blocks_of(source, blocks, sizes, where)


def _toruses(body: Lined, source: str, where: SourceFile) -> Cluster:
    inner = body.entries(where, "torus3d", ("toruses",), ("toruses",))
    fabrics: list[Fabric] = []
    parts: list[tuple[int, str, Sequence[str]]] = []
    restricted = False
    for entry in inner["toruses"].items(where, "toruses"):
        known = ("name", "dims", "nodes", "regions", "placements")
        one = entry.entries(where, "torus", known, ("name", "dims"))
        name = one["name"].text(where, "name")
        shape = _numbers(one["dims"], where, "dims", 1)
        if "nodes" in one and "regions" in one:
            where.fail(entry.line, "needs either nodes or regions", "torus", name)
        cells = _cells(one, shape, where)
        parts.append((entry.line, name, [node for node, _ in cells]))
        sites = tuple(site for _, site in cells)
        if again := first_repeated(map(str, sites)):
            where.fail(entry.line, "two nodes at one place", "torus", again)
        words = f"{'x'.join(map(str, shape))} torus {name}"
        if cells:
            torus = Torus(shape)
            fabrics.append(
                Space(FabricKind.PRODUCT, tuple(parts[-1][2]), torus, sites, words)
            )
        restricted = restricted or "placements" in one
    refuse_sharing(parts, where)
    notes = ("placements are not used",) if restricted else ()
    empty = left_out([name for _, name, nodes in parts if not nodes])
    return Cluster(source, tuple(fabrics), (*notes, *empty))


def _cells(
    one: Mapping[str, Lined], shape: tuple[int, ...], where: SourceFile
) -> list[tuple[str, tuple[int, ...]]]:
    """Return the nodes of a torus with their places, x varying fastest."""
    if "nodes" in one:
        return _place_nodes(one["nodes"], (0, 0, 0), shape, shape, where)
    found = []
    for entry in one["regions"].items(where, "regions") if "regions" in one else ():
        known = ("anchor", "dims", "nodes")
        region = entry.entries(where, "region", known, known)
        anchor = _numbers(region["anchor"], where, "anchor", 0)
        dims = _numbers(region["dims"], where, "dims", 1)
        found += _place_nodes(region["nodes"], anchor, dims, shape, where)
    return found


def _place_nodes(
    listed: Lined,
    anchor: tuple[int, ...],
    dims: tuple[int, ...],
    shape: tuple[int, ...],
    where: SourceFile,
) -> list[tuple[str, tuple[int, ...]]]:
    nodes = listed.names(where, "nodes")
    if not nodes:
        return []
    cells = dims[0] * dims[1] * dims[2]
    if len(nodes) != cells:
        where.fail(listed.line, f"must be {cells}, as dims say", "nodes", len(nodes))
    if any(a + d > side for a, d, side in zip(anchor, dims, shape, strict=True)):
        where.fail(listed.line, "region reaches beyond the torus", "dims", dims)
    places = product(*(range(dims[axis]) for axis in (2, 1, 0)))
    return [
        (node, (anchor[0] + x, anchor[1] + y, anchor[2] + z))
        for node, (z, y, x) in zip(nodes, places, strict=True)
    ]


def _numbers(
    entry: Lined, where: SourceFile, field: str, least: int
) -> tuple[int, ...]:
    inner = entry.entries(where, field, _AXES, _AXES)
    found = []
    for axis in _AXES:
        text = inner[axis].text(where, f"{field}.{axis}")
        if not (text.isascii() and text.isdecimal() and len(text) < 8):
            where.fail(inner[axis].line, "must be an integer", f"{field}.{axis}", text)
        if int(text) < least:
            where.fail(inner[axis].line, f"must be at least {least}", field, text)
        found.append(int(text))
    if found[0] * found[1] * found[2] > MOST_NODES:
        where.fail(entry.line, f"has more than {MOST_NODES} cells", field)
    return tuple(found)
