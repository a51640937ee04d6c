"""One workload in one placement on one network: when every instance ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ...instances import IntArray, Torus
from ...network.cut_through.engine import PACKET, CutThrough
from ...network.kary_tree import KaryTree
from ...network.messages import Messages
from ...network.workloads.table import TASKS, workload
from .. import parts


@dataclass(frozen=True, kw_only=True)
class Part(parts.Part):
    """What is run: instances of a workload on the processors given, task by task.

    The shape is that of the torus, or k and n of a k-ary n-tree. The seed is of what
    the network draws. Two placements that give the same processors are the same part.
    """

    VERSION = 2

    topology: str
    workload: str
    size: int
    places: tuple[int, ...]
    placement: str = field(compare=False, repr=False)

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        nodes = len(self.places)
        return f"{self.workload}, {self.placement}, {self.topology} of {nodes} nodes"

    def fits(self, found: Found) -> bool:
        """Whether an outcome has as many instances as this part."""
        return len(found.ended) == len(self.places) // TASKS and len(found.links) == 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(parts.Arrays):
    """The outcome of a part."""

    ended: IntArray  # cycle of the last arrival of every instance
    links: IntArray  # packets, links that they went over, phits on the busiest link

    @property
    def time(self) -> int:
        """Cycle at which the slowest instance has ended."""
        return int(self.ended.max())

    @property
    def hops(self) -> float:
        """Mean links that a packet went over."""
        packets, crossed, _ = self.links.tolist()
        return float(crossed / packets) if packets else 0.0

    @property
    def busiest(self) -> int:
        """Phits on the busiest link: no run can take fewer cycles."""
        return int(self.links[2])


def run(part: Part) -> Found:
    """Run a part to its end."""
    torus = part.topology == "torus"
    network = Torus(*part.shape) if torus else KaryTree(*part.shape)
    engine = CutThrough(network, seed=part.seed)
    instance = _messages(part.workload, part.size)
    ended = np.zeros(len(part.places) // TASKS, dtype=np.int64)
    for job in range(len(ended)):
        places = part.places[TASKS * job : TASKS * (job + 1)]
        engine.add(instance.on(places), job)
    while jobs := engine.run():
        ended[jobs] = engine.time
    assert engine.injected == engine.consumed
    carried = engine.carried
    links = [engine.consumed, int(carried.sum()) // PACKET, int(carried.max())]
    return Found(ended=ended, links=np.array(links, dtype=np.int64))


@lru_cache(maxsize=16)
def _messages(name: str, size: int) -> Messages:
    """Make the messages of one instance, once for all placements."""
    return workload(name, TASKS, size).to_messages()
