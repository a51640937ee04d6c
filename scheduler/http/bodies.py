"""Bodies of requests, and what can be wrong with them."""

from __future__ import annotations

from typing import Any

from ...instances import InputError
from ...instances.reading import fields
from ...instances.reading.parsing import parse_json


class ConflictError(ValueError):
    """A step that does not follow the one before, which has the number ``sequence``."""

    def __init__(self, problem: str, sequence: int) -> None:
        super().__init__(problem)
        self.sequence = sequence


class MalformedError(ValueError):
    """A body that is no JSON object."""


def parse_body(body: bytes) -> dict[str, Any]:
    """Parse a body; raises MalformedError if it is no JSON object."""
    try:
        return fields.objects(parse_json(body.decode("utf-8-sig")), "body")
    except UnicodeDecodeError as error:
        raise MalformedError(f"body: is not UTF-8 text (byte {error.start})") from None
    except InputError as error:
        raise MalformedError(str(error.of_json())) from None
