"""Claims that heuristics and curves are what their definitions say, naively."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise, product
from math import prod

from ...heuristics.allocation import curves
from ...instances import KSubset, Site, cost, mesh
from .running.claim import Claim, Outcome, Trial, failed, passed
from .running.samples import draw_samples
from .running.shrink import survey

SAMPLES, QUICK_SAMPLES = 1500, 250
_MOST_CENTRES = 300

Check = Callable[[Trial, KSubset], str]
"""Describes what is wrong on an instance with axes; "" if nothing is."""


def nearest_of_a_median(trial: Trial, instance: KSubset) -> str:
    """Compare mm with the cheapest of all intersections, ties by coordinates."""
    axes = [sorted(set(axis)) for axis in zip(*instance.free, strict=True)]
    if prod(map(len, axes)) > _MOST_CENTRES:
        return ""
    distance = instance.topology.distance
    least = min(
        cost(instance, _nearest(instance, partial(distance, centre)))
        for centre in product(*axes)
    )
    paid = trial.pay("mm", instance)
    return "" if paid == least else f"mm costs {paid}, the best intersection {least}"


def least_shells(trial: Trial, instance: KSubset) -> str:
    """Compare the shell numbers that mc1x1 adds up with the least of all centres."""
    sums = {}
    for centre in instance.free:
        shell = partial(_shell, instance, centre)
        sums[centre] = sum(shell(instance.free[i]) for i in _nearest(instance, shell))
    least = min(sums.values())
    result = trial.run("mc1x1", instance)
    assert result.chosen is not None
    chosen = [instance.free[i] for i in result.chosen]
    found = min(
        sum(_shell(instance, centre, site) for site in chosen)
        for centre in instance.free
    )
    return "" if found == least else f"mc1x1's shells add up to {found}, not {least}"


def no_exchange_helps(method: str, trial: Trial, instance: KSubset) -> str:
    """Exchange every chosen processor for every other one that is free."""
    result = trial.run(method, instance)
    assert result.chosen is not None
    others = set(range(instance.n)).difference(result.chosen)
    for out, into in product(result.chosen, sorted(others)):
        paid = cost(instance, tuple({*result.chosen, into} - {out}))
        if paid < cost(instance, result.chosen):
            return (
                f"{method} costs {result.objective}, but {paid} with "
                f"{instance.free[into]} for {instance.free[out]}"
            )
    return ""


def _nearest(instance: KSubset, away: Callable[[Site], int]) -> list[int]:
    order = sorted(range(instance.n), key=lambda i: (away(instance.free[i]), i))
    return order[: instance.k]


def _shell(instance: KSubset, centre: Site, site: Site) -> int:
    """Return the greatest of the distances along the axes."""
    ways = [abs(a - b) for a, b in zip(centre, site, strict=True)]
    rings = instance.topology.ring_lengths or ()
    return max(min(x, n - x) if n else x for x, n in zip(ways, rings, strict=True))


def _test(check: Check, trial: Trial) -> Outcome:
    samples = draw_samples(trial.seed, QUICK_SAMPLES if trial.quick else SAMPLES)
    on_axes = (x for x in samples if x.topology.ring_lengths is not None)
    return survey(
        f"as by definition on samples of seed {trial.seed}",
        (on_axes, partial(check, trial)),
    )


_TESTED = (
    f"meshes, tori and points among {SAMPLES} samples ({QUICK_SAMPLES} if quick), d = "
    "1..4, centre by centre"
)

DEFINITION_CLAIMS = (
    Claim(
        name="mm-is-nearest",
        statement="mm costs as much as the cheapest k nearest processors of an "
        "intersection, with ties broken by coordinates.",
        source="Bender et al. 2008, section 2.1",
        tested=f"{_TESTED}, where there are at most {_MOST_CENTRES}",
        test=partial(_test, nearest_of_a_median),
    ),
    Claim(
        name="mc1x1-minimises-shells",
        statement="mc1x1 minimises the sum of shell numbers over all free centres.",
        source="Bender et al. 2008, sections 1 and 3",
        tested=_TESTED,
        test=partial(_test, least_shells),
    ),
    *(
        Claim(
            name=f"{name}-is-a-local-minimum",
            statement=f"No exchange of one processor improves the choice of {name}.",
            source="Bender et al. 2008, section 5",
            tested=_TESTED.replace("centre by centre", "every exchange"),
            test=partial(_test, partial(no_exchange_helps, name)),
        )
        for name in ("mm-inc", "mm-inc-first", "mm-inc-all")
    ),
)


# Curves

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
    cases = list(product(_boxes(trial.quick), WALKS))
    for seen, (shape, order) in enumerate(cases, 1):
        full = mesh(*shape, k=1)
        if why := _gap(order, shape, full):
            return failed(f"{order} on {'x'.join(map(str, shape))} {why}", seen, full)
    return passed(
        f"{' and '.join(WALKS)} visit every processor once, by single hops", len(cases)
    )


def _gap(order: str, shape: tuple[int, ...], full: KSubset) -> str:
    """Describe where a curve is not a walk through a full mesh; "" if it is."""
    walk = curves.processors_along(order, shape).tolist()
    if sorted(walk) != list(range(full.n)):
        return "does not visit every processor once"
    for p, q in pairwise(full.free[i] for i in walk):
        if full.topology.distance(p, q) != 1:
            return f"goes from {p} to {q}"
    if order == "hilbert":
        return _wrong_ends(shape, full.free[walk[0]], full.free[walk[-1]])
    return ""


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
        source="derived, docs/science/allocators.md; Bender et al. 2008, section 5",
        tested="all boxes of sides up to 16 in the plane and 6 in space (9 and 4 if "
        "quick), and 64x64, 13x22, 8x8x8",
        test=no_gaps,
    ),
)
