"""The documentation site builds without a warning, and misses nothing."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs

import pytest

import closeknit as ck
from closeknit.cli.commands import COMMANDS
from closeknit.proofs.checking.answers.command import main as check_alone

from ..paths import ROOT
from ..serving.browser import barriers

ROLES = ("instance", "solution", "proof")


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    text = (site / "use" / "api.html").read_text("utf-8")
    shown = set(re.findall(r'id="closeknit\.(\w+)"', text))
    assert {*ck.__all__} - {"methods"} <= shown, {*ck.__all__} - shown
    assert "ck.methods" in text


def test_every_command_and_method_is_in_the_reference(site: Path) -> None:
    commands = (site / "generated" / "commands.html").read_text("utf-8")
    for name in COMMANDS:
        assert f"<h2>closeknit {name}<" in commands
    methods = (site / "generated" / "methods.html").read_text("utf-8")
    for problem, table in ck.METHODS.items():
        for name in table:
            assert f'id="{problem}-{name.replace("/", "-")}"' in methods


def test_proven_rows_of_the_frontier_lead_to_what_checks_them(site: Path) -> None:
    """Each link has its files; every tenth is checked as the page does it."""
    text = (site / "science" / "frontier.html").read_text("utf-8")
    links = re.findall(r'href="\.\./use/browser\.html\?([^"]*)"', text)
    assert len(links) > 100
    kinds = set()
    for number, link in enumerate(links):
        given = parse_qs(unescape(link))
        paths = [site / "use" / given[name][0] for name in ROLES if name in given]
        assert all(path.is_file() for path in paths)
        kinds.add(len(paths))
        if number % 10 == 0:
            assert check_alone(list(map(str, paths))) == 0
    assert kinds == {2, 3}


def test_what_serves_users_is_read_in_an_hour() -> None:
    pages = list((ROOT / "docs" / "use").glob("*.md"))
    assert len(pages) <= 15
    assert sum(len(page.read_text("utf-8").split()) for page in pages) <= 15_000


def test_pages_need_no_network(site: Path) -> None:
    """What a page loads lies beside it."""
    loaded = re.compile(r'<(?:script|link|img)[^>]+(?:src|href)="(https?://[^"]+)"')
    for page in site.rglob("*.html"):
        assert not loaded.findall(page.read_text("utf-8")), page.name


@pytest.mark.parametrize(
    "name",
    [
        *("index", "use/start", "clusters/clusters"),
        pytest.param("use/api", marks=pytest.mark.slow),  # the longest page
    ],
)
def test_a_page_hinders_nobody(
    site: Path, name: str, browser: str, tmp_path: Path
) -> None:
    assert barriers(browser, site / f"{name}.html", tmp_path, beside=True) == []
