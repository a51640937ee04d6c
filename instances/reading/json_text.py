"""Writing JSON: exact decimals, and a canonical form for digests."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from typing import Any


def dumps(document: Any, *, indented: bool = True) -> str:
    """Write JSON with one line per field, exact decimals and keys in the order given.

    If not ``indented``, write the canonical form: keys sorted, no spaces.
    """
    if not indented:
        return _exact(document, ",", ":")
    inner = ",\n".join(
        f"  {json.dumps(key)}: {_exact(value, ', ', ': ')}"
        for key, value in document.items()
    )
    return f"{{\n{inner}\n}}"


def digest(form: str, definition: dict[str, Any]) -> str:
    """Return the SHA-256 of the definition of an instance in canonical form."""
    document = {"format": form, "version": 1, **definition}
    return hashlib.sha256(dumps(document, indented=False).encode()).hexdigest()


def _exact(value: Any, comma: str, colon: str) -> str:
    """Write JSON with exact decimals, which ``json`` does not support."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, dict):
        items = sorted(value.items()) if comma == "," else value.items()
        inner = comma.join(
            f"{json.dumps(key)}{colon}{_exact(item, comma, colon)}"
            for key, item in items
        )
        return f"{{{inner}}}"
    try:
        return json.dumps(value, separators=(comma, colon), sort_keys=comma == ",")
    except TypeError:  # a decimal somewhere inside
        if not isinstance(value, list):
            raise
        return f"[{comma.join(_exact(item, comma, colon) for item in value)}]"
