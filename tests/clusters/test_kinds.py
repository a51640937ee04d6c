"""What nodes are, which of them a job may use, and which can stand for each other."""

from __future__ import annotations

import re
from functools import reduce
from itertools import permutations, product
from typing import Any

import pytest

from closeknit.clusters.demand import Demand, usable_nodes
from closeknit.clusters.kinds import (
    NodeKind,
    devices_of_pod,
    interchangeable,
    kind_in_kubernetes,
    kind_in_slurm,
    note_of,
)
from closeknit.instances import InputError

SCONTROL = {
    "name": "n1",
    "architecture": "x86_64",
    "cpus": 64,
    "active_features": ["ib", "a100"],
    "partitions": ["gpu", "all"],
    "gres": "gpu:a100:4(S:0-1),shard:8K",
    "gres_used": "gpu:a100:1(IDX:0),shard:0",
}
SINFO = {
    "cpus": {"minimum": 64, "maximum": 64},
    "features": {"total": "ib,a100", "active": "ib"},
    "partition": {"name": "gpu"},
    "gres": {"total": "gpu:4", "used": "gpu:3"},
}


def test_what_slurm_says_of_a_node() -> None:
    busy = kind_in_slurm(SCONTROL, "n", free=False)
    assert busy.partitions == {"gpu", "all"}
    assert busy.features == frozenset({"ib", "a100"})
    assert busy.devices == (("gpu:a100", 4), ("shard", 8192))
    assert (busy.architecture, busy.cores) == ("x86_64", 64)
    free = kind_in_slurm(SCONTROL, "n", free=True)
    assert free.devices == (("gpu:a100", 3), ("shard", 8192))
    one = kind_in_slurm(SINFO, "s", free=True)
    assert one.features == frozenset({"ib"})
    assert (one.devices, one.cores) == ((("gpu", 1),), 64)
    other = kind_in_slurm({**SINFO, "partition": {"name": "all"}}, "s", free=True)
    assert one.join(other).partitions == {"gpu", "all"}
    older = kind_in_slurm({"features": "ib, a100", "gres": "gpu"}, "n", free=False)
    assert older.features == frozenset({"ib", "a100"})
    assert older.devices == (("gpu", 1),)
    nothing = dict.fromkeys((*SCONTROL, "features"))
    for bare in ({"gres": "N/A"}, {"features": "(null)"}, nothing):
        assert not kind_in_slurm(bare, "n", free=True).says_anything
    assert kind_in_slurm(nothing, "n", free=True) == NodeKind()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("partitions", 7),
        ("partitions", [1]),
        ("partition", {"name": 1}),
        ("features", {"active": 1}),
        ("gres", {"total": [1]}),
        ("gres_used", 1),
        ("cpus", "x"),
        ("features", "a\nb"),
        ("partition", {"name": "a\x1b[31mb"}),
        ("architecture", ["x"]),
    ],
)
def test_fields_of_another_type_are_refused(field: str, value: Any) -> None:
    with pytest.raises(InputError, match=r"n\.\w+.*must be "):
        kind_in_slurm({field: value}, "n", free=True)


def container(limit: int = 0, request: int = 0, **more: Any) -> dict[str, Any]:
    """Return a container with so many GPUs."""
    found = {"limits": limit, "requests": request}
    resources = {key: {"nvidia.com/gpu": n} for key, n in found.items() if n}
    return {"resources": resources, **more}


def test_what_kubernetes_says_of_a_node() -> None:
    product = {"nvidia.com/gpu.product": "A100", "kubernetes.io/hostname": "n"}
    taints = [
        {"key": "gpu", "value": "yes", "effect": "NoSchedule"},
        {"key": "soft", "effect": "PreferNoSchedule"},
        {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
    ]
    usable = {"cpu": "63770m", "memory": "500Gi", "nvidia.com/gpu": "8"}
    item = {
        "metadata": {"labels": product},
        "spec": {"taints": taints},
        "status": {
            "nodeInfo": {"architecture": "arm64"},
            "capacity": {"cpu": "64"},
            "allocatable": usable | {"hugepages-2Mi": "0"},
        },
    }
    begin = [container(limit=2), container(limit=1, restartPolicy="Always")]
    spec = {"containers": [container(request=2), container(limit=1), {}]}
    used = devices_of_pod({"spec": spec | {"initContainers": begin}}, "p")
    assert used == {"nvidia.com/gpu": 4}
    found = kind_in_kubernetes(item, "n")
    assert found.devices == (("nvidia.com/gpu", 8),)
    assert found.less(used).devices == (("nvidia.com/gpu", 4),)
    assert found.features == frozenset({"nvidia.com/gpu.product=A100"})
    assert (found.architecture, found.cores) == ("aarch64", 64)
    assert found.taints == {"gpu=yes:NoSchedule"}
    assert kind_in_kubernetes({}, "n") == NodeKind()


@pytest.mark.parametrize(
    ("one", "other"),
    [("1k", "2k"), ("1k", "1Ki"), ("1", "1500m"), ("1.5", "2"), ("10G", "many")],
)
def test_quantities_of_kubernetes_are_compared(one: str, other: str) -> None:
    """Kubernetes writes 1000 devices as 1k."""

    def kind(value: Any) -> NodeKind:
        status = {"allocatable": {"example.com/slots": value}}
        return kind_in_kubernetes({"status": status}, "n")

    assert kind(one) != kind(other)
    assert kind("1k") == kind("1000") == kind(1000)


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_the_order_of_reports_does_not_matter(order: tuple[int, ...]) -> None:
    kinds = [
        NodeKind(features=frozenset("ab"), cores=4),
        NodeKind(features=frozenset("bc"), devices=(("gpu", 1),)),
        NodeKind(partitions=frozenset({"gpu"}), cores=8),
    ]
    found = reduce(NodeKind.join, [kinds[i] for i in order])
    assert found.unclear
    assert (found.features, found.devices) == (frozenset("b"), (("gpu", 1),))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a", lambda a, b, c: a),
        ("a&b", lambda a, b, c: a and b),
        ("a&b|c", lambda a, b, c: (a and b) or c),
        ("a|(b&c)", lambda a, b, c: a or (b and c)),
        ("(a|b)&c|(a&b)", lambda a, b, c: ((a or b) and c) or (a and b)),
        (" ( a | b ) & c", lambda a, b, c: (a or b) and c),
        ("((a))", lambda a, b, c: a),
    ],
)
def test_constraints_mean_what_slurm_means(text: str, meaning: Any) -> None:
    demand = Demand(constraint=text)
    for flags in product([False, True], repeat=3):
        held = frozenset(x for x, on in zip("abc", flags, strict=True) if on)
        assert demand.allows(NodeKind(features=held)) == meaning(*flags)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        *((text, "cannot be read at ") for text in ("a&", "(a", "a)", "|", "a b")),
        ("(" * 40 + "a" + ")" * 40, ""),
        ("[a*2]", "counts of nodes and brackets ('[') are not supported"),
        ("a*2", "counts of nodes and brackets ('*') are not supported"),
        ("[a|b]", "counts of nodes and brackets ('[') are not supported"),
        ("a,b", "has a comma, which sbatch refuses: & is its word for and"),
        ("a|b&c", "has & after |, which needs parentheses"),
        ("(a|b&c)", "has & after |, which needs parentheses"),
    ],
)
def test_what_is_no_constraint_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=f"--constraint: .*{re.escape(says)}"):
        Demand(constraint=text)


def test_partitions_and_constraints_choose_nodes() -> None:
    kinds = {
        "n1": NodeKind(frozenset({"gpu"}), frozenset({"ib"})),
        "n2": NodeKind(frozenset({"gpu"})),
        "n3": NodeKind(frozenset({"cpu"}), frozenset({"ib"})),
    }
    assert usable_nodes(kinds, Demand()) == {"n1", "n2", "n3"}
    assert usable_nodes(kinds, Demand("gpu")) == {"n1", "n2"}
    assert usable_nodes(kinds, Demand("gpu,cpu", "ib")) == {"n1", "n3"}
    with pytest.raises(InputError, match="did you mean gpu"):
        usable_nodes(kinds, Demand("gpus"))
    for bare in ({}, {"n1": NodeKind(architecture="x86_64")}):
        for demand in (Demand("gpu"), Demand(constraint="ib")):
            with pytest.raises(InputError, match=r"--\w+: needs a report of nodes"):
                usable_nodes(bare, demand)
    with pytest.raises(InputError, match=r"--constraint: no such feature: 'opa'.*ib"):
        usable_nodes(kinds, Demand(constraint="ib|opa"))
    with pytest.raises(InputError, match="--partition: names no partition"):
        Demand(" , ")


def test_nodes_of_a_kind_can_stand_for_each_other() -> None:
    kinds = {
        "n1": NodeKind(cores=64),
        "n2": NodeKind(cores=64),
        "n3": NodeKind(cores=32),
    }
    found = interchangeable(kinds, ["n1", "n2", "n3", "n4", "n5"])
    assert found == {"n1": 0, "n2": 0, "n3": 1, "n4": 2, "n5": 2}
    assert note_of(kinds, ["n1", "n3"]) == ""
    assert "what 1 of the nodes are" in note_of(kinds, ["n1", "n4"])
    assert "all are taken as alike" in note_of(kinds, ["n4", "n5"])
