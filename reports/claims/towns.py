"""Claims about the cheapest k processors of an empty mesh."""

from __future__ import annotations

from ...formulations.towns import town, town_sites
from ...instances import KSubset, mesh
from .claim import Claim, Outcome, Trial

FIGURE_2 = {
    **{2: 1, 3: 4, 4: 8, 5: 16, 6: 25, 7: 38, 8: 54, 9: 72, 10: 96, 11: 124},
    **{12: 152, 13: 188, 14: 227, 15: 272, 16: 318, 17: 374, 18: 433, 19: 496},
    **{20: 563, 21: 632},
}
"""Least pair sums by k, as printed in Figure 2 of Bender et al. 2008."""

SIDE = 9
"""Side of the meshes searched: two more than an optimal town of 40 needs."""


def figure_2(trial: Trial) -> Outcome:
    """Compare towns and the exact routes with the printed sums."""
    largest = 12 if trial.quick else 21
    seen = 0
    for k, printed in FIGURE_2.items():
        by_towns = town(k)
        if by_towns != printed:
            return _differs(k, "the search over partitions", by_towns, printed, seen)
        if k > largest:
            continue
        for method in dict.fromkeys((trial.exact, trial.search)):
            seen += 1
            found = trial.optimum(_room(k), method)
            if found != printed:
                return _differs(k, method, found, printed, seen)
    result = (
        f"as printed: partitions to k = 21; {trial.exact} and {trial.search} on "
        f"{SIDE}x{SIDE} to k = {largest}"
    )
    return Outcome(holds=True, result=result, instances=seen)


def optimal_towns(trial: Trial) -> Outcome:
    """Compare the search over partitions with one over sets of processors."""
    largest = 24 if trial.quick else 40
    seen = 0
    for k in range(1, largest + 1):
        seen += 1
        found = trial.optimum(_room(k), trial.search)
        if found != town(k):
            return _differs(k, trial.search, found, town(k), seen)
    result = f"{trial.search} on {SIDE}x{SIDE} equals w(k) for k = 1..{largest}"
    return Outcome(holds=True, result=result, instances=seen)


def _room(k: int) -> KSubset:
    """Return a full mesh in which an optimal town of k lies."""
    assert max(map(max, town_sites(k))) < SIDE
    return mesh(SIDE, SIDE, k=k)


def _differs(k: int, who: str, found: int, expected: int, seen: int) -> Outcome:
    return Outcome(
        holds=False,
        result=f"k = {k}: {who} says {found}, not {expected}",
        instances=seen,
        counterexample=_room(k),
    )


TOWN_CLAIMS = (
    Claim(
        name="bender-figure-2",
        statement="The least pair sums of 2 to 21 grid points are those printed.",
        source="Bender et al. 2008, Figure 2",
        tested="every k from 2 to 21, by partitions and by exact routes on a mesh",
        test=figure_2,
    ),
    Claim(
        name="optimal-towns",
        statement="Some cheapest k points of the grid form a centred Young diagram.",
        source="derived, docs/theory.md; values to k = 80: Demaine et al. 2011",
        tested="every k to 40, against an exact search that knows nothing of towns",
        test=optimal_towns,
    ),
)
