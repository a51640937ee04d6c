"""What all commands have in common: help, spellings, suggestions, progress."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from argparse import SUPPRESS
from collections.abc import Callable
from pathlib import Path

import pytest

from closeknit.cli.app import overview, parse, run
from closeknit.cli.commands import COMMANDS, parser_of
from closeknit.cli.frame import progress
from closeknit.cli.frame.parser import Parser
from closeknit.instances import mesh, write_ksubset
from closeknit.instances.ksubset.generators import random_occupancy
from closeknit.methods import METHODS
from closeknit.reports.claims.catalogue import CLAIMS, GROUPS, chosen_claims

Capture = pytest.CaptureFixture[str]


def parsers() -> dict[str, Parser]:
    found = {"": overview()}
    for name in COMMANDS:
        found[name], _ = parser_of(name)
        for sub, parser in found[name].subcommands.items():
            found[f"{name} {sub}"] = parser
    return found


PARSERS = parsers()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_ksubset(random_occupancy((6, 6), 6, 20, 1), tmp_path / "a.json")
    return tmp_path / "a.json"


# help


@pytest.mark.parametrize("name", PARSERS)
def test_every_help_has_two_examples_that_work(name: str) -> None:
    shown = PARSERS[name].format_help()
    lines = shown.partition("examples:\n")[2].splitlines()
    assert len(lines) >= 2
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "closeknit"
        assert " ".join(words).startswith(name)
        parse(words)


@pytest.mark.parametrize("name", PARSERS)
def test_every_help_shows_all_defaults_and_no_markup(name: str) -> None:
    parser = PARSERS[name]
    shown = " ".join(parser.format_help().split())
    assert "``" not in shown
    for action in parser._actions:
        default = action.default
        silent = default is None or default is False or default == SUPPRESS
        if action.option_strings and not silent:
            text = parser._get_formatter()._expand_help(action)
            assert "default" in text, action.option_strings


def test_help_names_all_commands_and_imports_nothing_large() -> None:
    large = "numba numpy ortools pulp matplotlib rich scipy"
    script = (
        "import sys\n"
        "from closeknit.cli.app import run\n"
        "try: run(['--help'])\n"
        f"except SystemExit: sys.exit(any(m in sys.modules for m in {large.split()}))\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("solve", "compare", "check", "methods"):
        assert f"    {name}" in done.stdout


def test_commands_start_without_what_only_some_runs_need(path: Path) -> None:
    script = """
import sys
from closeknit.cli.app import run
for words in ["methods"], ["verify", "--list"], ["select", "--help"], ["solve", FILE]:
    try: run(words)
    except SystemExit: pass
slow = ("ortools.sat.python.cp_model", "ortools.linear_solver.pywraplp", "pandas")
slow += ("highspy", "matplotlib", "networkx", "pulp", "scipy.sparse", "scipy.stats")
print(*(name for name in slow if name in sys.modules), file=sys.stderr)
"""
    script = script.replace("FILE", repr(str(path)))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stderr == "\n"


# outputs


def test_json_goes_to_a_file_or_to_standard_output(
    path: Path, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "out.json"
    found = []
    for words in (["--json"], ["--json", "-"], ["--json", str(out)]):
        assert run(["solve", str(path), "--method", "mm", *words]) == 0
        shown = capsys.readouterr().out
        document = json.loads(out.read_text() if out.exists() else shown)
        found.append((document["objective"], document["selection"]))
    assert found[0] == found[1] == found[2]


# suggestions


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("slove x", "argument COMMAND: invalid choice: 'slove' (did you mean solve?)"),
        ("solve x --metod mm", "unrecognized arguments: --metod mm (did you mean --me"),
        ("generate randm", "argument FAMILY: invalid choice: 'randm' (did you mean ra"),
        ("simulate steam", "argument STREAM: invalid choice: 'steam' (did you mean st"),
        ("solve FILE --method MM-Inc", "(did you mean mm-inc?)"),
        ("solve FILE --method 4iss", "'4iss' (4iss is a method for submesh)"),
        ("methods procst", "NAME: no such problem or method: 'procst' (did you mean "),
        ("verify mm-is-nearst", "CLAIM: unknown claim: 'mm-is-nearst' (did you "),
        ("warm ksubse", "PROBLEM: no such problem: 'ksubse' (did you mean ksubset?)"),
        (
            "select --config drakenberg-figure-6 --queue clster --pes 3",
            "--queue: no such queue: 'clster' (did you mean cluster?)",
        ),
    ],
)
def test_what_was_meant_is_suggested(
    words: str, told: str, path: Path, refusal: Callable[..., str]
) -> None:
    assert told in refusal(words.replace("FILE", str(path)))


def test_worst_complains_of_what_was_given(refusal: Callable[..., str]) -> None:
    said = refusal("worst mm --shape 2x2")
    assert said.startswith("--shape: k = 8 of 4 process")
    said = refusal("worst mm --shape 2x2 --k 4")
    assert said.startswith("--k: k = 4 of 4 processors ")


# methods


def test_a_method_is_explained(capsys: Capture) -> None:
    assert run(["methods", "mm"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("mm (ksubset, heuristic, quick)\n\nTry every intersection")
    for what in ("Guarantee: 2 - 1/(2d)", "Time: O(radius)", "Source: Bender et al."):
        assert f"\n{what}" in shown
    assert "the cheapest by pair" in shown
    assert "``" not in shown


def test_the_short_list_has_a_line_for_each_method(capsys: Capture) -> None:
    assert run(["methods", "--short"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == sum(map(len, METHODS.values()))


def test_methods_as_json(capsys: Capture) -> None:
    assert run(["methods", "sukp", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in document["methods"]] == [*METHODS["sukp"]]
    assert all(one["guarantee"] for one in document["methods"] if one["exact"])


# claims


def test_claims_are_chosen_by_pattern_group_and_method(capsys: Capture) -> None:
    names = [one.name for one in chosen_claims(["mm-inc*", "sukp", "mm-inc*"])]
    assert len(names) == len(set(names))
    assert {name for name in names if name.startswith("sukp-")} == {
        one.name for one in GROUPS["sukp"]
    }
    assert {name for name in CLAIMS if name.startswith("mm-inc")} <= set(names)
    assert "mm-upper-bound" in [one.name for one in chosen_claims(["mm"])]
    assert "mm-inc-upper-bound" not in [one.name for one in chosen_claims(["mm"])]
    problems = ("ksubset", "procset", "sukp", "submesh", "scheduler")
    covered = {
        one.name
        for group in (*problems, "network", "loads", "contention", "mapping", "links")
        for one in GROUPS[group]
    }
    assert covered == set(CLAIMS)
    assert run(["verify", "*-upper-bound", "--list"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if line[0] != " "]
    assert heads == [name for name in CLAIMS if name.endswith("-upper-bound")]


# completion


@pytest.fixture
def completion(capsys: Capture) -> str:
    """What the command prints for bash."""
    assert run(["completion", "bash"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("closeknit sol", {"solve"}),
        ("closeknit generate ran", {"random", "random-regular"}),
        ("closeknit solve --time", {"--time-limit"}),
        ("closeknit solve --method mc1x1-", {"mc1x1-all"}),
        ("closeknit solve --ties b", {"best"}),
        ("closeknit simulate stream --pol", {"--policy"}),
    ],
)
def test_bash_completes(words: str, offered: set[str], completion: str) -> None:
    split = words.split()
    script = completion + (
        f"COMP_WORDS=({' '.join(split)}); COMP_CWORD={len(split) - 1}; _closeknit; "
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert done.stderr == ""
    assert set(done.stdout.split()) == offered


def test_other_shells_know_every_command(capsys: Capture) -> None:
    for shell in ("zsh", "fish"):
        assert run(["completion", shell]) == 0
        shown = capsys.readouterr().out
        for name in COMMANDS:
            assert re.search(rf"\b{name.split()[0]}\b", shown)
    assert all(line.startswith("complete -c closeknit ") for line in shown.splitlines())


# width


@pytest.mark.parametrize(
    "words",
    [
        "compare {} --methods mm,mc1x1,hilbert/best-fit,plas",
        "worst mm --shape 9x9 --k 8 --n 40 --evaluations 3",
        "methods",
        "methods submesh",
        "methods --short",
        "methods mm",
        "methods auto",
        "verify --list",
        "verify mm-blocks cuts-are-distances --quick",
        "reproduce --list",
        "simulate stream --method mm --shape 8x8 --requests 9",
        "simulate submesh --method 4iss --shape 8x8 --requests 9",
    ],
)
def test_lines_fit_80_columns_and_end_with_whole_words(
    words: str, path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert run([word.format(path) for word in words.split()]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(len(line) <= 80 for line in lines)
    assert "…" not in "".join(lines)


# progress


def test_lines_are_printed_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.progress_bar() as show:
        show(0, 2663, "mm")
        show(414, 2663, "mm-inc")
        show(7, None, "jobs")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "closeknit: 0 of 2663, mm"
    assert re.fullmatch(r"closeknit: 414 of 2663, mm-inc, \d+:\d\d:\d\d left", lines[1])
    assert lines[2].startswith("closeknit: 7, jobs")


def test_solve_shows_incumbent_bound_and_gap(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.1)
    path = tmp_path / "hard.json"
    write_ksubset(random_occupancy((64, 64), 100, 2048, 3), path)
    assert run(["solve", str(path), "--time-limit", "30", "--method", "cuts-bb"]) == 0
    lines = capsys.readouterr().err.splitlines()
    form = (
        r"closeknit: .*: cuts-bb, \d+ of 30 s, incumbent \d+, bound \d+, gap \d+\.\d %"
    )
    assert any(re.fullmatch(form, line) for line in lines), lines


@pytest.mark.parametrize("method", ["cuts-unary/cpsat", "cuts-unary/highs"])
def test_solve_shows_how_a_model_stands(
    method: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.1)
    path = tmp_path / "full.json"
    write_ksubset(mesh(10, 10, k=30), path)
    assert run(["solve", str(path), "--time-limit", "3", "--method", method]) == 0
    text = capsys.readouterr().err
    assert re.search(r"of 3 s, incumbent \d+, bound \d+, gap \d+\.\d %", text), text


def test_commands_show_what_is_left(
    monkeypatch: pytest.MonkeyPatch, path: Path, capsys: Capture
) -> None:
    seen: list[int] = []

    def begin(clock: progress.Clock, done: int) -> None:
        seen.append(done)

    monkeypatch.setattr(progress.Clock, "begin", begin)
    assert run(["compare", str(path), str(path), "--methods", "mm,random"]) == 0
    assert seen == [0, 1, 2, 3, 4, 5]
    seen.clear()
    words = ["simulate", "submesh", "--shape", "8x8", "--requests", "20"]
    assert run([*words, "--method", "fs-f"]) == 0
    assert seen == [*range(1, 21)]
    seen.clear()
    network = ["simulate", "network", "--topology", "torus:4x4"]
    job = ["--placement", "row", "--workload", "2M", "--tasks", "16", "--size", "999"]
    assert run([*network, *job]) == 0
    assert seen == sorted(seen)
    assert seen[-1] == 48


def test_a_terminal_shows_a_line_that_is_rewritten(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    from time import sleep

    monkeypatch.setattr(progress, "_REFRESH", 0.01)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.status_line(lambda: "incumbent 74, bound 70, gap 5.4 %"):
        sleep(0.2)
    shown = capsys.readouterr().err
    assert "\r\x1b[2Kincumbent 74, bound 70, gap 5.4 %" in shown
    assert shown.endswith("\r\x1b[2K")


@pytest.mark.parametrize(
    "words",
    [
        "check a.json b.json --proof x --proof y",
        "plot a.json --proof x --proof y",
        "ratios s.toml --trace x --trace y",
        "reproduce x --traffic x --traffic y",
        "select --config x --config y",
        "solve a.json --proof x --proof y",
        "solve a.json --proof x --proof-kind auto --proof-kind certificate",
        "select --topology t -k 1 --node-name-map x --node-name-map y",
        "select -k 2 --topology t --topology t",
        "select --topology t -k 2 --topology-name x --topology-name x",
        "select --topology t -k 2 --labels x --labels x",
        "select --topology t -k 2 -k 2",
        "simulate network --file x --file y",
        "simulate network --routes x --routes y",
        "simulate stream --trace x --trace y",
        "whatif --topology t --trace x --trace y",
        "worst --start x --start y",
    ],
)
def test_of_two_files_of_one_option_none_is_dropped(
    words: str, refusal: Callable[..., str]
) -> None:
    assert f"argument {words.split()[-2]}: is given twice" in refusal(words)
