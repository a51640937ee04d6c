"""The table of reproductions; the module of each is imported when it is run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..pages.document import Document
from .catalogue import Reproduction, RunOptions


def _bender_table1(options: RunOptions) -> Document:
    from .bender2008_table1.study import study

    return study(options)


def _online_rule(options: RunOptions) -> Document:
    from .online_rule.study import study

    return study(options)


def _mache_dispersal(options: RunOptions) -> Document:
    from .mache1999.study import study

    return study(options)


def _bender_figure2(options: RunOptions) -> Document:
    from .bender2008_figures.study import figure2

    return figure2(options)


def _bender_figure3(options: RunOptions) -> Document:
    from .bender2008_figures.study import figure3

    return figure3(options)


def _drakenberg_quality(options: RunOptions) -> Document:
    from .drakenberg2012.quality import study

    return study(options)


def _drakenberg_time(options: RunOptions) -> Document:
    from .drakenberg2012.time import study

    return study(options)


def _drakenberg_linecards(options: RunOptions) -> Document:
    from .drakenberg2012.linecards import study

    return study(options)


def _morgenstern_table1(options: RunOptions) -> Document:
    from .morgenstern1994.study import table1

    return table1(options)


def _morgenstern_table2(options: RunOptions) -> Document:
    from .morgenstern1994.study import table2

    return table2(options)


def _morgenstern_table3(options: RunOptions) -> Document:
    from .morgenstern1994.study import table3

    return table3(options)


def _morgenstern_beyond(options: RunOptions) -> Document:
    from .morgenstern1994.beyond import study

    return study(options)


def _morgenstern_undecided(options: RunOptions) -> Document:
    from .morgenstern1994.undecided import study

    return study(options)


_DRAWN = frozenset({"seed", "first"})
_STREAM = _DRAWN | {"trace"}
_ENTRIES = (
    Reproduction(
        name="bender-table1",
        study=_bender_table1,
        summary="what one allocator would give where another has placed the stream",
        source="Bender et al. 2008, section 5, Table 1",
        takes=_STREAM | {"mesh", "load", "every", "jobs"},
        counted="jobs",
    ),
    Reproduction(
        name="online-rule",
        study=_online_rule,
        summary="does deciding optimally paint one into a corner; a rule that does not",
        source="Bender et al. 2008, section 5, the open question",
        takes=_STREAM | {"mesh", "load", "jobs"},
        counted="jobs",
    ),
    Reproduction(
        name="mache-dispersal",
        study=_mache_dispersal,
        summary="dispersal and balance of six strategies, and of ours, against load",
        source="Mache, Lo, Garg 1999, Figs. 9 and 10",
        takes=_STREAM | {"mesh", "jobs"},
        counted="jobs",
    ),
    Reproduction(
        name="bender-figure2",
        study=_bender_figure2,
        summary="optimal towns: the cheapest sets of 2 to 200 points",
        source="Bender et al. 2008, Figure 2",
    ),
    Reproduction(
        name="bender-figure3",
        study=_bender_figure3,
        summary="the optimal city from its differential equation, under towns",
        source="Bender et al. 2008, Figure 3",
    ),
    Reproduction(
        name="drakenberg-quality",
        study=_drakenberg_quality,
        summary="how often reaching is optimal, with realistic and uniform costs",
        source="Drakenberg 2012, section 6.2",
        takes=_STREAM,
        counted="jobs",
    ),
    Reproduction(
        name="drakenberg-time",
        study=_drakenberg_time,
        summary="time of a selection against the number of processors not selected",
        source="Drakenberg 2012, Figures 4 and 5 (a)",
        takes=_STREAM,
        counted="jobs",
    ),
    Reproduction(
        name="drakenberg-linecards",
        study=_drakenberg_linecards,
        summary="line cards of a job against its size, for five ways to select",
        source="Drakenberg 2012, Figure 5 (b)",
        takes=_STREAM,
        counted="jobs",
    ),
    Reproduction(
        name="morgenstern-table1",
        study=_morgenstern_table1,
        summary="allocation in a 256x256 mesh, requests as asked",
        source="Morgenstern 1994, Table 1",
        takes=_DRAWN,
    ),
    Reproduction(
        name="morgenstern-table2",
        study=_morgenstern_table2,
        summary="allocation in a 256x256 mesh, requests may be turned",
        source="Morgenstern 1994, Table 2",
        takes=_DRAWN,
    ),
    Reproduction(
        name="morgenstern-table3",
        study=_morgenstern_table3,
        summary="allocation in a 1024x1024 mesh, from 2 to 700 residents",
        source="Morgenstern 1994, Table 3",
        takes=_DRAWN,
    ),
    Reproduction(
        name="morgenstern-beyond",
        study=_morgenstern_beyond,
        summary="other policies, a budget of moves, and an allocator that beats 4iss",
        source="Morgenstern 1994, the wish at its end",
        takes=_DRAWN,
        counted="requests of a queue",
    ),
    Reproduction(
        name="morgenstern-undecided",
        study=_morgenstern_undecided,
        summary="what of migration can be decided, from 2 to 240 residents",
        source="Morgenstern 1994, section 4, beyond its ten residents",
        takes=_DRAWN,
        counted="requests of a queue",
    ),
)
REPRODUCTIONS: Mapping[str, Reproduction] = MappingProxyType(
    {entry.name: entry for entry in _ENTRIES}
)
"""Every reproduction by its name."""
