"""The instances that a command line names: files, folders, suites."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ....instances import InputError, Instance, read_if_instance, read_instance, sha256
from ....instances.library import SUITES, suite

_PATTERNS = ("*.json", "*.txt", "*.txt.xz")


def instances_of(names: Sequence[str]) -> list[Instance]:
    """Return all instances that the names stand for, in the order given, none twice.

    A name is a file; a folder: every ``*.json``, ``*.txt`` and ``*.txt.xz`` that states
    it is an instance of any problem, sorted; or a suite of ``instances.library``. What
    lies on the disk goes first. Raises InputError for what cannot be read, a folder
    without instances, or two different instances of one name.
    """
    found = Collected()
    for name in names:
        for instance, origin in _read(name):
            found.add(instance, origin)
    return found.instances


class Collected:
    """Instances of different names, and where each came from."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[Instance, str]] = {}

    @property
    def instances(self) -> list[Instance]:
        """All, in the order in which they came."""
        return [instance for instance, _ in self._found.values()]

    def add(self, instance: Instance, origin: str) -> None:
        """Add an instance unless it is there; InputError if another has its name."""
        first, first_origin = self._found.setdefault(instance.name, (instance, origin))
        if first is not instance and sha256(first) != sha256(instance):
            raise InputError(
                f"{instance.name!r} is also the name of another instance, in "
                f"{first_origin}",
                file=origin,
                field="name",
            )


def _read(name: str) -> list[tuple[Instance, str]]:
    path = Path(name)
    try:
        is_folder, is_there = path.is_dir(), path.exists()
    except OSError as error:  # a name too long, a folder that may not be entered
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    if is_folder:
        return _folder(path)
    if is_there:
        return [(read_instance(path), name)]
    return _suite(name)


def _folder(path: Path) -> list[tuple[Instance, str]]:
    found = []
    for file in sorted(f for pattern in _PATTERNS for f in path.glob(pattern)):
        instance = read_if_instance(file)
        if instance is not None:
            found.append((instance, str(file)))
    if not found:
        raise InputError(
            f"no instance file ({', '.join(_PATTERNS)}) in this folder", file=path
        )
    return found


def _suite(name: str) -> list[tuple[Instance, str]]:
    if name not in SUITES:
        raise InputError(
            f"no such file, folder or suite (suites: {', '.join(SUITES)})", file=name
        )
    return [(instance, f"suite {name}") for instance in suite(name)]
