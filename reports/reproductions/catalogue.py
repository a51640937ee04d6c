"""What a reproduction is, and how it is run; `table` lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from ..pages.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options of a reproduction's run; None for the reproduction's default."""

    trace: str | None = None  # SWF trace to use in place of the synthetic stream
    seed: int = 0  # random seed of the stream and of every method
    first: int | None = None  # use only so many jobs of the stream
    mesh: tuple[int, ...] | None = None  # sides of the machine
    load: Fraction | None = None  # offered load as a share of the capacity
    every: int | None = None  # run expensive methods only on every N-th job
    jobs: int = 1  # number of processes
    keep: str | None = None  # folder of finished parts, so that a run can be resumed
    progress: Callable[[int, int, str], None] = lambda done, total, what: None
    """Called with the steps done, all steps, and the name of the current one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """One reproduction, and the paper it comes from."""

    name: str
    summary: str
    source: str
    study: Callable[[RunOptions], Document]
    takes: frozenset[str] = frozenset()  # options it accepts; others are refused
    counted: str = ""  # what `first` counts; "" if partial runs are its own business

    def __call__(self, options: RunOptions) -> Document:
        """Run it; the document of a part says that it is one."""
        study = self.study(options)
        if options.first is None or not self.counted:
            return study
        part = (
            f"A part: no more than the first {options.first} {self.counted}. Figures "
            "are of that part, not of what the paper ran."
        )
        return replace(study, lead=(part, *study.lead))
