"""Hostlists as ClusterShell's NodeSet reads them, where it is installed."""

from __future__ import annotations

import random

import pytest

from closeknit.scheduler.hostlist import fold, unfold


def _expression(chance: random.Random) -> str:
    """Draw a hostlist that both notations read alike.

    NodeSet is a set, and steps, operators and groups are its own; digits beside a
    bracket mean something else there.
    """
    items = []
    for i in range(chance.randrange(1, 3)):
        item = f"{chance.choice('xyz')}{'-abc'[i]}"
        for bracket in range(chance.randrange(1, 3)):
            item += "r" * bracket
            width = chance.choice([0, 2, 3])
            ranges = []
            at = chance.randrange(3)
            for _ in range(chance.randrange(1, 4)):
                low = at + chance.randrange(1, 6)
                at = low + chance.randrange(0, 8)
                first, last = str(low).zfill(width), str(at).zfill(width)
                ranges.append(first if low == at else f"{first}-{last}")
            item += f"[{','.join(ranges)}]" + chance.choice(["", "-ib", ".k"])
        items.append(item)
    return ",".join(items)


def test_thousands_of_random_hostlists_stand_for_the_nodes_of_clustershell() -> None:
    nodeset = pytest.importorskip("ClusterShell.NodeSet")
    chance = random.Random(16)
    for i in range(3000):
        text = _expression(chance)
        names = unfold(text)
        assert set(names) == set(nodeset.NodeSet(text)), text
        if i % 25:
            continue  # NodeSet takes its time to fold, and to read what is folded
        folded = fold(names)
        assert set(nodeset.NodeSet(folded)) == set(names), folded
        assert set(unfold(str(nodeset.NodeSet(text)))) == set(names), text
