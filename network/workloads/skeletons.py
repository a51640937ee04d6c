"""Skeletons of the NAS parallel benchmarks: who sends how much to whom after what.

They have the pattern, order and proportions of the messages of NPB 3's MPI programs as
documented and published in their source, not those of a trace: no computing, no times.
``size`` is the longest message in bytes; the others are in proportion. The tests hold
partners and numbers of messages against those measured for class C on 64 ranks.
"""

from __future__ import annotations

from math import isqrt

from ...instances import InputError
from ...instances.reading.numbers import at_least, positive
from .causal import power_of_two
from .format import Builder, Workload

_WORD = 8
"""Bytes of a double."""


def bt(tasks: int, size: int, iterations: int = 1) -> Workload:
    """Send as block tridiagonal: faces, then a pipeline along each axis and back.

    Multi-partition on √p x √p tasks: the cells of a task lie on a diagonal of the cube,
    so it has the same partner before and behind along an axis at every stage. A face of
    5 variables is 2 layers deep; the forward sweep sends a 5 x 5 block and 5 variables
    per point, the backward one 5.
    """
    return _multi_partition("BT", tasks, size, iterations, forward=30, backward=5)


def sp(tasks: int, size: int, iterations: int = 1) -> Workload:
    """Send as scalar pentadiagonal: like `bt`, with 22 and 10 numbers per point."""
    return _multi_partition("SP", tasks, size, iterations, forward=22, backward=10)


def _multi_partition(
    name: str, tasks: int, size: int, iterations: int, forward: int, backward: int
) -> Workload:
    side = isqrt(tasks) if tasks > 0 else 0
    if side * side != tasks or not tasks:
        raise InputError("must be a square number", "tasks", tasks)
    build = _start(tasks, size, iterations)
    if side == 1:
        return build.workload(name)
    ahead = []
    for across, along in ((0, 1), (1, 0), (1, -1)):
        ahead.append(
            [
                (u // side + across) % side * side + (u % side + along) % side
                for u in range(tasks)
            ]
        )
    back = [[step.index(u) for u in range(tasks)] for step in ahead]
    face = 2 * 5 * (side - 1)  # words per point of a face of a cell
    for _ in range(iterations):
        build.step(
            (u, step[u], size)
            for steps in zip(ahead, back, strict=True)
            for step in steps
            for u in range(tasks)
        )
        for onward, backwards in zip(ahead, back, strict=True):
            for step, words in ((onward, forward), (backwards, backward)):
                for _ in range(side - 1):
                    build.step((u, step[u], size * words // face) for u in range(tasks))
    return build.workload(name)


def cg(tasks: int, size: int, iterations: int = 1) -> Workload:
    """Send as conjugate gradient: sums along rows, a transposition, dot products.

    Tasks form rows and as many or twice as many columns. A matrix-vector product is
    summed by exchanging whole segments across half, a quarter, … of a row; the partner
    across the diagonal gets the result; dot products exchange one number likewise.
    """
    power_of_two(tasks)
    build = _start(tasks, size, iterations)
    bits = tasks.bit_length() - 1
    rows = 1 << bits // 2
    columns = tasks // rows
    halves = [columns >> i + 1 for i in range(columns.bit_length() - 1)]

    def transpose(u: int) -> int:
        if rows == columns:
            return u % rows * rows + u // rows
        half = u // 2
        return 2 * (half % rows * rows + half // rows) + u % 2

    for _ in range(iterations):
        for distance in reversed(halves):
            build.step((u, u ^ distance, size) for u in range(tasks))
        build.step((u, transpose(u), size) for u in range(tasks) if transpose(u) != u)
        for _ in range(2):
            for distance in halves:
                build.step((u, u ^ distance, _WORD) for u in range(tasks))
    return build.workload("CG")


def integer_sort(tasks: int, size: int, iterations: int = 1) -> Workload:
    """Send as integer sort: sums of buckets, numbers of keys and keys all to all.

    The 1024 sizes are summed by recursive doubling.
    """
    power_of_two(tasks)
    build = _start(tasks, size, iterations)
    for _ in range(iterations):
        for bit in range(tasks.bit_length() - 1):
            build.step((u, u ^ 1 << bit, 4 * 1024) for u in range(tasks))
        for bytes_of_pair in (4, size):
            build.step(_everyone(tasks, bytes_of_pair))
    return build.workload("IS")


def ft(tasks: int, size: int, iterations: int = 1) -> Workload:
    """Send as Fourier transform: all to all, and a checksum along a tree."""
    power_of_two(tasks)
    build = _start(tasks, size, iterations)
    for _ in range(iterations):
        build.step(_everyone(tasks, size))
        step = 1
        while step < tasks:
            build.step((u, u - step, 2 * _WORD) for u in range(step, tasks, 2 * step))
            step *= 2
    return build.workload("FT")


def lu(tasks: int, size: int, iterations: int = 1, planes: int = 62) -> Workload:
    """Send as lower-upper: wave fronts per plane, there and back, then faces.

    Tasks form a mesh of which the first coordinate runs fastest; a plane sends 5
    numbers per point of an edge, a face 2 layers of them for all planes.
    """
    power_of_two(tasks)
    at_least(planes, 1, "planes")
    build = _start(tasks, size, iterations)
    bits = tasks.bit_length() - 1
    fast = 1 << bits // 2
    slow = tasks // fast
    low: list[list[int]] = [[] for _ in range(tasks)]
    high: list[list[int]] = [[] for _ in range(tasks)]
    for u in range(tasks):
        if u % fast < fast - 1:
            high[u].append(u + 1)
            low[u + 1].append(u)
        if u // fast < slow - 1:
            high[u].append(u + fast)
            low[u + fast].append(u)
    edge = size // (2 * planes)
    for _ in range(iterations):
        for order, ahead in ((range(tasks), high), (range(tasks - 1, -1, -1), low)):
            for _ in range(planes):
                for u in order:
                    build.pass_on(u, ahead[u], edge)
        build.step((u, v, size) for u in range(tasks) for v in (*low[u], *high[u]))
    return build.workload("LU")


def mg(tasks: int, size: int, iterations: int = 1) -> Workload:
    """Send as multigrid: faces along each axis, on grids coarser and finer again.

    Tasks form a torus of three sides that are powers of two. A grid half as fine has
    faces of a quarter; grids of which tasks have less than a number, which NPB hands to
    fewer tasks, are left out. Going down a grid is exchanged once, going up twice.
    """
    power_of_two(tasks)
    build = _start(tasks, size, iterations)
    bits = tasks.bit_length() - 1
    sides = [1 << (bits + 2 - axis) // 3 for axis in range(3)]
    faces = [size]
    while faces[-1] >= 4 * _WORD:
        faces.append(faces[-1] // 4)

    def exchange(face: int) -> None:
        stride = 1
        for side in sides:
            if side > 1:
                rows = []
                for u in range(tasks):
                    at = u // stride % side
                    for step in (-1, 1):
                        rows.append((u, u + ((at + step) % side - at) * stride, face))
                build.step(rows)
            stride *= side

    for _ in range(iterations):
        exchange(faces[0])
        for face in faces[1:]:
            exchange(face)
        for face in reversed(faces[1:]):
            exchange(face)
            exchange(face)
        exchange(faces[0])
    return build.workload("MG")


def _everyone(tasks: int, size: int) -> list[tuple[int, int, int]]:
    return [(u, (u + i) % tasks, size) for u in range(tasks) for i in range(1, tasks)]


def _start(tasks: int, size: int, iterations: int) -> Builder:
    positive(tasks=tasks, iterations=iterations)
    at_least(size, 0, "bytes")
    return Builder(tasks)
