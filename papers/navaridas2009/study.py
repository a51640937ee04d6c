"""Figure 3 of Navaridas et al. 2009: time against placement, torus and fat-tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...reports.pages.document import Document, Finding, Section
from ..catalogue import RunOptions
from ..parts import run_all
from .findings import findings
from .machines import ALL, SEEDS, SIDES, FilledNetwork, machines, message_bytes
from .panels import Panel
from .parts import Found, Part, run
from .plots import plot
from .tables import ours_table, panel_table, runs_table

Name = tuple[FilledNetwork, str, str]
"""Interconnect, workload and placement."""


def study(options: RunOptions) -> Document:
    """Run every workload in every placement, and test the paper's statements."""
    lineup = machines(options.mesh)
    named = dict(_parts(lineup, options))
    # The same processors in the same order are run once; the longest are begun first.
    distinct = {part.key: part for parts in named.values() for part in parts}
    outcomes = run_all(dict(reversed(distinct.items())), run, Found, options)
    panels = [
        Panel(
            machine=machine,
            found={
                workload: {
                    placement: tuple(
                        outcomes[part.key]
                        for part in named[machine, workload, placement]
                    )
                    for placement in (*machine.of_paper, *machine.ours)
                }
                for workload in ALL
            },
            sizes={
                workload: message_bytes(workload, machine, full=options.full)
                for workload in ALL
            },
        )
        for machine in lineup
    ]
    return _build_document(options, panels)


def _parts(
    lineup: Sequence[FilledNetwork], options: RunOptions
) -> Iterator[tuple[Name, list[Part]]]:
    for machine in lineup:
        for placement in (*machine.of_paper, *machine.ours):
            orders = machine.places(placement, options.seed)
            for workload in ALL:
                yield (
                    (machine, workload, placement),
                    [
                        Part(
                            shape=machine.shape,
                            nodes=0,
                            seed=options.seed,
                            topology=machine.topology,
                            workload=workload,
                            size=message_bytes(workload, machine, full=options.full),
                            places=order,
                            placement=placement,
                        )
                        for order in orders
                    ],
                )


def _build_document(options: RunOptions, panels: Sequence[Panel]) -> Document:
    found = tuple(findings(panels))
    return Document(
        name="navaridas-figure3",
        title="Execution time against job and task placement, torus and fat-tree",
        source="Navaridas, Pascual, Miguel-Alonso 2009, section IV, Figure 3",
        lead=tuple(_summary(options, panels, found)),
        findings=found,
        sections=(
            *(
                Section(
                    title=f"{panel.machine.nodes} nodes, {panel.machine.topology}",
                    plots=(plot(panel),),
                    tables=(panel_table(panel),),
                )
                for panel in panels
            ),
            Section(
                title="Not in the paper: mm-inc and thrifty",
                text=_ON_OURS,
                tables=(ours_table(panels),),
            ),
            Section(title="Every run", tables=(runs_table(panels),), folded=True),
        ),
        notes=tuple(_notes(options)),
    )


def _summary(
    options: RunOptions, panels: Sequence[Panel], found: Sequence[Finding]
) -> Iterator[str]:
    held = sum(finding.holds is True for finding in found)
    yield f"{held} of {len(found)} statements of the paper hold."
    if not options.full:
        shorter = [
            f"1/{divisor} of the bytes at {side**2} nodes"
            for side, divisor in SIDES.items()
            if divisor > 1 and side in {panel.machine.side for panel in panels}
        ]
        if shorter:
            yield (
                f"Messages shorter than the paper's: {', '.join(shorter)} (WF as in "
                "the paper). Shorter messages make ratios smaller; --full runs those "
                "of the paper."
            )
    yield (
        "Worst to best of the paper's placements: "
        + "; ".join(
            f"{panel.machine.name} up to {panel.most[1]:.2f} ({panel.most[0]}), "
            f"median {panel.middle:.2f}"
            for panel in panels
        )
        + "."
    )


_ON_OURS = (
    "Both choose sets of processors of small pair sum, one instance after the other, "
    "and say nothing of the order of tasks: tasks are placed by the numbers of the "
    "processors. On an empty torus of 64 nodes both are the row placement. thrifty "
    "needs a grid, so it is not on the fat-trees; mm-inc takes whole subtrees there.",
)


def _notes(options: RunOptions) -> Iterator[str]:
    yield (
        f"Seed {options.seed}: permutations of seeds {options.seed} to "
        f"{options.seed + SEEDS - 1}, ties of the network drawn with seed "
        f"{options.seed}."
    )
    yield (
        "Random is judged by the mean of its permutations. Placements that give the "
        "same processors in the same order are run once."
    )
    yield (
        "Network: packets of 16 phits of 4 bytes, queues of 4 packets, virtual "
        "cut-through; on the torus an adaptive channel and an escape channel with "
        "bubble flow control; on the fat-tree up by credit, ties drawn. All instances "
        "start at once; time is that of the slowest."
    )
    yield (
        "BT, CG, IS, LU, MG, SP and FT are skeletons: pattern, order and proportions "
        "of the messages of NPB's programs, one iteration, in full as long as those of "
        "class A on 64 tasks. The paper's traces, of 10 to 20 iterations, are not to "
        "be had."
    )
    yield (
        "The paper's kernels are described elsewhere; here BI reduces along a binary "
        "tree, BU exchanges across every bit, 2M and 3M send to all neighbours at "
        "once, 2W, 3W and WF pass wave fronts from corner to corner."
    )
    yield (
        "Its figure is a picture: what its text says is judged. The thresholds of the "
        "criteria are ours; they were set before the first run, but a prototype's "
        "outcome was known."
    )
