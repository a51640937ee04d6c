"""The page of ``closeknit explore`` in a browser, from painting to exporting."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from closeknit.instances import read_instance
from closeknit.instances.ksubset.generators import random_occupancy
from closeknit.instances.writing.documents import write_instance

from ...oracles import optimum

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
_PATIENCE = 120_000
"""Milliseconds, as other work may share the machine."""
expect.set_options(timeout=_PATIENCE)
INSTANCE = random_occupancy((6, 6), 5, 12, seed=4)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve an instance; kernels are interpreted, so that none is compiled."""
    path = tmp_path_factory.mktemp("explore") / "first.json"
    write_instance(INSTANCE, path)
    words = ("--no-open", "--port", "0", str(path))
    process = subprocess.Popen(
        [sys.executable, "-m", "closeknit", "explore", *words],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        process.terminate()
        assert process.wait(30) == 0


@pytest.fixture
def page(
    chromium: Browser, address: str, request: pytest.FixtureRequest
) -> Iterator[Page]:
    """Open the page; whatever the browser complains of fails the test."""
    width, dark = getattr(request, "param", (1280, False))
    wrong: list[str] = []
    context = chromium.new_context(
        viewport={"width": width, "height": 1000},
        color_scheme="dark" if dark else "light",
        bypass_csp=True,  # for axe-core only; the test of HTTP looks at the policy
    )
    page = context.new_page()
    page.set_default_timeout(_PATIENCE)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text))
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    yield page
    context.close()
    refused = "Failed to load resource: the server responded with a status of 422"
    assert [text for text in wrong if not text.startswith(refused)] == []


def barriers(page: Page) -> Any:
    """Return what axe-core finds on the page as it is, and whether it is too wide."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate('axe.run(document, {resultTypes: ["violations"]})')
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    named = [[one["id"], one["nodes"][0]["html"]] for one in found["violations"]]
    return [*named, *["too wide"] * wide]


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def saved(page: Page, name: str) -> str:
    with page.expect_download() as download:
        press(page, name)
    return Path(download.value.path()).read_text("utf-8")


def test_the_comparison_is_there_when_the_page_opens(page: Page) -> None:
    best = optimum(INSTANCE)
    expect(page.locator("#finding")).to_contain_text(f"The optimum is {best} ")
    assert page.locator("tbody tr").count() == 7
    assert page.locator("#map .chosen").count() == INSTANCE.k
    assert barriers(page) == []


@pytest.mark.parametrize("page", [(400, False)], indirect=True)
def test_what_was_said_of_a_board_goes_when_it_is_changed(page: Page) -> None:
    """An optimum stands neither in the table nor in the line above an edited board."""
    expect(page.locator("#finding")).to_contain_text("The optimum is ")
    wide = page.locator(".wide")
    assert wide.evaluate("one => one.scrollWidth - one.clientWidth") == 0
    page.get_by_label("Choose k").fill("4")
    page.get_by_label("Choose k").press("Tab")
    expect(page.locator("#about")).to_contain_text("k = 4")
    assert "optimum" not in page.locator("#said").inner_text()
    assert page.locator("#finding").inner_text() == ""


def test_from_painting_to_exporting(page: Page, tmp_path: Path) -> None:
    about, status = page.locator("#about"), page.locator("#status")
    free = [
        i
        for i, site in enumerate(INSTANCE.topology.locations())
        if site in INSTANCE.free
    ]
    expect(about).to_contain_text("12 of 36 processors free, k = 5")
    assert barriers(page) == []

    # paint: by the mouse, then by the keyboard
    page.locator(f"#p{free[0]}").click()
    expect(status).to_contain_text("is busy; 11 of 36 free")
    page.locator("#map").focus()
    page.keyboard.press("Home")
    was = page.locator("#p0").get_attribute("aria-selected") == "true"
    page.keyboard.press(" ")
    now = page.locator("#p0").get_attribute("aria-selected") == "true"
    assert was != now
    page.keyboard.press("ArrowRight")
    assert page.locator("#map").get_attribute("aria-activedescendant") == "p1"
    page.get_by_label("Choose k").fill("4")
    page.get_by_label("Choose k").press("Tab")
    expect(about).to_contain_text("-painted: 1")
    expect(about).to_contain_text("k = 4")
    page.get_by_label("Choose k").fill("99")
    page.get_by_label("Choose k").press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("k: must be from 1 to")

    # choose and compare
    page.get_by_role("checkbox", name="hilbert/best-fit").uncheck()
    press(page, "Compare")
    path = tmp_path / "painted.json"
    path.write_text(saved(page, "Export instance"), encoding="utf-8")
    painted = read_instance(path)
    best = optimum(painted)  # type: ignore[arg-type]
    expect(page.locator("#finding")).to_contain_text(f"The optimum is {best} ")
    rows = page.locator("tbody tr")
    assert rows.count() == 6
    expect(rows.last).to_contain_text("optimal")
    assert page.locator("#map .chosen").count() == 4
    expect(page.locator("#command")).to_contain_text("--methods mm,mm-free")
    assert barriers(page) == []
    press(page, "Show the set of random on the map")
    assert page.locator("#map .chosen").count() == 4


def test_a_cluster_is_loaded_and_shown_in_racks(page: Page) -> None:
    racks = "SwitchName=r1 Nodes=a[1-4]\nSwitchName=r2 Nodes=b[1-4]\n" + (
        "SwitchName=top Switches=r[1-2]\n"
    )
    file = FilePayload(
        name="topology.conf", mimeType="text/plain", buffer=racks.encode()
    )
    page.get_by_label("Load a file").set_input_files(file)
    expect(page.locator("#note")).to_contain_text("2 leaf switches, 8 nodes")
    expect(page.locator("#map text").first).to_have_text("r1")
    page.get_by_role("option", name="b2: free").click()
    assert page.get_by_role("option", name="b2: busy").count() == 1
    page.get_by_label("Choose k").fill("4")
    assert page.get_by_label("mc1x1", exact=True).is_disabled()
    assert page.get_by_role("checkbox", name="hilbert/best-fit").is_disabled()
    assert page.get_by_label("mm", exact=True).is_checked()
    press(page, "Compare")
    command = (
        "closeknit select --topology topology.conf -k 4 --objective hops --busy b2"
    )
    expect(page.locator("#selection")).to_have_text(command)
    expect(page.get_by_role("button", name="Copy")).to_have_count(2)
    expect(page.locator("#status")).to_contain_text("The optimum is")
    tab(page, "Worst cases")
    expect(page.locator("#status")).to_be_empty()
    tab(page, "Compare")
    assert page.locator("#map .chosen").count() == 4
    page.get_by_label("View").select_option("tree")
    assert page.locator("#map .dot").count() == 3
    assert page.locator("#map .chosen").count() == 4
    assert barriers(page) == []
    broken = FilePayload(
        name="topology.conf",
        mimeType="text/plain",
        buffer=b"SwitchName=r1 Nodes=a[4-1]\n",
    )
    page.get_by_label("Load a file").set_input_files(broken)
    expect(page.get_by_role("alert")).to_contain_text("topology.conf:1: Nodes")


@pytest.mark.parametrize("page", [(400, True)], ids=["narrow, dark"], indirect=True)
def test_a_worst_case_is_loaded_and_compared(page: Page) -> None:
    tab(page, "Worst cases")
    page.get_by_role("combobox", name="Method").select_option("mm")
    press(page, "Load")
    case = page.locator("#case")
    expect(case).to_contain_text("mm pays ")
    expect(case).to_contain_text("as predicted")
    assert barriers(page) == []
    ratio = re.search(r"ratio [0-9.]+(?: = ([0-9/]+))?", case.inner_text())
    assert ratio is not None
    tab(page, "Compare")
    press(page, "Compare")
    expect(page.locator("tbody tr").first).to_contain_text(ratio[1])
    assert barriers(page) == []
