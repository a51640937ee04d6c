"""Young diagrams as point sets, centred: column i stands at pos(i)."""

from __future__ import annotations


def pos(i: int) -> int:
    """Return the i-th coordinate from the middle: 0, 1, -1, 2, -2, ….

    >>> [pos(i) for i in range(5)]
    [0, 1, -1, 2, -2]
    """
    return (i + 1) // 2 if i % 2 else -(i // 2)


def partition_cost(partition: tuple[int, ...]) -> int:
    """Return the pair sum of the points whose columns are the partition's parts.

    >>> partition_cost((2, 1))
    4
    """
    rows = tuple(
        sum(1 for a in partition if a > j) for j in range(max(partition, default=0))
    )
    return _axis_cost(partition) + _axis_cost(rows)


def _axis_cost(counts: tuple[int, ...]) -> int:
    """Sum the cuts of one axis that has counts[i] points at pos(i).

    The i-th gap from the middle has counts[i], counts[i+2], … points behind it.
    """
    k = sum(counts)
    behind = [0] * (len(counts) + 2)
    for i in range(len(counts) - 1, 0, -1):
        behind[i] = counts[i] + behind[i + 2]
    return sum(c * (k - c) for c in behind)
