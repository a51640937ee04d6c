"""Cluster models of NVIDIA topograph: a switch tree, and accelerator domains.

The model is read as the tree of its switches, or (``name="block"``) as blocks: one for
each accelerator domain or sub-domain. A block has the annotations of its switch and of
those above, unless it has its own. What topograph answers is in formats that other
readers know: topology.conf, topology.yaml, and labels of Kubernetes nodes.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...instances.words import with_noun
from .fabric import Cluster, FabricKind
from .lined_yaml import Lined
from .switch_trees import SourceFile, Switch, SwitchForest, cluster_of, first_of

VIEWS = ("tree", "block")
_READ = {"switches", "blocks", "switch", "nodes", "labels", "annotations", "metadata"}
_DOMAIN, _SUB_DOMAIN = "/domain", "/sub-domain"


def read_topograph(document: Lined, where: SourceFile, name: str = "") -> Cluster:
    """Build a cluster from a model; ``name`` is ``tree`` (default) or ``block``."""
    view = name or VIEWS[0]
    if view not in VIEWS:
        where.fail(0, f"must be {' or '.join(VIEWS)}", "topology", name)
    fields: dict[str, Lined] = document.of(dict, where, "document")
    blocks = [
        entry.of(dict, where, "block") | {"": entry}
        for entry in fields["blocks"].items(where, "blocks")
    ]
    others = dict.fromkeys(key for part in (fields, *blocks) for key in part)
    switches: dict[str, Switch] = {}
    given: dict[str, dict[str, str]] = {}
    tree: dict[str, Lined] = fields["switches"].of(dict, where, "switches")
    for title, entry in tree.items():
        children: list[str] = []
        if entry.value:  # a switch may be there with nothing said of it
            inner: dict[str, Lined] = entry.of(dict, where, f"switches.{title}")
            if "switches" in inner:
                children = inner["switches"].names(where, "switches")
            if "nodes" in inner:
                where.fail(entry.line, "has nodes, not its block", "switch", title)
            others |= dict.fromkeys(inner)
            given[title] = _annotations(inner, where)
        switches[title] = Switch(title, entry.line, children, [])
    for switch in list(switches.values()):  # leaves are only named by their parents
        for child in switch.children:
            switches.setdefault(child, Switch(child, switch.line))
    for block in blocks:
        if "switch" not in block:
            if view == "block":
                continue
            where.fail(block[""].line, "needs switch", "block")
        title = block["switch"].text(where, "switch")
        if tree and title not in switches:
            where.fail(block["switch"].line, "no such switch", "switch", title)
        switch = switches.setdefault(title, Switch(title, block[""].line))
        switch.nodes = [*switch.nodes, *_nodes(block, where)]
    unread = [key for key in others if key and key not in _READ]
    notes = [f"{first_of(unread)} not read"] if unread else []
    listed = list(switches.values())
    if view == "tree":
        return cluster_of("topograph model", listed, where, notes=notes)
    SwitchForest(listed, where).orders()
    above = {child: switch.name for switch in listed for child in switch.children}
    return _blocks(blocks, given, above, where)


def _blocks(
    blocks: list[dict[str, Lined]],
    given: Mapping[str, dict[str, str]],
    above: Mapping[str, str],
    where: SourceFile,
) -> Cluster:
    """Build a tree of accelerator domains, with sub-domains where there are any.

    There the nodes of a domain that have no sub-domain are one of their own.
    """
    found: list[tuple[str, str, int, list[str]]] = []
    left_out = 0
    for block in blocks:
        labels = _annotations(block, where)
        switch = block["switch"].text(where, "switch") if "switch" in block else ""
        while switch:
            labels = labels | given.get(switch, {}) | labels  # its own come first
            switch = above.get(switch, "")
        nodes = _nodes(block, where)
        domain = next((v for k, v in labels.items() if k.endswith(_DOMAIN)), "")
        if not domain:
            left_out += len(nodes)
            continue
        sub = next((v for k, v in labels.items() if k.endswith(_SUB_DOMAIN)), "")
        found.append((domain, sub, block[""].line, nodes))
    divided = any(sub for _, sub, _, _ in found)
    domains: dict[str, Switch] = {}
    parts: dict[tuple[str, str], Switch] = {}
    for domain, sub, line, nodes in found:
        whole = domains.setdefault(domain, Switch(domain, line))
        if divided:
            title = f"{domain}/{sub}" if sub else f"{domain} without sub-domain"
            if (domain, sub) not in parts:
                parts[domain, sub] = Switch(title, line)
                whole.children = [*whole.children, title]
            whole = parts[domain, sub]
        whole.nodes = [*whole.nodes, *nodes]
    switches = [*domains.values(), *parts.values()]
    if len(domains) > 1:
        switches.append(Switch("all-domains", 0, list(domains)))
    names = ("sub-domain", "domain", "machine") if divided else ("block", "machine")
    return cluster_of(
        "topograph model (blocks)",
        switches,
        where,
        kind=FabricKind.BLOCKS,
        levels=names,
        notes=[f"{with_noun(left_out, 'node')} without a domain left out"]
        if left_out
        else [],
    )


def _nodes(block: Mapping[str, Lined], where: SourceFile) -> list[str]:
    return block["nodes"].names(where, "nodes") if "nodes" in block else []


def _annotations(block: Mapping[str, Lined], where: SourceFile) -> dict[str, str]:
    found: dict[str, str] = {}
    for key in ("annotations", "labels"):
        if key in block:
            inner: dict[str, Lined] = block[key].of(dict, where, key)
            found |= {name: value.text(where, name) for name, value in inner.items()}
    return found
