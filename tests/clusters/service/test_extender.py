"""The scheduler extender, with requests as kube-scheduler sends them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.service.application import Application
from closeknit.clusters.service.extender import Extender
from closeknit.clusters.service.service import Service
from closeknit.clusters.topologies import parse_cluster
from closeknit.instances import InputError
from closeknit.scheduler.http.factory import AccessPolicy
from closeknit.solvers.running.kernels import interpreted

from ...serving.asgi import ask

RACKS = """\
SwitchName=a Nodes=a[01-09]
SwitchName=b Nodes=b[01-09]
SwitchName=c Nodes=c[01-09]
SwitchName=ab Switches=a,b
SwitchName=top Switches=ab,c
"""
RECORDED = json.loads(
    (Path(__file__).parent / "extender_args.json").read_text(encoding="utf-8")
)


class Watch:
    """A monotonic clock that is set by hand."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture(autouse=True)
def source() -> Iterator[None]:
    with interpreted():
        yield


@pytest.fixture
def service() -> Service:
    return Service(NodeSelector(parse_cluster(RACKS)))


def pod(names: list[str] | None = None, **annotations: str) -> dict[str, Any]:
    body = copy.deepcopy(RECORDED)
    given = body["Pod"]["metadata"]["annotations"]
    given |= {f"closeknit/{key}": value for key, value in annotations.items()}
    if names is not None:
        body["NodeNames"] = names
    return body  # type: ignore[no-any-return]


def kept(found: dict[str, Any]) -> list[str]:
    assert found["Error"] == ""
    return found["NodeNames"]  # type: ignore[no-any-return]


def test_a_recorded_request_over_http(service: Service) -> None:
    app = Application(service, AccessPolicy()).asgi
    found = ask(app, "POST", "/extender/filter", RECORDED)
    assert found.status == 200
    assert kept(found.json) == ["b01", "b02", "b03", "b04"]
    assert found.json["Nodes"] is None
    assert found.json["FailedNodes"]["c01"] == (
        "not among the 4 nodes chosen for solver"
    )
    scores = ask(app, "POST", "/extender/prioritize", RECORDED).json
    assert {one["Host"]: one["Score"] for one in scores} == (
        dict.fromkeys(("b01", "b02", "b03", "b04"), 10)
        | {"b05": 6, "a01": 3, "a02": 3, "a03": 3, "c01": 0}
    )
    bad = ask(app, "POST", "/extender/filter", {"Pod": {}, "NodeNames": "a01"})
    assert (bad.status, bad.json["field"]) == (422, "NodeNames")


def test_pods_of_a_group_share_its_nodes(service: Service) -> None:
    extender, free = Extender(service), service.state.free
    first = kept(extender.filter(pod(), free))
    rest = [name for name in RECORDED["NodeNames"] if name != first[0]]
    assert kept(extender.filter(pod(rest), free)) == first[1:]
    two = {"group": "other", "nodes": "2"}
    assert kept(extender.filter(pod(rest, **two), free)) == ["a01", "a02"]
    few = [*first[1:3], "b05"]
    assert kept(extender.filter(pod(few, group="more", nodes="2"), free)) == [
        "b02",
        "b03",
    ]


def test_nodes_are_chosen_again_when_none_is_left_or_after_a_while(
    service: Service,
) -> None:
    watch = Watch()
    extender, free = Extender(service, watch), service.state.free
    first = kept(extender.filter(pod(), free))
    others = [f"c0{i}" for i in range(1, 10)]
    assert kept(extender.filter(pod(others), free)) == others[:4]
    watch.time += 299
    assert kept(extender.filter(pod([*others, *first]), free)) == others[:4]
    watch.time += 301
    assert kept(extender.filter(pod([*first, "c09"]), free)) == first
    watch.time -= 5000  # no clock goes backwards; if one did, nothing breaks
    assert kept(extender.filter(pod([*first, "c09"]), free)) == first


def test_the_state_of_the_server_counts(service: Service) -> None:
    service.state.change({"busy": "b[01-02],a[01-02]"})
    extender = Extender(service)
    found = kept(extender.filter(pod(), service.state.free))
    assert found == ["a03", "b03", "b04", "b05"]


def test_what_is_not_possible_fails_on_every_node(service: Service) -> None:
    extender = Extender(service)
    found = extender.filter(pod(["a01", "z1"]), service.state.free)
    assert found["NodeNames"] == []
    assert set(found["FailedNodes"]) == {"a01", "z1"}
    assert "no choice of 4 nodes is possible" in found["FailedNodes"]["z1"]
    scores = extender.prioritize(pod(["a01"]), service.state.free)
    assert scores == [{"Host": "a01", "Score": 0}]


def test_pods_without_an_annotation_may_go_anywhere(service: Service) -> None:
    body = pod()
    del body["Pod"]["metadata"]["annotations"]["closeknit/nodes"]
    extender = Extender(service)
    found = extender.filter(body, service.state.free)
    assert (kept(found), found["FailedNodes"]) == (RECORDED["NodeNames"], {})
    scores = extender.prioritize(body, service.state.free)
    assert {one["Score"] for one in scores} == {0}


def test_whole_nodes_come_back_whole(service: Service) -> None:
    body = pod()
    items = [
        {"metadata": {"name": name, "labels": {"gpu": "8"}}, "status": {"n": 1.5}}
        for name in body["NodeNames"]
    ]
    body |= {"NodeNames": None, "Nodes": {"metadata": {}, "items": items}}
    found = Extender(service).filter(body, service.state.free)
    assert found["NodeNames"] is None
    assert found["Nodes"] == {"metadata": {}, "items": items[3:7]}


@pytest.mark.parametrize(
    ("annotations", "problem"),
    [
        ({"nodes": "four"}, "closeknit/nodes: must be a whole number, not 'four'"),
        ({"nodes": "0"}, "k: must be from 1"),
        ({"segment": "3"}, "segment: must divide k (4)"),
        ({"levels": "pod=2"}, "levels: no such level"),
        ({"objective": "price"}, "objective: must be one of"),
        ({"node": "4"}, "node: unknown field"),
    ],
)
def test_a_bad_annotation_becomes_an_event_of_the_pod(
    service: Service, annotations: dict[str, str], problem: str
) -> None:
    body = pod(None, **annotations)
    found = Extender(service).filter(body, service.state.free)
    assert problem in found["Error"]
    assert found["NodeNames"] == []
    with pytest.raises(InputError):
        Extender(service).prioritize(body, service.state.free)


@pytest.mark.parametrize(
    "body",
    [
        {"Pod": {}},
        {"Pod": {}, "Nodes": {}},
        {"Pod": {}, "Nodes": {"items": [1]}},
        {"Pod": {}, "Nodes": {"items": [{"metadata": {}}]}},
        {"Pod": {"metadata": {"annotations": [1]}}, "NodeNames": ["a01"]},
        {"Pod": {"metadata": {"namespace": 7}}, "NodeNames": ["a01"]},
    ],
)
def test_malformed_arguments(service: Service, body: Any) -> None:
    body["Pod"].setdefault("metadata", {}).setdefault(
        "annotations", {"closeknit/nodes": "1"}
    )
    with pytest.raises(InputError):
        Extender(service).prioritize(body, service.state.free)


def test_a_long_group_is_not_said_again_of_every_node(service: Service) -> None:
    extender, free = Extender(service), service.state.free
    names = [f"n{i}" for i in range(1000)]
    long = extender.filter(pod(names, group="g" * 2000, nodes="2"), free)
    assert "group: has more than 253 characters" in long["Error"]
    fits = extender.filter(pod(names, group="g" * 253, nodes="2"), free)
    assert (fits["Error"], len(fits["FailedNodes"])) == ("", 1000)
    for said in (long, fits):
        assert len(json.dumps(said)) < 200 * len(names)


def test_the_number_of_groups_is_bounded(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("closeknit.clusters.service.extender._MOST_PLANS", 2)
    extender, free = Extender(service), service.state.free
    for name in ("x", "y", "z"):
        extender.filter(pod(group=name), free)
    late = ["c01", "c02", "c03", "c04", "b01"]
    assert kept(extender.filter(pod(late, group="z"), free)) == ["b01"]
    assert kept(extender.filter(pod(late, group="x"), free)) == late[:4]
