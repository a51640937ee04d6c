"""Towns put down among free processors: optimal wherever one fits."""

from itertools import product

import pytest

from closeknit import InputError, KSubset, Mesh, Status, Torus, check, mesh
from closeknit.formulations.ksubset.bounds.towns import town as least
from closeknit.formulations.ksubset.bounds.towns import town_in_space
from closeknit.methods import KSUBSET

town = KSUBSET["town"]


@pytest.mark.parametrize("k", [1, 2, 5, 12, 21, 40])
def test_is_proved_optimal_on_an_empty_mesh(k: int) -> None:
    result = town(mesh(8, 9, k=k))
    assert (result.status, result.objective) == (Status.OPTIMAL, least(k))
    assert str(result.proof) == "checked: town bound"


@pytest.mark.parametrize("k", [4, 9, 13, 27])
def test_is_proved_optimal_in_space(k: int) -> None:
    result = town(mesh(4, 5, 4, k=k))
    assert (result.status, result.objective) == (Status.OPTIMAL, town_in_space(k))


def test_finds_the_one_place_and_orientation_that_is_free() -> None:
    """A town of three is an L; the free processors hold it in one way only."""
    busy = set(product(range(6), range(6))) - {(4, 1), (4, 2), (3, 2), (0, 5), (1, 0)}
    free = tuple(set(product(range(6), range(6))) - busy)
    instance = KSubset("one-place", Mesh((6, 6)), free, 3)
    result = town(instance)
    assert result.status is Status.OPTIMAL
    assert result.chosen is not None
    assert {instance.free[i] for i in result.chosen} == {(4, 1), (4, 2), (3, 2)}


def test_without_a_place_it_is_mm_inc_with_a_bound() -> None:
    checkered = tuple((i, j) for i in range(8) for j in range(8) if (i + j) % 2)
    instance = KSubset("checkered", Mesh((8, 8)), checkered, 9)
    result = town(instance)
    assert result.chosen is not None
    assert check(instance, result.chosen) == []
    assert result.objective == KSUBSET["mm-inc"](instance).objective
    assert result.status is Status.FEASIBLE
    assert result.bound == least(9)


@pytest.mark.parametrize(
    ("instance", "why"),
    [
        (
            KSubset("t", Torus((4, 4)), tuple(product(range(4), range(4))), 4),
            "two or three",
        ),
        (mesh(9, k=3), "two or three"),
        (mesh(15, 15, k=201), "k = 200"),
        (mesh(4, 4, 4, k=49), "k = 48"),
    ],
)
def test_refuses_what_it_has_no_town_for(instance: KSubset, why: str) -> None:
    with pytest.raises(InputError, match=why):
        town(instance)
