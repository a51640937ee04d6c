"""The shape of ``closeknit/solution`` files; nothing they claim is looked at."""

from __future__ import annotations

from typing import Any

from .reading import fields

FORMAT = "closeknit/solution"


def _as_is(value: Any, field: str) -> Any:
    """Leave a value to be decoded by the problem that it belongs to."""
    return value


SOLUTION = fields.file(
    FORMAT,
    {
        "instance": fields.string,
        "sha256": fields.string,
        "method": fields.string,
        "status": fields.string,
    },
    {
        "objective": fields.cost,
        "bound": fields.cost,
        "proof": fields.record({"grade": fields.string, "by": fields.string}),
        "certificate": fields.objects,
        "limit": fields.string,
        "selection": _as_is,
        "seconds": fields.seconds,
        "seed": fields.integer,
    },
)
"""Decodes a parsed file. Whoever uses its selection, its certificate, or the words for
its status, grade and limit decodes these further."""
