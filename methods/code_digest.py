"""A digest of the code behind a method: another one if that code was changed.

Of a method of one's own it covers the function and all that it uses: functions,
classes, and the values of globals, defaults, closures, partial and callable objects,
in its module and in other modules of one's own. What is compared is what Python runs,
not the text of a file, which may have changed since it was read. Of an installed
package the version counts. Of closeknit's own methods it is the version, too; where
closeknit is used from a checkout, the files of the method's module and of all modules
of closeknit that these import.
"""

from __future__ import annotations

import builtins
import dis
import platform
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from hashlib import sha256
from importlib import import_module
from importlib.metadata import packages_distributions, version
from importlib.util import resolve_name
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any
from uuid import uuid4

from ..solvers.running.method import AnyMethod, Method
from .source_files import OURS, digest_of_files, from_checkout
from .user_methods import OwnRule

_PLAIN = (bool, int, float, complex, str, type(None), type(...), type(NotImplemented))
_DESCRIPTORS = (
    *(GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType),
    *(WrapperDescriptorType, BuiltinFunctionType),
)
_DYNAMIC = {"eval", "exec", "compile", "globals", "locals", "vars", "__import__"}
"""Built-in functions through which code may use what it does not name."""
_OF_NO_MATTER = {
    *("__dict__", "__weakref__", "__module__", "__doc__", "__annotations__"),
    *("__annotate__", "__annotate_func__", "__firstlineno__", "__static_attributes__"),
    *("__dataclass_fields__", "__dataclass_params__", "_abc_impl", "guarantee"),
}
"""Attributes of functions and classes on which no answer depends."""
_MOST = 500_000
"""Values that are looked at; a method that uses more cannot be read."""

_KNOWN: dict[int, tuple[AnyMethod, str]] = {}


def code_of(method: AnyMethod) -> str:
    """Return a digest of the code of a method, the same for each use of an object.

    What cannot be read, such as code built while it runs or an open file, gives a text
    that is never returned again: its results are not to be taken for those of another
    run.
    """
    known = _KNOWN.get(id(method))
    if known is None:
        known = _KNOWN[id(method)] = method, _read(method)
    return known[1]


def _read(method: AnyMethod) -> str:
    walk = _Walk()
    try:
        walk.add_method(method)
    except Exception:  # of one's own objects, too, which may refuse to be looked at
        return f"unread-{uuid4().hex}"
    return walk.digest.hexdigest()


class _Walk:
    """Looks at values in a fixed order and adds each to a digest."""

    def __init__(self) -> None:
        self.digest = sha256()
        self._met: dict[int, tuple[int, object]] = {}
        self._looked_up: set[tuple[int, str]] = set()
        self._left = _MOST

    def add_method(self, method: AnyMethod) -> None:
        function: Any = method.function
        self.add(function.rule if isinstance(function, OwnRule) else function)
        self.add(method.refuses)

    def note(self, *words: object) -> None:
        for word in words:
            data = word if isinstance(word, bytes) else repr(word).encode()
            self.digest.update(b"%d:" % len(data) + data)

    def add(self, thing: Any) -> None:
        self._left -= 1
        if self._left < 0:
            raise ValueError("more than can be looked at")
        kind = type(thing)
        if kind in _PLAIN or kind is bytes:
            self.note(kind.__name__, thing)
        elif kind is tuple:  # may be shared or not, as Python likes
            self._add_items(kind, thing)
        elif kind is frozenset:
            self._add_set(thing)
        elif kind is CodeType:
            self._code(thing)
        elif id(thing) in self._met:
            self.note("again", self._met[id(thing)][0])
        else:
            self._met[id(thing)] = len(self._met), thing
            self._object(kind, thing)

    def _object(self, kind: type, thing: Any) -> None:
        if kind is list:
            self._add_items(kind, thing)
        elif kind in (dict, MappingProxyType):
            self._add_items(kind, [*thing.items()])
        elif kind is set:
            self._add_set(thing)
        elif kind is FunctionType:
            self._function(thing)
        elif kind is MethodType:
            self._add_items(kind, (thing.__func__, thing.__self__))
        elif isinstance(thing, ModuleType):
            self._module(thing, vars(thing))
        elif isinstance(thing, type):
            self._class(thing)
        elif kind in (staticmethod, classmethod):
            self._add_items(kind, (thing.__func__,))
        elif kind is property:
            self._add_items(kind, (thing.fget, thing.fset, thing.fdel))
        elif kind is cached_property:
            self._add_items(kind, (thing.func,))
        elif kind in _DESCRIPTORS:
            self.note(kind.__name__, thing.__name__)
            self._origin(getattr(thing, "__module__", None) or "builtins")
        elif isinstance(thing, Method):
            self.add_method(thing)
        else:
            self._instance(kind, thing)

    def _add_items(self, kind: type, things: Iterable[Any]) -> None:
        listed = list(things)
        self.note(kind.__name__, len(listed))
        for one in listed:
            self.add(one)

    def _add_set(self, things: Iterable[Any]) -> None:
        digests = []
        for one in things:
            alone = _Walk()
            alone.add(one)
            digests.append(alone.digest.hexdigest())
        self.note("set", sorted(digests))

    def _code(self, code: CodeType) -> None:
        self.note(code.co_code, code.co_flags, code.co_argcount)
        self.note(code.co_kwonlyargcount, code.co_posonlyargcount)
        self.note(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self.note(code.co_exceptiontable)
        self._add_items(tuple, code.co_consts)

    def _function(self, function: FunctionType) -> None:
        """Add a function of one's own, or one that a package made of it."""
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        self._add_items(tuple, cells)
        self._add_items(tuple, (function.__defaults__, function.__kwdefaults__))
        where = str(function.__globals__.get("__name__"))
        if self._origin(where):
            self.note(function.__qualname__, function.__code__.co_qualname)
            return
        self.add(function.__code__)
        self._attributes(vars(function))
        names = set(_names(function.__code__))
        for name in sorted(names):
            if name in function.__globals__:
                self._add_value(name, function.__globals__[name], names)
            elif name in _DYNAMIC and hasattr(builtins, name):
                raise ValueError(f"uses {name}")
        package = str(function.__globals__.get("__package__") or "")
        for module in _imports_of(function.__code__, package):
            self._module(module, names)

    def _add_value(self, name: str, value: Any, names: Iterable[str]) -> None:
        self.note(name)
        if isinstance(value, ModuleType):
            self._module(value, names)
        else:
            self.add(value)

    def _module(self, module: ModuleType, names: Iterable[str]) -> None:
        """Add those of the names that a module of one's own, or our facade, has."""
        if self._origin(module.__name__):
            if module.__name__ == OURS and from_checkout():
                for name in sorted({*names} & {*dir(module)}):
                    self.add(getattr(module, name))
            return
        for name in sorted(names):
            place = id(module), name
            if name in vars(module) and place not in self._looked_up:
                self._looked_up.add(place)
                if not name.startswith("__"):
                    self._add_value(name, vars(module)[name], names)

    def _class(self, kind: type) -> None:
        self.note("class", kind.__qualname__)
        if not self._origin(kind.__module__):
            self._add_items(tuple, (*kind.__bases__, type(kind)))
            self._attributes(vars(kind))

    def _attributes(self, found: Mapping[str, Any]) -> None:
        for name, value in sorted(found.items()):
            if name not in _OF_NO_MATTER:
                self.note(name)
                self.add(value)

    def _instance(self, kind: type, thing: Any) -> None:
        """Add what an object would be pickled as; TypeError if it cannot be."""
        self.add(kind)
        inner = getattr(thing, "py_func", None) or getattr(thing, "__wrapped__", None)
        if inner is not None and _foreign(kind.__module__):  # compiled, or with a cache
            self.add(inner)
            return
        reduced = thing.__reduce_ex__(4)
        if isinstance(reduced, str):
            self.note(reduced)
            return
        made, arguments, *rest = reduced
        self._add_items(tuple, (made, arguments))
        for part in rest:
            once = part is not None and hasattr(part, "__next__")
            self.add(list(part) if once else part)

    def _origin(self, module: str) -> bool:
        """Add who made a module; whether it is not one's own, and so is known by that.

        Code without a file, as in a notebook, is one's own.
        """
        if module.partition(".")[0] == OURS:
            self.note(OURS, digest_of_files(module) if from_checkout() else "")
            self.note(version(OURS))
            return True
        maker = _foreign(module)
        self.note(maker)
        return bool(maker)


@cache
def _foreign(module: str) -> str:
    """Return Python or the distribution that a module is of; "" for one's own."""
    top = module.partition(".")[0]
    if top == OURS:
        return OURS
    if top == "builtins" or (top in sys.stdlib_module_names and top != "__main__"):
        return f"Python {platform.python_version()}"
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or not _among_installed(Path(file)):
        return ""
    if top not in _distributions():
        _distributions.cache_clear()  # it may have been installed since
    owners = sorted(set(_distributions().get(top, ())))
    return ", ".join(f"{owner} {version(owner)}" for owner in owners)


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Read which distributions packages are of, from the files of all of them."""
    return packages_distributions()


def _among_installed(file: Path) -> bool:
    places = (sysconfig.get_path(name) for name in ("purelib", "platlib"))
    known = [Path(place).resolve() for place in places]
    return any(file.resolve().is_relative_to(place) for place in known) or (
        {"site-packages", "dist-packages"} & set(file.parts) != set()
    )


def _names(code: CodeType) -> Iterable[str]:
    """Yield the names that code uses, and texts, with which it may look some up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
        elif isinstance(constant, str) and constant.isidentifier():
            yield constant


def _imports_of(code: CodeType, package: str) -> Iterable[ModuleType]:
    """Yield the modules that code imports when it runs; what is missing is left out."""
    before: list[Any] = []
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            level = next((n for n in reversed(before) if type(n) is int), 0)
            name = "." * level + str(step.argval)
            try:
                yield import_module(resolve_name(name, package) if level else name)
            except ImportError:
                continue
        before = [*before[-1:], step.argval]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _imports_of(constant, package)
