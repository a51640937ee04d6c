"""The page and its requests over HTTP, for this machine only."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from ...scheduler.http import factory
from ...scheduler.http.messages import json_response
from ...scheduler.http.problems import HTTPProblem
from ...scheduler.http.worker import Worker
from .explorer import Explorer

STATIC = Path(__file__).with_name("static")
MOST_BYTES = 6 * 2**20
_POLICY = factory.AccessPolicy(most_bytes=MOST_BYTES, most_waiting=16, reading=30.0)
_LONGEST_WAIT = 120.0
_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)


def application(explorer: Explorer) -> ASGIApp:
    """Return the page and its requests as an ASGI application.

    Requests are ``POST /api/NAME`` with a JSON object, which other sites cannot send
    without being asked first, and are answered one after the other.
    """
    worker = Worker(_POLICY.most_waiting)

    async def run(request: Request, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """Answer in the worker's thread, unless the client goes before its turn."""
        gone = Event()

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            gone.set()

        def begun(_: float) -> dict[str, Any]:
            if gone.is_set():
                raise HTTPProblem(503, "the client has gone")
            return explorer.answer(name, body, gone)

        watching = asyncio.create_task(watch())
        try:
            return await worker.run(begun, _LONGEST_WAIT)
        finally:
            gone.set()
            watching.cancel()

    async def answered(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in explorer.answers:
            raise HTTPProblem(404, f"{name}: no such request")
        return json_response(await run(request, name, await _POLICY.body(request)))

    handler = factory.answer_errors(answered)
    routes = [
        Mount("/api", routes=[Route("/{name}", handler, methods=["POST"])]),
        Mount("/", StaticFiles(directory=STATIC, html=True)),
    ]
    return factory.application(routes, _POLICY, worker, headers=_HEADERS)
