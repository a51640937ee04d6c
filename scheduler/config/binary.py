r"""The compiled form of a configuration: fast to load, portable, deterministic.

All numbers are little-endian. A file consists of

==========  =====================================================================
8 bytes     ``\x89CKCONF\n``
2 bytes     version of the format, 1
2 bytes     0
8 bytes     length of the body
32 bytes    SHA-256 of the body
the rest    the body: strings and lists of numbers, each preceded by its length
==========  =====================================================================

Equal configurations give equal bytes: no time or path is stored. Conditions are stored
as trees and need no parsing.
"""

from __future__ import annotations

import struct
from fractions import Fraction
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import NoReturn

from ...instances.errors import InputError
from .expression import LEX, ORDERS, Expression
from .model import Configuration, Constraint, CostBlock, Group, Price

MAGIC = b"\x89CKCONF\n"
VERSION = 1
_HEAD = struct.Struct("<8sHHQ32s")

_KINDS = (
    "number",
    "cost",
    "PEs",
    "MINCOST",
    "vector",
    "sum",
    "minus",
    "product",
    "per",
    "component",
    "ceil",
    "floor",
    "and",
    "or",
    "not",
    "true",
    "false",
    *ORDERS,
    *(LEX + order for order in ORDERS),
)
"""Kinds of nodes are stored as indices into this list: append only."""

_NONE = 2**32 - 1
_MAX_DEPTH = 200


def is_compiled(content: bytes) -> bool:
    """Whether a file begins like a compiled configuration."""
    return content.startswith(MAGIC[:2])


def dumps(configuration: Configuration) -> bytes:
    """Return the compiled form."""
    body = _body(configuration)
    head = _HEAD.pack(MAGIC, VERSION, 0, len(body), sha256(body).digest())
    return head + body


def loads(content: bytes, *, file: str | Path = "") -> Configuration:
    """Read a configuration from its compiled form.

    Raises InputError if the content is something else, of a newer version, truncated or
    damaged.
    """

    def refuse(problem: str) -> NoReturn:
        raise InputError(problem, file=file)

    if not content.startswith(MAGIC[: len(content)]) or not content:
        refuse("is not a compiled configuration")
    if len(content) < _HEAD.size:
        refuse(f"is truncated: {len(content)} bytes, the header has {_HEAD.size}")
    _, version, _, length, digest = _HEAD.unpack_from(content)
    if version != VERSION:
        refuse(f"has version {version} of the compiled format, expected {VERSION}")
    body = memoryview(content)[_HEAD.size :]
    if len(body) < length:
        refuse(f"is truncated: {len(body)} of {length} bytes after the header")
    if len(body) > length:
        refuse(f"has {len(body) - length} extra bytes at the end")
    if sha256(body).digest() != digest:
        refuse("is damaged: its checksum does not match")
    try:
        return _configuration(_Reader(bytes(body)))
    except InputError as error:
        raise error.of_file(file) from None
    except (struct.error, IndexError, ValueError, OverflowError):
        refuse("is damaged, although its checksum matches")


class _Writer:
    """Concatenates lists of numbers and strings, each preceded by its length."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def integers(self, numbers: tuple[int, ...] | list[int], kind: str = "I") -> None:
        self.parts.append(
            struct.pack(f"<I{len(numbers)}{kind}", len(numbers), *numbers)
        )

    def string(self, text: str) -> None:
        content = text.encode()
        self.parts.append(struct.pack("<I", len(content)) + content)

    def strings(self, texts: tuple[str, ...]) -> None:
        """Write names as one string; they contain no line breaks."""
        self.string("\n".join(texts))


class _Reader:
    """Reads what `_Writer` wrote, in the same order."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def integers(self, kind: str = "I") -> tuple[int, ...]:
        (length,) = struct.unpack_from("<I", self._content, self._at)
        form = f"<{length}{kind}"
        size = struct.calcsize(form)
        if size > len(self._content):
            raise ValueError
        numbers = struct.unpack_from(form, self._content, self._at + 4)
        self._at += 4 + size
        return numbers

    def string(self) -> str:
        (length,) = struct.unpack_from("<I", self._content, self._at)
        content = self._content[self._at + 4 : self._at + 4 + length]
        if len(content) < length:
            raise ValueError
        self._at += 4 + length
        return content.decode()

    def strings(self) -> tuple[str, ...]:
        text = self.string()
        return tuple(text.split("\n")) if text else ()

    def end(self) -> None:
        if self._at != len(self._content):
            raise ValueError


def _body(configuration: Configuration) -> bytes:
    one = configuration
    out = _Writer()
    out.string(one.name)
    out.strings(one.queues)
    out.strings(one.hosts)
    out.strings(one.processors)
    out.integers(one.host_of)
    for members in one.through:
        out.integers(members)
    groups = {group.name: i for i, group in enumerate(one.groups)}
    queues = {queue: i for i, queue in enumerate(one.queues)}
    out.strings(tuple(groups))
    out.integers([len(group.members) for group in one.groups])
    out.integers([i for group in one.groups for i in group.members])
    out.integers([one.levels, _optional(one.lookahead), len(one.costs)])
    for block in one.costs:
        out.integers(_packed(block.sizes), "Q")
        out.integers([queues[price.queue] for price in block.prices])
        out.integers([groups[price.group] for price in block.prices])
        out.integers([cost for price in block.prices for cost in price.cost], "Q")
    out.integers([len(one.constraints)])
    for constraint in one.constraints:
        out.integers(_packed(constraint.sizes), "Q")
        queue = constraint.queue
        out.integers([_optional(None if queue is None else queues[queue])])
        out.integers([constraint.line])
        _write_tree(constraint.expression, out)
    return b"".join(out.parts)


def _configuration(take: _Reader) -> Configuration:
    name = take.string()
    queues, hosts, processors = take.strings(), take.strings(), take.strings()
    host_of = take.integers()
    through = tuple(take.integers() for _ in queues)
    names = take.strings()
    groups = map(Group, names, _cut(take.integers(), take.integers(), len(names)))
    levels, lookahead, blocks = take.integers()
    costs = tuple(_block(take, queues, names, levels) for _ in range(blocks))
    (count,) = take.integers()
    constraints = tuple(_constraint(take, queues) for _ in range(count))
    take.end()
    return Configuration(
        name=name,
        queues=queues,
        hosts=hosts,
        processors=processors,
        host_of=host_of,
        through=through,
        groups=tuple(groups),
        costs=costs,
        constraints=constraints,
        lookahead=None if lookahead == _NONE else lookahead,
    )


def _cut(
    lengths: tuple[int, ...], numbers: tuple[int, ...], count: int
) -> list[tuple[int, ...]]:
    """Cut a list of numbers into pieces of given lengths."""
    if len(lengths) != count or sum(lengths) != len(numbers):
        raise ValueError
    left = iter(numbers)
    return [tuple(islice(left, length)) for length in lengths]


def _block(
    take: _Reader, queues: tuple[str, ...], groups: tuple[str, ...], levels: int
) -> CostBlock:
    sizes = _unpacked(take.integers("Q"))
    of_queue, of_group = take.integers(), take.integers()
    costs = _cut((levels,) * len(of_group), take.integers("Q"), len(of_group))
    prices = (
        Price(queues[queue], groups[group], cost)
        for queue, group, cost in zip(of_queue, of_group, costs, strict=True)
    )
    return CostBlock(sizes, tuple(prices))


def _constraint(take: _Reader, queues: tuple[str, ...]) -> Constraint:
    sizes = _unpacked(take.integers("Q"))
    (queue,) = take.integers()
    (line,) = take.integers()
    return Constraint(
        sizes=sizes,
        expression=_read_tree(take),
        queue=None if queue == _NONE else queues[queue],
        line=line,
    )


def _optional(number: int | None) -> int:
    return _NONE if number is None else number


def _packed(sizes: tuple[int, int] | None) -> tuple[int, ...]:
    return () if sizes is None else sizes


def _unpacked(sizes: tuple[int, ...]) -> tuple[int, int] | None:
    if not sizes:
        return None
    first, last = sizes
    return first, last


def _write_tree(root: Expression, out: _Writer) -> None:
    """Write the kind, number of parts and value of each node, in preorder."""
    nodes = list(root.nodes())
    shape = [
        number
        for node in nodes
        for number in (_KINDS.index(node.kind), len(node.parts))
    ]
    out.integers(shape)
    out.strings(tuple(str(node.value) for node in nodes))


def _read_tree(take: _Reader) -> Expression:
    shape = take.integers()
    values = take.strings()
    if len(shape) != 2 * len(values):
        raise ValueError
    # From the last node to the first: the parts of a node lie on top of the stack.
    stack: list[Expression] = []
    for i in reversed(range(len(values))):
        kind, count = shape[2 * i], shape[2 * i + 1]
        if count > len(stack):
            raise ValueError
        parts = tuple(stack.pop() for _ in range(count))
        value = Fraction(values[i])
        number = value if _KINDS[kind] == "number" else int(value)
        stack.append(Expression(_KINDS[kind], parts, number))
    (root,) = stack
    if root.depth() > _MAX_DEPTH:
        raise ValueError
    return root
