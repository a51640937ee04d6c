"""The 256-node machine of Drakenberg 2012, section 3.1, and larger ones like it."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from ..reading.numbers import between
from .instance import ProcessorSet, ProcSet
from .set_system import ALL, SetSystem, refuse_unknown

RACK = 25
"""Hosts of a full rack."""
CORES = 8
"""Processors of a host."""
_ON_A_CARD = 12
_IN_A_BLOCK = 5
_LEAST_COOLING = 101


def drakenberg_system(
    request: int,
    *,
    granularity: str = "node",
    costs: str = "realistic",
    available: Collection[int] | None = None,
    free: int | Fraction = ALL,
    partly: Fraction = Fraction(0),
    seed: int = 0,
    racks: int = 10,
    centre: int = 6,
) -> ProcSet:
    """Return a request on the 256-node machine; see `system`.

    Available processors are drawn unless given, see `SetSystem.draw`.

    Examples
    --------
    >>> instance = drakenberg_system(48, free=Fraction(2, 5), seed=7)
    >>> instance.name, instance.n, len(instance.sets), instance.levels
    ('drakenberg-256-node-40pct-r48-s7', 102, 334, 5)
    """
    machine = system(granularity, costs, racks=racks, centre=centre)
    if available is not None:
        return machine.ask(request, available, label="-given")
    return machine.draw(request, free, seed, partly=partly)


def system(
    granularity: str = "node",
    costs: str = "realistic",
    *,
    racks: int = 10,
    centre: int = 6,
) -> SetSystem:
    """Return the machine of Drakenberg 2012, section 3.1, or a larger one like it.

    The paper gives 10 racks of 25 nodes and 6 nodes in a centre rack; 22 line
    cards of 12 nodes in order; 7 control switches, over pairs of racks; 41 power
    lines, with nodes 1, 4, 5, 8, 9, 12, 13 of each rack on one and 2, 3, 6, 7, 10, 11
    on another; 8 fuse blocks; and that lower and more central positions are cooler.
    The paper leaves the following open:

    - Racks 1 to 5 stand left of the centre rack, 6 to 10 right of it; the centre
      rack has the last nodes, 251 to 256, at its bottom.
    - Pairs of racks share a control switch, from either end inwards; that leaves one
      rack on each side of the centre with a switch of its own, and so has the
      centre rack: 2 + 1 + 1 + 1 + 2 = 7. Switches with no compute node are no sets.
    - The pattern of the power lines goes on above node 13 with two further lines:
      14, 15, 18, 19, 22, 23 and 16, 17, 20, 21, 24, 25. The centre rack is on one:
      4 * 10 + 1 = 41.
    - A fuse block feeds five lines in a row, across racks, as in Fig. 6; the line of
      the centre rack is fed by the block of the last line to its left: 8.
    - Costs are those of Fig. 6: a line card (4, 0, 0, 0, 0), a control switch
      (0, 1, 0, 0, 0), a power line (0, 0, 2, 0, 0), a fuse block (0, 0, 0, 4, 0). A
      node costs, at the last level, 101 at the bottom of the centre, one for each
      rack (11) more for each position up, and two positions and two more for each
      rack outwards, one less on the left: all nodes differ, as in Fig. 6.

    If the granularity is ``node``, a processor is a node, called ``n001``; there are 5
    levels. If it is ``core``, a node has 8 processors, ``n001.1`` and so on, and its
    set costs 1 at a new first level, so that fewest nodes come first. If costs are
    ``uniform``, not ``realistic``, every node costs 1 at the last level. Half of the
    full racks (rounded up) stand left of the centre rack, which has up to 25 nodes. 16
    384 nodes are 655 racks and 9. Raises InputError if an argument is invalid.

    Examples
    --------
    >>> machine = system("core")
    >>> len(machine.processors), len(machine.sets), len(machine.sets[0].cost)
    (2048, 334, 6)
    >>> machine.sets[0].name, machine.sets[0].cost
    ('h001', (1, 0, 0, 0, 0, 220))
    >>> [machine.processors[i] for i in machine.sets[0].members[:2]]
    ['n001.1', 'n001.2']
    """
    refuse_unknown("granularity", granularity, ("node", "core"))
    refuse_unknown("costs", costs, ("realistic", "uniform"))
    between(racks, 1, 10_000, "racks")
    between(centre, 0, RACK, "centre")
    hosts = RACK * racks + centre
    wide = len(str(hosts))
    nodes = {f"h{i + 1:0{wide}}": [i] for i in range(hosts)}
    groups = [
        (_cards(hosts), (4, 0, 0, 0, 0)),
        (_switches(racks, hosts), (0, 1, 0, 0, 0)),
        (lines := _power_lines(racks, hosts), (0, 0, 2, 0, 0)),
        (_fuse_blocks(lines, racks), (0, 0, 0, 4, 0)),
    ]
    fine = granularity == "core"
    top, each = ((0,), CORES) if fine else ((), 1)

    def made(name: str, on: list[int], cost: tuple[int, ...]) -> ProcessorSet:
        members = tuple(each * host + i for host in on for i in range(each))
        return ProcessorSet(name, members, cost)

    sets = []
    for host, (name, on) in enumerate(nodes.items()):
        last = _cooling(host, racks) if costs == "realistic" else 1
        sets.append(made(name, on, (*((1,) if fine else ()), 0, 0, 0, 0, last)))
    for group, cost in groups:
        sets += [made(name, on, (*top, *cost)) for name, on in group.items()]
    names = [f"n{i + 1:0{wide}}" for i in range(hosts)]
    return SetSystem(
        name=f"drakenberg-{hosts}-{granularity}"
        + ("" if costs == "realistic" else f"-{costs}"),
        processors=tuple(
            [f"{name}.{i}" for name in names for i in range(1, CORES + 1)]
            if fine
            else names
        ),
        sets=tuple(sets),
        hosts=tuple(host for host in range(hosts) for _ in range(each)),
        source=f"the machine of Drakenberg 2012, section 3.1: {racks} racks of "
        f"{RACK} nodes and {centre}, a processor a {granularity}, {costs} costs",
    )


def _rack(rack: int, hosts: int) -> list[int]:
    """Return the nodes of a rack, from the bottom up; the centre rack is the last."""
    return list(range(RACK * rack, min(RACK * (rack + 1), hosts)))


def _cards(hosts: int) -> dict[str, list[int]]:
    count = -(-hosts // _ON_A_CARD)
    return {
        f"ib{c + 1:0{len(str(count))}}": list(
            range(_ON_A_CARD * c, min(_ON_A_CARD * (c + 1), hosts))
        )
        for c in range(count)
    }


def _switches(racks: int, hosts: int) -> dict[str, list[int]]:
    left = -(-racks // 2)
    over = [range(first, min(first + 2, left)) for first in range(0, left, 2)]
    over.append(range(racks, racks + 1))
    over += [range(max(last - 2, left), last) for last in range(racks, left, -2)][::-1]
    nodes = [[i for rack in pair for i in _rack(rack, hosts)] for pair in over]
    nodes = [group for group in nodes if group]
    wide = len(str(len(nodes)))
    return {f"en{i:0{wide}}": group for i, group in enumerate(nodes, start=1)}


def _power_lines(racks: int, hosts: int) -> dict[str, list[int]]:
    """Return four lines for each rack, named a to d, and one for the centre rack."""
    wide = len(str(racks))
    found: dict[str, list[int]] = {}
    for rack in range(racks):
        for i, host in enumerate(_rack(rack, hosts), start=1):
            inner = i % 4 >= 2
            line = "ab"[inner] if i <= 13 else "dc"[inner]
            found.setdefault(f"ps{rack + 1:0{wide}}{line}", []).append(host)
    if centre := _rack(racks, hosts):
        found["ps-centre"] = centre
    return found


def _fuse_blocks(lines: dict[str, list[int]], racks: int) -> dict[str, list[int]]:
    on_racks = [nodes for name, nodes in lines.items() if name != "ps-centre"]
    blocks = [
        [host for line in on_racks[first : first + _IN_A_BLOCK] for host in line]
        for first in range(0, len(on_racks), _IN_A_BLOCK)
    ]
    last_on_the_left = 4 * -(-racks // 2) - 1
    blocks[last_on_the_left // _IN_A_BLOCK] += lines.get("ps-centre", [])
    wide = len(str(len(blocks)))
    return {f"pwr{i:0{wide}}": nodes for i, nodes in enumerate(blocks, start=1)}


def _cooling(host: int, racks: int) -> int:
    """Return the cost of a node's position, different for all nodes."""
    rack, up = divmod(host, RACK)
    columns, left = racks + 1, -(-racks // 2)
    if rack == racks:
        away, side = 0, 0
    elif rack < left:
        away, side = left - rack, -1
    else:
        away, side = rack - left + 1, 0
    return _LEAST_COOLING + columns * up + (2 * columns + 2) * away + side
