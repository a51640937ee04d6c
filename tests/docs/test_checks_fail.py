"""Every check of CI fails on a planted fault, as the Makefile and workflows run it.

A command is run on a copy of the tree that has the fault. docs/internals/mutation.md
lists them.
"""

from __future__ import annotations

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tarfile
import textwrap
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..paths import ROOT

Plant = Callable[[Path], None]


def recipe(target: str) -> list[list[str]]:
    """Return the commands of a target of the Makefile, with programs of this venv."""
    text = (ROOT / "Makefile").read_text()
    found = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", text, re.M)
    assert found, target
    home = str(Path(sys.executable).parent)
    lines = found.group(1).replace("$(BIN)", home).replace("$(OUT)", "out")
    return [line.split() for line in lines.splitlines() if not line.startswith("\t@")]


def appended(name: str, text: str) -> Plant:
    def plant(tree: Path) -> None:
        path = tree / name
        path.write_text((path.read_text() if path.exists() else "") + text)

    return plant


def replaced(name: str, old: str, new: str) -> Plant:
    def plant(tree: Path) -> None:
        text = (tree / name).read_text()
        assert old in text
        (tree / name).write_text(text.replace(old, new))

    return plant


UPWARDS = "\nfrom closeknit.cli import app as _app  # noqa: F401, E402, I001\n"
BY_RECIPE: dict[str, tuple[str, Plant]] = {
    "ruff check": ("lint", appended("tools/data.py", "\nimport os\n")),
    "ruff format": ("lint", appended("instances/value.py", "\n\n\n\nX = {1 : 2}\n")),
    "mypy": ("lint", appended("instances/value.py", '\nX: int = "1"\n')),
    "lint-imports": ("lint", appended("instances/value.py", UPWARDS)),
    "sphinx": ("docs", appended("docs/use/start.md", "\n[gone](no-such-page.md)\n")),
}
"""A word of the command in the recipe of a target, and what it must find."""
SLOW = {"mypy", "lint-imports", "sphinx"}


def copied(to: Path) -> Path:
    """Copy what git knows, links as links."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0")[:-1]:
        source, target = ROOT / name, to / name
        if source.exists() or source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    return to


def status_of(command: list[str], tree: Path, **variables: str) -> tuple[int, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    done = subprocess.run(
        command,
        cwd=tree,
        env={**kept, "PYTHONPATH": str(tree), **variables},
        capture_output=True,
        text=True,
        timeout=900,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name
        for name in BY_RECIPE
    ],
)
def test_a_target_of_the_makefile_fails(name: str, tmp_path: Path) -> None:
    target, plant = BY_RECIPE[name]
    words = name.split()
    (command,) = (
        one
        for one in recipe(target)
        if all(any(Path(part).name == word for part in one) for word in words)
    )
    tree = copied(tmp_path / "tree")
    if name != "sphinx":  # it is run as it is by tests/docs/test_site.py
        status, said = status_of(command, tree)
        assert status == 0, said
    plant(tree)
    status, said = status_of(command, tree)
    assert status != 0, said


def test_every_command_of_lint_has_its_fault() -> None:
    assert len(recipe("lint")) == sum(
        target == "lint" for target, _ in BY_RECIPE.values()
    )
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    targets = set(re.findall(r"run: make ([\w-]+)", text))
    others = {"test-oldest", "audit-workflows"}
    assert targets == {"lint", "check-wheel", "data", "test", *others}
    calls = re.findall(r"^make ([\w-]+)$", (ROOT / ".ci" / "run").read_text(), re.M)
    assert calls == ["lint", "test-full"]


def test_the_map_of_the_house(tmp_path: Path) -> None:
    tree = copied(tmp_path / "tree")
    command = [sys.executable, "tools/house_map.py", "--check"]
    replaced("docs/pictures/house.svg", "instances", "instanzes")(tree)
    status, said = status_of(command, tree)  # 0 without it: see tests/test_house.py
    assert status == 1
    assert "Traceback" not in said


PYTEST = {
    "a test fails": ("def test_it() -> None:\n    assert False\n", 1),
    "nothing is collected": ("def it() -> None:\n    assert False\n", 5),
    "a filter matches nothing": ("def test_other() -> None:\n    pass\n", 5),
    "an unknown marker": (
        "import pytest\n@pytest.mark.sloow\ndef test_it() -> None:\n    pass\n",
        2,
    ),
    "an expected failure passes": (
        "import pytest\n@pytest.mark.xfail\ndef test_it() -> None:\n    pass\n",
        1,
    ),
}


ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""No plugin is loaded, which takes longer than the tests."""


@pytest.mark.parametrize("name", PYTEST)
def test_pytest(name: str, tmp_path: Path) -> None:
    text, expected = PYTEST[name]
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_planted.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    status, said = status_of([*command, "-k", "test_it"], tmp_path, **ALONE)
    assert status == expected, said


def test_skipped_tests_are_named(tmp_path: Path) -> None:
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(
        ROOT / "tests",
        tmp_path / "tests",
        ignore=lambda where, names: [
            name
            for name in names
            if Path(where, name).is_dir() and name != "serving"  # conftest imports it
        ],
    )
    for path in (tmp_path / "tests").glob("test_*.py"):
        path.unlink()
    (tmp_path / "tests" / "test_planted.py").write_text(
        "import pytest\n\n\ndef test_it() -> None:\n    pytest.skip('no such thing')\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    status, said = status_of(command, tmp_path, PYTHONPATH=str(ROOT), **ALONE)
    assert status == 0, said
    assert "1 tests skipped: no such thing" in said
    assert "tests/test_planted.py::test_it" in said.splitlines()


def test_ci_run(tmp_path: Path) -> None:
    """It ends with what make says; a folder of data that was named must be there."""
    (tmp_path / ".ci").mkdir()
    shutil.copy2(ROOT / ".ci" / "run", tmp_path / ".ci")
    make = tmp_path / "bin" / "make"
    make.parent.mkdir()
    for stub in (make, make.with_name("chromium"), make.with_name("cargo")):
        stub.write_text('#!/bin/sh\n[ "$1" != "$FAILS" ]\n')
        stub.chmod(0o755)
    path = f"{make.parent}:{os.environ['PATH']}"
    command = [str(tmp_path / ".ci" / "run")]

    def ended(fails: str, **variables: str) -> int:
        return status_of(command, tmp_path, PATH=path, FAILS=fails, **variables)[0]

    missing = str(tmp_path / "missing")
    assert ended("nothing", CLOSEKNIT_DATA=str(tmp_path)) == 0
    assert ended("lint", CLOSEKNIT_DATA=str(tmp_path)) != 0
    assert ended("test-full", CLOSEKNIT_DATA=str(tmp_path)) != 0
    assert ended("nothing", CLOSEKNIT_DATA="") == 0
    assert ended("nothing", CLOSEKNIT_DATA=missing) == 2


def test_data(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "data.py")]
    status, said = status_of(command, tmp_path, CLOSEKNIT_DATA=str(tmp_path))
    assert status == 1
    assert "missing: " in said


LICENCES = {
    "GPL-3.0-or-later": 1,
    "AGPL-3.0-only": 1,
    "GNU General Public License v2 (GPLv2)": 1,
    "": 1,
    "not installed": 1,
    "MIT\nClassifier: License :: OSI Approved :: GNU General Public License": 1,
    "MIT\nLicense: GPLv3": 1,
    "MIT\nLicense: MIT": 0,
    "MIT": 0,
    "LGPL-2.1-or-later": 0,
}


@pytest.mark.parametrize("expression", LICENCES)
def test_licences(expression: str, tmp_path: Path) -> None:
    def installed(name: str, *lines: str) -> None:
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        text = "\n".join(
            ("Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", *lines)
        )
        (folder / "METADATA").write_text(f"{text}\n")

    installed("closeknit", "License-Expression: MIT", "Requires-Dist: planted")
    if expression != "not installed":
        installed("planted", *[f"License-Expression: {expression}"] * bool(expression))
    command = [sys.executable, str(ROOT / "tools" / "licences.py")]
    status, said = status_of(command, tmp_path)
    assert status == LICENCES[expression], said
    assert "planted" in said


def test_licences_of_nothing(tmp_path: Path) -> None:
    program = textwrap.dedent(
        f"""
        import runpy, sys
        tool = runpy.run_path({str(ROOT / "tools" / "licences.py")!r})
        def gone(name):
            error = tool["PackageNotFoundError"](name)
            error.name = name
            raise error
        tool["main"].__globals__["distribution"] = gone
        sys.exit(tool["main"]())
        """
    )
    assert status_of([sys.executable, "-c", program], tmp_path)[0] == 1


def test_check_wheel(tmp_path: Path) -> None:
    """A file that only the sdist has; a command in the new environment that fails."""
    tool = runpy.run_path(str(ROOT / "tools" / "release" / "check_wheel.py"))
    with pytest.raises(SystemExit, match="exit status 3"):
        tool["run"](sys.executable, "-c", "raise SystemExit(3)")

    def built(*words: Any, **more: Any) -> str:
        assert Path(words[1]).is_file(), words
        folder = words[words.index("--out") + 1]
        with zipfile.ZipFile(folder / "closeknit-1-py3-none-any.whl", "w") as wheel:
            wheel.writestr("closeknit/a.json", "")
        with tarfile.open(folder / "closeknit-1.tar.gz", "w:gz") as sdist:
            for name in ("a.json", "b.json"):
                sdist.addfile(tarfile.TarInfo(f"closeknit-1/closeknit/{name}"))
        for name in ("closeknit_check-1-py3-none-any.whl", "closeknit_check-1.tar.gz"):
            (folder / name).touch()
        return ""

    tool["main"].__globals__["run"] = built
    with pytest.raises(SystemExit, match=r"b\.json"):
        tool["main"]()


def test_veripb_with_no_proof(tmp_path: Path) -> None:
    """Neither in a folder nor drawn."""
    false = tmp_path / "veripb"
    false.write_text("#!/bin/sh\n")
    false.chmod(0o755)
    command = [sys.executable, str(ROOT / "tools" / "veripb.py"), str(tmp_path)]
    path = f"{tmp_path}:{os.environ['PATH']}"
    status, said = status_of(command, tmp_path, PATH=path, PYTHONPATH=str(ROOT))
    assert status == 2, said
    assert "no proof was confirmed" in said


def test_the_tag_of_a_release(tmp_path: Path) -> None:
    """The step of the workflow, with the tag of another version."""
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    found = re.search(r"The tag is the version\n        run: (.*)\n", text)
    assert found
    step = found.group(1).replace("python", shlex.quote(sys.executable), 1)
    version = re.search(
        r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M
    )
    assert version
    for tag, status in ((f"v{version[1]}", 0), ("v9.9.9", 1)):
        command = ["bash", "-e", "-c", step]
        assert status_of(command, ROOT, GITHUB_REF_NAME=tag)[0] == status


ATHERIS = """
import contextlib, pathlib

def instrument_imports(include):
    return contextlib.nullcontext()

def Setup(words, once):
    global work
    work = once, pathlib.Path(words[-1])

def Fuzz():
    once, corpus = work
    for seed in sorted(corpus.iterdir()):
        once(seed.read_bytes())
"""
"""As much of Atheris as runs the texts that the harness begins with."""
TOOLS = {
    "pip-audit": """[ "$*" = "--strict --disable-pip --require-hashes -r $5" ]
        ! grep "^planted==" "$5" """,
    "repo-review": "[ -f README.md ] && [ $# = 1 ] && [ $1 = . ]",
    "zizmor": "! grep -r pull_request_target .github",
}
"""Stubs of programs of others, which find one fault each."""
ASKING: dict[str, tuple[Plant, ...]] = {
    "audit": (
        appended("constraints.txt", "\nplanted==1.0\n"),
        lambda tree: (tree / "v-pip-audit/bin/pip-audit").unlink(),
    ),
    "review": (
        lambda tree: (tree / "README.md").unlink(),
        lambda tree: (tree / "v-repo-review/bin/repo-review").unlink(),
    ),
    "audit-workflows": (
        appended(".github/workflows/ci.yml", "# on: pull_request_target\n"),
        appended(".github/actions.lock", "some/action v1 -\n"),
        replaced(".github/workflows/ci.yml", "checkout@v6", "checkout@v5"),
        lambda tree: (tree / "v-zizmor/bin/zizmor").unlink(),
    ),
    "fuzz": (
        appended("scheduler/hostlist.py", "\ndef unfold(_):\n    return [1 / 0]\n"),
        appended("fuzz/harness.py", "\n    sys.exit(3)\n"),
        lambda tree: (tree / "atheris.py").unlink(),
    ),
}
"""By target, faults in the tree and in what is installed."""


@pytest.mark.parametrize("target", ASKING)
def test_a_target_that_asks_others_fails(target: str, tmp_path: Path) -> None:
    """With stubs of what it installs; nothing asks the network."""
    tree = copied(tmp_path / "tree")
    folders = ("v", "v-pip-audit", "v-repo-review", "v-zizmor", "v-atheris")
    for name in folders:
        (tree / name / "bin").mkdir(parents=True)
        program(
            tree / name / "bin" / "python",
            f'[ "$2" = pip ] || exec {shlex.quote(sys.executable)} "$@"',
        )
    for name, text in TOOLS.items():
        program(tree / f"v-{name}" / "bin" / name, text)
    (tree / "atheris.py").write_text(ATHERIS)
    for name in folders:
        (tree / name / ".ready").touch()
    command = ["make", target, "VENV=v", "PYTHON=false", f"OUT={tmp_path}", "SECONDS=1"]
    status, said = status_of(command, tree)
    assert status == 0, said
    for number, plant in enumerate(ASKING[target]):
        spoilt = tmp_path / str(number)
        shutil.copytree(tree, spoilt, symlinks=True)
        plant(spoilt)
        for name in folders:
            (spoilt / name / ".ready").touch()
        status, said = status_of(command, spoilt)
        assert status != 0, said
    for name in folders:
        (tree / name / ".ready").unlink()
    assert status_of(command, tree)[0] != 0  # PYTHON=false: nothing is installed


def program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh -e\n{text}\n")
    path.chmod(0o755)


CHECKS = [
    *("ruff check", "ruff format --check", "mypy", "lint-imports"),
    *("pytest", ".ci/run", "tools/house_map.py --check", "make docs"),
    *("make data", "make licences", "make check-wheel", "release.yml"),
    *("make audit", "make audit-workflows", "make review", "make fuzz"),
]


def test_the_page_lists_the_checks() -> None:
    page = (ROOT / "docs" / "internals" / "mutation.md").read_text()
    section = page.partition("## Checks of CI")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([^`]*)` \|", section, re.M)[: len(CHECKS)] == CHECKS
