"""What a release needs agrees: versions, dependencies, digests that workflows run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from ..modules import loaded
from ..paths import ROOT

check_tag = loaded(ROOT / "tools" / "release" / "check_tag.py")
build_twice = loaded(ROOT / "tools" / "release" / "build_twice.py")
pin = loaded(ROOT / "tools" / "release" / "pin.py")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ELSEWHERE = {"matplotlib": "matplotlib-base", "ortools": "ortools-python"}
"""Names that packages have at conda-forge."""
TRIED = "3.14"
"""The Python that CI runs before it is claimed; the classifier follows."""


# versions


def test_every_file_names_the_same_version(capsys: pytest.CaptureFixture[str]) -> None:
    version = PROJECT["version"]
    assert set(check_tag.versions().values()) == {version}
    assert check_tag.main([f"v{version}"]) == 0
    assert check_tag.main(["v0.0.1"]) == 1
    assert f"CITATION.cff: {version}, but the tag is v0.0.1" in capsys.readouterr().err
    assert "version" not in json.loads((ROOT / ".zenodo.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("CHANGELOG.md", "## {v} - ", "## Unreleased\n\n## {v} - "),
        ("CHANGELOG.md", "## {v} - ", "## {v}, "),
        ("CITATION.cff", "version: {v}", "version: 0.0.9"),
        ("packaging/recipe.yaml", 'version: "{v}"', 'version: "0.0.9"'),
        ("pyproject.toml", 'version = "{v}"', 'version = "0.0.9"'),
    ],
)
def test_another_version_anywhere_is_seen(
    name: str, old: str, new: str, tmp_path: Path
) -> None:
    for one in check_tag.PLACES:
        (tmp_path / one).parent.mkdir(exist_ok=True)
        (tmp_path / one).write_text((ROOT / one).read_text("utf-8"), "utf-8")
    version = PROJECT["version"]
    text = (tmp_path / name).read_text("utf-8")
    changed = text.replace(old.format(v=version), new.format(v=version), 1)
    assert changed != text
    (tmp_path / name).write_text(changed, "utf-8")
    assert check_tag.versions(tmp_path)[name] != version


def test_the_recipe_needs_what_the_wheel_needs() -> None:
    text = (ROOT / "packaging" / "recipe.yaml").read_text("utf-8")
    run = yaml.safe_load(text)["requirements"]["run"]
    wanted = []
    for one in PROJECT["dependencies"]:
        match = re.fullmatch(r"([\w-]+)(.*)", one)
        assert match is not None
        wanted.append(f"{ELSEWHERE.get(match[1], match[1])} {match[2]}")
    assert sorted(wanted) == sorted(one for one in run if not one.startswith("python "))


def test_ci_runs_each_python_that_is_claimed() -> None:
    claimed = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    for name, jobs in (("ci", ("newest", "checker", "wheel")), ("release", ("try",))):
        file = ROOT / ".github" / "workflows" / f"{name}.yml"
        document = yaml.safe_load(file.read_text("utf-8"))
        for job in jobs:
            matrix = document["jobs"][job]["strategy"]["matrix"]
            assert matrix["python"] == [*claimed, TRIED], (name, job)


def test_make_knows_what_workflows_call() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    called: set[str] = set()
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        lines = re.findall(r"(?m)^ *(?:- run: )?make (.+)$", file.read_text("utf-8"))
        found = [re.split(r" [A-Z]", line)[0] for line in lines]
        called.update(word for words in found for word in words.split())
    assert called >= {"lint", "dist", "sbom", "bench", "check-wheel", "test-oldest"}
    for target in called:
        assert re.search(rf"^{target}\b.*:", makefile, re.MULTILINE), target


# digests


def test_lock_and_workflows_agree() -> None:
    assert pin.check(ROOT) == 0


@pytest.mark.parametrize(
    ("workflow", "image", "says"),
    [
        ("", "", "nothing was compared"),
        ("", "", "{}/.github/actions.lock: No such file or directory"),
        ("  - uses: 'some/action@v1'\n", "", "one.yml: cannot be read: - uses: 'some"),
        ("", "FROM --platform=x a/b:1\n", "Containerfile: cannot be read: FROM --pla"),
    ],
)
def test_what_cannot_be_compared_is_no_agreement(
    workflow: str, image: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / ".github" / "workflows" / "one.yml").write_text(workflow, "utf-8")
    (tmp_path / ".github" / "actions.lock").touch()
    (tmp_path / "Containerfile").write_text(image, "utf-8")
    if says.startswith("{}"):
        (tmp_path / ".github" / "actions.lock").unlink()
    words = [sys.executable, pin.__file__, "--check", "--root", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert says.format(tmp_path) in done.stderr


def test_a_package_of_pyodide_that_is_none_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A folder of that name, a file without the digest: npm answers as it likes."""
    pyodide = loaded(ROOT / "tools" / "pyodide.py")
    npm = tmp_path / "npm"
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for made in ("mkdir a.tgz", "echo > a.tgz"):
        npm.write_text(f"#!/bin/sh\n{made}\n", "utf-8")
        npm.chmod(0o755)
        assert pyodide.main() == 2
        said = capfd.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)


def run(*words: str, cwd: Path) -> str:
    own = {
        **os.environ,
        **{f"GIT_{who}_NAME": "t" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "t@t" for who in ("AUTHOR", "COMMITTER")},
    }
    done = subprocess.run(
        words, cwd=cwd, env=own, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small tree, with a bare repository as the remote and a false skopeo."""
    work, bare = tmp_path / "work", tmp_path / "remotes" / "some" / "action"
    work.mkdir()
    run("git", "init", "-q", "-b", "main", cwd=work)
    for tag in ("first", "second"):
        run("git", "commit", "-q", "--allow-empty", "-m", tag, cwd=work)
        annotated = ("-a", "-m", "x") if tag == "second" else ()
        run("git", "tag", *annotated, f"v-{tag}", cwd=work)
    run("git", "clone", "-q", "--bare", str(work), str(bare), cwd=tmp_path)
    root = tmp_path / "root"
    (root / ".github" / "workflows").mkdir(parents=True)
    (root / ".github" / "workflows" / "one.yml").write_text(
        "steps:\n  - uses: some/action@v-first\n  - uses: some/action/below@v-second\n"
        "  - uses: some/action@main\n",
        "utf-8",
    )
    (root / "Containerfile").write_text(
        "FROM docker.io/library/python:3.13-slim AS build\nRUN true\n", "utf-8"
    )
    (root / ".github" / "actions.lock").write_text("# kept\n", "utf-8")
    (tmp_path / "bin").mkdir()
    skopeo = tmp_path / "bin" / "skopeo"
    skopeo.write_text(f"#!/bin/sh\necho sha256:{'5' * 64}\n", "utf-8")
    skopeo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return root


def fill(tree: Path, *words: str) -> int:
    remote = f"file://{tree.parent}/remotes/{{}}"
    status: int = pin.main(["--root", str(tree), "--remote", remote, *words])
    return status


def test_pin_writes_the_commits_of_tags_and_branches(tree: Path) -> None:
    work = tree.parent / "work"
    commits = {
        name: run("git", "rev-parse", f"{name}^{{commit}}", cwd=work)
        for name in ("v-first", "v-second", "main")
    }
    assert fill(tree) == 0
    text = (tree / ".github" / "workflows" / "one.yml").read_text("utf-8")
    assert text == (
        f"steps:\n  - uses: some/action@{commits['v-first']}  # v-first\n"
        f"  - uses: some/action/below@{commits['v-second']}  # v-second\n"
        f"  - uses: some/action@{commits['main']}  # main\n"
    )
    image = (tree / "Containerfile").read_text("utf-8")
    assert f"python:3.13-slim@sha256:{'5' * 64} AS build\n" in image
    lock = (tree / ".github" / "actions.lock").read_text("utf-8")
    assert lock.startswith("# kept\n")
    assert f"some/action v-first {commits['v-first']}\n" in lock
    assert fill(tree) == 0
    assert (tree / ".github" / "workflows" / "one.yml").read_text("utf-8") == text


def test_a_tag_that_moved_is_taken_only_when_asked(tree: Path) -> None:
    fill(tree)
    bare = tree.parent / "remotes" / "some" / "action"
    before = run("git", "rev-parse", "v-first", cwd=bare)
    after = run("git", "rev-parse", "main", cwd=bare)
    run("git", "tag", "-f", "v-first", "main", cwd=bare)
    file = tree / ".github" / "workflows" / "one.yml"
    fill(tree)
    assert f"{before}  # v-first" in file.read_text("utf-8")
    fill(tree, "--renew")
    assert f"{after}  # v-first" in file.read_text("utf-8")


def test_a_digest_that_the_lock_does_not_have_is_seen(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(tree)
    assert fill(tree, "--check") == 0
    file = tree / ".github" / "workflows" / "one.yml"
    text = file.read_text("utf-8")
    file.write_text(
        re.sub("@[0-9a-f]{40}  # main", f"@{'a' * 40}  # main", text), "utf-8"
    )
    assert fill(tree, "--check") == 1
    assert "one.yml: some/action main has aaaa" in capsys.readouterr().err
    assert fill(tree, "--take") == 0
    lock = (tree / ".github" / "actions.lock").read_text("utf-8")
    assert f"some/action main {'a' * 40}\n" in lock
    (tree / "Containerfile").write_text("FROM scratch\n", "utf-8")
    assert fill(tree, "--check") == 1
    assert "python 3.13-slim is used nowhere" in capsys.readouterr().err


def test_a_tag_that_does_not_exist_is_named(tree: Path) -> None:
    file = tree / ".github" / "workflows" / "one.yml"
    file.write_text("steps:\n  - uses: some/action@v9\n", "utf-8")
    with pytest.raises(SystemExit, match="some/action: no tag or branch v9"):
        fill(tree)
    file.write_text(f"steps:\n  - uses: some/action@{'b' * 40}\n", "utf-8")
    with pytest.raises(SystemExit, match=r"one\.yml: some/action: a commit without"):
        fill(tree)


# builds


def sdist(path: Path, names: list[str], **fields: Any) -> Path:
    """Write an archive whose members have these names and fields."""
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            file = path.parent / "content"
            file.write_text(name, "utf-8")
            member = archive.gettarinfo(file, name)
            for field, value in fields.items():
                setattr(member, field, value)
            with file.open("rb") as content:
                archive.addfile(member, content)
    return path


def test_an_sdist_keeps_no_trace_of_who_packed_it_when(tmp_path: Path) -> None:
    first = sdist(
        tmp_path / "a.tar.gz", ["p/b", "p/a"], mtime=5, uname="me", mode=0o600
    )
    second = sdist(tmp_path / "b.tar.gz", ["p/a", "p/b"], mtime=9, uid=7, mode=0o664)
    assert first.read_bytes() != second.read_bytes()
    for one in (first, second):
        build_twice.repack(one, 1_000_000_000)
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as archive:
        assert archive.getnames() == ["p/a", "p/b"]
        content = archive.extractfile("p/b")
        assert content is not None
        assert content.read() == b"p/b"


def test_only_tracked_files_are_exported(tmp_path: Path) -> None:
    """A wheel must not hold what lies about in a checkout."""
    build_twice.export(tmp_path, 1_000_000_000)
    tracked = run("git", "ls-files", cwd=ROOT).splitlines()
    there = {one.relative_to(tmp_path).as_posix() for one in tmp_path.rglob("*")}
    assert {name for name in tracked if (ROOT / name).exists()} <= there
    assert ".venv" not in there
    assert (tmp_path / "closeknit" / "exact").is_symlink()
    project = (tmp_path / "pyproject.toml").stat()
    assert (project.st_mtime, project.st_mode & 0o777) == (1_000_000_000, 0o644)


def test_the_tools_name_their_usage() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "release" / "check_tag.py")],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "usage: python tools/release/check_tag.py TAG\n"
