"""Towns put down among free processors: optimal wherever one fits."""

from itertools import product

import pytest

from closeknit import InputError, KSubset, Mesh, Status, Torus, check, mesh
from closeknit.formulations.ksubset.bounds.towns import town as least
from closeknit.formulations.ksubset.bounds.towns import town_in_space
from closeknit.methods import KSUBSET

town = KSUBSET["town"]


@pytest.mark.parametrize(
    ("shape", "k"),
    [
        *(((8, 9), k) for k in (1, 2, 5, 12, 21, 40)),
        *(((4, 5, 4), k) for k in (4, 9, 13, 27)),
    ],
)
def test_is_proved_optimal_in_space(shape: tuple[int, ...], k: int) -> None:
    result = town(mesh(*shape, k=k))
    best = least(k) if len(shape) == 2 else town_in_space(k)
    assert (result.status, result.objective) == (Status.OPTIMAL, best)
    grade = "enumerated" if k == 27 else "checked"
    assert str(result.proof) == f"{grade}: town bound"


def test_finds_the_one_place_and_orientation_that_is_free() -> None:
    """A town of three is an L; the free processors hold it in one way only."""
    free = ((4, 1), (4, 2), (3, 2), (0, 5), (1, 0))
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
