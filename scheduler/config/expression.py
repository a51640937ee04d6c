"""Expressions of constraints: conditions on the cost of a selection.

A value is a scalar, a vector with one component per level of the cost, or a condition.
All arithmetic is exact. Expressions are trees of one node type; `conditions` checks
their types.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from types import MappingProxyType
from typing import Any

Number = int | Fraction
Vector = tuple[Number, ...]
MinCost = Callable[[int], tuple[int, ...]]
"""Returns the least cost of n processors of the idle machine, for the current job."""

ORDERS: MappingProxyType[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {
        "<=": operator.le,
        "<": operator.lt,
        ">=": operator.ge,
        ">": operator.gt,
        "=": operator.eq,
        "!=": operator.ne,
    }
)
"""Comparisons; for vectors every component must satisfy them (``!=``: some)."""

LEX = "lex "
"""Prefix of the kind of a lexicographic comparison."""


@dataclass(frozen=True, slots=True)
class Expression:
    """One node of an expression."""

    kind: str
    """``number``, ``cost``, ``PEs``, ``MINCOST``, ``vector``, ``sum``, ``minus``,
    ``product``, ``per`` (a divisor, inside a product), ``component``, ``ceil``,
    ``floor``, a comparison of `ORDERS`, the same after ``lex``, ``and``, ``or``,
    ``not``, ``true``, ``false``."""
    parts: tuple[Expression, ...] = ()
    """The operands."""
    value: Number = 0
    """The number; the n of ``MINCOST(n)``, 0 for PEs; the index of the component,
    counted from 1."""
    at: tuple[int, int] = field(default=(0, 0), compare=False, repr=False)
    """Line and column in the source; ignored in comparisons."""

    def __str__(self) -> str:
        return render(self)

    def depth(self) -> int:
        """Count the nodes on the longest path down, without recursion."""
        level: list[Expression] = [self]
        levels = 0
        while level:
            level = [part for node in level for part in node.parts]
            levels += 1
        return levels

    def nodes(self) -> Iterator[Expression]:
        """Iterate over all nodes in preorder."""
        yield self
        for part in self.parts:
            yield from part.nodes()


def evaluate(
    expression: Expression, cost: tuple[int, ...], pes: int, mincost: MinCost
) -> Any:
    """Return the value of an expression: a number, a vector or a truth value.

    ``and`` and ``or`` stop at the first operand that decides, so that MINCOST is called
    only when needed.

    >>> half = Expression("number", value=Fraction(1, 2))
    >>> grown = Expression("product", (half, Expression("cost")))
    >>> evaluate(Expression("ceil", (grown,)), (3, 4), 1, lambda n: (0, 0))
    (2, 2)
    """

    def of(node: Expression) -> Any:
        parts = node.parts
        match node.kind:
            case "number":
                return node.value
            case "cost":
                return cost
            case "PEs":
                return pes
            case "MINCOST":
                return mincost(int(node.value) or pes)
            case "vector":
                return tuple(of(part) for part in parts)
            case "sum":
                return _add([of(part) for part in parts])
            case "product":
                return _multiply([of(part) for part in parts])
            case "minus":
                return _each(operator.neg, of(*parts))
            case "per":
                return 1 / Fraction(of(*parts))
            case "component":
                return of(*parts)[int(node.value) - 1]
            case "ceil":
                return _each(ceil, of(*parts))
            case "floor":
                return _each(floor, of(*parts))
            case "and":
                return all(of(part) for part in parts)
            case "or":
                return any(of(part) for part in parts)
            case "not":
                return not of(*parts)
            case "true" | "false":
                return node.kind == "true"
        return _compared(node.kind, *map(of, parts))

    return of(expression)


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(function, value))
    return function(value)


def _add(values: list[Any]) -> Any:
    if isinstance(values[0], tuple):
        return tuple(map(sum, zip(*values, strict=True)))
    return sum(values)


def _multiply(values: list[Any]) -> Any:
    factor: Number = 1
    vector: Vector | None = None
    for value in values:
        if isinstance(value, tuple):
            vector = value
        else:
            factor *= value
    return factor if vector is None else tuple(factor * part for part in vector)


def _compared(kind: str, left: Any, right: Any) -> bool:
    if kind.startswith(LEX):
        return ORDERS[kind.removeprefix(LEX)](left, right)
    if isinstance(left, tuple) and kind not in ("=", "!="):
        return all(map(ORDERS[kind], left, right))
    return ORDERS[kind](left, right)


_RANK = {"or": 1, "and": 2, "not": 3, "sum": 5, "product": 6, "minus": 7}
_COMPARISON, _VALUE = 4, 8


def _rank(node: Expression) -> int:
    """Return the precedence of a node; values that need no parentheses rank highest."""
    if node.kind.removeprefix(LEX) in ORDERS:
        return _COMPARISON
    return _RANK.get(node.kind, _VALUE)


def render(node: Expression, *, least: int = 0) -> str:
    """Write an expression in the language, in parentheses if it ranks below ``least``.

    >>> render(Expression("<=", (Expression("cost"), Expression("MINCOST"))))
    'cost <= MINCOST(PEs)'
    """
    text = _render(node)
    return f"({text})" if _rank(node) < least else text


def _render(node: Expression) -> str:
    parts = node.parts
    rank = _rank(node)
    if rank == _COMPARISON:
        left, right = (render(part, least=rank + 1) for part in parts)
        return f"{left} {node.kind} {right}"
    match node.kind:
        case "number":
            return _decimal(Fraction(node.value))
        case "MINCOST":
            return f"MINCOST({node.value or 'PEs'})"
        case "vector":
            return f"[{','.join(map(render, parts))}]"
        case "component":
            return f"{render(*parts, least=_VALUE)}[{node.value}]"
        case "ceil" | "floor":
            return f"{node.kind}({render(*parts)})"
        case "and" | "or":
            return f" {node.kind} ".join(render(part, least=rank + 1) for part in parts)
        case "not":
            return f"not {render(*parts, least=rank)}"
        case "minus":
            return f"-{render(*parts, least=rank)}"
        case "sum":
            return render(parts[0], least=rank + 1) + "".join(map(_term, parts[1:]))
        case "product":
            return render(parts[0], least=rank + 1) + "".join(map(_factor, parts[1:]))
    return node.kind


def _term(part: Expression) -> str:
    if part.kind == "minus":
        return f" - {render(part.parts[0], least=_RANK['product'])}"
    return f" + {render(part, least=_RANK['product'])}"


def _factor(part: Expression) -> str:
    if part.kind == "per":
        return f"/{render(part.parts[0], least=_RANK['minus'])}"
    return f"*{render(part, least=_RANK['minus'])}"


def _decimal(number: Fraction) -> str:
    """Write a decimal fraction exactly."""
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
        if places > 64:
            raise ValueError(f"{number} is not a decimal")
    digits = str((number * 10**places).numerator).zfill(places + 1)
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits
