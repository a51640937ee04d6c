"""A page about a run on a network: measures, links by load, latencies."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import numpy.typing as npt
from matplotlib.collections import LineCollection

from ..reports.pages.document import Document, Name, Plot, Section, Table
from ..reports.pages.html import html_of
from ..reports.pages.plot_style import (
    FAINT,
    INK,
    RULE,
    A,
    B,
    as_plot,
    dots,
    in_style,
    sheet,
)
from .engine import Network
from .messages import Ints
from .runs import Finished

_MOST_STEPS = 500
"""Points of a curve."""
_MOST_CELLS = 2**12
"""Cells of a grid of which links are drawn."""


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
    measures = asdict(run.summary)
    cycles = measures.pop("instance_cycles")
    plots = []
    if len(run.carried):
        if _is_plane(network):
            plots.append(heat_map(network, run))
        plots.append(sorted_loads(run))
    rows = zip(run.places, cycles, strict=True)
    tables = (
        Table(
            name="measures",
            columns=("*measure", "value"),
            rows=tuple(measures.items()),
        ),
        Table(
            name="instances",
            caption="When the last message of each instance arrived",
            columns=("instance", "processors", "cycles"),
            rows=tuple((i, len(place), end) for i, (place, end) in enumerate(rows)),
        ),
    )
    sections = [
        Section(title="Measures", tables=tables),
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
    shape = rows, columns = _plane_of(network)
    wide = 9.8 if columns >= rows else 9.8 * columns / rows
    figure, axes = sheet(max(wide, 3.0), max(9.8 * min(1.0, rows / columns), 1.4))
    share = run.carried / max(1, int(run.carried.max()))
    axes.add_collection(
        LineCollection(
            segments(network, run.ends).tolist(),
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
    return as_plot(
        figure,
        "Map",
        f"A line per link and direction, on the right of its way; the darkest carried "
        f"{run.carried.max()} flits. Dots: processors, dark ones have "
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
    return as_plot(
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
    return as_plot(
        figure, "Latency", "Thin line: the mean.", "Share of messages by their latency"
    )


def _is_plane(network: Network) -> bool:
    """Whether a network is a grid of at most two axes that is not too large."""
    return (
        network.grid is not None
        and network.dimension <= 2
        and network.processors_in_all <= _MOST_CELLS
    )


def _plane_of(network: Network) -> tuple[int, int]:
    """Return rows and columns of a grid of one or two axes."""
    rows, columns = (1, *network.size)[-2:]
    return rows, columns


def segments(network: Network, ends: Ints) -> npt.NDArray[np.float64]:
    """Return where the links of a plane are drawn, shape (links, 2 ends, x and y).

    Each is on the right of its way. Those that wrap around leave the picture on both
    sides.
    """
    shape = _plane_of(network)
    begin, end = (np.stack(np.unravel_index(v, shape), 1) for v in ends.T)
    step = end - begin
    far = np.abs(step) > 1
    step = np.where(far, -np.sign(step), step).astype(np.float64)
    beside = 0.12 * np.stack([step[:, 1], -step[:, 0]], axis=1)
    near = begin + 0.18 * step + beside
    wraps = far.any(axis=1)[:, None]
    away = np.where(wraps, begin + 0.6 * step, end - 0.18 * step) + beside
    return np.stack([near[:, ::-1], away[:, ::-1]], axis=1)
