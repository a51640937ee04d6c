"""The methods of a problem as a table that can be printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..instances.escape_hidden import brief
from ..instances.words import with_noun
from ..solvers.running.method import AnyMethod

_WIDEST = 60
"""Characters of a guarantee that are shown."""


class MethodList(Mapping[str, AnyMethod]):
    """Methods by name; ``print`` shows the guarantee of each.

    Parameters
    ----------
    problem
        Name of a problem.
    table
        Its methods.
    """

    def __init__(self, problem: str, table: Mapping[str, AnyMethod]) -> None:
        self.problem = problem
        self._table = table

    def __getitem__(self, name: str) -> AnyMethod:
        return self._table[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        number = with_noun(len(self), "method")
        return brief("MethodList", f"{number} for {self.problem}: {', '.join(self)}")

    def __str__(self) -> str:
        width = max(map(len, self))
        lines = []
        for name, method in self.items():
            kind = "exact" if method.exact else "     "
            promise = method.doc_entry("Guarantee") or method.summary
            lines.append(f"{name:{width}}  {kind}  {_crop(promise)}".rstrip())
        return "\n".join(lines)


def _crop(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
