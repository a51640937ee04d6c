"""Communication kernels: trees, butterflies, meshes, wave fronts, all-to-all and I/O.

BI, BU, 2M, 3M, 2W, 3W and WF are those of Navaridas, Pascual and Miguel-Alonso 2009,
section III A, which names them; how they look is stated here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import isqrt, prod

import numpy as np

from ...instances import InputError
from ...instances.reading.numbers import at_least, between, positive
from ..messages import Ints
from .format import Builder, Workload

WAVES = 286
"""Wave fronts of WF."""


def binary_tree(tasks: int, size: int) -> Workload:
    """Reduce: in step s every odd multiple of 2^s sends to the even one below.

    Examples
    --------
    >>> binary_tree(4, 64).messages[:, :2].tolist()
    [[1, 0], [3, 2], [2, 0]]
    """
    build = _start(tasks, size)
    inbox: list[list[int]] = [[] for _ in range(tasks)]
    step = 1
    while step < tasks:
        for u in range(step, tasks, 2 * step):
            inbox[u - step].append(build.send(u, u - step, size, inbox[u]))
        step *= 2
    return build.workload("BI")


def butterfly(tasks: int, size: int) -> Workload:
    """Exchange between tasks whose numbers differ in bit s, in step s."""
    power_of_two(tasks)
    build = _start(tasks, size)
    for bit in range(tasks.bit_length() - 1):
        build.step((u, u ^ 1 << bit, size) for u in range(tasks))
    return build.workload("BU")


def mesh_exchange(tasks: int, size: int, axes: int) -> Workload:
    """Send from every task to all its neighbours in a virtual mesh at once."""
    build = _start(tasks, size)
    build.step((u, v, size) for u, v in mesh_pairs(sides_of(tasks, axes)))
    return build.workload(f"{axes}M")


def wave_front(tasks: int, size: int, axes: int, waves: int = 1) -> Workload:
    """Send wave fronts from the first corner of a virtual mesh to the last.

    A task sends to its neighbours of higher coordinates when it has received the same
    wave from all those of lower ones. All waves start at once.
    """
    at_least(waves, 1, "waves")
    build = _start(tasks, size)
    ahead: list[list[int]] = [[] for _ in range(tasks)]
    for u, v in mesh_pairs(sides_of(tasks, axes)):
        if v > u:
            ahead[u].append(v)
    for _ in range(waves):
        inbox: list[list[int]] = [[] for _ in range(tasks)]
        for u in range(tasks):
            for v in ahead[u]:
                inbox[v].append(build.send(u, v, size, inbox[u]))
    return build.workload("WF" if waves > 1 else f"{axes}W")


def n_to_n(tasks: int, size: int) -> Workload:
    """Send from every task to all others at once, beginning with the next one."""
    return _all_to_all("n-to-n", tasks, size, 0)


def all_to_all(tasks: int, size: int, outstanding: int = 1) -> Workload:
    """Broadcast all to all (Mache, Lo and Garg 1999, section 4.1).

    Every task sends to all others, beginning with the next one; a message waits until
    the one ``outstanding`` before it has arrived.
    """
    positive(outstanding=outstanding)
    return _all_to_all("all-to-all", tasks, size, outstanding)


def bipartite_io(
    tasks: int, size: int, io: int = 0, outstanding: int = 1, seed: int = 0
) -> Workload:
    """Send from everyone to every I/O node (Mache, Lo and Garg 1999, section 2.3).

    Every task sends to each I/O node in turn, beginning with one that is drawn per
    task.

    Parameters
    ----------
    tasks
        Computing tasks; the I/O nodes are tasks of their own after these.
    size
        Bytes of a message.
    io
        Number of I/O nodes; 0 for the root of ``tasks``, as many as a square mesh of
        these tasks has rows.
    outstanding
        Messages of a task that may be on their way at once; 0 for all.
    seed
        Of the first I/O nodes.
    """
    io = _io(tasks, io)
    first = np.random.default_rng(seed).integers(0, io, tasks)
    source = np.repeat(np.arange(tasks), io)
    target = tasks + (np.tile(np.arange(io), tasks) + first[source]) % io
    return _chain("io", tasks, io, source, target, size, outstanding, seed)


def mixed(
    tasks: int,
    size: int,
    share: float,
    io: int = 0,
    messages: int = 256,
    per: str = "message",
    outstanding: int = 1,
    seed: int = 0,
    first: Sequence[int] | None = None,
) -> Workload:
    """Mix all-to-all broadcast and I/O, up to a number of messages per job.

    Parameters
    ----------
    tasks, size, io, outstanding, seed
        See `bipartite_io`; a job of one task has no communication but I/O.
    share
        Probability of I/O, 0 to 1.
    messages
        Messages of all tasks together; the first tasks send one more than the others.
    per
        Whether ``job`` or ``message`` is drawn to be I/O or communication.
    first
        First I/O node of every task, 0 to io - 1; None for drawn ones.

    Raises
    ------
    InputError
        If a number is out of range, ``per`` is neither, or first I/O nodes are not as
        many as tasks.
    """
    io = _io(tasks, io)
    if not 0 <= share <= 1:
        raise InputError("must lie between 0 and 1", "share", share)
    at_least(messages, 0, "messages")
    if per not in ("job", "message"):
        raise InputError("must be job or message", "per", per)
    draw = np.random.default_rng(seed)
    count = messages // tasks + (np.arange(tasks) < messages % tasks)
    source = np.repeat(np.arange(tasks), count)
    turn = np.arange(messages) - np.repeat(np.cumsum(count) - count, count)
    begin = draw.integers(0, io, tasks)
    if first is not None:  # drawn all the same: what else is drawn does not change
        if len(first) != tasks:
            raise InputError(f"must be {tasks}, one per task", "first", len(first))
        for i, node in enumerate(first):
            between(node, 0, io - 1, f"first[{i}]")
        begin = np.asarray(first, np.int64)
    is_io = draw.random(1 if per == "job" else messages) < share
    is_io = np.broadcast_to(is_io, messages)
    other = (source + 1 + turn % max(1, tasks - 1)) % tasks
    target = np.where(is_io, tasks + (begin[source] + turn) % io, other)
    kept = is_io | (tasks > 1)
    return _chain(
        "mixed", tasks, io, source[kept], target[kept], size, outstanding, seed
    )


def sides_of(tasks: int, axes: int) -> tuple[int, ...]:
    """Return the sides of the virtual mesh of some tasks, the most equal ones.

    >>> sides_of(64, 2), sides_of(64, 3), sides_of(12, 2)
    ((8, 8), (4, 4, 4), (3, 4))
    """
    best: tuple[int, ...] = (1,) * (axes - 1) + (tasks,)

    def search(rest: int, chosen: tuple[int, ...]) -> None:
        nonlocal best
        if len(chosen) == axes - 1:
            sides = (*chosen, rest)
            if rest >= max(chosen, default=1) and (rest, sum(sides)) < (
                best[-1],
                sum(best),
            ):
                best = sides
            return
        least = max(chosen, default=1)
        for side in range(least, isqrt(rest) + 1):
            if rest % side == 0:
                search(rest // side, (*chosen, side))

    search(tasks, ())
    return best


def mesh_pairs(sides: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the pairs of neighbours in a mesh, both ways; row by row."""
    found = []
    for cell in product(*map(range, sides)):
        for axis, side in enumerate(sides):
            for step in (-1, 1):
                other = list(cell)
                other[axis] += step
                if 0 <= other[axis] < side:
                    found.append((_number(cell, sides), _number(other, sides)))
    return found


def power_of_two(tasks: int) -> None:
    """Refuse numbers of tasks that are no powers of two."""
    if tasks < 1 or tasks & (tasks - 1):
        raise InputError("must be a power of two", "tasks", tasks)


def _number(cell: tuple[int, ...] | list[int], sides: tuple[int, ...]) -> int:
    return sum(x * prod(sides[axis + 1 :]) for axis, x in enumerate(cell))


def _start(tasks: int, size: int) -> Builder:
    positive(tasks=tasks)
    at_least(size, 0, "bytes")
    return Builder(tasks)


def _io(tasks: int, io: int) -> int:
    positive(tasks=tasks)
    between(io, 0, 2**16, "io")
    return io or max(1, isqrt(tasks))


def _all_to_all(name: str, tasks: int, size: int, outstanding: int) -> Workload:
    positive(tasks=tasks)
    source = np.repeat(np.arange(tasks), tasks - 1)
    turn = np.tile(np.arange(1, tasks), tasks)
    target = (source + turn) % tasks
    return _chain(name, tasks, 0, source, target, size, outstanding, None)


def _chain(
    name: str,
    tasks: int,
    io: int,
    source: Ints,
    target: Ints,
    size: int,
    outstanding: int,
    seed: int | None,
) -> Workload:
    """Return messages, sorted by sender, with so many of each on their way at once."""
    at_least(size, 0, "bytes")
    at_least(outstanding, 0, "outstanding")
    rows = np.stack([source, target, np.full(len(source), size)], axis=1)
    waits = np.zeros((0, 2), np.int64)
    if outstanding:
        before = np.arange(max(0, len(source) - outstanding))
        after = before + outstanding
        same = source[before] == source[after]
        waits = np.stack([before[same], after[same]], axis=1)
    return Workload(name, tasks + io, rows, waits, io, seed=seed)
