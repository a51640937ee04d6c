"""Files that the page loads: instances, topologies of clusters, traces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...extensions import hooks
from ...instances import InputError
from ...instances.problems import is_instance, parse_instance, problem_of
from ...instances.reading import fields
from ...instances.reading.parsing import parse_json
from ...instances.visible import visible
from ...instances.words import counted
from ...simulation.swf import FIELDS, read_swf
from . import boxes

MOST_TEXT = 4 * 2**20
"""Characters of a file."""
_NUMBERS = re.compile(r"(?:-?\d+(?:\.\d*)?\s+){17}-?\d+(?:\.\d*)?\s*", re.ASCII)


def loaded(body: dict[str, Any]) -> dict[str, Any]:
    """Load a file: ``name``, ``text`` and, of several fabrics, the number ``part``.

    Returns
    -------
    dict
        Of kind ``network``, ``submesh`` or ``trace``.

    Raises
    ------
    InputError
        If it is none of these, or too large; names the file.
    """
    fields.only(body, ("name", "text", "part"), ("name", "text"), "")
    name = visible(fields.string(body["name"], "name"))[:100] or "file"
    text = body["text"]
    if not isinstance(text, str):
        raise InputError("must be a string", "text", text)
    part = fields.integer(body.get("part", 0), "part")
    try:
        return _loaded(name, text, part)
    except InputError as error:
        raise error if error.file else error.of_file(name) from None


def _loaded(name: str, text: str, part: int) -> dict[str, Any]:
    if len(text) > MOST_TEXT:
        raise InputError(f"has more than {MOST_TEXT // 2**20} MiB")
    if looks_like_swf(text):
        with trace_file(name, text) as path:
            jobs = sum(1 for _ in read_swf(path))
        return {"kind": "trace", "name": name, "about": counted(jobs, "job")}
    if text.lstrip().startswith("{"):
        document = parse_json(text)
        if is_instance(document):
            instance = parse_instance(document, default_name=Path(name).stem)
            if load := boxes.LOADERS.get(problem_of(instance).name):
                return load(instance)
            problem = f"must be ksubset or submesh, not {document['format']!r}"
            raise InputError(problem, "format")
    for reader in hooks("explore"):
        found: dict[str, Any] = reader.loaded_cluster(name, text, part)
        return found
    raise InputError("must be an instance or a trace", file=name)


def looks_like_swf(text: str) -> bool:
    """Whether the first line that is no comment has eighteen numbers."""
    for line in text.splitlines():
        if line.strip() and not line.startswith(";"):
            return bool(_NUMBERS.fullmatch(line.strip()))
    return text.lstrip().startswith(";") and FIELDS[0] in text.lower()


@contextmanager
def trace_file(name: str, text: str) -> Iterator[Path]:
    """Provide a trace as a file; errors in it have the name that the page knows."""
    with TemporaryDirectory(prefix="closeknit-") as folder:
        path = Path(folder) / "trace.swf"
        path.write_text(text, encoding="utf-8")
        try:
            yield path
        except InputError as error:
            where = error.file.replace(str(path), name) or name
            field, value = error.field, error.value
            raise InputError(error.problem, field, value, file=where) from None
