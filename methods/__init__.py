"""The tables of methods, one per problem; each is imported at first access.

`api` makes the package callable: ``closeknit.methods("ksubset")`` returns the methods
of a problem, including those of installed packages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

from ..instances import KSubset, ProcSet, Submesh, Sukp
from ..solvers.method import AnyMethod as AnyMethod
from ..solvers.method import Inst
from ..solvers.method import Method as Method
from .old_names import current


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
    from .ksubset import TABLE

    return TABLE


def _procset() -> Mapping[str, Method[ProcSet]]:
    from .procset import TABLE

    return TABLE


def _sukp() -> Mapping[str, Method[Sukp]]:
    from .sukp import TABLE

    return TABLE


def _submesh() -> Mapping[str, Method[Submesh]]:
    from .submesh import TABLE

    return TABLE


KSUBSET = MethodTable("ksubset", _ksubset)
"""Methods for the k-subset problem, by the name used in reports."""
PROCSET = MethodTable("procset", _procset)
"""Methods for processor-set selection."""
SUKP = MethodTable("sukp", _sukp)
"""Methods for the set-union knapsack problem."""
SUBMESH = MethodTable("submesh", _submesh)
"""Methods for submesh allocation."""

METHODS: Mapping[str, Mapping[str, AnyMethod]] = MappingProxyType(
    {"ksubset": KSUBSET, "procset": PROCSET, "sukp": SUKP, "submesh": SUBMESH}
)
"""The methods of every problem, by the name of the problem."""
