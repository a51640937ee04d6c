"""Which instances a command line names: files, folders, suites."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..instances import InputError, KSubset, read_ksubset, sha256
from ..instances.files import parse_json, read_text
from ..instances.ksubset_json import FORMAT, parse_ksubset


def instances_of(names: Sequence[str]) -> list[KSubset]:
    """Return all instances, in the order given, none twice.

    Parameters
    ----------
    names
        Files; folders (every ``*.json`` of the format of instances, sorted);
        suites of ``instances.library``. What lies on the disk goes first.

    Raises
    ------
    InputError
        For what cannot be read, a folder without instances, or two different
        instances of one name.
    """
    found: dict[str, tuple[KSubset, str]] = {}
    for name in names:
        for instance, origin in _read(name):
            if instance.name not in found:
                found[instance.name] = instance, origin
                continue
            first, first_origin = found[instance.name]
            if sha256(first) != sha256(instance):
                raise InputError(
                    f"{instance.name!r} is also the name of another instance, in "
                    f"{first_origin}",
                    file=origin,
                    field="name",
                )
    return [instance for instance, _ in found.values()]


def _read(name: str) -> list[tuple[KSubset, str]]:
    path = Path(name)
    try:
        is_folder, is_there = path.is_dir(), path.exists()
    except OSError as error:  # a name too long, a folder that may not be entered
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    if is_folder:
        return _folder(path)
    if is_there:
        return [(read_ksubset(path), name)]
    return _suite(name)


def _folder(path: Path) -> list[tuple[KSubset, str]]:
    found = []
    for file in sorted(path.glob("*.json")):
        document = parse_json(read_text(file), file=file)
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            continue
        try:
            instance = parse_ksubset(document, default_name=file.stem)
        except InputError as error:
            raise error.of_file(file) from None
        found.append((instance, str(file)))
    if not found:
        raise InputError("no instance file (*.json) in this folder", file=path)
    return found


def _suite(name: str) -> list[tuple[KSubset, str]]:
    from ..instances.library import SUITES, suite

    if name not in SUITES:
        raise InputError(
            f"no such file, folder or suite (suites: {', '.join(SUITES)})", file=name
        )
    return [(instance, f"suite {name}") for instance in suite(name)]
