"""A page about a run on a network: measures, links by load, latencies."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
from matplotlib.collections import LineCollection

from ...instances import Mesh, Torus
from ...simulation.network.posted import Network
from ...simulation.network.runs import Finished
from ..pages.document import Document, Name, Plot, Section, Table
from ..pages.html import html_of
from ..pages.plot_style import FAINT, INK, RULE, A, B, dots, in_style, plotted, sheet

_MOST_CELLS = 2**12
"""Cells of a grid of which links are drawn."""
_MOST_STEPS = 500
"""Points of a curve."""


def network_page(title: str, network: Network, run: Finished) -> str:
    """Write the page; the same run gives the same bytes.

    Parameters
    ----------
    title
        What ran on what.
    network
        Where it ran.
    run
        What was measured.
    """
    summary = run.summary
    measures = asdict(summary)
    del measures["instance_cycles"]
    plots = []
    if len(run.carried):
        if _is_plane(network):
            plots.append(heat_map(network, run))
        plots.append(sorted_loads(run))
    sections = [
        Section(
            title="Measures",
            tables=(
                Table(
                    name="measures",
                    columns=("*measure", "value"),
                    rows=tuple(measures.items()),
                ),
                Table(
                    name="instances",
                    caption="When the last message of each instance arrived",
                    columns=("instance", "processors", "cycles"),
                    rows=tuple(
                        (i, len(place), cycles)
                        for i, (place, cycles) in enumerate(
                            zip(run.places, summary.instance_cycles, strict=True)
                        )
                    ),
                ),
            ),
        ),
        Section(title="Links", plots=tuple(plots)),
    ]
    if len(run.latency):
        sections.append(Section(title="Messages", plots=(latencies(run),)))
    return html_of(
        Document(
            name="network",
            title="A run on a network",
            source=Name(title),
            sections=tuple(sections),
        )
    )


def _is_plane(network: Network) -> bool:
    """Whether a network is a grid of at most two axes that is not too large."""
    return (
        isinstance(network, Mesh | Torus)
        and len(network.shape) <= 2
        and int(np.prod(network.shape)) <= _MOST_CELLS
    )


@in_style
def heat_map(network: Network, run: Finished) -> Plot:
    """Draw every link of a grid of at most two axes, darker the more it carried.

    Parameters
    ----------
    network
        Mesh or torus; its last axis runs to the right.
    run
        What its links carried.
    """
    assert isinstance(network, Mesh | Torus)
    shape = (1, *network.shape) if len(network.shape) == 1 else network.shape
    rows, columns = shape
    wide = 9.8 if columns >= rows else 9.8 * columns / rows
    figure, axes = sheet(max(wide, 3.0), max(9.8 * min(1.0, rows / columns), 1.4))
    begin, end = (np.stack(np.unravel_index(v, shape), 1) for v in run.ends.T)
    step = end - begin
    far = np.abs(step) > 1  # links that wrap around leave the picture on both sides
    step = np.where(far, -np.sign(step), step).astype(np.float64)
    beside = 0.12 * np.stack([step[:, 1], -step[:, 0]], axis=1)  # keep to the right
    wraps = far.any(axis=1)[:, None]
    near = begin + 0.18 * step + beside
    away = np.where(wraps, begin + 0.6 * step, end - 0.18 * step) + beside
    share = run.carried / max(1, int(run.carried.max()))
    axes.add_collection(
        LineCollection(
            np.stack([near[:, ::-1], away[:, ::-1]], axis=1).tolist(),
            colors=B,
            alpha=(0.06 + 0.94 * share).tolist(),
            linewidths=(0.8 + 2.4 * share).tolist(),
        )
    )
    cells = np.stack(np.unravel_index(np.arange(rows * columns), shape), axis=1)
    used = np.zeros(len(cells), np.bool_)
    for place in run.places:
        used[place] = True
    for chosen, colour in ((used, INK), (~used, RULE)):
        at = cells[chosen].astype(np.float64)
        dots(axes, at[:, 1], at[:, 0], colour, 4.0)
    axes.set_xlim(-0.8, columns - 0.2)
    axes.set_ylim(rows - 0.2, -0.8)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return plotted(
        figure,
        "Map",
        f"A line per link and direction, on the right of its way; the darkest carried "
        f"{run.summary.busiest_link_flits} flits. Dots: processors, dark ones have "
        f"tasks.",
        "Links of the network by the flits that they carried",
    )


@in_style
def sorted_loads(run: Finished) -> Plot:
    """Draw the flits of all links, those with most first.

    Parameters
    ----------
    run
        What its links carried.
    """
    figure, axes = sheet(9.8, 2.6)
    loads = np.sort(run.carried)[::-1]
    at = np.unique(np.linspace(0, len(loads) - 1, _MOST_STEPS).astype(np.int64))
    axes.plot(at + 1, loads[at], color=A, drawstyle="steps-mid")
    axes.axhline(float(loads.mean()), color=FAINT, linewidth=0.8)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("links, those that carried most first")
    axes.set_ylabel("flits")
    axes.grid(axis="y")
    return plotted(
        figure, "Load of links", "Thin line: the mean.", "Flits of all links"
    )


@in_style
def latencies(run: Finished) -> Plot:
    """Draw which part of the messages took how long at most.

    Parameters
    ----------
    run
        With at least one message.
    """
    figure, axes = sheet(9.8, 2.6)
    took = np.sort(run.latency)
    at = np.unique(np.linspace(0, len(took) - 1, _MOST_STEPS).astype(np.int64))
    axes.step(took[at], 100 * (at + 1) / len(took), where="post", color=A)
    axes.axvline(float(took.mean()), color=FAINT, linewidth=0.8)
    axes.set_ylim(0, 102)
    axes.set_xlabel("cycles from release to the last flit")
    axes.set_ylabel("messages, %")
    axes.grid(axis="y")
    return plotted(
        figure, "Latency", "Thin line: the mean.", "Share of messages by their latency"
    )
