"""The jobs of a stream as Batsim's jobs.csv, which evalys reads."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import StringIO

from .simulator import Event, JobEnd, Start

COLUMNS = (
    *("job_id", "workload_name", "profile", "submission_time"),
    *("requested_number_of_resources", "requested_time", "success", "final_state"),
    *("starting_time", "execution_time", "finish_time", "waiting_time"),
    *("turnaround_time", "stretch", "allocated_resources", "consumed_energy"),
    "metadata",
)
"""Of Batsim 4."""


@dataclass
class BatsimJobs:
    """Collects the jobs of a stream that have ended, with their processors."""

    workload: str
    _started: dict[int, int] = field(default_factory=dict)
    _rows: list[tuple[object, ...]] = field(default_factory=list)

    def see(self, event: Event) -> None:
        """Record a start or an end."""
        if isinstance(event, Start):
            self._started[id(event.grant)] = event.time
        else:
            self._rows.append(self._row(event, self._started.pop(id(event.grant))))

    def _row(self, end: JobEnd, start: int) -> tuple[object, ...]:
        job, run, whole = end.job, end.time - start, end.time - end.job.submit
        return (
            *(job.number, self.workload, job.number, job.submit),
            *(job.processors, job.estimate, 1, "COMPLETED_SUCCESSFULLY"),
            *(start, run, end.time, start - job.submit),
            *(
                whole,
                whole / run if run else "",
                intervals(end.grant.used.tolist()),
                "",
                "",
            ),
        )

    def csv(self) -> str:
        """Return a line for each job, in the order of their ends."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(self._rows)
        return text.getvalue()


def intervals(numbers: Iterable[int]) -> str:
    """Write numbers as Batsim's interval set.

    >>> intervals([5, 2, 3, 1])
    '1-3 5'
    """
    ordered = sorted(numbers)
    begins = [x for i, x in enumerate(ordered) if i == 0 or ordered[i - 1] < x - 1]
    ends = [x for i, x in enumerate(ordered) if ordered[i + 1 : i + 2] != [x + 1]]
    return " ".join(
        f"{a}-{b}" if a < b else str(a) for a, b in zip(begins, ends, strict=True)
    )
