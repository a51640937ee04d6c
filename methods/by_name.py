"""Methods by the names that users give, for one problem or several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from logging import getLogger
from typing import Any

from ..instances import PROBLEMS, InputError, Instance, problem_of
from . import AnyMethod
from . import user_methods as own
from .old_names import current, hint_for, require_known

_LOG = getLogger("closeknit.methods")


def problems_of(instances: Iterable[Instance]) -> tuple[str, ...]:
    """Return the names of the problems, each once, in the order of the tables."""
    met = {problem_of(instance).name for instance in instances}
    return tuple(name for name in PROBLEMS if name in met)


def methods_named(
    name: Any, problems: Sequence[str], field: str = "method"
) -> dict[str, AnyMethod]:
    """Return the method of this name for each of these problems that has one.

    It is a name of the tables, ``module:name``, or a method or a callable itself, see
    `user_methods`. ``field`` is what to name in
    messages. An old name is accepted with a warning. Raises InputError if none has it;
    the message suggests similar names.
    """
    from . import METHODS

    if not isinstance(name, str):
        return {p: own.given(name, p, METHODS[p]) for p in problems}
    found = {p: METHODS[p][name] for p in problems if name in METHODS[p]}
    for new in dict.fromkeys(current(p, name) for p in found):
        if new != name:
            _LOG.warning("method %s is now %s", name, new)
    found = found or own.found_outside(name, problems, field)
    if not found:
        known = dict.fromkeys(each for p in problems for each in METHODS[p])
        whom = f" for {' or '.join(problems)}" if len(problems) < len(PROBLEMS) else ""
        elsewhere = [p for p in METHODS if p not in problems and name in METHODS[p]]
        why = hint_for(name, known, problems)
        if elsewhere:
            why = f"{name} is a method for {' and '.join(elsewhere)}"
        raise InputError(f"no such method{whom} ({why})", field, name)
    return found


def method_named(name: Any, problem: str, field: str = "method") -> AnyMethod:
    """Return the method of this name for this problem; see `methods_named`."""
    return methods_named(name, [problem], field)[problem]


def known_method(name: str, field: str) -> None:
    """Raise InputError if no problem has a method of this name."""
    if ":" in name:  # of one's own
        own.import_method(name, field)
        return
    from . import METHODS

    require_known(name, (one for table in METHODS.values() for one in table), field)
