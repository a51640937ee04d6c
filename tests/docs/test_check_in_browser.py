"""The page that checks proofs in a browser, from end to end."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import shutil
import threading
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from closeknit.cli.app import run as closeknit
from closeknit.proofs.checking.folder import Entry, digest_of, read_index
from tests.modules import loaded
from tests.paths import ROOT
from tests.proofs.checking.test_standard_library import drawn, library

EXAMPLES = ROOT / "docs" / "check" / "examples"
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
PATIENCE = 120_000
"""Milliseconds for loading Python and checking, on a busy machine."""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module", autouse=True)
def _pyodide() -> None:
    """Skip what needs Python for the browser, where that is not."""
    pyodide = loaded(ROOT / "tools" / "pyodide.py")
    if not pyodide.is_here(pyodide.cache()):
        if os.environ.get("CLOSEKNIT_REQUIRE_PYODIDE") == "1":
            pytest.fail("Pyodide is not here: make pyodide")
        pytest.skip("Pyodide is not here: make pyodide")


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(site.parent))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/site/use/browser.html"
    server.shutdown()


@pytest.fixture
def page(
    chromium: Browser, address: str, request: pytest.FixtureRequest
) -> Iterator[Page]:
    """Open the page; what the browser complains of, or asks elsewhere, fails."""
    width = getattr(request, "param", 1280)
    wrong: list[str] = []
    context = chromium.new_context(viewport={"width": width, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    home = address.rsplit("/site/", 1)[0]
    page.on(
        "request",
        lambda one: (
            None
            if one.url.startswith((home, "blob:", "data:"))
            else wrong.append(one.url)
        ),
    )
    page.goto(address)
    yield page
    context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers of every problem, with proofs of every kind."""
    return library(tmp_path_factory.mktemp("answers"), drawn())


def choose(page: Page, *paths: Path | None) -> None:
    """Choose the instance, the solution and the proof."""
    page.get_by_role("button", name="Clear").click()
    for role, path in zip(("instance", "solution", "proof"), paths, strict=False):
        if path is not None:
            page.locator(f"#check-{role}").set_input_files(path)


def verdict(page: Page) -> tuple[str, str]:
    """Press the button; return the word and the lines of the verdict."""
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#check-verdict")).to_be_visible()
    expect(page.locator("#check-run")).to_be_enabled()
    return (
        page.locator("#check-word").inner_text(),
        page.locator("#check-lines").inner_text(),
    )


def paths_of(folder: Path, entry: Entry) -> list[Path]:
    found = [entry.instance, entry.solution, *([entry.proof] if entry.proof else [])]
    return [folder / one.file for one in found]


def test_true_and_forged_proofs_of_every_kind(
    page: Page, answers: Path, tmp_path: Path
) -> None:
    entries = read_index(answers)
    kinds: set[str] = set()
    for entry in entries:
        paths = paths_of(answers, entry)
        choose(page, *paths)
        word, lines = verdict(page)
        assert (word, "holds" in lines) == ("Holds", True), (entry.name, lines)
        assert digest_of(paths[0]) in page.locator("#check-digests").inner_text()
        if entry.kind in kinds or entry.proof is None:
            continue
        kinds.add(entry.kind)
        # the same proof for a bound that is higher by one, and for another instance
        document = json.loads(paths[1].read_text())
        higher = tmp_path / f"{entry.kind.replace(' ', '-')}.json"
        bound = document["bound"]
        more = bound + 1 if isinstance(bound, int) else [bound[0] + 1, *bound[1:]]
        without = {"selection", "objective"}
        content = {k: v for k, v in document.items() if k not in without}
        higher.write_text(json.dumps(content | {"status": "unknown", "bound": more}))
        choose(page, paths[0], higher, paths[2])
        assert verdict(page)[0] == "Does not hold", entry.kind
        other = (
            next(
                paths_of(answers, one)
                for one in entries
                if one.proof and one.name != entry.name and one.kind == entry.kind
            )
            if sum(one.kind == entry.kind for one in entries) > 1
            else None
        )
        if other:
            choose(page, paths[0], paths[1], other[2])
            assert verdict(page)[0] in ("Does not hold", "Cannot be checked")
    assert len(kinds) == 3


def test_links_fill_the_form_and_check(page: Page, address: str, site: Path) -> None:
    base = f"{address}?instance=../check/examples/mesh.json"
    more = "&solution=../check/examples/{}.json&proof=../check/examples/proof.xz"
    for name, word in (("solution", "Holds"), ("forged", "Does not hold")):
        page.goto(base + more.format(name))
        expect(page.locator("#check-verdict")).to_be_visible()
        assert page.locator("#check-word").inner_text() == word
    page.goto(f"{base}&solution=https://example.org/a.json")
    expect(page.locator("#check-status")).to_contain_text("only files of this site")
    page.goto(f"{base}&solution=none.json")
    expect(page.locator("#check-status")).to_contain_text("none.json is not here")
    assert page.locator("#check-verdict").is_hidden()


def test_what_is_missing_or_unusable_is_said(page: Page, tmp_path: Path) -> None:
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#check-status")).to_contain_text("is missing")
    choose(page, EXAMPLES / "mesh.json")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#check-status")).to_contain_text("A solution is missing")
    broken = tmp_path / "<b>x.json"
    broken.write_text('{"format": "closeknit/ksubset", "version": 1, "k": "<i>"}')
    choose(page, broken, EXAMPLES / "solution.json")
    word, lines = verdict(page)
    assert word == "Cannot be checked"
    assert lines.startswith("_b_x.json: ")
    cut = tmp_path / "cut.xz"
    cut.write_bytes((EXAMPLES / "proof.xz").read_bytes()[:-200])
    choose(page, EXAMPLES / "mesh.json", EXAMPLES / "solution.json", cut)
    assert verdict(page)[0] == "Cannot be checked"
    choose(page, EXAMPLES / "mesh.json", EXAMPLES / "solution.json")
    assert verdict(page)[0] == "Cannot be checked"  # its proof is in a file


def test_the_word_of_a_search_is_named(page: Page, tmp_path: Path) -> None:
    document = json.loads((EXAMPLES / "solution.json").read_text())
    document["proof"] = {"grade": "enumerated", "by": "cuts-bb"}
    path = tmp_path / "word.json"
    path.write_text(json.dumps(document))
    choose(page, EXAMPLES / "mesh.json", path)
    assert verdict(page)[0] == "Does not hold"
    choose(page, EXAMPLES / "mesh.json", path)
    page.get_by_label("enumerated").check()
    assert verdict(page)[0] == "Word taken"


def test_a_check_can_be_cancelled_and_is_limited(page: Page, tmp_path: Path) -> None:
    long = tmp_path / "long.opb"
    names = [f"x{i:04}" for i in range(60)]
    rows = [
        f"{' '.join(f'+1 {one}' for one in names[:i] + names[i + 1 :])} >= 1 ;"
        for i in range(len(names))
    ]
    objective = " ".join(f"+1 {one}" for one in names)
    long.write_text(f"min: {objective} ;\n" + "\n".join(rows) + "\n")
    proof = tmp_path / "long.pbp"
    step = "pol " + "1 " + " ".join(f"{i} +" for i in range(2, len(rows))) + "\n"
    with proof.open("w") as stream:
        stream.write(f"pseudo-Boolean proof version 2.0\nf {len(rows)}\n")
        stream.write(step * 60_000)
        stream.write("output NONE\nconclusion NONE\nend pseudo-Boolean proof\n")
    choose(page, long, None, proof)
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#check-status")).to_contain_text("The files are checked: ")
    assert page.locator("#check-progress").get_attribute("value") is not None
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#check-status")).to_contain_text("Cancelled")
    assert page.locator("#check-verdict").is_hidden()
    page.locator("#check-seconds").fill("1")
    word, lines = verdict(page)
    assert word == "Cannot be checked"
    assert re.search(r"takes more than (1|0\.9\d*) s to check", lines), lines


SLOW = """() => {
  const read = File.prototype.arrayBuffer, waiting = window.waiting = [];
  File.prototype.arrayBuffer = async function () {
    await new Promise(done => { waiting.push(done); });
    return read.call(this);
  };
}"""
"""Lets files be read only when a test goes on."""


def test_no_verdict_is_about_other_files(page: Page, tmp_path: Path) -> None:
    true = [EXAMPLES / name for name in ("mesh.json", "solution.json", "proof.xz")]
    choose(page, *true)
    assert verdict(page)[0] == "Holds"
    page.get_by_label("solver").check()
    expect(page.locator("#check-verdict")).to_be_hidden()
    page.evaluate(SLOW)
    check = page.get_by_role("button", name="Check", exact=True)
    go_on = "() => window.waiting.splice(0).forEach(done => done())"
    settle = "() => new Promise(done => setTimeout(done, 3000))"
    check.click()
    page.get_by_role("button", name="Cancel").click()
    page.evaluate(go_on)
    page.evaluate(settle)
    assert page.locator("#check-status").inner_text().startswith("Cancelled")
    assert page.locator("#check-verdict").is_hidden()
    check.click()
    page.locator("#check-solution").set_input_files(EXAMPLES / "forged.json")
    page.evaluate(go_on)
    page.evaluate(settle)
    assert "was changed" in page.locator("#check-status").inner_text()
    assert page.locator("#check-verdict").is_hidden()


def test_names_that_meet(page: Page, tmp_path: Path) -> None:
    names = ("proof-a.json", "a.json", "a.json")
    paths = [tmp_path / str(i) / name for i, name in enumerate(names)]
    for name, path in zip(
        ("mesh.json", "solution.json", "proof.xz"), paths, strict=True
    ):
        path.parent.mkdir()
        shutil.copy(EXAMPLES / name, path)
    choose(page, *paths)
    assert verdict(page)[0] == "Holds"
    listed = page.locator("#check-digests").inner_text()
    assert all(digest_of(path) in listed for path in paths)


def test_a_report_next_to_the_site_leads_there(
    page: Page, address: str, site: Path
) -> None:
    """Each proven row, with its instance, solution and proof."""
    out = site.parent / "a report, 50%41 & #1?"
    mesh = str(EXAMPLES / "mesh.json")
    words = ["ratios", mesh, "--methods", "mm-inc,mm", "--exact", "cuts-bb"]
    words += ["--proofs", "--out", str(out)]
    assert closeknit(words) == 0
    report = f"/{quote(out.name)}/report.html"
    page.goto(address.replace("/site/use/browser.html", report))
    links = page.get_by_role("link", name="in the browser")
    expect(links).to_have_count(1)
    links.click()
    expect(page.locator("#check-word")).to_have_text("Holds")
    expect(page.locator("#check-digests li")).to_have_count(3)


@pytest.mark.parametrize("given", ["http://[", "%25E0", "//a b"])
def test_an_address_that_is_none(page: Page, address: str, given: str) -> None:
    page.goto(f"{address}?instance={given}")
    expect(page.locator("#check-status")).to_contain_text("instance: ")


@pytest.mark.parametrize("page", [1280, 400], indirect=True)
def test_by_keyboard_and_without_barriers(page: Page) -> None:
    choose(page, EXAMPLES / "mesh.json", EXAMPLES / "solution.json")
    page.locator("#check-proof").set_input_files(EXAMPLES / "proof.xz")
    page.locator("#check-proof").focus()
    for _ in range(12):
        if page.evaluate("document.activeElement.id") == "check-run":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#check-verdict")).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "check-verdict"
    assert page.locator("#check-word").inner_text() == "Holds"
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    barriers = [
        (one["id"], one["nodes"][0]["html"][:200]) for one in found["violations"]
    ]
    assert barriers == []
    if folder := os.environ.get("CLOSEKNIT_SCREENSHOTS"):
        width = page.evaluate("innerWidth")
        name = f"check-{width}.png"
        page.screenshot(path=str(Path(folder) / name), full_page=True)


def test_dropped_files_find_their_places(page: Page) -> None:
    contents = {
        name: list((EXAMPLES / name).read_bytes())
        for name in ("proof.xz", "solution.json", "mesh.json")
    }
    page.evaluate(
        """contents => {
          const data = new DataTransfer();
          for (const [name, bytes] of Object.entries(contents))
            data.items.add(new File([new Uint8Array(bytes)], name));
          const event = new DragEvent("drop", {dataTransfer: data, bubbles: true});
          document.getElementById("check-drop").dispatchEvent(event);
        }""",
        contents,
    )
    expect(page.locator("#check-status")).to_contain_text("3 files taken")
    assert verdict(page)[0] == "Holds"


def test_the_site_has_the_files_of_the_wheel(site: Path, tmp_path: Path) -> None:
    from tests.proofs.alone.wheel import gathered

    shutil.unpack_archive(site / "check" / "closeknit_check.zip", tmp_path / "a", "zip")
    tree = gathered(tmp_path / "b")

    def contents(folder: Path) -> dict[Path, bytes]:
        found = [one for one in folder.rglob("*") if one.is_file()]
        return {one.relative_to(folder): one.read_bytes() for one in found}

    assert contents(tmp_path / "a") == contents(tree)
