"""The claim on which models and searches stand: distances are cuts."""

from __future__ import annotations

from itertools import combinations
from math import comb
from random import Random

from ...instances import KSubset, cost
from .claim import Claim, Outcome, Trial, held
from .samples import sampled
from .shrink import broken


def cuts_are_distances(trial: Trial) -> Outcome:
    """Compare every distance of random instances with the cuts between the two."""
    instances = sampled(trial.seed, 100 if trial.quick else 1000)
    pairs = 0
    for seen, instance in enumerate(instances, 1):
        pairs += comb(instance.n, 2)
        if _disagreement(instance):
            return broken(instance, _disagreement, seen)
    return held(
        f"{pairs} pairs and {len(instances)} sets agree, seed {trial.seed}",
        len(instances),
    )


def _disagreement(instance: KSubset) -> str:
    """Name a pair or a set whose distances are not those of the cuts; "" if none."""
    topology, points = instance.topology, instance.points
    cuts = topology.cuts(points)
    arrays = topology.distances(points[:, None], points[None]).tolist()
    weights, sides = cuts.weights.tolist(), cuts.sides.tolist()
    for i, j in combinations(range(instance.n), 2):
        hops = topology.distance(instance.free[i], instance.free[j])
        apart = sum(
            w for w, side in zip(weights, sides, strict=True) if side[i] != side[j]
        )
        if hops * cuts.denominator != apart or hops != arrays[i][j]:
            return (
                f"{instance.free[i]} and {instance.free[j]} are {hops} apart, "
                f"{arrays[i][j]} by arrays, {apart}/{cuts.denominator} by cuts"
            )
    k = instance.k
    chosen = Random(instance.n).sample(range(instance.n), k)
    counts = [sum(side[i] for i in chosen) for side in sides]
    total = sum(w * c * (k - c) for w, c in zip(weights, counts, strict=True))
    if total != cuts.denominator * cost(instance, chosen):
        return f"{sorted(chosen)} costs {cost(instance, chosen)}, not {total} by cuts"
    return ""


CUT_CLAIMS = (
    Claim(
        name="cuts-are-distances",
        statement="The distance of two processors is the weight of the cuts between "
        "them, and a set costs the sum of w c (k - c) over its cuts.",
        source="derived, docs/theory.md",
        tested="every pair of sampled meshes, tori, points and trees",
        test=cuts_are_distances,
    ),
)
