"""No text brings the reader of configurations down; what is written is read back."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil, floor

from hypothesis import example, given, settings
from hypothesis import strategies as st

from closeknit.scheduler.config import (
    Configuration,
    Constraint,
    CostBlock,
    Group,
    Price,
    parse_configuration,
    read_configuration,
)
from closeknit.scheduler.config.expression import Expression, evaluate
from closeknit.scheduler.config.files import examine_text

from .samples import FIGURE, GOOD
from .written import written

# Fuzz --------------------------------------------------------------------------

SAMPLE = written(read_configuration(FIGURE))
TOKENS = (
    *"[]{}():;,@=+-*/#.\n\t\u00e9\0\U0001f600",
    *("..", "...", "<=", "lex", "cost", "PEs", "MINCOST", "ceil", "when", "in", "not"),
    *("otherwise", "end-costs", "costs", "and", "or", "options:", "lookahead"),
    *("n01", "n01.1", "h01", "1.2", "0", "99999999999"),
)


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """Delete, insert and replace, here and there."""
    text = draw(st.sampled_from([SAMPLE, GOOD, GOOD]))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text)))
        length = draw(st.sampled_from([0, 0, 1, 1, 2, 5, 30, 400]))
        new = draw(st.one_of(st.just(""), st.sampled_from(TOKENS), st.text(max_size=3)))
        text = text[:at] + new + text[at + length :]
    return text


def _one_line_each(text: str) -> None:
    report = examine_text(text, name="fuzz", file="fuzz.conf")
    assert (report.configuration is None) == bool(report.errors)
    for finding in (*report.errors, *report.warnings):
        line = str(finding)
        assert line.startswith("fuzz.conf:")
        assert line.isprintable(), line
        _, row, column, _ = line.split(":", 3)
        assert 1 <= int(row) <= text.count("\n") + 1
        assert int(column) >= 1
    if report.configuration is not None:
        again = parse_configuration(written(report.configuration), name="fuzz")
        assert again == report.configuration


@given(mutations())
@settings(max_examples=150, deadline=None)
def test_mutations_give_findings_or_a_configuration(text: str) -> None:
    _one_line_each(text)


@given(st.one_of(st.text(), st.lists(st.sampled_from(TOKENS)).map(" ".join)))
@example("queues: a\u2028slots")
@settings(max_examples=150, deadline=None)
def test_any_text_gives_findings_or_a_configuration(text: str) -> None:
    _one_line_each(text)


# Round trips -------------------------------------------------------------------

Drawn = st.SearchStrategy[Expression]
NUMBERS = st.fractions(0, 1000).map(lambda x: Fraction(round(x * 100), 100))
SCALARS = st.one_of(
    NUMBERS.map(lambda x: Expression("number", value=x)), st.just(Expression("PEs"))
)


UNARY = ("ceil", "floor", "minus")


def _several(kind: str, parts: st.SearchStrategy[Expression]) -> Drawn:
    return st.lists(parts, min_size=2, max_size=3).map(
        lambda some: Expression(kind, tuple(some))
    )


def _one(kind: str, parts: st.SearchStrategy[Expression]) -> Drawn:
    return parts.map(lambda part: Expression(kind, (part,)))


@cache
def scalars(levels: int, depth: int) -> Drawn:
    """Scalars of some depth; without vectors inside if there are no levels."""
    if not depth:
        return SCALARS
    less = scalars(levels, depth - 1)
    component: Drawn = st.nothing()
    if levels:
        component = st.builds(
            lambda part, i: Expression("component", (part,), i),
            vectors(levels, depth - 1),
            st.integers(1, levels),
        )
    quotient = st.builds(
        lambda part, n: Expression(
            "product",
            (part, Expression("per", (Expression("number", value=Fraction(n)),))),
        ),
        less,
        st.integers(1, 9),
    )
    return st.one_of(
        SCALARS,
        component,
        quotient,
        _several("sum", st.one_of(less, _one("minus", less))),
        _several("product", less),
        *(_one(kind, less) for kind in UNARY),
    )


@cache
def vectors(levels: int, depth: int) -> Drawn:
    plain = st.one_of(
        st.just(Expression("cost")),
        st.integers(0, 2).map(lambda n: Expression("MINCOST", value=n)),
        st.lists(
            scalars(levels, max(depth - 1, 0)), min_size=levels, max_size=levels
        ).map(lambda parts: Expression("vector", tuple(parts))),
    )
    if not depth:
        return plain
    less = vectors(levels, depth - 1)
    return st.one_of(
        plain,
        _several("sum", st.one_of(less, _one("minus", less))),
        st.tuples(scalars(levels, depth - 1), less).map(
            lambda parts: Expression("product", parts)
        ),
        *(_one(kind, less) for kind in UNARY),
    )


@cache
def conditions(levels: int, depth: int = 1) -> Drawn:
    orders = st.sampled_from(["<=", "<", ">=", ">", "=", "!="])
    plain = st.one_of(
        st.sampled_from([Expression("true"), Expression("false")]),
        st.builds(
            lambda kind, a, b: Expression(kind, (a, b)),
            orders,
            scalars(levels, depth),
            scalars(levels, depth),
        ),
        st.builds(
            lambda lex, kind, a, b: Expression(lex + kind, (a, b)),
            st.sampled_from(["", "lex "]),
            orders,
            vectors(levels, depth),
            vectors(levels, depth),
        ),
    )
    if not depth:
        return plain
    less = conditions(levels, depth - 1)
    return st.one_of(
        plain, _one("not", less), _several("and", less), _several("or", less)
    )


@st.composite
def sizes(draw: st.DrawFn, total: int) -> list[tuple[int, int] | None]:
    """Ranges that do not overlap, and otherwise."""
    ends = sorted(draw(st.sets(st.integers(1, total + 3), max_size=3)))
    ranges: list[tuple[int, int] | None] = [
        (a + 1, b) for a, b in pairwise([0, *ends]) if draw(st.booleans())
    ]
    return [*ranges, None]


@st.composite
def configurations(draw: st.DrawFn) -> Configuration:
    """Small configurations of every kind that the language can express."""
    queues = tuple(f"q{i}" for i in range(draw(st.integers(1, 3))))
    hosts = tuple(f"n-{i:02}" for i in range(draw(st.integers(1, 4))))
    processors: list[str] = []
    host_of: list[int] = []
    through: list[list[int]] = [[] for _ in queues]
    for host, name in enumerate(hosts):
        for number in sorted(draw(st.sets(st.integers(0, 9), min_size=1, max_size=5))):
            chosen = draw(st.sets(st.sampled_from(range(len(queues))), min_size=1))
            for queue in chosen:
                through[queue].append(len(processors))
            processors.append(f"{name}.{number}")
            host_of.append(host)
    indices = st.sets(st.sampled_from(range(len(processors))), min_size=1)
    groups = tuple(
        Group(f"g{i}", tuple(sorted(draw(indices))))
        for i in range(draw(st.integers(1, 4)))
    )
    levels = draw(st.integers(1, 3))
    vector = st.tuples(*(st.integers(0, 2**50),) * levels)
    pairs = [(queue, group.name) for queue in queues for group in groups]
    costs = tuple(
        CostBlock(
            one,
            tuple(
                Price(*pair, draw(vector))
                for pair in draw(
                    st.lists(st.sampled_from(pairs), min_size=1, unique=True)
                )
            ),
        )
        for one in draw(sizes(len(processors)))
    )
    families = draw(st.sets(st.sampled_from([None, *queues]), min_size=1))
    few = min(map(len, through)) < 2
    constraints = tuple(
        Constraint(
            one,
            Expression("true") if few else draw(conditions(levels)),
            family,
        )
        for family in (None, *queues)
        if family in families
        for one in draw(sizes(len(processors)))
    )
    return Configuration(
        name="drawn",
        queues=queues,
        hosts=hosts,
        processors=tuple(processors),
        host_of=tuple(host_of),
        through=tuple(map(tuple, through)),
        groups=groups,
        costs=costs,
        constraints=constraints,
        lookahead=draw(st.none() | st.integers(0, levels)),
    )


@given(configurations())
@settings(max_examples=80, deadline=None)
def test_written_and_read_back(one: Configuration) -> None:
    text = written(one)
    assert parse_configuration(text, name=one.name) == one


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_scalars_are_what_python_makes_of_their_text(data: st.DataObject) -> None:
    node = data.draw(scalars(0, 2))
    pes = data.draw(st.integers(1, 20))
    text = re.sub(r"\d+(\.\d+)?", lambda m: f"F('{m[0]}')", str(node))
    scope = {
        "F": Fraction,
        "PEs": Fraction(pes),
        "ceil": lambda x: Fraction(ceil(x)),
        "floor": lambda x: Fraction(floor(x)),
    }
    assert evaluate(node, (), pes, lambda n: ()) == eval(text, scope)
