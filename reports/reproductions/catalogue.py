"""What a reproduction is, and how it is run; `table` lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from ..pages.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a reproduction is to be run.

    Parameters
    ----------
    trace
        An SWF trace in place of the synthetic stream; None for that.
    seed
        Of the stream and of every method.
    first
        Only so many jobs of the stream; None for all.
    mesh
        Sides of the machine; None for its own.
    load
        Work that comes over what the machine can do; None for the stream's own.
    every
        Run expensive methods only on every N-th job; None for its own number.
    jobs
        Processes.
    keep
        Folder in which finished parts are kept, for a run that is killed.
    progress
        Told how many of how many steps are done, and of what.
    """

    trace: str | None = None
    seed: int = 0
    first: int | None = None
    mesh: tuple[int, ...] | None = None
    load: Fraction | None = None
    every: int | None = None
    jobs: int = 1
    keep: str | None = None
    progress: Callable[[int, int, str], None] = lambda done, total, what: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """One entry of the table.

    Parameters
    ----------
    name, summary, source
        What it is.
    study
        Runs it.
    takes
        Which of the `RunOptions` it supports; others are refused.
    counted
        What ``first`` counts; "" where the study itself reports on a part, or where
        there is no such option.
    """

    name: str
    summary: str
    source: str
    study: Callable[[RunOptions], Document]
    takes: frozenset[str] = frozenset()
    counted: str = ""

    def __call__(self, order: RunOptions) -> Document:
        """Run it; the document of a part says that it is one."""
        study = self.study(order)
        if order.first is None or not self.counted:
            return study
        part = (
            f"A part: no more than the first {order.first} {self.counted}. Figures are "
            "of that part, not of what the paper ran."
        )
        return replace(study, lead=(part, *study.lead))
