"""Allocators against the definition, against one another, and over streams."""

from collections.abc import Callable, Iterator
from itertools import permutations, product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.submesh import frame_sliding, mbv
from closeknit.heuristics.submesh.allocator import SubmeshAllocator
from closeknit.heuristics.submesh.bitmap import Bitmap
from closeknit.heuristics.submesh.buddy import Buddy
from closeknit.heuristics.submesh.iss_arrays import ArrayScan
from closeknit.heuristics.submesh.zhu import ArrayFirstFit
from closeknit.instances import InputError, Submesh, check
from closeknit.instances.submesh import Box, Resident, box_at, overlap, sides
from closeknit.methods import SUBMESH
from closeknit.methods.allocators.submesh import ALLOCATORS
from closeknit.solvers import Grade, Limit, Settings, Status

from .linked_scans import FourWayScan, IntervalSetScan

FIRST_FIT = ("fs-1", "fs-f", "as", "iss", "zhu-first-fit", "bitmap")
Make = Callable[..., SubmeshAllocator]
PLAIN: dict[str, Make] = {"iss": IntervalSetScan, "4iss": FourWayScan}
Stream = list[tuple[int, int, int]]

shapes = st.tuples(st.integers(1, 12), st.integers(1, 12))
streams: st.SearchStrategy[Stream] = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(0, 9)), max_size=40
)
"""Sides that are asked for, and a number that says what is given back before."""
quick = settings(deadline=None, max_examples=60)


def instance_of(
    mesh: SubmeshAllocator, size: tuple[int, ...], *, migrate: bool = False
) -> Submesh:
    return Submesh(
        "state",
        mesh.shape,
        tuple(Resident(box) for box in mesh.held),
        size,
        rotate=mesh.rotate,
        torus=mesh.torus,
        migrate=migrate,
    )


def states(
    mesh: SubmeshAllocator, stream: Stream
) -> Iterator[tuple[Submesh, tuple[int, int], Box | None]]:
    """Play a stream; yield the state before each request, and where it is put."""
    for x, y, back in stream:
        if mesh.held and back < 5:
            mesh.release(mesh.held[back * len(mesh.held) // 5])
        before = instance_of(mesh, (x, y))
        yield before, (x, y), mesh.allocate((x, y))


def places(state: Submesh, size: tuple[int, ...]) -> list[Box]:
    """List the free boxes, not turned, by layers, rows, columns: the definition."""
    ranges = [
        range(side if state.torus and s <= side else side - s + 1)
        for side, s in zip(state.shape, size, strict=True)
    ]
    boxes = (box_at(place[::-1], size) for place in product(*reversed(ranges)))
    return [
        box
        for box in boxes
        if not any(overlap(state, box, one.box) for one in state.residents)
    ]


def turned_until_free(state: Submesh, size: tuple[int, ...]) -> list[Box]:
    """List the free boxes of the first orientation that has any."""
    ways = dict.fromkeys(permutations(size)) if state.rotate else [size]
    return next((free for one in ways if (free := places(state, one))), [])


class TestFirstFit:
    @quick
    @given(shapes, streams, st.booleans())
    def test_all_of_them_allocate_identically(
        self, shape: tuple[int, int], stream: Stream, rotate: bool
    ) -> None:
        runs = [
            states(ALLOCATORS[name](shape, rotate=rotate), stream) for name in FIRST_FIT
        ]
        for played in zip(*runs, strict=True):
            state, size, _ = played[0]
            wanted = [*turned_until_free(state, size), None][0]
            assert [box for _, _, box in played] == [wanted] * len(FIRST_FIT)

    @quick
    @given(st.data(), st.booleans(), st.booleans(), st.sampled_from([2, 3]))
    def test_on_tori_and_with_three_axes(
        self, data: st.DataObject, rotate: bool, torus: bool, d: int
    ) -> None:
        side = st.integers(1, 8 if d == 2 else 5)
        shape = data.draw(st.tuples(*[side] * d))
        sizes = data.draw(st.lists(st.tuples(*[st.integers(1, 4)] * d), max_size=12))
        two = [
            ALLOCATORS[name](shape, rotate=rotate, torus=torus)
            for name in ("fs-1", "bitmap")
        ]
        for number, size in enumerate(sizes):
            wanted = [*turned_until_free(instance_of(two[0], size), size), None][0]
            assert [mesh.allocate(size) for mesh in two] == [wanted] * 2
            if wanted and number % 3 == 1:
                for mesh in two:
                    mesh.release(mesh.held[0])

    @pytest.mark.parametrize("torus", [False, True])
    @pytest.mark.parametrize("width", [63, 64, 65, 130, 200])
    def test_rows_of_several_words(self, width: int, torus: bool) -> None:
        two = [ALLOCATORS[name]((width, 5), torus=torus) for name in ("fs-1", "bitmap")]
        for n in range(80):
            size = (1 + n * 37 % width, 1 + n % 3)
            assert two[0].allocate(size) == two[1].allocate(size)
            if n % 2 and two[0].held:
                box = two[0].held[n % len(two[0].held)]
                for mesh in two:
                    mesh.release(box)

    def test_last_row_and_column_are_tried(self) -> None:
        """Figure 2 prints < where equation 1 has <=."""
        for name in FIRST_FIT:
            mesh = ALLOCATORS[name]((4, 4))
            for box in [(0, 0, 3, 1), (0, 2, 1, 3)]:
                mesh.hold(box)
            assert mesh.allocate((2, 2)) == (2, 2, 3, 3)


@pytest.mark.parametrize("name", ALLOCATORS)
class TestEveryAllocator:
    @quick
    @given(shapes, streams, st.booleans())
    def test_finds_free_places_and_forgets_what_is_given_back(
        self, name: str, shape: tuple[int, int], stream: Stream, rotate: bool
    ) -> None:
        make = ALLOCATORS[name]
        mesh = make(shape, rotate=rotate)
        for state, size, box in states(mesh, stream):
            if box is not None:
                assert check(state, box) == []
                assert mesh.held[-1] == box
            elif make.complete:
                assert not turned_until_free(state, size)
            assert mesh.free == state.free - (prod(size) if box else 0)
        for box in mesh.held:
            mesh.release(box)
        assert mesh.held == []
        assert mesh.free == prod(shape)
        whole = min(shape) if name == "buddy" else max(shape)
        if name == "buddy":  # of other meshes the largest block is what there is
            whole = 1 << (whole.bit_length() - 1)
            assert mesh.find((whole, whole)) == make(shape).find((whole, whole))
        else:
            assert mesh.allocate(shape) == box_at((0, 0), shape)

    @quick
    @given(shapes, streams)
    def test_holding_is_like_allocating(
        self, name: str, shape: tuple[int, int], stream: Stream
    ) -> None:
        """A mesh whose residents are put in finds what the one they came to finds."""
        if name == "buddy":  # its blocks are larger than their boxes
            return
        mesh = ALLOCATORS[name](shape)
        for state, size, box in states(mesh, stream):
            other = ALLOCATORS[name](shape)
            for one in state.residents:
                other.hold(one.box)
            assert other.find(size) == box
            assert other.held == [one.box for one in state.residents]

    def test_refuses_nonsense(self, name: str) -> None:
        mesh = ALLOCATORS[name]((4, 4))
        mesh.hold((0, 0, 1, 1))
        with pytest.raises(InputError, match="held already"):
            mesh.hold((0, 0, 1, 1))
        with pytest.raises(InputError, match="not held"):
            mesh.release((0, 0, 1, 0))
        with pytest.raises(InputError, match="2 sides"):
            mesh.find((1, 1, 1))
        with pytest.raises(InputError, match="2 sides"):
            mesh.find((0, 1))
        assert mesh.find((5, 1)) is None

    def test_counts_steps(self, name: str) -> None:
        mesh = ALLOCATORS[name]((8, 8))
        mesh.allocate((2, 2))
        mesh.allocate((2, 2))
        before = mesh.steps
        mesh.find((2, 2))
        assert mesh.steps > before


class TestInitialState:
    """Not only does it answer as at first: the structures are as at first."""

    @quick
    @given(shapes, streams)
    def test_of_structures(self, shape: tuple[int, int], stream: Stream) -> None:
        plain, arrays = FourWayScan(shape), ArrayScan(shape)
        bits, zeros, blocks = Bitmap(shape), ArrayFirstFit(shape), Buddy(shape)
        every: list[SubmeshAllocator] = [plain, arrays, bits, zeros, blocks]
        fresh, whole = Bitmap(shape), Buddy(shape)._free
        for mesh in every:
            list(states(mesh, stream))
            for box in mesh.held:
                mesh.release(box)
        sets = [plain.base, plain.reverse, plain.base_columns, plain.reverse_columns]
        assert not any(one.cells for lines in sets for one in lines)
        assert not arrays._heads.any()
        assert (bits._bits == fresh._bits).all()
        assert not zeros._array.any()
        assert blocks._free == whole


class TestIntervalScans:
    @quick
    @given(shapes, streams, st.booleans(), st.sampled_from(["iss", "4iss"]))
    def test_lists_in_arrays_answer_and_count_as_plain_ones(
        self, shape: tuple[int, int], stream: Stream, rotate: bool, name: str
    ) -> None:
        plain = PLAIN[name](shape, rotate=rotate)
        arrays = ALLOCATORS[name](shape, rotate=rotate)
        for one, two in zip(states(plain, stream), states(arrays, stream), strict=True):
            assert one[2] == two[2]
            assert plain.steps == arrays.steps

    def test_many_residents(self) -> None:
        """More than the first pool of nodes holds."""
        plain, arrays = FourWayScan((40, 40)), ALLOCATORS["4iss"]((40, 40))
        for n in range(900):
            size = (1 + n % 2, 1 + n % 3 % 2)
            assert plain.allocate(size) == arrays.allocate(size)
            if n % 3 == 0 and len(plain.held) > 300:
                box = plain.held[n * 7 % len(plain.held)]
                plain.release(box)
                arrays.release(box)
        assert len(plain.held) > 300
        assert plain.steps == arrays.steps

    @quick
    @given(shapes, streams, st.booleans())
    def test_four_ways_come_closest_to_an_edge(
        self, shape: tuple[int, int], stream: Stream, rotate: bool
    ) -> None:
        for state, size, box in states(
            ALLOCATORS["4iss"](shape, rotate=rotate), stream
        ):
            free = turned_until_free(state, size)
            assert (box is None) == (not free)
            if box is None:
                continue
            x, y = sides(box)
            axis = 1 if x >= y else 0  # the larger side lies along the other one

            def order(one: Box, axis: int = axis) -> tuple[int, int, int]:
                near, far = one[axis], shape[axis] - 1 - one[axis + 2]
                return min(near, far), int(far < near), one[1 - axis]

            assert box == min(free, key=order)


class TestFrames:
    @quick
    @given(shapes, streams, st.booleans())
    def test_restricted_ones_are_those_of_equation_2(
        self, shape: tuple[int, int], stream: Stream, rotate: bool
    ) -> None:
        for state, size, box in states(
            ALLOCATORS["fs-n"](shape, rotate=rotate), stream
        ):
            candidates = [
                one
                for turned in ([size, size[::-1]] if rotate else [size])
                for one in places(state, turned)
                if one[0] % turned[0] == 0 and one[1] % turned[1] == 0
            ]
            assert box == (candidates[0] if candidates else None)

    def test_steps_are_residents_looked_at(self) -> None:
        residents = [(0, 0, 1, 1), (4, 0, 5, 1)]
        meshes = {name: ALLOCATORS[name]((6, 2)) for name in ("fs-1", "fs-f", "as")}
        for mesh in meshes.values():
            for box in residents:
                mesh.hold(box)
            assert mesh.find((2, 1)) == (2, 0, 3, 0)
        # frames at 0, 1: past the youngest, then in conflict; at 2: past both
        assert meshes["fs-1"].steps == 2 + 2 + 2
        # from 0 straight to 2
        assert meshes["fs-f"].steps == 2 + 2
        assert meshes["as"].steps == 2 + 2

    @pytest.mark.parametrize("name", ["fs-1", "fs-n", "fs-f", "as"])
    def test_a_search_in_pieces_is_the_same(
        self, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def run() -> list[object]:
            mesh = ALLOCATORS[name]((9, 9), rotate=name != "fs-n")
            found: list[object] = []
            for n in range(60):
                found += [mesh.allocate((1 + n % 4, 1 + n % 3)), mesh.steps]
                if n % 2 and mesh.held:
                    mesh.release(mesh.held[n % len(mesh.held)])
            return found

        whole = run()
        monkeypatch.setattr(frame_sliding, "_BUDGET", 3)
        assert run() == whole


class TestMaximumBoundaryValue:
    @staticmethod
    def value(state: Submesh, box: Box) -> int:
        """Sum over the rim: allocated neighbours, and edges of the mesh it lies on."""
        a, b, c, d = box
        held = {
            (x, y)
            for one in state.residents
            for x in range(one.box[0], one.box[2] + 1)
            for y in range(one.box[1], one.box[3] + 1)
        }
        total = 0
        for x, y in product(range(a, c + 1), range(b, d + 1)):
            for near in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                outside = not all(
                    0 <= v < side for v, side in zip(near, state.shape, strict=True)
                )
                total += outside or near in held
        return total

    @quick
    @given(shapes, streams, st.booleans(), st.sampled_from([1, 64]))
    def test_takes_the_first_of_greatest_value(
        self, shape: tuple[int, int], stream: Stream, rotate: bool, rows: int
    ) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(mbv, "_ROWS", rows)
            mesh = ALLOCATORS["mbv"](shape, rotate=rotate)
            for state, size, box in states(mesh, stream):
                free = turned_until_free(state, size)
                best = max(free, key=lambda one: self.value(state, one), default=None)
                assert box == best


class TestZhu:
    @quick
    @given(shapes, streams)
    def test_best_fit_takes_the_smallest_region(
        self, shape: tuple[int, int], stream: Stream
    ) -> None:
        for state, size, box in states(ALLOCATORS["zhu-best-fit"](shape), stream):
            held = [one.box for one in state.residents]
            free = {
                (x, y)
                for x, y in product(*map(range, shape))
                if not any(a <= x <= c and b <= y <= d for a, b, c, d in held)
            }
            extent: dict[tuple[int, int], int] = {}
            for start in free:
                if start in extent:
                    continue
                region, edge = {start}, [start]
                while edge:
                    x, y = edge.pop()
                    near = {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)}
                    fresh = (near & free) - region
                    region |= fresh
                    edge += fresh
                extent |= dict.fromkeys(region, len(region))
            fits = places(state, size)
            best = min(fits, key=lambda one: extent[one[0], one[1]], default=None)
            assert box == best


class TestBuddy:
    @quick
    @given(shapes, streams)
    def test_gives_the_first_block_of_the_least_order(
        self, shape: tuple[int, int], stream: Stream
    ) -> None:
        mesh = ALLOCATORS["buddy"](shape)
        for state, size, box in states(mesh, stream):
            taken = [self.block(one.box) for one in state.residents]
            side = 1 << (max(size) - 1).bit_length()
            free = self.free_blocks(shape, taken)
            large = [one for one in free if sides(one)[0] >= side]
            order = sorted(large, key=lambda one: (sides(one), one[1], one[0]))
            assert box == (box_at(order[0][:2], size) if order else None)
            if box is not None:
                assert box[0] % side == box[1] % side == 0

    @staticmethod
    def block(box: Box) -> Box:
        side = 1 << (max(sides(box)) - 1).bit_length()
        return box_at(box[:2], (side, side))

    @staticmethod
    def free_blocks(shape: tuple[int, int], taken: list[Box]) -> list[Box]:
        """List the aligned blocks that are free and in no larger free block."""
        whole = 1 << (max(shape) - 1).bit_length()
        mesh = Submesh("m", shape, (), (1, 1))
        free: list[Box] = []
        side = whole
        while side:
            for place in product(range(0, shape[0], side), range(0, shape[1], side)):
                box = box_at(place, (side, side))
                inside = box[2] < shape[0] and box[3] < shape[1]
                if inside and not any(overlap(mesh, box, one) for one in taken + free):
                    free.append(box)
            side //= 2
        return free

    def test_a_resident_of_any_shape_is_cut_into_blocks(self) -> None:
        mesh = Buddy((8, 8))
        mesh.hold((1, 1, 4, 2))
        cells = sum(4**order * len(free) for order, free in enumerate(mesh._free))
        assert cells == 64 - 8
        mesh.release((1, 1, 4, 2))
        assert mesh._free == [[], [], [], [(0, 0)]]


class TestMethods:
    full = Submesh("full", (4, 4), (Resident((0, 0, 3, 2)),), (2, 2), migrate=False)

    @pytest.mark.parametrize("name", ALLOCATORS)
    def test_nothing_found_is_a_proof_only_if_all_was_seen(self, name: str) -> None:
        found = SUBMESH[name](self.full)
        if ALLOCATORS[name].complete:
            assert found.status is Status.INFEASIBLE
            assert found.proof is not None
            assert (found.proof.grade, found.proof.by) == (Grade.ENUMERATED, name)
        else:
            assert found.status is Status.UNKNOWN

    @pytest.mark.parametrize("name", ALLOCATORS)
    def test_nothing_found_is_no_proof_if_residents_may_move(self, name: str) -> None:
        loose = Submesh("loose", (4, 4), (Resident((0, 1, 3, 2)),), (2, 2))
        assert SUBMESH[name](loose).status is Status.UNKNOWN

    @pytest.mark.parametrize("name", ALLOCATORS)
    def test_goes_round_blocked_processors(self, name: str) -> None:
        one = Submesh("holes", (8, 8), (), (4, 4), blocked=((0, 0), (4, 3)))
        found = SUBMESH[name](one)
        assert found.status is Status.OPTIMAL
        assert found.objective == (0, 0, 0)
        assert str(found.proof) == "checked: costs that are not negative"

    @pytest.mark.parametrize("name", ALLOCATORS)
    def test_says_which_meshes_are_not_for_it(self, name: str) -> None:
        make = ALLOCATORS[name]
        for shape, torus in [((4, 4, 4), False), ((4, 4), True), ((4, 4, 4), True)]:
            one = Submesh("one", shape, (), (1,) * len(shape), torus=torus)
            if make.refuses(shape, torus):
                with pytest.raises(InputError, match="is for"):
                    SUBMESH[name](one)
                with pytest.raises(InputError, match="is for"):
                    make(shape, torus=torus)
            else:
                assert SUBMESH[name](one).status is Status.OPTIMAL

    def test_buddies_refuse_a_line_of_millions(self) -> None:
        line = Submesh("line", (2**20, 1), (), (1, 1))
        with pytest.raises(InputError, match="sides of at most 65536"):
            SUBMESH["buddy"](line)

    @pytest.mark.parametrize("name", ["fs-1", "fs-f", "as", "mbv"])
    def test_ends_at_the_time_limit(
        self, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(frame_sliding, "_BUDGET", 1)
        monkeypatch.setattr(mbv, "_ROWS", 1)
        bars = (Resident((0, 0, 3, 0)), Resident((0, 2, 3, 2)))
        one = Submesh("bars", (4, 4), bars, (2, 2), migrate=False)
        assert SUBMESH[name](one).status is Status.INFEASIBLE
        found = SUBMESH[name](one, Settings(time_limit=0.0))
        assert (found.status, found.limit) == (Status.UNKNOWN, Limit.TIME)
