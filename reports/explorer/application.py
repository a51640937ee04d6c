"""The page and its requests over HTTP, for this machine only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...instances import InputError
from ...scheduler.service.messages import (
    internal,
    json_body,
    json_response,
    of_framework,
)
from ...scheduler.service.problems import Problem
from ...scheduler.service.service import MalformedError
from ...scheduler.service.worker import Worker
from ...solvers import SolverError
from .explorer import Explorer

STATIC = Path(__file__).with_name("static")
MOST_BYTES = 6 * 2**20
_READING = 30.0
_MOST_WAITING = 16
_LONGEST_WAIT = 120.0
_HOSTS = ["127.0.0.1", "localhost"]
"""Names of this machine: a page of another site that resolves to it is refused."""
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
    worker = Worker(_MOST_WAITING)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        worker.close()

    async def run(request: Request, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """Answer in the worker's thread, unless the client goes before its turn."""
        gone = Event()

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            gone.set()

        def begun(_: float) -> dict[str, Any]:
            if gone.is_set():
                raise Problem(503, "the client has gone")
            return explorer.answer(name, body, gone)

        watching = asyncio.create_task(watch())
        try:
            return await worker.run(begun, _LONGEST_WAIT)
        finally:
            gone.set()
            watching.cancel()

    async def answered(request: Request) -> Response:
        try:
            name = request.path_params["name"]
            if name not in explorer.answers:
                raise Problem(404, f"{name}: no such request")
            body = await json_body(request, MOST_BYTES, _READING)
            return json_response(await run(request, name, body))
        except asyncio.CancelledError:  # by the server, which has been ended
            return Problem(503, "the server has been ended").response()
        except Problem as problem:
            return problem.response()
        except MalformedError as error:
            return Problem(400, str(error)).response()
        except InputError as error:
            text = str(error.of_json())
            return Problem(422, text, field=error.field).response()
        except MemoryError:
            return Problem(503, "there is not enough memory").response()
        except SolverError as error:
            return Problem(500, str(error)).response()

    app = Starlette(
        routes=[
            Mount("/api", routes=[Route("/{name}", answered, methods=["POST"])]),
            Mount("/", StaticFiles(directory=STATIC, html=True)),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=_HOSTS)],
        exception_handlers={HTTPException: of_framework, Exception: internal},
        lifespan=lifespan,
    )
    return _with_headers(app)


def _with_headers(app: ASGIApp) -> ASGIApp:
    """Add what keeps other sites and networks out of the page."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *_HEADERS]}
            await send(message)

        await app(scope, receive, noting)

    return wrapped
