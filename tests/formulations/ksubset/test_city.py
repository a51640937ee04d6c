"""The optimal city: its differential equation, against itself and against towns."""

from math import pi, sqrt

import numpy as np
import pytest

from closeknit.formulations.ksubset.bounds.city import city
from closeknit.formulations.ksubset.bounds.towns import town


def test_psi_to_ten_digits() -> None:
    """As Bender, Bender, Demaine and Fekete 2004 give it."""
    assert city().psi == pytest.approx(0.650245952951, abs=1e-11)


def test_boundary_obeys_the_equation() -> None:
    """Slope and areas by finite differences, without the reduction by symmetry."""
    ideal = city(2000)
    x, f = ideal.x, ideal.y
    assert (np.diff(x) > 0).all()
    assert (np.diff(f) < 0).all()
    area = np.concatenate([[0], np.cumsum(np.diff(x) * (f[1:] + f[:-1]) / 2)])
    assert area[-1] == pytest.approx(0.25, abs=1e-6)
    slope = np.gradient(f, x, edge_order=2)
    for at in (100, 500, 1000, 1999, 2500):
        below = np.interp(f[at], x, area)
        assert slope[at] == pytest.approx(-area[at] / below, rel=1e-3)


def test_mean_distance_of_its_points() -> None:
    """Midpoints of a fine grid inside the boundary, by their sorted coordinates."""
    ideal = city()
    m = 600
    ticks = (np.arange(m) + 0.5) / m * ideal.half_width
    heights = np.interp(ticks, ideal.x, ideal.y)
    counts = np.round(heights / ideal.half_width * m).astype(int)
    both = np.repeat(np.concatenate([-ticks, ticks]), np.tile(counts * 2, 2))
    both.sort()
    n = len(both)
    mean = 2 * ((2 * np.arange(n) - n + 1) * both).sum() * 2 / n**2
    area = n * (ideal.half_width / m) ** 2
    assert mean / sqrt(area) == pytest.approx(ideal.psi, abs=1e-4)


def test_better_than_a_circle_and_near_towns() -> None:
    circle = 512 / (45 * pi**2 * sqrt(pi))
    assert 1 < circle / city().psi < 1.0003
    quotients = [town(n) / (city().psi / 2 * n**2.5) for n in (50, 100, 150)]
    assert quotients == sorted(quotients)
    assert 0.98 < quotients[0] < quotients[-1] < 1
