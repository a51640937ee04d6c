"""The service over HTTP: paths, limits, the token, problem documents."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...instances import InputError
from ...solvers import SolverError
from . import openapi
from .extender import Extender
from .messages import internal, json_body, json_response, of_framework
from .metrics import MEDIA, Metrics
from .problems import Problem
from .service import MalformedError, Service
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
            exception_handlers={HTTPException: of_framework, Exception: internal},
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
                text = str(error.of_json())
                return Problem(422, text, field=error.field).response()
            except ConflictError as error:
                number = self._service.state.sequence
                return Problem(409, str(error), sequence=number).response()
            except MemoryError:
                return Problem(503, "there is not enough memory").response()
            except SolverError as error:
                return Problem(500, str(error)).response()

        return answered

    async def _select(self, request: Request) -> Response:
        body, free = await self._read(request), self._service.state.free
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
        own = "free" in body or "busy" in body
        source = "the request" if own else state.told["source"]
        answer["state"] = {"source": source}
        if "chosen" in answer:
            if body.get("take"):
                state.take(answer["chosen"])
            return json_response(answer)
        none = "no choice of free nodes is possible"
        late = "nothing was found within the limit"
        detail = none if answer["status"] == "infeasible" else late
        raise Problem(409, detail, answer=answer)

    async def _filter(self, request: Request) -> Response:
        body, free = await self._read(request), self._service.state.not_busy
        return json_response(
            await self._worker.run(
                lambda _: self._extender.filter(body, free), self._service.time_limit
            )
        )

    async def _prioritize(self, request: Request) -> Response:
        body, free = await self._read(request), self._service.state.not_busy
        found = await self._worker.run(
            lambda _: self._extender.prioritize(body, free), self._service.time_limit
        )
        return json_response(found)

    async def _state(self, request: Request) -> Response:
        state = self._service.state
        if request.method == "GET":
            return json_response(
                await self._worker.run(lambda _: state.document(), self._policy.reading)
            )
        body = await self._read(request)
        state.change(body) if request.method == "POST" else state.replace(body)
        told = {"state": state.told} if "reports" in body else {}
        return json_response(
            {"sequence": state.sequence, "free_nodes": state.count()} | told
        )

    async def _health(self, request: Request) -> Response:
        return json_response(
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
        return json_response(openapi.document(self._service))

    async def _read(self, request: Request) -> dict[str, Any]:
        policy = self._policy
        return await json_body(request, policy.most_bytes, policy.reading)


_UNKNOWN = Problem(
    401,
    "authorization: a bearer token is needed",
    headers={"WWW-Authenticate": "Bearer", "Connection": "close"},
)
