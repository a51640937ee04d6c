"""The one way to an application of ours: who may ask, how much, and what errors are."""

from __future__ import annotations

import asyncio
import hmac
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...instances import InputError
from ...solvers import SolverError
from .messages import internal, json_body, of_framework
from .problems import HTTPProblem
from .worker import Worker

Handler = Callable[[Request], Awaitable[Response]]
OPEN = "/healthz"
"""The path that needs no token."""
_LOCAL = re.compile(rb"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?", re.I)


@dataclass(frozen=True, kw_only=True)
class AccessPolicy:
    """Who may ask, and how much.

    Parameters
    ----------
    token
        Wanted from every client; empty if none is.
    local
        Whether requests must name this machine as their host, and those of a page come
        from a page of the same host. Otherwise a page of another site, whose name is
        made to point here, can ask.
    most_bytes
        Of a body.
    most_waiting
        Requests.
    reading
        Seconds for a body to come in.
    """

    token: str = ""
    local: bool = True
    most_bytes: int = 2**20
    most_waiting: int = 256
    reading: float = 10.0

    def refusal(self, scope: Scope) -> HTTPProblem | None:
        """Return why a request is refused by its head; None if it is not."""
        named: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            if name in (b"host", b"origin", b"authorization"):
                named.setdefault(name, []).append(value)
        hosts = named.get(b"host", [])
        if self.local:
            if len(hosts) != 1 or not _LOCAL.fullmatch(hosts[0]):
                return HTTPProblem(400, "host: must be one name of this machine")
            ours = b"http://" + hosts[0].lower()
            if any(one.lower() != ours for one in named.get(b"origin", [])):
                return HTTPProblem(403, "origin: is a page of another host")
        if not self.token or scope["path"] == OPEN:
            return None
        kind, _, token = named.get(b"authorization", [b""])[-1].partition(b" ")
        known = hmac.compare_digest(token, self.token.encode())
        return None if known and kind.lower() == b"bearer" else _UNKNOWN

    async def body(self, request: Request) -> dict[str, Any]:
        """Read the JSON object of a request, within the limits."""
        return await json_body(request, self.most_bytes, self.reading)


def application(
    routes: Sequence[BaseRoute],
    policy: AccessPolicy,
    worker: Worker,
    *,
    headers: Iterable[tuple[bytes, bytes]] = (),
    seen: Callable[[str, int, float], None] = lambda path, status, seconds: None,
) -> ASGIApp:
    """Return an ASGI application that asks the policy before anything is read.

    Parameters
    ----------
    routes
        Their handlers are `answer_errors`.
    policy
        Who may ask.
    worker
        Closed at the end.
    headers
        Added to every response.
    seen
        Is told the path, the status and the seconds of every request.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        worker.close()

    app = Starlette(
        routes=routes,
        exception_handlers={HTTPException: of_framework, Exception: internal},
        lifespan=lifespan,
    )

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        begin, status = monotonic(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *headers]
            await send(message)

        refusal = policy.refusal(scope)
        try:
            await (refusal.response() if refusal else app)(scope, receive, noting)
        except asyncio.CancelledError:  # by the server, which has been ended
            if not status:
                await _ENDED.response()(scope, receive, noting)
        finally:
            seen(scope["path"], status or 500, monotonic() - begin)

    return guarded


def answer_errors(handler: Handler) -> Handler:
    """Turn errors into problem documents."""

    async def answered(request: Request) -> Response:
        try:
            return await handler(request)
        except HTTPProblem as problem:
            return problem.response()
        except InputError as error:
            return HTTPProblem(422, str(error.of_json()), field=error.field).response()
        except MemoryError:
            return HTTPProblem(503, "there is not enough memory").response()
        except SolverError as error:
            return HTTPProblem(500, str(error)).response()

    return answered


_UNKNOWN = HTTPProblem(
    401,
    "authorization: a bearer token is needed",
    headers={"WWW-Authenticate": "Bearer", "Connection": "close"},
)
_ENDED = HTTPProblem(503, "the server has been ended", headers={"Connection": "close"})
