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
    sent: list[Answer] | None = None,
) -> Answer:
    """Send one request; ``body`` is JSON, ``parts`` are bytes that come in turn.

    The answer is put into ``sent``, too, also if the application then fails.
    """
    found = [] if sent is None else sent
    asyncio.run(_ask(app, method, path, body, parts, headers or {}, found))
    return found[0]


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
    found: list[Answer] = []
    await _ask(app, method, path, body, parts, headers or {}, found)
    return found[0]


async def _ask(
    app: Any,
    method: str,
    path: str,
    body: Any,
    parts: Iterable[bytes] | None,
    headers: dict[str, str],
    found: list[Answer],
) -> None:
    waiting = [b"" if body is None else json.dumps(body).encode()]
    waiting = waiting if parts is None else [*parts]
    given = JSON | {"host": "localhost"} | headers
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
        if not waiting:  # the client has sent everything, and waits for the answer
            await asyncio.Event().wait()
        part = waiting.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(waiting)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    try:
        await app(scope, receive, send)
    finally:
        if sent:
            head, *rest = sent
            named = {k.decode().lower(): v.decode() for k, v in head["headers"]}
            content = b"".join(part.get("body", b"") for part in rest)
            found.append(Answer(head["status"], named, content, len(waiting)))
