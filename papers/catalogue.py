"""What a reproduction is, and how it is run; `table` lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from ..reports.pages.document import Document
from ..solvers.running.interrupt import ending_callers


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options of a reproduction's run.

    Parameters
    ----------
    trace
        SWF trace to use in place of the synthetic stream; None for the latter.
    traffic
        Folder of measured communication, for task-mapping; None for its default.
    seed
        Random seed of the stream and of every method.
    first
        Use only so many jobs of the stream; None for all.
    mesh
        Sides of the machine; None for the reproduction's default.
    load
        Offered load as a share of the capacity; None for the stream's own.
    every
        Run expensive methods only on every N-th job; None for the default.
    full
        Run what the paper ran, where the default is smaller, or what takes longest
        and is left out by default.
    jobs
        Number of processes.
    keep
        Folder in which finished parts are kept, so that a killed run can be resumed.
    out
        Folder of the report, for a reproduction that writes more than that.
    progress
        Called with the steps done, all steps, and the name of the current one.
    """

    trace: str | None = None
    traffic: str | None = None
    seed: int = 0
    first: int | None = None
    mesh: tuple[int, ...] | None = None
    load: Fraction | None = None
    every: int | None = None
    full: bool = False
    jobs: int = 1
    keep: str | None = None
    out: str | None = None
    progress: Callable[[int, int, str], None] = lambda done, total, what: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """One reproduction.

    Parameters
    ----------
    name, summary, source
        Its name, what it shows, and the paper it comes from.
    study
        Runs it.
    takes
        Names of the options it accepts; others are refused.
    counted
        What ``first`` counts; "" where the reproduction handles partial runs itself,
        or ``first`` is not accepted.
    """

    name: str
    summary: str
    source: str
    study: Callable[[RunOptions], Document]
    takes: frozenset[str] = frozenset()
    counted: str = ""

    def __call__(self, options: RunOptions) -> Document:
        """Run it; the document of a part states that it is one."""
        with ending_callers():
            study = self.study(options)
        if options.first is None or not self.counted:
            return study
        part = (
            f"A part: no more than the first {options.first} {self.counted}. Figures "
            "are of that part, not of what the paper ran."
        )
        return replace(study, lead=(part, *study.lead))
