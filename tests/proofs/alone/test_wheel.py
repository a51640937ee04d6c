"""The wheel of the checker: without dependencies, and next to closeknit's own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.modules import loaded
from tests.paths import ROOT

from .wheel import PACKAGING, gather

EXAMPLES = ROOT / "docs" / "check" / "examples"
FILES = ("mesh.json", "solution.json", "proof.xz")


def call(*words: str | Path, status: int = 0) -> str:
    """Run a program; return what it printed."""
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, check=False, cwd="/"
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def build(kind: str, source: Path, into: Path) -> Path:
    """Build a wheel or an sdist with the setuptools that is here."""
    into.mkdir(exist_ok=True)
    code = (
        "import os, sys, tomllib; from pathlib import Path\n"
        f"os.chdir({str(source)!r})\n"
        "table = tomllib.loads(Path('pyproject.toml').read_text())['build-system']\n"
        "sys.path[:0] = table.get('backend-path', [])\n"
        "import importlib\n"
        "backend = importlib.import_module(table['build-backend'])\n"
        f"backend.build_{kind}({str(into)!r})"
    )
    call(sys.executable, "-c", code)
    (found,) = into.iterdir()
    return found


def copied(into: Path) -> Path:
    """Copy what the tree's wheels are built of, since building writes next to it."""
    ignored = shutil.ignore_patterns(
        *("__pycache__", ".*", "out", "build", "gathered", "*.egg-info"),
        *("tests", "docs", "*.nbi", "*.nbc"),
    )
    shutil.copytree(ROOT, into, symlinks=True, ignore=ignored)
    return into


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheels of the checker and of closeknit."""
    made = tmp_path_factory.mktemp("wheels")
    tree = copied(made / "tree")
    checker = build("wheel", tree / "packaging" / "check", made / "checker")
    return checker, build("wheel", tree, made / "closeknit")


def test_the_versions_are_one(wheels: tuple[Path, Path]) -> None:
    versions = {path.name.split("-")[1] for path in wheels}
    assert len(versions) == 1


def test_the_wheel_has_nothing_else(wheels: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(wheels[0]) as archive:
        names = archive.namelist()
        metadata = next(one for one in names if one.endswith("METADATA"))
        assert b"Requires-Dist" not in archive.read(metadata)
        modules = {
            one.removeprefix("closeknit_check/") for one in names if one.endswith(".py")
        }
        texts = [archive.read(one).decode() for one in names if one.endswith(".py")]
    ours = {path.as_posix() for path in gather.files_of_checker()}
    assert modules == ours | {"loading.py", "__init__.py"}
    assert not any(
        re.search(r"^\s*(from|import) closeknit", one, re.M) for one in texts
    )


def test_both_in_one_environment_and_either_goes(
    wheels: tuple[Path, Path], tmp_path: Path
) -> None:
    paths = [EXAMPLES / name for name in FILES]
    for stays, goes in ((0, 1), (1, 0)):
        environment = tmp_path / f"stays{stays}"
        call(sys.executable, "-m", "venv", "--without-pip", environment)
        python = environment / "bin" / "python"
        pip = (
            *(sys.executable, "-m", "pip", "--python", python),
            *("--quiet", "--disable-pip-version-check"),
        )
        call(*pip, "install", "--no-index", "--no-deps", *wheels)
        alone = environment / "bin" / "closeknit-check"
        module = (python, "-m", "closeknit.proofs.checking")
        for command in ((alone,), module):
            assert ": holds: optimal" in call(*command, *paths)
        name = ("closeknit-check", "closeknit")[goes]
        call(*pip, "uninstall", "--yes", name)
        assert alone.exists() == (stays == 0)
        assert ": holds: optimal" in call(*((alone,), module)[stays], *paths)
        said = call(
            *((alone,), module)[stays],
            paths[0],
            EXAMPLES / "forged.json",
            paths[2],
            status=1,
        )
        assert "is 78, but" in said


def test_an_sdist_makes_the_same_wheel_without_the_tree(
    wheels: tuple[Path, Path], tmp_path: Path
) -> None:
    tree = copied(tmp_path / "tree")
    sdist = build("sdist", tree / "packaging" / "check", tmp_path / "sdist")
    shutil.rmtree(tree)
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    again = build("wheel", source, tmp_path / "again")
    contents = []
    for path in (wheels[0], again):
        with zipfile.ZipFile(path) as archive:
            names = [one for one in archive.namelist() if not one.endswith("RECORD")]
            contents.append({one: archive.read(one) for one in names})
    assert contents[0] == contents[1]


def test_another_package_of_pyodide_is_refused(tmp_path: Path) -> None:
    pyodide = loaded(ROOT / "tools" / "pyodide.py")
    made = tmp_path / "package"
    made.mkdir()
    for name in pyodide.FILES:
        (made / name).write_bytes(b"x")
    package = tmp_path / "pyodide.tgz"
    with tarfile.open(package, "w:gz") as archive:
        archive.add(made, "package")
    with pytest.raises(ValueError, match="has the SHA-512"):
        pyodide.unpack(package, tmp_path / "here")
    assert not pyodide.is_here(tmp_path / "here")
    import hashlib

    digest = hashlib.sha512(package.read_bytes()).hexdigest()
    pyodide.unpack(package, tmp_path / "here", digest)
    assert pyodide.is_here(tmp_path / "here")


def test_the_packaging_has_only_what_the_wheel_needs() -> None:
    ignored = {"build", "gathered", "LICENSE", "__pycache__"}
    found = {one.name for one in PACKAGING.iterdir()} - ignored
    assert {one for one in found if not one.endswith(".egg-info")} == {
        *("MANIFEST.in", "README.md", "gather.py", "pyproject.toml"),
    }
