"""Arrays that grow as messages are added."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

_Number = TypeVar("_Number", np.int64, np.float64)


def grow(values: npt.NDArray[_Number], least: int) -> npt.NDArray[_Number]:
    """Return the array, or one with more rows, half again as many as needed.

    Parameters
    ----------
    values
        Rows of numbers.
    least
        Rows that are needed. New ones are zero.
    """
    if len(values) >= least:
        return values
    found = np.zeros((least + least // 2, *values.shape[1:]), values.dtype)
    found[: len(values)] = values
    return found
