"""The service over HTTP: its paths, and what each does."""

from __future__ import annotations

from itertools import chain
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ...scheduler.http.factory import AccessPolicy, answer_errors, application
from ...scheduler.http.messages import json_response
from ...scheduler.http.problems import HTTPProblem
from ...scheduler.http.worker import Worker
from . import openapi
from .extender import Extender
from .metrics import MEDIA, Metrics
from .service import Service


class Application:
    """The paths of the service, as an ASGI application: `asgi`.

    All changes of the state happen in the thread of the event loop. Choices take place
    in the one of the worker, on the arrays that were current when it was asked; short
    ones at once, as waking another thread up twice takes longer.
    """

    def __init__(self, service: Service, policy: AccessPolicy) -> None:
        self._service, self._policy = service, policy
        self._worker = Worker(policy.most_waiting)
        self._extender = Extender(service)
        self._metrics = Metrics(service)
        self._metrics.waiting.set_function(lambda: self._worker.waiting)
        routes = [
            Route(path, answer_errors(handler), methods=methods)
            for path, methods, handler in (
                ("/select", ["POST"], self._select),
                ("/jobs", ["POST"], self._place),
                ("/state", ["GET", "POST", "PUT"], self._state),
                ("/extender/filter", ["POST"], self._filter),
                ("/extender/prioritize", ["POST"], self._prioritize),
                ("/healthz", ["GET"], self._health),
                ("/metrics", ["GET"], self._prometheus),
                ("/openapi.json", ["GET"], self._openapi),
            )
        ]
        self._paths = frozenset(route.path for route in routes)
        self.asgi: ASGIApp = application(routes, policy, self._worker, seen=self._seen)

    def _seen(self, path: str, status: int, seconds: float) -> None:
        path = path if path in self._paths else "other"
        self._metrics.requests.labels(path, str(status)).inc()
        self._metrics.seconds.labels(path).observe(seconds)

    async def _select(self, request: Request) -> Response:
        body, free = await self._policy.body(request), self._service.state.free
        if self._worker.waiting == 0 and self._service.is_short(body):
            answer = self._service.select(body, free)
        else:
            answer = await self._worker.run(
                lambda waited: self._service.select(body, free, waited),
                self._service.time_limit,
            )
        return await self._answered(request, body, answer)

    async def _place(self, request: Request) -> Response:
        body, free = await self._policy.body(request), self._service.state.free
        answer = await self._worker.run(
            lambda waited: self._service.place(body, free, waited),
            self._service.time_limit,
        )
        return await self._answered(request, body, answer)

    async def _answered(
        self, request: Request, body: dict[str, Any], answer: dict[str, Any]
    ) -> Response:
        """Say where the state is from, and take what was chosen."""
        self._metrics.outcomes.labels(answer["status"]).inc()
        state = self._service.state
        if state.age is not None:
            answer["state_age"] = round(state.age, 3)
        own = "free" in body or "busy" in body
        source = "the request" if own else state.told["source"]
        answer["state"] = {"source": source}
        if "hostlist" in answer:
            if body.get("take"):
                if await request.is_disconnected():
                    raise HTTPProblem(503, "the client has gone")
                placed = answer.get("placement", {}).values()
                nodes = answer.get("chosen", dict.fromkeys(chain(*placed)))
                answer["take"] = state.take(nodes)
            return json_response(answer)
        none = "no choice of free nodes is possible"
        late = "nothing was found within the limit"
        detail = none if answer["status"] == "infeasible" else late
        raise HTTPProblem(409, detail, answer=answer)

    async def _filter(self, request: Request) -> Response:
        body, free = await self._policy.body(request), self._service.state.not_busy
        return json_response(
            await self._worker.run(
                lambda _: self._extender.filter(body, free), self._service.time_limit
            )
        )

    async def _prioritize(self, request: Request) -> Response:
        body, free = await self._policy.body(request), self._service.state.not_busy
        found = await self._worker.run(
            lambda _: self._extender.prioritize(body, free), self._service.time_limit
        )
        return json_response(found)

    async def _state(self, request: Request) -> Response:
        state = self._service.state
        if request.method in ("GET", "HEAD"):
            return json_response(
                await self._worker.run(lambda _: state.document(), self._policy.reading)
            )
        body = await self._policy.body(request)
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
