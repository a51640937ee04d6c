"""Ratios, their statistics, and what the reports say of them."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from math import inf
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.instances import InputError, KSubset, Mesh, Points, Torus, Tree, mesh
from closeknit.reports.drawing.drawing import draw
from closeknit.reports.pages.document import inlines, plain_text
from closeknit.reports.pages.numbers import percent, within
from closeknit.reports.ratios.answers import answers
from closeknit.reports.ratios.report import Report, report_on
from closeknit.reports.ratios.rows_table import COLUMNS
from closeknit.reports.ratios.scoring import ScoredRun
from closeknit.reports.ratios.spreads import spread_of
from closeknit.solvers import Grade, Proof
from closeknit.solvers.running.method import Method

from ...paths import ROOT
from ...toys import first, made, optimal, small
from ..written import csv_table, html_report, markdown_report
from .samples import METHODS, TABLE, A, B, C, report, rows


def table(text: str) -> dict[tuple[str, str], dict[str, str]]:
    return {(r["instance"], r["method"]): r for r in csv.DictReader(StringIO(text))}


# Statistics


def fractions(*texts: str) -> list[Fraction]:
    return [Fraction(text) for text in texts]


def test_spread_by_hand() -> None:
    found = spread_of(fractions("3/2", "1", "5/4", "1", "7/6"))
    assert found is not None
    shown = (found.least, found.median, found.most, found.mean, found.p95)
    assert shown == (1, *fractions("7/6", "3/2", "71/60", "3/2"))
    even = spread_of(fractions("1", "4/3", "5/3", "2"))
    assert even is not None
    assert even.median == even.mean == Fraction(3, 2)


@given(st.lists(st.fractions(1, 3), min_size=1, max_size=60))
def test_p95_is_the_least_that_95_percent_do_not_exceed(
    ratios: list[Fraction],
) -> None:
    found = spread_of(ratios)
    assert found is not None

    def enough(top: object) -> bool:
        return 100 * sum(r <= top for r in ratios) >= 95 * len(ratios)  # type: ignore[operator]

    assert found.p95 == min(r for r in ratios if enough(r))
    assert found.least <= found.median <= found.p95 <= found.most
    assert found.least <= found.mean <= found.most


def test_infinite_ratios_stay_infinite() -> None:
    found = spread_of([Fraction(1), inf, Fraction(1)])
    assert found is not None
    assert (found.median, found.most, found.mean) == (1, inf, inf)


def test_nothing_has_no_spread() -> None:
    assert spread_of([]) is None


# Verdicts


def by_name(found: Report) -> dict[tuple[str, str], ScoredRun]:
    return {(j.row.instance, j.row.method): j for j in found.judged}


def test_ratios_are_exact_and_only_against_proven_optima() -> None:
    judged = by_name(report())
    assert judged["a", "near"].ratio == Fraction(7, 4)
    assert judged["b", "near"].ratio == 1
    assert judged["b", "far"].ratio == Fraction(3, 2)
    assert judged["a", "auto"].ratio == 1
    assert judged["c", "near"].ratio is None
    assert judged["c", "near"].interval == (1, Fraction(5, 4))
    assert judged["c", "far"].interval == (Fraction(8, 5), 2)


def test_solution_and_proof_may_come_from_different_rows() -> None:
    proved = made(
        A,
        "auto",
        cost=9,
        bound=4,
        proof=Proof(Grade.SOLVER, "x"),
        limit="time",
        selection=(0, 2, 11),
    )
    found = [made(A, "near", cost=4, selection=(0, 1, 4)), proved]
    judged = by_name(report(found))
    assert judged["a", "near"].ratio == 1
    assert judged["a", "auto"].ratio == Fraction(9, 4)
    assert judged["a", "near"].verdict.optimum == 4


def test_the_best_grade_vouches_for_a_bound() -> None:
    solver = optimal(A, "auto", 4, selection=(0, 1, 4), proof=Proof(Grade.SOLVER, "x"))
    checked = optimal(
        A, "near", 4, selection=(0, 1, 4), proof=Proof(Grade.CHECKED, "stars")
    )
    found = report([solver, checked])
    assert str(found.verdicts[0].proof) == "checked: stars"
    assert {grade: n for grade, n in found.grades.items() if n} == {Grade.CHECKED: 2}


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        ("highs 1.15", "confirmed: cp-sat 9.15, highs 1.15"),
        ("cp-sat 9.14", "solver: cp-sat 9.15"),
        ("migrate and cp-sat 9.14", "solver: cp-sat 9.15"),
    ],
)
def test_two_solvers_of_other_code_confirm_each_other(other: str, shown: str) -> None:
    words = [Proof(Grade.SOLVER, by) for by in ("cp-sat 9.15", other)]
    found = [
        optimal(A, name, 4, selection=(0, 1, 4), proof=proof)
        for name, proof in zip(("auto", "near"), words, strict=True)
    ]
    [verdict, *_] = report(found).verdicts
    assert str(verdict.proof) == shown
    assert verdict.optimum == 4
    higher = made(
        A, "near", cost=7, selection=(0, 1, 2), bound=3, proof=words[1], limit="time"
    )
    [verdict, *_] = report([found[0], higher]).verdicts
    assert str(verdict.proof) == "solver: cp-sat 9.15"  # the other claims less


def test_runs_with_other_settings_bear_witness_without_being_reported() -> None:
    longer = optimal(C, "auto", 10, selection=(0, 1, 2), time_limit=600.0)
    found = report(witnesses=[longer])
    assert len(found.judged) == 9
    assert by_name(found)["c", "far"].ratio == Fraction(8, 5)
    assert found.unproved == []


def test_zero_over_zero_is_one_and_more_over_zero_is_infinite() -> None:
    same = Points(((0, 0), (0, 0), (4, 4)))
    instance = KSubset("same", same, same.coordinates, 2)
    found = report_on(
        [instance],
        [
            made(instance, "near", cost=0, selection=(0, 1)),
            made(instance, "far", cost=8, selection=(1, 2)),
            optimal(instance, "auto", 0, selection=(0, 1)),
        ],
        METHODS,
    )
    written = table(csv_table(found.judged))
    for method, shown in (("near", ("1", "1.0")), ("far", ("", "inf"))):
        row = written["same", method]
        assert (row["ratio"], row["ratio_float"]) == shown
    assert [s.spread.most for s in found.summaries if s.spread] == [1, inf, 1]
    assert "∞" in html_report(found)
    assert "∞" in markdown_report(found)


def test_a_broken_guarantee_is_seen() -> None:
    assert report().holds
    assert report().broken == []
    over = [replace(r, cost=8) if r.cost == 7 else r for r in rows()]
    found = report(over)
    assert [(j.row.instance, j.ratio) for j in found.broken] == [("a", 2)]
    assert not found.holds
    assert found.finding == "1 row above a proven guarantee"
    page = html_report(found)
    assert '<b class="bad">Guarantee broken:</b> near on a: ratio 2' in page
    assert re.search(r'<td><a href="#[^"]+">2</a> <b class="bad">broken</b></td>', page)
    assert "**broken on 1**" in markdown_report(found)


def test_a_guarantee_can_break_without_a_proven_optimum() -> None:
    over = [
        replace(r, cost=18) if (r.instance, r.method) == ("c", "near") else r
        for r in rows()
    ]
    (broken,) = report(over).broken
    assert broken.ratio is None
    assert broken.interval == (Fraction(9, 5), Fraction(9, 4))
    assert "ratio at least 9/5, above 7/4" in html_report(report(over))


def test_a_contradicted_proof_is_seen_and_yields_no_ratio() -> None:
    lying = [replace(r, cost=5, bound=5) if r.cost == 4 else r for r in rows()]
    lying.append(made(A, "lucky", cost=4, selection=(0, 1, 4)))
    found = report(lying)
    (verdict,) = found.contradictions
    assert verdict.contradiction == (
        "auto (enumerated: toy) claims at least 5, but lucky found 4"
    )
    assert by_name(found)["a", "near"].ratio is None
    assert by_name(found)["a", "near"].interval == (Fraction(7, 4), inf)
    assert table(csv_table(found.judged))["a", "near"]["bound"] == ""
    assert not found.holds
    assert "claims at least 5" in html_report(found)
    assert "claims at least 5" in markdown_report(found)


def test_failed_refused_and_empty_handed_rows_are_told_apart() -> None:
    found = report(
        [
            *rows(),
            made(A, "x", status="failed", error="a <b> | broke", seconds=None),
            made(A, "y", status="refused", error="y: too large", seconds=None),
            made(A, "z", status="unknown", limit="time"),
        ]
    )
    assert [r.method for r in found.failed] == ["x"]
    assert [r.method for r in found.ended("refused")] == ["y"]
    assert [r.method for r in found.ended("unknown")] == ["z"]
    assert found.finding == "1 run failed"
    assert "a &lt;b&gt; | broke" in html_report(found)
    assert "`a <b> \\| broke`" in markdown_report(found)


# Tables


def test_csv_has_one_exact_row_for_each_instance_and_method() -> None:
    text = csv_table(report().judged)
    assert text.splitlines()[0] == (
        "instance,problem,n,k,method,cost,bound,optimum,ratio,ratio_float,status,"
        "proof,seconds,seed"
    )
    assert text.splitlines()[0].split(",") == [c.lstrip("*") for c in COLUMNS]
    written = table(text)
    assert len(written) == 9
    assert list(written["a", "near"].values()) == [
        *("a", "ksubset", "12", "3", "near", "7", "4", "4", "7/4", "1.75"),
        *("feasible", "enumerated: toy", "0.001000", "0"),
    ]
    open_row = written["c", "far"]
    assert (open_row["bound"], open_row["optimum"], open_row["ratio"]) == ("8", "", "")
    assert open_row["ratio_float"] == ""
    assert open_row["proof"] == "solver: cp-sat 9.15"


def test_failed_rows_stay_in_the_table() -> None:
    failed = made(B, "far", status="failed", error="died", seconds=None)
    row = table(csv_table(report([failed]).judged))["b", "far"]
    assert (row["cost"], row["status"], row["seconds"]) == ("", "failed", "")


@pytest.mark.parametrize("write", [html_report, markdown_report])
def test_unproved_rows_are_intervals_and_no_ratios(write: object) -> None:
    text = write(report())  # type: ignore[operator]
    plain = re.sub("<[^>]+>", "", text)
    assert "1.6000 .. 2" in plain
    assert "1 .. 1.2500" in plain
    section = text[text.index("Rows without a proven") :]
    assert "8/5" not in re.sub(r'title="[^"]*"', "", section.partition("Failures")[0])


def test_the_headline_counts_rows_with_a_proven_optimum() -> None:
    assert report().headline == (
        "3 instances, 3 methods, 9 rows; 6 of them (66.7 %) against a proven optimum"
    )
    assert report().grades[Grade.ENUMERATED] == 6


def test_a_share_is_never_rounded_to_all_or_to_none() -> None:
    assert percent(99_999, 100_000) == "99.9 %"
    assert percent(1, 100_000) == "0.1 %"


def test_intervals_are_rounded_outwards() -> None:
    assert within(Fraction(5, 3), Fraction(5, 3)) == "1.6666 .. 1.6667"
    assert within(Fraction(1), inf) == "1 .. ∞"


def test_markdown_tables_are_well_formed() -> None:
    lines = markdown_report(report()).splitlines()
    bars = [re.sub(r"\\\|", "", line).count("|") for line in lines]
    starts = [i for i, line in enumerate(lines) if line.startswith("| ---")]
    assert len(starts) == 5
    for start in starts:
        end = start
        while end < len(lines) and lines[end].startswith("|"):
            assert bars[end] == bars[start]
            end += 1
        assert end > start + 1
    assert "| `near` | 3 | 2 | 33.3 % | 1 | 1.3750 (11/8) |" in "\n".join(lines)


# The page


def test_the_page_needs_nothing_else() -> None:
    page = html_report(report())
    assert not re.search(r"<script [^>]*src|<link[^>]+stylesheet|@import|<iframe", page)
    page, script = page.split("<script>")
    assert len(script) < 10_000
    assert "fetch" not in script
    addresses = set(re.findall(r'([\w:]+)="(?:https?:)?//[^"]*"', page))
    assert addresses <= {"xmlns", "xmlns:xlink"}
    assert "url(http" not in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for used in re.findall(r'(?:href="#|url\(#)([^")]+)', page):
        assert used in ids
    for named in re.findall(r'aria-labelledby="([^"]+)"', page):
        assert set(named.split()) <= set(ids)


def test_pictures_in_the_page_are_well_formed_and_named() -> None:
    page = html_report(report())
    pictures = re.findall(r"<svg.*?</svg>", page, flags=re.S)
    assert len(pictures) == 1 + 1  # first of all, the one worst instance
    first, *others = map(ElementTree.fromstring, pictures)
    assert first.get("aria-label", "").startswith("near: optimal on 1 of 3; ")
    for root in others:
        assert root[0].tag.endswith("title")
        assert root[0].text
    assert "#010101" not in page
    assert "#050505" not in page


def test_the_worst_instance_is_drawn_beside_the_optimum() -> None:
    page = html_report(report())
    assert "far at its worst: ratio 2" in page
    assert "<dt>also the worst of</dt><dd>near 1.7500</dd>" in page
    assert "chosen by far" in page


def test_a_report_without_any_answer_is_still_a_page() -> None:
    failed = [
        replace(r, status="failed", error="x", cost=None, bound=None, proof=None)
        for r in rows()
    ]
    failed = [replace(r, selection=None, seconds=None, limit=None) for r in failed]
    page = html_report(report(failed))
    assert "9 runs failed." in page
    assert markdown_report(report(failed))


@pytest.mark.parametrize("epoch", [None, "1700000000"])
def test_dates_come_from_the_rows_or_the_environment(
    epoch: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    if epoch:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    expected = "14 November 2023" if epoch else "21 November 2026"
    assert f"closeknit ratio report, {expected}." in html_report(report())
    assert f"closeknit ratio report, {expected}." in markdown_report(report())


def test_a_wrong_date_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(InputError, match=r"^SOURCE_DATE_EPOCH: must be seconds"):
        report()


def test_the_same_rows_give_the_same_bytes() -> None:
    program = (
        "import sys, hashlib\n"
        "from tests.reports.ratios.samples import report, rows\n"
        "from tests.reports.written import csv_table, html_report, markdown_report\n"
        "other = sys.argv[1] == 'other'\n"
        "r = report(witnesses=rows()[::-1] if other else rows())\n"
        "for text in (html_report(r), markdown_report(r), csv_table(r.judged)):\n"
        "    print(hashlib.sha256(text.encode()).hexdigest())\n"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", program, which],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for which, seed in (("same", "1"), ("other", "2"))
    ]
    assert found[0] == found[1]
    assert len(found[0].split()) == 3


# Drawings


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def words(picture: str) -> list[str]:
    return [t.text or "" for t in parsed(picture).iter() if t.tag.endswith("}text")]


def cells(picture: str, name: str) -> int:
    """Count cells: the lengths of the runs stroked in a class."""
    paths = [
        e.get("d", "")
        for e in parsed(picture).iter()
        if e.tag.endswith("path") and e.get("class") == name
    ]
    return sum(int(length) for d in paths for length in re.findall(r"h(\d+)", d))


def test_a_mesh_is_drawn_cell_by_cell() -> None:
    instance = small("half", 4, busy=5)
    picture = draw(instance, {"mm": (0, 1, 4, 5), "optimal": (0, 1, 2, 5)})
    assert cells(picture, "ck-a") == cells(picture, "ck-b") == 4
    assert cells(picture, "ck-free") == 2 * 7
    said = words(picture)
    assert said[:2] == ["half", "3×4 mesh, 7 of 12 processors free, k = 4"]
    for expected in ("mm", "cost 8", "optimal", "chosen by mm", "busy"):
        assert expected in said
    dots = re.findall(r'class="ck-dot" d="([^"]+)"', picture)
    assert [d.count("M") for d in dots] == [1, 1]


def test_one_selection_has_no_dots() -> None:
    picture = draw(small("one"), {"mm": (0, 1, 4)}, title="A title")
    assert 'class="ck-dot"' not in picture
    assert words(picture)[0] == "A title"
    assert "busy" not in words(picture)


def test_a_torus_says_that_it_wraps_around() -> None:
    topology = Torus((3, 3))
    instance = KSubset("t", topology, tuple(topology.locations()), 3)
    picture = draw(instance, {"mm": (0, 2, 6)})
    assert "opposite sides are joined: links wrap around" in words(picture)
    assert "stroke-dasharray" in picture


def test_three_axes_are_drawn_in_layers() -> None:
    instance = mesh(2, 3, 4, k=5)
    picture = draw(instance, {"mm": range(5)})
    assert {"layer 0", "layer 1"} <= set(words(picture))
    assert cells(picture, "ck-a") == 5
    assert cells(picture, "ck-free") == 24


@pytest.mark.parametrize("shape", [(1,), (7,), (1, 1, 1), (2, 2, 2, 2)])
def test_other_dimensions(shape: tuple[int, ...]) -> None:
    assert cells(draw(mesh(*shape, k=1), {"mm": (0,)}), "ck-a") == 1


def test_large_meshes_are_drawn_around_the_choice() -> None:
    topology = Mesh((300, 300))
    middle = tuple((150, y) for y in range(140, 160))
    instance = KSubset("large", topology, middle, 4)
    picture = draw(instance, {"mm": (3, 4, 5, 6), "optimal": (8, 9, 10, 11)})
    assert "only the surroundings of the choice are drawn" in words(picture)
    assert cells(picture, "ck-a") == cells(picture, "ck-b") == 4
    assert len(picture) < 12_000


def test_choices_scattered_over_large_meshes_are_dots() -> None:
    topology = Mesh((600, 600))
    sites = tuple((x, (7 * x) % 600) for x in range(600))
    instance = KSubset("large", topology, sites, 600)
    picture = draw(instance, {"mm": range(600)})
    assert "too large to tell free and busy processors apart" in words(picture)
    (marks,) = re.findall(r'class="ck-a" d="([^"]+)"', picture)
    assert marks.count("M") == 600
    assert len(picture) < 20_000


def test_a_layer_without_a_free_processor_is_busy() -> None:
    topology = Mesh((2, 2, 2))
    instance = KSubset("half", topology, tuple(topology.locations())[:4], 2)
    picture = draw(instance, {"mm": (0, 1)})
    grounds = re.findall(r'class="(ck-\w+)" d="M0 0h2v2h-2z"', picture)
    assert grounds == ["ck-busy", "ck-busy"]
    assert cells(picture, "ck-free") == 4


def test_coincident_points_are_counted() -> None:
    topology = Points(((0, 0),) * 3 + ((50, 0),) * 2 + ((0, 90),))
    instance = KSubset("p", topology, topology.coordinates[:5], 4)
    said = words(draw(instance, {"mm": (0, 1, 2, 4)}))
    assert "6 points in 2-D, 5 of 6 processors free, k = 4" in said
    assert {"3/3", "1/2"} <= set(said)


def test_points_on_one_spot_can_be_drawn() -> None:
    topology = Points(((5,),) * 3)
    instance = KSubset("p", topology, topology.coordinates, 2)
    assert "2/3" in words(draw(instance, {"mm": (0, 2)}))


def test_a_scale_is_told() -> None:
    topology = Points(((0, 0), (5, 0)), scale=10)
    instance = KSubset("p", topology, topology.coordinates, 2)
    assert "cost 5 / 10" in words(draw(instance, {"mm": (0, 1)}))


def test_trees_are_drawn_or_listed() -> None:
    little = Tree((-1, 0, 0, 1, 1, 2), (0, 2, 2, 1, 1, 1), (3, 4, 5))
    instance = KSubset("tree", little, ((3,), (5,)), 1)
    picture = draw(instance, {"mm": (1,)})
    squares = [
        e.get("class")
        for e in parsed(picture).iter()
        if e.tag.endswith("rect") and e.get("width") == "16"
    ]
    assert sorted(map(str, squares)) == ["ck-a", "ck-busy", "ck-free"]
    big = Tree((-1,) + (0,) * 200, (1,) * 201, tuple(range(1, 201)))
    instance = KSubset("big", big, tuple((v,) for v in range(1, 201)), 3)
    said = words(draw(instance, {"mm": (4, 5, 6)}))
    assert "below 0: 5, 6, 7" in said


def test_names_are_escaped() -> None:
    instance = replace(small("<&>"), name="a <b> & c")
    assert words(draw(instance, {"<mm>": (0, 1, 4)}))[0] == "a <b> & c"


def test_invalid_selections_are_refused() -> None:
    with pytest.raises(InputError, match=r"^mm: no free processor 12; 2 processors"):
        draw(small("a"), {"mm": (0, 12)})
    with pytest.raises(ValueError, match="one or two"):
        draw(small("a"), {})
    with pytest.raises(ValueError, match="one or two"):
        draw(small("a"), dict.fromkeys("abc", (0, 1, 2)))


# What is proven where, and means over the same instances


def only_for_four(instance: KSubset) -> Fraction | None:
    """A guarantee that says nothing of k = 3, as the PTAS has none at k = 2."""
    return Fraction(9, 8) if instance.k == 4 else None


def partly_covered() -> Report:
    near = Method("near", first, guarantee=only_for_four)
    return report_on([A, B, C], rows(), {"ksubset": {**TABLE, "near": near}})


def test_a_guarantee_stands_only_for_the_instances_that_it_covers() -> None:
    found = partly_covered()
    near = found.summaries[0]
    assert near.spread is not None
    assert (near.runs, near.covered) == (3, 1)
    assert (near.spread.most, near.covered_most) == (Fraction(7, 4), 1)
    assert near.guarantee == Fraction(9, 8)
    assert found.covered == 1
    assert found.finding == (
        "no ratio exceeds a proven guarantee (1 of 9 rows has one), no run failed"
    )
    page, text = html_report(found), markdown_report(found)
    assert "<small>on 1 of 3, max there 1</small>" in page
    assert "1.1250 (9/8) (on 1 of 3, max there 1) |" in text
    assert page.count('<circle class="open"') == 1
    assert "grey, not covered by the factor" in page
    assert "Black" not in page  # on dark pages it is white


def test_a_guarantee_that_covers_all_is_shown_as_it_is() -> None:
    found = report()
    assert found.summaries[0].covered == found.summaries[0].runs == 3
    written = html_report(found) + markdown_report(found)
    assert "max there" not in written
    assert "alike" not in written  # all take all
    assert found.finding == (
        "no ratio exceeds a proven guarantee (3 of 9 rows have one), no run failed"
    )


def test_means_over_the_instances_that_all_take_stand_beside_each_ones_own() -> None:
    near = [r for r in rows() if (r.instance, r.method) != ("b", "near")]
    found = report(near)
    assert found.shared.instances == {"a"}
    means = {s.name: (s.spread and s.spread.mean, s.shared) for s in found.summaries}
    assert means == {
        "near": (Fraction(7, 4), (Fraction(7, 4),)),
        "far": (Fraction(7, 4), (2,)),
        "auto": (1, (1,)),
    }
    text = markdown_report(found)
    assert "'mean alike' averages over the 1 instance that all methods take." in text
    assert "| far | 3 | 2 | 0 % | 1.5000 (3/2) | 1.7500 (7/4) | 2 |" in text.replace(
        "`", ""
    )
    assert "mean alike" in html_report(found)


def test_without_a_common_instance_those_that_take_half_are_compared() -> None:
    kept = [
        r for r in rows() if (r.instance, r.method) not in {("a", "near"), ("b", "far")}
    ]
    extra = small("e", 5)
    found = report_on(
        [A, B, C, extra],
        [*kept, optimal(extra, "auto", 11, selection=(0, 1, 2, 4, 5))],
        METHODS,
    )
    assert found.shared.instances == {"a", "b", "e"}
    assert found.shared.methods == {"auto"}
    assert not found.shared.tells
    found = report(kept)
    assert (found.shared.of, found.shared.instances) == (3, frozenset())
    assert "mean alike" not in markdown_report(found)


def test_methods_of_few_instances_are_not_named_closest() -> None:
    few = [r for r in rows() if r.method != "near" or r.instance == "a"]
    few = [replace(r, cost=4) if r.method == "near" else r for r in few]
    proved = [optimal(C, "auto", 8) if r.key == rows()[-1].key else r for r in few]
    found = report(proved)
    assert [s.name for s in found.ranked] == ["far", "near"]
    assert "far" in map(plain_text, inlines(answers(found)[0]))
    assert [s.name for s in report().ranked] == ["near", "far"]
