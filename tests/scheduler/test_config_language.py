"""Broken configurations are refused, each fault at its place; what good ones mean."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from closeknit.instances import InputError, cost
from closeknit.scheduler.config import (
    bundled_configurations,
    examine,
    parse_configuration,
    read_configuration,
)
from closeknit.scheduler.config.expectations import WORDS
from closeknit.scheduler.config.files import examine_text

from ..data import needs
from ..paths import ROOT, SHARED
from .samples import BROKEN, FIGURE, GOOD

PAPER = "papers/drakenberg-2012-processor-set-selection.txt"


def _expected() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for line in (BROKEN / "expected.txt").read_text().splitlines():
        found[line.partition(":")[0]].append(line)
    return found


EXPECTED = _expected()


def test_the_corpus_is_large_and_complete() -> None:
    assert {path.name for path in BROKEN.glob("*.conf")} == set(EXPECTED)
    assert len(EXPECTED) >= 60
    contents = {(BROKEN / name).read_bytes() for name in EXPECTED}
    assert len(contents) == len(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_broken_configuration(name: str) -> None:
    path = BROKEN / name
    lines = [f"{BROKEN}/{line}" for line in EXPECTED[name]]
    try:
        found = [str(error) for error in examine(path).errors]
    except InputError as error:
        found = [str(error)]
    assert found == lines
    with pytest.raises(InputError) as caught:
        read_configuration(path)
    assert str(caught.value) == lines[0]


def test_messages_speak_no_grammar() -> None:
    text = (BROKEN / "expected.txt").read_text()
    own = {"NAME", "INT", "PROCESSOR", "DECIMAL", "OTHERWISE"}
    assert not {word for word in WORDS if word in text and "_" in word}
    assert not own & set(text.replace('"', " ").replace(",", " ").split())


def test_every_terminal_has_a_word() -> None:
    from closeknit.scheduler.config.parse import parser

    terminals = {one.name for one in parser().terminals}
    assert terminals - {"COMMENT", "SPACE"} == set(WORDS) - {"$END"}


# What a good one means ---------------------------------------------------------


def test_slots_by_queue_and_groups_by_processor() -> None:
    one = parse_configuration(GOOD, name="good")
    assert one.hosts == ("n01", "n02", "k007")
    assert one.processors[8:] == tuple(f"k007.{i}" for i in range(1, 7))
    names = one.processors
    assert [names[i] for i in one.usable("cluster")[8:]] == [
        "k007.1",
        "k007.3",
        "k007.5",
    ]
    assert [names[i] for i in one.usable("standby")[8:]] == [
        "k007.2",
        "k007.4",
        "k007.6",
    ]
    odd = one.groups[3]
    assert [names[i] for i in odd.members] == ["n01.1", "n01.2", "k007.1", "k007.3"]
    assert one.levels == 2
    assert one.lookahead == 1


def test_sets_are_those_priced_for_queue_and_size_and_restricted_to_the_queue() -> None:
    one = parse_configuration(GOOD, name="good")
    assert [s.name for s in one.sets_for("cluster", 4)] == ["h1", "h2"]
    assert [s.name for s in one.sets_for("cluster", 5)] == ["h1", "pair"]
    (odd,) = one.sets_for("standby", 1)
    assert [one.processors[i] for i in odd.members] == ["n01.1", "n01.2"]
    problem = one.instance("standby", 6, [0, 4, 8, 9])
    assert [one.processors[i] for i in problem.available] == [
        "n01.1",
        "n02.1",
        "k007.2",
    ]
    assert problem.request == 6
    assert cost(problem, [0, 4]) == (3, 0)


def test_constraints_of_a_queue_come_before_those_of_none() -> None:
    one = parse_configuration(GOOD, name="good")
    found = {
        (queue, pes): one.constraint_for(queue, pes)
        for queue in one.queues
        for pes in (1, 2, 3, 9)
    }
    lines = {key: constraint.line for key, constraint in found.items() if constraint}
    assert lines == {
        ("cluster", 1): 10,
        ("cluster", 2): 10,
        ("cluster", 3): 10,
        ("cluster", 9): 13,
        ("standby", 1): 11,
        ("standby", 2): 11,
        ("standby", 3): 12,
        ("standby", 9): 12,
    }
    last = found["cluster", 9]
    assert last is not None
    assert last.text == "cost <= ceil(1.2*MINCOST(PEs)) + [0,2]"
    assert last.needs(9) == (9,)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("cost <= [4,6]", True),
        ("cost <= [5,3]", False),  # componentwise: the second is larger
        ("cost lex <= [5,3]", True),  # lexicographically the first decides
        ("cost lex < [4,6]", False),
        ("cost lex < [4,7]", True),
        ("cost < [5,6]", False),
        ("cost < [5,7]", True),
        ("cost >= [4,7]", False),
        ("cost lex >= [4,5]", True),
        ("cost = [4,6]", True),
        ("cost != [4,7]", True),
        ("cost != [4,6]", False),
        ("not cost <= [5,3] and not cost > [5,3]", True),
        ("cost[1] = 4 and cost[2] = 6", True),
        ("cost[2] > 6 or cost[1] < 4", False),
        ("cost <= ceil(1.2*MINCOST(PEs))", False),  # 1.2*(3,5) = (3.6, 6)
        ("cost <= ceil(1.4*MINCOST(PEs))", True),
        ("cost <= floor(1.4*MINCOST(PEs))", True),
        ("cost <= floor(1.3*MINCOST(PEs)) + [0,1]", False),
        ("cost <= MINCOST(2) + [1,1]", True),
        ("cost <= MINCOST(2) + [1,1] - [0,1]", False),
        ("0.1*cost + 0.2*cost = 0.3*cost", True),  # exact
        ("cost/3*3 = cost", True),
        ("[2*PEs, 6] = cost", True),
        ("-cost + cost = [0,0]", True),
        ("(cost + cost)[2] = 12", True),
        ("2*3 + 4 = 10 and 2*(3 + 4) = 14 and 10 - 3 - 2 = 5", True),
        ("false or not false and true", True),
    ],
)
def test_conditions(condition: str, holds: bool) -> None:
    mincost = {2: (3, 5)}
    text = GOOD.replace("cost <= [4,6]", condition)
    constraint = parse_configuration(text).constraint_for("cluster", 2)
    assert constraint is not None
    # 1.2*(3,5) is (3.6, 6), rounded up (4, 6): put a smaller least cost there
    if "1.2" in condition:
        mincost = {2: (3, 4)}
    assert constraint.holds((4, 6), 2, mincost.__getitem__) is holds
    again = parse_configuration(text.replace(condition, constraint.text))
    assert again.constraint_for("cluster", 2) == constraint


def test_mincost_is_asked_only_where_it_decides() -> None:
    text = GOOD.replace("cost <= [4,6]", "cost <= [9,9] or cost <= MINCOST(3)")
    constraint = parse_configuration(text).constraint_for("cluster", 2)
    assert constraint is not None
    assert constraint.needs(2) == (3,)

    def refuse(n: int) -> tuple[int, ...]:
        raise AssertionError(n)

    assert constraint.holds((4, 6), 2, refuse)


def test_the_figure() -> None:
    assert FIGURE in bundled_configurations()
    report = examine(FIGURE)
    one = report.configuration
    assert one is not None
    assert [str(w).partition(": ")[2] for w in report.warnings] == [
        "warning: queue standby has no prices: all its selections cost nothing",
        "warning: host n20 is in two groups of level 4, pwr2 and pwr4, and pays for "
        "both (n40 in none)",
    ]
    assert (len(one.hosts), len(one.processors), len(one.groups)) == (42, 168, 68)
    assert len(one.sets_for("cluster", 4)) == 42
    assert len(one.sets_for("cluster", 5)) == 68
    (free,) = one.sets_for("standby", 5)
    assert (free.cost, len(free.members)) == ((0,) * 5, 168)
    assert one.instance("cluster", 168, range(168)).total[:4] == (28, 3, 24, 16)
    heads = [
        (one.constraint_for("cluster", pes), pes) for pes in (4, 5, 16, 17, 33, 65, 168)
    ]
    texts = [c.text for c, _ in heads if c]
    assert texts[1] == texts[2] == "cost <= [8,1,6,8,628]"
    assert texts[-1] == "cost <= ceil(1.2*MINCOST(PEs)) + [4,0,2,0,28]"
    assert [c.needs(pes) for c, pes in heads if c] == [
        (),
        (),
        (),
        (32,),
        (64,),
        (65,),
        (168,),
    ]


@needs(PAPER)
def test_the_figure_has_the_prices_of_the_paper() -> None:
    text = (SHARED / PAPER).read_text(encoding="utf-8")
    one = read_configuration(FIGURE)
    printed = dict(re.findall(r"cluster@(\w+)=\[([\d,]+)[\]}]", text))
    assert len(printed) == 68
    assert {
        price.group: ",".join(map(str, price.cost)) for price in one.costs[1].prices
    } == printed
    assert {price.group: price.cost for price in one.costs[0].prices}.items() <= {
        price.group: price.cost for price in one.costs[1].prices
    }.items()
    # groups of the figure that are printed whole (some with escaped braces)
    groups = dict(re.findall(r"\b(\w+)=\\?\{(n[\d,n]+)\\?\}", text))
    named = {group.name: group for group in one.groups}
    assert len(groups) > 30
    for name, members in groups.items():
        hosts = {one.hosts[one.host_of[i]] for i in named[name].members}
        assert hosts == set(members.split(",")), name
    conditions = re.findall(r"(?:\]|otherwise) : (cost .*?),?\n", text + "\n")
    assert [c.text for c in one.constraints[:4]] == conditions[:4]


WARNINGS: dict[str, tuple[tuple[str, str] | str, ...]] = {
    "a queue without processors": (
        ("standby@2,4,6]", "cluster@2,4,6]"),
        ("[n01=1..4], [n02=1..4]", "[n01=cluster@1..4], [n02=cluster@1..4]"),
        "2:18: warning: queue standby has no processors",
    ),
    "a group without price": (
        ("pair={n01..n02}", "pair={n01..n02}, idle={n02}"),
        "4:46: warning: group idle has no price",
    ),
    "a host in no group": (
        ("[n02=1..4]", "[n02=1..4], [n03=1..4]"),
        "3:33: warning: host n03 is in no group",
    ),
    "a price of nothing": (
        ("cluster@h2=[0,2]", "cluster@h2=[0,0]"),
        "6:53: warning: group h2 costs nothing",
    ),
    "sizes beyond the machine": (
        (
            "    otherwise: ",
            "    when PEs in [99,100]: cluster@h1=[1,1]\n    otherwise: ",
        ),
        "7:5: warning: when PEs in [99,100] is never used: there are 14 processors",
    ),
    "otherwise for nothing": (
        ("in [1,4]: cl", "in [1,14]: cl"),
        "7:5: warning: otherwise is never used: no size is left over",
    ),
    "two groups on one level": (
        ("cluster@pair=[4,0]", "cluster@pair=[0,4]"),
        "4:35: warning: host n01 is in two groups of level 2, h1 and pair, and pays "
        "for both (k007 in none)",
    ),
    "a queue without constraints": (
        ("    when PEs in [1,4] : cost <= [4,6],\n", ""),
        (",\n    otherwise : cost <= ceil(1.2*MINCOST(PEs)) + [0,2]", ""),
        "2:9: warning: queue cluster has no constraint: it accepts every selection",
    ),
    "a price without processors": (
        ("odd={k007.1, k007.3, n01.1..n01.2}", "odd={k007.1, k007.3}"),
        "6:60: warning: queue standby has no processors of group odd",
    ),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_warnings(name: str) -> None:
    text = GOOD
    *changes, warning = WARNINGS[name]
    for change in changes:
        assert change[0] in text
        text = text.replace(*change)
    assert f"odd.conf:{warning}" in _warnings(text)


def _warnings(text: str) -> list[str]:
    report = examine_text(text, name="odd", file="odd.conf")
    assert not report.errors
    return [str(one) for one in report.warnings]


def test_the_good_one_has_no_warning() -> None:
    assert _warnings(GOOD) == []


def test_extremes() -> None:
    text = GOOD.replace("cost <= [4,6]", "(" * 60 + "true" + ")" * 60)
    constraint = parse_configuration(text).constraint_for("cluster", 1)
    assert constraint is not None
    assert constraint.text == "true"
    for deep in ("(" * 10**6, "[" * 10**6, "-" * 10**6, "not " * 10**6, "1+" * 10**6):
        report = examine_text(GOOD.replace("cost <= [4,6]", deep), name="deep")
        assert len(report.errors) == 1
        assert "\n" not in str(report.errors[0])
        assert len(str(report.errors[0])) < 200
    for garbage in (
        "\0" * 2**20,
        "[{(" * 2**18,
        "9" * 2**20,
        "a-" * 2**19,
        " " * 2**20,
    ):
        report = examine_text(garbage, name="garbage")
        assert len(report.errors) == 1
        assert len(str(report.errors[0])) < 300


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("queues: " + "a," * 2**19, "1:20007: a list of more than 20000 words"),
        (
            GOOD.replace("[0,7]", f"[{'1,' * 2**19}1]"),
            "6:20073: a list of more than 20000 words",
        ),
        (
            GOOD.replace("n01=1..4", "n1..n999999=1..999999"),
            "3:9: more than 1048576 processors in all",
        ),
        (
            GOOD.replace("cost <= [4,6]", "true and " * 2**17 + "true"),
            "10:9025: expected a condition of at most 2000 words",
        ),
    ],
    ids=["queues", "vector", "processors", "condition"],
)
def test_what_is_too_large_is_refused_early(text: str, says: str) -> None:
    report = examine_text(text, name="large", file="large.conf")
    assert f"large.conf:{says}" in map(str, report.errors)


def test_unknown_queue_and_size_below_1() -> None:
    one = parse_configuration(GOOD)
    with pytest.raises(InputError, match=r"no such queue: .*\(known: cluster, s"):
        one.usable("night")
    with pytest.raises(InputError, match="pes: must be at least 1, not 0"):
        one.sets_for("cluster", 0)
    with pytest.raises(InputError, match="available: no such processor: 99"):
        one.instance("cluster", 1, [99])
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_configuration("drakenberg-figure-7")


def test_the_example_of_the_manual() -> None:
    manual = ROOT / "docs" / "use" / "config.md"
    blocks = re.findall(r"```\n(queues.*?)```", manual.read_text("utf-8"), re.DOTALL)
    (text,) = blocks
    report = examine_text(text, name="manual")
    assert not report.errors
    assert report.configuration is not None
    assert report.configuration.lookahead == 1


@pytest.mark.parametrize(
    ("queues", "slots", "says"),
    [
        ("a", "[n0..n99999999=1..99999999]", "found n0..n99999999"),
        (
            "a",
            ", ".join(["[n0..n1048575=1]"] * 200),
            f"more than {2**20} processors in all",
        ),
        (
            ",".join(f"q{i}" for i in range(200)),
            "[n0..n1048575=1]",
            f"more than {2**24} processors in all queues",
        ),
    ],
    ids=["a range", "many ranges", "many queues"],
)
def test_vast_slots_are_refused_before_they_are_listed(
    queues: str, slots: str, says: str
) -> None:
    text = (
        f"queues: {queues}\nslots: {slots}\ngroups: g={{n0}}\n"
        "costs: otherwise: a@g=[1]\nend-costs\nconstraints: otherwise: cost <= [1]\n"
    )
    report = examine_text(text, name="vast", file="vast.conf")
    assert report.configuration is None
    assert any(says in str(error) for error in report.errors)
