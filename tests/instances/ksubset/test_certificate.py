"""Proofs written down can be followed, and no field of them can be changed."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.exact.ksubset.cuts_bb.box import ALL_RULES, SearchRules
from closeknit.exact.ksubset.cuts_bb.record import record
from closeknit.instances import InputError, KSubset, Mesh, write_ksubset
from closeknit.instances.errors import TooLong
from closeknit.instances.ksubset.certificate import CertificateChecker
from closeknit.instances.ksubset.certificate_file import check_certificate
from closeknit.instances.ksubset.graph_generators import dragonfly
from closeknit.methods import KSUBSET
from closeknit.proofs.writing.certificate_kernels import FastChecker
from closeknit.proofs.writing.proof_files import write_certificate
from closeknit.solvers import Limit
from closeknit.solvers.running import clock

from ...forging.certificate_edits import rewrite
from ...strategies import random_ksubset

Nodes = list[Any]
CHECKERS = CertificateChecker, FastChecker


def proved(instance: KSubset, rules: SearchRules = ALL_RULES) -> tuple[int, Nodes]:
    optimum = KSUBSET["cuts-bb"](instance).objective
    assert isinstance(optimum, int)
    nodes = record(instance, optimum, clock.now() + 60, rules)
    assert not isinstance(nodes, Limit)
    return optimum, nodes


def medium(seed: int = 1) -> KSubset:
    cells = random.Random(seed).sample(list(Mesh((9, 9)).locations()), 45)
    return KSubset("medium", Mesh((9, 9)), tuple(cells), 12)


@pytest.mark.parametrize("seed", range(4))
def test_every_proof_can_be_followed(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    path = tmp_path / "proof.xz"
    for _ in range(60):
        instance = random_ksubset(rng, most=16)
        optimum, nodes = proved(instance)
        write_certificate(instance, optimum, nodes, path)
        for by in CHECKERS:
            assert check_certificate(instance, path, by=by) == optimum


def test_no_proof_of_too_much_is_accepted(tmp_path: Path) -> None:
    """The same tree, claimed for an objective that is not optimal."""
    rng = random.Random(9)
    path = tmp_path / "proof.xz"
    for _ in range(40):
        instance = random_ksubset(rng)
        optimum, nodes = proved(instance)
        write_certificate(instance, optimum + 1, nodes, path)
        for by in CHECKERS:
            with pytest.raises(InputError):
                check_certificate(instance, path, by=by)


def test_limits_end_the_writing() -> None:
    instance = medium()
    optimum, _ = proved(instance)
    assert record(instance, optimum, clock.now()) is Limit.TIME


@pytest.fixture
def kept(tmp_path: Path) -> tuple[KSubset, Path]:
    """An instance and the file of its proof, to be spoiled."""
    instance, content = certificate_of(1, plain=True)
    path = tmp_path / "proof.xz"
    path.write_bytes(content)
    return instance, path


def test_limits_end_the_checking(kept: tuple[KSubset, Path]) -> None:
    for by in CHECKERS:
        with pytest.raises(InputError, match="takes more than 0 s"):
            check_certificate(*kept, seconds=0, by=by)


@pytest.mark.parametrize("looks", range(1, 12))
def test_the_limit_stays_a_limit_within_a_step(
    looks: int, kept: tuple[KSubset, Path]
) -> None:
    """The clock is looked at between nodes, and again while one is derived."""
    times = iter([0.0] * looks + [9.0] * 10**6)
    with pytest.raises(TooLong) as error:
        check_certificate(*kept, seconds=1, now=lambda: next(times))
    assert type(error.value) is TooLong


def first(lines: list[Any], reason: str) -> list[Any]:
    return next(end for _, end in lines[1:] if end[0] == reason)


def first_step(lines: list[Any], rule: str) -> list[Any]:
    return next(step for steps, _ in lines[1:] for step in steps if step[0] == rule)


MUTATIONS: dict[str, Callable[[list[Any]], object]] = {
    "format": lambda lines: lines[0].update(format="closeknit/ksubset"),
    "version": lambda lines: lines[0].update(version=2),
    "instance": lambda lines: lines[0].update(instance="another"),
    "sha256": lambda lines: lines[0].update(sha256="0" * 64),
    "objective": lambda lines: lines[0].update(objective=lines[0]["objective"] + 1),
    "nodes": lambda lines: lines[0].update(nodes=lines[0]["nodes"] + 1),
    "unknown field": lambda lines: lines[0].update(extra=1),
    "a node is missing": lambda lines: lines.pop(),
    "a node too many": lambda lines: lines.append(lines[-1]),
    "bound value": lambda lines: _add(first(lines, "bound"), 1, 1),
    "interval, low": lambda lines: _add(first(lines, "bound")[2], 0, 1),
    "interval, high": lambda lines: _add(first(lines, "bound")[3], 0, -1),
    "bound instead of counts": lambda lines: _set(first(lines, "counts"), 0, "bound"),
    "unknown reason": lambda lines: _set(first(lines, "bound"), 0, "faith"),
    "split cut": lambda lines: _set(first(lines, "split"), 1, 10_000),
    "split at": lambda lines: _set(first(lines, "split"), 2, 10_000),
    "split negative": lambda lines: _set(first(lines, "split"), 1, -1),
    "split text": lambda lines: _set(first(lines, "split"), 1, "x"),
    "unknown rule": lambda lines: _set(first_step(lines, "cost"), 0, "faith"),
    "cost, all chosen": lambda lines: _set(
        first_step(lines, "cost"), 1, list(range(45))
    ),
    "cost, all rejected": lambda lines: _set(
        first_step(lines, "cost"), 2, list(range(45))
    ),
    "cost, no such point": lambda lines: _set(first_step(lines, "cost"), 2, [999]),
    "narrow, all but one": lambda lines: _set(
        first_step(lines, "narrow")[1][0], 1, first_step(lines, "narrow")[1][0][2]
    ),
    "narrow, wider": lambda lines: _add(first_step(lines, "narrow")[1][0], 2, 99),
    "narrow, nothing left": lambda lines: _set(
        first_step(lines, "narrow")[1][0], 1, 10_000
    ),
    "narrow, no such cut": lambda lines: _set(first_step(lines, "narrow")[1][0], 0, -1),
    "narrow, at the end": lambda lines: _set(first(lines, "narrow"), 1, 0),
    "exchange, turned round": lambda lines: first_step(lines, "exchange")[1][
        0
    ].reverse(),
    "companions, no such point": lambda lines: _set(
        first_step(lines, "companions"), 2, [10_000]
    ),
    "companions, no list": lambda lines: _set(
        first_step(lines, "companions"), 2, [[1]]
    ),
    "narrow, cut beyond": lambda lines: _set(first(lines, "narrow"), 1, 10_000),
    "narrow, fractions": lambda lines: _set(first_step(lines, "narrow")[1][0], 2, 10.5),
    "companions, exchanged": lambda lines: _swap(first_step(lines, "companions")),
    "not a node": lambda lines: _set(lines, 1, 7),
}


def _add(values: list[Any], at: int, amount: int) -> None:
    values[at] += amount


def _set(values: list[Any], at: int, value: Any) -> None:
    values[at] = value


def _swap(step: list[Any]) -> None:
    step[1], step[2] = step[2], step[1]


@cache
def certificate_of(seed: int, plain: bool) -> tuple[KSubset, bytes]:
    """Return an instance and the file of its proof, which holds."""
    instance = medium(seed)
    optimum, nodes = proved(instance, SearchRules(companions=plain, narrow=plain))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "proof.xz"
        write_certificate(instance, optimum, nodes, path)
        assert check_certificate(instance, path) == optimum
        return instance, path.read_bytes()


@pytest.mark.parametrize("what", MUTATIONS)
def test_a_changed_certificate_is_refused(what: str, tmp_path: Path) -> None:
    path = tmp_path / "proof.xz"
    plain = not what.startswith("exchange")  # others leave exchanges nothing to decide
    for seed in range(200):  # until a proof has such a step
        instance, content = certificate_of(seed, plain)
        path.write_bytes(content)
        try:
            rewrite(path, MUTATIONS[what])
        except StopIteration:
            continue
        for by in CHECKERS:
            with pytest.raises(InputError, match=r"proof\.xz"):
                check_certificate(instance, path, by=by)
        return
    raise AssertionError(f"no proof has a place for {what}")


def scalars(value: Any) -> list[tuple[Any, Any]]:
    """Find every number and word, as the place that holds it and the key there."""
    inner: Any = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[Any, Any]] = []
    for key, each in inner:
        found += scalars(each) if isinstance(each, dict | list) else [(value, key)]
    return found


def test_every_single_change_is_refused_or_harmless(tmp_path: Path) -> None:
    """Without a new digest all are refused; with one, no false claim is accepted."""
    path = tmp_path / "proof.xz"
    rng = random.Random(4)
    cells = rng.sample(list(Mesh((5, 5)).locations()), 14)
    instance = KSubset("small", Mesh((5, 5)), tuple(cells), 5)
    optimum, nodes = proved(instance)
    write_certificate(instance, optimum, nodes, path)
    whole = path.read_bytes()
    text = lzma.decompress(whole).decode()
    lines = [json.loads(line) for line in text.splitlines()[:-1]]
    count = len(scalars(lines))
    assert count > 50
    for i in range(count):
        for claim in (optimum, optimum + 1):
            path.write_bytes(whole)
            rewrite(path, partial(_tamper, i=i, claim=claim))
            accepted = [claimed(instance, path, by) for by in CHECKERS]
            assert accepted[0] == accepted[1]
            assert accepted[0] is None or accepted[0] <= optimum
        path.write_bytes(lzma.compress(text.replace("[", "{", i % 3 + 1).encode()))
        with pytest.raises(InputError):
            check_certificate(instance, path)


def claimed(instance: KSubset, path: Path, by: type[CertificateChecker]) -> int | None:
    """Return what a certificate proves, None if it is refused."""
    try:
        return check_certificate(instance, path, by=by)
    except InputError:
        return None


def _tamper(lines: list[Any], i: int, claim: int) -> None:
    lines[0]["objective"] = claim
    place, key = scalars(lines)[i]
    if isinstance(place[key], str):
        place[key] = {"cost": "exchange", "bound": "counts"}.get(place[key], "cost")
    else:
        place[key] += 1


def test_a_damaged_file_is_refused(kept: tuple[KSubset, Path]) -> None:
    instance, path = kept
    whole = path.read_bytes()
    body = lzma.decompress(whole)
    for damaged in (
        whole[:-10],
        b"",
        b"no such thing",
        lzma.compress(body.replace(b"cost", b"cosy", 1)),
        lzma.compress(b""),
    ):
        path.write_bytes(damaged)
        with pytest.raises(InputError):
            check_certificate(instance, path)
    with pytest.raises(InputError, match="cannot be read"):
        check_certificate(instance, path.with_name("nothing.xz"))


def test_it_is_refused_for_another_instance(kept: tuple[KSubset, Path]) -> None:
    instance, path = kept
    with pytest.raises(InputError, match="another instance"):
        check_certificate(replace(instance, k=instance.k - 1), path)


def test_solve_and_check_by_certificate(tmp_path: Path, capsys: Any) -> None:
    file, proof, out = (str(tmp_path / name) for name in ("i.json", "p.xz", "s.json"))
    write_ksubset(medium(), file)
    assert run(["solve", file, "--proof", proof, "--json", out]) == 0
    assert "(checked: certificate)" in capsys.readouterr().out
    assert run(["check", file, out, "--proof", proof]) == 0
    assert run(["check", file, out]) == 2  # cannot be checked without
    assert "--proof: is needed" in capsys.readouterr().err
    solution = json.loads(Path(out).read_text())
    write_certificate(medium(), 1, [[[], ["counts"]]], proof)
    assert run(["check", file, out, "--proof", proof]) == 1
    assert solution["proof"] == {"grade": "checked", "by": "certificate"}


def test_networks_without_cuts_are_sent_to_proofs(tmp_path: Path, capsys: Any) -> None:
    file, proof = str(tmp_path / "i.json"), tmp_path / "p.xz"
    write_ksubset(dragonfly(4, 2, 2, k=8), file)
    words = ["solve", file, "--proof", str(proof), "--proof-kind"]
    assert run([*words, "certificate"]) == 2
    assert "must be auto or dnn or pseudo-boolean for" in capsys.readouterr().err
    assert not proof.exists()
