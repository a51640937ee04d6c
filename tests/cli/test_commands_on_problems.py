"""The commands on processor sets and knapsacks, and on all problems together."""

from __future__ import annotations

import csv
import json
import lzma
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from closeknit.cli.app import run
from closeknit.instances import (
    ProcessorSet,
    ProcSet,
    Sukp,
    mesh,
    write_instance,
)
from closeknit.instances.library import bundled
from closeknit.instances.writing.sukp_text import sukp_text
from closeknit.methods import METHODS, Method
from closeknit.reports.campaigns.store import FILE
from closeknit.reports.drawing.procset import procset_picture
from closeknit.reports.drawing.shapes import svg_of
from closeknit.solvers import DEFAULT, Result, Settings, Status

from ..in_process import stay_in_process

COMMAND = [sys.executable, "-m", "closeknit"]

NAMES = tuple(f"n{i // 2}.{i % 2 + 1}" for i in range(16))
CARDS = ProcSet(
    "cards",
    NAMES,
    tuple(i for i in range(16) if i not in (3, 7, 8)),
    6,
    (
        ProcessorSet("card1", tuple(range(8)), (4, 0)),
        ProcessorSet("card2", tuple(range(8, 16)), (4, 0)),
        *(ProcessorSet(f"host{i}", (2 * i, 2 * i + 1), (0, i)) for i in range(8)),
    ),
)
"""Six on the first card cost (4, 0 + 1 + 2 + 3)."""
BAG = Sukp("bag", (5, 4, 3), (3, 3, 2), ((0, 1), (1, 2), ()), 6)
"""Items 0 and 2 fit, for a profit of 8 of 12."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Instances of all problems, one of them infeasible."""
    fill(tmp_path)
    return tmp_path


def fill(place: Path) -> None:
    for one in (CARDS, BAG, replace(CARDS, name="short", request=14)):
        write_instance(one, place / f"{one.name}.json")
    write_instance(mesh(3, 3, k=4), place / "mesh.json")


@pytest.fixture
def cards(folder: Path) -> str:
    return str(folder / "cards.json")


@pytest.fixture
def bag(folder: Path) -> str:
    return str(folder / "bag.json")


@pytest.fixture
def short(folder: Path) -> str:
    """More requested than available."""
    return str(folder / "short.json")


# solve


def test_solve_tells_a_lexicographic_cost(cards: str, capsys: Any) -> None:
    assert run(["solve", cards]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "cards: 6 of 13 available processors, 10 sets, auto"
    assert shown[1] == "  cost    4; 6"
    assert shown[2] == "  sets    5 of 10 touched: card1 host0 host1 host2 host3"
    assert shown[3].startswith("  bound   4; 6 (")
    assert shown[4] == "  status  optimal"
    assert shown[-1] == "  chosen  n0.1 n0.2 n1.1 n2.1 n2.2 n3.1"


def test_solve_tells_profits(bag: str, capsys: Any) -> None:
    assert run(["solve", bag]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "bag: 3 items, 3 elements, capacity 6, auto"
    assert shown[1] == "  profit  8 of 12 (4 left out)"
    assert shown[2] == "  weight  6 of 6"
    assert shown[3].startswith("  bound   profit at most 8 (")
    assert shown[-1] == "  chosen  0 2"


def test_solve_takes_several_problems_at_once(folder: Path) -> None:
    (folder / "packed.txt.xz").write_bytes(lzma.compress(sukp_text(BAG).encode()))
    names = ("cards.json", "bag.json", "mesh.json", "packed.txt.xz")
    ended = subprocess.run(
        [*COMMAND, "solve", *(folder / name for name in names), "--json", "-"],
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [(s["instance"], s["objective"]) for s in found] == [
        ("cards", [4, 6]),
        ("bag", 4),
        ("3x3-full-k4", 8),
        ("packed", 4),
    ]
    assert [s["selection"] for s in found[:2]] == [
        ["n0.1", "n0.2", "n1.1", "n2.1", "n2.2", "n3.1"],
        [0, 2],
    ]
    assert {s["status"] for s in found} == {"optimal"}


def test_a_method_must_exist_for_each_file(
    cards: str, bag: str, refusal: Callable[..., str]
) -> None:
    assert run(["solve", cards, bag, "--method", "bruteforce"]) == 0
    said = refusal("solve", cards, bag, "--method reaching")
    assert said.startswith("--method: no such method for sukp: ")


@pytest.mark.parametrize(("name", "problem"), [("cards", "procset"), ("bag", "sukp")])
def test_certificates_are_for_ksubset_only(
    name: str, problem: str, folder: Path, refusal: Callable[..., str]
) -> None:
    file, out = folder / f"{name}.json", folder / "out"
    said = refusal("solve", file, "--proof", out, "--proof-kind certificate")
    assert said.startswith("--proof-kind: must be auto or pseudo-boolean for ")
    assert not out.exists()
    solution = folder / "solution.json"
    run(["solve", str(file), "--json", str(solution)])
    out.write_text('{"format":"closeknit/certificate"')
    assert refusal("check", file, solution, "--proof", out) == (
        f"{out}: is a certificate: about ksubset (distances that are sums of cuts, "
        f"nothing required) only, not {name} ({problem})"
    )


def test_unproved_answers_say_so(cards: str, bag: str, capsys: Any) -> None:
    assert run(["solve", cards, "--method", "reaching"]) == 0
    shown = capsys.readouterr().out
    assert "status  feasible\n" in shown
    assert "bound" not in shown


# infeasible


def test_more_than_available_is_proved_infeasible(
    short: str, tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "solution.json"
    assert run(["solve", short, "--json", str(out)]) == 3
    why = "14 processors requested, 13 available"
    assert f"status  infeasible: {why} (checked: counting)" in capsys.readouterr().out
    solution = json.loads(out.read_text())
    assert solution["status"] == "infeasible"
    assert solution["proof"] == {"grade": "checked", "by": "counting"}
    assert not {"objective", "bound", "selection"} & set(solution)
    assert run(["check", short, str(out)]) == 0
    said = capsys.readouterr().out
    assert said == f"{out}: holds: infeasible (checked: counting): {why}\n"
    assert run(["check", short, str(out), "--prove"]) == 0


def test_a_false_claim_of_infeasibility_is_found(
    cards: str, short: str, tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "solution.json"
    run(["solve", short, "--json", str(out)])
    impossible = json.loads(out.read_text())
    run(["solve", cards, "--json", str(out)])
    solution = json.loads(out.read_text())
    same = {key: solution[key] for key in ("instance", "sha256")}
    out.write_text(json.dumps({**impossible, **same}))
    capsys.readouterr()
    assert run(["check", cards, str(out)]) == 1
    told = "status: infeasible, but there are solutions"
    assert told in capsys.readouterr().out
    by = {"grade": "solver", "by": "somebody"}
    out.write_text(json.dumps({**impossible, "proof": by}))
    assert run(["check", short, str(out)]) == 1
    assert "counting alone shows it" in capsys.readouterr().out
    out.write_text(json.dumps({**impossible, "certificate": {"rule": "U"}}))
    assert run(["check", short, str(out)]) == 1
    assert "certificate: there is none" in capsys.readouterr().out


def test_compare_shows_infeasible_and_goes_on(
    cards: str, short: str, capsys: Any
) -> None:
    names = "reaching,bruteforce"
    assert run(["compare", short, cards, "--methods", names]) == 0
    shown = capsys.readouterr()
    assert "infeasible" not in shown.err
    assert shown.out.count("infeasible") == 3
    assert run(["compare", short, "--methods", names, "--json", "-"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["status"] for row in rows} == {"infeasible"}
    assert {(row["optimum"], row["ratio"], row["interval"]) for row in rows} == {
        (None, None, None)
    }


# check


def test_check_follows_solve(cards: str, bag: str, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "solution.json"
    for path, cost in ((cards, "4; 6"), (bag, "4")):
        assert run(["solve", path, "--json", str(out)]) == 0
        capsys.readouterr()
        assert run(["check", path, str(out)]) == 1
        said = capsys.readouterr().out
        assert f"cost {cost} holds; bound {cost} not re-derived (enumerated: " in said
        assert run(["check", path, str(out), "--prove"]) == 0
        said = capsys.readouterr().out
        assert f"holds: optimal, cost {cost}, bound {cost} (" in said
        assert "proved again" in said


LIES: dict[str, list[tuple[dict[str, Any], str]]] = {
    "cards": [
        ({"objective": [4, 5], "bound": [4, 5]}, "objective: is (4, 5), but it costs"),
        ({"objective": 4, "bound": 4}, "objective: is 4, but it costs (4, 6)"),
        ({"bound": [4]}, "Bound and cost must have the same number of levels"),
        ({"bound": [4, 5]}, "status: optimal: A result is optimal if its bound equals"),
        ({"bound": [5, 0], "status": "feasible"}, "Bound (5, 0) is above cost (4, 6)"),
        ({"selection": ["n0.1", "n0.2"]}, "selection: 2 processors chosen, not 6"),
        ({"selection": ["n0.1", "x"]}, "selection[1]: no such processor: 'x'"),
        ({"selection": ["n0.1", "n0.1"]}, "selection[1]: chosen twice: 'n0.1'"),
        ({"selection": [0, 1, 2, 3, 4, 5]}, "selection[0]: must be a string, not 0"),
        (
            {"selection": ["n0.1", "n0.2", "n1.1", "n1.2", "n2.1", "n2.2"]},
            "selection: n1.2 is not available",
        ),
        ({"sha256": "0" * 64}, "sha256: is for another instance"),
        (
            {"proof": {"grade": "checked", "by": "hearsay"}},
            "proof: there is no 'hearsay' for this instance",
        ),
    ],
    "bag": [
        ({"objective": 3, "bound": 3}, "objective: is 3, but it costs 4"),
        ({"selection": [0, 1]}, "selection: weighs 8, more than the capacity of 6"),
        ({"selection": [0, 0]}, "selection[1]: given twice: 0"),
        ({"selection": [3]}, "selection[0]: no such item: 3"),
        ({"selection": ["a"]}, "selection[0]: must be an integer, not 'a'"),
        ({"selection": None}, "selection: missing, but status is optimal"),
    ],
    "mesh": [
        ({"instance": "another"}, "instance: is for 'another', not '3x3-full-k4'"),
        ({"sha256": "0" * 64}, "sha256: is for another instance"),
        ({"objective": 9}, "objective: is 9, but it costs 8"),
        ({"bound": 7}, "status: optimal: "),
        ({"status": "feasible"}, "status: feasible"),
        ({"selection": [[0, 0]] * 4}, "selection[1]: "),
    ],
}


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [(name, *lie) for name, lies in LIES.items() for lie in lies],
)
def test_check_refuses_lies(
    name: str, change: dict[str, Any], told: str, folder: Path, capsys: Any
) -> None:
    path, out = str(folder / f"{name}.json"), folder / "solution.json"
    run(["solve", path, "--method", "bruteforce", "--json", str(out)])
    lie = {**json.loads(out.read_text()), **change}
    out.write_text(json.dumps({k: v for k, v in lie.items() if v is not None}))
    capsys.readouterr()
    assert run(["check", path, str(out)]) == 1
    shown = capsys.readouterr()
    assert told in shown.out
    assert shown.err == ""


@pytest.mark.parametrize(
    ("name", "bound", "told"),
    [
        ("cards", 4, "bound: is 4, but a cost is a list of 2 levels"),
        ("cards", [4], "bound: is 4, but a cost is a list of 2 levels"),
        ("bag", [4], "bound: is 4, but a cost is an integer"),
        ("mesh", [4, 1], "bound: is 4; 1, but a cost is an integer"),
    ],
)
def test_a_bound_of_another_shape_is_no_bound(
    name: str, bound: Any, told: str, folder: Path, capsys: Any
) -> None:
    path, out = str(folder / f"{name}.json"), folder / "solution.json"
    run(["solve", path, "--json", str(out)])
    whole = json.loads(out.read_text())
    kept = {k: v for k, v in whole.items() if k not in ("objective", "selection")}
    by = {"grade": "checked", "by": "star bound"}
    lie = {**kept, "status": "unknown", "bound": bound, "proof": by}
    out.write_text(json.dumps(lie))
    capsys.readouterr()
    for more in ([], ["--prove"]):
        assert run(["check", path, str(out), *more]) == 1
        assert told in capsys.readouterr().out


def test_prove_finds_a_false_bound(
    cards: str, bag: str, tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "solution.json"
    poor: dict[str, dict[str, Any]] = {
        cards: {
            "objective": [8, 9],
            "bound": [8, 9],
            "selection": ["n0.1", "n0.2", "n1.1", "n2.1", "n2.2", "n6.1"],
        },
        bag: {"objective": 7, "bound": 7, "selection": [0]},
    }
    for path, lie in poor.items():
        run(["solve", path, "--method", "bruteforce", "--json", str(out)])
        out.write_text(json.dumps({**json.loads(out.read_text()), **lie}))
        capsys.readouterr()
        assert run(["check", path, str(out)]) == 1
        assert "not re-derived" in capsys.readouterr().out
        assert run(["check", path, str(out), "--prove"]) == 1
        assert "bound: claims at least " in capsys.readouterr().out


# compare


def test_compare_gives_ratios_level_by_level(cards: str, capsys: Any) -> None:
    assert run(["compare", cards, "--methods", "reaching-printed,reaching"]) == 0
    shown = capsys.readouterr().out
    assert "4; 6" in shown
    assert "1; 1" in shown
    names = "reaching-printed,bruteforce"
    assert run(["compare", cards, "--methods", names, "--json", "-"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    by_method = {row["method"]: row for row in rows}
    assert set(by_method) == {"reaching-printed", "bruteforce", "auto"}
    for row in rows:
        assert row["optimum"] == [4, 6]
        assert [Fraction(x) * best for x, best in zip(row["ratio"], (4, 6))] == row[  # noqa: B905
            "cost"
        ]
    assert by_method["auto"]["ratio"] == ["1", "1"]


def test_compare_mixes_problems(cards: str, bag: str, capsys: Any) -> None:
    names = ["--methods", "reaching,bruteforce", "--json", "-"]
    assert run(["compare", cards, bag, *names]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["problem"], row["method"]) for row in rows] == [
        ("procset", "reaching"),
        ("procset", "bruteforce"),
        ("procset", "auto"),
        ("sukp", "bruteforce"),
        ("sukp", "auto"),
    ]
    assert run(["compare", bag, "--methods", "bruteforce"]) == 0
    assert "8 of 12 (4 left out)" in capsys.readouterr().out
    assert run(["compare", cards, bag, "--methods", "mm"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("closeknit: --methods: no such method for procset or sukp: ")
    assert run(["compare", cards, bag, "--exact", "reaching"]) == 2
    assert "--exact: is not an exact method" in capsys.readouterr().err
    assert run(["compare", cards, bag, "--exact", "frontier-dp", "--json", "-"]) == 0
    shown = capsys.readouterr().out.splitlines()
    exact = [json.loads(line)["method"] for line in shown]
    assert {"frontier-dp", "auto"} <= set(exact)  # the knapsack has no frontier


# ratios


@pytest.fixture
def mixed(folder: Path) -> Path:
    """The same with texts, one packed, and files that are no instances."""
    (folder / "text.txt").write_bytes(bundled_sukp())
    (folder / "packed.txt.xz").write_bytes(lzma.compress(sukp_text(BAG).encode()))
    (folder / "notes.txt").write_text("nothing of interest")
    (folder / "notes.txt.xz").write_bytes(lzma.compress(b"nor here"))
    (folder / "other.json").write_text('{"format": "closeknit/solution"}')
    return folder


def bundled_sukp() -> bytes:
    instance = bundled("sukp-18x16-density15pct-capacity50pct-s1")
    assert isinstance(instance, Sukp)
    return sukp_text(instance).encode()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a mixed folder, made once."""
    place = tmp_path_factory.mktemp("mixed")
    fill(place)
    (place / "packed.txt.xz").write_bytes(lzma.compress(bundled_sukp()))
    assert report_on(place) == 0
    return place / "out"


def report_on(place: Path) -> int:
    names = "reaching-printed,reaching,bruteforce,mm"
    out = ["--out", str(place / "out"), "--jobs", "2", "--methods", names]
    return run(["ratios", str(place), *out])


def table(out: Path) -> Mapping[tuple[str, str], dict[str, str]]:
    with (out / "ratios.csv").open(newline="") as stream:
        return {(r["instance"], r["method"]): r for r in csv.DictReader(stream)}


def test_a_mixed_folder_becomes_one_table(written: Path) -> None:
    rows = table(written)
    found = {i: {m for j, m in rows if j == i} for i, _ in rows}
    assert found == {
        "3x3-full-k4": {"mm", "bruteforce", "auto"},
        "cards": {"reaching-printed", "reaching", "bruteforce", "auto"},
        "short": {"reaching-printed", "reaching", "bruteforce", "auto"},
        "bag": {"bruteforce", "auto"},
        "packed": {"bruteforce", "auto"},
    }
    assert {row["problem"] for row in rows.values()} == {"ksubset", "procset", "sukp"}


def test_infeasible_rows_are_counted_and_not_judged(written: Path) -> None:
    rows = table(written)
    for method in ("reaching", "auto"):
        row = rows["short", method]
        assert (row["status"], row["proof"]) == ("infeasible", "checked: counting")
        assert {row[x] for x in ("cost", "bound", "optimum", "ratio")} == {""}
    page = (written / "report.html").read_text()
    text = (written / "report.md").read_text()
    assert "4 proved infeasible" in page
    assert "4 proved infeasible" in text
    assert "Found nothing" not in page
    assert "found nothing" not in text
    assert "| `short` | 14 of 13 available processors, 10 sets | infeasible |" in text


def test_the_report_has_a_section_a_problem(written: Path) -> None:
    page = (written / "report.html").read_text()
    titles = ("Processors close together", "Processor sets", "Set-union knapsack")
    for title in titles:
        anchor = title.lower().replace(" ", "-")
        heading = f'<section class="part" id="{anchor}"><h2>{title}</h2>'
        assert page.count(heading) == 1
        assert f'<a href="#{anchor}">{title}</a>' in page
    assert page.count("<h3>Ratios by method</h3>") == 3
    assert page.count("<h2>") == 3 + 2  # and answers, and how to read this
    text = (written / "report.md").read_text()
    for title in titles:
        assert text.count(f"\n## {title}\n") == 1
    assert text.count("\n### Ratios by method\n") == 3
    assert "share optimal | level 1: mean, max | level 2: mean, max |" in text


def test_profits_are_told_in_the_report(written: Path) -> None:
    for name in ("report.html", "report.md"):
        text = (written / name).read_text()
        assert "profit 8 of 12 (4 left out)" in text


def test_a_mixed_report_can_be_made_again_to_the_byte(written: Path) -> None:
    names = ("report.html", "report.md", "ratios.csv", FILE)
    before = {name: (written / name).read_bytes() for name in names}
    assert report_on(written.parent) == 0
    assert {name: (written / name).read_bytes() for name in names} == before


def test_every_heuristic_of_each_problem_is_run(
    mixed: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stay_in_process(monkeypatch)
    out = mixed / "out"
    for name in ("mesh.json", "text.txt", "short.json"):
        (mixed / name).unlink()
    arguments = ["ratios", str(mixed), "--out", str(out), "--jobs", "1"]
    assert run([*arguments, "--time-limit", "1"]) == 0
    assert "100 %" in capsys.readouterr().out
    rows = table(out)
    for instance, problem in (("cards", "procset"), ("bag", "sukp")):
        heuristics = {n for n, m in METHODS[problem].items() if not m.exact}
        assert {m for i, m in rows if i == instance} == heuristics | {"auto"}
    assert ("packed", "auto") in rows
    assert {i for i, _ in rows} == {"cards", "bag", "packed"}


def test_a_broken_file_in_a_folder_is_named(
    mixed: Path, refusal: Callable[..., str]
) -> None:
    words = f"ratios {mixed} --out {mixed / 'out'}"
    packed, text = mixed / "packed.txt.xz", mixed / "text.txt"
    packed.write_bytes(packed.read_bytes()[:-9])
    assert refusal(words).startswith(f"{packed}: is ")
    packed.unlink()
    text.write_text("m=3 n=4 knapsack size=x")
    assert refusal(words).startswith(f"{text}: line 1: must be 'm=")


# methods


def test_methods_of_all_problems_are_listed(capsys: Any) -> None:
    assert run(["methods"]) == 0
    shown = capsys.readouterr().out
    for problem, methods in METHODS.items():
        for name in methods:
            assert f"\n{name} ({problem}, " in f"\n{shown}"
    assert run(["methods", "procset"]) == 0
    shown = capsys.readouterr().out
    assert "\nreaching (procset" in shown
    assert "\nmm " not in shown


# pictures


def test_processor_sets_are_drawn(cards: str, tmp_path: Path) -> None:
    out = tmp_path / "plot.svg"
    assert run(["solve", cards, "--plot", str(out)]) == 0
    picture = ElementTree.fromstring(out.read_text())
    said = [element.text for element in picture.iter() if element.text]
    assert "cost 4; 6" in said
    # host0 costs nothing, and of host1 and host3 one processor is busy
    assert "shared sets opened: 2" in said
    assert {"card1", "4; 0", "6 of 8", "host2", "chosen by auto", "busy"} <= set(said)
    assert "card2" not in said


def test_nothing_is_drawn_of_an_infeasible_instance(short: str, tmp_path: Path) -> None:
    out = tmp_path / "plot.svg"
    assert run(["solve", short, "--plot", str(out)]) == 3
    assert not out.exists()


def paths(markup: str, kind: str) -> list[str]:
    found = [part.partition("/>")[0] for part in markup.split("<path ")[1:]]
    return [path for path in found if f'class="{kind}"' in path]


def cells(markup: str, kind: str) -> int:
    return sum(path.count("M") for path in paths(markup, kind))


@pytest.mark.parametrize("width", [380, 760])
def test_large_machines_fit_their_room(width: float) -> None:
    names = tuple(f"host{i // 8}.{i % 8}" for i in range(2048))
    free = tuple(range(0, 2048, 2))
    sets = tuple(
        ProcessorSet(f"card {i}", tuple(range(32 * i, 32 * i + 32)), (i, 0, 1))
        for i in range(64)
    )
    machine = ProcSet("machine", names, free, 100, sets)
    picture = procset_picture(machine, free[:1000], "ck-a", width)
    assert picture.width <= width
    assert picture.height < 1100
    assert cells(svg_of(picture.shapes), "ck-a") == 1000
    assert cells(svg_of(picture.shapes), "ck-free") == 24
    assert cells(svg_of(picture.shapes), "ck-busy") == 1024
    assert picture.note == "39 more shared sets are opened and not drawn"


def test_processors_stand_in_the_natural_order_of_their_names() -> None:
    names = ("n10", "n9", "n1", "n2")
    sets = (ProcessorSet("one", (0,), (1,)),)
    few = ProcSet("few", names, (0, 1, 2), 1, sets)
    picture = procset_picture(few, [1], "ck-a", 380)
    lefts = {}
    for kind in ("ck-a", "ck-busy"):
        (path,) = paths(svg_of(picture.shapes), kind)
        lefts[kind] = float(path.partition(' d="M')[2].split()[0])
    assert lefts["ck-busy"] < lefts["ck-a"]  # n2 before n9
    assert ">n1<" in svg_of(picture.shapes)
    assert "no shared set opened" in svg_of(picture.shapes)


# unknown


def test_unknown_is_no_solution_and_no_proof(
    cards: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def idle(instance: ProcSet, /, settings: Settings = DEFAULT) -> Result:
        return Result(status=Status.UNKNOWN)

    tables = {**METHODS, "procset": {"auto": Method("auto", idle, exact=True)}}
    monkeypatch.setattr("closeknit.methods.METHODS", tables)
    assert run(["solve", cards]) == 4
    assert "status  unknown" in capsys.readouterr().out
    assert run(["compare", cards]) == 0


def test_compare_says_for_which_files_no_method_is(folder: Path, capsys: Any) -> None:
    files = [str(folder / name) for name in ("mesh.json", "bag.json")]
    assert run(["compare", *files, "--methods", "mm"]) == 0
    said = "closeknit: none of --methods is for sukp files: only the optimum is shown"
    assert said in capsys.readouterr().err.splitlines()
