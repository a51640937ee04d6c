"""How far greedy rules of schedulers are from the optimum, decision by decision.

Run ``python benchmarks/bench_rules.py [--decisions N] [FILE]...``, which prints the
tables of docs/clusters/clusters-rules.md. Files are topologies; without any, there are

- three trees and two block topologies that are made: 1024 nodes below switches of 32
  and of 8 switches, 288 below switches of 18 and of 4, about 400 below switches of 8 to
  24; 32 blocks of 18 nodes with BlockSizes 18, 36, 72 and 144, and 24 blocks of 16 to
  18 nodes with BlockSizes 16, 32 and 64;
- the small tree of Slurm's documentation, three switches of six nodes below one;
- the files of ``$CLOSEKNIT_DATA/data/topology``, as far as they are there.

In a state each switch has its own share of busy nodes. A job takes from two to 128
nodes, at most a third of all, small ones more often; on blocks half of the jobs come in
segments of 2 to 16 nodes. Every rule decides on the same states and jobs; every
topology has a seed of its own. Fabrics that are no tree take part with as many
decisions as ``--on-graphs`` says: there the rules see groups of hosts with the same
switches below one top switch, as an operator has to write them down for Slurm, and hops
and switches are those of the fabric.

``hops`` is the sum of the hops over the least there is; ``switches`` the share of
decisions with more leaf switches than needed; ``left`` the largest job that still fits
one leaf switch, over the largest possible; ``none`` the share without a choice although
there is one. Behind ± are 95 % confidence intervals of means over independent
decisions.
"""

from __future__ import annotations

import argparse
import lzma
import os
import random
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, product
from math import log2
from pathlib import Path

import numpy as np

from closeknit.clusters.placement import NodeSelector, Objective, Request
from closeknit.clusters.placement.domains import as_written_down
from closeknit.clusters.placement.node_classes import Alike
from closeknit.clusters.rules import RULES, HierarchyState
from closeknit.clusters.rules.choosing import seen
from closeknit.clusters.rules.state import HierarchyLayout
from closeknit.clusters.topologies import (
    Cluster,
    FabricKind,
    Hierarchy,
    parse_cluster,
    read_cluster,
)
from closeknit.clusters.topologies.switch_trees import (
    SourceFile,
    cluster_of,
    switches_of,
)
from closeknit.instances import IntArray
from closeknit.solvers import Settings, Status

SHARED = "data/topology"
FILES = (
    "avakas.edges.csv.xz",
    "plafrim.edges.csv.xz",
    "topograph_dgx_ndr_2025.ibnetdiscover.txt.xz",
    "cobalt_local_sim_simulator.xml.xz",
    "topograph_models/dual-xclr-regular.yaml",
    "topograph_models/nvl72.yaml",
    "topograph_models/small-tree.yaml",
)
MOST_K = 128
SEGMENTS = (2, 4, 8, 12, 16)
PATIENT = Settings(time_limit=600)
TREE_RULES = {
    name: rule
    for name, rule in RULES.items()
    if name != "slurm-spread"  # it is flux-low
}
TORI = ("8x8", "4x4x4", "6x6x6")
MOST_ON_TORI = 32


def tree(sizes: list[int], fan: int) -> Cluster:
    """Make leaf switches of these sizes, and switches of so many above them."""
    lines = [
        f"SwitchName=s{i} Nodes={nodes}" for i, nodes in enumerate(numbered(sizes))
    ]
    current = [f"s{i}" for i in range(len(sizes))]
    while len(current) > 1:
        groups = [current[i : i + fan] for i in range(0, len(current), fan)]
        made = [f"{group[0]}-{len(current)}" for group in groups]
        lines += [
            f"SwitchName={name} Switches={','.join(group)}"
            for name, group in zip(made, groups, strict=True)
        ]
        current = made
    return parse_cluster("\n".join(lines))


def blocks(sizes: list[int], planned: str) -> Cluster:
    """Make blocks of these sizes."""
    lines = [f"BlockName=b{i} Nodes={nodes}" for i, nodes in enumerate(numbered(sizes))]
    return parse_cluster("\n".join([*lines, f"BlockSizes={planned}"]))


def numbered(sizes: list[int]) -> list[str]:
    """Return hostlists of successive nodes."""
    ends = accumulate(sizes)
    return [f"n[{e - s + 1}-{e}]" for s, e in zip(sizes, ends, strict=True)]


def made() -> Iterator[tuple[str, Cluster]]:
    """Make the topologies that need no file."""
    chance = random.Random(16)
    yield "tree of 32 x 32, fan 8", tree([32] * 32, 8)
    yield "tree of 16 x 18, fan 4", tree([18] * 16, 4)
    uneven = [chance.randrange(8, 25) for _ in range(25)]
    yield "tree of 25 x 8 to 24, fan 5", tree(uneven, 5)
    yield "Slurm's example, 3 x 6", tree([6] * 3, 3)
    yield "32 blocks of 18", blocks([18] * 32, "18,36,72,144")
    uneven = [chance.randrange(16, 19) for _ in range(24)]
    yield "24 blocks of 16 to 18", blocks(uneven, "16,32,64")


def shared() -> Iterator[tuple[str, Cluster]]:
    """Read the files that are there."""
    folder = Path(os.environ.get("CLOSEKNIT_DATA", "")) / SHARED
    for name in FILES:
        if (path := folder / name).exists():
            short = path.name.partition(".")[0]
            names = adapter_names(path) if "ibnetdiscover" in name else None
            if path.name.endswith(".xml.xz"):
                yield short, of_partitions(path)
                continue
            yield short, read_cluster(path, host_names=names)
            if path.suffix == ".yaml" and short != "small-tree":
                yield f"{short} as blocks", read_cluster(path, name="block")


def of_partitions(path: Path) -> Cluster:
    """Make a tree of the node cards of a Blue Gene/P, as their names say."""
    text = lzma.decompress(path.read_bytes()).decode()
    cards = sorted(set(re.findall(r"R\d[0-9A-F]-M\d-N\d\d", text)))
    paths = {card: (card[:2], card[:3], card[:6]) for card in cards}
    levels = ("midplane", "rack", "row", "machine")
    switches = switches_of(paths, "machine")
    return cluster_of("partitions", switches, SourceFile(str(path)), levels=levels)


def adapter_names(path: Path) -> dict[int, str]:
    """Name the adapters of a dump that name no host after themselves, by GUID."""
    text = lzma.decompress(path.read_bytes()).decode()
    unnamed = re.findall(r'^Ca.*"H-(\w+)".*"(?:MT4129|localhost|ubuntu) ', text, re.M)
    return {int(guid, 16): f"CA-{guid}" for guid in unnamed}


@dataclass
class Tally:
    """What a rule did on a topology, decision by decision."""

    hops: list[float] = field(default_factory=list)
    more: list[bool] = field(default_factory=list)
    left: list[float] = field(default_factory=list)
    none: int = 0

    def cells(self) -> list[str]:
        """Return the numbers of a row."""
        hops = np.array(self.hops)
        if not len(hops):
            return ["–"] * 5 + ["100.0"]
        return [
            f"{hops.mean():.3f} ± {half(hops):.3f}",
            f"{hops.max():.2f}",
            f"{100 * float((hops == 1).mean()):.1f}",
            f"{100 * float(np.mean(self.more)):.1f} ± {100 * half(self.more):.1f}",
            f"{100 * float(np.mean(self.left)):.1f} ± {100 * half(self.left):.1f}",
            f"{100 * self.none / (self.none + len(hops)):.1f}",
        ]


def half(values: object) -> float:
    """Return half of the width of the 95 % confidence interval of a mean."""
    array = np.asarray(values, dtype=float)
    return float(1.96 * array.std() / len(array) ** 0.5)


@dataclass
class Bench:
    """Decisions on one topology."""

    name: str
    cluster: Cluster

    def __post_init__(self) -> None:
        [fabric] = self.cluster.fabrics
        self.selector = NodeSelector(self.cluster)
        self.alike = None if isinstance(fabric, Hierarchy) else Alike(fabric)
        self.tree = (
            fabric if isinstance(fabric, Hierarchy) else as_written_down(Alike(fabric))
        )
        self.layout = HierarchyLayout(self.tree)
        self.weights: list[int] = self.tree.weight.tolist()
        self.homes: list[int] = self.tree.home.tolist()
        self.chance = random.Random(zlib.crc32(self.name.encode()))
        self.tallies = {
            segmented: {name: Tally() for name in TREE_RULES}
            for segmented in (False, True)
        }

    def price(self, chosen: Sequence[int]) -> tuple[int, int]:
        """Return leaf switches and hops."""
        if self.alike is not None:
            switches, hops = self.alike.cost(Objective.SWITCHES, chosen)
            return switches, hops
        at = self.tree.count(chosen).tolist()
        k, hops = len(chosen), len(chosen) * (len(chosen) - 1)
        below = zip(self.layout.sum_subtrees(at), self.weights, strict=True)
        return sum(map(bool, at)), hops + sum(w * c * (k - c) for c, w in below) // 2

    def job(self) -> tuple[int, int]:
        """Draw a number of nodes and the size of segments."""
        n = len(self.tree.nodes)
        reach = log2(max(2, min(MOST_K, n // 3)))
        k = int(2 ** (1 + (reach - 1) * self.chance.random() ** 1.5))
        if self.tree.kind is FabricKind.BLOCKS and self.chance.random() < 0.5:
            largest = int(self.tree.has_nodes.max())
            size = self.chance.choice([s for s in SEGMENTS if s <= largest])
            return max(1, k // size) * size, size
        return k, 1

    def decide(self) -> bool:
        """Let every rule decide; False if the job that is drawn does not fit."""
        tree, chance = self.tree, self.chance
        share = [chance.betavariate(0.7, 0.7) for _ in tree.domains]
        free = [np.array([chance.random() >= share[h] for h in self.homes])]
        k, size = self.job()
        if int(free[0].sum()) < k:
            return False
        hops = self.selector.select(Request(k, Objective.HOPS, size), free, PATIENT)
        if hops.status is Status.INFEASIBLE:
            return False
        request = Request(k, Objective.SWITCHES, size)
        fewest = self.selector.select(request, free, PATIENT)
        assert hops.status is fewest.status is Status.OPTIMAL
        assert hops.objective is not None
        assert fewest.objective is not None
        state = HierarchyState(tree, free[0], size)
        at = np.array(state.at)
        possible = largest_left(at, k, size)
        for name, rule in TREE_RULES.items():
            if size > 1 and not rule.segments:
                continue
            tally = self.tallies[size > 1][name]
            chosen = rule.choose(state, k // size)
            if chosen is None:
                tally.none += 1
                continue
            switches, pairs = self.price(chosen)
            after = at - tree.count(chosen)
            tally.hops.append(pairs / max(1, hops.objective[0]))
            tally.more.append(switches > fewest.objective[0])
            tally.left.append(int(after.max()) / possible if possible else 1.0)
        return True


def largest_left(at: IntArray, k: int, size: int) -> int:
    """Return the largest job that can still fit one leaf switch afterwards.

    A switch keeps all but the segments for which there is no room elsewhere.
    """
    room = at // size
    needed = np.maximum(0, k // size - (int(room.sum()) - room))
    return int((at - size * needed).max())


HEAD = "hops, mean | greatest | optimal hops % | more switches % | left % | none %"


def on_tori(decisions: int) -> None:
    """Print tables of rules on tori; every plane has its own share of busy nodes."""
    rules = [
        name for name, rule in RULES.items() if rule.anywhere and name != "slurm-spread"
    ]
    for words in TORI:
        shape = tuple(map(int, words.split("x")))
        cells = list(product(*map(range, shape)))
        rows = [f"n{i},{','.join(map(str, c))}" for i, c in enumerate(cells)]
        head = f"# torus {words}\nnode,{','.join('xyz'[: len(shape)])}"
        selector = NodeSelector(parse_cluster("\n".join([head, *rows])))
        chance = random.Random(zlib.crc32(words.encode()))
        tallies = {name: Tally() for name in rules}
        reach = log2(min(MOST_ON_TORI, len(cells) // 4))
        done = 0
        while done < decisions:
            share = [chance.betavariate(0.7, 0.7) for _ in range(shape[0])]
            free = [np.array([chance.random() >= share[c[0]] for c in cells])]
            k = int(2 ** (1 + (reach - 1) * chance.random() ** 1.5))
            if int(free[0].sum()) < k:
                continue
            request = Request(k, Objective.HOPS)
            best = selector.select(request, free, PATIENT)
            assert best.status is Status.OPTIMAL
            assert best.objective is not None
            for name, tally in tallies.items():
                [chooser] = selector.choosers
                chosen = RULES[name].choose(seen(name, chooser, free[0]), k)
                assert chosen is not None
                [pairs] = chooser.alike.cost(Objective.HOPS, chosen)
                tally.hops.append(pairs / best.objective[0])
            done += 1
        print(f"\n{words} torus\n\n| rule | hops, mean | greatest | optimal % |")
        print("|---|---|---|---|")
        for name, tally in tallies.items():
            hops = np.array(tally.hops)
            print(
                f"| {name} | {hops.mean():.3f} ± {half(hops):.3f} | {hops.max():.2f} "
                f"| {100 * float((hops == 1).mean()):.1f} |"
            )


def table(first: str, rows: list[tuple[str, Tally]]) -> None:
    """Print a table with a row for each tally that has decisions."""
    print(f"\n| {first} | {HEAD} |\n|---|---|---|---|---|---|---|")
    for name, tally in rows:
        if tally.hops or tally.none:
            print(f"| {name} | {' | '.join(tally.cells())} |")


def pooled(benches: list[Bench], segmented: bool) -> list[tuple[str, Tally]]:
    """Return the decisions on all topologies, rule by rule."""
    found = {name: Tally() for name in TREE_RULES}
    for bench in benches:
        for name, tally in bench.tallies[segmented].items():
            found[name].hops += tally.hops
            found[name].more += tally.more
            found[name].left += tally.left
            found[name].none += tally.none
    return list(found.items())


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=6000, help="on trees, in all")
    parser.add_argument("--on-graphs", type=int, default=20, help="on each other one")
    parser.add_argument("--on-tori", type=int, default=0, help="on each, nothing else")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    if args.on_tori:
        on_tori(args.on_tori)
        return
    listed = [(Path(file).name, read_cluster(file)) for file in args.files]
    benches = [Bench(*each) for each in listed or [*made(), *shared()]]
    trees = [bench for bench in benches if bench.alike is None]
    taken = 0
    for bench in benches:
        done, wanted = 0, args.on_graphs
        if bench.alike is None:
            wanted = -(-args.decisions // len(trees))
        while done < wanted:
            done += bench.decide()
        taken += done
    print(f"{taken} decisions on {len(benches)} topologies")
    table("rule, one job", pooled(benches, False))
    table("rule, in segments", pooled(benches, True))
    for bench in benches:
        print(f"\n{bench.name}: {bench.cluster.fabrics[0].summary()}")
        for segmented, words in ((False, "one job"), (True, "in segments")):
            rows = list(bench.tallies[segmented].items())
            if any(tally.hops for _, tally in rows):
                table(words, rows)


if __name__ == "__main__":
    main()
