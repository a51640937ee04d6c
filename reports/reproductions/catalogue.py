"""The reproductions by name. Modules are imported when one is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from types import MappingProxyType
from typing import cast

from ..pages.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options of a reproduction's run.

    Parameters
    ----------
    trace
        SWF trace to use in place of the synthetic stream; None for the latter.
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
    jobs
        Number of processes.
    keep
        Folder in which finished parts are kept, so that a killed run can be resumed.
    progress
        Called with the steps done, all steps, and the name of the current one.
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
    """One reproduction.

    Parameters
    ----------
    name, summary, source
        Its name, what it shows, and the paper it comes from.
    where
        ``module:function`` in this package.
    takes
        Names of the options it accepts; others are refused.
    counted
        What ``first`` counts; "" where the reproduction handles partial runs itself,
        or ``first`` is not accepted.
    """

    name: str
    summary: str
    source: str
    where: str
    takes: frozenset[str] = frozenset()
    counted: str = ""

    def __call__(self, options: RunOptions) -> Document:
        """Run it."""
        module, _, function = self.where.partition(":")
        made = import_module(f"{__package__}.{module}")
        study = cast(Callable[[RunOptions], Document], getattr(made, function))(options)
        if options.first is None or not self.counted:
            return study
        part = (
            f"A part: no more than the first {options.first} {self.counted}. Figures "
            "are of that part, not of what the paper ran."
        )
        return replace(study, lead=(part, *study.lead))


_DRAWN = frozenset({"seed", "first"})
_STREAM = _DRAWN | {"trace"}
_ENTRIES = (
    Reproduction(
        name="bender-table1",
        summary="what one allocator would give where another has placed the stream",
        source="Bender et al. 2008, section 5, Table 1",
        where="bender2008_table1.study:study",
        takes=_STREAM | {"mesh", "load", "every", "jobs"},
        counted="jobs",
    ),
    Reproduction(
        name="online-rule",
        summary="does deciding optimally paint one into a corner; a rule that does not",
        source="Bender et al. 2008, section 5, the open question",
        where="online_rule.study:study",
        takes=_STREAM | {"mesh", "load", "jobs"},
        counted="jobs",
    ),
    Reproduction(
        name="mache-dispersal",
        summary="dispersal and balance of six strategies, and of ours, against load",
        source="Mache, Lo, Garg 1999, Figs. 9 and 10",
        where="mache1999.study:study",
        takes=_STREAM | {"mesh", "jobs"},
        counted="jobs",
    ),
    Reproduction(
        name="bender-figure2",
        summary="optimal towns: the cheapest sets of 2 to 200 points",
        source="Bender et al. 2008, Figure 2",
        where="bender2008_figures.study:figure2",
    ),
    Reproduction(
        name="bender-figure3",
        summary="the optimal city from its differential equation, under towns",
        source="Bender et al. 2008, Figure 3",
        where="bender2008_figures.study:figure3",
    ),
    Reproduction(
        name="drakenberg-quality",
        summary="how often reaching is optimal, with realistic and uniform costs",
        source="Drakenberg 2012, section 6.2",
        where="drakenberg2012.quality:study",
        takes=_STREAM,
        counted="jobs",
    ),
    Reproduction(
        name="drakenberg-time",
        summary="time of a selection against the number of processors not selected",
        source="Drakenberg 2012, Figures 4 and 5 (a)",
        where="drakenberg2012.time:study",
        takes=_STREAM,
        counted="jobs",
    ),
    Reproduction(
        name="drakenberg-linecards",
        summary="line cards of a job against its size, for five ways to select",
        source="Drakenberg 2012, Figure 5 (b)",
        where="drakenberg2012.linecards:study",
        takes=_STREAM,
        counted="jobs",
    ),
    Reproduction(
        name="morgenstern-table1",
        summary="allocation in a 256x256 mesh, requests as asked",
        source="Morgenstern 1994, Table 1",
        where="morgenstern1994.study:table1",
        takes=_DRAWN,
    ),
    Reproduction(
        name="morgenstern-table2",
        summary="allocation in a 256x256 mesh, requests may be turned",
        source="Morgenstern 1994, Table 2",
        where="morgenstern1994.study:table2",
        takes=_DRAWN,
    ),
    Reproduction(
        name="morgenstern-table3",
        summary="allocation in a 1024x1024 mesh, from 2 to 700 residents",
        source="Morgenstern 1994, Table 3",
        where="morgenstern1994.study:table3",
        takes=_DRAWN,
    ),
    Reproduction(
        name="morgenstern-beyond",
        summary="other policies, a budget of moves, and an allocator that beats 4iss",
        source="Morgenstern 1994, the wish at its end",
        where="morgenstern1994.beyond:study",
        takes=_DRAWN,
        counted="requests of a queue",
    ),
    Reproduction(
        name="morgenstern-undecided",
        summary="what of migration can be decided, from 2 to 240 residents",
        source="Morgenstern 1994, section 4, beyond its ten residents",
        where="morgenstern1994.undecided:study",
        takes=_DRAWN,
        counted="requests of a queue",
    ),
)
REPRODUCTIONS: Mapping[str, Reproduction] = MappingProxyType(
    {entry.name: entry for entry in _ENTRIES}
)
"""Every reproduction by its name."""
