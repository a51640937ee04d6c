"""The page on a stream: measures, distributions, pictures of some starts."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from closeknit.heuristics.allocation.allocator import Allocator
from closeknit.instances import KSubset, Mesh, Topology, Torus, Tree
from closeknit.methods.allocators.table import allocator
from closeknit.reports.drawing.drawing import draw
from closeknit.reports.streams.page import stream_page
from closeknit.reports.streams.stills import PICTURES, Stills
from closeknit.simulation.stream.jobs import StreamJob, generate
from closeknit.simulation.stream.measures import Meter
from closeknit.simulation.stream.simulator import Start, simulate

from ...serving.browser import opened
from ...toys import Pages

SWITCHES = Tree((-1, 0, 0, 1, 1, 2), (0, 1, 1, 1, 1, 1), (3, 4, 5))


def _ran(
    machine: Allocator, jobs: list[StreamJob], name: str
) -> tuple[Stills, Meter, list[Start]]:
    stills, meter = Stills(machine.topology, name, len(jobs)), Meter(machine)
    starts = []
    for event in simulate(jobs, machine):
        stills.see(event)
        meter.see(event)
        if isinstance(event, Start):
            starts.append(event)
    return stills, meter, starts


def _jobs(network: Topology, n: int = 30) -> list[StreamJob]:
    most = sum(1 for _ in network.locations())
    sizes = f"uniform:1:{min(10, most)}"
    return generate(n, seed=1, most=most, sizes=sizes, interarrival=90)


@pytest.mark.parametrize(
    "machine",
    [
        Pages(Mesh((4, 6))),
        Pages(Torus((2, 3, 4))),
        allocator("mm", SWITCHES),
        allocator("random", Mesh(20), seed=1),
    ],
)
def test_pictures_show_who_gets_what(machine: Allocator) -> None:
    stills, _, starts = _ran(machine, _jobs(machine.topology), "some")
    plots = stills.plots()
    shown = np.linspace(0, len(starts) - 1, PICTURES).round().astype(int)
    assert len(plots) == PICTURES
    for plot, number in zip(plots, shown, strict=True):
        start = starts[number]
        job = start.job
        assert plot.title == (
            f"some, start {number + 1}: job {job.number} at {start.time} s"
        )
        k, idle = job.processors, np.count_nonzero(start.idle)
        assert f"gets {k} processor{'s' * (k > 1)} of {idle} idle" in plot.caption
        assert plot.caption.endswith(f"after waiting {start.time - job.submit} s.")
        sites = list(machine.topology.locations())
        free = sorted(sites[i] for i in np.flatnonzero(start.idle))
        chosen = [free.index(sites[i]) for i in start.grant.used]
        there = KSubset(plot.title, machine.topology, tuple(free), k)
        assert plot.svg == draw(there, {"some": sorted(chosen)})


def test_a_short_stream_has_fewer_pictures() -> None:
    jobs = [StreamJob(i, i, 1, 1, 1) for i in range(2)]
    stills, _, _ = _ran(allocator("row-major", Mesh((2,))), jobs, "row-major")
    assert [plot.title.split(":")[0] for plot in stills.plots()] == [
        "row-major, start 1",
        "row-major, start 2",
    ]
    assert Stills(Mesh(2), "nobody", 0).plots() == []


@pytest.mark.parametrize("width", [1280, 500])
def test_the_browser_shows_a_stream(browser: str, tmp_path: Path, width: int) -> None:
    ran, stills = [], []
    for name, machine in {
        "pages": Pages(Mesh((6, 8))),
        "mm": allocator("mm", Torus((3, 4, 5))),
        "switches": allocator("mm", SWITCHES),
    }.items():
        still, meter, _ = _ran(machine, _jobs(machine.topology), name)
        stills.append(still)
        ran.append((name, meter.summary(), meter.rows))
    text = stream_page("30 <jobs>", ran, stills)
    assert text == stream_page("30 <jobs>", ran, stills)
    page = tmp_path / "stream.html"
    page.write_text(text, encoding="utf-8")
    shown, log = opened(
        browser, page, tmp_path, f"--window-size={width},900", "--dump-dom"
    )
    headings = re.findall(r"<h2>(.*?)</h2>", shown)
    assert headings == ["Measures", "Distributions", "Some starts"]
    assert shown.count("<figure>") == 1 + 3 * PICTURES
    assert "CONSOLE" not in log
    assert "30 &lt;jobs&gt;" in shown


def test_a_run_that_was_left_is_said() -> None:
    machine = allocator("row-major", Mesh((2, 2)))
    meter = Meter(machine)
    page = stream_page("x < y", [("row-major", meter.summary(partial=True), [])])
    assert "x &lt; y" in page
    assert "Under row-major the run was left after 0 starts." in page
    assert "Distributions" not in page
