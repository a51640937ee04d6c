"""The table of reproductions; the module of each is imported when it is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..pages.document import Document
from .catalogue import Reproduction, RunOptions


def _study(name: str) -> Callable[[RunOptions], Document]:
    """Import what runs a reproduction."""
    match name:
        case "bender-table1":
            from .bender2008_table1.study import study
        case "online-rule":
            from .online_rule.study import study
        case "mache-dispersal":
            from .mache1999.study import study
        case "mache-table2":
            from .mache1999_network.study import study
        case "navaridas-figure3":
            from .navaridas2009.study import study
        case "bender-figure2":
            from .bender2008_figures.study import figure2 as study
        case "bender-figure3":
            from .bender2008_figures.study import figure3 as study
        case "bender-flow":
            from .bender2008_flow.study import study
        case "drakenberg-quality":
            from .drakenberg2012.quality import study
        case "drakenberg-time":
            from .drakenberg2012.time import study
        case "drakenberg-linecards":
            from .drakenberg2012.linecards import study
        case "morgenstern-table1":
            from .morgenstern1994.study import table1 as study
        case "morgenstern-table2":
            from .morgenstern1994.study import table2 as study
        case "morgenstern-table3":
            from .morgenstern1994.study import table3 as study
        case "morgenstern-beyond":
            from .morgenstern1994.beyond import study
        case "hops-or-seconds":
            from .hops_or_seconds.study import study
        case "frontier":
            from .frontier.study import study
        case "network-validation":
            from .network_validation import study
        case "task-mapping":
            from .task_mapping.study import study
        case _:
            from .morgenstern1994.undecided import study
    return study


def _entry(
    name: str, source: str, summary: str, takes: str = "", counted: str = ""
) -> Reproduction:
    return Reproduction(
        name=name,
        study=lambda options: _study(name)(options),
        summary=summary,
        source=source,
        takes=frozenset(takes.split()),
        counted=counted,
    )


_DRAWN = "seed first"
_STREAM = f"{_DRAWN} trace"
_QUEUE = "requests of a queue"
_ENTRIES = (
    _entry(
        "bender-table1",
        "Bender et al. 2008, section 5, Table 1",
        "what one allocator would give where another has placed the stream",
        f"{_STREAM} mesh load every jobs",
        "jobs",
    ),
    _entry(
        "online-rule",
        "Bender et al. 2008, section 5, the open question",
        "does deciding optimally paint one into a corner; a rule that does not",
        f"{_STREAM} mesh load jobs",
        "jobs",
    ),
    _entry(
        "mache-dispersal",
        "Mache, Lo, Garg 1999, Figs. 9 and 10",
        "dispersal and balance of six strategies, and of ours, against load",
        f"{_STREAM} mesh jobs",
        "jobs",
    ),
    _entry(
        "mache-table2",
        "Mache, Lo, Garg 1999, Table 2",
        "service times of six strategies, and of ours, on a simulated network",
        f"{_DRAWN} jobs full",
        "jobs of each stream",
    ),
    _entry(
        "navaridas-figure3",
        "Navaridas, Pascual, Miguel-Alonso 2009, Figure 3",
        "execution time against placement, on torus and fat-tree",
        "seed mesh jobs full",
    ),
    _entry(
        "bender-figure2",
        "Bender et al. 2008, Figure 2",
        "optimal towns: the cheapest sets of 2 to 200 points",
    ),
    _entry(
        "bender-figure3",
        "Bender et al. 2008, Figure 3",
        "the optimal city from its differential equation, under towns",
    ),
    _entry(
        "bender-flow",
        "Bender et al. 2008, section 6",
        "mean flow time on a mesh of 4x8, service times decided by the network",
        f"{_STREAM} load jobs full",
        "jobs",
    ),
    _entry(
        "drakenberg-quality",
        "Drakenberg 2012, section 6.2",
        "how often reaching is optimal, with realistic and uniform costs",
        _STREAM,
        "jobs",
    ),
    _entry(
        "drakenberg-time",
        "Drakenberg 2012, Figures 4 and 5 (a)",
        "time of a selection against the number of processors not selected",
        _STREAM,
        "jobs",
    ),
    _entry(
        "drakenberg-linecards",
        "Drakenberg 2012, Figure 5 (b)",
        "line cards of a job against its size, for five ways to select",
        _STREAM,
        "jobs",
    ),
    _entry(
        "morgenstern-table1",
        "Morgenstern 1994, Table 1",
        "allocation in a 256x256 mesh, requests as asked",
        _DRAWN,
    ),
    _entry(
        "morgenstern-table2",
        "Morgenstern 1994, Table 2",
        "allocation in a 256x256 mesh, requests may be turned",
        _DRAWN,
    ),
    _entry(
        "morgenstern-table3",
        "Morgenstern 1994, Table 3",
        "allocation in a 1024x1024 mesh, from 2 to 700 residents",
        _DRAWN,
    ),
    _entry(
        "morgenstern-beyond",
        "Morgenstern 1994, the wish at its end",
        "other policies, a budget of moves, and an allocator that beats 4iss",
        _DRAWN,
        _QUEUE,
    ),
    _entry(
        "morgenstern-undecided",
        "Morgenstern 1994, section 4, beyond its ten residents",
        "what of migration can be decided, from 2 to 240 residents",
        _DRAWN,
        _QUEUE,
    ),
    _entry(
        "hops-or-seconds",
        "closeknit, beyond the papers",
        "what allocation minimises against simulated time, on four networks",
        f"{_DRAWN} traffic jobs full",
    ),
    _entry(
        "frontier",
        "closeknit, beyond the papers",
        "a library of hard instances with their optima and checked proofs",
        "jobs full",
    ),
    _entry(
        "network-validation",
        "BookSim 2, CAMINOS, bisections",
        "wormhole networks beside other simulators, and below their cuts",
        "seed",
    ),
    _entry(
        "task-mapping",
        "measured communication of 64 ranks",
        "whether ranks in a better order are faster on a simulated network",
        "traffic seed jobs full",
    ),
)
REPRODUCTIONS: Mapping[str, Reproduction] = MappingProxyType(
    {entry.name: entry for entry in _ENTRIES}
)
"""Every reproduction by its name."""
