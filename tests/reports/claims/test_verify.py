"""Claims hold; and each breaks, by name and with an instance, under sabotage."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from time import perf_counter
from typing import Any
from xml.etree import ElementTree

import pytest

from closeknit.cli import app, verify
from closeknit.heuristics.ksubset.ptas import published as ptas_published
from closeknit.heuristics.ksubset.ptas import scheme as ptas
from closeknit.instances import InputError, KSubset, mesh, read_ksubset
from closeknit.instances.ksubset.json import parse_ksubset
from closeknit.methods import KSUBSET
from closeknit.methods.rederiving import Rederived, rederive
from closeknit.reports.claims import verify as verifying
from closeknit.reports.claims.catalogue import CLAIMS
from closeknit.reports.claims.running import claim as running
from closeknit.reports.claims.running.claim import Trial, UntrueAnswer
from closeknit.reports.claims.verify import verify as tried
from closeknit.solvers import DEFAULT, Limit, Result, Settings, answer
from closeknit.solvers.running.method import Method, Run

from .saboteurs import farthest, overconfident, proved, with_saboteur


def crashing(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    raise ZeroDivisionError("saboteur\x00 at work")


def arguments(*words: str) -> argparse.Namespace:
    return app.parse(["verify", *words])[0]


def junit_of(path: Path) -> dict[str, str]:
    """Read a JUnit file: the tag of what became of each case."""
    suite = ElementTree.parse(path).getroot().find("testsuite")
    assert suite is not None
    ends = {}
    for case in suite.findall("testcase"):
        [child] = list(case)
        ends[case.attrib["name"]] = child.tag
    assert int(suite.attrib["tests"]) == len(ends)
    for tag, total in (("failure", "failures"), ("error", "errors")):
        assert int(suite.attrib[total]) == list(ends.values()).count(tag)
    return ends


def test_all_claims_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert app.run(["verify", "*", "--quick", "--junit", "junit.xml"]) == 0
    out, err = capsys.readouterr()
    assert f"{len(CLAIMS)} of {len(CLAIMS)} claims hold" in out
    progress = re.compile(rf"compiling kernels, once|\d+ of {len(CLAIMS)}\b")
    assert [line for line in err.splitlines() if not progress.search(line)] == []
    assert set(junit_of(tmp_path / "junit.xml").values()) == {"system-out"}
    assert [path.name for path in tmp_path.iterdir()] == ["junit.xml"]


@pytest.mark.slow
def test_all_claims_hold_in_full() -> None:
    for verdict in tried(CLAIMS.values(), Trial(seed=1)):
        assert verdict.holds, verdict.said


def test_what_breaks_and_what_holds_is_in_the_report_of_tests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, bystander = ("mm-upper-bound", "bender-theorem-1"), "cuts-are-distances"
    junit = tmp_path / "junit.xml"
    args = arguments(
        *(*broken, bystander, "--quick", "--junit", str(junit)),
        *("--counterexamples", str(tmp_path / "broken")),
    )
    assert verify.run(args, with_saboteur("mm", farthest)) == 1
    assert "1 of 3 claims hold" in capsys.readouterr().out.splitlines()
    assert junit_of(junit) == {
        **dict.fromkeys(broken, "failure"),
        bystander: "system-out",
    }


@pytest.mark.parametrize(
    ("name", "saboteur", "claim"),
    [
        ("mm", farthest, "mm-upper-bound"),
        ("mc1x1", farthest, "mc1x1-upper-bound"),
        ("auto", overconfident, "auto-is-exact"),
    ],
)
def test_counterexample_is_small_and_breaks_the_claim(
    name: str, saboteur: Run, claim: str, tmp_path: Path
) -> None:
    args = arguments(claim, "--quick", "--counterexamples", str(tmp_path))
    methods = with_saboteur(name, saboteur)
    assert verify.run(args, methods) == 1
    instance = read_ksubset(tmp_path / f"{claim}.json")
    trial = Trial(methods=methods)
    optimum = Trial().optimum(instance)
    if name == "auto":
        assert trial.optimum(instance) > optimum
    else:
        guarantee = KSUBSET[name].guarantee
        assert guarantee is not None
        factor = guarantee(instance)
        assert factor is not None
        assert trial.pay(name, instance) > factor * optimum
    assert instance.k <= 3
    assert instance.n <= instance.k + 2


def test_crash_is_an_error_and_the_rest_is_tested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    junit = tmp_path / "junit.xml"
    args = arguments("mm-upper-bound", "hilbert-gap", "--quick", "--junit", str(junit))
    assert verify.run(args, with_saboteur("mm", crashing)) == 1
    assert junit_of(junit) == {
        "mm-upper-bound": "error",
        "hilbert-gap": "system-out",
    }
    error = ElementTree.parse(junit).getroot().find(".//error")
    assert error is not None
    assert error.attrib["type"] == "ZeroDivisionError"
    assert "test_verify.py" in (error.text or "")
    assert "mm-upper-bound: error: ZeroDivisionError" in capsys.readouterr().out


def test_shrinking_stops_where_a_method_refuses(tmp_path: Path) -> None:
    def choosy(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
        if instance.n < 5:
            raise InputError("too small for me")
        return overconfident(instance, settings)

    for name, claim in (("auto", "auto-is-exact"), ("mm", "mm-upper-bound")):
        outcome = CLAIMS[claim].test(
            Trial(quick=True, methods=with_saboteur(name, choosy))
        )
        assert not outcome.holds
        assert isinstance(outcome.counterexample, KSubset)
        assert outcome.counterexample.n == 5


def test_no_proof_is_no_evidence(tmp_path: Path) -> None:
    """An exact route that proves nothing makes no claim hold."""
    trial = Trial(quick=True, methods=with_saboteur("auto", farthest))
    for name in ("mm-upper-bound", "bender-theorem-1", "bender-figure-2"):
        [verdict] = tried([CLAIMS[name]], trial)
        assert verdict.word == "error"
        assert "did not prove the optimum" in verdict.said


def raises(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    raise KeyboardInterrupt


def shows_its_best(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Answer Ctrl-C as searches do."""
    some = range(instance.k)
    return answer(instance, some, start=perf_counter(), limit=Limit.INTERRUPT)


@pytest.mark.parametrize("interrupted", [raises, Method("mm", shows_its_best)])
def test_interrupted_run_leaves_a_report(tmp_path: Path, interrupted: Run) -> None:
    """A claim whose method was interrupted is not tested on the next instance."""
    junit = tmp_path / "junit.xml"
    args = arguments(
        *("cuts-are-distances", "mm-upper-bound", "optimal-towns"),
        *("--quick", "--junit", str(junit)),
    )
    with pytest.raises(KeyboardInterrupt):
        verify.run(args, with_saboteur("mm", interrupted))
    assert junit_of(junit) == {
        "cuts-are-distances": "system-out",
        "mm-upper-bound": "skipped",
        "optimal-towns": "skipped",
    }


def test_json_is_all_there_is_on_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = arguments(
        *("mm-upper-bound", "hilbert-gap", "--quick", "--seed", "5", "--json", "-"),
        *("--counterexamples", str(tmp_path)),
    )
    assert verify.run(args, with_saboteur("mm", farthest)) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["holds"], document["seed"], document["quick"]) == (False, 5, True)
    broken, held = document["claims"]
    assert (broken["verdict"], held["verdict"]) == ("broken", "holds")
    path = tmp_path / "mm-upper-bound.json"
    assert broken["file"] == str(path)
    assert parse_ksubset(broken["counterexample"]) == read_ksubset(path)
    assert "counterexample" not in held


def test_json_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "verdicts.json"
    assert app.run(["verify", "mm-reaches-1.74", "--quick", "--json", str(out)]) == 0
    assert "1 of 1 claims hold" in capsys.readouterr().out
    assert json.loads(out.read_text(encoding="utf-8"))["holds"] is True


def test_list_names_every_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["verify", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == list(CLAIMS)
    assert app.run(["verify", "--list", "optimal-towns", "--json", "-"]) == 0
    listed = json.loads(capsys.readouterr().out)["claims"]
    assert [claim["claim"] for claim in listed] == ["optimal-towns"]


def test_every_guarantee_and_every_exact_method_is_claimed() -> None:
    for name, method in KSUBSET.items():
        if method.exact and not method.runs_solver:
            assert f"{name}-is-exact" in CLAIMS
        if name in ptas.STRIPS:  # these claims go through all of STRIPS
            assert {"ptas-bound", "ptas-upper-bound"} <= set(CLAIMS)
        elif name in ptas_published.STRIPS:
            assert {"bender-theorem-4", "bender-theorem-5"} <= set(CLAIMS)
        elif method.guarantee is not None:
            alias = "genalg" if name == "mm-free" else name
            assert f"{alias}-upper-bound" in CLAIMS


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["mm-uper-bound"], "did you mean mm-upper-bound?"),
        (["nonsense"], "unknown claim"),
        (["optimal-towns", "nonsense"], "'nonsense'"),
        (["--seed", "-1"], "--seed: must be at least 0"),
        (["--seed", "x"], "--seed"),
        (["--time-limit", "0"], "--time-limit: must be seconds above 0"),
        (["--time-limit", "nan"], "--time-limit: must be seconds above 0"),
        (["optimal-towns", "--junit", "/no/such/place.xml"], "cannot be written"),
        (["optimal-towns", "--quick", "--json", "/no/such/x.json"], "cannot be"),
    ],
)
def test_bad_usage_is_one_line(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.run(["verify", *words]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert err.count("\n") == 1


def test_unwritable_counterexamples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The verdict stands; a place that is named is tried before, by the entry point."""
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    args = arguments("mm-upper-bound", "--quick", "--counterexamples", str(blocked))
    assert verify.run(args, with_saboteur("mm", farthest)) == 1
    said = capsys.readouterr()
    assert "cannot be made" in said.err
    assert "0 of 1 claims hold" in said.out


def mistaken(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Say, as an own search would, that a choice which is not optimal is optimal."""
    return proved(farthest(instance, settings))


def test_an_optimum_that_its_certificate_contradicts_breaks_a_claim() -> None:
    """No claim compares this optimum with another: only its certificate can tell."""
    trial = Trial(methods=with_saboteur("auto", mistaken), quick=True)
    instance = mesh(6, 6, k=9)
    with pytest.raises(UntrueAnswer) as caught:
        trial.optimum(instance)
    text = str(caught.value)
    with pytest.raises(UntrueAnswer):  # for the next claim, too
        trial.optimum(instance)
    least = Trial().optimum(instance)
    assert "auto (enumerated: saboteur) claims" in text
    assert str(farthest(instance).objective) in text
    assert f"cost {least}" in text
    assert caught.value.instance == instance


def test_claims_of_one_process_share_what_is_derived_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of workers of a parallel run, too: each had derived all of it for each claim."""
    derived = []

    def noted(*words: Any) -> Rederived:
        derived.append(words)
        return rederive(*words)

    monkeypatch.setattr(running, "rederive", noted)
    first = verifying._verdict_on("mm-reaches-1.74", 17, True, 60.0)
    count = len(derived)
    assert len(first["rederived"]) >= count > 0
    verifying._verdict_on("mm-reaches-1.74", 17, True, 60.0)
    assert len(derived) == count


def test_optima_are_derived_again_once_and_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    trial = Trial(quick=True)
    instance = mesh(5, 4, k=7)
    for method in ("cuts-bb", "auto", "cuts-bb"):
        trial.optimum(instance, method)
    assert not any(one.wrong for one in trial.relied.values())
    assert 1 <= len(trial.relied) <= 3  # each method's may be interpreted, too
    assert app.run(["verify", "mm-blocks", "--quick"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert re.fullmatch(r"(\d+) of \1 proven answers derived again", last)
    assert app.run(["verify", "mm-blocks", "--quick", "--jobs", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == last
