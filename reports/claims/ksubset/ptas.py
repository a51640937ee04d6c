"""Claims about the PTAS: what it pays, what its bound is, what its factor tends to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate, combinations, pairwise
from math import cos, pi
from random import Random

import numpy as np

from ....heuristics.ksubset.ptas import published as ptas_published
from ....heuristics.ksubset.ptas import scheme as ptas
from ....heuristics.ksubset.strips import arcsine_sizes, even_sizes
from ....instances import KSubset, Mesh, Points, arrays
from ....methods import KSUBSET
from ....solvers import Grade
from ..running.claim import Claim, Outcome, Trial, failed, passed
from ..running.shrink import describe, outcome_of_failure

LIMITS = {2: "2.000", 3: "1.333", 4: "1.172", 5: "1.106", 8: "1.040"}
"""What the factor of m strips tends to, 1/cos²(pi/2m), to three decimals."""
_MOST_CASES = {True: 3000, False: 30_000}
"""Cases of the published enumeration, quick or not: some 50 microseconds each."""


def share(sizes: Sequence[int]) -> Fraction:
    """Return the largest share of the pairs across a gap that lie within a strip."""
    starts = list(accumulate(sizes, initial=0))
    k, worst = starts[-1], Fraction(0)
    for start, end in pairwise(starts):
        for gap in range(start + 1, end):  # so many points lie left of the gap
            worst = max(worst, Fraction((gap - start) * (end - gap), gap * (k - gap)))
    return worst


def printed_factor(m: int) -> Fraction | None:
    """Return 1/(1 - 1/(m - 2) - 2/(m - 1)); None where that is no factor."""
    left = 1 - Fraction(1, m - 2) - Fraction(2, m - 1) if m > 2 else Fraction(0)
    return 1 / left if left > 0 else None


def _run_enumeration(dimensions: tuple[int, ...], trial: Trial) -> Outcome:
    """Run the enumeration wherever it is small enough."""
    count = 15 if trial.quick else 100
    seen = {name: 0 for name in ptas_published.STRIPS}
    worst = dict.fromkeys(seen, Fraction(1))
    random = Random(f"closeknit ptas {trial.seed} {dimensions}")
    for name, m in ptas_published.STRIPS.items():
        for instance in _tiny(random, dimensions, m, 8 * count):
            sizes = even_sizes(instance.k, m)
            n, d = instance.n, instance.topology.dimension
            most = _MOST_CASES[trial.quick] // (4 if d == 3 else 1)
            if ptas_published.cases(n, sizes, d) > most:
                continue
            seen[name] += 1
            wrong = partial(_above, trial, name, m)
            if describe(wrong, instance):
                return outcome_of_failure(instance, wrong, sum(seen.values()))
            if optimum := trial.optimum(instance):
                ratio = Fraction(trial.pay(name, instance), optimum)
                worst[name] = max(worst[name], ratio)
            if seen[name] == count:
                break
    said = ", ".join(f"{name} {worst[name]} of {seen[name]}" for name in seen)
    return Outcome(
        holds=all(seen.values()),
        result=f"never above; largest ratios: {said}, seed {trial.seed}",
        instances=sum(seen.values()),
    )


def _above(trial: Trial, name: str, m: int, instance: KSubset) -> str:
    """Describe by how much it costs more than either factor allows; "" if not."""
    if instance.k < m:
        return ""
    paid, optimum = trial.pay(name, instance), trial.optimum(instance)
    hidden = share(even_sizes(instance.k, m))
    limits = [1 / (1 - hidden)] if hidden < 1 else []
    if instance.k % m == 0 and (factor := printed_factor(m)) is not None:
        limits.append(factor)
    if limits and paid > min(limits) * optimum:
        return f"{name} costs {paid}, above {min(limits)} times the optimum {optimum}"
    return ""


def _tiny(
    random: Random, dimensions: tuple[int, ...], m: int, count: int
) -> Iterator[KSubset]:
    """Yield meshes and points with few more processors than are chosen."""
    for i in range(count):
        d = random.choice(dimensions)
        k = m * random.choice((1, 1, 2)) + (random.random() < 0.2)
        n = k + (random.randint(1, 3) if d > 1 else random.randint(1, 16))
        yield _some(random, f"tiny-{i}", d, n, k)


def _some(random: Random, name: str, d: int, n: int, k: int) -> KSubset:
    """Return free processors of a mesh, or points of which some coincide."""
    side = random.choice((3, 5, 30)) if n <= 3**d else 30
    if random.random() < 0.5:
        points = [tuple(random.randrange(side) for _ in range(d)) for _ in range(n)]
        return KSubset(name, Points(tuple(points)), tuple(points), k)
    cells: set[tuple[int, ...]] = set()
    while len(cells) < n:
        cells.add(tuple(random.randrange(side) for _ in range(d)))
    return KSubset(name, Mesh((side,) * d), tuple(cells), k)


def bound(trial: Trial) -> Outcome:
    """Compare the improved scheme's bound with the least crossing of all choices."""
    count = 40 if trial.quick else 250
    random = Random(f"closeknit strips {trial.seed}")
    seen = 0
    tight = dict.fromkeys(ptas.STRIPS, 0)
    for name, m in ptas.STRIPS.items():
        for i in range(count):
            d, n = random.randint(1, 2), random.randint(2, 9)
            instance = _some(random, f"strips-{i}", d, n, random.randint(1, n))
            seen += 1
            wrong = partial(_not_bound, trial, name, m)
            if describe(wrong, instance):
                return outcome_of_failure(instance, wrong, seen)
            tight[name] += trial.run(name, instance).bound == trial.optimum(instance)
    share_of = ", ".join(f"{name} {number}" for name, number in tight.items())
    return passed(
        f"all as enumerated; the bound is the optimum on: {share_of}, of "
        f"{count} each, seed {trial.seed}",
        seen,
    )


def _not_bound(trial: Trial, name: str, m: int, instance: KSubset) -> str:
    """Describe what is wrong with the bound or the cost; "" if nothing."""
    paid, low, optimum = _cost_bound_and_optimum(trial, name, instance)
    sizes = arcsine_sizes(instance.k, m)
    if sum(sizes) != instance.k or len(sizes) != m:
        return f"strips of {sizes} do not hold {instance.k}"
    least = min(
        _crossing(arrays.points(instance)[list(chosen)], sizes)
        for chosen in combinations(range(instance.n), instance.k)
    )
    if low > optimum:
        return f"{name} says at least {low}; the optimum is {optimum}"
    if low != least:
        return f"{name} says at least {low}, enumeration finds {least}"
    if (1 - share(sizes)) * paid > least:
        return f"{name} costs {paid}, {least} across strips of {sizes}"
    return ""


def _cost_bound_and_optimum(
    trial: Trial, name: str, instance: KSubset
) -> tuple[int, int, int]:
    """Return what a scheme pays, its lower bound, and the optimum."""
    result = trial.run(name, instance)
    assert isinstance(result.objective, int)
    assert isinstance(result.bound, int)
    return result.objective, result.bound, trial.optimum(instance)


def _crossing(points: np.typing.NDArray[np.int64], sizes: Sequence[int]) -> int:
    """Sum, pair by pair, the distances between different strips."""
    strip = np.repeat(np.arange(len(sizes)), sizes)
    apart = strip[:, None] != strip[None]
    total = 0
    for axis in points.T:
        x = np.sort(axis)
        total += int((abs(x[:, None] - x[None]) * apart).sum()) // 2
    return total


def run_schemes(trial: Trial) -> Outcome:
    """Run every scheme on half-full meshes whose optima are proved."""
    side, count = (5, 4) if trial.quick else (8, 40)
    random = Random(f"closeknit half-full {trial.seed}")
    sites = list(Mesh((side, side)).locations())
    run = ptas.STRIPS
    ratios, bounds = dict.fromkeys(run, Fraction(1)), dict.fromkeys(run, Fraction(1))
    for i in range(count):
        free = tuple(random.sample(sites, side * side // 2))
        k = random.randint(4, side * side // 4)
        instance = KSubset(f"half-full-{i}", Mesh((side, side)), free, k)
        for name, m in run.items():
            wrong = partial(_find_contradiction, trial, name, m)
            if describe(wrong, instance):
                return outcome_of_failure(instance, wrong, i + 1)
            paid, low, optimum = _cost_bound_and_optimum(trial, name, instance)
            ratios[name] = max(ratios[name], Fraction(paid, optimum))
            bounds[name] = min(bounds[name], Fraction(low, optimum))
    said = "; ".join(
        f"{name} {float(ratios[name]):.3f} and {float(bounds[name]):.3f}"
        for name in run
    )
    return passed(
        f"kept; largest cost and least bound over the optimum: {said}, "
        f"seed {trial.seed}",
        count,
    )


def _find_contradiction(trial: Trial, name: str, m: int, instance: KSubset) -> str:
    paid, low, optimum = _cost_bound_and_optimum(trial, name, instance)
    hidden = share(arcsine_sizes(instance.k, m))
    promise = KSUBSET[name].guarantee
    factor = promise(instance) if promise else None
    if (factor is None) != (hidden == 1) or (factor and factor * (1 - hidden) != 1):
        return f"{name} promises {factor} where strips hide {hidden}"
    if low > optimum:
        return f"{name} says at least {low}; the optimum is {optimum}"
    if factor is not None and paid > factor * optimum:
        return f"{name} costs {paid}, above {factor} times {optimum}"
    proof = trial.run(name, instance).proof
    if proof is not None and proof.grade is Grade.CHECKED:
        return f"{name} calls its bound {proof}"
    return ""


def factors(trial: Trial) -> Outcome:
    """Compute the factors exactly, and compare them with their limits."""
    said, seen = [], 0
    for m, limit in LIMITS.items():
        exact = 1 / cos(pi / (2 * m)) ** 2
        for k in (40 * m, 400 * m, 4000 * m):
            seen += 1
            factor = float(1 / (1 - share(arcsine_sizes(k, m))))
            off = abs(factor - exact)
            if off > 8 * m / k or f"{exact:.3f}" != limit:
                return failed(
                    f"m = {m}, k = {k}: factor {factor:.6f}, limit {exact:.6f}", seen
                )
        said.append(f"{m}: {limit}")
    first = next(m for m in range(3, 20) if printed_factor(m) is not None)
    better = next(
        m for m in range(first, 20) if (printed_factor(m) or 2) < Fraction(7, 4)
    )
    found = [(m, printed_factor(m)) for m in (first, better)]
    if found != [(5, Fraction(6)), (9, Fraction(28, 17))]:
        return failed(f"first at m = {first}, {better}", seen)
    return passed(
        f"improved {', '.join(said)}; as printed none below m = 5, there 6, "
        f"below 7/4 first at m = 9, 28/17",
        seen,
    )


_PUBLISHED = (
    "the enumeration of m = 3 and 5 strips on 100 tiny instances each (15 if quick) "
    "that it takes with at most 30000 cases (3000), a quarter in space; beside the "
    "printed factor that of its even strips, which is 1 for k = m"
)

PTAS_CLAIMS = (
    Claim(
        name="bender-theorem-4",
        statement="In the plane the PTAS costs at most 1/(1 - 1/(m-2) - 2/(m-1)) "
        "optima for m from 5 on, m dividing k.",
        source="Bender et al. 2008, Theorem 4; even strips derived, "
        "docs/science/theory.md",
        tested=f"{_PUBLISHED}; meshes and points in the plane",
        test=partial(_run_enumeration, (2,)),
    ),
    Claim(
        name="bender-theorem-5",
        statement="The bound of Theorem 4 holds in one and in three dimensions, too.",
        source="Bender et al. 2008, Theorem 5; even strips derived, "
        "docs/science/theory.md",
        tested=f"{_PUBLISHED}; one and three axes (m = 5 in one only: of three, five "
        "points have 14400 tables)",
        test=partial(_run_enumeration, (1, 3)),
    ),
    Claim(
        name="ptas-bound",
        statement="The bound of ptas is the least cost across strips of all choices, "
        "never above the optimum; ptas costs at most 1/(1 - phi) times the bound.",
        source="derived from Bender et al. 2008, section 4, docs/science/theory.md",
        tested="ptas and ptas/2 on 250 samples each (40 if quick) of 1 and 2 axes, "
        "against the cost across strips of every choice, pair by pair",
        test=bound,
    ),
    Claim(
        name="ptas-upper-bound",
        statement="ptas and ptas/2 cost at most the factor 1/(1 - phi) that they "
        "guarantee, and their lower bounds are at most the optimum.",
        source="derived from Bender et al. 2008, section 4, docs/science/theory.md",
        tested="40 half-full meshes 8x8 (4 of 5x5 if quick), optima proved",
        test=run_schemes,
    ),
    Claim(
        name="ptas-factors",
        statement="The factor of m arcsine strips tends to 1/cos²(pi/2m); the printed "
        "one is a factor from m = 5 on and beats mm's 7/4 from m = 9 on.",
        source="Bender et al. 2008, section 4; derived, docs/science/theory.md",
        tested="m = 2, 3, 4, 5, 8 with k = 40 m, 400 m, 4000 m; the printed one for m "
        "from 3 on",
        test=factors,
    ),
)
