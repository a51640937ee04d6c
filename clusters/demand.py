"""Which nodes a job may use: partitions, features and taints, as it asks for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..instances import InputError
from ..instances.reading.suggestions import entry_named
from .kinds import NodeKind

_TOKEN = re.compile(r"\s*([&|()]|[^\s&|()]+)")
_MOST_CONSTRAINT = 4096
_MOST_DEPTH = 32


@dataclass(frozen=True)
class Demand:
    """Which nodes a job asks for.

    Parameters
    ----------
    partition
        Of these partitions, separated by commas; empty for any.
    constraint
        Features, as ``sbatch --constraint`` has them: ``a&b``, ``a|b``, ``(a|b)&c``.

    Raises
    ------
    InputError
        If the constraint cannot be read, asks for counts, or is read in several ways.
    """

    partition: str = ""
    constraint: str = ""
    partitions: tuple[str, ...] = field(init=False, repr=False)
    features: tuple[str, ...] = field(init=False, repr=False)
    """All that the constraint names."""
    _allows: Callable[[frozenset[str]], bool] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        listed = tuple(filter(None, map(str.strip, self.partition.split(","))))
        if self.partition and not listed:
            raise InputError("names no partition", "--partition", self.partition)
        named, allows = _read_constraint(self.constraint)
        object.__setattr__(self, "partitions", listed)
        object.__setattr__(self, "features", named)
        object.__setattr__(self, "_allows", allows)

    def allows(self, kind: NodeKind) -> bool:
        """Whether the job may use a node of this kind."""
        if self.partitions and not kind.partitions.intersection(self.partitions):
            return False
        return self._allows(kind.features or frozenset())


def usable_nodes(kinds: Mapping[str, NodeKind], demand: Demand) -> set[str]:
    """Return the nodes that a job may use, whether they are free or not.

    Raises
    ------
    InputError
        If no report states what nodes are, though something is asked for; or none
        names such a partition or feature.
    """
    listed = set(kinds.values())
    for what, option, asked, known in (
        ("partition", "--partition", demand.partitions, [x.partitions for x in listed]),
        (
            "feature",
            "--constraint",
            demand.features,
            [x.features or () for x in listed],
        ),
    ):
        names = dict.fromkeys(sorted(frozenset().union(*known)))
        if asked and not names:
            problem = f"needs a report of nodes with {what}s, such as sinfo --json"
            raise InputError(problem, option, ",".join(asked))
        for name in asked:
            entry_named(name, names, option, what)
    return {name for name, kind in kinds.items() if demand.allows(kind)}


def _read_constraint(
    text: str,
) -> tuple[tuple[str, ...], Callable[[frozenset[str]], bool]]:
    """Return the features that a constraint names, and what it means.

    Slurm reads from left to right in some places and binds ``&`` more than ``|`` in
    others, so that an ``&`` after a ``|`` needs parentheses.
    """
    if not text:
        return (), lambda _: True
    if len(text) > _MOST_CONSTRAINT:
        problem = f"has more than {_MOST_CONSTRAINT} characters"
        raise InputError(problem, "--constraint", text[:20])
    for some, what in (
        (r"[\[\]*]", "counts of nodes and brackets ({!r}) are not supported"),
        (",", "has a comma, which sbatch refuses: & is its word for and"),
    ):
        if bad := re.search(some, text):
            raise InputError(what.format(bad[0]), "--constraint", text)
    tokens = _TOKEN.findall(text.strip())
    position = 0

    def fail() -> InputError:
        seen = tokens[position] if position < len(tokens) else "the end"
        return InputError(f"cannot be read at {seen!r}", "--constraint", text)

    def operand(depth: int) -> Callable[[frozenset[str]], bool]:
        nonlocal position
        if position == len(tokens) or depth > _MOST_DEPTH:
            raise fail()
        token = tokens[position]
        if token == "(":
            position += 1
            found = alternatives(depth + 1)
            if position == len(tokens) or tokens[position] != ")":
                raise fail()
        elif token in "&|)":
            raise fail()
        else:

            def found(features: frozenset[str]) -> bool:
                return token in features

        position += 1
        return found

    def alternatives(depth: int) -> Callable[[frozenset[str]], bool]:
        nonlocal position
        terms = [[operand(depth)]]
        while position < len(tokens) and tokens[position] in "&|":
            if tokens[position] == "|":
                terms.append([])
            elif len(terms) > 1:
                raise InputError(
                    "has & after |, which needs parentheses", "--constraint", text
                )
            position += 1
            terms[-1].append(operand(depth))
        return lambda features: any(all(x(features) for x in term) for term in terms)

    found = alternatives(0)
    if position < len(tokens):
        raise fail()
    return tuple(x for x in dict.fromkeys(tokens) if x not in "&|()"), found
