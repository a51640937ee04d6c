"""What a search that a limit ended leaves: an answer, and a bound below it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from closeknit.instances import Instance, Value, check, cost
from closeknit.instances.value import as_tuple
from closeknit.solvers import Limit, Result, Status


def assert_stopped(
    instance: Instance,
    result: Result,
    limit: Limit,
    optimum: Value | None = None,
    *,
    at_once: bool = False,
) -> None:
    """Assert so; if the optimum is known, that it lies between the two.

    A search that ended at once may know no bound but 0.
    """
    assert (result.status, result.limit) == (Status.FEASIBLE, limit)
    assert result.chosen is not None
    assert check(instance, result.chosen) == []
    assert result.objective == cost(instance, result.chosen)
    assert result.bound is not None
    low, high = as_tuple(result.bound), as_tuple(result.objective)
    assert at_once or low > (0,)
    if optimum is None:
        assert low < high
    else:
        assert low <= as_tuple(optimum) <= high


def after(looks: int) -> Callable[[], Limit | None]:
    """Return a limit that is reached when it was looked at so many times."""
    left = count(looks, -1)
    return lambda: Limit.TIME if next(left) <= 0 else None
