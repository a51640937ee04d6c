"""Methods from outside: any callable, run, checked and priced like every other method.

A user's method takes an instance and `Settings` and returns a selection or a
`Result`. It is given as a callable, or as text ``module:name``, which is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from ..instances import PROBLEMS, InputError, Instance, Value, problem_of
from ..instances.reading.json_types import to_json_types
from ..instances.submesh import Placement
from ..instances.support import support_of
from ..instances.value import cost_text
from ..solvers import (
    DEFAULT,
    Grade,
    Proof,
    Result,
    Settings,
    SolverError,
    Status,
    answer,
)
from ..solvers.running import clock
from ..solvers.running.method import AnyMethod, LeastOf, Method
from .foreign import Promise, Stated, call, describe

Rule = Callable[[Any, Settings], Any]
"""A callable that takes an instance and settings; see `OwnRule` for what it returns."""


@dataclass(frozen=True)
class OwnRule:
    """A callable from outside, whose answer is checked and priced."""

    rule: Rule
    """Returns a selection, as `chosen` accepts it; a `Result`, whose bound is recorded
    as claimed by this method; or None if it found nothing."""
    name: str
    """Name of the method, for messages."""

    def __post_init__(self) -> None:
        """Copy the docstring, which `help` and the tables show."""
        object.__setattr__(self, "__doc__", getattr(self.rule, "__doc__", "") or "")
        module = getattr(self.rule, "__module__", "") or ""
        object.__setattr__(self, "__module__", module)

    def __call__(self, instance: Any, /, settings: Settings = DEFAULT) -> Result:
        """Run the callable, check its answer and price it from the definition.

        Raises InputError if the callable raises it: it does not accept this instance.
        Raises SolverError if the callable raises anything else, or its answer is not
        valid.
        """
        start = clock.now()
        found = call(self.name, self.rule, instance, settings)
        result = getattr(found, "result", found)  # unwrap a solution
        if isinstance(result, Result):
            return self._check(instance, result, settings, start)
        return self._price(instance, found, settings, start)

    def _check(
        self, instance: Instance, claimed: Result, settings: Settings, start: float
    ) -> Result:
        """Return the callable's answer with its cost and proof recomputed."""
        proof = Proof(Grade.SOLVER, self.name)
        if claimed.status is Status.INFEASIBLE:
            return Result(
                status=Status.INFEASIBLE, proof=proof, seconds=clock.now() - start
            )
        bound: Value | None = claimed.bound
        result = self._price(
            instance,
            claimed.chosen,
            settings,
            start,
            bound=bound,
            proof=None if bound is None else proof,
            limit=claimed.limit,
            nodes=claimed.nodes,
        )
        if claimed.objective != result.objective:
            raise SolverError(
                f"{self.name}: claims a cost of {cost_text(claimed.objective)}, but "
                f"its selection costs {cost_text(result.objective)}"
            )
        return result

    def _price(
        self,
        instance: Instance,
        selection: Any,
        settings: Settings,
        start: float,
        **known: Any,
    ) -> Result:
        try:
            picked = None if selection is None else chosen(instance, selection)
        except InputError as error:
            raise SolverError(f"{self.name}: {error}") from None
        try:
            return answer(instance, picked, start=start, seed=settings.seed, **known)
        except SolverError as error:
            raise SolverError(f"{self.name}: {error}") from None


@dataclass(frozen=True, repr=False)
class OwnMethod(Method[Any]):
    """A method from outside."""

    where: str = field(default="", kw_only=True)
    """``module:name`` by which another process imports it; "" if none can."""

    def with_name(self, name: str) -> OwnMethod:
        """Return the same method under another name."""
        assert isinstance(self.function, OwnRule)
        return replace(self, name=name, function=replace(self.function, name=name))

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.where:
            raise TypeError(
                f"{self.name} cannot be sent to another process: define it in a module"
            )
        return _import_method, (self.where, self.name, self.problem)


def own_method(
    thing: Any, *, name: str = "", problem: str = "", where: str = ""
) -> OwnMethod:
    """Wrap a callable, or a `Method` that is not in the tables, as a method.

    Its attributes ``name``, ``problem``, ``guarantee``, ``refuses``, ``seeded`` and so
    on are used as in `Method`. ``where`` is ``module:name`` for other processes,
    determined if omitted. Raises InputError if it cannot be called, or names a problem
    that does not exist.
    """
    if not callable(thing):
        raise InputError("must be a method, its name, or a callable", "method", thing)
    plain_name = getattr(thing, "__name__", type(thing).__name__)
    label = name or str(getattr(thing, "name", "") or plain_name)
    known = problem or str(getattr(thing, "problem", "") or "")
    if known and known not in PROBLEMS:
        raise InputError(
            f"must be one of {', '.join(PROBLEMS)}", f"{label}.problem", known
        )
    function = thing.function if isinstance(thing, Method) else thing
    rule = function if isinstance(function, OwnRule) else OwnRule(function, label)
    return OwnMethod(
        name=label,
        function=rule,
        exact=bool(getattr(thing, "exact", False)),
        guarantee=_ask(thing, "guarantee", label, Promise),
        refuses=_ask(thing, "refuses", label, Stated),
        takes_required=bool(getattr(thing, "takes_required", False)),
        takes_ties=bool(getattr(thing, "takes_ties", True)),
        seeded=bool(getattr(thing, "seeded", True)),
        where=where or where_of(thing),
        problem=known,
    )


def _ask(thing: Any, attribute: str, label: str, kind: type[Stated]) -> Any:
    """Return what a callable states of instances, checked whenever it is asked."""
    stated, field = getattr(thing, attribute, None), f"{label}.{attribute}"
    if stated is None or isinstance(stated, LeastOf | kind):
        return stated
    if not callable(stated):
        raise InputError("must be a function of an instance", field, stated)
    return kind(stated, field)


def where_of(thing: Any) -> str:
    """Return ``module:name`` by which another process finds an object; "" if none can.

    >>> where_of(where_of), where_of(lambda instance, settings: [])
    ('closeknit.methods.user_methods:where_of', '')
    """
    module = getattr(thing, "__module__", None)
    name = getattr(thing, "__qualname__", None)
    if not module or not name or module == "__main__" or "<" in name:
        return ""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is thing else ""


def import_method(where: str, field: str = "method") -> OwnMethod:
    """Import a method given as ``module:name``.

    The current directory is searched as well, even where Python itself does not. Raises
    InputError if there is no such module, or nothing of this name in it.
    """
    return _import_method(where, where, "", field)


def _import_method(
    where: str, name: str, problem: str, field: str = "method"
) -> OwnMethod:
    module, _, attribute = where.partition(":")
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
    try:
        thing: Any = import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f"{error}", field, where) from None
    except (Exception, SystemExit) as error:
        why = f"cannot be imported: {describe(error)}"
        raise InputError(why, field, where) from error
    for part in attribute.split("."):
        if not hasattr(thing, part):
            raise InputError(f"{module} has no {attribute}", field, where)
        thing = getattr(thing, part)
    return own_method(thing, name=name, problem=problem, where=where)


def found_outside(
    name: str, problems: Sequence[str], field: str = "method"
) -> dict[str, AnyMethod]:
    """Return the method ``module:name``, for each problem that it is for.

    A method that names no problem counts for all of those given.
    """
    if ":" not in name:
        return {}
    method = import_method(name, field)
    return {p: method for p in problems if method.problem in ("", p)}


def given(thing: Any, problem: str, table: Mapping[str, AnyMethod]) -> AnyMethod:
    """Return the method of a problem for a `Method` or a callable.

    A method of the table is returned as it is. Another of the same name is prefixed
    with its module. Raises InputError if it is a method for another problem, or cannot
    be called.
    """
    if isinstance(thing, Method) and table.get(thing.name) is thing:
        return thing
    method = thing if isinstance(thing, OwnMethod) else own_method(thing)
    if method.problem not in ("", problem):
        raise InputError(
            f"is a method for {method.problem}, not for {problem}", method.name
        )
    if method.name in table:
        module = getattr(thing, "__module__", "") or "own"
        method = method.with_name(f"{module}:{method.name}")
    return method


def chosen(instance: Instance, selection: Any) -> tuple[int, ...]:
    """Return a selection as indices, in the order of its problem; not checked further.

    A selection is any iterable or array: of integers, which are indices; of what users
    call processors (see `KSubset.names`; a number that names a node is a `Node`); or of
    locations, which are coordinates, or ``[v]`` for node v of a tree or graph. For a
    submesh it is a `Placement`, its integers, or ``{"at": box, "moves": [...]}`` as
    solution files have it. Raises InputError for anything else,
    and for locations that cannot be chosen.

    Examples
    --------
    >>> from closeknit.instances import mesh
    >>> chosen(mesh(2, 2, k=2), [(1, 1), (0, 1)]), chosen(mesh(2, 2, k=2), {3, 0})
    ((1, 3), (0, 3))
    """
    support = support_of(instance)
    if isinstance(selection, Placement):
        return selection.flat()
    if hasattr(selection, "tolist"):  # arrays of numpy, columns of pandas
        selection = selection.tolist()
    if isinstance(selection, Iterable) and not isinstance(selection, str | Mapping):
        selection = list(selection)
        if (named := support.chosen_by_names(instance, selection)) is not None:
            return tuple(support.canonical(named))
    listed = to_json_types(selection)
    if isinstance(listed, list) and set(map(type, listed)) <= {int}:
        return tuple(support.canonical(listed))
    if (located := support.locate(instance, listed)) is not None:
        return problem_of(instance).chosen_of(instance, located)
    raise InputError("must list indices or locations", "selection", selection)
