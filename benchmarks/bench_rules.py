"""How far greedy rules of schedulers are from the optimum, decision by decision.

Run ``python benchmarks/bench_rules.py [--decisions N] [FILE]...``. Files are
topologies; without any, three trees are made: 1024 nodes below switches of 32 and of 8
switches, 288 below switches of 18 and of 4, and about 400 below switches of 8 to 24. In
a state each switch has its own share of busy nodes; a job takes 2 to 128 nodes, small
ones more often. Every rule decides on the same states and jobs, with a fixed seed.

``hops`` is the sum of the hops over the least there is for that job, the mean and the
greatest; ``switches`` in how many decisions more leaf switches are taken than needed.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from itertools import accumulate

from closeknit.scheduler.placement import NodeSelector, Objective, Request, measures
from closeknit.scheduler.rules import RULES, State
from closeknit.scheduler.topologies import (
    Cluster,
    Hierarchy,
    parse_cluster,
    read_cluster,
)

SEED = 16


def tree(sizes: list[int], fan: int) -> Cluster:
    """Make leaf switches of these sizes, and switches of so many above them."""
    ends = list(accumulate(sizes))
    lines = [
        f"SwitchName=s{i} Nodes=n[{end - size + 1}-{end}]"
        for i, (size, end) in enumerate(zip(sizes, ends, strict=True))
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


def made() -> Iterator[Cluster]:
    """Make the three trees."""
    chance = random.Random(SEED)
    yield tree([32] * 32, 8)
    yield tree([18] * 16, 4)
    yield tree([chance.randrange(8, 25) for _ in range(25)], 5)


def decide(
    selector: NodeSelector, chance: random.Random, tally: dict[str, list[float]]
) -> bool:
    """Draw a state and a job, and let every rule decide; False if it does not fit."""
    [fabric] = selector.cluster.fabrics
    assert isinstance(fabric, Hierarchy)
    share = [chance.betavariate(0.7, 0.7) for _ in fabric.domains]
    busy = [
        name
        for name, home in zip(fabric.nodes, fabric.home.tolist(), strict=True)
        if chance.random() < share[home]
    ]
    free = selector.free(without=busy)
    k = int(2 ** (1 + 6 * chance.random() ** 1.5))
    if int(free[0].sum()) < k:
        return False
    least = selector.select(Request(k, Objective.HOPS), free).objective
    fewest = selector.select(Request(k, Objective.SWITCHES), free).objective
    assert least is not None
    assert fewest is not None
    state = State(fabric, free[0])
    for name, rule in RULES.items():
        chosen = rule.choose(state, k)
        assert chosen is not None
        below = measures.counts_below(fabric, chosen)
        ratio = measures.hops(fabric, below, k) / least[0]
        more = len({int(fabric.home[i]) for i in chosen}) > fewest[0]
        tally[name] += [ratio, more]
    return True


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=6000)
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    clusters = [read_cluster(file) for file in args.files] or list(made())
    tally: dict[str, list[float]] = {name: [] for name in RULES}
    chance = random.Random(SEED)
    taken = 0
    for cluster in clusters:
        print(cluster.summary())
        selector = NodeSelector(cluster)
        wanted = taken + args.decisions // len(clusters)
        while taken < wanted:
            taken += decide(selector, chance, tally)
    print(f"{taken} decisions\n")
    print("| rule | hops, mean | greatest | optimal hops % | more switches % |")
    print("|---|---|---|---|---|")
    for name, found in tally.items():
        ratios, more = found[::2], found[1::2]
        optimal = sum(ratio == 1 for ratio in ratios)
        print(
            f"| {name} | {sum(ratios) / taken:.3f} | {max(ratios):.2f} "
            f"| {100 * optimal / taken:.1f} | {100 * sum(more) / taken:.1f} |"
        )


if __name__ == "__main__":
    main()
