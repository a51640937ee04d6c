"""The table of reproductions; the module of each is imported when it is run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from ..extensions import load
from ..reports.pages.document import Document
from .catalogue import Reproduction, RunOptions


def _study(place: str, options: RunOptions) -> Document:
    found: Document = load(f"papers.{place}")(options)
    return found


def _entry(
    name: str,
    study: str,
    source: str,
    summary: str,
    takes: str = "",
    counted: str = "",
) -> Reproduction:
    """Return an entry; ``study`` is the module and the function of its study."""
    return Reproduction(
        name=name,
        study=partial(_study, study),
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
        "bender2008_table1.study:study",
        "Bender et al. 2008, section 5, Table 1",
        "what one allocator would give where another has placed the stream",
        f"{_STREAM} mesh load every jobs",
        "jobs",
    ),
    _entry(
        "online-rule",
        "online_rule.study:study",
        "Bender et al. 2008, section 5, the open question",
        "does deciding optimally paint one into a corner; a rule that does not",
        f"{_STREAM} mesh load jobs",
        "jobs",
    ),
    _entry(
        "mache-dispersal",
        "mache1999.study:study",
        "Mache, Lo, Garg 1999, Figs. 9 and 10",
        "dispersal and balance of six strategies, and of ours, against load",
        f"{_STREAM} mesh jobs",
        "jobs",
    ),
    _entry(
        "mache-table2",
        "mache1999_network.study:study",
        "Mache, Lo, Garg 1999, Table 2",
        "service times of six strategies, and of ours, on a simulated network",
        f"{_DRAWN} jobs full",
        "jobs of each stream",
    ),
    _entry(
        "navaridas-figure3",
        "navaridas2009.study:study",
        "Navaridas, Pascual, Miguel-Alonso 2009, Figure 3",
        "execution time against placement, on torus and fat-tree",
        "seed mesh jobs full",
    ),
    _entry(
        "bender-figure2",
        "bender2008_figures.study:figure2",
        "Bender et al. 2008, Figure 2",
        "optimal towns: the cheapest sets of 2 to 200 points",
    ),
    _entry(
        "bender-figure3",
        "bender2008_figures.study:figure3",
        "Bender et al. 2008, Figure 3",
        "the optimal city from its differential equation, under towns",
    ),
    _entry(
        "bender-flow",
        "bender2008_flow.study:study",
        "Bender et al. 2008, section 6",
        "mean flow time on a mesh of 4x8, service times decided by the network",
        f"{_STREAM} load jobs full",
        "jobs",
    ),
    _entry(
        "drakenberg-quality",
        "drakenberg2012.quality:study",
        "Drakenberg 2012, section 6.2",
        "how often reaching is optimal, with realistic and uniform costs",
        _STREAM,
        "jobs",
    ),
    _entry(
        "drakenberg-time",
        "drakenberg2012.time:study",
        "Drakenberg 2012, Figures 4 and 5 (a)",
        "time of a selection against the number of processors not selected",
        _STREAM,
        "jobs",
    ),
    _entry(
        "drakenberg-linecards",
        "drakenberg2012.linecards:study",
        "Drakenberg 2012, Figure 5 (b)",
        "line cards of a job against its size, for five ways to select",
        _STREAM,
        "jobs",
    ),
    _entry(
        "morgenstern-table1",
        "morgenstern1994.study:table1",
        "Morgenstern 1994, Table 1",
        "allocation in a 256x256 mesh, requests as asked",
        _DRAWN,
    ),
    _entry(
        "morgenstern-table2",
        "morgenstern1994.study:table2",
        "Morgenstern 1994, Table 2",
        "allocation in a 256x256 mesh, requests may be turned",
        _DRAWN,
    ),
    _entry(
        "morgenstern-table3",
        "morgenstern1994.study:table3",
        "Morgenstern 1994, Table 3",
        "allocation in a 1024x1024 mesh, from 2 to 700 residents",
        _DRAWN,
    ),
    _entry(
        "morgenstern-beyond",
        "morgenstern1994.beyond:study",
        "Morgenstern 1994, the wish at its end",
        "other policies, a budget of moves, and an allocator that beats 4iss",
        _DRAWN,
        _QUEUE,
    ),
    _entry(
        "morgenstern-undecided",
        "morgenstern1994.undecided:study",
        "Morgenstern 1994, section 4, beyond its ten residents",
        "what of migration can be decided, from 2 to 240 residents",
        _DRAWN,
        _QUEUE,
    ),
    _entry(
        "hops-or-seconds",
        "hops_or_seconds.study:study",
        "closeknit, beyond the papers",
        "what allocation should minimise, by simulated time on six networks",
        f"{_DRAWN} jobs full",
    ),
    _entry(
        "pmed",
        "any_network.study:networks",
        "Drezner 2006; OR-Library",
        "the closest k nodes of 40 networks: bounds, certificates, other methods",
        "first jobs full",
    ),
    _entry(
        "k-cluster",
        "any_network.study:random_graphs",
        "closeknit, beyond the papers",
        "densest subgraphs of random graphs: bounds, certificates, other methods",
        "seed first jobs full",
    ),
    _entry(
        "grey-patterns",
        "any_network.study:grey_patterns",
        "Taillard 1995; QAPLIB",
        "cells of a torus far apart: bounds, certificates, other methods",
        "first jobs full",
    ),
    _entry(
        "graded-rules",
        "graded_rules.study:study",
        "closeknit, beyond the papers",
        "rules of schedulers against the optimum on jobs of parts: refusals, domains",
        f"{_DRAWN} full",
        "states of every shape and share",
    ),
    _entry(
        "task-mapping",
        "task_mapping.study:study",
        "measured communication of 64 ranks",
        "whether ranks in a better order are faster on a simulated network",
        "traffic seed jobs full",
    ),
)
REPRODUCTIONS: Mapping[str, Reproduction] = MappingProxyType(
    {entry.name: entry for entry in _ENTRIES}
)
"""Every reproduction by its name."""
