"""The documentation site: ``make docs``.

Pages are Markdown (MyST). The reference of the Python interface comes from docstrings,
those of commands and methods from the parsers and tables of the program itself.
"""

from __future__ import annotations

import re
import runpy
import shutil
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from inspect import cleandoc
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import closeknit  # noqa: E402
from closeknit.cli.commands import COMMANDS, parser_of  # noqa: E402
from closeknit.cli.frame.parser import Parser  # noqa: E402
from closeknit.instances.reading.json_text import dumps  # noqa: E402
from closeknit.instances.support import support_of  # noqa: E402
from closeknit.methods import METHODS, AnyMethod  # noqa: E402
from closeknit.reports.frontier.worst import read_families  # noqa: E402

project = "closeknit"
author = "The closeknit authors"
copyright = "the closeknit authors, Apache-2.0"  # Sphinx calls it so
release = version = closeknit.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "check"]
html_theme = "furo"
html_title = f"closeknit {release}"
html_static_path: list[str] = []
html_show_sourcelink = False
templates_path: list[str] = []
nitpicky = True
nitpick_ignore_regex = [(r"py:.*", r".*")]
"""Types in signatures are not links; what pages refer to is checked by MyST."""
highlight_language = "text"
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 4
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

GENERATED = HERE / "generated"
FIELDS = ("Guarantee", "Time", "Ties", "Source")
PROBLEMS = {
    "ksubset": "k-subsets of least pair sum",
    "procset": "Processor sets with costs in levels",
    "sukp": "Set-union knapsack",
    "submesh": "Boxes in a mesh",
    "contention": "Processors that load links little",
}


def _commands() -> Iterator[str]:
    """Write what ``--help`` prints of every command."""
    yield "# Commands\n"
    yield "What `closeknit COMMAND --help` prints, of every command. Exit status: 0"
    yield "done or all holds; 1 a claim, a check or a comparison failed; 2 bad input or"
    yield "usage, in one line; 3 proved infeasible; 4 nothing found within the limit;"
    yield "130 interrupted.\n"
    yield "| command | what it does |\n|---|---|"
    for name, what in COMMANDS.items():
        anchor = "closeknit-" + name.replace(" ", "-")
        yield f"| [`{name}`](#{anchor}) | {what} |"
    for name in COMMANDS:
        parser, _ = parser_of(name)
        yield f"\n## closeknit {name}\n"
        yield from _help(parser)


def _help(parser: Parser) -> Iterator[str]:
    yield f"```text\n{parser.format_help().rstrip()}\n```"
    for name, sub in parser.subcommands.items():
        yield f"\n### {parser.prog} {name}\n"
        yield from _help(sub)


def _methods() -> Iterator[str]:
    """Write the methods of every problem with what they guarantee."""
    yield "# Methods\n"
    yield "Every method, as `closeknit methods` lists them. `--method NAME` takes the"
    yield "name; `closeknit methods NAME` prints its whole description.\n"
    for problem, title in PROBLEMS.items():
        yield f"\n## {title}\n"
        for method in METHODS[problem].values():
            yield from _method(problem, method)


def _method(problem: str, method: AnyMethod) -> Iterator[str]:
    kind = "exact" if method.exact else "heuristic"
    yield f"\n({problem}-{method.name.replace('/', '-')})=\n### {method.name}\n"
    yield f"*{kind}{', seeded' if method.seeded else ''}.* {_text(method.summary)}\n"
    for field in FIELDS:
        if said := method.doc_entry(field):
            yield f":{field}: {_text(said)}"


def _text(text: str) -> str:
    """Make Markdown of a docstring: names stay as they are written."""
    escaped = re.sub(r"([*_<>|\[\]$])", r"\\\1", " ".join(cleandoc(text).split()))
    return re.sub(r"``(.*?)``", lambda m: f"`{m[1]}`".replace("\\", ""), escaped)


def _generate(_: Sphinx) -> None:
    GENERATED.mkdir(exist_ok=True)
    for name, lines in (("commands", _commands()), ("methods", _methods())):
        text = "\n".join(lines) + "\n"
        path = GENERATED / f"{name}.md"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


ACCESSIBLE = (
    ('role="heading"', 'role="heading" aria-level="2"'),
    (
        '<aside class="sidebar-drawer"',
        '<aside aria-label="Pages" class="sidebar-drawer"',
    ),
    ('<aside class="toc-drawer', '<aside aria-label="This page" class="toc-drawer'),
    ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
    ("<pre", '<pre tabindex="0"'),
    ('<th class="head"><p></p></th>', '<td class="head"></td>'),
)
"""What the theme lacks for keyboards and screen readers: text, and what replaces it."""


def _make_accessible(app: Sphinx, error: Exception | None) -> None:
    """Mend what axe-core finds in pages of the theme."""
    for page in Path(app.outdir).rglob("*.html") if error is None else ():
        text = page.read_text("utf-8")
        for lacking, mended in ACCESSIBLE:
            if mended not in text:
                text = text.replace(lacking, mended)
        page.write_text(text, "utf-8")


def _add_checker(app: Sphinx, error: Exception | None) -> None:
    """Put next to the pages what the page that checks loads, Pyodide if it is here."""
    if error is not None:
        return
    check = Path(app.outdir) / "check"
    shutil.rmtree(check, ignore_errors=True)
    shutil.copytree(HERE / "check", check)
    gather = runpy.run_path(str(HERE.parent / "packaging" / "check" / "gather.py"))
    with tempfile.TemporaryDirectory() as made:
        gather["gather"](Path(made))
        shutil.make_archive(str(check / "closeknit_check"), "zip", made)
    pyodide = runpy.run_path(str(HERE.parent / "tools" / "pyodide.py"))
    if pyodide["is_here"](pyodide["cache"]()):
        shutil.copytree(pyodide["cache"](), check / "pyodide")


def _link_frontier(app: Sphinx, error: Exception | None) -> None:
    """Let each proven row of the frontier lead to the page that checks it.

    Instances of public data are not copied: their rows have no link.
    """
    page = Path(app.outdir) / "science" / "frontier.html"
    if error is not None or not page.exists():
        return
    text, folder = page.read_text("utf-8"), Path(app.outdir) / "frontier"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    data = HERE.parent / "frontier"
    for file in read_families(data):
        for entry in file.instances:
            if entry.claims.proof is None or "file" in entry.instance:
                continue
            instance = entry.read()
            documents = {
                "instance": support_of(instance).document_of(instance),
                "solution": entry.solution_document,
            }
            place = re.sub(r"[^\w.=-]", "_", entry.name)
            places = {what: f"{place}.{what}.json" for what in documents}
            for what, place in places.items():
                (folder / place).write_text(dumps(documents[what]) + "\n", "utf-8")
            if entry.proof is not None:
                proof = entry.proof.path(data)
                places["proof"] = proof.name
                shutil.copyfile(proof, folder / proof.name)
            words = "&amp;".join(
                f"{what}=../frontier/{place}" for what, place in places.items()
            )
            name = f'<span class="pre">{escape(entry.name)}</span>'
            link = f'<a href="../use/browser.html?{words}">{name}</a>'
            assert text.count(name) == 1, entry.name
            text = text.replace(name, link)
    page.write_text(text, "utf-8")


def setup(app: Sphinx) -> None:
    """Have the reference written before pages are read, and pages mended at the end."""
    app.connect("builder-inited", _generate)
    app.connect("build-finished", _make_accessible)
    app.connect("build-finished", _add_checker)
    app.connect("build-finished", _link_frontier)
