"""Study files: what they ask for is run, what is wrong in them is said."""

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from closeknit.cli.app import run
from closeknit.instances import InputError, mesh, write_ksubset
from closeknit.methods import KSUBSET
from closeknit.reports.campaigns.store import FILE, rows_in
from closeknit.reports.campaigns.study.file import read_study

from ...in_process import stay_in_process

HEAD = 'format = "closeknit/study"\nversion = 1\n'
SMALL = HEAD + '[[instances]]\nfamily = "full"\nshape = "4x4"\nk = 4\n'


def study(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(text)
    return path


def names(tmp_path: Path, text: str) -> list[str]:
    found = read_study(str(study(tmp_path, HEAD + text)))
    return [instance.name for instance in found.instances]


def test_grids_run_through_every_choice(tmp_path: Path) -> None:
    found = names(
        tmp_path,
        '[[instances]]\nfamily = "random"\nshape = ["4x4", "3x5"]\nk = [3, 4]\n'
        'free = ["50%", 9]\nseed = [1, 7]\n',
    )
    assert len(found) == len(set(found)) == 16
    assert found[:3] == [
        "4x4-random-50pct-k3-s1",
        "4x4-random-50pct-k3-s7",
        "4x4-random-9free-k3-s1",
    ]
    counted = names(
        tmp_path,
        '[[instances]]\nfamily = "uniform"\nn = 9\nk = 3\nseed = 5\ncount = 3\n',
    )
    assert [name[-2:] for name in counted] == ["s5", "s6", "s7"]


def test_suites_files_and_families_may_be_mixed(tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    for k in (2, 3):
        write_ksubset(mesh(3, 3, k=k), folder / f"{k}.json")
    found = names(
        tmp_path,
        '[[instances]]\nsuite = "worst-cases"\n'
        '[[instances]]\nfiles = "*/*.json"\n'
        '[[instances]]\nfamily = "full"\nshape = "3x3"\nk = [3, 4]\n'
        '[[instances]]\nfamily = "submesh"\nshape = "8x8"\nmost = 5\ntorus = true\n',
    )
    assert found[-4:-1] == ["3x3-full-k2", "3x3-full-k3", "3x3-full-k4"]
    assert found[-1].startswith("waiting-torus-8x8")


def test_what_is_not_there_may_be_optional(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = names(
        tmp_path,
        '[[instances]]\nfiles = "none/*.json"\noptional = true\n'
        '[[instances]]\nfamily = "trace"\nmesh = "4x4"\noptional = true\n'
        '[[instances]]\nfamily = "full"\nshape = "3x3"\nk = 2\n',
    )
    assert found == ["3x3-full-k2"]
    assert capsys.readouterr().err.splitlines() == [
        "closeknit: instances[0]: left out, no none/*.json",
        "closeknit: instances[1]: left out, no trace",
    ]


def test_snapshots_are_taken_of_the_trace_given(tmp_path: Path) -> None:
    trace = tmp_path / "t.swf"
    lines = (f"{i} {i} 0 9 3 -1 -1 3 -1 -1 1 1 1 1 1 1 -1 -1" for i in range(1, 6))
    trace.write_text("\n".join(lines) + "\n")
    text = '[[instances]]\nfamily = "trace"\nmesh = "4x4"\n'
    path = study(tmp_path, HEAD + text)
    assert len(read_study(str(path), trace=str(trace)).instances) == 5
    path = study(tmp_path, HEAD + text + 'swf = "t.swf"\nevery = 2\n')
    assert len(read_study(str(path)).instances) == 3
    new = '[[instances]]\nfamily = "trace"\nshape = "4x4"\ntrace = "t.swf"\nfirst = 2\n'
    assert len(read_study(str(study(tmp_path, HEAD + new))).instances) == 2
    path = study(tmp_path, HEAD + text)
    with pytest.raises(InputError, match=r"\.trace: is missing, and no trace is given"):
        read_study(str(path))


def test_settings_and_lineups(tmp_path: Path) -> None:
    plan = read_study(
        str(
            study(
                tmp_path,
                HEAD + "time-limit = 2.5\nnode-limit = 9\nmemory-limit = 512\n"
                'seed = 3\nrepeats = 2\n[methods]\nksubset = ["mm", "random"]\n'
                '[exact]\nksubset = "bruteforce"\n'
                '[[instances]]\nfamily = "full"\nshape = "3x3"\nk = [2, 3]\n'
                'without = ["random"]\n'
                '[[instances]]\nfamily = "full"\nshape = "4x4"\nk = 2\n'
                '[[instances]]\nfamily = "sets"\nn = 9\nsets = 4\nrequest = 3\n',
            )
        )
    )
    settings = plan.settings
    assert (settings.time_limit, settings.node_limit, settings.memory_mb) == (
        2.5,
        9,
        512,
    )
    runs = Counter(
        (task.instance.name, task.method.name)
        for task in plan.tasks()
        if task.method.name in KSUBSET and "x" in task.instance.name[:2]
    )
    assert runs == {
        **{("3x3-full-k2", name): 2 for name in ("mm", "bruteforce")},
        **{("3x3-full-k3", name): 2 for name in ("mm", "bruteforce")},
        **{("4x4-full-k2", name): 2 for name in ("mm", "random", "bruteforce")},
    }
    assert {task.settings.seed for task in plan.tasks()} == {3, 4}
    assert plan.lineups["procset"].exact.name == "auto"
    assert "reaching" in plan.lineups["procset"].by_name


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = ", "not TOML: Invalid value"),
        ("", "format: is missing"),
        ('format = "closeknit/ksubset"', "format: must be 'closeknit/study', not "),
        ('format = "closeknit/study"\nversion = 2', "version: must be 1, not 2"),
        (HEAD, "instances: must be one or more [[instances]]"),
        ("tme-limit = 3\n" + SMALL, "tme-limit: unknown field (did you mean time-lim"),
        ("time-limit = 0\n" + SMALL, "time-limit: must be seconds above 0"),
        ("time-limit = inf\n" + SMALL, "time-limit: must be seconds above 0"),
        ("node-limit = 1.5\n" + SMALL, "node-limit: must be an integer from 1 to 2^3"),
        ("repeats = 0\n" + SMALL, "repeats: must be an integer from 1 to 2^31 - 1, n"),
        ("seed = true\n" + SMALL, "seed: must be an integer from 0 to 2^31 - 1, not "),
        ("name = 3\n" + SMALL, "name: must be text, not 3"),
        (
            'methods = ["mm-incc"]\n' + SMALL,
            "methods[0]: no such method for ksubset: 'mm-incc' (",
        ),
        ("methods = []\n" + SMALL, 'methods: must be "heuristics" or a list of names'),
        ('exact = "mm"\n' + SMALL, "exact: is not an exact method: 'mm'"),
        (SMALL + "[exact]\nksubsett = 'auto'", "exact.ksubsett: unknown field (did y"),
        (SMALL + "[methods]\nksubset = ['x']", "methods.ksubset[0]: no such method f"),
        (SMALL + "n = 5", "instances[0].n: unknown field ("),
        (SMALL + "alocator = 'mm'", "instances[0].alocator: unknown field (known: "),
        (SMALL + "kindd = 'mm'", "instances[0].kindd: unknown field (did you mean ki"),
        (SMALL + "kind = 'ring'", "instances[0].kind: must be mesh, torus, tree"),
        (SMALL + 'mesh = "4x4"', "instances[0].mesh: does not go with shape"),
        (SMALL + "suite = 'bundled'", "instances[0]: must have one of suite, files, "),
        (SMALL + "without = ['m']", "instances[0].without[0]: no such method: 'm' ("),
        (SMALL.replace("4x4", "4y4"), "instances[0].shape: must be sides such as 16x"),
        (
            SMALL.replace("k = 4", "k = [4, 99]"),
            "instances[0].k: must be at most the",
        ),
        (SMALL.replace("k = 4", "k = []"), "instances[0].k: must not be empty"),
        (SMALL.replace("k = 4", "k = {a=1}"), "instances[0].k: must be a number or t"),
        (SMALL.replace("k = 4", ""), "instances[0].k: is missing"),
        (SMALL.replace('"full"', '"ful"'), "instances[0].family: no such family: "),
        (HEAD + "[[instances]]\nsuite='bundle'", "instances[0].suite: no such suite: "),
        (HEAD + "[[instances]]\nfiles='no.json'", "instances[0].files: no such file:"),
        (HEAD + "instances = 3", "instances: must be one or more [[instances]]"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    complaint: str,
) -> None:
    if HEAD in text:
        text = HEAD + text.replace(HEAD, "")
    path = study(tmp_path, text)
    status = run(["ratios", str(path), "--out", str(tmp_path / "out")])
    said, complained = capsys.readouterr()
    assert (status, said, complained.count("\n")) == (2, "", 1)
    assert complained.startswith(f"closeknit: {path}: {complaint}")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["{}", "bundled"], "{}: a study file stands alone"),
        (["{}", "--methods", "mm"], "--methods: stands in the study file"),
        (["{}", "--time-limit", "3"], "--time-limit: stands in the study file"),
        (["bundled", "--trace", "x"], "--trace: is for a study file"),
        (["{}", "--fail-on", "worse"], "unrecognized arguments: --fail-on worse"),
        (["compare", "a", "b"], "unrecognized arguments: --out "),
        (["gone.toml"], "gone.toml: cannot be read: No such file or directory"),
    ],
)
def test_words_that_do_not_go_together(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    complaint: str,
) -> None:
    path = study(tmp_path, SMALL)
    filled = [word.format(path) for word in words]
    assert run(["ratios", *filled, "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"closeknit: {complaint.format(path)}")
    assert said.count("\n") == 1


def test_a_study_becomes_a_report_and_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = study(
        tmp_path,
        HEAD + 'repeats = 2\nmethods = ["mm", "random"]\n'
        '[[instances]]\nfamily = "full"\nshape = "4x4"\nk = [4, 5]\n',
    )
    out = tmp_path / "out"
    words = ["ratios", str(path), "--out", str(out), "--jobs", "1"]
    assert run(words) == 0
    assert capsys.readouterr().out.startswith("2 instances, 3 methods, 12 rows; 12 of")
    with (out / "ratios.csv").open(newline="") as stream:
        plain = list(csv.DictReader(stream))
    assert [row["seed"] for row in plain[:4]] == ["0", "1", "0", "1"]
    stored = {(r.instance, r.method, r.repeat): r for r in rows_in(out / FILE)}
    assert len(stored) == len(plain) == 12
    for line in plain:
        row = stored[line["instance"], line["method"], int(line["seed"])]
        assert row.cost == int(line["cost"])
        assert line["ratio_float"] == repr(float(Fraction(line["ratio"])))
        assert row.memory_peak is not None
        assert row.memory_peak > 20
        assert "numba" in row.solvers
        assert line["proof"].startswith("checked: ")


def test_a_file_called_compare_can_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stay_in_process(monkeypatch)
    write_ksubset(mesh(3, 3, k=2), tmp_path / "compare")
    monkeypatch.chdir(tmp_path)
    words = ["ratios", "./compare", "--methods", "mm", "--out", "out", "--jobs", "1"]
    assert run(words) == 0
    assert run(["ratios", "compare"]) == 2
    assert "the following arguments are required: A, B" in capsys.readouterr().err


@pytest.mark.slow  # 15 s of CPU: many of them are simulated
def test_the_standard_study_is_large_and_of_every_kind() -> None:
    plan = read_study("standard")
    assert len(plan.instances) >= 500
    kinds = Counter(
        (instance.topology.kind, instance.topology.dimension)  # type: ignore[union-attr]
        for instance in plan.instances
    )
    for kind in (("mesh", 2), ("mesh", 3), ("torus", 2), ("points", 2), ("points", 3)):
        assert kinds[kind] >= 20
    heuristics = {name for name, method in KSUBSET.items() if not method.exact}
    assert set(plan.lineups["ksubset"].by_name) == {*heuristics, "auto"}
