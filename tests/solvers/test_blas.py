"""Threads of the linear algebra."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_info

from closeknit.solvers.blas import blas_threads


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
