"""Parser of the text of configurations.

The grammar is in ``grammar.lark``. The tree is built during parsing, without recursion,
so that deep nesting cannot overflow the stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.lark import PostLex

from ...instances.errors import InputError
from .expectations import GRAMMAR, expectation, quote
from .expression import LEX, Expression
from .findings import fault
from .source import (
    Block,
    ConstraintText,
    GroupText,
    PriceText,
    Share,
    Sizes,
    Slot,
    Source,
    Span,
    Word,
)

DEEPEST = 64
"""Brackets, signs and `not` nested deeper than this are refused."""

_LONGEST_NUMBER = 40
_LONGEST_NAME = 255
_LONGEST_CONDITION = 2000
_LONGEST_LIST = 20_000
_ENDING_LISTS = frozenset(("LSQB", "_RSQB", "_LBRACE", "_RBRACE", "_SLOTS"))
_T = TypeVar("_T")


class _Refused(Exception):
    """A text that the grammar accepts but that exceeds a limit or is meaningless."""

    def __init__(self, problem: str, line: int, column: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line
        self.column = column


class _Limits(PostLex):
    """Refuses tokens that are too long or nested too deeply, as they are read."""

    always_accept = ()
    _OPENING = frozenset(("_LPAR", "LSQB", "_LBRACE"))
    _CLOSING = frozenset(("_RPAR", "_RSQB", "_RBRACE"))
    _LONGEST: ClassVar = {
        "INT": (_LONGEST_NUMBER, "number"),
        "DECIMAL": (_LONGEST_NUMBER, "number"),
        "NAME": (_LONGEST_NAME, "name"),
        "PROCESSOR": (_LONGEST_NAME, "name"),
    }

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Pass on the tokens that are within the limits."""
        depth = prefixes = length = listed = 0
        conditions = False
        for token in stream:
            kind = token.type
            if kind in self._LONGEST:
                most, what = self._LONGEST[kind]
                if len(token) > most:
                    raise _refusal(
                        f"expected a {what} of at most {most} characters, "
                        f"found one of {len(token)}",
                        token,
                    )
            depth += (kind in self._OPENING) - (kind in self._CLOSING)
            prefixes = prefixes + 1 if kind in ("MINUS", "NOT") else 0
            if depth > DEEPEST or prefixes > DEEPEST:
                raise _refusal(f"nested more than {DEEPEST} deep", token)
            conditions |= kind == "_CONSTRAINTS"
            length = 0 if kind == "_COLON" or not conditions else length + 1
            if length > _LONGEST_CONDITION:
                raise _refusal(
                    f"expected a condition of at most {_LONGEST_CONDITION} words", token
                )
            listed = 0 if kind in _ENDING_LISTS else listed + 1
            if listed > _LONGEST_LIST:
                raise _refusal(f"a list of more than {_LONGEST_LIST} words", token)
            yield token


def _refusal(problem: str, token: Token) -> _Refused:
    return _Refused(problem, token.line or 1, token.column or 1)


def _word(token: Token) -> Word:
    return Word(str(token), token.line or 1, token.column or 1)


def _at(token: Token) -> tuple[int, int]:
    return token.line or 1, token.column or 1


def _of(kind: type[_T], parts: tuple[Any, ...]) -> tuple[_T, ...]:
    return tuple(part for part in parts if isinstance(part, kind))


def _of_several(kind: str) -> Callable[..., Expression]:
    def build(_: Any, *parts: Expression) -> Expression:
        return Expression(kind, parts, at=parts[0].at)

    return build


@v_args(inline=True)
class _Builder(Transformer[Token, Source]):
    def start(self, *parts: Any) -> Source:
        return Source(*parts)

    def queues(self, *names: Token) -> tuple[Word, ...]:
        return tuple(map(_word, names))

    def span(self, first: Token, last: Token | None = None) -> Span:
        return Span(_word(first), None if last is None else _word(last))

    hosts = member = span

    def share(self, *parts: Token | Span) -> Share:
        queue = parts[0]
        return Share(
            _word(queue) if isinstance(queue, Token) else None, _of(Span, parts)
        )

    def slot(self, _: Token, hosts: Span, *shares: Share) -> Slot:
        return Slot(hosts, shares)

    def group(self, name: Token, *members: Span) -> GroupText:
        return GroupText(_word(name), members)

    def signed(self, *tokens: Token) -> Word:
        return Word("".join(tokens), *_at(tokens[0]))

    def price(
        self, queue: Token, group: Token, bracket: Token, *cost: Word
    ) -> PriceText:
        return PriceText(_word(queue), _word(group), cost, *_at(bracket))

    def sizes(self, head: Token, *rest: Token) -> Sizes:
        bounds = rest[2:]
        span = Span(_word(bounds[0]), _word(bounds[1])) if bounds else None
        return Sizes(span, *_at(head))

    def block(self, sizes: Sizes, *prices: PriceText) -> Block:
        return Block(sizes, prices)

    def constraint(self, *parts: Any) -> ConstraintText:
        *queue, sizes, expression = parts
        if expression.depth() > DEEPEST:
            raise _Refused(f"nested more than {DEEPEST} deep", *expression.at)
        return ConstraintText(_word(queue[0]) if queue else None, sizes, expression)

    def constraints(self, *parts: _T) -> tuple[_T, ...]:
        return parts

    slots = groups = costs = options = constraints

    def option(self, _: Token, number: Token) -> Word:
        return _word(number)

    # Expressions -------------------------------------------------------------

    def number(self, token: Token) -> Expression:
        return Expression("number", value=Fraction(str(token)), at=_at(token))

    def named(self, token: Token) -> Expression:
        return Expression(str(token), at=_at(token))

    def mincost(self, name: Token, size: Token) -> Expression:
        n = int(size) if size.type == "INT" else 0
        if size.type == "INT" and n == 0:
            raise _refusal("expected a number of processors from 1 on, found 0", size)
        return Expression("MINCOST", value=n, at=_at(name))

    def rounded(self, name: Token, part: Expression) -> Expression:
        return Expression(str(name), (part,), at=_at(name))

    def vector(self, bracket: Token, *parts: Expression) -> Expression:
        return Expression("vector", parts, at=_at(bracket))

    def component_of(self, of: Expression, _: Token, which: Token) -> Expression:
        return Expression("component", (of,), int(which), at=_at(which))

    def negative(self, sign: Token, part: Expression) -> Expression:
        return Expression("minus", (part,), at=_at(sign))

    subtracted = negative

    def divided(self, sign: Token, part: Expression) -> Expression:
        return Expression("per", (part,), at=_at(sign))

    sum = _of_several("sum")
    product = _of_several("product")
    conjunction = _of_several("and")
    disjunction = _of_several("or")

    def comparator(self, *tokens: Token) -> str:
        lex = any(token.type == "LEX" for token in tokens)
        order = next((str(token) for token in tokens if token.type != "LEX"), "=")
        return (LEX if lex else "") + order

    def compared(self, left: Expression, kind: str, right: Expression) -> Expression:
        return Expression(kind, (left, right), at=left.at)

    def negated(self, sign: Token, part: Expression) -> Expression:
        return Expression("not", (part,), at=_at(sign))


@cache
def parser() -> Lark:
    """Build the parser once; it keeps no state between texts and is thread-safe."""
    return Lark(
        GRAMMAR,
        parser="lalr",
        lexer="contextual",
        transformer=_Builder(),
        postlex=_Limits(),
    )


def parse_source(text: str, *, file: str | Path = "") -> Source:
    """Parse the text of a configuration.

    Raises InputError: ``FILE:LINE:COLUMN: expected ..., found ...``, for the first
    syntax error.
    """
    try:
        source = parser().parse(text)
    except _Refused as refused:
        raise fault(file, refused.line, refused.column, refused.problem) from None
    except (UnexpectedToken, UnexpectedCharacters) as error:
        raise _syntax_error(error, text, file) from None
    assert isinstance(source, Source)
    return source


def _syntax_error(
    error: UnexpectedToken | UnexpectedCharacters, text: str, file: str | Path
) -> InputError:
    at: int = error.pos_in_stream or 0  # type: ignore[redundant-expr]
    line, column = error.line, error.column
    found = quote(text[at : at + 1])
    if isinstance(error, UnexpectedToken):
        token = error.token
        found = quote(str(token))
        if token.type == "$END":  # lark gives it the position of the last token
            at, found = len(text), "the end of the file"
            line, column = token.end_line or 1, token.end_column or 1
    if text.startswith(_ELISIONS, at):
        return fault(file, line, column, _ELIDED)
    stack = [
        value.type
        for value in error.interactive_parser.parser_state.value_stack
        if isinstance(value, Token)
    ]
    history = error.token_history or (None,)
    before = "" if history[-1] is None else history[-1].type
    decimal = _FRACTION.match(text, at)
    if decimal and history[-1] is not None and before == "INT":
        return fault(
            file,
            history[-1].line or 1,
            history[-1].column or 1,
            f"expected an integer, found {quote(history[-1] + decimal[0])}",
        )
    accepted = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
    wanted = expectation(accepted, stack, before)
    return fault(file, line, column, f"expected {wanted}, found {found}")


_FRACTION = re.compile(r"\.[0-9]+")
_ELISIONS = ("...", "…", "⋮", "÷")
_ELIDED = (
    "expected every member, or a range such as n01..n06, "
    "found dots in place of what was left out"
)
