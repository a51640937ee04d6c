"""The OpenAPI document holds for what schemathesis makes of it."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import one_of

from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.service.application import Application
from closeknit.clusters.service.service import Service
from closeknit.clusters.topologies import parse_cluster
from closeknit.scheduler.http.factory import AccessPolicy
from closeknit.solvers.running.kernels import interpreted

from ..clusters import grid, rails

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    schemathesis = pytest.importorskip("schemathesis")
    from schemathesis import GenerationMode
    from schemathesis.checks import CHECKS

MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)

RACKS = "SwitchName=r Nodes=a[1-9]\nSwitchName=s Nodes=b1\nSwitchName=t Switches=r,s"
CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
)


PATHS = (
    "POST /select",
    "POST /jobs",
    "POST /state",
    "PUT /state",
    "POST /extender/filter",
    "POST /extender/prioritize",
    "GET /state",
    "GET /healthz",
)


def application(selector: NodeSelector) -> Any:
    return Application(Service(selector), AccessPolicy(local=False)).asgi


def attack(path: str, examples: int, selector: NodeSelector | None = None) -> int:
    """Send drawn requests, half of them invalid; return how many were sent."""
    selector = selector or NodeSelector(parse_cluster(RACKS))
    schema = schemathesis.openapi.from_asgi("/openapi.json", application(selector))
    method, _, name = path.partition(" ")
    operation = schema[name][method]
    checks, sent = [CHECKS.get_one(check) for check in CHECKED], 0

    def once(case: Any) -> None:
        nonlocal sent
        sent += 1
        case.call_and_validate(checks=checks)

    strategies = [
        operation.as_strategy(mode) for mode in MODES[: 1 + (method != "GET")]
    ]
    test = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )(given(case=one_of(strategies))(once))
    with interpreted():
        test()
    return sent


@pytest.mark.parametrize("path", PATHS)
def test_no_request_that_schemathesis_draws_is_answered_by_an_error(path: str) -> None:
    assert attack(path, 20) >= 1


def test_networks_that_are_no_tree_answer_drawn_requests() -> None:
    torus = NodeSelector(parse_cluster(grid("torus 3x3")))
    assert attack("POST /select", 20, rails()) >= 1
    assert attack("POST /select", 20, torus) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS[:5])
def test_thousands_of_drawn_requests(path: str) -> None:
    assert attack(path, 1000) >= 100
