"""The film of links: what it holds, and what a browser makes of it."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closeknit.instances import Mesh, Torus
from closeknit.network.cut_through.posted import Network
from closeknit.network.kary_tree import KaryTree
from closeknit.network.pages.film import kinds_of, link_slider, segments
from closeknit.network.pages.page import network_page
from closeknit.network.places import network_named
from closeknit.network.runs import Finished, Switching, run_network
from closeknit.network.workloads.table import workload

from ...serving.browser import opened

NETWORKS = [Torus(4, 4), Mesh(9), Mesh(2, 2, 4), KaryTree(2, 3)]
PROBE = """
<script>
addEventListener("load", () => {
  const film = document.querySelector(".film"), range = film.querySelector("input");
  const canvas = film.querySelector("canvas");
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  const ink = copy.getContext("2d", {willReadFrequently: true});
  const [back, play, on] = film.querySelectorAll("button");
  const line = () => film.querySelector(".told").textContent;
  const dark = () => {
    ink.clearRect(0, 0, copy.width, copy.height);
    ink.drawImage(canvas, 0, 0);
    const pixels = ink.getImageData(0, 0, canvas.width, canvas.height).data;
    let full = 0;
    for (let i = 0; i < pixels.length; i += 4)
      full += pixels[i] > 200 && pixels[i + 1] < 120 && pixels[i + 3] > 230;
    return full;
  };
  const go = value => { range.value = value; range.dispatchEvent(new Event("input")); };
  const told = {first: line(), full: dark()};
  on.click(); told.second = line();
  back.click(); told.again = line();
  go(range.max); told.last = line(); told.left = dark();
  const key = new KeyboardEvent("keydown", {key: " ", cancelable: true});
  range.dispatchEvent(key);
  told.playing = play.textContent; told.from = line(); told.kept = key.defaultPrevented;
  range.dispatchEvent(new KeyboardEvent("keydown", {key: " "}));
  told.stopped = play.textContent;
  told.names = new Set();
  const box = canvas.getBoundingClientRect();
  for (let x = 2; x < box.width; x += 7) for (let y = 2; y < box.height; y += 7) {
    canvas.dispatchEvent(new MouseEvent("mousemove",
      {clientX: box.left + x, clientY: box.top + y}));
    told.names.add(film.querySelector(".who").textContent.split(":")[0]);
  }
  told.names = [...told.names];
  told.fetched = performance.getEntriesByType("resource").length;
  told.overflow = document.documentElement.scrollWidth > innerWidth;
  go(0); play.click();
  setTimeout(() => {
    told.after = +range.value;
    document.body.dataset.told = JSON.stringify(told);
  }, 1500);
});
addEventListener("error", () => { document.body.dataset.broken = "yes"; }, true);
</script>
"""


def ran(network: Network, **options: Any) -> Finished:
    return run_network(network, workload("BU", 8, 900), "mm", filmed=True, **options)


def content(svg: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json">(.*?)</script>', svg, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.mark.parametrize("network", NETWORKS)
def test_a_film_holds_every_link_at_every_time(network: Network) -> None:
    run = ran(network)
    assert run.film is not None
    data = content(link_slider(network, run.ends, run.film, run.places).svg)
    assert data["ends"] == run.ends.ravel().tolist()
    assert len(data["frames"]) == len(run.film.counts)
    levels = data["levels"]
    for row, shares in zip(data["frames"], run.film.shares(), strict=True):
        told = np.array([levels.index(one) for one in row]) / (len(levels) - 1)
        assert np.abs(told - shares).max() <= 0.5 / (len(levels) - 1) + 1e-9
    if "groups" in data:
        listed = [i for _, links in data["groups"] for i in links]
        assert sorted(listed) == list(range(len(run.ends)))
    else:
        assert len(data["lines"]) == 4 * len(run.ends)
        assert set(data["used"]) == set(run.places[0].tolist())


def test_links_are_on_the_right_of_their_way() -> None:
    (lone,) = segments(Mesh(2, 2), np.array([[0, 1]]))
    assert lone[0, 0] < lone[1, 0]  # to the right
    assert lone[0, 1] == lone[1, 1] > 0  # rows run downwards
    (around,) = segments(Torus(1, 5), np.array([[4, 0]]))
    assert around[0, 0] > 4
    assert around[1, 0] > around[0, 0]


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        (
            "torus:3x3x3",
            {f"axis {a}, {w}wards" for a in (1, 2, 3) for w in ("up", "down")},
        ),
        (
            "tree:2x3",
            {
                *("up from level 0", "up from level 1", "to processors"),
                *("down to level 0", "down to level 1"),
            },
        ),
        (
            "dragonfly:2,1,1",
            {"from processors", "to processors", "between switches"},
        ),
    ],
)
def test_kinds_of_links(name: str, kinds: set[str]) -> None:
    network = network_named(name)
    run = ran(network) if "dragon" not in name else None
    if run is None:
        run = run_network(network, workload("BU", 4, 900), "mm", filmed=True)
    assert set(kinds_of(network, run.ends)) == kinds


@pytest.mark.parametrize(
    ("network", "still"), [(Torus(4, 4), False), (KaryTree(2, 3), True)]
)
def test_the_browser_goes_through_a_run(
    browser: str, tmp_path: Path, network: Network, still: bool
) -> None:
    run = ran(network)
    assert run.film is not None
    last, end = len(run.film.counts), run.film.end
    page = tmp_path / "run.html"
    page.write_text(network_page("a run", network, run) + PROBE, encoding="utf-8")
    flags = ["--force-prefers-reduced-motion"] if still else []
    shown, log = opened(
        browser, page, tmp_path, "--window-size=500,900", "--dump-dom", *flags
    )
    assert "data-broken" not in shown
    assert "CONSOLE" not in log
    found = re.search(r'data-told="([^"]+)"', shown)
    assert found
    told = json.loads(unescape(found[1]))
    step = run.film.step
    assert told["first"].startswith(f"Cycles 0 to {step} of {end}: links send ")
    assert told["again"] == told["first"] == told["from"]
    assert told["second"].startswith(f"Cycles {step} to {2 * step} of {end}: ")
    assert told["last"].startswith(f"Cycles {(last - 1) * step} to {end} of {end}: ")
    assert told["full"] > told["left"]
    assert (told["playing"], told["stopped"], told["kept"]) == ("stop", "play", True)
    links = {one for one in told["names"] if one}
    assert len(links) > len(run.ends) / 2
    assert told["fetched"] == 0
    assert not told["overflow"]
    assert told["after"] == 1 if still else told["after"] > 5


def test_a_page_shows_the_film() -> None:
    run = ran(Torus(4, 4), switching=Switching.WORMHOLE)
    page = network_page("a run", Torus(4, 4), run)
    assert page == network_page(
        "a run", Torus(4, 4), ran(Torus(4, 4), switching=Switching.WORMHOLE)
    )
    assert "Links through time" in page
    assert "Use of links" in page
