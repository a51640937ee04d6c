"""Claims about runs of Hilbert's curve: jobs that come, and none of which leaves.

Fekete, Schweer and Reinhardt 2014 allocate along a space-filling curve, and prove that
the largest normalised mean distance is at most 1.8092 times the least possible one for
shapes, 1.7848 times for sets of points. An adversary may ask for single processors
until any place of the curve comes next, and then for any number; so a factor that holds
for all sequences holds for every run of consecutive cells, against the best set of its
size, wherever that fits. A finite run of the test can refute this, not prove it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ....formulations.ksubset.bounds.city import city
from ....formulations.ksubset.bounds.towns import town, town_sites
from ....heuristics.allocation import curves
from ....instances import Mesh, mesh
from ....methods.allocators.table import allocator
from .claim import Claim, Outcome, Trial, failed, passed

_Ints = npt.NDArray[np.int64]
OF_POINTS = Fraction("1.7848")
OF_SHAPES = Fraction("1.8092")
DERIVED, QUICK_DERIVED = Fraction("1.38"), Fraction("1.46")
"""Factors that `every_part` shows, the second from coarser cells."""
_LEAST, _QUICK_LEAST = 256, 64
"""Cells of the parts that are looked at: up to four times as many, and two more."""


def _walk(side: int) -> _Ints:
    """Return the cells along Hilbert's curve, shape (n, 2)."""
    order = curves.processors_along("hilbert", (side, side))
    return np.stack(np.divmod(order, side), axis=1)


def _runs(walk: _Ints, most: int) -> Iterator[tuple[int, _Ints, _Ints]]:
    """Yield for k = 1, 2, … what pairs of k consecutive cells have in sum.

    The second is their Manhattan distances, by the first cell; the third how many
    coordinates they have in common.
    """
    n = len(walk)
    far, alike = np.zeros(n, np.int64), np.zeros(n, np.int64)
    sums, common = far.copy(), far.copy()  # of a cell with the k - 1 before it
    for k in range(1, most + 1):
        if k > 1:
            away = np.abs(walk[k - 1 :] - walk[: n - k + 1])
            sums[k - 1 :] += away.sum(axis=1)
            common[k - 1 :] += (away == 0).sum(axis=1)
        far, alike = (
            far[: n - k + 1] + sums[k - 1 :],
            alike[: n - k + 1] + common[k - 1 :],
        )
        yield k, far, alike


def _mean_distance(k: int, far: _Ints, alike: _Ints) -> npt.NDArray[np.float64]:
    """Return the mean distance of two points of k unit squares, over the root of k.

    Two points of squares a > 0 apart on an axis differ by a there on average, of one
    square or of two in line by a third.
    """
    found: npt.NDArray[np.float64] = (6 * far + 2 * (alike + k)) / (3 * k**2.5)
    return found


def points(trial: Trial) -> Outcome:
    """Look at all runs of processors for which the best set fits into the mesh."""
    most, sides = (40, (2, 4, 8, 16)) if trial.quick else (200, (2, 4, 8, 16, 32, 64))
    seen = 0
    worst, shown = Fraction(0), ""
    for side in sides:
        for k, far, _ in _runs(_walk(side), min(most, side**2)):
            if k < 2 or max(map(max, town_sites(k))) >= side:
                continue
            seen += len(far)
            at = int(far.argmax())
            ratio = Fraction(int(far[at]), town(k))
            if ratio > OF_POINTS:
                return failed(
                    f"{k} processors from place {at} of {side}x{side} cost {far[at]}, "
                    f"the best {town(k)}: {float(ratio):.4f}",
                    seen,
                    mesh(side, side, k=k),
                )
            if ratio > worst:
                worst = ratio
                shown = f"{k} from place {at} of {side}x{side}"
    outcome = _serve(trial, sides[-2:])
    if not outcome.holds:
        return outcome
    return passed(
        f"worst {worst} = {float(worst):.4f}: {shown}; {outcome.result}",
        seen + outcome.instances,
    )


def _serve(trial: Trial, sides: tuple[int, ...]) -> Outcome:
    """Let jobs of drawn sizes come until the mesh is full; look at what they get."""
    draw = np.random.default_rng([trial.seed, 3])
    seen = 0
    for side in sides:
        place = np.argsort(curves.processors_along("hilbert", (side, side)))
        for _ in range(5 if trial.quick else 20):
            machine = allocator("hilbert/first-fit", Mesh(side, side))
            while machine.free:
                k = int(draw.integers(1, min(machine.free, 30) + 1))
                first = side**2 - machine.free
                grant = machine.allocate(k)
                seen += 1
                got = [] if grant is None else sorted(place[grant.used].tolist())
                if got != list(range(first, first + k)):
                    return failed(
                        f"a job of {k} on {side}x{side} gets places {got}, not the "
                        f"next ones from {first}",
                        seen,
                    )
    return passed(
        f"{seen} jobs in sequences got the next ones, seed {trial.seed}", seen
    )


def shapes(trial: Trial) -> Outcome:
    """Look at all runs of cells of a square, as shapes."""
    seen = 0
    worst, shown = 0.0, ""
    limit = float(OF_SHAPES) * city().psi
    for side in (2, 4, 8, 16, 32) if trial.quick else (2, 4, 8, 16, 32, 64):
        for k, far, alike in _runs(_walk(side), side**2):
            seen += len(far)
            mean = _mean_distance(k, far, alike)
            at = int(mean.argmax())
            if mean[at] > limit:
                return failed(
                    f"{k} cells from place {at} of {side}x{side}: {mean[at]:.5f}, "
                    f"{mean[at] / city().psi:.4f} of the optimal city's",
                    seen,
                )
            if mean[at] > worst:
                worst, shown = float(mean[at]), f"{k} from place {at} of {side}x{side}"
    return passed(f"worst {worst / city().psi:.4f}: {shown}", seen)


def every_part(trial: Trial) -> Outcome:
    """Bound all parts of the curve by the runs of cells that cover them.

    A part is scaled so that it covers from c to 4 c cells; then it lies within a run of
    at most two cells more than its area. Such a run lies within two squares that follow
    each other, and those of the curve look like the ones that are tried: the pairs of
    squares on one scale are all there on the scale before.
    """
    least = _QUICK_LEAST if trial.quick else _LEAST
    side = 2
    while side**2 < 4 * least + 2:
        side *= 2  # a square that a run fits into
    scale = 2
    while scale < 4 * side:
        if why := _find_break(scale):
            return failed(why, 1)
        scale *= 2
    pairs = [_pairs(scale) for scale in (4, 8, 16)]
    if not pairs[0] == pairs[1] == pairs[2]:
        return failed("squares follow each other in new ways on a finer scale", 3)
    walk = _walk(4 * side)
    seen, worst, shown = 0, 0.0, 0
    for k, far, alike in _runs(walk, 4 * least + 2):
        if k < least:
            continue
        seen += len(far)
        mean = float(_mean_distance(k, far, alike).max()) * (k / (k - 2)) ** 2.5
        if mean > worst:
            worst, shown = mean, k
    factor = worst / city().psi
    text = f"at most {factor:.4f}, from runs of {shown} cells"
    limit = QUICK_DERIVED if trial.quick else DERIVED
    if factor > limit:
        return failed(f"{text}, not {float(limit)}", seen)
    return passed(text, seen)


def _find_break(side: int) -> str:
    """Say where the curve of twice the side does not refine that of a side."""
    coarse, fine = _walk(side), _walk(2 * side)
    blocks = fine.reshape(-1, 4, 2) // 2
    for walk in (coarse, coarse[:, ::-1]):
        if (blocks == walk[:, None]).all():
            return ""
    return f"the curve of side {2 * side} is no refinement of that of side {side}"


def _pairs(side: int) -> set[bytes]:
    """Return how squares follow each other, by their sixteen cells, up to symmetry."""
    squares = _walk(4 * side).reshape(-1, 16, 2)
    found = set()
    for one, other in pairwise(squares):
        path = np.concatenate([one, other])
        looks = []
        for turned in (path, path[:, ::-1]):
            for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                placed = turned * signs
                looks.append((placed - placed.min(axis=0)).astype(np.int8).tobytes())
        found.add(min(looks))
    return found


RUN_CLAIMS = (
    Claim(
        name="curve-factor-of-points",
        statement="Any k consecutive processors of Hilbert's curve through a square "
        "mesh, which hilbert/first-fit gives to jobs that come and of which none "
        "leaves, cost at most 1.7848 times as much as the best k.",
        source="Fekete, Schweer and Reinhardt 2014, as its abstract has it",
        tested="all runs of up to 200 processors on meshes of sides 2^m up to 64 (40 "
        "and 16 if quick) for which the best set fits; drawn sequences of jobs",
        test=points,
    ),
    Claim(
        name="curve-factor-of-shapes",
        statement="Two points drawn from consecutive cells of Hilbert's curve are at "
        "most 1.8092 times as far apart on average as two of the optimal city of that "
        "area.",
        source="Fekete, Schweer and Reinhardt 2014, as its abstract has it",
        tested="all runs of cells of squares of sides 2^m up to 64 (32 if quick)",
        test=shapes,
    ),
    Claim(
        name="curve-parts-are-near-the-city",
        statement="Of any part of Hilbert's curve through a square, wherever it begins "
        "and ends, two drawn points are at most 1.38 times (1.46 if quick) as far "
        "apart on average as two of the optimal city of that area.",
        source="derived, docs/science/theory.md; not peer reviewed",
        tested="all runs of 256 to 1026 cells of a square of side 256 (64 to 258, and "
        "128, if quick), with two cells' area for what begins and ends within a cell",
        test=every_part,
    ),
)
