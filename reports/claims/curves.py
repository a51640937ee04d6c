"""The claim that Hilbert's curve and the snake are walks through every processor."""

from __future__ import annotations

from itertools import pairwise, product

from ...heuristics.allocation import curves
from ...instances import Site, mesh
from .claim import Claim, Outcome, Trial, held, refuted

WALKS = ("hilbert", "snake")


def _boxes(quick: bool) -> list[tuple[int, ...]]:
    """List the boxes, the smallest first."""
    largest = {2: 9, 3: 4} if quick else {2: 16, 3: 6}
    boxes: list[tuple[int, ...]] = [(64, 64), (13, 22), (8, 8, 8)]
    for d, most in largest.items():
        boxes += product(range(1, most + 1), repeat=d)
    return sorted(boxes, key=lambda box: (sum(box), box))


def no_gaps(trial: Trial) -> Outcome:
    """Follow both curves on every box, the smallest first."""
    seen = 0
    for shape in _boxes(trial.quick):
        full = mesh(*shape, k=1)
        for order in WALKS:
            seen += 1
            walk = curves.ordered(order, shape).tolist()
            why = ""
            if sorted(walk) != list(range(full.n)):
                why = "does not visit every processor once"
            else:
                for p, q in pairwise(full.free[i] for i in walk):
                    if full.topology.distance(p, q) != 1:
                        why = f"goes from {p} to {q}"
                        break
            if not why and order == "hilbert":
                why = _wrong_ends(shape, full.free[walk[0]], full.free[walk[-1]])
            if why:
                return refuted(
                    f"{order} on {'x'.join(map(str, shape))} {why}", seen, full
                )
    return held(
        f"{' and '.join(WALKS)} visit every processor once, by single hops", seen
    )


def _wrong_ends(shape: tuple[int, ...], first: Site, last: Site) -> str:
    """Describe where Hilbert's curve does not cross just the longest side that it may.

    Neighbours differ in colour like the fields of a chessboard, and so do the ends of
    a walk through an even number of processors: the side it crosses must be even.
    """
    even = any(side % 2 == 0 for side in shape)
    may = [side for side in shape if side > 1 and (not even or side % 2 == 0)]
    longest = max(may, default=1)
    crossed = shape.index(longest)
    end = tuple((axis == crossed) * (longest - 1) for axis in range(len(shape)))
    if any(first) or last != end:
        return f"goes from {first} to {last}, not to {end}"
    return ""


CURVE_CLAIMS = (
    Claim(
        name="curves-have-no-gaps",
        statement="Hilbert's curve and the snake visit every processor of a mesh once, "
        "each a neighbour of the one before, whatever the sides; Hilbert's crosses the "
        "longest side that parity lets it cross.",
        source="derived, docs/allocators.md; Bender et al. 2008, section 5",
        tested="all boxes of sides up to 16 in the plane and 6 in space (9 and 4 if "
        "quick), and 64x64, 13x22, 8x8x8",
        test=no_gaps,
    ),
)
