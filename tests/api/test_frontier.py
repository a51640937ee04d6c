"""The frontier: what is taken, what is refused, and that all of it holds."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from closeknit.api.examining import examine
from closeknit.api.frontier import adding
from closeknit.api.frontier.adding import add_solution
from closeknit.api.frontier.checking import check_entry
from closeknit.cli.app import run
from closeknit.instances import (
    Distances,
    Graph,
    Grid,
    InputError,
    KSubset,
    Mesh,
    Points,
    Priced,
    ProcSet,
    Sukp,
    Torus,
    Tree,
    problems,
    write_instance,
)
from closeknit.instances.ksubset import generators, towns
from closeknit.methods import KSUBSET, PROCSET
from closeknit.methods.proofs import prove_and_cite
from closeknit.proofs.checking import CheckLimits
from closeknit.proofs.checking.answers.examining import Untrue
from closeknit.reports.claims.ksubset.families import find_misstatement
from closeknit.reports.claims.running.claim import Trial, Undecided
from closeknit.reports.frontier.entries import (
    FOLDER,
    MOST_KEPT,
    WORST,
    generate,
    write_entries,
)
from closeknit.reports.frontier.page import frontier_document
from closeknit.reports.frontier.worst import WorstInstance, read_families, write_worst
from closeknit.reports.pages.markdown import markdown_of
from closeknit.solvers import (
    Limit,
    Result,
    Status,
    answer,
    solution_of,
    write_solution,
)
from closeknit.solvers.running import clock

from ..paths import ROOT

Capture = pytest.CaptureFixture[str]
FREE = tuple(site for site in Mesh((4, 4)).locations() if sum(site) % 3)
ONE, OTHER = (KSubset(f"job-{k}", Mesh((4, 4)), FREE, k) for k in (4, 5))
OPTIMUM = 10
CERTIFIED = {"grade": "checked", "by": "certificate"}
NEW = ["--family", "jobs", "--source", "drawn by hand"]
JOBS = "frontier/jobs.json"


def poor(one: KSubset) -> Result:
    """Choose the first and the last ones: not optimal, and no bound."""
    return answer(one, [0, *range(one.n - one.k + 1, one.n)], start=0.0)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write instances, optimal choices with proofs, poor ones, and two entries."""
    place = tmp_path_factory.mktemp("files")
    (place / "frontier").mkdir()
    (place / "filled").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.delenv("CLOSEKNIT_DATA", raising=False)
        for one in (ONE, OTHER):
            result = KSUBSET["auto"](one)
            proved = prove_and_cite(one, result, f"{one.name}.xz", seconds=60.0)
            assert proved.kept is not None
            write_instance(one, f"{one.name}.json")
            write_solution(one, "auto", proved.result, f"{one.name}.best.json")
            write_solution(one, "hand", poor(one), f"{one.name}.poor.json")
            assert add(one, "best", f"{one.name}.xz", *NEW, "--folder", "filled") == 0
    return place


@pytest.fixture
def work(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with the files and an empty frontier."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CLOSEKNIT_DATA", raising=False)
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def full(work: Path) -> Path:
    """Work with a frontier that has both instances."""
    return shutil.copytree("filled", work / "frontier", dirs_exist_ok=True).parent


def add(one: KSubset, solution: str, *more: str) -> int:
    return run(
        ["frontier", "add", f"{one.name}.json", f"{one.name}.{solution}.json", *more]
    )


def content(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(name).read_text())
    return found


@contextmanager
def edited() -> Iterator[list[dict[str, Any]]]:
    """Let a test change entries by hand."""
    document = content(JOBS)
    yield document["entries"]
    Path(JOBS).write_text(json.dumps(document))


def entries() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = content(JOBS)["entries"]
    return found


def refused(capsys: Capture, status: int, says: str, *words: str) -> None:
    """Give a command of the frontier, which must fail in one line."""
    capsys.readouterr()
    assert run(["frontier", *words]) == status, words
    err = capsys.readouterr().err
    assert err.startswith("closeknit: ")
    assert says in err
    assert err.count("\n") == 1


def test_a_value_then_a_better_one_then_its_proof(work: Path, capsys: Capture) -> None:
    poor, best = (["add", "job-4.json", f"job-4.{it}.json"] for it in ("poor", "best"))
    refused(capsys, 2, "--family: is needed for a new instance", *poor)
    assert add(ONE, "poor", *NEW) == 0
    assert capsys.readouterr().out == "jobs: job-4: new\n"
    [entry] = entries()
    assert entry["instance"]["document"]["k"] == entry["k"] == 4
    assert "bound" not in entry["solution"]
    assert "proof" not in entry
    refused(capsys, 1, "is no better than frontier/jobs.json, job-4", *poor)
    refused(capsys, 1, "needs its proof", *best)  # the bound has a proof in a file
    assert entries() == [entry]
    assert add(ONE, "best", "job-4.xz") == 0
    assert capsys.readouterr().out == "jobs: job-4: cost 10, bound 10\n"
    [better] = entries()
    assert better["solution"]["status"] == "optimal"
    kept = work / "frontier" / "proofs" / f"{better['proof']['sha256']}.xz"
    assert kept.stat().st_size == better["proof"]["bytes"]
    assert run(["frontier", "check"]) == 0
    assert capsys.readouterr().out.startswith(
        "1 of 1 entries hold, 0 are wrong, 0 were"
    )
    assert add(ONE, "best", "job-4.xz") == 1
    write_worst({}, work / "frontier")
    assert run(["frontier", "page"]) == 0
    page = capsys.readouterr().out
    assert "| `job-4` | 10 | 4 | 10 | 10 | 0 | checked: certificate |" in page
    assert page.count("\n## ") >= 2


def test_a_frontier_of_nothing_is_no_page(work: Path, capsys: Capture) -> None:
    (work / "empty").mkdir()
    refused(capsys, 2, "has no file of a family", "page", "--folder", "empty")


def test_value_and_bound_are_merged_from_two_solutions(work: Path) -> None:
    """A poor choice with the bound, then the best choice without: optimal."""
    poor, best = content("job-4.poor.json"), content("job-4.best.json")
    poor |= {name: best[name] for name in ("bound", "proof")}
    Path("job-4.half.json").write_text(json.dumps(poor))
    for name in ("bound", "proof"):
        del best[name]
    Path("job-4.free.json").write_text(json.dumps(best | {"status": "feasible"}))
    assert add(ONE, "half", "job-4.xz", *NEW) == 0
    [first] = entries()
    assert add(ONE, "free") == 0
    [second] = entries()
    said = [
        (one["solution"]["method"], one["solution"]["status"])
        for one in (first, second)
    ]
    assert said == [("hand", "feasible"), ("auto", "optimal")]
    assert run(["frontier", "check", "jobs"]) == 0


def test_a_cost_below_a_bound_names_both_files(full: Path, capsys: Capture) -> None:
    with edited() as rows:
        rows[0]["solution"].update(objective=11, bound=11)
    text = Path(JOBS).read_text()
    says = "job-4.best.json and frontier/jobs.json, job-4, cannot both be true"
    refused(capsys, 1, says, "add", "job-4.json", "job-4.best.json", "job-4.xz")
    assert Path(JOBS).read_text() == text


def test_another_instance_of_a_known_name_and_another_name(
    full: Path, capsys: Capture
) -> None:
    for name, k, says in (("job-4", 3, "another"), ("copy", 4, "the same")):
        one = KSubset(name, Mesh((4, 4)), FREE, k)
        write_instance(one, "copy.json")
        write_solution(one, "hand", answer(one, range(k), start=0.0), "choice.json")
        words = ("add", "copy.json", "choice.json", *NEW)
        refused(capsys, 1, f"copy.json: is {says} instance as 'job-4'", *words)


def test_what_cannot_be_used_is_one_line(work: Path, capsys: Capture) -> None:
    Path("broken.json").write_text("{")
    Path("empty.xz").write_bytes(b"")
    lazy = content("job-4.poor.json")
    del lazy["selection"]
    Path("job-4.lazy.json").write_text(json.dumps(lazy))
    for status, words, says in (
        (2, ["job-4.json", "broken.json", *NEW], "broken.json"),
        (2, ["broken.json", "job-4.poor.json", *NEW], "broken.json"),
        (2, ["job-4.json", "job-4.best.json", "empty.xz", *NEW], ""),
        (1, ["job-4.json", "job-5.best.json", "job-4.xz", *NEW], "is for 'job-5'"),
        (2, ["job-4.json", "job-4.best.json", "job-5.xz", *NEW], "job-5.xz: instance"),
        (1, ["job-4.json", "job-4.lazy.json", *NEW], "selection: is missing"),
        (2, ["job-4.json", "job-4.poor.json", "--family", "../x", "--source", "s"], ""),
        (2, ["job-4.json", "job-4.poor.json", "--family", WORST, "--source", "s"], ""),
        (2, ["job-4.json", "job-4.poor.json", *NEW, "--recipe", "full --k 4"], ""),
        (2, ["job-4.json", "job-4.poor.json", "--folder", "none", *NEW], "--folder"),
    ):
        refused(capsys, status, says, "add", *words)
    assert list((work / "frontier").iterdir()) == []


def test_a_large_proof_is_named_by_its_digest_only(
    work: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for where in ("reports.frontier.entries", "api.frontier.adding"):
        monkeypatch.setattr(f"closeknit.{where}.MOST_KEPT", 10)
    words = ("add", "job-4.json", "job-4.best.json", "job-4.xz", *NEW)
    refused(capsys, 2, "--again: is needed", *words)
    assert add(ONE, "best", "job-4.xz", *NEW, "--again", "closeknit solve") == 0
    [entry] = entries()
    assert entry["proof"]["again"] == "closeknit solve"
    assert not (work / "frontier" / "proofs").exists()
    assert run(["frontier", "check"]) == 2  # nothing was checked
    assert "jobs: job-4: not checked:" in capsys.readouterr().out
    text = Path(JOBS).read_text()
    with edited() as rows:
        rows[0]["solution"].update(objective=9, bound=9)
    assert run(["frontier", "check"]) == 1  # which is known without the proof
    Path(JOBS).write_text(text)
    monkeypatch.setenv("CLOSEKNIT_DATA", str(work / "data"))
    (work / "data" / "proofs").mkdir(parents=True)
    shutil.copy("job-4.xz", f"data/proofs/{entry['proof']['sha256']}.xz")
    assert run(["frontier", "check"]) == 0


def test_public_data_is_named_and_not_copied(
    work: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOSEKNIT_DATA", str(work / "data"))
    (work / "data" / "nets").mkdir(parents=True)
    Path("job-4.json").rename("data/nets/job-4.json")
    words = ["data/nets/job-4.json", "job-4.best.json", "job-4.xz", *NEW]
    assert run(["frontier", "add", *words]) == 0
    assert entries()[0]["instance"] == {"file": "nets/job-4.json"}
    assert run(["frontier", "check"]) == 0
    monkeypatch.delenv("CLOSEKNIT_DATA")
    assert run(["frontier", "check", "--json"]) == 2
    report = json.loads(capsys.readouterr().out.partition("\n")[2].partition("\n")[2])
    assert (report["holds"], report["wrong"]) == (0, [])
    assert report["not_checked"][0]["name"] == "job-4"
    with edited() as rows:
        rows[0]["instance"]["file"] = "../job-5.json"
    assert run(["frontier", "check"]) == 1


@pytest.mark.parametrize("folder", [[], ["--folder", "frontier"]])
@pytest.mark.parametrize("name", ["jobs.json", "proofs/{}.xz"])
def test_no_output_goes_over_the_frontier(
    name: str, folder: list[str], full: Path, capsys: Capture
) -> None:
    """Nor where it is the one of this folder, which no option names."""
    digest = entries()[0]["proof"]["sha256"]
    path = full / "frontier" / name.format(digest)
    before = path.read_bytes()
    for words in (["check", "--json"], ["page", "--out"]):
        says = f"{words[1]}: is also what is read"
        refused(capsys, 2, says, *words, str(path), *folder)
        assert path.read_bytes() == before


def test_standard_input_is_no_file_of_public_data(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read from there would be looked for as the file ``-``, and not found."""
    monkeypatch.setenv("CLOSEKNIT_DATA", str(work))
    text = Path("job-4.json").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    words = ["-", "job-4.best.json", "job-4.xz", *NEW]
    assert run(["frontier", "add", *words]) == 0
    assert [*entries()[0]["instance"]] == ["document"]
    assert run(["frontier", "check"]) == 0


def test_public_data_has_a_name_that_can_be_read(
    work: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOSEKNIT_DATA", str(work))
    Path("job-4.json").rename("job\n4.json")
    words = ("add", "job\n4.json", "job-4.best.json", "job-4.xz", *NEW)
    refused(capsys, 2, "instance: must be text on one line", *words)
    assert not (work / "frontier" / "jobs.json").exists()


def test_a_recipe_makes_the_instance_again(work: Path, capsys: Capture) -> None:
    recipe = "random --shape 5x5 --k 6 --seed 3"
    one = generate(recipe)
    assert isinstance(one, KSubset)
    write_instance(one, "made.json")
    result = KSUBSET["auto"](one)
    assert result.chosen is not None
    write_solution(one, "auto", answer(one, result.chosen, start=0.0), "choice.json")
    words = ["add", "made.json", "choice.json", *NEW, "--recipe"]
    says = "--recipe: makes another instance"
    refused(capsys, 2, says, *words, recipe.replace("3", "4"))
    assert run(["frontier", *words, recipe]) == 0
    assert entries()[0]["instance"] == {"generate": recipe}
    assert run(["frontier", "check"]) == 0


def test_a_recipe_that_makes_too_much_is_one_line(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Of what no file has room for, and of what takes longer than the limit."""
    words = ("add", "job-4.json", "job-4.poor.json", *NEW, "--recipe")
    needs = "closeknit.instances.sukp.generators.MOST_NEEDS"
    for most, recipe, says in (
        (2**24, "sukp --items 9999 --elements 9999", "takes more than 0.2 s to make"),
        (1500, "sukp --items 20 --elements 99 --density 1", "must need at most 2^24"),
        (2**24, "sets --n 9 --sets 9 --levels 99999999 --request 1", "at most 2^24"),
    ):
        monkeypatch.setattr(needs, most)
        refused(capsys, 2, says, *words, recipe, "--time-limit", "0.2")
        assert not (work / "frontier" / "jobs.json").exists()


def test_the_limit_holds_for_packing_a_proof(work: Path, capsys: Capture) -> None:
    """Nothing is packed that is no proof; what is takes longer than a millisecond."""
    zeros, text = Path("zeros.gz"), Path("proof.gz")
    zeros.write_bytes(gzip.compress(bytes(2**26)))
    text.write_bytes(
        gzip.compress(b"pseudo-Boolean proof version 2.0\n" + b"*" * 2**23)
    )
    for path, says in (
        (zeros, "is not a certificate"),
        (text, "takes more than 0.001 s to pack"),
    ):
        words = ("add", "job-4.json", "job-4.best.json", str(path), *NEW)
        refused(capsys, 2, f"{path}: {says}", *words, "--time-limit", "0.001")


def test_the_limit_holds_for_what_a_recipe_makes(
    full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [family] = read_families(full / "frontier")
    known, _ = family.instances
    entry = replace(known, instance={"generate": "full --shape 4x4 --k 4"})

    def make_slowly(recipe: str) -> KSubset:
        time.sleep(60)
        return ONE

    monkeypatch.setattr("closeknit.reports.frontier.entries.generate", make_slowly)
    found = check_entry(full / "frontier", entry, CheckLimits(seconds=0.5))
    assert found == ("not checked", "takes more than 0.5 s to make")


def test_the_limit_holds_for_pricing_a_choice(
    full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loads of some thousand processors take minutes."""
    [family] = read_families(full / "frontier")
    entry, _ = family.instances

    def price_slowly(*_: object) -> list[str]:
        time.sleep(5)
        return []

    monkeypatch.setattr("closeknit.api.frontier.checking.solution_errors", price_slowly)
    found = check_entry(full / "frontier", entry, CheckLimits(seconds=0.5))
    assert found == ("not checked", "takes more than 0.5 s to check")


def test_compiling_counts_in_no_limit(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of limits stops meanwhile: the first proof would not be checked."""
    clocks = []

    def note(*_: object, limits: CheckLimits, **more: object) -> str:
        clocks.append(limits.now)
        return ""

    def note_entry(*given: Any, **more: object) -> tuple[str, str]:
        note(limits=given[2])
        return "holds", ""

    monkeypatch.setattr("closeknit.api.frontier.adding.add_solution", note)
    monkeypatch.setattr("closeknit.api.frontier.checking.check_entry", note_entry)
    assert add(ONE, "best", "job-4.xz", *NEW) == 0
    monkeypatch.chdir(ROOT)
    assert run(["frontier", "check", "towns"]) == 0
    assert {*clocks} == {clock.now}


def test_a_worst_case_that_is_not_decided_in_time_is_not_checked() -> None:
    entry = WorstInstance(
        method="mm",
        instance=generators.random_occupancy(
            (30, 30), 90, Fraction(7, 10), seed=6, kind="torus"
        ),
        cost=2,
        optimum=1,
        how="drawn",
        date="2026-11-29",
        closeknit="0.2.0",
    )
    word, why = check_entry(Path(), entry, CheckLimits(seconds=1.0))
    assert (word, "within 1 s" in why) == ("not checked", True), why


def test_a_worst_case_whose_method_was_stopped_is_undecided() -> None:
    """What it had found by then is not what it finds."""
    read = read_families(FOLDER, [WORST])
    entry = next(one for file in read for one in file.entries.values())

    def stopped(instance: KSubset, settings: object) -> Result:
        return replace(poor(instance), limit=Limit.TIME)

    methods: dict[str, Any] = {**KSUBSET, entry.method: stopped}
    with pytest.raises(Undecided, match="by its limit of time"):
        find_misstatement(Trial(methods=methods), entry)


def test_a_bound_that_is_not_derived_in_time_is_not_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(towns, "_followed", {})
    [family] = read_families(FOLDER, ["towns"])
    limits = CheckLimits(seconds=1e-4)
    words = {check_entry(FOLDER, one, limits)[0] for one in family.instances}
    assert words == {"not checked"}


@pytest.mark.parametrize(
    ("recipe", "says"),
    [
        ("", "no such family"),
        ("graph --file /etc/passwd", "is no option of a recipe"),
        ("full --k 4", "generate --shape: is missing"),
        ("full --shape 4x4 --k", "must be"),
        ("full --shape 4x4 --k 4 --count 9", "is no option of a recipe"),
        ("full 4x4", "is no option of a recipe"),
    ],
)
def test_recipes_are_decoded_strictly(recipe: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        generate(recipe)


@settings(max_examples=15, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.permutations(range(ONE.n)), st.sampled_from([0, 4, 7, 10, 11])),
        min_size=1,
        max_size=5,
    )
)
def test_the_best_value_and_the_best_bound_are_kept(
    steps: list[tuple[list[int], int]], files: Path
) -> None:
    """Whatever comes in which order, and what is false or no better is refused."""
    with TemporaryDirectory() as name:
        where = Path(name, "frontier")
        where.mkdir()
        write_instance(ONE, at := f"{name}/i.json")
        best: int | None = None
        most = 0
        for order, bound in steps:
            result = answer(ONE, order[: ONE.k], start=0.0)
            cost = problems.cost(ONE, order[: ONE.k])
            claim = solution_of(ONE, "drawn", result)
            if bound:
                claim |= {"bound": bound, "proof": CERTIFIED}
                claim["status"] = "optimal" if bound == cost else "feasible"
            Path(name, "s.json").write_text(json.dumps(claim))
            given = (at, f"{name}/s.json", str(files / "job-4.xz") if bound else None)
            taken = True
            try:
                add_solution(where, *given, family="jobs", source="drawn")
            except Untrue:
                taken = False
            true = bound <= OPTIMUM
            better = best is None or cost < best or bound > most
            assert taken == (true and better)
            if taken:
                best = cost if best is None else min(best, cost)
                most = max(most, bound)
                [file] = read_families(where)
                [entry] = file.entries.values()
                assert entry.claims.objective == best
                assert (entry.claims.bound or 0) == most
                optimal = best == most
                assert (entry.claims.status is Status.OPTIMAL) == optimal
                assert check_entry(where, entry, CheckLimits()) == ("holds", "")


# Forged entries: each is refused, and says so in one line.


def _swap(rows: list[dict[str, Any]], what: str) -> None:
    rows[0][what], rows[1][what] = rows[1][what], rows[0][what]


def _solution(rows: list[dict[str, Any]], **change: Any) -> None:
    rows[0]["solution"] |= change


FORGED: dict[str, Callable[[list[dict[str, Any]]], None]] = {
    "a cost below the optimum": lambda rows: _solution(rows, objective=9, bound=9),
    "a cost above that of the choice": lambda rows: _solution(rows, objective=11),
    "a bound above the proof": lambda rows: _solution(
        rows,
        objective=problems.cost(ONE, poor(ONE).chosen or ()),
        bound=problems.cost(ONE, poor(ONE).chosen or ()),
        selection=[list(FREE[i]) for i in poor(ONE).chosen or ()],
    ),
    "another kind of proof": lambda rows: _solution(
        rows, proof={"grade": "checked", "by": "pseudo-Boolean proof"}
    ),
    "proofs of each other": lambda rows: _swap(rows, "proof"),
    "choices of each other": lambda rows: _swap(rows, "solution"),
    "instances of each other": lambda rows: _swap(rows, "instance"),
    "digests of each other": lambda rows: _swap(rows, "sha256"),
    "the selection of another": lambda rows: _solution(
        rows, selection=rows[1]["solution"]["selection"]
    ),
    "a busy processor": lambda rows: _solution(rows, selection=[[0, 0]] * 4),
    "no selection": lambda rows: rows[0]["solution"].pop("selection"),
    "no proof": lambda rows: rows[0].pop("proof"),
    "another size of the proof": lambda rows: rows[0]["proof"].update(bytes=7),
    "nothing but a bound": lambda rows: rows[0].update(
        solution={
            name: "unknown" if name == "status" else value
            for name, value in rows[0]["solution"].items()
            if name not in ("selection", "objective")
        }
    ),
    "no day of the proof": lambda rows: rows[0].pop("proved"),
    "another k": lambda rows: rows[0].update(k=3),
    "no solution": lambda rows: rows[0].update(
        solution={
            "method": "x",
            "status": "infeasible",
            "proof": {"grade": "checked", "by": "pseudo-Boolean proof"},
        }
    ),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_forged_entry_is_wrong(forgery: str, full: Path, capsys: Capture) -> None:
    with edited() as rows:
        FORGED[forgery](rows)
    assert run(["frontier", "check", "--plain"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert "jobs: job-4: wrong: " in out
    assert out.splitlines()[-1].split()[3:5] != ["hold,", "0"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"n": 10', '"n": NaN', "NaN"),
        ('"n": 10', '"n": 1e999', "entries[0].n"),
        ('"n": 10', '"n": true', "entries[0].n: must be an integer"),
        ('"n": 10', '"n": 10, "n": 10', "n"),
        ('"n": 10', '"n": ' + "[" * 99 + "]" * 99, "nest"),
        ('"n": 10', '"n": 10, "more": 1', "entries[0].more: unknown field"),
        ('"family": "jobs"', '"family": "others"', "family: must be 'jobs'"),
        ('"found": "2', '"found": "x', "entries[0].found: must be a date"),
        ('"found": "', '"found": "2026-19-39", "source": "', "found: must be a date"),
        ('"name": "job-5"', '"name": "job-4"', "entries[1]: given twice"),
        ('"status": "optimal"', '"status": "best"', "entries[0].solution.status"),
        ('"version": 1', '"version": 2', "version: must be 1"),
        ('"grade": "checked"', '"grade": "solver"', "proof.grade: must be checked"),
        ('"document"', '"url"', "entries[0].instance: must have one of"),
    ],
)
def test_a_malformed_file_is_one_line(
    old: str, new: str, says: str, full: Path, capsys: Capture
) -> None:
    text = Path(JOBS).read_text()
    assert old in text
    Path(JOBS).write_text(text.replace(old, new, 1))
    refused(capsys, 2, says, "check")
    refused(capsys, 2, JOBS, "check")


def test_what_is_added_meanwhile_is_not_lost(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process adds an entry after this one has read the family."""
    assert add(ONE, "poor", *NEW) == 0
    files = [f"{OTHER.name}.json", f"{OTHER.name}.poor.json"]
    command = [sys.executable, "-m", "closeknit", "frontier", "add", *files, *NEW]
    write, others = write_entries, []

    def late(*given: Any) -> None:
        others.append(subprocess.Popen(command))
        with suppress(subprocess.TimeoutExpired):
            others[0].wait(3.0)  # it waits for this one
        write(*given)

    monkeypatch.setattr(adding, "write_entries", late)
    assert add(ONE, "best", f"{ONE.name}.xz") == 0
    assert others[0].wait() == 0
    assert [entry["name"] for entry in entries()] == [ONE.name, OTHER.name]
    assert run(["frontier", "check"]) == 0


def test_a_proof_that_another_entry_has_stays(full: Path) -> None:
    with edited() as (weak, other):
        weak["solution"].update(status="feasible", bound=OPTIMUM - 1)
        weak["proof"] = other["proof"]
    assert add(ONE, "best", f"{ONE.name}.xz") == 0
    assert Path(f"frontier/proofs/{other['proof']['sha256']}.xz").exists()


def test_what_is_kept_is_what_was_followed(
    work: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of a proof changes after it was copied, and before it is followed."""
    good, path = Path(f"{ONE.name}.xz").read_bytes(), Path("proof.xz")
    path.write_bytes(Path(f"{OTHER.name}.xz").read_bytes())

    def late(*args: Any, **how: Any) -> Any:
        path.write_bytes(good)
        return examine(*args, **how)

    monkeypatch.setattr(adding, "examine", late)
    words = ("add", "job-4.json", "job-4.best.json")
    says = "proof.xz: was changed while it was read"
    refused(capsys, 2, says, *words, "proof.xz", *NEW)
    refused(capsys, 2, "-: must be a file", *words, "-", *NEW)
    assert not any(Path("frontier").iterdir())


def test_an_instance_is_in_one_family(full: Path, capsys: Capture) -> None:
    document = content(JOBS)
    for name in (ONE.name, "another"):
        document["entries"][:] = [document["entries"][0] | {"name": name}]
        text = json.dumps(document | {"family": "more"})
        Path("frontier/more.json").write_text(text)
        refused(capsys, 2, f"is in frontier/jobs.json, too: {name!r}", "check")
    Path("frontier/more.json").unlink()
    assert run(["frontier", "check", "jobs", "jobs"]) == 0
    assert capsys.readouterr().out.startswith("2 of 2 entries hold")


def test_a_changed_proof_is_wrong(full: Path, capsys: Capture) -> None:
    digest = entries()[0]["proof"]["sha256"]
    path = full / "frontier" / "proofs" / f"{digest}.xz"
    whole = path.read_bytes()
    for spoilt in (whole[:-9], whole[:40] + b"x" + whole[41:], None):
        path.unlink()
        if spoilt is not None:
            path.write_bytes(spoilt)
        assert run(["frontier", "check"]) == 1
        if spoilt is None:
            path.write_bytes(whole)
    path.unlink()
    (full / "real").write_bytes(whole)
    path.symlink_to(full / "real")
    assert run(["frontier", "check"]) == 1
    assert "job-4: wrong: " in capsys.readouterr().out


@pytest.mark.parametrize("plain", [True, False])
def test_a_proof_is_packed_and_the_weaker_one_goes(plain: bool, work: Path) -> None:
    text = lzma.decompress(Path("job-4.xz").read_bytes())
    Path("job-4.txt").write_bytes(text if plain else gzip.compress(text))
    weak, best = content("job-4.poor.json"), content("job-4.best.json")
    weak |= {"bound": 6, "proof": best["proof"]}
    Path("job-4.weak.json").write_text(json.dumps(weak))
    assert add(ONE, "weak", "job-4.txt", *NEW) == 0
    [kept] = (work / "frontier" / "proofs").iterdir()
    assert lzma.decompress(kept.read_bytes()) == text
    assert add(ONE, "best", "job-4.xz") == 0
    [entry] = entries()
    assert [one.name for one in (work / "frontier" / "proofs").iterdir()] == [
        f"{entry['proof']['sha256']}.xz"
    ]
    assert run(["frontier", "check"]) == 0


def test_a_false_worst_ratio_is_wrong(work: Path, capsys: Capture) -> None:
    free = ((0, 0), (1, 2), (2, 1), (2, 2))
    instance = KSubset("bad", Mesh((3, 3)), free, 3)
    for optimum, status in ((4, 0), (5, 1)):
        entry = WorstInstance.of("row-major", instance, 8, optimum, "by hand")
        write_worst({entry.key: entry}, work / "frontier")
        assert run(["frontier", "check", WORST]) == status
    says = "worst-ratios: row-major on 3x3-mesh, k = 3: wrong: the optimum is 4, not 5"
    assert says in capsys.readouterr().out


def test_every_network_has_worst_ratios_on_the_page(
    work: Path, capsys: Capture
) -> None:
    """Also a kind on which nothing in this repository's frontier is."""
    found = {}
    for network in (
        Mesh((2, 2)),
        Torus((4,)),
        Tree((-1, 0, 0, 0), (0, 1, 1, 1), (1, 2, 3)),
        Grid((2, 3), (True, False)),
        Points(((0, 0), (0, 1), (5, 5))),
        Graph(3, ((0, 1, 1), (1, 2, 1)), (0, 1, 2)),
        Distances(((0, 1, 2), (1, 0, 1), (2, 1, 0))),
        Priced(Mesh((2, 3)), (0, 2, 1, 1)),
    ):
        free = tuple(network.locations())
        instance = KSubset(f"bad-{network.kind}", network, free, 2)
        entry = WorstInstance.of("row-major", instance, 2, 1, "by hand")
        found[entry.key] = entry
    assert len(found) == 8
    write_worst(found, work / "frontier")
    assert run(["frontier", "page"]) == 0
    assert capsys.readouterr().out.count("| row-major |") == 8


def test_a_choice_that_costs_nothing_has_no_gap_in_per_cent(
    work: Path, capsys: Capture
) -> None:
    """A bound below 0 holds, and the page says nothing of a gap."""
    one = KSubset("one", Mesh((1, 1)), ((0, 0),), 1)
    write_instance(one, "one.json")
    write_solution(one, "hand", answer(one, [0], start=0.0), "one.weak.json")
    weak = content("one.weak.json")
    weak |= {"bound": -5, "proof": {"grade": "enumerated", "by": "cuts-bb"}}
    Path("one.weak.json").write_text(json.dumps(weak))
    assert add(one, "weak", *NEW) == 0
    assert run(["frontier", "check"]) == 0
    assert run(["frontier", "page"]) == 0
    assert "| `one` | 1 | 1 | 0 | -5 |  |" in capsys.readouterr().out


def test_what_is_unknown_is_not_settled(work: Path, capsys: Capture) -> None:
    assert add(ONE, "poor", *NEW) == 0
    with edited() as rows:
        known = rows[0]["solution"]
        del known["selection"], known["objective"]
        known["status"] = "unknown"
    capsys.readouterr()
    assert run(["frontier", "page"]) == 0
    page = capsys.readouterr().out
    assert "1 instance, of which 0 are settled" in page
    assert "| `job-4` | 10 | 4 | – | – |  |" in page


def test_other_problems_have_entries_too(work: Path) -> None:
    sack = Sukp("sack", (5, 4), (3, 3), ((0,), (1,)), 3)
    write_instance(sack, "sack.json")
    write_solution(sack, "hand", answer(sack, [1], start=0.0), "sack.solution.json")
    words = ["sack.json", "sack.solution.json", "--family", "sacks", "--source", "x"]
    assert run(["frontier", "add", *words]) == 0
    assert run(["frontier", "check", "sacks"]) == 0


def test_levels_are_compared_and_merged(work: Path, capsys: Capture) -> None:
    """A choice without a bound, then its proof: together they are an optimum."""
    one = generate("sets --n 12 --sets 6 --size 4 --request 5 --levels 2 --seed 2")
    assert isinstance(one, ProcSet)
    proved = prove_and_cite(one, PROCSET["auto"](one), "levels.xz", seconds=60.0)
    best = solution_of(one, "auto", proved.result)
    write_instance(one, "levels.json")
    bare = {**best, "status": "feasible"}
    del bare["bound"], bare["proof"]
    Path("bare.json").write_text(json.dumps(bare))
    Path("best.json").write_text(json.dumps(best))
    assert run(["frontier", "add", "levels.json", "bare.json", *NEW]) == 0
    words = ["add", "levels.json", "best.json", "levels.xz"]
    assert run(["frontier", *words]) == 0
    [entry] = entries()
    assert entry["solution"]["status"] == "optimal"
    refused(capsys, 1, "is no better", *words)
    assert run(["frontier", "check"]) == 0


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--source", "a\nb", "jobs.json: source: must be text on one line"),
        ("--source", "a\udcff", "jobs.json: source: must be text on one line"),
        ("--source", "x" * 2**25, "jobs.json: would be larger than 32 MiB"),
        ("--again", "\x1b[2J", "jobs.json: entries[0].proof.again: must be text on"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(
    option: str, value: str, says: str, work: Path, capsys: Capture
) -> None:
    words = ("add", "job-4.json", "job-4.best.json", "job-4.xz", *NEW)
    refused(capsys, 2, says, *words, option, value)
    assert not [one for one in (work / "frontier").rglob("*") if one.is_file()]


def test_a_disk_that_is_full_leaves_no_proof(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: Any) -> None:
        raise InputError("cannot be written: No space left on device")

    monkeypatch.setattr("closeknit.reports.frontier.entries.write_text", full)
    assert add(ONE, "best", "job-4.xz", *NEW) == 2
    assert not [one for one in (work / "frontier").rglob("*") if one.is_file()]


@pytest.mark.parametrize("claims", [{"status": "unknown"}, {"objective": 11}])
def test_nothing_is_added_to_what_does_not_hold(
    claims: dict[str, Any], full: Path, capsys: Capture
) -> None:
    with edited() as (entry, _):
        gone = {"objective", "selection", "bound", "proof"} - claims.keys()
        kept = {k: v for k, v in entry["solution"].items() if k not in gone}
        entry["solution"] = {**kept, "status": "feasible", **claims}
        del entry["proof"], entry["proved"]
    text = Path(JOBS).read_text()
    says = "frontier/jobs.json: job-4: does not hold, and nothing is added to it\n"
    refused(capsys, 1, says, "add", "job-4.json", "job-4.best.json", "job-4.xz")
    assert Path(JOBS).read_text() == text


def test_a_name_that_is_too_long_is_not_here(
    full: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the other entries are checked."""
    monkeypatch.setenv("CLOSEKNIT_DATA", str(full))
    with edited() as rows:
        rows[0]["instance"] = {"file": "x" * 300}
    assert run(["frontier", "check"]) == 0
    assert "1 of 2 entries hold, 0 are wrong, 1 were not" in capsys.readouterr().out


def test_nothing_was_checked(work: Path) -> None:
    assert run(["frontier", "check"]) == 2
    assert run(["frontier", "check", "none"]) == 2


# The frontier of the project.


def test_files_obey_the_schema_and_proofs_are_those_named() -> None:
    schema = json.loads((ROOT / "docs/schema/frontier.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    files = sorted((ROOT / "frontier").glob("*.json"))
    assert len(files) >= 9
    for path in files:
        document = json.loads(path.read_text())
        assert not [error.message for error in validator.iter_errors(document)]
        assert path.read_text().count("\n") == len(document["entries"]) + 2
        assert list(validator.iter_errors({**document, "version": 2}))
    named = {
        f"{entry.proof.sha256}.xz"
        for file in read_families(FOLDER)
        for entry in file.entries.values()
        if file.family != WORST
        and entry.proof is not None
        and entry.proof.size <= MOST_KEPT
    }
    kept = {path.name for path in (ROOT / "frontier" / "proofs").iterdir()}
    assert named == kept
    sizes = [path.stat().st_size for path in (ROOT / "frontier").rglob("*.*")]
    assert sum(sizes) < 13 * 10**6


def test_the_page_is_that_of_the_files() -> None:
    page = (ROOT / "docs" / "science" / "frontier.md").read_text()
    assert page == markdown_of(frontier_document(read_families(FOLDER)))


def test_a_sample_of_the_frontier_holds(capsys: Capture) -> None:
    folder = ["--folder", str(ROOT / "frontier")]
    assert run(["frontier", "check", "--sample", "20", "--seed", "5", *folder]) == 0
    assert " 0 are wrong" in capsys.readouterr().out


@pytest.mark.slow
def test_all_of_the_frontier_holds(capsys: Capture) -> None:
    assert run(["frontier", "check", "--folder", str(ROOT / "frontier")]) == 0
    assert " 0 are wrong" in capsys.readouterr().out
