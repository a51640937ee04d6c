"""A client of an ASGI application, without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

JSON = {"content-type": "application/json"}


@dataclass
class Answer:
    """The response to one request."""

    status: int
    headers: dict[str, str]
    content: bytes
    unread: int
    """Parts of the body that the application has not asked for."""

    @property
    def json(self) -> Any:
        """Parse the body."""
        return json.loads(self.content)


def ask(
    app: Any,
    method: str,
    path: str,
    body: Any = None,
    *,
    parts: Iterable[bytes] | None = None,
    headers: dict[str, str] | None = None,
) -> Answer:
    """Send one request; ``body`` is JSON, ``parts`` are bytes that come in turn."""
    return asyncio.run(asked(app, method, path, body, parts=parts, headers=headers))


async def asked(
    app: Any,
    method: str,
    path: str,
    body: Any = None,
    *,
    parts: Iterable[bytes] | None = None,
    headers: dict[str, str] | None = None,
) -> Answer:
    """Do what `ask` does within a loop."""
    waiting = [b"" if body is None else json.dumps(body).encode()]
    waiting = waiting if parts is None else [*parts]
    given = JSON | (headers or {})
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(k.lower().encode(), v.encode()) for k, v in given.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        part = waiting.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(waiting)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    head, *rest = sent
    return Answer(
        head["status"],
        {key.decode().lower(): value.decode() for key, value in head["headers"]},
        b"".join(part.get("body", b"") for part in rest),
        len(waiting),
    )
