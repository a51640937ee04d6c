"""Cut-through networks cycle by cycle, as they are defined: an oracle in plain Python.

It keeps no lists of what has changed: every cycle it looks at every queue and link.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass

from closeknit.instances import Graph
from closeknit.network.cut_through.engine import CutThrough
from closeknit.network.cut_through.kernels_routes import draw_number, redrawn
from closeknit.network.kary_tree import KaryTree
from closeknit.network.messages import Messages
from closeknit.solvers.running.kernels import interpreted

PHITS, ROOM = 16, 4
Link = tuple[int, int]
Wish = tuple[list[tuple[Link, int]], tuple[Link, int] | None]
"""Links with channels that are equally good, and the escape link with free slots."""


@dataclass
class Packet:
    message: int
    number: int
    entered: int
    leaves: int = -1
    passed: bool = False
    """Whether it is on the way to its target, on graphs."""
    consumed: bool = False


@dataclass
class Queue:
    """An input queue; link None is the injection queue of a processor."""

    vertex: int
    link: Link | None
    lane: int
    packets: deque[Packet]


class Stepped:
    """The same network as an engine; its routes are written a second time here."""

    def __init__(self, engine: CutThrough, seed: int, routing: str = "") -> None:
        self.seed = seed
        self.routing = routing
        network = engine.network
        self.ends = [(int(u), int(v)) for _, ends in engine.channels() for u, v in ends]
        self.wish: Callable[[Queue, int, Packet], Wish]
        self.reach: dict[int, set[int]] = {}
        self.hosts: set[int] = set()
        self.tree = isinstance(network, KaryTree)
        lanes = 1
        if isinstance(network, KaryTree):
            self.k, self.p = network.k, network.processors
            self.home = [self.p + i // self.k for i in range(self.p)]
            self.wish = self.on_tree
        elif network.grid:
            self.cells = list(network.locations())
            self.number = {cell: i for i, cell in enumerate(self.cells)}
            self.home = list(range(len(self.cells)))
            self.sides = network.grid.shape
            self.ring = all(network.grid.rings)
            self.wish = self.on_grid
            lanes = 2
        else:
            assert isinstance(network, Graph)
            self.graph = network
            self.home = list(network.processors)
            self.hosts = {v for v in self.home if len(network.neighbours[v]) == 1}
            self.wish = self.on_graph
            lanes = 12
        self.queues: list[Queue] = []
        by: dict[int, list[Queue]] = defaultdict(list)
        self.into: dict[tuple[Link, int], Queue] = {}
        for link in self.ends:
            if self.tree and link[1] < self.p:
                continue
            for lane in range(lanes):
                queue = Queue(link[1], link, lane, deque())
                by[link[1]].append(queue)
                self.into[link, lane] = queue
        self.injection = [Queue(v, None, -1, deque()) for v in self.home]
        for queue in self.injection:
            by[queue.vertex].append(queue)
        self.by = by
        self.turn: dict[Link, int] = defaultdict(int)
        self.busy: dict[Link, int] = defaultdict(int)

    def deliver(self, given: Messages) -> tuple[list[int], dict[Link, int]]:
        """Return when each message arrives, and the packets of every link."""
        with interpreted():
            return self._deliver(given)

    def _deliver(self, given: Messages) -> tuple[list[int], dict[Link, int]]:
        self.given = given
        m = len(given)
        delivered = [-1] * m
        left = [-(-int(n) // PHITS) for n in given.length]
        waits = given.waits.tolist()
        first, following = given.successors
        sent = [False] * m
        carried: dict[Link, int] = defaultdict(int)
        last: list[tuple[int, int]] = []
        self.t = 0

        def arrived(i: int) -> None:
            delivered[i] = self.t
            for other in following[first[i] : first[i + 1]].tolist():
                waits[other] -= 1

        while min(delivered, default=0) < 0:
            t = self.t
            for i in [i for when, i in last if when == t]:
                left[i] -= 1
                if not left[i]:
                    arrived(i)
            last = [(when, i) for when, i in last if when > t]
            for queue in [queue for some in self.by.values() for queue in some]:
                if queue.packets and queue.packets[0].leaves == t:
                    packet = queue.packets.popleft()
                    if packet.consumed:
                        left[packet.message] -= 1
                        if not left[packet.message]:
                            arrived(packet.message)
            for i in range(m):
                if not sent[i] and not waits[i] and given.release[i] <= t:
                    sent[i] = True
                    p = int(given.source[i])
                    if p == given.target[i]:
                        arrived(i)
                        continue
                    self.injection[p].packets.extend(
                        Packet(i, j, t) for j in range(left[i])
                    )
            for vertex, queues in self.by.items():
                self.vertex(vertex, queues, carried, last)
            self.t += 1
            assert self.t < 100_000
        return delivered, carried

    def vertex(
        self,
        vertex: int,
        queues: list[Queue],
        carried: dict[Link, int],
        last: list[tuple[int, int]],
    ) -> None:
        """Arbitrate until nobody asks."""
        t = self.t
        while True:
            asking: dict[Link, list[tuple[int, Queue, int]]] = defaultdict(list)
            for place, queue in enumerate(queues):
                head = queue.packets[0] if queue.packets else None
                if head is None or head.leaves >= 0 or head.entered > t:
                    continue
                goal = self.goal(vertex, head)
                if goal == vertex:
                    head.leaves, head.consumed = t + PHITS, True
                    continue
                chosen = self.ask(queue, goal, head)
                if chosen is not None:
                    asking[chosen[0]].append((place, queue, chosen[1]))
            if not asking:
                return
            for link, some in asking.items():
                size = len(queues)
                place, queue, lane = min(
                    some, key=lambda one: (one[0] - self.turn[link]) % size
                )
                self.turn[link] = (place + 1) % size
                self.busy[link] = t + PHITS
                carried[link] += 1
                head = queue.packets[0]
                head.leaves = t + PHITS
                if (link, lane) in self.into:
                    copy = Packet(head.message, head.number, t + 1, passed=head.passed)
                    self.into[link, lane].packets.append(copy)
                else:
                    last.append((t + 1 + PHITS, head.message))

    def goal(self, vertex: int, head: Packet) -> int:
        target = int(self.given.target[head.message])
        if self.tree:
            return target
        if self.routing == "valiant" and not head.passed:
            switches = [v for v in range(self.graph.nodes) if v not in self.hosts]
            bits = int(
                draw_number(self.seed, head.message, 2 * head.number, self.graph.nodes)
            )
            middle = switches[bits % len(switches)]
            if middle != vertex:
                return middle
        head.passed = True
        return self.home[target]

    def ask(self, queue: Queue, goal: int, head: Packet) -> tuple[Link, int] | None:
        wishes, escape = self.wish(queue, goal, head)
        best: tuple[Link, int] | None = None
        most = ties = bits = 0
        for link, lane in wishes:
            if self.busy[link] > self.t:
                continue
            free = self.free(link, lane)
            if free > most:
                best, most, ties = (link, lane), free, 1
            elif free == most and free:
                bits = redrawn(bits if ties > 1 else self.bits(queue.vertex, head))
                ties += 1
                if (bits >> 15) * ties < 2**16:
                    best = link, lane
        if best is None and escape is not None:
            link, need = escape
            if self.busy[link] <= self.t and self.free(link, 0) >= need:
                best = link, 0
        return best

    def bits(self, vertex: int, head: Packet) -> int:
        state = 2 * head.number + (self.routing == "valiant" and head.passed)
        name = vertex - self.p if self.tree else vertex
        return int(draw_number(self.seed, head.message, state, name))

    def free(self, link: Link, lane: int) -> int:
        if (link, lane) not in self.into:
            return ROOM
        return ROOM - len(self.into[link, lane].packets)

    def on_grid(self, queue: Queue, goal: int, head: Packet) -> Wish:
        here, there = self.cells[queue.vertex], self.cells[goal]
        origin = self.cells[int(self.given.source[head.message])]
        ways = []
        for axis, side in enumerate(self.sides):
            ahead = there[axis] - here[axis]
            if not ahead:
                continue
            up, ring = ahead > 0, self.ring and side > 2
            if ring:
                ahead %= side
                up = ahead < side - ahead
                if ahead == side - ahead:
                    up = sum(origin) % 2 == 0
            cell = list(here)
            cell[axis] = (here[axis] + (1 if up else -1)) % side
            link = queue.vertex, self.number[tuple(cell)]
            stays = False
            if queue.link is not None and queue.lane == 0:
                back = self.cells[queue.link[0]]
                step = [b - a for a, b in zip(back, here, strict=True)]
                onward = [b - a for a, b in zip(here, cell, strict=True)]
                wrapped = [(x - y) % side for x, y in zip(step, onward, strict=True)]
                stays = back[axis] != here[axis] and not wrapped[axis]
            ways.append((link, 1 if stays or not ring else 2))
        adaptive = [] if self.routing == "dimension-order" else ways
        return [(link, 1) for link, _ in adaptive], ways[0]

    def on_tree(self, queue: Queue, goal: int, head: Packet) -> Wish:
        out = sorted(link for link in self.ends if link[0] == queue.vertex)
        for link in out:
            if link[1] < link[0] and goal in self.below(link[1]):
                return [(link, 0)], None
        return [(link, 0) for link in out if link[1] > link[0]], None

    def below(self, v: int) -> set[int]:
        """Return the processors reached from a vertex of a tree by going down."""
        if v not in self.reach:
            lower = [b for a, b in self.ends if a == v and b < a]
            found = set().union(*map(self.below, lower))
            self.reach[v] = found if v >= self.p else {v}
        return self.reach[v]

    def on_graph(self, queue: Queue, goal: int, head: Packet) -> Wish:
        here = queue.vertex
        hops = self.graph.distance((here,), (goal,))
        ways = [
            v
            for v, length in self.graph.neighbours[here]
            if length + self.graph.distance((v,), (goal,)) == hops
        ]
        best = ways[0]
        if self.routing in ("drawn", "valiant") and len(ways) > 1:
            bits = self.bits(here, head)
            for ties, v in enumerate(ways[1:], 2):
                bits = redrawn(bits)
                if (bits >> 15) * ties < 2**16:
                    best = v
        lane = 0 if queue.link is None else queue.lane + 1
        if queue.link is not None and queue.link[0] in self.hosts:
            lane = 0
        return [((here, best), lane)], None
