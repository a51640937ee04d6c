"""From lists of switches with children and nodes to hierarchies, checked."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from ...instances import InputError
from ...instances.errors import in_file
from ...instances.words import with_noun
from ...scheduler.hostlist import first_repeated, unfold
from .fabric import MOST_DEPTH, MOST_DOMAINS, MOST_NODES, Cluster, FabricKind, Hierarchy

_STANDS_FOR_OTHERS = re.compile(
    r"(?:^|(?<=[\s,]))(?:ALL|DEFAULT)(?=[\s,]|$)|\w{0,20}[{}=\"'()^*]", re.IGNORECASE
)
_MOST_NAMED = 4
"""Names that are shown of a list that may be long."""


@dataclass
class Switch:
    """A domain as a file lists it."""

    name: str
    line: int = 0
    children: Sequence[str] = ()
    nodes: Sequence[str] = ()
    weight: int = 2
    """Of the edge to its parent, in half hops."""


@dataclass
class SourceFile:
    """The file that is read, for messages that name a line."""

    file: str
    placeholders: Collection[str] = ()
    """Nodes that do not exist: they keep places in the file, and are left out."""

    def at(self, line: int) -> str:
        """Return the name of the file with a line, unless that is 0."""
        return f"{self.file}:{line}" if line else self.file

    def fail(
        self, line: int, problem: str, field: str = "", value: object = ...
    ) -> NoReturn:
        """Raise an InputError that names the line."""
        raise InputError(problem, field, value, file=self.at(line))

    def name(self, line: int, text: str, field: str) -> str:
        """Return a name; an empty text and a hostlist are refused."""
        if not text or re.search(r"[\[\],\s]", text):
            self.fail(line, "must be one name", field, text)
        return text

    def names(self, line: int, text: str, field: str) -> list[str]:
        """Return the names in a hostlist, none of them twice.

        What stands for nodes that only Slurm knows, such as ``ALL`` and
        ``feature{...}``, is refused, and so are marks that no name of a host has.
        """
        if other := _STANDS_FOR_OTHERS.search(text):
            problem = f"must be names, without {other.group().strip(', ')}"
            self.fail(line, problem, field, text)
        with in_file(self.at(line)):
            found = unfold(text, field=field, most=MOST_NODES)
        if len(set(found)) < len(found):
            self.fail(line, "is listed twice", field, first_repeated(found))
        return found


@dataclass
class SwitchForest:
    """Domains by number, with their parents and nodes."""

    switches: Sequence[Switch]
    where: SourceFile
    number: dict[str, int] = field(default_factory=dict)
    parent: list[int] = field(default_factory=list)
    nodes: dict[str, int] = field(default_factory=dict)
    absent: dict[str, None] = field(default_factory=dict)

    def _collect(self) -> None:
        """Give domains and nodes numbers; refuse repetitions and unknown children."""
        if len(self.switches) > MOST_DOMAINS:
            self.where.fail(0, f"has more than {MOST_DOMAINS} switches")
        for i, switch in enumerate(self.switches):
            if self.number.setdefault(switch.name, i) != i:
                before = self.switches[self.number[switch.name]].line
                self.where.fail(
                    switch.line,
                    f"is defined twice (before in line {before})",
                    "switch",
                    switch.name,
                )
        self.parent = [-1] * len(self.switches)
        for i, switch in enumerate(self.switches):
            for name in switch.children:
                self._adopt(i, switch, name)
            for name in switch.nodes:
                if name in self.where.placeholders:
                    self.absent.setdefault(name)
                    continue
                other = self.nodes.setdefault(name, i)
                if other != i:
                    self.where.fail(
                        switch.line,
                        f"node is at two switches ({self.switches[other].name} "
                        f"and {switch.name})",
                        "nodes",
                        name,
                    )
        if len(self.nodes) > MOST_NODES:
            self.where.fail(0, f"has more than {MOST_NODES} nodes")

    def _adopt(self, i: int, switch: Switch, name: str) -> None:
        child = self.number.get(name, -1)
        if child < 0:
            self.where.fail(switch.line, "no such switch", "switches", name)
        if self.parent[child] >= 0:
            first = self.switches[self.parent[child]].name
            self.where.fail(
                switch.line,
                f"switch has two parents ({first} and {switch.name})",
                "switches",
                name,
            )
        self.parent[child] = i

    def orders(self) -> list[list[int]]:
        """Return the domains of every tree depth first; refuse what is no tree."""
        self._collect()
        children: list[list[int]] = [[] for _ in self.parent]
        for v, up in enumerate(self.parent):
            if up >= 0:
                children[up].append(v)
        orders = []
        for root in (v for v, up in enumerate(self.parent) if up < 0):
            order: list[int] = []
            waiting = [(root, 1)]
            while waiting:
                v, depth = waiting.pop()
                if depth > MOST_DEPTH:
                    switch = self.switches[v]
                    problem = f"is more than {MOST_DEPTH} levels deep"
                    self.where.fail(switch.line, problem, "switch", switch.name)
                order.append(v)
                waiting.extend((w, depth + 1) for w in reversed(children[v]))
            orders.append(order)
        reached = {v for order in orders for v in order}
        if stuck := [v for v in range(len(self.parent)) if v not in reached]:
            switch = self.switches[stuck[0]]
            self.where.fail(switch.line, "is in a cycle", "switch", switch.name)
        return orders


def cluster_of(
    source: str,
    switches: Sequence[Switch],
    where: SourceFile,
    *,
    kind: FabricKind = FabricKind.TREE,
    levels: Sequence[str] = ("switch",),
    notes: Sequence[str] = (),
) -> Cluster:
    """Build a cluster from switches; one hierarchy for each root.

    Placeholders are left out, and switches without nodes below. Raises InputError, with
    the line, if a switch or node is listed twice or has two parents, a child is not
    defined, there is a cycle, or no node.
    """
    forest = SwitchForest(switches, where)
    orders = forest.orders()
    at: list[list[str]] = [[] for _ in switches]
    for name, home in forest.nodes.items():
        at[home].append(name)
    fabrics, empty = [], []
    for order in orders:
        occupied = {v for v in order if at[v]}
        for v in reversed(order):
            if v in occupied and forest.parent[v] >= 0:
                occupied.add(forest.parent[v])
        empty += [forest.switches[v] for v in order if v not in occupied]
        kept = [v for v in order if v in occupied]
        if kept:
            fabrics.append(_hierarchy(forest, kept, at, kind, levels))
    if not fabrics:
        where.fail(0, "has no nodes")
    named = [switch.name for switch in empty if switch.line]  # others are made up
    all_notes = [*notes, *left_out(named)]
    if absent := tuple(forest.absent):
        left = with_noun(len(absent), "placeholder")
        all_notes.append(f"{left} left out ({first_of(absent)})")
    return Cluster(source, tuple(fabrics), tuple(all_notes), placeholders=absent)


def switches_of(paths: Mapping[str, tuple[str, ...]], top: str) -> list[Switch]:
    """Return the domains of nodes whose domains are given from the top down.

    One is called by all names down to it. The first has all nodes; it is left out where
    one domain would be all that is below it.
    """
    children: dict[tuple[str, ...], list[str]] = {(): []}
    nodes: dict[tuple[str, ...], list[str]] = {}
    for node, path in paths.items():
        for depth in range(1, len(path) + 1):
            part = path[:depth]
            if part not in children:
                children[part] = []
                children[part[:-1]].append("/".join(part))
        nodes.setdefault(path, []).append(node)
    found = [
        Switch("/".join(part) or top, 0, below, nodes.get(part, ()))
        for part, below in children.items()
    ]
    return found[1:] if len(children[()]) == 1 else found


def left_out(names: Sequence[str]) -> tuple[str, ...]:
    """Return the note that names parts without nodes.

    >>> left_out(["spare"]), left_out([])
    (('1 without nodes left out (spare)',), ())
    """
    if not names:
        return ()
    return (f"{len(names)} without nodes left out ({first_of(names)})",)


def first_of(names: Sequence[str]) -> str:
    """Return the first names of a list that may be long.

    >>> first_of(["a", "b"]), first_of(list("abcdefg"))
    ('a, b', 'a, b, c, d, ...')
    """
    return ", ".join(names[:_MOST_NAMED]) + ", ..." * (len(names) > _MOST_NAMED)


def _hierarchy(
    forest: SwitchForest,
    order: list[int],
    at: list[list[str]],
    kind: FabricKind,
    levels: Sequence[str],
) -> Hierarchy:
    place = {v: i for i, v in enumerate(order)}
    return Hierarchy(
        kind,
        tuple(name for v in order for name in at[v]),
        np.repeat(np.arange(len(order)), [len(at[v]) for v in order]),
        tuple(forest.switches[v].name for v in order),
        np.array([place.get(forest.parent[v], -1) for v in order], dtype=np.int64),
        np.array([forest.switches[v].weight for v in order], dtype=np.int64),
        tuple(levels),
    )
