"""The schemas of docs/schema, and whether documents obey them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from ..paths import ROOT


@cache
def validator(name: str) -> Draft202012Validator:
    """Return what validates documents of a format, whose schema is one itself."""
    file = ROOT / "docs" / "schema" / f"{name}.schema.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def obeys(name: str, document: Any) -> bool:
    """Whether the document, as it would stand in a file, obeys the schema."""
    return not list(validator(name).iter_errors(json.loads(json.dumps(document))))
