"""The service over HTTP: paths, limits, the token, problem documents."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...instances import InputError
from ...instances.json_text import dumps
from ...solvers import SolverError
from . import openapi
from .extender import Extender
from .metrics import MEDIA, Metrics
from .problems import Problem
from .service import MalformedError, Service, parsed
from .state import ConflictError
from .worker import Worker

Handler = Callable[[Request], Awaitable[Response]]
_OPEN = "/healthz"
"""The path that needs no token."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Who may ask, and how much.

    Parameters
    ----------
    token
        Wanted from every client; empty if none is.
    most_bytes
        Of a body.
    most_waiting
        Requests.
    reading
        Seconds for a body to come in.
    """

    token: str = ""
    most_bytes: int = 2**20
    most_waiting: int = 256
    reading: float = 10.0


class Application:
    """The paths of the service, as an ASGI application: `asgi`.

    All changes of the state happen in the thread of the event loop. Choices take place
    in the one of the worker, on the arrays that were current when it was asked; short
    ones at once, as waking another thread up twice takes longer.
    """

    def __init__(self, service: Service, policy: Policy) -> None:
        self._service, self._policy = service, policy
        self._worker = Worker(policy.most_waiting)
        self._extender = Extender(service)
        self._metrics = Metrics(service)
        self._metrics.waiting.set_function(lambda: self._worker.waiting)
        routes = [
            Route(path, self._handled(handler), methods=[method])
            for path, method, handler in (
                ("/select", "POST", self._select),
                ("/extender/filter", "POST", self._filter),
                ("/extender/prioritize", "POST", self._prioritize),
                ("/healthz", "GET", self._health),
                ("/metrics", "GET", self._prometheus),
                ("/openapi.json", "GET", self._openapi),
            )
        ]
        routes.append(
            Route("/state", self._handled(self._state), methods=["GET", "POST", "PUT"])
        )
        app = Starlette(
            routes=routes,
            exception_handlers={HTTPException: _of_framework, Exception: _internal},
            lifespan=self._lifespan,
        )
        self.asgi: ASGIApp = self._guarded(app, frozenset(r.path for r in routes))

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        yield
        self._worker.close()

    def _guarded(self, app: ASGIApp, paths: frozenset[str]) -> ASGIApp:
        """Ask for the token before anything is read; count what is answered."""

        async def guard(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            begin, status = monotonic(), 500

            async def noting(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            path = scope["path"] if scope["path"] in paths else "other"
            try:
                if self._admits(scope):
                    await app(scope, receive, noting)
                else:
                    await _UNKNOWN.response()(scope, receive, noting)
            finally:
                self._metrics.requests.labels(path, str(status)).inc()
                self._metrics.seconds.labels(path).observe(monotonic() - begin)

        return guard

    def _admits(self, scope: Scope) -> bool:
        if not self._policy.token or scope["path"] == _OPEN:
            return True
        given = dict(scope["headers"]).get(b"authorization", b"")
        kind, _, token = given.partition(b" ")
        wanted = self._policy.token.encode()
        return kind.lower() == b"bearer" and hmac.compare_digest(token, wanted)

    def _handled(self, handler: Handler) -> Handler:
        """Turn errors into problem documents."""

        async def answered(request: Request) -> Response:
            try:
                return await handler(request)
            except Problem as problem:
                return problem.response()
            except MalformedError as error:
                return Problem(400, str(error)).response()
            except InputError as error:
                return Problem(422, str(error), field=error.field).response()
            except ConflictError as error:
                number = self._service.state.sequence
                return Problem(409, str(error), sequence=number).response()
            except MemoryError:
                return Problem(503, "there is not enough memory").response()
            except SolverError as error:
                return Problem(500, str(error)).response()

        return answered

    async def _select(self, request: Request) -> Response:
        body, free = await self._body(request), self._service.state.free
        if self._worker.waiting == 0 and self._service.is_short(body):
            answer = self._service.select(body, free)
        else:
            answer = await self._worker.run(
                lambda waited: self._service.select(body, free, waited),
                self._service.time_limit,
            )
        self._metrics.outcomes.labels(answer["status"]).inc()
        state = self._service.state
        if state.age is not None:
            answer["state_age"] = round(state.age, 3)
        if "chosen" in answer:
            if body.get("take"):
                state.take(answer["chosen"])
            return _json(answer)
        none = "no choice of free nodes is possible"
        late = "nothing was found within the limit"
        detail = none if answer["status"] == "infeasible" else late
        raise Problem(409, detail, answer=answer)

    async def _filter(self, request: Request) -> Response:
        body, free = await self._body(request), self._service.state.free
        return _json(
            await self._worker.run(
                lambda _: self._extender.filter(body, free), self._service.time_limit
            )
        )

    async def _prioritize(self, request: Request) -> Response:
        body, free = await self._body(request), self._service.state.free
        found = await self._worker.run(
            lambda _: self._extender.prioritize(body, free), self._service.time_limit
        )
        return _json(found)

    async def _state(self, request: Request) -> Response:
        state = self._service.state
        if request.method == "GET":
            return _json(
                await self._worker.run(lambda _: state.document(), self._policy.reading)
            )
        body = await self._body(request)
        state.change(body) if request.method == "POST" else state.replace(body)
        return _json({"sequence": state.sequence, "free_nodes": state.count()})

    async def _health(self, request: Request) -> Response:
        return _json(
            {
                "status": "ok",
                "topology": self._service.summary,
                "nodes": self._service.nodes,
                "sequence": self._service.state.sequence,
                "waiting": self._worker.waiting,
            }
        )

    async def _prometheus(self, request: Request) -> Response:
        return Response(self._metrics.text(), media_type=MEDIA)

    async def _openapi(self, request: Request) -> Response:
        return _json(openapi.document(self._service))

    async def _body(self, request: Request) -> dict[str, Any]:
        """Read a JSON object, as far as it is not too large."""
        kind = request.headers.get("content-type", "").partition(";")[0]
        if kind.strip().lower() != "application/json":
            raise Problem(415, "content-type: must be application/json")
        most = self._policy.most_bytes
        # A connection with a rest that is not read is closed.
        large = Problem(
            413, f"body: has more than {most} bytes", headers={"Connection": "close"}
        )
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length) > most:
            raise large
        content = bytearray()
        try:
            async with asyncio.timeout(self._policy.reading):
                async for chunk in request.stream():
                    content += chunk
                    if len(content) > most:
                        raise large
        except TimeoutError:
            problem = f"body: has not come within {self._policy.reading:g} s"
            raise Problem(408, problem, headers={"Connection": "close"}) from None
        except ClientDisconnect:
            raise Problem(400, "body: ends too early") from None
        return parsed(bytes(content))


_UNKNOWN = Problem(
    401,
    "authorization: a bearer token is needed",
    headers={"WWW-Authenticate": "Bearer", "Connection": "close"},
)


def _json(document: dict[str, Any] | list[Any]) -> Response:
    indented = isinstance(document, dict)
    return Response(
        dumps(document, indented=indented) + "\n", media_type="application/json"
    )


async def _of_framework(request: Request, error: Exception) -> Response:
    """Describe what the framework itself refuses: unknown paths and methods."""
    assert isinstance(error, HTTPException)
    detail = f"{request.method}: {HTTPStatus(error.status_code).phrase.lower()}"
    headers = dict(error.headers or {})
    return Problem(error.status_code, detail, headers=headers).response()


async def _internal(request: Request, error: Exception) -> Response:
    """Answer a fault of the program; it is raised again, and printed by the server."""
    return Problem(500, f"internal error: {type(error).__name__}").response()
