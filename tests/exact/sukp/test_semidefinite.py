"""The bound by products of constraints: never above the optimum, and of use."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partialmethod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.sukp.sukp_bb.layout import to_arrays
from closeknit.exact.sukp.sukp_bb.search import PRODUCT_PROOF, ExclusionSearch
from closeknit.exact.sukp.sukp_bb.semidefinite import Products, _missing
from closeknit.instances import Sukp
from closeknit.instances.sukp.generators import random_sukp
from closeknit.solvers.running import clock

from ...oracles import least_left_out
from ...strategies import sukps


def bound(instance: Sukp, steps: int) -> int:
    """Return the bound after some steps."""
    products = Products(to_arrays(instance)[0])
    products.improve(lambda: False, steps)
    return products.least


@settings(max_examples=30, deadline=None)
@given(sukps(), st.integers(0, 200))
def test_never_exceeds_the_optimum(instance: Sukp, steps: int) -> None:
    assert 0 <= bound(instance, steps) <= least_left_out(instance)


@settings(max_examples=30, deadline=None)
@given(sukps(), st.integers(0, 2**32))
def test_any_multipliers_prove_something_true(instance: Sukp, seed: int) -> None:
    products = Products(to_arrays(instance)[0])
    if products.possible:
        rng = np.random.default_rng(seed)
        products._point = products._point + rng.normal(size=len(products._point))
        assert products._proven_cost() <= least_left_out(instance)


def test_is_close_on_a_random_instance() -> None:
    instance = random_sukp(12, 14, Fraction(1, 5), Fraction(3, 4), seed=1)
    best = least_left_out(instance)
    assert 0.5 * best <= bound(instance, 200) <= best


def test_proves_what_the_multipliers_are_worth() -> None:
    # after so few steps the function is greatest outside the unit cube
    instance = random_sukp(100, 100, Fraction(1, 10), Fraction(3, 4), seed=1)
    products = Products(to_arrays(instance)[0])
    products.improve(lambda: False, 20)
    found = products._value(products._point, 0.0)
    assert found is not None
    assert products.least >= products.total * (1 - found[0]) > 8000


def test_is_cited_where_it_is_the_best_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    improve = partialmethod(Products.improve, steps=100)  # however slow the machine
    monkeypatch.setattr(Products, "improve", improve)
    instance = random_sukp(130, 130, Fraction(3, 20), Fraction(17, 20), seed=1)
    search = ExclusionSearch(instance, ())
    search.run(math.inf, 1)
    before = search.bound
    search.bound_by_products(clock.now() + 100.0)
    assert search.bound > before
    assert search.proof == PRODUCT_PROOF


@pytest.mark.parametrize("seed", range(5))
def test_a_matrix_that_is_not_semidefinite_is_raised(seed: int) -> None:
    rng = np.random.default_rng(seed)
    half = rng.integers(-1000, 1000, (12, 12))
    matrix = half + half.T
    np.fill_diagonal(matrix, 0)
    more = _missing(matrix, np.zeros(12, dtype=np.int64))
    assert more is not None
    raised = matrix + 2 * more * np.eye(12)
    assert np.linalg.eigvalsh(raised).min() > 0
    assert np.linalg.eigvalsh(matrix).min() < 0
