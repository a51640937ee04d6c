"""Partitions of a Blue Gene/P as Cobalt's simulator describes them, in XML.

Nodes are the node cards that occur in a partition; racks, midplanes and rows are in
their names, ``R34-M0-N12``. Which partitions share wires is not used.
"""

from __future__ import annotations

import re
from itertools import pairwise
from xml.parsers import expat

from ...instances import InputError
from ...instances.words import with_noun
from .fabric import MOST_NODES, Cluster
from .switch_trees import SourceFile, Switch, cluster_of

_CARD = re.compile(r"(?P<row>R\d)(?P<column>[0-9A-F])-(?P<half>M\d)-(?P<card>N\d\d)")
_MOST_DEPTH = 16


def looks_like_cobalt(text: str) -> bool:
    """Whether the text is XML with partitions."""
    return text.lstrip().startswith("<") and "<PartitionList" in text


def read_cobalt(text: str, where: SourceFile) -> Cluster:
    """Build a cluster of node cards; raises InputError with the line."""
    cards: dict[str, int] = {}
    partitions: dict[str, int] = {}
    parser = expat.ParserCreate()
    depth = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        line = parser.CurrentLineNumber
        if depth > _MOST_DEPTH:
            where.fail(line, "is nested too deeply")
        if name == "Partition":
            title = attributes.get("name", "")
            if not title:
                where.fail(line, "needs a name", "Partition")
            if partitions.setdefault(title, line) != line:
                where.fail(line, "is defined twice", "Partition", title)
        elif name == "NodeCard":
            card = attributes.get("id", "")
            if not _CARD.fullmatch(card):
                where.fail(line, "must be such as R34-M0-N12", "NodeCard", card)
            cards.setdefault(card, line)
            if len(cards) > MOST_NODES:
                where.fail(line, f"has more than {MOST_NODES} nodes")

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: object) -> None:
        where.fail(parser.CurrentLineNumber, "has a document type, which is not read")

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        raise InputError(f"not XML: {problem}", file=where.at(error.lineno)) from None
    return _cluster(sorted(cards), len(partitions), where)


def _cluster(cards: list[str], partitions: int, where: SourceFile) -> Cluster:
    switches: dict[str, Switch] = {"machine": Switch("machine", 0, [], [])}
    for card in cards:
        found = _CARD.fullmatch(card)
        assert found is not None
        row = found["row"]
        rack = row + found["column"]
        path = ["machine", f"row-{row}", rack, f"{rack}-{found['half']}"]
        for above, name in pairwise(path):
            if name not in switches:
                switches[name] = Switch(name, 0, [], [])
                switches[above].children = [*switches[above].children, name]
        switches[path[-1]].nodes = [*switches[path[-1]].nodes, card]
    return cluster_of(
        "Cobalt partitions of a BG/P",
        list(switches.values()),
        where,
        levels=("midplane", "rack", "row", "machine"),
        notes=[f"nodes are node cards, of {with_noun(partitions, 'partition')}"],
    )
