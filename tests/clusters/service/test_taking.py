"""Nodes that are promised with the answer, and the age of what is known."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.service.application import Application
from closeknit.clusters.service.service import Service
from closeknit.clusters.service.state import ClusterState
from closeknit.clusters.topologies import parse_cluster
from closeknit.scheduler.http.factory import AccessPolicy
from closeknit.scheduler.http.problems import HTTPProblem
from closeknit.solvers.running.kernels import interpreted

from ...serving.asgi import ask

TREE = "SwitchName=a Nodes=a[1-4]\nSwitchName=b Nodes=b[1-4]\nSwitchName=t Switches=a,b"


@pytest.fixture
def app() -> Iterator[Any]:
    with interpreted():
        selector = NodeSelector(parse_cluster(TREE))
        yield Application(Service(selector), AccessPolicy()).asgi


def test_taken_nodes_are_busy_for_the_next_request(app: Any) -> None:
    taken = [
        ask(app, "POST", "/select", {"k": 4, "take": True}).json["hostlist"]
        for _ in range(2)
    ]
    assert sorted(taken) == ["a[1-4]", "b[1-4]"]
    assert ask(app, "POST", "/select", {"k": 4, "take": True}).status == 409
    assert ask(app, "GET", "/state").json["sequence"] == 0


def test_a_take_whose_answer_was_lost_is_found_and_undone(app: Any) -> None:
    first = ask(app, "POST", "/select", {"k": 3, "take": True}).json
    ask(app, "POST", "/select", {"k": 4, "take": True})  # its answer is lost
    ask(app, "POST", "/state", {"busy": first["hostlist"]})  # the job has started
    (lost,) = ask(app, "GET", "/state").json["taken"]
    assert lost["take"] == first["take"] + 1
    assert 0 <= lost["seconds"] < 60
    ask(app, "POST", "/state", {"free": lost["nodes"]})
    state = ask(app, "GET", "/state").json
    assert (state["busy"], state["taken"]) == (first["hostlist"], [])


def test_what_a_step_names_is_no_take_any_more(app: Any) -> None:
    took = ask(app, "POST", "/select", {"k": 4, "take": True}).json["chosen"]
    ask(app, "POST", "/state", {"free": took[0], "busy": took[1]})
    (left,) = ask(app, "GET", "/state").json["taken"]
    assert left["nodes"] == f"{took[0][0]}[3-4]"
    assert ask(app, "GET", "/state").json["free_nodes"] == 5
    ask(app, "PUT", "/state", {"busy": "a1"})
    assert ask(app, "GET", "/state").json["taken"] == []


@pytest.mark.parametrize("k", [2, 2000])
def test_a_client_that_has_gone_takes_nothing(k: int) -> None:
    selector = NodeSelector(parse_cluster(f"SwitchName=a Nodes=a[1-{2 * k}]"))
    app = Application(Service(selector), AccessPolicy()).asgi
    sent: list[Any] = []

    async def gone() -> None:
        body = json.dumps({"k": k, "take": True}).encode()
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/select"}
        await app({**scope, "headers": headers, "query_string": b""}, receive, send)

    with interpreted():
        asyncio.run(gone())
    assert sent[0]["status"] == 503
    state = ask(app, "GET", "/state").json
    assert (state["busy"], state["taken"]) == ("", [])


def test_without_take_nothing_is_promised(app: Any) -> None:
    for body in ({"k": 4}, {"k": 4, "take": False}):
        ask(app, "POST", "/select", body)
        assert ask(app, "GET", "/state").json["busy"] == ""


def test_the_age_is_that_of_the_last_step(app: Any) -> None:
    assert "state_age" not in ask(app, "POST", "/select", {"k": 1}).json
    ask(app, "POST", "/state", {"busy": "a1"})
    assert 0 <= ask(app, "POST", "/select", {"k": 1}).json["state_age"] < 60
    ask(app, "PUT", "/state", {"free": "a1"})
    assert "state_age" in ask(app, "POST", "/select", {"k": 1}).json


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"take": 1}, "must be true or false"),
        ({"take": "yes"}, "must be true or false"),
        ({"take": True, "free": "a1"}, "cannot be given with free or busy"),
        ({"take": True, "busy": "a1"}, "cannot be given with free or busy"),
    ],
)
def test_what_cannot_be_taken(app: Any, body: dict[str, Any], detail: str) -> None:
    answer = ask(app, "POST", "/select", {"k": 1, **body})
    assert (answer.status, answer.json["field"]) == (422, "take")
    assert detail in answer.json["detail"]


def test_a_node_that_is_busy_by_now_is_not_taken() -> None:
    state = ClusterState(NodeSelector(parse_cluster(TREE)))
    state.take(["a1", "b1"])
    with pytest.raises(HTTPProblem, match="b1 is not free any more"):
        state.take(["a2", "b1"])
    assert state.document()["busy"] == "a1,b1"
