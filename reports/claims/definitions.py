"""Claims that heuristics choose what their definitions say, written out naively."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from math import prod

from ...instances import Graph, KSubset, Site, Torus, Tree, cost
from .claim import Claim, Outcome, Trial
from .samples import sampled
from .shrink import survey

SAMPLES, QUICK_SAMPLES = 1500, 250
_MOST_CENTRES = 300

Check = Callable[[Trial, KSubset], str]
"""Describes what is wrong on an instance; "" if nothing, or it is not looked at."""


def nearest_of_a_median(trial: Trial, instance: KSubset) -> str:
    """Compare mm with the cheapest of all intersections, ties by coordinates."""
    if isinstance(instance.topology, Tree | Graph):
        return ""
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
    if isinstance(instance.topology, Tree | Graph):
        return ""
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
    if isinstance(instance.topology, Torus):
        sides = instance.topology.shape
        ways = [min(way, side - way) for way, side in zip(ways, sides, strict=True)]
    return max(ways)


def _test(check: Check, trial: Trial) -> Outcome:
    samples = sampled(trial.seed, QUICK_SAMPLES if trial.quick else SAMPLES)
    on_axes = (x for x in samples if not isinstance(x.topology, Tree | Graph))
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
