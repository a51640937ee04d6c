"""Threads of the linear algebra."""

from __future__ import annotations

import pytest

from closeknit.solvers import blas


@pytest.mark.skipif(not blas._openblas(), reason="numpy has another library")
def test_threads_are_set_within_the_block_and_restored() -> None:
    """Both of numpy's and of scipy's, also if the block fails."""

    def fail(count: int) -> None:
        with blas.blas_threads(count):
            assert {ask() for ask, _ in blas._openblas()} == {count}
            raise ZeroDivisionError

    before = [ask() for ask, _ in blas._openblas()]
    for count in (1, 2):
        with pytest.raises(ZeroDivisionError):
            fail(count)
        assert [ask() for ask, _ in blas._openblas()] == before
