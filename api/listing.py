"""The methods of a problem, including those of installed packages, as a table.

``closeknit.methods`` is a package, and lists the methods when it is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType

from .. import methods
from ..instances import PROBLEMS
from ..instances.suggestions import entry_named
from ..instances.visible import brief
from ..methods import METHODS
from ..methods.own import installed
from ..solvers.method import AnyMethod

_WIDEST = 60
"""Characters of a guarantee that are shown."""


class MethodList(Mapping[str, AnyMethod]):
    """Methods by name; ``print`` shows the guarantee of each.

    Parameters
    ----------
    problem
        Name of a problem.
    """

    def __init__(self, problem: str) -> None:
        entry_named(problem, PROBLEMS, "problem", "problem")
        self.problem = problem
        self._methods = {**installed()[problem], **METHODS[problem]}

    def __getitem__(self, name: str) -> AnyMethod:
        return self._methods[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**METHODS[self.problem], **self._methods})

    def __len__(self) -> int:
        return len(self._methods)

    def __repr__(self) -> str:
        return brief(
            "MethodList", f"{len(self)} methods for {self.problem}: {', '.join(self)}"
        )

    def __str__(self) -> str:
        width = max(map(len, self))
        lines = []
        for name, method in self.items():
            kind = "exact" if method.exact else "     "
            promise = method.doc_entry("Guarantee") or method.summary
            lines.append(f"{name:{width}}  {kind}  {_cropped(promise)}".rstrip())
        return "\n".join(lines)


def _cropped(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def listed(
    problem: str | None = None,
) -> MethodList | dict[str, MethodList]:
    """Return the methods of a problem by name, or of every problem if it is omitted.

    Parameters
    ----------
    problem
        ``ksubset``, ``procset``, ``sukp`` or ``submesh``.

    Raises
    ------
    InputError
        If there is no such problem; the message suggests similar names.

    Examples
    --------
    >>> import closeknit as ck
    >>> ck.methods("sukp")["tabu"]
    <Method 'tabu': Move to the best set of items, or of elements, not visited before, in turns.>
    """  # noqa: E501
    if problem is None:
        return {name: MethodList(name) for name in PROBLEMS}
    return MethodList(problem)


class _Callable(ModuleType):
    """A package that is also a function, named after what it lists."""

    def __call__(
        self, problem: str | None = None
    ) -> MethodList | dict[str, MethodList]:
        """Return the methods of a problem; see `listed`."""
        return listed(problem)


methods.__class__ = _Callable
