"""Streams of jobs for tests."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from hypothesis import strategies as st

from closeknit.simulation.stream.jobs import StreamJob

Row = tuple[int, int, int, int]
"""Time after the job above, processors, seconds, estimate less seconds."""


def rows(
    processors: int, *, gap: int = 3, least: int = 0, slack: int = 6
) -> st.SearchStrategy[list[Row]]:
    """Draw rows of jobs, which take at least so many seconds."""
    columns = (0, gap), (1, processors), (least, 9), (0, slack)
    return st.lists(
        st.tuples(*(st.integers(*column) for column in columns)), max_size=20
    )


def jobs_of(some: Iterable[Row]) -> list[StreamJob]:
    """Number the jobs, and let them come one after the other."""
    gaps, *columns = zip(*some, strict=True) if some else ((), (), (), ())
    return [
        StreamJob(number, submit, k, seconds, seconds + slack)
        for number, (submit, k, seconds, slack) in enumerate(
            zip(accumulate(gaps), *columns, strict=True)
        )
    ]
