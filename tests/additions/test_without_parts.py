"""The core works without the folders of the parts, and knows what it lacks then."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from closeknit import extensions
from closeknit.cli.commands import COMMANDS, module_of
from closeknit.papers.table import REPRODUCTIONS
from closeknit.reports.claims.catalogue import CLAIMS

from ..paths import ROOT

CORE_TESTS = [
    *("api", "exact", "formulations", "heuristics", "instances", "proofs"),
    *("solvers", "simulation"),
]
"""Folders of tests, none of which is about parts."""
ALONE = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in repr(one)]
"""
"""What is installed in place would find the folders that the copy lacks."""
COLD = {"CLOSEKNIT_KERNELS": "interpreted"}
"""The copy has no machine code, and a small instance does not need it."""
INSTANCE = "instances/data/4x8-mache-k8.json"


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree without the folders of the parts."""
    place = tmp_path_factory.mktemp("core")
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in done.stdout.splitlines():
        whole = ROOT / name
        parts = Path(name).parts
        if not (whole.is_symlink() or whole.is_file()) or "docs" in parts[:1]:
            continue
        if {*parts[:2]} & extensions.PARTS.keys():
            continue
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(whole, place / name, follow_symlinks=False)
    (place / "sitecustomize.py").write_text(ALONE)
    for part in extensions.PARTS:
        assert not (place / part).exists()
        assert not (place / "closeknit" / part).exists()
    return place


def run(core: Path, *words: str, **environment: str) -> str:
    """Run a module of Python on the copy; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=core,
        env={**os.environ, "PYTHONPATH": str(core), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_copy_is_what_runs(core: Path) -> None:
    place = core / "where_it_is.py"
    place.write_text("import closeknit\nprint(closeknit.__file__)\n")
    assert run(core, "where_it_is").strip() == str(core / "closeknit/__init__.py")


def test_help_lists_the_commands_of_the_core(core: Path) -> None:
    said = run(core, "closeknit", "--help")
    assert "solve " in said
    for part in extensions.INSTALLED.values():
        assert not any(f"    {name} " in said for name in part.commands)


def test_it_solves_and_checks(core: Path) -> None:
    name = INSTANCE
    out = str(core / "solution.json")
    said = run(core, "closeknit", "solve", name, "--json", out, **COLD)
    assert "optimal" in said
    assert "holds" in run(core, "closeknit", "check", name, out, "--prove", **COLD)


def test_it_reports_ratios(core: Path) -> None:
    words = ("ratios", INSTANCE, "--methods", "mm,mm-inc")
    run(core, "closeknit", *words, "--out", str(core / "report"), **COLD)
    assert "mm-inc" in (core / "report" / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_it_reports_ratios_of_all_bundled_instances(core: Path) -> None:
    run(core, "closeknit", "ratios", "bundled", "--out", str(core / "all"))
    assert (core / "all" / "report.html").exists()


def test_it_says_what_it_leaves_out(core: Path) -> None:
    (core / "missing.py").write_text(
        "from closeknit.extensions import INSTALLED, PARTS, left_out\n"
        "assert PARTS and not INSTALLED\n"
        "print(left_out())\n"
    )
    assert int(run(core, "missing")) == sum(extensions.PARTS.values())


@pytest.mark.slow
def test_it_verifies_its_claims(core: Path) -> None:
    said = run(core, "closeknit", "verify", "--quick")
    missing = sum(extensions.PARTS.values())
    assert f"{missing} claims were left out" in said
    assert f"{len(CLAIMS) - missing} of {len(CLAIMS) - missing} claims hold" in said


@pytest.mark.slow
def test_its_tests_pass(core: Path) -> None:
    folders = [f"tests/{name}" for name in CORE_TESTS]
    said = run(core, "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *folders)
    assert " passed" in said


# --- the table ---


def test_parts_say_how_many_claims_they_have() -> None:
    assert list(extensions.INSTALLED) == list(extensions.PARTS)
    for name, part in extensions.INSTALLED.items():
        claims = [
            one for place in part.claims.values() for one in extensions.load(place)
        ]
        assert len(claims) == extensions.PARTS[name]
        assert all(CLAIMS[one.name] is one for one in claims)


def test_all_that_the_table_names_is_there() -> None:
    for part in extensions.INSTALLED.values():
        named = part.claims, part.hooks, part.allocators
        for place in (place for some in named for place in some.values()):
            assert extensions.load(place)
        if part.kernels:
            assert all(map(callable, extensions.load(part.kernels).values()))
        for name, module in part.names.items():
            assert extensions.load(f"{module}:{name}")
    for name in COMMANDS:
        command = module_of(name)
        assert inspect.signature(command.run).return_annotation == "int", name
        assert callable(command.options)
    for entry in REPRODUCTIONS.values():
        assert isinstance(entry.study, partial)
        assert callable(extensions.load(f"papers.{entry.study.args[0]}"))


def test_an_error_inside_a_part_is_not_taken_for_its_absence(
    core: Path, tmp_path: Path
) -> None:
    place = tmp_path / "core"
    shutil.copytree(core, place, symlinks=True)
    (place / "clusters").mkdir()
    (place / "closeknit" / "clusters").symlink_to("../clusters")
    (place / "clusters" / "extension.py").write_text("import nothing_of_that_name\n")
    done = subprocess.run(
        [sys.executable, "-c", "import closeknit as ck; ck.order_ranks"],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
    )
    assert "No module named 'nothing_of_that_name'" in done.stderr
