"""Pages of other sites, whose names were made to point at this machine."""

from __future__ import annotations

from typing import Any

import pytest

from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.service.application import Application
from closeknit.clusters.service.service import Service
from closeknit.clusters.topologies import parse_cluster
from closeknit.reports.explorer.application import application as explorer
from closeknit.reports.explorer.explorer import Explorer
from closeknit.scheduler.http.factory import AccessPolicy

from ...serving.asgi import ask


def served(**more: Any) -> Any:
    selector = NodeSelector(parse_cluster("SwitchName=a Nodes=a[1-4]"))
    return Application(Service(selector), AccessPolicy(**more)).asgi


def requests_of(app: Any, headers: dict[str, str]) -> set[int]:
    paths = (("PUT", "/state", {"busy": "a1"}), ("GET", "/state", None))
    more: Any = (
        ("POST", "/api/start", {}),
        ("GET", "/healthz", None),
        ("GET", "/x", None),
    )
    return {ask(app, *one, headers=headers).status for one in (*paths, *more)}


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8787",
        "localhost.evil.example",
        "localhost@evil.example",
        "evil.example#localhost",
        "127.0.0.1.evil.example",
        "192.168.0.1",
        "[::2]",
        "localhost:",
        "localhost, evil.example",
        " localhost",
        "",
    ],
)
def test_foreign_hosts_are_refused_on_both(host: str) -> None:
    for app in (served(), explorer(Explorer())):
        assert requests_of(app, {"host": host}) == {400}


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8787", "127.0.0.1:1", "127.9.9.9", "[::1]:8787"]
)
def test_names_of_this_machine_are_not(host: str) -> None:
    assert requests_of(served(), {"host": host}) == {200, 404}
    ours = {"host": host, "origin": f"http://{host.lower()}"}
    assert requests_of(served(), ours) == {200, 404}


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://localhost:3000", "https://localhost"],
)
def test_pages_of_other_origins_are_refused_on_both(origin: str) -> None:
    for app in (served(), explorer(Explorer())):
        assert requests_of(app, {"host": "localhost", "origin": origin}) == {403}


def test_with_a_token_any_name_may_lead_here() -> None:
    app = served(token="t" * 16, local=False)
    known = {"host": "nodes.example", "authorization": f"Bearer {'t' * 16}"}
    assert requests_of(app, known) == {200, 404}
    assert requests_of(app, {"host": "nodes.example"}) == {401, 200}  # healthz
    assert requests_of(app, known | {"authorization": "Bearer \xff"}) == {401, 200}
