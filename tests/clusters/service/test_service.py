"""The service without a network: what is answered, and what is refused."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import pytest

from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.service.application import Application
from closeknit.clusters.service.service import Service
from closeknit.clusters.topologies import parse_cluster
from closeknit.scheduler.http import worker
from closeknit.scheduler.http.factory import AccessPolicy
from closeknit.solvers import SolverError
from closeknit.solvers.running.kernels import interpreted

from ...serving.asgi import Answer, ask, asked
from ..clusters import grid

RACKS = """\
SwitchName=r1 Nodes=a[01-19]
SwitchName=r2 Nodes=b[01-10]
SwitchName=r3 Nodes=c[01-10]
SwitchName=top Switches=r[1-3]
"""
TORUS = grid("torus 4x4")


@pytest.fixture(autouse=True)
def source() -> Iterator[None]:
    with interpreted():
        yield


def service(text: str = RACKS) -> Service:
    return Service(NodeSelector(parse_cluster(text)), time_limit=2.0)


def application(policy: AccessPolicy | None = None, text: str = RACKS) -> Any:
    return Application(service(text), policy or AccessPolicy()).asgi


def problem(answer: Answer, status: int, detail: str, field: str = "") -> None:
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.status, answer.json["status"]) == (status, status)
    assert detail in answer.json["detail"]
    assert answer.json.get("field", "") == field


def test_the_answer_is_that_of_the_command() -> None:
    found = ask(application(), "POST", "/select", {"k": 20, "objective": "blocks"})
    assert found.status == 200
    assert found.json["hostlist"] == "b[01-10],c[01-10]"
    assert found.json["cost"] == {"blocks": 2, "scattering": 200, "hops": 580}
    assert found.json["bound"] == found.json["cost"]
    assert (found.json["status"], found.json["free"]) == ("optimal", 39)


def test_all_fields_of_a_request() -> None:
    app = application()
    body = {
        "k": 4,
        "objective": "switches",
        "segment": 2,
        "levels": {"level2": 4},
        "require": "b03",
        "exclude": "b[01-02]",
        "free": "b[01-04],c[01-02],a07",
        "time_limit": 1.5,
    }
    assert ask(app, "POST", "/select", body).json["hostlist"] == "b[03-04],c[01-02]"
    del body["free"]
    busy = ask(app, "POST", "/select", body | {"busy": "b[05-10],c[02-10]"})
    assert busy.json["hostlist"] == "a[01-02],b[03-04]"


def test_hops_on_a_torus() -> None:
    found = ask(application(text=TORUS), "POST", "/select", {"k": 4})
    assert (found.json["objective"], found.json["cost"]) == ("hops", {"hops": 8})
    refused = ask(
        application(text=TORUS), "POST", "/select", {"k": 4, "objective": "switches"}
    )
    problem(refused, 422, "must be hops or spread on this network", "objective")
    metrics = ask(application(text=TORUS), "GET", "/metrics").content.decode()
    assert 'closeknit_largest_job_nodes{level="plane-x"} 4.0' in metrics


def test_the_state_follows_numbered_steps() -> None:
    app = application()
    step = {"busy": "a[01-19],b[01-09]", "sequence": 1}
    changed = ask(app, "POST", "/state", step)
    assert changed.json == {"sequence": 1, "free_nodes": 11}
    problem(ask(app, "POST", "/state", step), 409, "sequence: must be 2, not 1")
    assert ask(app, "POST", "/state", step).json["sequence"] == 1
    chosen = ask(app, "POST", "/select", {"k": 11}).json
    assert chosen["hostlist"] == "b10,c[01-10]"
    more = {"free": "a01", "busy": "c[01-09]", "sequence": 2}
    assert ask(app, "POST", "/state", more).json["free_nodes"] == 3
    state = ask(app, "GET", "/state").json
    assert (state["free"], state["sequence"]) == ("a01,b10,c10", 2)
    assert state["busy"] == "a[02-19],b[01-09],c[01-09]"
    assert ask(app, "POST", "/state", {"busy": ""}).json["sequence"] == 3
    whole = ask(app, "PUT", "/state", {"free": "a[01-02]", "sequence": 70})
    assert whole.json == {"sequence": 70, "free_nodes": 2}
    assert ask(app, "PUT", "/state", {"busy": ""}).json["free_nodes"] == 39


def test_a_head_of_the_state_changes_nothing() -> None:
    app = application()
    step = {"busy": "a01", "sequence": 9}
    assert ask(app, "HEAD", "/state", step).status == 200
    state = ask(app, "GET", "/state").json
    assert (state["free_nodes"], state["sequence"]) == (39, 0)


def test_there_are_always_numbers_for_the_steps_to_come() -> None:
    app = application()
    for number in (2**53 - 1, 2**52 + 1):
        far = ask(app, "PUT", "/state", {"busy": "", "sequence": number})
        problem(far, 422, "must be from 0 to 2^52", "sequence")
    for number in (2**52, 2**52 + 1, 2**52 + 2):
        method = "PUT" if number == 2**52 else "POST"
        step = {"busy": "", "sequence": number}
        assert ask(app, method, "/state", step).json["sequence"] == number
    assert ask(app, "POST", "/state", {"busy": ""}).json["sequence"] == 2**52 + 3
    assert ask(app, "PUT", "/state", {"busy": ""}).json["sequence"] == 2**52


@pytest.mark.parametrize(
    ("step", "status", "detail", "field"),
    [
        ({"busy": "z1"}, 422, "busy: is not in the topology: 'z1'", "busy"),
        ({"busy": "a01", "free": "a[01-02]"}, 422, "listed as busy, too", "free"),
        ({"busy": "a01,a01"}, 422, "is listed twice", "busy"),
        ({"busy": "a[0-999999999]"}, 422, "has more than 39 names", "busy"),
        ({"busy": ["a01"]}, 422, "must be a string", "busy"),
        ({"sequence": 1}, 422, "needs busy or free", "body"),
        ({"busy": "a01", "sequence": -1}, 422, "must be from 0", "sequence"),
        ({"busy": "a01", "sequence": True}, 422, "must be an integer", "sequence"),
        ({"busy": "a01", "down": "a02"}, 422, "unknown field", "down"),
        ({"busy": "a01", "sequence": 7}, 409, "must be 1, not 7", ""),
    ],
)
def test_a_bad_step_changes_nothing(
    step: Any, status: int, detail: str, field: str
) -> None:
    app = application()
    problem(ask(app, "POST", "/state", step), status, detail, field)
    state = ask(app, "GET", "/state").json
    assert (state["free_nodes"], state["sequence"]) == (39, 0)


@pytest.mark.parametrize(
    ("body", "detail", "field"),
    [
        ({}, "k: is missing", "k"),
        ({"k": 0}, "must be from 1 to 1048576", "k"),
        ({"k": 2.0}, "must be an integer", "k"),
        ({"k": 2, "objective": "price"}, "must be one of", "objective"),
        ({"k": 2, "segment": 3}, "must divide k", "segment"),
        ({"k": 2, "levels": {"pod": 2}}, "no such level", "levels"),
        ({"k": 2, "levels": {"switch": "2"}}, "must be an integer", "levels.switch"),
        ({"k": 2, "free": "a01", "busy": "a02"}, "cannot be given", "busy"),
        ({"k": 2, "free": "@/etc/passwd"}, "is not in the topology", "free"),
        ({"k": 2, "free": "a[01-02"}, "brackets do not match", "free"),
        ({"k": 2, "require": "z9"}, "is not in the topology", "require"),
        ({"k": 2, "require": None}, "must be a string", "require"),
        ({"k": 2, "require": "a01", "busy": "a01"}, "but not free", "require"),
        ({"k": 2, "time_limit": 0}, "must be above 0 and at most 2", "time_limit"),
        ({"k": 2, "time_limit": 3}, "must be above 0 and at most 2", "time_limit"),
        ({"k": 2, "nodes": 3}, "unknown field", "nodes"),
    ],
)
def test_bad_requests_name_the_field(body: Any, detail: str, field: str) -> None:
    problem(ask(application(), "POST", "/select", body), 422, detail, field)


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (b"", "not JSON"),
        (b"[1]", "must be an object"),
        (b'{"k": 1, "k": 2}', "given twice"),
        (b'{"k": NaN}', "NaN"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"k": ' + b"9" * 5000 + b"}", "an integer has more than 4300 digits"),
    ],
)
def test_what_is_no_json_is_refused(content: bytes, detail: str) -> None:
    problem(ask(application(), "POST", "/select", parts=[content]), 400, detail)


def test_no_choice_is_a_conflict_with_the_answer_in_it() -> None:
    found = ask(application(), "POST", "/select", {"k": 40})
    problem(found, 409, "no choice of free nodes is possible")
    assert found.json["answer"]["status"] == "infeasible"
    assert found.json["answer"]["proof"] == "counting"


def test_bodies_beyond_the_limit_are_not_read() -> None:
    app = application(AccessPolicy(most_bytes=1000))
    parts = [b" " * 400] * 100
    stated = {"content-length": "40000"}
    refused = ask(app, "POST", "/select", parts=parts, headers=stated)
    problem(refused, 413, "has more than 1000 bytes")
    assert (refused.unread, refused.headers["connection"]) == (100, "close")
    assert ask(app, "POST", "/state", parts=parts).unread == 97
    fits = [json.dumps({"k": 1}).encode(), b" " * 900]
    assert ask(app, "POST", "/select", parts=fits).status == 200


def test_other_types_of_content_paths_and_methods() -> None:
    app = application()
    form = ask(app, "POST", "/select", {"k": 1}, headers={"content-type": "text/plain"})
    problem(form, 415, "must be application/json")
    problem(ask(app, "GET", "/nodes"), 404, "not found")
    problem(ask(app, "GET", "/select"), 405, "method not allowed")


def test_a_wrong_token_opens_nothing_but_the_health() -> None:
    app = application(AccessPolicy(token="s" * 16))
    for header in ("", "Bearer", "Bearer " + "s" * 15, "Basic " + "s" * 16, "Bearer é"):
        headers = {"authorization": header} if header else None
        refused = ask(app, "POST", "/select", {"k": 1}, headers=headers)
        problem(refused, 401, "bearer token")
        assert refused.headers["www-authenticate"] == "Bearer"
        assert refused.unread == 1
    headers = {"authorization": "bearer " + "s" * 16}
    assert ask(app, "POST", "/select", {"k": 1}, headers=headers).status == 200
    assert ask(app, "GET", "/healthz").json["status"] == "ok"


def held_up(
    monkeypatch: pytest.MonkeyPatch, policy: AccessPolicy
) -> tuple[Any, Service, threading.Event, threading.Event]:
    """Return an application and its service whose choices begin, and then are held."""
    made = service(TORUS)  # choices there are left to the worker
    begun, held, choose = threading.Event(), threading.Event(), made.select

    def slow(*args: Any) -> dict[str, Any]:
        begun.set()
        assert held.wait(60)
        return choose(*args)

    monkeypatch.setattr(made, "select", slow)
    return Application(made, policy).asgi, made, begun, held


def three(app: Any) -> asyncio.Future[Answer]:
    """Ask for three nodes."""
    return asyncio.ensure_future(asked(app, "POST", "/select", {"k": 3}))


def test_requests_beyond_the_queue_are_told_to_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, made, _, held = held_up(monkeypatch, AccessPolicy(most_waiting=2))
    made.time_limit = 60.0

    async def crowd() -> list[Answer]:
        waiting = [three(app), three(app)]
        await asyncio.sleep(0)
        late = [await three(app) for _ in range(3)]
        health = await asked(app, "GET", "/healthz")
        held.set()
        return [*await asyncio.gather(*waiting), *late, health]

    *answers, health = asyncio.run(crowd())
    assert [one.status for one in answers] == [200, 200, 503, 503, 503]
    assert answers[-1].headers["retry-after"] == "1"
    assert health.json["waiting"] == 2
    assert ask(app, "GET", "/healthz").json["waiting"] == 0


def test_a_request_that_waited_beyond_its_limit_is_not_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, made, begun, held = held_up(monkeypatch, AccessPolicy())
    now = 0.0  # no clock of the machine: a slow one would refuse the first as well
    monkeypatch.setattr(worker, "monotonic", lambda: now)

    async def crowd() -> list[Answer]:
        nonlocal now
        first = three(app)
        while not (begun.is_set() or first.done()):
            await asyncio.sleep(0)
        second = three(app)
        while (await asked(app, "GET", "/healthz")).json["waiting"] < 2:
            await asyncio.sleep(0)
        now = made.time_limit + 1
        held.set()
        return [await first, await second]

    first, second = asyncio.run(crowd())
    assert first.status == 200
    problem(second, 503, "has waited for")


def test_an_error_within_fails_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    made = service()
    app = Application(made, AccessPolicy()).asgi
    wrong = SolverError("the selection does not cost what its tables say")
    for error, status, said in (
        (MemoryError(), 503, "not enough memory"),
        (wrong, 500, "does not cost"),
    ):
        monkeypatch.setattr(made, "select", Mock(side_effect=error))
        problem(ask(app, "POST", "/select", {"k": 3}), status, said)
    monkeypatch.setattr(made, "select", Mock(side_effect=ZeroDivisionError))
    sent: list[Answer] = []
    with pytest.raises(ZeroDivisionError):  # for the log
        ask(app, "POST", "/select", {"k": 3}, sent=sent)
    problem(sent[0], 500, "internal error: ZeroDivisionError")
    monkeypatch.undo()
    assert ask(app, "POST", "/select", {"k": 3}).status == 200


def test_metrics_count_requests_and_tell_the_largest_job() -> None:
    app = application()
    ask(app, "POST", "/state", {"busy": "a[01-12]"})
    ask(app, "POST", "/select", {"k": 3})
    ask(app, "POST", "/select", {"k": 300})
    ask(app, "GET", "/wp-admin")
    found = ask(app, "GET", "/metrics")
    lines = found.content.decode().splitlines()
    assert found.headers["content-type"].startswith("text/plain; version=0.0.4")
    for line in (
        'closeknit_requests_total{path="/select",status="200"} 1.0',
        'closeknit_requests_total{path="/select",status="409"} 1.0',
        'closeknit_requests_total{path="other",status="404"} 1.0',
        'closeknit_selections_total{status="optimal"} 1.0',
        'closeknit_largest_job_nodes{level="switch"} 10.0',
        'closeknit_largest_job_nodes{level="any"} 27.0',
        "closeknit_nodes 39.0",
        "closeknit_free_nodes 27.0",
        "closeknit_state_sequence 1.0",
        "closeknit_waiting 0.0",
    ):
        assert line in lines


def job_of(*constraints: dict[str, Any], **counts: int) -> dict[str, Any]:
    roles = [{"name": name, "count": n} for name, n in counts.items()]
    head = {"format": "closeknit/job", "version": 1}
    return {**head, "roles": roles, "constraints": [*constraints]}


def test_a_job_of_parts_is_placed_and_taken() -> None:
    asgi = application()
    body = {"job": job_of({"slices": {"switch": 8}}, leader=1, worker=15)}
    found = ask(asgi, "POST", "/jobs", {**body, "take": True})
    assert found.status == 200
    assert found.json["fits"] is True
    assert found.json["take"] == 1
    assert len(found.json["placement"]["worker"]) == 15
    state = ask(asgi, "GET", "/state").json
    assert state["free_nodes"] == 39 - 16
    assert state["taken"][0]["nodes"] == found.json["hostlist"]


def test_a_job_of_parts_that_does_not_fit_is_told_why() -> None:
    job = job_of({"slices": {"switch": 12}}, worker=39)
    found = ask(application(), "POST", "/jobs", {"job": job})
    problem(found, 409, "no choice of free nodes is possible")
    clash = found.json["answer"]["clash"]
    assert clash["irreducible"]
    assert clash["smallest"]
    count, slices = clash["members"]
    assert count["instead"] == {"count": 22}
    assert slices["instead"] == {"size": 10, "level": "level2"}
    assert slices["place"] == "constraints[0].slices.switch"


def test_a_job_of_parts_that_is_malformed_is_refused() -> None:
    asgi = application()
    good = job_of(worker=1)
    for body, field in (
        ({}, "job"),
        ({"job": good, "k": 3}, "k"),
        ({"job": {**good, "roles": []}}, "roles"),
        ({"job": {**good, "free": "a01"}}, "free"),
        ({"job": good, "free": "a01", "take": True}, "take"),
        ({"job": good, "time_limit": 3}, "time_limit"),
        ({"job": job_of({"within": "rack"}, w=1)}, "constraints[0].within.level"),
        (
            {"job": {**good, "roles": [{"name": "w", "count": 1, "devices": 2}]}},
            "job.roles.devices",
        ),
    ):
        answer = ask(asgi, "POST", "/jobs", body)
        assert (answer.status, answer.json["field"]) == (422, field), answer.json


def test_a_job_of_parts_on_a_torus_is_refused() -> None:
    found = ask(application(text=TORUS), "POST", "/jobs", {"job": job_of(worker=1)})
    problem(found, 422, "is for trees and blocks, not for a 4x4 torus", "job")
