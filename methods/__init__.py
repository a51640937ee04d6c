"""The tables of methods, one per problem; each is imported at first access.

The package is callable: ``closeknit.methods("ksubset")`` returns the methods of a
problem.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, overload

from ..extensions import INSTALLED, load
from ..instances import PROBLEMS, KSubset, ProcSet, Submesh, Sukp
from ..instances.reading.suggestions import entry_named
from ..solvers.running.method import AnyMethod as AnyMethod
from ..solvers.running.method import Inst
from ..solvers.running.method import Method as Method
from .old_names import current

if TYPE_CHECKING:
    from .listing import MethodList


class MethodTable(Mapping[str, Method[Inst]]):
    """The methods of one problem by name; the table is imported at first access.

    Names of the previous version are accepted, but not listed.

    Parameters
    ----------
    problem
        Name of the problem.
    load
        Imports the table.
    """

    def __init__(
        self, problem: str, load: Callable[[], Mapping[str, Method[Inst]]]
    ) -> None:
        self._problem = problem
        self._load = load

    @cached_property
    def _methods(self) -> Mapping[str, Method[Inst]]:
        return self._load()

    def __getitem__(self, name: str) -> Method[Inst]:
        """Return a method by its name."""
        return self._methods[current(self._problem, name)]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names in the order in which methods are listed."""
        return iter(self._methods)

    def __len__(self) -> int:
        """Return the number of methods."""
        return len(self._methods)

    def __repr__(self) -> str:
        """Return the problem and the number of methods."""
        return f"<MethodTable {self._problem}: {len(self)} methods>"


def _ksubset() -> Mapping[str, Method[KSubset]]:
    from .ksubset.table import TABLE

    return TABLE


def _procset() -> Mapping[str, Method[ProcSet]]:
    from .procset.table import TABLE

    return TABLE


def _sukp() -> Mapping[str, Method[Sukp]]:
    from .sukp.table import TABLE

    return TABLE


def _submesh() -> Mapping[str, Method[Submesh]]:
    from .submesh.table import TABLE

    return TABLE


def _of_part(module: str) -> Mapping[str, AnyMethod]:
    found: Mapping[str, AnyMethod] = load(f"{module}:methods")()
    return found


KSUBSET = MethodTable("ksubset", _ksubset)
"""Methods for the k-subset problem, by the name used in reports."""
PROCSET = MethodTable("procset", _procset)
"""Methods for processor-set selection."""
SUKP = MethodTable("sukp", _sukp)
"""Methods for the set-union knapsack problem."""
SUBMESH = MethodTable("submesh", _submesh)
"""Methods for submesh allocation."""

_OF_PARTS: dict[str, Mapping[str, AnyMethod]] = {
    name: MethodTable(name, partial(_of_part, module))
    for part in INSTALLED.values()
    for name, module in part.problems.items()
}
_OF_CORE: dict[str, Mapping[str, AnyMethod]] = {
    "ksubset": KSUBSET,
    "procset": PROCSET,
    "sukp": SUKP,
    "submesh": SUBMESH,
}
METHODS: Mapping[str, Mapping[str, AnyMethod]] = MappingProxyType(_OF_CORE | _OF_PARTS)
"""The methods of every problem, by the name of the problem."""


class _Callable(ModuleType):
    """A package that is also a function, named after what it lists."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # what the package has
        def __setattr__(self, name: str, value: Any) -> None: ...

    @overload
    def __call__(self, problem: str) -> MethodList: ...
    @overload
    def __call__(self, problem: None = None) -> dict[str, MethodList]: ...
    def __call__(
        self, problem: str | None = None
    ) -> MethodList | dict[str, MethodList]:
        """Return the methods of a problem by name, or of every problem if omitted.

        Parameters
        ----------
        problem
            ``ksubset``, ``procset``, ``sukp``, ``submesh`` or ``contention``.

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
        from .listing import MethodList

        if problem is None:
            return {name: MethodList(name, table) for name, table in METHODS.items()}
        entry_named(problem, PROBLEMS, "problem", "problem")
        return MethodList(problem, METHODS[problem])


sys.modules[__name__].__class__ = _Callable
