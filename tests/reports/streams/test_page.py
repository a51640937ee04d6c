"""The page on a stream: what it holds, and what a browser makes of it."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from closeknit.heuristics.allocation.allocator import Allocator
from closeknit.instances import IntArray, Mesh, Topology, Torus, Tree
from closeknit.methods.allocators.table import allocator
from closeknit.network.jobs import Deliveries
from closeknit.network.messages import Messages, messages
from closeknit.network.worm.engine import RigidWorms
from closeknit.reports.streams import film as stream_film
from closeknit.reports.streams.film import Film, slider
from closeknit.reports.streams.page import stream_page
from closeknit.simulation.stream.jobs import StreamJob, generate
from closeknit.simulation.stream.measures import Meter
from closeknit.simulation.stream.simulator import Start, simulate

from ...serving.browser import opened
from ...toys import Pages

SWITCHES = Tree((-1, 0, 0, 1, 1, 2), (0, 1, 1, 1, 1, 1), (3, 4, 5))
PROBE = """
<script>
addEventListener("load", () => {
  const told = [];
  for (const film of document.querySelectorAll(".film")) {
    const range = film.querySelector("input"), canvas = film.querySelector("canvas");
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const ink = copy.getContext("2d", {willReadFrequently: true});
    const look = value => {
      range.value = value;
      range.dispatchEvent(new Event("input"));
      ink.clearRect(0, 0, copy.width, copy.height);
      ink.drawImage(canvas, 0, 0);
      const pixels = ink.getImageData(0, 0, canvas.width, canvas.height).data;
      const seen = new Map();
      for (let i = 0; i < pixels.length; i += 4) {
        if (!pixels[i + 3]) continue;
        const key = pixels.slice(i, i + 4).join();
        seen.set(key, (seen.get(key) || 0) + 1);
      }
      const fresh = seen.get("213,94,0,255") || 0;
      return {text: film.querySelector(".told").textContent, colours: seen.size,
        fresh: fresh / canvas.width / canvas.height};
    };
    const last = +range.max;
    const looks = [look(0), look(last), look(3), look(last)];
    film.querySelectorAll("button")[0].click();
    const before = film.querySelector(".told").textContent;
    const box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new MouseEvent("mousemove",
      {clientX: box.left + 3, clientY: box.top + 3}));
    told.push({looks: looks, before: before, width: box.width,
      who: film.querySelector(".who").textContent});
  }
  document.body.dataset.told = JSON.stringify({films: told,
    fetched: performance.getEntriesByType("resource").length,
    overflow: document.documentElement.scrollWidth > innerWidth});
});
addEventListener("error", () => { document.body.dataset.broken = "yes"; }, true);
</script>
"""


def _ran(
    machine: Allocator, jobs: list[StreamJob], name: str
) -> tuple[Film, Meter, list[Start]]:
    film, meter = Film(machine.topology, name), Meter(machine)
    starts = []
    for event in simulate(jobs, machine):
        film.see(event)
        meter.see(event)
        if isinstance(event, Start):
            starts.append(event)
    return film, meter, starts


def _jobs(network: Topology, n: int = 30) -> list[StreamJob]:
    most = sum(1 for _ in network.locations())
    sizes = f"uniform:1:{min(10, most)}"
    return generate(n, seed=1, most=most, sizes=sizes, interarrival=90)


def _numbers(told: list[int]) -> list[int]:
    numbers: list[int] = []
    at = 0
    for gap, length in zip(told[::2], told[1::2], strict=True):
        at += gap
        numbers += range(at, at + length)
        at += length
    return numbers


@pytest.mark.parametrize("machine", [Pages(Mesh((4, 6))), Pages(Torus((2, 3, 4)))])
def test_a_film_holds_who_had_what(machine: Allocator) -> None:
    film, _, starts = _ran(machine, _jobs(machine.topology), "pages")
    events = json.loads(film.data())["events"]
    begun = [event for event in events if isinstance(event, list)]
    assert film.starts == len(begun) == len(starts)
    for told, start in zip(begun, starts, strict=True):
        job = start.job
        assert told[:4] == [job.number, start.time, job.submit, job.seconds]
        runs = told[4:]
        cut = runs.index(-1) if -1 in runs else len(runs)
        used, spare = _numbers(runs[:cut]), _numbers(runs[cut + 1 :])
        assert used == sorted(start.grant.used.tolist())
        assert sorted(used + spare) == start.grant.held.tolist()
    # every end names the place of a start that has not ended yet
    running = set()
    for place, event in enumerate(events):
        if isinstance(event, list):
            running.add(place)
        else:
            running.remove(event)
    assert not running


def test_jobs_of_one_number_are_told_apart() -> None:
    jobs = [StreamJob(1, 0, 2, 9, 9), StreamJob(1, 1, 2, 3, 3)]
    film, _, _ = _ran(allocator("row-major", Mesh((2, 2))), jobs, "row-major")
    events = json.loads(film.data())["events"]
    assert events[2:] == [1, 0]


def test_a_film_knows_the_ends_that_a_network_decides() -> None:
    grid = Mesh((2, 3))

    def traffic(job: StreamJob, at: IntArray, draw: np.random.Generator) -> Messages:
        return messages([(int(at[0]), int(at[-1]), 7)])

    film = Film(grid, "row", "cycles")
    jobs = [StreamJob(i, 0, 3, 999, 999) for i in range(3)]
    ends = Deliveries(RigidWorms(grid), traffic)
    for event in simulate(jobs, allocator("row", grid), ends=ends):
        film.see(event)
    told = json.loads(film.data())
    # seven flits over two links
    assert [event[3] for event in told["events"] if isinstance(event, list)] == [10] * 3
    assert told["unit"] == "cycles"


def test_a_film_is_small() -> None:
    jobs = generate(500, seed=1, most=256, interarrival=50)
    film, _, _ = _ran(allocator("mm", Mesh((16, 16))), jobs, "mm")
    assert len(film.data()) < 60 * 500


def test_a_film_ends_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_film, "MOST_STARTS", 20)
    jobs = [StreamJob(i, i, 1, 1, 1) for i in range(25)]
    film, _, _ = _ran(allocator("row-major", Mesh((2,))), jobs, "row-major")
    assert film.starts == 20
    events = json.loads(film.data())["events"]
    assert sum(isinstance(event, int) for event in events) == 20
    assert "the first 20 starts" in slider(film).caption


def test_names_cannot_break_out_of_the_page() -> None:
    film = Film(Mesh((2, 2)), '"><script>alert(1)</script>')
    assert "<script>alert" not in slider(film).svg


@pytest.mark.parametrize("width", [1280, 500])
def test_the_browser_goes_through_a_stream(
    browser: str, tmp_path: Path, width: int
) -> None:
    machines = {
        "pages": Pages(Mesh((6, 8))),
        "mm": allocator("mm", Torus((3, 4, 5))),
        "switches": allocator("mm", SWITCHES),
    }
    films, ran, last = [], [], []
    for name, machine in machines.items():
        film, meter, starts = _ran(machine, _jobs(machine.topology), name)
        films.append(film)
        ran.append((name, meter.summary(), meter.rows))
        last.append(starts[-1])
    page = tmp_path / "stream.html"
    text = stream_page("30 jobs", ran, films)
    assert text == stream_page("30 jobs", ran, films)
    page.write_text(text + PROBE, encoding="utf-8")
    shown, log = opened(
        browser, page, tmp_path, f"--window-size={width},900", "--dump-dom"
    )
    headings = re.findall(r"<h2>(.*?)</h2>", shown)
    assert headings == ["Measures", "Distributions", "Start by start"]
    assert "data-broken" not in shown
    assert "CONSOLE" not in log
    found = re.search(r'data-told="([^"]+)"', shown)
    assert found is not None
    told = json.loads(unescape(found[1]))
    assert told["fetched"] == 0
    assert not told["overflow"]
    assert len(told["films"]) == 3
    for seen, start, machine in zip(
        told["films"], last, machines.values(), strict=True
    ):
        first, final, third, again = seen["looks"]
        assert final == again != third  # going back and forth ends at the same
        assert first["text"].startswith("Start 1 of 30, second 0: job 1 gets ")
        k = start.job.processors
        busy = len(machine.places) - np.count_nonzero(start.idle)
        busy += len(start.grant.held)
        assert (
            f"Start 30 of 30, second {start.time}: job {start.job.number} gets {k} pr"
            in final["text"]
        )
        assert final["text"].endswith(f" on {busy} of {len(machine.places)}.")
        assert seen["before"].startswith("Start 29 of 30")
        assert seen["who"].startswith("Processor 0")
        assert final["fresh"] > 0  # the new job stands out
        assert final["colours"] >= 2
        assert 0 < seen["width"] < width


def test_a_run_that_was_left_is_said() -> None:
    machine = allocator("row-major", Mesh((2, 2)))
    meter = Meter(machine)
    page = stream_page("x < y", [("row-major", meter.summary(partial=True), [])])
    assert "x &lt; y" in page
    assert "Under row-major the run was left after 0 starts." in page
    assert "Distributions" not in page
