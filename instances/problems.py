"""The table of problems, and functions for instances of any problem.

Commands, reports and solvers use it to check and price choices and to read and write
files. A choice is a tuple of integers: sorted indices of processors or items; for
submesh see `Placement.flat`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, overload

from ..loading import find
from . import submesh
from .errors import InputError, in_file
from .extended import Extended
from .ksubset import edge_lists
from .ksubset import instance as ksubset
from .ksubset import json as ksubset_json
from .ksubset.certificate_file import check_certificate
from .ksubset.instance import KSubset
from .ksubset.lower_bounds import derive_bound
from .procset import instance as procset
from .procset import json as procset_json
from .procset.instance import ProcSet
from .reading.files import decode_text, read_bytes, stem
from .reading.packed import unpack
from .reading.parsing import parse_json
from .submesh import Submesh
from .submesh import json as submesh_json
from .submesh.infeasibility import check_infeasible
from .submesh.packing import packing_of
from .sukp import instance as sukp
from .sukp import json as sukp_json
from .sukp import text as sukp_text
from .sukp.instance import Sukp
from .value import Value


@dataclass(frozen=True, repr=False)
class PartInstance(Extended):
    """Base of the instances of problems that parts add."""

    name: str = field(default="", kw_only=True)
    source: str = field(default="", kw_only=True)
    seed: int | None = field(default=None, kw_only=True)


Instance = KSubset | ProcSet | Sukp | Submesh | PartInstance
"""An instance of any problem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One problem: its definition, files, and what checks of answers ask for."""

    name: str
    """Name in commands and reports."""
    kind: type
    """Class of its instances."""
    check: Callable[[Any, Collection[int]], list[str]]
    cost: Callable[[Any, Collection[int]], Value]
    """The definition: what is wrong with a choice, and what it costs."""
    parse: Callable[..., Any]
    sha256: Callable[[Any], str]
    """Reader of its files, and their digest."""
    chosen_of: Callable[[Any, Any], tuple[int, ...]]
    """From what solution files list to a choice."""
    dearest: Callable[[Any], tuple[int, ...]] = lambda instance: (0,)
    """An upper bound on every level of a cost; only those below the first matter."""
    follow_certificate: Callable[..., int] | None = None
    """Checks a certificate in a file, and returns the bound that it proves."""
    derive_bound: Callable[..., Value | None] = lambda instance, by, **how: None
    """Derives a lower bound by its name; None if there is none of that name."""
    levels: Callable[[Any], int | None] = lambda instance: None
    """Levels of the costs of an instance; None if they are integers."""
    unsolvable: Callable[[Any], str | None] = lambda instance: None
    """Why an instance has no solution, as far as counting tells; or None."""
    check_infeasible: Callable[[Any, Any], list[str]] | None = None
    """What is wrong with a certificate that an instance has no solution; None if
    counting alone decides that."""


def describe_problem(kind: type, definition: Any, files: Any, **more: Any) -> Problem:
    """Describe a problem whose modules use the same names as those of the others."""
    return Problem(
        name=files.FORMAT.rpartition("/")[2],
        kind=kind,
        check=definition.check,
        cost=definition.cost,
        sha256=files.sha256,
        chosen_of=files.chosen_of,
        **more,
    )


_LISTED = (
    describe_problem(
        KSubset,
        ksubset,
        ksubset_json,
        parse=ksubset_json.parse_ksubset,
        follow_certificate=check_certificate,
        derive_bound=derive_bound,
    ),
    describe_problem(
        ProcSet,
        procset,
        procset_json,
        parse=procset_json.parse_procset,
        levels=lambda one: one.levels,
        unsolvable=procset.unsolvable,
        dearest=lambda one: one.total,
    ),
    describe_problem(
        Sukp,
        sukp,
        sukp_json,
        parse=sukp_json.parse_sukp,
        unsolvable=sukp.unsolvable,
    ),
    describe_problem(
        Submesh,
        submesh,
        submesh_json,
        parse=submesh_json.parse_submesh,
        levels=lambda one: 3,
        unsolvable=submesh.unsolvable,
        check_infeasible=lambda one, proof: check_infeasible(packing_of(one), proof),
        dearest=submesh.dearest,
    ),
)
CORE = tuple(one.name for one in _LISTED)
"""Names of the problems of the core, all of which have bundled instances."""


@cache
def _of_parts() -> dict[str, str]:
    """Return the modules of the problems of parts, of which the checker has none."""
    extensions = find("extensions")
    return extensions.PROBLEMS if extensions else {}


class _Problems(Mapping[str, Problem]):
    """Problems of the core, and those of parts, which are imported when asked for."""

    def __init__(self) -> None:
        self._known = {one.name: one for one in _LISTED}

    def __getitem__(self, name: str) -> Problem:
        if name not in self._known:
            self._known[name] = find(_of_parts()[name]).PROBLEM
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        yield from CORE  # which come first, and alone where one of them is meant
        yield from _of_parts()

    def __len__(self) -> int:
        return len(CORE) + len(_of_parts())


PROBLEMS = _Problems()
"""All problems by name."""
_FORM = "closeknit/"


def problem_of(instance: Instance) -> Problem:
    """Return the problem of an instance.

    Raises
    ------
    InputError
        If the argument is not an instance of any problem.
    """
    for problem in PROBLEMS.values():
        if problem.kind is type(instance):
            return problem
    kinds = ", ".join(one.kind.__name__ for one in PROBLEMS.values())
    raise InputError(f"must be an instance ({kinds})", "instance", instance)


def check(instance: Instance, chosen: Collection[int]) -> list[str]:
    """List the errors of a choice; see ``check`` of each problem."""
    return problem_of(instance).check(instance, chosen)


@overload
def cost(instance: ProcSet | Submesh, chosen: Collection[int]) -> tuple[int, ...]: ...
@overload
def cost(instance: KSubset | Sukp, chosen: Collection[int]) -> int: ...
@overload
def cost(instance: Instance, chosen: Collection[int]) -> Value: ...
def cost(instance: Instance, chosen: Collection[int]) -> Value:
    """Price a choice from the definition; see ``cost`` of each problem.

    Parameters
    ----------
    instance
        The instance.
    chosen
        Indices of processors or items; for a submesh the integers of a placement.
    """
    return problem_of(instance).cost(instance, chosen)


def sha256(instance: Instance) -> str:
    """Return the digest of the definition, without names and the order of lists.

    >>> from closeknit.instances import mesh
    >>> sha256(mesh(2, 2, k=2))[:16]
    'b7e7f6834d6b5e94'
    """
    return problem_of(instance).sha256(instance)


def parse_instance(document: Any, *, default_name: str = "unnamed") -> Instance:
    """Build an instance of any problem from parsed JSON.

    Raises InputError if it is invalid; names the field and the value.
    """
    form = document.get("format") if isinstance(document, dict) else None
    name = _problem_named(form)
    if name is None:
        if form is not None:
            known = ", ".join(f"{_FORM}{each}" for each in PROBLEMS)
            raise InputError(f"must be one of {known}", "format", form)
        name = "ksubset"  # whose reader reports the missing field
    found: Instance = PROBLEMS[name].parse(document, default_name=default_name)
    return found


def read_instance(path: str | Path) -> Instance:
    """Read an instance file: JSON of any problem, or text, possibly as ``.xz``.

    Texts are those of set-union knapsacks and of p-median networks.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.

    Raises
    ------
    InputError
        If it is invalid: one line with the file, the field and the value.
    """
    found = _read(path, any_form=True)
    assert found is not None
    return found


def read_if_instance(path: str | Path) -> Instance | None:
    """Read a file if it has the format of an instance; else return None.

    Raises
    ------
    InputError
        As for `read_instance`, and if the JSON is malformed.
    """
    return _read(path, any_form=False)


def _read(path: str | Path, *, any_form: bool) -> Instance | None:
    """Read a file; unless ``any_form``, only one that has the format of an instance."""
    with in_file(path):
        text = decode_text(unpack(read_bytes(path), file=path))
        if sukp_text.is_sukp_text(text):
            return sukp_text.parse_sukp_text(text, default_name=stem(path))
        if edge_lists.is_edge_list(text):
            return edge_lists.parse_edge_list(text, default_name=stem(path))
        if not any_form and Path(path).suffix != ".json":
            return None
        document = parse_json(text)
        if not any_form and not is_instance(document):
            return None
        return parse_instance(document, default_name=stem(path))


def is_instance(document: Any) -> bool:
    """Whether a parsed JSON file has the format of an instance."""
    form = document.get("format") if isinstance(document, dict) else None
    return _problem_named(form) is not None


def _problem_named(form: Any) -> str | None:
    """Return the problem whose files have a format; the core is asked first."""
    if not isinstance(form, str) or not form.startswith(_FORM):
        return None
    name = form.removeprefix(_FORM)
    return name if name in CORE or name in _of_parts() else None
