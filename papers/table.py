"""The table of reproductions; the module of each is imported when it is run.

The places of the modules are in `extension`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..extensions import load
from .catalogue import Reproduction
from .extension import EXTENSION


def _entry(
    name: str, source: str, summary: str, takes: str = "", counted: str = ""
) -> Reproduction:
    return Reproduction(
        name=name,
        study=lambda options: load(EXTENSION.reproductions[name])(options),
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
        "oeis",
        "OEIS A193452 and A290190",
        "terms beyond those listed, as b-files, each with a certificate",
        "first jobs full",
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
