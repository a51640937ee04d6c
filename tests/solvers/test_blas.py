"""Threads of the linear algebra."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

import numpy as np
import pytest
from scipy.linalg import lapack
from threadpoolctl import threadpool_info

from closeknit.exact.ksubset.dnn_bb.record import record
from closeknit.exact.sukp.sukp_bb import search
from closeknit.instances.ksubset.graph_generators import random_regular
from closeknit.instances.sukp.generators import random_sukp
from closeknit.methods import KSUBSET
from closeknit.solvers.blas import blas_threads
from closeknit.solvers.running import clock


def counts() -> list[int]:
    """Return how many threads each library of linear algebra uses now."""
    return [
        one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"
    ]


def test_threads_are_set_within_the_block_and_restored() -> None:
    """Those of numpy and of scipy, also if the block fails."""

    def fail(count: int) -> None:
        with blas_threads(count):
            assert set(counts()) == {count}
            raise ZeroDivisionError

    with blas_threads(1):
        pass  # loads the libraries
    before = counts()
    assert before
    for count in (1, 2):
        with pytest.raises(ZeroDivisionError):
            fail(count)
        assert counts() == before


NETWORK = random_regular(30, 5, 8, seed=1)


def a_proof() -> None:
    answer = KSUBSET["distances-bb"](NETWORK)
    assert answer.chosen is not None
    assert isinstance(answer.objective, int)
    record(NETWORK, answer.objective, tuple(answer.chosen), inf)


def a_bound_by_products() -> None:
    knapsack = random_sukp(10, 10, Fraction(1, 4), Fraction(3, 4), seed=1)
    started = search.ExclusionSearch(knapsack, ())
    started.bound_by_products(clock.now() + 100.0)


def an_optimum() -> None:
    KSUBSET["dnn-bb"](NETWORK)


@pytest.mark.parametrize("run", [a_proof, a_bound_by_products, an_optimum])
def test_searches_take_one_thread_unless_told_otherwise(
    run: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where others use the machine, too, more threads wait for each other for long."""
    seen = []

    def noting(then: Callable[..., Any], *args: Any, **more: Any) -> Any:
        seen.extend(counts())
        return then(*args, **more)

    for place, name in ((np.linalg, "eigvalsh"), (lapack, "dpotrf")):
        monkeypatch.setattr(place, name, partial(noting, getattr(place, name)))
    with blas_threads(2):
        run()
    assert {*seen} == {1}
