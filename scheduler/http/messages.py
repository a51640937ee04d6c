"""Bodies in JSON, read within limits and written; what the framework itself refuses."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ...instances import InputError
from ...instances.reading import fields
from ...instances.reading.json_text import dumps
from ...instances.reading.parsing import parse_json
from .problems import HTTPProblem


async def json_body(request: Request, most: int, seconds: float) -> dict[str, Any]:
    """Read a JSON object of at most so many bytes, which come within so many seconds.

    Raises
    ------
    HTTPProblem
        For another type of content, a body that is too large, late or cut short, and
        one that is no JSON object.
    """
    kind = request.headers.get("content-type", "").partition(";")[0]
    if kind.strip().lower() != "application/json":
        raise HTTPProblem(415, "content-type: must be application/json")
    # A connection with a rest that is not read is closed.
    large = HTTPProblem(
        413, f"body: has more than {most} bytes", headers={"Connection": "close"}
    )
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most:
        raise large
    content = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                content += chunk
                if len(content) > most:
                    raise large
    except TimeoutError:
        problem = f"body: has not come within {seconds:g} s"
        raise HTTPProblem(408, problem, headers={"Connection": "close"}) from None
    except ClientDisconnect:
        raise HTTPProblem(400, "body: ends too early") from None
    try:
        return fields.objects(parse_json(content.decode("utf-8-sig")), "body")
    except UnicodeDecodeError as error:
        problem = f"body: is not UTF-8 text (byte {error.start})"
    except InputError as error:
        problem = str(error.of_json())
    raise HTTPProblem(400, problem)


def json_response(document: dict[str, Any] | list[Any]) -> Response:
    """Write a document; an object with one line per field."""
    indented = isinstance(document, dict)
    return Response(
        dumps(document, indented=indented) + "\n", media_type="application/json"
    )


async def of_framework(request: Request, error: Exception) -> Response:
    """Describe what the framework itself refuses: unknown paths and methods."""
    assert isinstance(error, HTTPException)
    detail = f"{request.method}: {HTTPStatus(error.status_code).phrase.lower()}"
    headers = dict(error.headers or {})
    return HTTPProblem(error.status_code, detail, headers=headers).response()


async def internal(request: Request, error: Exception) -> Response:
    """Answer a fault of the program; it is raised again, and printed by the server."""
    return HTTPProblem(500, f"internal error: {type(error).__name__}").response()
