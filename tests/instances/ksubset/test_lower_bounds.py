"""Bounds derived a second time: they are those of the searches, or below."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from closeknit.api.checking import check
from closeknit.api.solution import Solution
from closeknit.exact.ksubset.cuts_bb.record import record
from closeknit.formulations.ksubset.bounds import bounds
from closeknit.formulations.ksubset.bounds.bounds import best_bound, compute_bound
from closeknit.formulations.ksubset.bounds.diagrams import partition_cost
from closeknit.formulations.ksubset.bounds.towns import town, town_bound_value
from closeknit.instances import Grid, InputError, KSubset, Mesh, Torus, cost, mesh
from closeknit.instances.errors import TooLong
from closeknit.instances.ksubset import lower_bounds, towns
from closeknit.instances.ksubset.certificate import CertificateChecker
from closeknit.instances.ksubset.lower_bounds import AXIS, STAR, TOWN, derive_bound
from closeknit.instances.ksubset.towns import (
    CERTIFIED_TOWNS,
    has_certificate,
    least_sum,
    town_box,
)
from closeknit.proofs.checking import CheckLimits
from closeknit.proofs.checking.answers.examining import examine
from closeknit.proofs.writing.proof_files import write_certificate
from closeknit.solvers import Grade, Proof, answer, read_solution, write_solution
from closeknit.solvers.running import clock

from ...strategies import seeded_ksubset


@pytest.mark.parametrize("seed", range(240))
def test_both_ways_give_the_same_bounds(seed: int) -> None:
    instance = seeded_ksubset(seed)
    least = min(
        cost(instance, chosen) for chosen in combinations(range(instance.n), instance.k)
    )
    for by in (STAR, TOWN, AXIS):
        found = derive_bound(instance, by)
        assert found == compute_bound(instance, by), by
        assert (found or 0) <= least
    assert best_bound(instance)[1].grade is Grade.CHECKED


def test_check_does_not_run_the_code_that_found_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A false bound stood, as it was derived again by the function that was wrong."""
    instance = mesh(3, 3, k=4)

    def wrong(_: KSubset) -> int:
        return 99

    for by, name in ((STAR, "star_bound"), (TOWN, "town_bound")):
        with monkeypatch.context() as patch:
            patch.setattr(bounds, name, wrong)
            value, proof = best_bound(instance)
            assert (value, proof.by) == (99, by)
        chosen = [0, 2, 6, 8]
        result = answer(instance, chosen, start=clock.now(), bound=16, proof=proof)
        (line,) = check(Solution(instance, "mine", result))
        assert line.startswith("bound: is 16, but the ")


def test_names_without_a_bound() -> None:
    assert derive_bound(mesh(3, 3, k=3), "moon phase") is None
    assert derive_bound(mesh(3, 3, k=3), AXIS) is None
    torus = Torus((4, 4))
    assert derive_bound(KSubset("t", torus, tuple(torus.locations()), 3), TOWN) is None


@pytest.mark.parametrize("shape", [Mesh(80, 80), Torus(80, 80)])
def test_thousands_of_processors_take_seconds(shape: Grid) -> None:
    free = tuple(site for i, site in enumerate(shape.locations()) if i % 3)
    instance = KSubset("large", shape, free, 64)
    assert derive_bound(instance, STAR, seconds=30) == compute_bound(instance, STAR)


@pytest.mark.parametrize("by", [STAR, TOWN])
def test_the_time_is_limited(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(towns, "_followed", {})
    with pytest.raises(InputError, match="takes more than 0 s"):
        derive_bound(mesh(60, 60, k=40), by, seconds=0)


@pytest.mark.parametrize("network", [Mesh(64, 64), Torus(64, 64)])
def test_cells_at_a_distance_are_found_at_once(
    network: Grid, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at each axis: the last one was tried at every step up to the radius."""
    calls = 0
    ring = lower_bounds._ring

    def counting(*given: Any) -> Iterator[tuple[int, ...]]:
        nonlocal calls
        calls += 1
        return ring(*given)

    monkeypatch.setattr(lower_bounds, "_ring", counting)
    found = [*ring(20, network.shape, network.rings)]
    assert len(found) == len({*found}) == 80
    assert {abs(x) + abs(y) for x, y in found} == {20}
    assert calls == 41


def test_the_clock_is_looked_at_at_each_distance() -> None:
    """A star of many cells takes seconds."""
    looks: list[None] = []
    everything = mesh(40, 40, k=1600)
    network, look = Mesh(40, 40), partial(looks.append, None)
    next(lower_bounds._grid_stars(everything, network, look))
    assert len(looks) >= 78


@pytest.mark.parametrize("spent", [0.0, 5.0])
def test_what_a_proof_took_is_taken_off_the_time_of_a_bound(
    spent: float, tmp_path: Path
) -> None:
    """The whole limit was given once more, so that a check could take twice as long."""
    instance = mesh(3, 3, k=4)
    proof = Proof(Grade.CHECKED, STAR)
    result = answer(instance, [0, 1, 3, 4], start=clock.now(), bound=6, proof=proof)
    write_solution(instance, "mine", result, tmp_path / "s.json")
    claimed = read_solution(tmp_path / "s.json")
    limits = CheckLimits(seconds=5, now=lambda: spent, begun=0.0)
    if spent < 5:
        assert examine(instance, claimed, limits=limits).bound
    else:
        with pytest.raises(TooLong, match="takes more than 0 s to derive"):
            examine(instance, claimed, limits=limits)


# Towns


@pytest.mark.parametrize("dimension", [2, 3])
def test_points_across_an_axis_lie_as_near_as_lines_have_room(dimension: int) -> None:
    cells = product(range(-12, 13), repeat=dimension - 1)
    distances = sorted(sum(map(abs, cell)) for cell in cells)
    for a, n in product(range(1, 5), range(1, 25)):
        nearest = sorted(distances * a)[:n]
        assert towns._across(n, a, dimension) == sum(nearest), (a, n)


@pytest.mark.parametrize("n", range(1, 23))
def test_a_box_holds_every_optimal_town(n: int) -> None:
    optimal = [one for one in partitions(n, n) if partition_cost(one) == town(n)]
    assert optimal
    longest = max(max(len(one), one[0]) for one in optimal)
    assert longest <= towns.longest_side(n, town(n) - town(n - 1), 2) <= longest + 2


def partitions(n: int, most: int) -> Iterator[tuple[int, ...]]:
    if not n:
        yield ()
    for first in range(min(n, most), 0, -1):
        for rest in partitions(n - first, first):
            yield (first, *rest)


@pytest.mark.parametrize("dimension", CERTIFIED_TOWNS)
def test_the_table_is_what_the_search_finds(dimension: int) -> None:
    table = CERTIFIED_TOWNS[dimension]
    assert list(table) == [town_bound_value(k, dimension) for k in range(len(table))]


@pytest.mark.parametrize(("k", "dimension"), [(24, 2), (10, 3)])
def test_certificates_prove_the_table(
    k: int, dimension: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(towns, "_followed", {})
    assert least_sum(k, dimension) == CERTIFIED_TOWNS[dimension][k]


@pytest.mark.slow
@pytest.mark.parametrize("dimension", CERTIFIED_TOWNS)
def test_all_certificates_prove_the_table(
    dimension: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(towns, "_followed", {})
    k = len(CERTIFIED_TOWNS[dimension]) - 1
    assert least_sum(k, dimension) == CERTIFIED_TOWNS[dimension][k]


def test_a_certificate_of_less_does_not_prove_an_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for k in range(2, 5):
        box = town_box(k, 2)
        claim = CERTIFIED_TOWNS[2][k] - (k == 4)
        nodes = record(box, claim, clock.now() + 60)
        assert isinstance(nodes, list)
        write_certificate(box, claim, nodes, tmp_path / f"{box.name}.xz")
    monkeypatch.setattr(towns, "_DATA", tmp_path)
    monkeypatch.setattr(towns, "_followed", {})
    assert least_sum(3, 2) == 4
    with pytest.raises(InputError, match=r"town-2d-k4\.xz: is for 7 only"):
        least_sum(4, 2)
    monkeypatch.setattr(towns, "_followed", {(2, CertificateChecker): 4})
    with pytest.raises(InputError, match=r"town-2d-k5\.xz: cannot be read"):
        least_sum(5, 2)


def test_a_raised_entry_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its box is another one, or its certificate is for less."""
    for k in (3, 9, 12):
        table = list(CERTIFIED_TOWNS[2])
        table[k] += 1
        monkeypatch.setattr(towns, "CERTIFIED_TOWNS", {2: tuple(table)})
        monkeypatch.setattr(towns, "_followed", {})
        with pytest.raises(InputError):
            least_sum(k, 2)


def test_towns_without_a_certificate_are_the_word_of_the_search() -> None:
    most = len(CERTIFIED_TOWNS[2]) - 1
    for k, grade in ((most, Grade.CHECKED), (most + 1, Grade.ENUMERATED)):
        assert has_certificate(k, 2) == (grade is Grade.CHECKED)
        found, proof = best_bound(mesh(13, 13, k=k))
        assert (proof.by, proof.grade) == (TOWN, grade)
        derived = derive_bound(mesh(13, 13, k=most + 1), TOWN)
        assert derived is None
        assert found == town_bound_value(k, 2)


def test_of_equal_bounds_a_checked_one_is_cited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "has_certificate", lambda k, d: False)
    instance = mesh(4, 4, k=2)  # a pair costs 1, by stars as by towns
    assert str(best_bound(instance)[1]) == "checked: star bound"
