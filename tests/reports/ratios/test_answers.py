"""The first screen answers the title; built worst cases count in no mean."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from closeknit.instances.ksubset.worst_cases import is_built
from closeknit.instances.library import all_worst_cases, suite
from closeknit.methods import METHODS
from closeknit.proofs.checking.folder import BY_DEFINITION, Content, Entry
from closeknit.reports.campaigns.campaign import SYSTEMS, lineups
from closeknit.reports.ratios.answers import picture
from closeknit.reports.ratios.methods_sections import worst_cards
from closeknit.reports.ratios.report import Report, report_on
from closeknit.solvers.running.method import table

from ...toys import made, optimal, small
from ..written import html_report, markdown_report
from .samples import METHODS as SAMPLES
from .samples import A, C, report, rows
from .samples_of_levels import BAG, TABLES, full, proved
from .samples_of_levels import A as A_SET
from .samples_of_levels import B as B_SET
from .samples_of_levels import C as C_SET
from .samples_of_levels import row as level_row

BUILT = replace(small("built", 3, busy=1), source="worst case of near: by hand")


def mixed() -> Report:
    """The sample, and an instance built against a method, on which near pays double."""
    more = [
        made(BUILT, "near", cost=14, selection=(0, 1, 10)),
        made(BUILT, "far", cost=8, selection=(0, 1, 10)),
        optimal(BUILT, "auto", 8, selection=(0, 1, 4)),
    ]
    known = report()
    instances = [v.instance for v in known.verdicts]
    return report_on([*instances, BUILT], [*rows(), *more], SAMPLES)


def test_built_and_drawn_instances_are_never_in_one_mean() -> None:
    alone, both = report(), mixed()
    for before, after in zip(alone.summaries, both.summaries, strict=True):
        assert (after.spread, after.runs) == (before.spread, before.runs)
        assert (after.optimal, after.shared) == (before.optimal, before.shared)
    near = both.summaries[0]
    assert near.built is not None
    assert near.built.ratio == Fraction(7, 4)
    assert "max, built" in markdown_report(both)
    assert "max, built" not in markdown_report(alone)


def test_built_instances_count_in_no_share_and_no_time() -> None:
    alone, both = report(), mixed()
    for before, after in zip(alone.summaries, both.summaries, strict=True):
        assert (after.seconds, after.mean_seconds) == (
            before.seconds,
            before.mean_seconds,
        )


def test_a_method_of_built_instances_alone_is_reported() -> None:
    """It has no run that counts, and so no share of optimal ones."""
    some = [r for r in mixed().rows if r.method != "far" or r.instance == "built"]
    known = [v.instance for v in mixed().verdicts]
    page = html_report(report_on(known, some, SAMPLES))
    assert "near comes closest" in re.sub("<[^>]+>", "", page)


def test_built_instances_alone_have_means() -> None:
    some = [r for r in mixed().rows if r.instance == "built"]
    spread = report_on([BUILT], some, SAMPLES).summaries[0].spread
    assert spread is not None
    assert spread.mean == Fraction(7, 4)


def test_instances_say_that_they_were_built_against_a_method() -> None:
    assert all(is_built(case.instance.source) for case in all_worst_cases())
    drawn = [one for one in suite("bundled") if not is_built(one.source)]
    built = {one.name for one in suite("bundled")} - {one.name for one in drawn}
    assert built == {"mm-distinct-L20", "theorem1-d2-k8-eps1-132"}


def test_the_first_screen_answers_the_title() -> None:
    page = html_report(mixed())
    answer = page.index('<p class="answer">')
    picture, grades = page.index('class="strips"'), page.index('class="bar"')
    assert answer < picture < grades < page.index("Ratios by method")
    text = re.sub("<[^>]+>", "", page[answer:picture])
    assert "near comes closest, optimal on 33.3 % of 3 instances" in text
    assert "at worst 1.7500 (a); on those built against a method 1.7500 (built)" in text
    assert "proven: at most 1.7500" in text


def test_what_ranks_is_what_is_shown() -> None:
    """Where methods take different instances, the mean over those in common."""
    found = report([r for r in rows() if (r.instance, r.method) != ("b", "near")])
    page = html_report(found)
    text = re.sub("<[^>]+>", "", page)
    assert "far comes closest" not in text
    assert "1.7500 times the optimum on average over the 1 that 3 of 3 methods" in text
    listed = re.findall(r"<span>([\d.]+)<i>", page)
    assert listed == sorted(listed, key=float) == ["1.7500", "2"]
    assert "Sorted by mean alike" in text
    assert "Sorted by mean;" in html_report(report())
    assert "Sorted by the share of optimal answers" in html_report(full())


def test_a_variant_that_is_no_closer_comes_after_its_method_and_is_not_drawn() -> None:
    table = METHODS["ksubset"]
    names = ("hilbert/first-fit", "hilbert/best-fit")
    run = [made(A, name, cost=5, selection=(0, 1, 4)) for name in names]
    run.append(optimal(A, "auto", 4, selection=(0, 1, 4)))
    found = report_on([A], run, {"ksubset": table})
    assert [s.name for s in found.ranked] == [*reversed(names)]
    drawn = picture(found)
    assert drawn is not None
    assert names[0] not in drawn.svg


def test_equals_of_the_closest_are_counted() -> None:
    same = [replace(r, method="far") for r in rows() if r.method == "near"]
    found = report([r for r in rows() if r.method != "far"] + same)
    text = markdown_report(found)
    assert "`near` comes closest, like 1 other, optimal on 33.3 %" in text
    assert "like" not in markdown_report(report()).partition("##")[0]


def test_an_answer_that_needs_no_proof_in_a_file_has_a_line_that_checks_it() -> None:
    """As a cost of 0 has: its definition proves it."""
    one, two = (Content(f"{name}.json", "0" * 64) for name in ("one", "two"))
    entry = Entry(
        name="a",
        problem="ksubset",
        status="optimal",
        kind=BY_DEFINITION,
        by="auto",
        instance=one,
        solution=two,
        cost=4,
    )
    instances = [v.instance for v in report().verdicts]
    found = report_on(instances, rows(), SAMPLES, kept={"a": entry})
    page = html_report(found)
    assert "<code>closeknit check proofs/one.json proofs/two.json</code>" in page


def test_there_is_a_sentence_on_every_problem() -> None:
    found = full()
    page = html_report(found)
    assert page.count('<p class="answer">') == len(found.parts) == 2
    assert all(
        part.ranked or "and so no ratio" in page for part in found.parts.values()
    )


def test_dots_say_their_instance() -> None:
    page = html_report(mixed())
    titles = re.findall(r"<circle([^>]*)><title>([^<]*)</title>", page)
    assert len(titles) == sum(j.ratios is not None for j in mixed().judged) - 3  # auto
    assert 'class="built"' in {t: c for c, t in titles}["near on built: 1.7500 = 7/4"]
    assert "near on a: 1.7500 = 7/4" in {text for _, text in titles}


def top_of(found: Report) -> str:
    """What the header of a page says, before anything comes closest."""
    page = html_report(found)
    top = re.sub("<[^>]+>", "", page[page.index("<header>") : page.index("</header>")])
    return top.partition("comes closest")[0]


def test_a_failing_bound_is_named_at_the_top() -> None:
    over = [replace(r, cost=8) if r.cost == 7 else r for r in rows()]
    named = "near on a: ratio 2, above 7/4."
    assert named in top_of(report(over))
    assert named in markdown_report(report(over)).replace("`", "")


def test_every_method_whose_bound_fails_is_named_by_its_worst_run() -> None:
    """However many rows of another method come before it."""
    table = {name: replace(SAMPLES["ksubset"]["near"], name=name) for name in "xy"}
    tables = {"ksubset": {**table, "auto": SAMPLES["ksubset"]["auto"]}}
    many = [replace(A, name=f"i{i}") for i in range(7)]
    run = [
        made(one, "x", cost=8 + i, selection=(0, 1, 11)) for i, one in enumerate(many)
    ]
    run += [made(one, "y", cost=8, selection=(0, 1, 11)) for one in many[-1:]]
    run += [optimal(one, "auto", 4, selection=(0, 1, 4)) for one in many]
    top = top_of(report_on(many, run, tables))
    assert "x on i6: ratio 7/2, above 7/4. y on i6: ratio 2, above 7/4. 6 more" in top


def test_links_to_failures_lead_somewhere_on_several_problems_too() -> None:
    sure = replace(TABLES["sukp"]["near"], guarantee=lambda instance: Fraction(1))
    bags = [replace(BAG, name=name) for name in ("bag", "sack")]
    run = [replace(proved(bag, 4), selection=(0, 2)) for bag in bags]
    run += [level_row(bag, "near", cost=7, selection=(0,)) for bag in bags]
    run += [proved(A_SET, (8, 0, 2))]
    tables = {**TABLES, "sukp": {**TABLES["sukp"], "near": sure}}
    page = html_report(report_on([A_SET, *bags], run, tables))
    assert "1 more under <a href=" in page
    ids = set(re.findall(r'\bid="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)', page)) <= ids


def test_a_contradicted_proof_is_named_at_the_top() -> None:
    lying = [replace(r, cost=5, bound=5) if r.cost == 4 else r for r in rows()]
    lying.append(made(A, "near", cost=4, selection=(0, 1, 4)))
    named = "a: auto (enumerated: toy) claims at least 5, but near found 4."
    assert named in top_of(report(lying))


def test_a_guarantee_on_costs_of_several_levels_is_not_called_kept() -> None:
    sure = replace(TABLES["procset"]["near"], guarantee=lambda instance: Fraction(1))
    tables = {**TABLES, "procset": {**TABLES["procset"], "near": sure}}
    found = report_on([A_SET, B_SET, C_SET, BAG], full().rows, tables)
    said = "2 stated guarantees could not be tested: costs of several levels"
    assert found.nothing.startswith(said)
    assert not found.holds


@pytest.mark.parametrize(
    "factor", [Fraction(-3), Fraction(0), Fraction(1, 2), Fraction(10**400)]
)
def test_a_factor_beyond_the_axis_stands_at_its_end(factor: Fraction) -> None:
    """Nobody can mean it, and yet the report tells what became of it."""
    stated = replace(SAMPLES["ksubset"]["near"], guarantee=lambda instance: factor)
    tables = {"ksubset": {**SAMPLES["ksubset"], "near": stated}}
    found = report_on([A, C], [r for r in rows() if r.instance != "b"], tables)
    page = html_report(found)
    place = "100.00%" if factor > 1 else "0.00%"
    assert f'<line class="proven" x1="{place}"' in page
    assert found.holds == (factor > 1)


def test_no_worst_instance_is_drawn_twice() -> None:
    found = mixed()
    cards = worst_cards(found)
    names = [card.runs[0].row.instance for card in cards]
    assert len(names) == len(set(names))
    assert {j.row.method for card in cards for j in card.runs} == {"near", "far"}
    page = html_report(found)
    assert page.count('<figure class="worst"') == len(names)


def test_a_method_without_a_ratio_is_not_called_optimal() -> None:
    """Neither where its runs failed, nor where no optimum is proven."""
    failed: dict[str, Any] = {"status": "failed", "error": "x"}
    failed |= {"cost": None, "selection": None}
    dead = [replace(r, **failed) if r.method != "auto" else r for r in rows()]
    open_ = [r for r in rows() if r.instance == "c"]
    for found in (report(dead), report_on([C], open_, SAMPLES)):
        text = markdown_report(found)
        assert "Without an exact ratio: `near, far`." in text
        assert "worse" not in text
    assert "no heuristic of 2 found a solution on 2 instances" in markdown_report(
        report(dead)
    )
    assert "no optimum is proven on 1 instance, and so no ratio" in text


def test_variants_are_folded_under_their_method() -> None:
    table = METHODS["ksubset"]
    names = ("mm-inc", "mm-inc-first", "mm", "mm-all", "hilbert/first-fit", "auto")

    cost = dict(zip(names, (4, 8, 5, 6, 7, 4), strict=True))
    run = [made(A, name, cost=cost[name], selection=(0, 1, 4)) for name in names[:-1]]
    run.append(optimal(A, "auto", 4, selection=(0, 1, 4)))
    page = html_report(report_on([A], run, {"ksubset": table}))
    body = page[page.index("<tbody>") :]
    listed = re.findall(r"<tr( class=under)?><th[^>]*><a [^>]*>([^<]+)", body)
    assert listed == [
        ("", "mm-inc"),
        (" class=under", "mm-inc-first"),
        ("", "mm"),
        (" class=under", "mm-all"),
        ("", "hilbert/first-fit"),  # its method was not run
        ("", "auto"),
    ]


PAPERS = {
    "ksubset": (
        *("mm", "mm-free", "mm-inc", "mc", "mc1x1", "ptas", "ptas-published"),
        *("hilbert/best-fit", "hilbert/first-fit", "hilbert/sorted-free"),
        *("snake/best-fit", "row/best-fit", "mc-elongated", "plas", "mbs", "paging"),
        *("random", "consecutive", "shuffle", "row", "column", "quadrant"),
    ),
    "procset": ("reaching-printed",),
    "submesh": (
        *("fs-n", "fs-1", "fs-f", "as", "mbv", "zhu-first-fit", "zhu-best-fit"),
        *("buddy", "iss", "4iss"),
    ),
}
"""The systems of the five papers that choose."""


def test_systems_are_all_of_the_papers_and_no_variant_of_a_variant() -> None:
    found = lineups(SYSTEMS, "auto", suite("bundled"))
    for problem, wanted in PAPERS.items():
        assert {m.name for m in found[problem].methods} >= set(wanted)
    for problem, lineup in found.items():
        table = METHODS[problem]
        for method in lineup.methods:
            assert not method.exact
            assert not method.runs_solver
            if above := method.variant_of:
                assert not table[above].variant_of
    left = {m.name for m in METHODS["ksubset"].values()} - set(found["ksubset"].by_name)
    assert {"ptas/2", "snake/first-fit", "row/sorted-free"} <= left


def test_variants_and_quick_methods_are_methods_that_there_are() -> None:
    """A table that names a method which was removed cannot be made."""
    for problem, methods in METHODS.items():
        wrong: tuple[dict[str, Any], ...] = (
            {"variants": {"auto": ("gone",)}},
            {"quick": ("gone",)},
        )
        for names in wrong:
            with pytest.raises(ValueError, match=r"has no methods \['gone'\]"):
                table(problem, *methods.values(), **names)


def test_of_several_exact_methods_each_problem_takes_the_first_it_has() -> None:
    found = lineups(None, "cuts-bb, classes/cpsat", suite("bundled"))
    names = {problem: lineup.exact.name for problem, lineup in found.items()}
    auto = {"sukp": "auto", "submesh": "auto"}
    assert names == {"ksubset": "cuts-bb", "procset": "classes/cpsat", **auto}
