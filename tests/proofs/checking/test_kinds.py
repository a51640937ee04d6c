"""One option for proofs of all kinds: who writes, who checks, and what tells them."""

from __future__ import annotations

import gzip
import lzma
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import closeknit as ck
from closeknit.cli.app import run
from closeknit.cli.commands import parser_of
from closeknit.instances import (
    PROBLEMS,
    Instance,
    ProcessorSet,
    ProcSet,
    Submesh,
    problem_of,
    write_instance,
)
from closeknit.instances.ksubset.generators import mesh
from closeknit.instances.ksubset.graph_generators import dragonfly
from closeknit.instances.library import bundled, bundled_names
from closeknit.instances.problems import CORE
from closeknit.instances.reading.packed import reading_unpacked
from closeknit.methods.proofs import WRITERS
from closeknit.proofs.checking.folder import KINDS
from closeknit.proofs.checking.kinds import (
    CERTIFICATE,
    DNN,
    FILE_KINDS,
    LOG,
    reading_proof,
)
from closeknit.proofs.checking.proof_file import CHECKERS, check_proof_file
from closeknit.proofs.writing.kinds import WRITTEN, kinds_about

from ...forging.small_proofs import SACK
from ...paths import ROOT

Capsys = pytest.CaptureFixture[str]
Packer = Callable[[bytes], bytes]
PACKERS: dict[str, Packer] = {
    "plain": bytes,
    "xz": lzma.compress,
    "gzip": gzip.compress,
    "two streams of xz": lambda text: lzma.compress(text[:9]) + lzma.compress(text[9:]),
    "two of gzip": lambda text: gzip.compress(text[:9]) + gzip.compress(text[9:]),
}
JOB = mesh(4, 4, k=5)
NETWORK = dragonfly(4, 2, 2, k=4)
OPTIONS = [one.option for one in WRITTEN.values()]
NORMAL = ("6x6-full-k9", "drakenberg-81-core-10pct-25pct-r20-s4")
"""Bundled instances that are tried at every run; all are by ``make test-slow``."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the files of a k-subset, its solution, and a proof of each kind."""
    folder = tmp_path_factory.mktemp("kinds")
    found = {"job": folder / "job.json", "solution": folder / "solution.json"}
    write_instance(JOB, found["job"])
    for kind, row in WRITTEN.items():
        found[kind] = folder / row.option
        solution = ck.solve(JOB, proof=found[kind], proof_kind=row.option)
        assert solution.proof is not None
        assert solution.proof.by == kind
        solution.write(found["solution"])
    return found


def content(path: Path) -> bytes:
    return lzma.decompress(path.read_bytes())


def test_every_kind_is_written_checked_and_documented() -> None:
    assert (
        list(FILE_KINDS)
        == list(WRITTEN)
        == list(WRITERS)
        == list(CHECKERS)
        == list(KINDS[1:])
    )
    page = (ROOT / "docs/science/proofs.md").read_text(encoding="utf-8")
    table = page.split("<!-- table: kinds -->\n\n")[1].split("\n\n")[0]
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in table.splitlines()[2:]
    ]
    assert rows == [
        [
            WRITTEN[kind].option,
            row.begins[0].decode(),
            f"{', '.join(row.problems)}: {row.where}",
            WRITTEN[kind].by,
            WRITTEN[kind].checked_by,
        ]
        for kind, row in FILE_KINDS.items()
    ]
    for kind, row in FILE_KINDS.items():
        assert set(row.problems) <= set(PROBLEMS)
        assert (ROOT / WRITTEN[kind].checked_by).is_file()
    parser, _ = parser_of("solve")
    assert f"{{auto,{','.join(OPTIONS)}}}" in parser.format_help()


@pytest.mark.parametrize(
    ("instance", "order"),
    [(JOB, [CERTIFICATE, DNN, LOG]), (NETWORK, [DNN, LOG]), (SACK, [LOG])],
)
def test_the_order_of_auto_is_that_of_the_instance(
    instance: Instance, order: list[str]
) -> None:
    assert kinds_about(instance) == order
    for kind, row in WRITTEN.items():
        if kind in order:
            assert kinds_about(instance, row.option) == [kind]
            continue
        known = " or ".join(("auto", *(WRITTEN[one].option for one in order)))
        with pytest.raises(ck.InputError, match=rf"^proof_kind: must be {known} for "):
            kinds_about(instance, row.option)


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("kind", FILE_KINDS)
def test_what_a_file_begins_with_tells_its_kind(
    kind: str, packed: str, kept: dict[str, Path], tmp_path: Path
) -> None:
    """Neither its name does, nor how it is packed."""
    wrong = tmp_path / ("proof.pbp.xz" if kind == CERTIFICATE else "certificate.gz")
    wrong.write_bytes(PACKERS[packed](content(kept[kind])))
    words = ["check", str(kept["job"]), str(kept["solution"]), "--proof", str(wrong)]
    assert run(words) == run([*words, "--plain"]) == 0
    with reading_proof(wrong) as (found, _):
        assert found == kind


def test_a_proof_may_come_through_a_pipe(kept: dict[str, Path]) -> None:
    """In small pieces: the first one is too short to tell anything."""
    for kind in FILE_KINDS:
        reader, writer = os.pipe()
        if not (child := os.fork()):
            for byte in kept[kind].read_bytes():
                os.write(writer, bytes([byte]))
            os._exit(0)
        os.close(writer)
        assert check_proof_file(JOB, f"/dev/fd/{reader}").bound == ck.solve(JOB).cost
        os.close(reader)
        os.waitpid(child, 0)


BEGINS = (
    "is not a certificate or a pseudo-Boolean proof or a dnn certificate, but begins"
)
Forger = Callable[[bytes, bytes], bytes]
BAD: dict[str, tuple[Forger, str]] = {
    "empty": (
        lambda c, log: b"",
        "is empty, not a certificate or a pseudo-Boolean proof or a dnn cert",
    ),
    "blank": (lambda c, log: b" \n" * 9, "is empty"),
    "packed nothing": (lambda c, log: lzma.compress(b""), "is empty"),
    "gzip of nothing": (lambda c, log: gzip.compress(b""), "is empty"),
    "text": (lambda c, log: b"hello", f"{BEGINS} with 'hello'"),
    "controls": (lambda c, log: b"\x1b[2Jhello", rf"{BEGINS} with '\\x1b\[2Jhello'"),
    "zeros": (lambda c, log: bytes(99), BEGINS),
    "a solution": (lambda c, log: b'{"format": "closeknit/s', f"{BEGINS} with '{{"),
    "xz in xz": (lambda c, log: lzma.compress(lzma.compress(log)), BEGINS),
    "cut off": (lambda c, log: lzma.compress(log)[:-20], "is cut off"),
    "cut off at once": (lambda c, log: lzma.compress(log)[:8], "is cut off"),
    "gzip cut off": (lambda c, log: gzip.compress(log)[:-9], "is cut off"),
    "gzip of five bytes": (lambda c, log: gzip.compress(log)[:5], "is cut off"),
    "damaged": (
        lambda c, log: lzma.compress(log)[:30] + b"?" * 40,
        "cannot be unpacked",
    ),
    "gzip damaged": (
        lambda c, log: gzip.compress(log)[:30] + b"?" * 40,
        "cannot be unpacked",
    ),
    "gzip with a wrong sum": (
        lambda c, log: gzip.compress(log)[:-8] + bytes(8),
        "cannot be unpacked: .*incorrect data check",
    ),
    "behind gzip": (lambda c, log: gzip.compress(log) + b"x", "is cut off"),
    "streams of nothing": (
        lambda c, log: lzma.compress(b"") * 2000,
        "too many streams without",
    ),
    "members of nothing": (
        lambda c, log: gzip.compress(b"") * 2000,
        "too many streams without",
    ),
    "a proof as certificate": (lambda c, log: c[:40] + b"\n" + log, "digest differs"),
    "a certificate as proof": (lambda c, log: log[:33] + c, "is|unknown|cannot"),
    "a certificate without end": (lambda c, log: c[:-70], "the digest differs"),
    "another version": (
        lambda c, log: b"pseudo-Boolean proof version 9.0\n",
        "known version",
    ),
    "a formula": (lambda c, log: b"* #variable= 1 #constraint= 0\n", "known version"),
}
"""What is made of a certificate and a log, and what is said of it."""


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_is_one_line_and_status_2(
    what: str, kept: dict[str, Path], tmp_path: Path, capsys: Capsys
) -> None:
    path = tmp_path / "bad"
    forge, told = BAD[what]
    path.write_bytes(forge(content(kept[CERTIFICATE]), content(kept[LOG])))
    words = ["check", str(kept["job"]), str(kept["solution"]), "--proof", str(path)]
    assert run(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert re.search(rf"^closeknit: {path}.*: .*({told})", shown.err), shown.err


def test_a_bomb_of_gzip_takes_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress(b'{"format":"closeknit/certificate"' + b" " * 2**26))
    with pytest.raises(ck.InputError, match="unpacks to more than 32 MiB"):
        check_proof_file(JOB, path)
    with reading_unpacked(path) as stream:
        assert len(stream.peek()) == 2**16


def test_wrong_combinations_are_refused_before_any_work(
    kept: dict[str, Path], tmp_path: Path, capsys: Capsys
) -> None:
    job, solution, certificate = (
        str(kept[name]) for name in ("job", "solution", CERTIFICATE)
    )
    formula, out, file = (str(tmp_path / name) for name in ("f.opb", "o", "n.json"))
    Path(formula).write_text("+1 xa >= 1 ;\n")
    write_instance(NETWORK, file)
    only = f"is a {CERTIFICATE}, not a {LOG}"
    for words, told in {
        f"check {formula} --proof {certificate}": f"{certificate}: {only}",
        f"check {formula} --certificate {certificate}": f"{certificate}: {only}",
        f"check {job} {solution} --proof {certificate} --rewrite {out}": only,
        f"check {job} {solution} --proof-kind certificate": "unrecognized arguments",
        f"solve {job} --proof {out} --proof-kind zip": "invalid choice: 'zip'",
        f"solve {job} --proof-kind certificate": "--proof-kind: is for a proof in a",
        f"solve {job} {file} --proof {out}": "--proof: takes one FILE, not 2",
        f"solve {job} --certificate {out} --proof {out}": "not allowed with argument",
        f"solve {job} --certificate {out} --proof-kind pseudo-boolean": "given twice",
        f"solve {file} --certificate {out}": "must be auto or dnn or pseudo-boolean",
        f"solve {file} --proof {tmp_path}": "cannot be written",
    }.items():
        assert run(words.split()) == 2, words
        shown = capsys.readouterr()
        assert shown.out == "", words
        told_old = [x for x in shown.err.splitlines() if " is now " not in x]
        assert len(told_old) == 1, words
        assert told in told_old[0], words
        assert not Path(out).exists(), words


def test_where_there_is_no_proof_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    """Both kinds are tried, and it is said why there is neither."""
    file, out = tmp_path / "a.json", tmp_path / "proof"
    write_instance(JOB, file)
    monkeypatch.setattr("closeknit.methods.proofs.find_spec", lambda name: None)
    assert run(["solve", str(file), "--method", "mm", "--proof", str(out)]) == 4
    told = capsys.readouterr().err
    assert told.startswith(f"closeknit: {out}: no certificate: it was not proved optim")
    assert "; no proof: Exact is not installed" in told
    with pytest.warns(
        UserWarning, match="no certificate: .*no bound; no proof: Exact is not"
    ):
        assert ck.solve(JOB, "mm", proof=out).proof is None
    assert not out.exists()


PROVED: list[Instance] = [
    NETWORK,
    mesh(3, 3, k=1),
    SACK,
    Submesh("free", (3, 3), (), (2, 2)),
    Submesh("wide", (3, 3), (), (4, 1)),
    ProcSet("short", ("a", "b"), (1,), 2, (ProcessorSet("s", (0, 1), (1,)),)),
]


@pytest.mark.parametrize("instance", PROVED, ids=lambda one: one.name)
def test_what_auto_writes_is_checked(
    instance: Instance, tmp_path: Path, capsys: Capsys
) -> None:
    """Also what costs nothing, or does not fit."""
    job, solution, proof = (str(tmp_path / name) for name in ("a.json", "s.json", "p"))
    write_instance(instance, job)
    assert run(["solve", job, "--proof", proof, "--json", solution]) in (0, 3)
    capsys.readouterr()
    assert run(["check", job, solution, "--proof", proof]) == 0
    shown = capsys.readouterr().out
    with reading_proof(proof) as (kind, _):
        assert f" (checked: {kind})" in shown
    assert kind == kinds_about(instance)[0]


@pytest.mark.parametrize(
    "name",
    [
        name if name in NORMAL else pytest.param(name, marks=pytest.mark.slow)
        for name in bundled_names()
    ],
)
def test_what_auto_writes_of_a_bundled_instance_is_checked(
    name: str, tmp_path: Path, capsys: Capsys
) -> None:
    test_what_auto_writes_is_checked(bundled(name), tmp_path, capsys)


def test_every_problem_has_bundled_instances() -> None:
    found = {problem_of(bundled(name)).name for name in bundled_names()}
    assert found == set(CORE)
