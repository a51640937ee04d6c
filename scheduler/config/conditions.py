"""Type checking of the conditions of constraints: scalars, vectors, truth values."""

from __future__ import annotations

from fractions import Fraction

from .expression import LEX, ORDERS, Expression
from .findings import Diagnostics
from .source import Word

SCALAR, VECTOR, CONDITION = "a scalar", "a vector", "a condition"


class Types:
    """Checks the types of expressions.

    Vectors must have as many components as there are levels, if that is known.
    """

    def __init__(self, levels: int | None, findings: Diagnostics) -> None:
        self._levels = levels
        self._findings = findings

    def condition(self, expression: Expression) -> None:
        """Record errors unless the expression is a well-typed condition."""
        self._want(expression, CONDITION)

    def _wrong(self, node: Expression, problem: str) -> None:
        self._findings.error(Word("", *node.at), problem)

    def _want(self, node: Expression, *kinds: str) -> str | None:
        """Return the type of a part; record an error and return None if not wanted."""
        kind = self._kind(node)
        if kind is None or kind in kinds:
            return kind
        self._wrong(
            node, f"expected {' or '.join(kinds)}, found {kind}: {_quote(node)}"
        )
        return None

    def _kind(self, node: Expression) -> str | None:
        parts = node.parts
        match node.kind:
            case "number" | "PEs":
                return SCALAR
            case "cost" | "MINCOST":
                return VECTOR
            case "true" | "false":
                return CONDITION
            case "vector":
                for part in parts:
                    self._want(part, SCALAR)
                if self._levels is not None and len(parts) != self._levels:
                    self._wrong(
                        node,
                        f"expected {self._levels} components, as costs have, "
                        f"found {len(parts)}",
                    )
                return VECTOR
            case "component":
                self._want(parts[0], VECTOR)
                most = self._levels
                if node.value < 1 or (most is not None and node.value > most):
                    self._wrong(
                        node,
                        f"expected a component from 1 to {most or 'the last'}, "
                        f"found {str(node.value)[:40]}",
                    )
                return SCALAR
            case "minus" | "ceil" | "floor":
                return self._want(parts[0], SCALAR, VECTOR)
            case "sum":
                return self._sum(node)
            case "product":
                return self._product(node)
            case "and" | "or" | "not":
                for part in parts:
                    self._want(part, CONDITION)
                return CONDITION
        return self._comparison(node)

    def _sum(self, node: Expression) -> str | None:
        kinds = [self._want(part, SCALAR, VECTOR) for part in node.parts]
        if None in kinds:
            return None
        for part, kind in zip(node.parts, kinds, strict=True):
            if kind != kinds[0]:
                self._wrong(
                    part,
                    f"expected {kinds[0]} to add to {_quote(node.parts[0])}, "
                    f"found {kind}: {_quote(part)}",
                )
                return None
        return kinds[0]

    def _product(self, node: Expression) -> str | None:
        vectors = 0
        for part in node.parts:
            if part.kind == "per":
                self._divisor(part.parts[0])
                continue
            kind = self._want(part, SCALAR, VECTOR)
            if kind is None:
                return None
            vectors += kind == VECTOR
            if vectors > 1:
                self._wrong(
                    part,
                    f"expected a scalar, as only one factor can be a vector, "
                    f"found a vector: {_quote(part)}",
                )
                return None
        return VECTOR if vectors else SCALAR

    def _divisor(self, node: Expression) -> None:
        value = node.value if node.kind == "number" else None
        if value is None:
            self._wrong(node, f"expected a number to divide by, found {_quote(node)}")
        elif Fraction(value) == 0:
            self._wrong(node, "expected a number to divide by, found 0")

    def _comparison(self, node: Expression) -> str:
        if node.kind.removeprefix(LEX) not in ORDERS or len(node.parts) != 2:
            self._wrong(node, f"expected a condition, found {node.kind}")
            return CONDITION
        left, right = (self._want(part, SCALAR, VECTOR) for part in node.parts)
        if left is not None and right is not None and left != right:
            self._wrong(
                node.parts[1],
                f"expected {left} to compare with {_quote(node.parts[0])}, "
                f"found {right}: {_quote(node.parts[1])}",
            )
        elif node.kind.startswith(LEX) and SCALAR in (left, right):
            self._wrong(node, "expected vectors on both sides of lex, found scalars")
        return CONDITION


def _quote(node: Expression) -> str:
    text = str(node)
    return text if len(text) <= 40 else f"{text[:37]}..."
