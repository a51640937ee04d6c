"""closeknit-check accepts and refuses exactly what closeknit check does."""

from __future__ import annotations

import importlib
import json
import lzma
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.proofs.checking.folder import read_index
from tests.data import require
from tests.paths import ROOT, SHARED
from tests.proofs.checking.test_standard_library import drawn, library

from .answers import answers, forgeries, refusals
from .comparing import both, compare_drawn, paths_of, said
from .corpus import Answer
from .listing import DERIVES, PAGE, table, totals
from .listing import files as all_files
from .wheel import gathered, run_gathered

EXAMPLES = ROOT / "docs" / "check" / "examples"
CASES = SHARED / "cases" / "proofs"
FEW, MANY = 400, 10_000


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the wheel."""
    return gathered(tmp_path_factory.mktemp("gathered"))


@pytest.fixture(scope="module")
def alone(tree: Path) -> Iterator[Callable[[list[str]], int]]:
    """The command of the wheel, in this process."""
    sys.path.insert(0, str(tree))
    try:
        place = "closeknit_check.proofs.checking.answers.command"
        yield importlib.import_module(place).main
    finally:
        sys.path.remove(str(tree))
        for name in [one for one in sys.modules if one.startswith("closeknit_check")]:
            del sys.modules[name]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of answers and proofs of every problem and kind."""
    return library(tmp_path_factory.mktemp("answers"), drawn())


@pytest.fixture(scope="module")
def corpus() -> list[Answer]:
    """Answers that reach every function of the checker."""
    return answers()


@pytest.fixture(scope="module")
def pool(
    files: Path, corpus: list[Answer], tmp_path_factory: pytest.TempPathFactory
) -> list[list[str]]:
    """The files of all answers."""
    folder = tmp_path_factory.mktemp("corpus")
    found = [paths_of(files, entry) for entry in read_index(files)]
    return found + [one.write(folder) for one in corpus]


def test_every_kind_of_proof(
    alone: Callable[[list[str]], int], files: Path, tmp_path: Path
) -> None:
    entries = read_index(files)
    assert len({entry.kind for entry in entries}) == 4
    for entry in entries:
        paths = paths_of(files, entry)
        ours, theirs = both(alone, paths)
        assert ours == theirs
        assert (ours.status, ours.err) == (0, "")
        assert ": holds: " in ours.out
        ours, theirs = both(alone, paths[:2])
        assert ours == theirs
        formula = tmp_path / f"{entry.name}.opb"
        if run(["export", paths[0], "--to", "opb", "--out", str(formula)]):
            continue
        ours, theirs = both(alone, [str(formula), paths[-1]])
        assert ours == theirs
    ours = said(run, ["verify", "--proofs", str(files), "--plain"])
    theirs = said(alone, [str(files)])
    assert ours.status == theirs.status == 0


def test_the_document_is_the_same(
    alone: Callable[[list[str]], int], files: Path, tmp_path: Path
) -> None:
    for entry in read_index(files):
        first, second, *proof = paths_of(files, entry)
        more = ["--proof", *proof] if proof else []
        out = tmp_path / "found.json"
        assert run(["check", first, second, *more, "--json", str(out)]) == 0
        theirs = said(alone, [first, second, *proof, "--json"])
        assert json.loads(theirs.out) == json.loads(out.read_text())


# The corpus


def test_the_whole_corpus_holds(
    alone: Callable[[list[str]], int], corpus: list[Answer], tmp_path: Path
) -> None:
    for one in corpus:
        ours, theirs = both(alone, one.write(tmp_path))
        assert ours == theirs
        assert (ours.status, ours.err) == (0, ""), one.name


def test_nothing_of_the_corpus_holds_when_forged(
    alone: Callable[[list[str]], int], corpus: list[Answer], tmp_path: Path
) -> None:
    for one in forgeries(corpus):
        ours, theirs = both(alone, one.write(tmp_path))
        assert ours == theirs
        assert ours.status in (1, 2), one.name


def test_what_is_refused_is_refused_alike(
    alone: Callable[[list[str]], int], corpus: list[Answer], tmp_path: Path
) -> None:
    for words in refusals(tmp_path, corpus):
        ours, theirs = both(alone, words)
        assert ours == theirs
        assert ours.status in (1, 2), words


# Drawn files


def test_drawn_files(
    alone: Callable[[list[str]], int], pool: list[list[str]], tmp_path: Path
) -> None:
    found = compare_drawn(alone, pool, tmp_path, FEW)
    assert set(found) == {0, 1, 2}


@pytest.mark.slow
def test_many_drawn_files(
    alone: Callable[[list[str]], int], pool: list[list[str]], tmp_path: Path
) -> None:
    found = compare_drawn(alone, pool, tmp_path, MANY)
    assert min(found[0], found[1], found[2]) > MANY / 50


# Alone, with nothing but the standard library


def test_it_needs_nothing_else(tree: Path, files: Path, tmp_path: Path) -> None:
    for entry in read_index(files):
        result = run_gathered(tree, *paths_of(files, entry))
        assert (result.returncode, result.stderr) == (0, "")
        assert ": holds: " in result.stdout
    result = run_gathered(tree, str(files))
    assert result.returncode == 0
    count = len(read_index(files))
    assert result.stdout.endswith(f"{count} of {count} hold\n")


def test_bad_words_are_one_line(tree: Path, files: Path, tmp_path: Path) -> None:
    some = paths_of(files, read_index(files)[0])
    opb = tmp_path / "a.opb"
    opb.write_text("min: +1 xa ;\n+1 xa >= 1 ;\n")
    for words, line in (
        ([str(tmp_path / "none.json"), some[1]], "cannot be read"),
        (some[:1], "SOLUTION: is missing"),
        ([str(opb)], "PROOF: is missing"),
        ([str(opb), str(opb), "--accept", "solver"], "--accept: is not for formulas"),
        (["a.recount.json", "--accept", "solver"], "--accept: is not for certificates"),
        ([*some, some[0]], "is one file too many"),
        ([*some, "--time-limit", "0"], "--time-limit: must be positive"),
        ([*some, "--time-limit", "nan"], "--time-limit: must be positive"),
        ([str(tmp_path)], "index.json: cannot be read"),
        ([str(tmp_path), "--json"], "--json: is not for folders"),
        ([str(tmp_path), "--accept", "solver"], "--accept: is not for folders"),
    ):
        result = run_gathered(tree, *words)
        assert result.returncode == 2, words
        assert result.stdout == ""
        assert line in result.stderr
        assert result.stderr.count("\n") == 1
    assert run_gathered(tree, "--accept", "checked", *some).returncode == 2
    assert run_gathered(tree).returncode == 2


@pytest.mark.parametrize(
    ("redirect", "says"),
    [
        (">&-", "standard output: is closed\n"),
        (">/dev/full", "standard output: cannot be written: No space left on device\n"),
    ],
)
def test_an_output_that_takes_nothing_is_one_line(
    redirect: str, says: str, tree: Path
) -> None:
    """Status 1 would mean that a claim is wrong."""
    files = [
        str(EXAMPLES / name) for name in ("mesh.json", "solution.json", "proof.xz")
    ]
    code = (
        "from closeknit_check.proofs.checking.answers.command import main\n"
        "raise SystemExit(main())"
    )
    command = ["sh", "-c", f'exec "$@" {redirect}', "sh", sys.executable, "-c", code]
    done = subprocess.run(
        [*command, *files], stderr=subprocess.PIPE, text=True, cwd=tree, check=False
    )
    assert (done.returncode, done.stderr) == (2, f"closeknit-check: {says}")


def test_a_name_that_is_too_long_is_one_line(tree: Path) -> None:
    done = run_gathered(tree, "a" * 300)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "File name too long" in done.stderr or "is missing" in done.stderr


def test_a_job_of_parts_that_does_not_fit(
    alone: Callable[[list[str]], int], tmp_path: Path
) -> None:
    path = tmp_path / "a.recount.json"
    content = {
        **{"format": "closeknit/recount", "version": 1, "pods": 5, "sizes": []},
        **{"most": [], "parent": [-1], "height": [0], "home": [0, 0]},
    }
    for room, status in (([2, 2], 0), ([3, 2], 1)):
        path.write_text(json.dumps(content | {"room": room}))
        ours, theirs = said(run, ["check", str(path)]), said(alone, [str(path)])
        assert ours == theirs
        assert ours.status == status


def test_forged_proofs_that_were_accepted_once(tree: Path, tmp_path: Path) -> None:
    require("cases/proofs")
    result = run_gathered(tree, "m44.json", "sol.json", "forged.xz", folder=CASES)
    assert result.returncode == 2
    assert run_gathered(tree, str(CASES / "forged_folder")).returncode == 2
    wrong = ["instance.json", "solution.json", "proof.pbp"]
    result = run_gathered(tree, *wrong, folder=CASES / "pb-red-first-bounds")
    assert result.returncode == 1
    result = run_gathered(tree, "m44.json", "sol_e.json", folder=CASES)
    assert result.returncode == 1
    assert "not re-derived" in result.stdout
    solution = tmp_path / "s.json"
    points = json.loads((CASES / "companions-bool.json").read_text())
    for content in (CASES / "companions-bool.xz").read_bytes(), b"", lzma.compress(b""):
        proof = tmp_path / "p.xz"
        proof.write_bytes(content)
        solution.write_text(json.dumps(false_optimum(points, 3)))
        found = run_gathered(
            tree, str(CASES / "companions-bool.json"), str(solution), str(proof)
        )
        assert found.returncode in (1, 2)
        assert found.stdout.count("holds") == 0


def false_optimum(document: dict[str, Any], bound: int) -> dict[str, Any]:
    """Return a solution file that claims a bound of an instance and nothing else."""
    from closeknit.instances import sha256
    from closeknit.instances.problems import parse_instance

    instance = parse_instance(document, default_name="companions-bool")
    return {
        **{"format": "closeknit/solution", "version": 1, "instance": instance.name},
        **{"sha256": sha256(instance), "method": "x", "status": "unknown"},
        **{"bound": bound, "proof": {"grade": "checked", "by": "certificate"}},
    }


def test_the_page_lists_its_files() -> None:
    """`python -m tests.proofs.alone.listing` writes the table again."""
    assert table() in PAGE.read_text(encoding="utf-8")
    assert set(DERIVES) <= {*all_files()}


def test_what_derives_is_read_in_an_hour() -> None:
    """At most 2,000 lines of code must be believed beside Python and the readers."""
    assert totals([*DERIVES])[1] <= 2000
