"""MBS against a buddy system that keeps lists of blocks, splits and merges them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.allocation.allocator import Allocation
from closeknit.heuristics.allocation.mbs import MBS
from closeknit.instances import Grid, Mesh, Site, Torus
from closeknit.methods.allocators.table import allocator

Block = tuple[int, Site]
"""Binary logarithm of the side, first cell."""

SHAPES = [(8, 8), (7, 13), (16, 6), (1, 9), (11,), (5, 4, 3), (4, 4, 8), (3, 2, 2, 2)]


class Records:
    """Free block records, as the source keeps them: nothing is derived from cells."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        top = min(shape).bit_length() - 1
        self.free: list[set[Site]] = [set() for _ in range(top + 1)]
        self.whole = {
            (i, cell)
            for i in range(top + 1)
            for cell in product(*(range(0, side, 1 << i) for side in shape))
            if all(x + (1 << i) <= side for x, side in zip(cell, shape, strict=True))
        }
        for cell in product(*map(range, shape)):
            self.give((0, cell))

    def parent(self, block: Block) -> Block:
        i, cell = block
        return i + 1, tuple(x >> (i + 1) << (i + 1) for x in cell)

    def children(self, block: Block) -> list[Block]:
        i, cell = block
        steps = product((0, 1 << (i - 1)), repeat=len(cell))
        return [
            (i - 1, tuple(x + y for x, y in zip(cell, step, strict=True)))
            for step in steps
        ]

    def give(self, block: Block) -> None:
        """Note that a block is idle, and merge it with its buddies if they all are."""
        i, cell = block
        self.free[i].add(cell)
        above = self.parent(block)
        if above not in self.whole:
            return
        buddies = self.children(above)
        if all(buddy in self.free[i] for _, buddy in buddies):
            self.free[i].difference_update(buddy for _, buddy in buddies)
            self.give(above)

    def split(self, i: int) -> Site | None:
        """Return the first block of a size, made out of a larger one if need be."""
        if i == len(self.free):
            return None
        if self.free[i]:
            return min(self.free[i])
        larger = self.split(i + 1)
        if larger is None:
            return None
        self.free[i + 1].remove(larger)
        self.free[i].update(cell for _, cell in self.children((i + 1, larger)))
        return larger

    def take(self, k: int) -> list[Block]:
        """Take blocks for a job; there are enough processors."""
        buddies = 2 ** len(self.shape)
        requests = [0] * len(self.free)
        for i in reversed(range(len(requests))):
            requests[i], k = divmod(k, buddies**i)
        taken = []
        for i in reversed(range(len(requests))):
            for _ in range(requests[i]):
                cell = self.split(i)
                if cell is None:
                    requests[i - 1] += buddies
                    continue
                self.free[i].remove(cell)
                taken.append((i, cell))
        return taken

    def hold(self, cell: Site) -> Block:
        """Break blocks down to one cell, and take it."""
        block = (0, cell)
        while block[1] not in self.free[block[0]]:
            block = self.parent(block)
        while block != (0, cell):
            self.free[block[0]].remove(block[1])
            for child in self.children(block):
                self.free[child[0]].add(child[1])
            block = next(
                child
                for child in self.children(block)
                if all(
                    x <= y < x + (1 << child[0])
                    for x, y in zip(child[1], cell, strict=True)
                )
            )
        self.free[0].remove(cell)
        return block

    def cells(self, block: Block) -> list[Site]:
        i, cell = block
        return list(product(*(range(x, x + (1 << i)) for x in cell)))


@settings(max_examples=80, deadline=None)
@given(
    shape=st.sampled_from(SHAPES),
    steps=st.lists(
        st.tuples(
            st.sampled_from(["allocate", "allocate", "hold", "release"]),
            st.integers(0, 2**16),
        ),
        max_size=20,
    ),
)
def test_blocks_are_those_of_free_block_records(
    shape: tuple[int, ...], steps: list[tuple[str, int]]
) -> None:
    one, records = MBS(Mesh(shape)), Records(shape)
    held: list[tuple[Allocation, list[Block]]] = []
    for what, x in steps:
        if what == "release" and held:
            grant, blocks = held.pop(x % len(held))
            one.release(grant)
            for block in blocks:
                records.give(block)
        elif what == "hold" and one.free:
            number = int(np.flatnonzero(one.idle)[x % one.free])
            held.append((one.hold([number]), [records.hold(one.places[number])]))
        elif what == "allocate" and one.free:
            k = 1 + x % one.free
            k = 1 + x // one.free % k
            allocated = one.allocate(k)
            assert allocated is not None
            blocks = records.take(k)
            cells = [cell for block in blocks for cell in records.cells(block)]
            assert [one.places[i] for i in allocated.used] == cells
            held.append((allocated, blocks))
        for i, (found, cut) in enumerate(zip(one.blocks(), one.cuts, strict=True)):
            at = zip(*np.unravel_index(found, cut), strict=True)
            cells = [tuple(int(x) << i for x in site) for site in at]
            assert cells == sorted(records.free[i])
    for grant, _ in held:
        one.release(grant)
    assert one.state() == MBS(Mesh(shape)).state()


def test_a_job_is_factored_in_base_4() -> None:
    one = MBS(Mesh((8, 8)))
    grant = one.allocate(4 * 4 + 2 * 4 + 3)  # 27 = 123 in base 4
    assert grant is not None
    sites = [one.places[i] for i in grant.used]
    assert sites[:16] == list(product(range(4), range(4)))
    assert sites[16:20] == list(product((0, 1), (4, 5)))
    assert sites[20:24] == list(product((0, 1), (6, 7)))
    assert sites[24:] == [(2, 4), (2, 5), (3, 4)]


def test_small_blocks_go_before_large_ones_are_split() -> None:
    one = MBS(Mesh((4, 8)))
    one.hold([one.places.index((0, 0))])
    grant = one.allocate(4)  # the 2x2 blocks that are left of the first 4x4
    assert grant is not None
    assert [one.places[i] for i in grant.used] == [(0, 2), (0, 3), (1, 2), (1, 3)]
    more = one.allocate(17)  # one block of 4x4, and of the rest a single one
    assert more is not None
    sites = [one.places[i] for i in more.used]
    assert sites == [*product(range(4), range(4, 8)), (0, 1)]


@pytest.mark.parametrize("kind", [Mesh, Torus])
@pytest.mark.parametrize("shape", [(16, 22), (7, 13), (1, 30), (6, 5, 9)])
def test_every_job_is_served_while_there_are_processors(
    kind: Callable[..., Grid], shape: tuple[int, ...]
) -> None:
    one = allocator("mbs", kind(shape))
    left = prod(shape)
    for k in range(1, 200):
        grant = one.allocate(min(k, left))
        assert grant is not None
        left -= min(k, left)
        if not left:
            break
    assert not one.idle.any()
