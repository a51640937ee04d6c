"""Folders of proofs: all hold, a fault is one line, and nothing leads outside."""

from __future__ import annotations

import json
import lzma
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import pytest
from jsonschema import Draft202012Validator

from closeknit.cli.app import run
from closeknit.instances import InputError, Submesh, Sukp, mesh
from closeknit.instances.ksubset.graph_generators import dragonfly
from closeknit.instances.submesh import Resident
from closeknit.methods import METHODS
from closeknit.proofs.checking import CheckLimits
from closeknit.proofs.checking.folder import (
    KINDS,
    Entry,
    read_index,
    replay,
    shown_by_definition,
)
from closeknit.proofs.checking.kinds import CERTIFICATE, DNN, LOG
from closeknit.proofs.writing.proof_files import still_held, write_index
from closeknit.reports.proofs.proving import certify, write_entry
from closeknit.solvers import Settings
from tests.forging.small_proofs import SACK
from tests.paths import ROOT

Index = dict[str, Any]
Capsys = pytest.CaptureFixture[str]
FULL = Submesh("full", (4, 4), (Resident((1, 1, 2, 2)),), (4, 3))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an entry of each kind."""
    where = tmp_path_factory.mktemp("proofs")
    limit = Settings(time_limit=20)
    entries = []
    for problem, instance, kinds in (
        ("ksubset", mesh(4, 4, k=5), KINDS),
        ("sukp", SACK, KINDS),
        ("submesh", FULL, KINDS),
        ("submesh", Submesh("free", (3, 3), (), (2, 2)), KINDS),
        ("ksubset", dragonfly(4, 2, 2, k=4), (DNN,)),
    ):
        method = METHODS[problem]["auto"]
        result = method(instance, limit)
        proven = certify(instance, method.name, result, 20, kinds)
        entries.append(write_entry(where, instance, proven))
    write_index(where, entries, "for a test")
    return where


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it, to be spoiled."""
    return Path(shutil.copytree(made, tmp_path / "proofs"))


def verified(folder: Path, capsys: Capsys) -> tuple[int, str]:
    """Return the exit status and all lines of the command."""
    status = run(["verify", "--proofs", str(folder), "--plain"])
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    return status, printed.out + printed.err


def changed(folder: Path, change: Callable[[Index], object]) -> None:
    """Change the index."""
    index = json.loads((folder / "index.json").read_text())
    change(index)
    (folder / "index.json").write_text(json.dumps(index))


def signed(index: Index, folder: Path) -> None:
    """Give every file the digest and the size that it has, as a forger would."""
    for entry in index["entries"]:
        for part in ("instance", "solution", "proof"):
            if part in entry:
                content = (folder / entry[part]["file"]).read_bytes()
                entry[part]["sha256"] = sha256(content).hexdigest()
                entry["bytes"] = len(content) if part == "proof" else entry["bytes"]


def test_all_kinds_hold(made: Path, capsys: Capsys) -> None:
    entries = read_index(made)
    assert {one.kind for one in entries} == set(KINDS)
    assert still_held(made) == entries
    status, text = verified(made, capsys)
    assert status == 0
    assert text.count(": holds: ") == 5
    assert text.endswith("5 of 5 hold\n")


def test_the_index_obeys_its_schema(made: Path) -> None:
    schema = json.loads((ROOT / "docs" / "schema" / "proofs.schema.json").read_text())
    index = json.loads((made / "index.json").read_text())
    assert not list(Draft202012Validator(schema).iter_errors(index))


def test_what_an_index_leaves_out_is_nought(folder: Path) -> None:
    optional = ("bytes", "method", "solving", "writing", "checking")
    changed(folder, lambda index: [index["entries"][0].pop(one) for one in optional])
    first = read_index(folder)[0]
    assert (first.size, first.method) == (0, "")
    assert (first.solving, first.writing, first.checking) == (0, 0, 0)
    kept = ("name", "problem", "status", "kind", "by", "instance", "solution")
    given: dict[str, Any] = {name: getattr(first, name) for name in kept}
    assert Entry(**given).size == 0
    write_index(folder, [replace(first, solving=0.12346)])
    assert read_index(folder)[0].solving == 0.1235


def test_certificates_show_by_definition_that_nothing_fits() -> None:
    big = Submesh("big", (5, 5), (Resident((0, 0, 2, 2)),), (3, 3))
    assert shown_by_definition(big, None, {"kind": "pair", "items": [0, 1]})
    assert not shown_by_definition(big, None, {"kind": "pair", "items": [0]})
    assert not shown_by_definition(big, None, None)
    sack = Sukp("sack", (1,), (1,), ((0,),), 1)
    assert not shown_by_definition(sack, None, {"kind": "pair", "items": [0, 1]})


def test_it_needs_no_search_no_model_and_no_solver(made: Path) -> None:
    """The command in plain Python imports instances and nothing else."""
    script = """
import sys
from closeknit.proofs.checking.answers.command import main
status = main(sys.argv[1:])
ours = {name.split(".")[1] for name in sys.modules if name.startswith("closeknit.")}
assert ours == {"instances", "loading", "proofs"}, ours
assert not any(name.startswith("closeknit.proofs.writing") for name in sys.modules)
others = {"ortools", "highspy", "pulp", "exact", "numba"}
assert not others & set(sys.modules), others & set(sys.modules)
sys.exit(status)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(made)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("5 of 5 hold\n")


def test_the_old_name_of_the_command_works(made: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "closeknit.instances.proofs", str(made)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("5 of 5 hold\n")
    new = "closeknit.proofs.checking"
    assert done.stderr == f"closeknit.instances.proofs is now {new}\n"


def _of(index: Index, kind: str) -> Any:
    return next(one for one in index["entries"] if one["kind"] == kind)


def put(place: str, value: object, entry: int = 0) -> Callable[[Index], object]:
    """Return what changes a field of an entry."""

    def change(index: Index) -> None:
        *outer, last = place.split(".")
        where = index["entries"][entry]
        for name in outer:
            where = where[name]
        where[last] = value

    return change


def copy(*fields: str) -> Callable[[Index], object]:
    """Return what gives the first entry fields of the second."""

    def change(index: Index) -> None:
        first, second = index["entries"][:2]
        first.update({name: second[name] for name in fields})

    return change


WRONG: dict[str, Callable[[Index], object]] = {
    "another digest": put("proof.sha256", "0" * 64, entry=1),
    "another size": put("bytes", 7, entry=1),
    "instances swapped": copy("instance"),
    "solutions swapped": copy("solution"),
    "another name": put("name", "other"),
    "another problem": put("problem", "sukp"),
    "a lower cost": put("cost", 1),
    "a huge cost": put("cost", 10**300),
    "another status": lambda x: (
        x["entries"][0].update(status="infeasible"),
        x["entries"][0].pop("cost"),
    ),
    "shown by nothing": lambda x: (
        _of(x, LOG).update(kind="by definition"),
        x["entries"][1].pop("proof"),
    ),
    "no certificates there": lambda x: _of(x, LOG).update(kind=CERTIFICATE),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_index_is_status_1(what: str, folder: Path, capsys: Capsys) -> None:
    changed(folder, WRONG[what])
    status, text = verified(folder, capsys)
    assert status == 1, text
    assert text.count(": wrong: ") == 1
    assert text.count("\n") == 6


def bounded(folder: Path) -> int:
    """Let the certificate of matrices, and all that names it, prove one less."""
    index = json.loads((folder / "index.json").read_text())
    entry = _of(index, DNN)
    least: int = entry["cost"] - 1
    proof = folder / entry["proof"]["file"]
    head, *rest = lzma.decompress(proof.read_bytes()).decode().rstrip().split("\n")
    lines = [json.dumps(json.loads(head) | {"objective": least}), *rest[:-1], ""]
    body = "\n".join(lines).encode()
    proof.write_bytes(lzma.compress(body + sha256(body).hexdigest().encode() + b"\n"))
    solution = folder / entry["solution"]["file"]
    document = json.loads(solution.read_text()) | {"status": "feasible", "bound": least}
    solution.write_text(json.dumps(document))
    entry.update(status="feasible", bound=least)
    signed(index, folder)
    (folder / "index.json").write_text(json.dumps(index))
    return least


def test_a_bound_below_the_cost_is_an_answer(folder: Path, capsys: Capsys) -> None:
    least = bounded(folder)
    [entry] = [one for one in read_index(folder) if one.kind == DNN]
    assert (entry.cost, entry.claim) == (least + 1, least)
    write_index(folder, read_index(folder))
    status, text = verified(folder, capsys)
    assert status == 0, text
    assert f"holds: cost {least + 1}, bound {least}: dnn certificate" in text


@pytest.mark.parametrize("more", [-1, 1])
def test_another_bound_is_wrong(more: int, folder: Path, capsys: Capsys) -> None:
    """In the index, in the solution and in both."""
    least = bounded(folder)
    solution = (
        folder
        / _of(json.loads((folder / "index.json").read_text()), DNN)["solution"]["file"]
    )
    changed(folder, lambda x: _of(x, DNN).update(bound=least + more))
    for _ in range(2):
        status, text = verified(folder, capsys)
        assert status == 1, text
        assert text.count(": wrong: ") == 1
        document = json.loads(solution.read_text()) | {"bound": least + more}
        solution.write_text(json.dumps(document))
        changed(folder, lambda x: signed(x, folder))

    def shown_by_nothing(index: Index) -> None:
        entry = _of(index, DNN)
        entry.update(kind="by definition")
        del entry["proof"]

    changed(folder, shown_by_nothing)
    assert verified(folder, capsys)[0] == 1


FIELDS: dict[str, tuple[str, object]] = {
    "a path upwards": ("proof.file", "../secret"),
    "a path through": ("proof.file", "proofs/../../secret"),
    "an absolute path": ("proof.file", "/etc/passwd"),
    "a drive": ("proof.file", "c:secret"),
    "backslashes": ("proof.file", "..\\secret"),
    "no name": ("proof.file", ""),
    "the folder": ("proof.file", "."),
    "a folder": ("proof.file", "proofs"),
    "no file": ("proof.file", "proofs/none"),
    "a file that is a list": ("proof.file", ["p"]),
    "a proof that is null": ("proof", None),
    "a control character": ("name", "a\nb"),
    "a name twice": ("name", "sack"),
    "a long name": ("name", "x" * 5000),
    "a number of many digits": ("cost", 10**5000),
    "a cost of nothing": ("cost", None),
    "a cost that is true": ("cost", True),
    "a cost of lists": ("cost", [[1]]),
    "a fraction for a cost": ("cost", 8.0),
    "endless time": ("checking", 10**400),
    "a negative time": ("checking", -1),
    "a size that is text": ("bytes", "7"),
    "a size that is true": ("bytes", True),
    "a size that is null": ("bytes", None),
    "an unknown kind": ("kind", "faith"),
    "a list for a kind": ("kind", ["certificate"]),
    "an unknown status": ("status", "likely"),
    "a feasible cost without a bound": ("status", "feasible"),
    "an optimum with a bound": ("bound", 1),
    "an unknown field": ("extra", 1),
}
UNUSABLE: dict[str, Callable[[Index], object]] = {
    **{name: put(*field) for name, field in FIELDS.items()},
    "files swapped": copy("proof", "bytes"),
    "a missing field": lambda x: x["entries"][0].pop("instance"),
    "a missing proof": lambda x: x["entries"][0].pop("proof"),
    "no list": lambda x: x.update(entries=7),
    "an object for a list": lambda x: x.update(entries={"0": x["entries"][0]}),
    "a list for text": lambda x: x.update(about=["x"]),
    "another format": lambda x: x.update(format="closeknit/solution"),
    "another version": lambda x: x.update(version=2),
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_a_hostile_index_is_status_2(what: str, folder: Path, capsys: Capsys) -> None:
    (folder.parent / "secret").write_text("secret")
    sys.set_int_max_str_digits(0)
    try:
        changed(folder, UNUSABLE[what])
    finally:
        sys.set_int_max_str_digits(4300)
    status, text = verified(folder, capsys)
    assert status == 2, text
    assert text.count("unusable") == text.count("\n") - 5 or text.count("\n") == 1
    assert "secret" not in text.replace("../secret", "").replace(
        "\\secret", ""
    ).replace("c:secret", "")


@pytest.mark.parametrize("what", ["file", "folder", "index", "pipe"])
def test_links_and_pipes_are_not_followed(
    what: str, folder: Path, capsys: Capsys
) -> None:
    outside = folder.parent / "outside"
    place = folder / {"folder": "proofs", "index": "index.json"}.get(
        what,
        read_index(folder)[0].proof.file,  # type: ignore[union-attr]
    )
    place.rename(outside)
    if what == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(outside)
    status, text = verified(folder, capsys)
    assert status == 2
    assert ("is no file" if what == "pipe" else "is a link") in text


def test_a_forger_who_signs_gets_nowhere(folder: Path, capsys: Capsys) -> None:
    """Better costs, other selections and damaged proofs, with digests that fit."""
    whole = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    count = 0
    for entry in read_index(folder):
        solution = folder / entry.solution.file
        document = json.loads(whole[solution])
        forged: list[tuple[Path, bytes]] = []
        if isinstance(entry.cost, int):
            for less in (1, entry.cost):
                lower = {"objective": entry.cost - less, "bound": entry.cost - less}
                forged.append((solution, json.dumps(document | lower).encode()))
        chosen = document.get("selection")
        fewer = document | {
            "selection": chosen[:-1] if isinstance(chosen, list) else []
        }
        other = document | {"sha256": "0" * 64}
        forged += [(solution, json.dumps(each).encode()) for each in (fewer, other)]
        if entry.proof is not None:
            proof = folder / entry.proof.file
            text = lzma.decompress(whole[proof])
            for cut in (len(text) // 2, len(text) - 9):
                forged.append((proof, lzma.compress(text[:cut])))
            forged.append((proof, whole[proof][:-20]))
            forged.append((proof, lzma.compress(bytes(2**24))))
        for path, content in forged:
            if entry.status == "infeasible" and b'"selection": []' in content:
                continue  # nothing is said that was not said before
            path.write_bytes(content)
            changed(folder, lambda index: signed(index, folder))
            status, text_of = verified(folder, capsys)
            assert status in (1, 2), (path, text_of)
            assert text_of.endswith("4 of 5 hold\n")
            for name, before in whole.items():
                name.write_bytes(before)
            count += 1
    assert count >= 15


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({"bound": 1}, "wrong: cost 48: "),
        ({"bound": None}, "unusable: cost 48: "),
        ({"more": 1}, "unusable: cost 48: "),
        ({"objective": 48.0}, "unusable: cost 48: "),
        ({"selection": None}, "wrong: cost 48: "),
        ({"selection": {"0": [0, 0]}}, "wrong: cost 48: "),
        ({"instance": "another"}, "wrong: cost 48: "),
        ({"certificate": {"kind": "pair"}}, "wrong: cost 48: "),
        ({"status": "unknown"}, "wrong: cost 48: "),
        ({"status": ["optimal"]}, "unusable: cost 48: "),
        ({"sha256": True}, "unusable: cost 48: "),
        ({"proof": ["checked", "certificate"]}, "unusable: cost 48: "),
        ({"seed": True}, "unusable: cost 48: "),
    ],
)
def test_a_solution_has_its_shape_in_folders_too(
    change: Index, verdict: str, folder: Path, capsys: Capsys
) -> None:
    entry = next(one for one in read_index(folder) if one.problem == "ksubset")
    path = folder / entry.solution.file
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    changed(folder, lambda index: signed(index, folder))
    status, text = verified(folder, capsys)
    verdict = verdict.replace("48", str(entry.cost))
    assert verdict in text
    assert status == (1 if "wrong" in verdict else 2)
    assert text.endswith("4 of 5 hold\n")


def test_time_is_limited(folder: Path, capsys: Capsys) -> None:
    args = ["verify", "--proofs", str(folder), "--time-limit", "0.000001"]
    assert run(args) == 2
    assert "takes more than" in capsys.readouterr().out


def test_an_answer_of_a_folder_keeps_the_limit_everywhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the clock is not looked at; the others are checked all the same."""

    def loop(*_: object) -> NoReturn:
        while True:
            pass

    monkeypatch.setattr("closeknit.proofs.checking.proof_file.read_lines", loop)
    found = list(replay(folder, read_index(folder), CheckLimits(seconds=2)))
    slow = [one for one in found if one.word != "holds"]
    assert {(one.word, one.why) for one in slow} == {
        ("unusable", "takes more than 2 s to check")
    }
    assert [one.entry.kind for one in slow] == [DNN]
    assert len(found) == 5


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_index(tmp_path)
    for text in ("", "[]", "{", '{"format": "closeknit/proofs"}', "[" * 100_000):
        (tmp_path / "index.json").write_text(text)
        with pytest.raises(InputError):
            read_index(tmp_path)


def test_options_of_claims_are_refused(made: Path, capsys: Capsys) -> None:
    assert run(["verify", "mm", "--proofs", str(made)]) == 2
    assert run(["verify", "--quick", "--proofs", str(made)]) == 2
    assert run(["verify", "--out", str(made / "x"), "--proofs", str(made)]) == 2
    assert run(["verify", "--plain"]) == 2
    assert capsys.readouterr().err.count("\n") == 4
