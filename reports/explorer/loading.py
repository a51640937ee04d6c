"""Files that the page loads: instances, and topologies of clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...extensions import hooks
from ...instances import InputError
from ...instances.escape_hidden import escape_hidden
from ...instances.ksubset.json import parse_ksubset
from ...instances.problems import is_instance
from ...instances.reading import fields
from ...instances.reading.parsing import parse_json
from .board import of_instance

MOST_TEXT = 4 * 2**20
"""Characters of a file."""


def load(body: dict[str, Any]) -> dict[str, Any]:
    """Load a file: ``name``, ``text`` and, of several fabrics, the number ``part``.

    Returns
    -------
    dict
        A network, see `document_of`.

    Raises
    ------
    InputError
        If it is none, or too large; names the file.
    """
    fields.only(body, ("name", "text", "part"), ("name", "text"), "")
    name = escape_hidden(fields.string(body["name"], "name"))[:100] or "file"
    text = body["text"]
    if not isinstance(text, str):
        raise InputError("must be a string", "text", text)
    part = fields.integer(body.get("part", 0), "part")
    try:
        return _load(name, text, part)
    except InputError as error:
        raise error if error.file else error.of_file(name) from None


def _load(name: str, text: str, part: int) -> dict[str, Any]:
    if len(text) > MOST_TEXT:
        raise InputError(f"has more than {MOST_TEXT // 2**20} MiB")
    if text.lstrip().startswith("{"):
        document = parse_json(text)
        if is_instance(document):
            return of_instance(parse_ksubset(document, default_name=Path(name).stem))
    for reader in hooks("explore"):
        found: dict[str, Any] = reader.loaded_cluster(name, text, part)
        return found
    raise InputError("must be an instance", file=name)
