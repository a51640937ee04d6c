"""``closeknit select --topology`` as an operator calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run

from ..asking import Ask
from ..clusters import RAILS, grid
from ..reports import node, pod, sinfo

RACKS = """\
SwitchName=r1 Nodes=a[01-19]
SwitchName=r2 Nodes=b[01-10]
SwitchName=r3 Nodes=c[01-10]
SwitchName=top Switches=r[1-3]
"""
BLOCKS = """\
BlockName=b1 Nodes=p[01-18]
BlockName=b2 Nodes=q[01-18]
BlockName=b3 Nodes=r[01-12]
BlockSizes=12
"""


@pytest.fixture
def ask(ask: Ask) -> Ask:
    """Choose nodes of the topology in FILE."""

    def select(*words: str, text: str = RACKS, **files: str) -> tuple[int, str, str]:
        return ask("select --topology FILE", *words, **files, FILE=text)

    return select


def test_the_answer_for_people(ask: Ask) -> None:
    status, out, _ = ask("-k 20 --objective blocks")
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == "Slurm topology.conf: 2-level tree, 3 leaf switches, 39 nodes"
    assert "  chosen      b[01-10],c[01-10]" in lines
    assert "  bound       2 blocks, scattering 200, 580 hops" in lines
    assert "  status      optimal (enumerated: placement-dp)" in lines


def test_the_answer_for_programs(ask: Ask, tmp_path: Path) -> None:
    words = "-k 2 --busy a[01-19],b[01-09] --exclude c[01-09] --format"
    assert ask(words, "hostlist")[1] == "b10,c10\n"
    assert ask(words, "lines")[1] == "b10\nc10\n"
    ranks = ask(words, "rankfile")[1]
    assert ranks == "rank 0=b10 slot=0\nrank 1=c10 slot=0\n"
    pods = json.loads(ask(words, "kubernetes")[1])
    (required,) = pods["affinity"]["nodeAffinity"].values()
    terms = [one["matchFields"][0] for one in required["nodeSelectorTerms"]]
    assert {(t["key"], t["operator"]) for t in terms} == {("metadata.name", "In")}
    assert [t["values"] for t in terms] == [["b10"], ["c10"]]
    (part,) = pods["topologyAssignment"]["slices"]
    assert pods["topologyAssignment"]["levels"] == ["kubernetes.io/hostname"]
    assert (part["domainCount"], part["podCounts"]) == (2, {"universal": 1})
    assert part["valuesPerLevel"] == [{"individual": {"roots": pods["nodeNames"]}}]
    status, out, _ = ask(words, "json")
    found: dict[str, Any] = json.loads(out)
    assert (status, found["chosen"]) == (0, ["b10", "c10"])
    assert found["cost"] == found["bound"] == {"switches": 2, "hops": 4}
    file = tmp_path / "answer.json"
    ask(words, "lines --json", str(file))
    again = json.loads(file.read_text(encoding="utf-8"))
    assert {**again, "seconds": 0} == {**found, "seconds": 0}


def test_segments_that_fit_and_that_do_not(ask: Ask) -> None:
    words = "-k 36 --objective blocks --segment 12"
    _, out, _ = ask(words, "--format json", text=BLOCKS)
    names = json.loads(out)["chosen"]
    assert [sum(n[0] == block for n in names) for block in "pqr"] == [12, 12, 12]
    status, out, err = ask(words, "--busy r01 --format hostlist", text=BLOCKS)
    assert (status, out) == (3, "")
    assert err.endswith("closeknit: infeasible: no choice of free nodes is possible\n")


def test_required_nodes_and_levels(ask: Ask) -> None:
    hosts = "--format hostlist"
    assert ask("-k 4 --require a[01-02]", hosts)[1] == "a[01-04]\n"
    assert ask("-k 12 --levels switch=6,level2=12", hosts)[1] == "a[01-12]\n"


def test_reports_of_slurm(ask: Ask) -> None:
    jobs = [{"job_state": ["RUNNING"], "nodes": "a[01-19],b[01-10],login1"}]
    nodes = sinfo(
        *("a[01-19] MIXED", "b[01-10] IDLE", "c[01-04] IDLE DRAIN"),
        "c[05-06] IDLE POWERED_DOWN",
    )
    files = {"JOBS": json.dumps({"jobs": jobs}), "SINFO": json.dumps(nodes)}
    for option in ("--busy", "--free"):
        words = f"-k 1 {option} @JOBS"
        said = "says nothing of the state of nodes: add sinfo --json, or --assume-up"
        assert ask(words, **files) == (2, "", f"closeknit: JOBS: {said}\n")
        _, out, _ = ask(words, "--assume-up", **files)
        assert "  free        10 of 39 nodes" in out
        assert "  ignored     1 node not in the topology" in out
    both = "--state JOBS SINFO"
    for words in (both, "--busy @SINFO --busy @JOBS", "--state SINFO --busy @JOBS"):
        status, out, err = ask("-k 2", words, **files)
        lines = out.splitlines()
        assert (status, lines[1]) == (0, "  free        2 of 39 nodes")
        assert lines[2].startswith("  state of nodes: ")
        counts = "19 MIXED, 10 busy, 4 DRAIN, 4 in no report"
        assert lines[3:5] == [
            f"  not free: {counts}",
            "  must boot first: 2 chosen, 2 of the free nodes",
        ]
        assert "  chosen      c[05-06]" in lines
        assert ("not free any more" in err) == words.startswith("--busy")
    _, _, err = ask("-k 1 --format hostlist", both, **files)
    assert err.splitlines() == [
        "closeknit: must boot first: 1 chosen, 2 of the free nodes",
        "closeknit: note: no report says what the nodes are: all are taken as alike",
    ]
    assert ask("-k 1 --no-boot", both, **files)[0] == 3
    shown = json.loads(ask("-k 1 --format json", both, **files)[1])["state"]
    assert [Path(one).name for one in shown["source"].split(", ")] == ["JOBS", "SINFO"]
    assert (shown["not_free"]["MIXED"], shown["must_boot"]) == (19, 2)
    _, out, err = ask("-k 1 --free @SINFO", **files)
    assert ("  free        12 of 39 nodes\n" in out, err) == (True, "")
    files["JOBS"] = json.dumps({"jobs": [{**jobs[0], "nodes": "x[1-2]"}]})
    said = "none of its 2 nodes is in the topology: 'x1'"
    assert ask("-k 1 --state JOBS", **files) == (2, "", f"closeknit: JOBS: {said}\n")


def test_options_for_hostlists_add_up(ask: Ask) -> None:
    assert "  state of nodes: not given\n" in ask("-k 1")[1]
    hosts = "-k 2 --format hostlist"
    busy = "--busy b[01-09] --busy c01 --exclude a01 --exclude a[02-17]"
    said = "closeknit: state of nodes: not given\n"
    assert ask(hosts, busy) == (0, "a[18-19]\n", said)
    free = "--free a01,b01 --free c01 --busy b02 --exclude b01"
    assert ask(hosts, free)[1:] == ("a01,c01\n", "")
    assert ask(hosts, "--require b07 --require b09")[1] == "b[07,09]\n"


def test_flat_topologies_take_their_nodes_from_the_free_ones(ask: Ask) -> None:
    text = "- topology: plain\n  flat: true\n"
    assert ask("-k 2 --free x[1-3] --format hostlist", text=text)[1] == "x[1-2]\n"


def test_leaf_switches_of_a_fabric_that_is_no_tree(ask: Ask) -> None:
    words = "-k 5 --objective switches --format json --require i0"
    status, out, _ = ask(words, text=RAILS)
    shown = json.loads(out)
    assert status == 0
    assert shown["cost"] == shown["bound"] == {"switches": 3, "hops": 20}
    assert shown["status"] == "optimal"
    status, out, _ = ask("-k 5 --objective spread", text=RAILS)
    assert "  diameter    2" in out.splitlines()
    status, out, err = ask("-k 8 --objective blocks", text=RAILS)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert "--objective: must be hops or switches or spread on this network" in err


def test_a_rule_may_find_nothing(ask: Ask) -> None:
    words = "-k 9 --busy p[04-18],q[04-18],r[04-12] --method slurm-block"
    status, out, err = ask(words, "--format lines", text=BLOCKS)
    assert (status, out) == (4, "")
    said = "closeknit: slurm-block finds no choice, although there is one\n"
    assert err.endswith(said)


BAD = [
    ("", "-k: is needed with --topology"),
    ("-k 0", "-k: must be from 1 to"),
    ("-k 1.5", "-k: must be a whole number, not '1.5'"),
    ("-k 4 --busy @", "--busy: '@' names no file"),
    ("-k 1 --require a[01-02]", "--require: names 2 nodes, more than -k 1"),
    ("-k 1 --require a01 --require a02", "names 2 nodes, more than"),
    ("-k 1 --require a01 --exclude a01", "--require: is in --exclude too: 'a01'"),
    ("-k 4 --require a01 --busy a01", "--require: is required, but not free: 'a01'"),
    ("-k 4 --require zz", "--require: is not in the topology: 'zz'"),
    ("-k 4 --exclude zz", "--exclude: is not in the topology: 'zz'"),
    ("-k 4 --free zz", "--free: is not in the topology: 'zz'"),
    ("-k 4 --free a[1-1000000000]", "--free: has more than"),
    ("-k 4 --busy a01 --free a[01-02]", "--free: is in --busy too: 'a01'"),
    ("-k 4 --state - --busy -", "standard input: can be read only"),
    ("-k 4 --state @- --busy @-", "standard input: can be read only"),
    ("-k 4 --state - --node-name-map -", "standard input: can be"),
    *(
        (f"-k 4 {option} 1 {option} 2", f"argument {option}: is given twice")
        for option in ("-k", "--levels", "--labels", "--reservation", "--topology-name")
    ),
    ("-k 4 --topology other", "argument --topology: is given twice"),
    ("-k 4 --state /no/file", "/no/file: cannot be read"),
    ("-k 4 --reservation x", "--reservation: no report of nodes names it"),
    ("-k 4 --segment 3", "--segment: must divide k (4), not 3"),
    ("-k 4 --levels rack=2", "--levels: no such level: 'rack' (there are: switch"),
    ("-k 4 --levels rack", "--levels: must be LEVEL=N,..."),
    ("-k 4 --levels switch=2,switch=4", "--levels: is given twice"),
    ("-k 4 --queue q", "--queue: is not for --topology"),
    ("-k 4 --serve", "--serve: is not for --topology"),
    ("-k 4 --objective hop", "invalid choice: 'hop' (did you mean hops?)"),
]


@pytest.mark.parametrize(("words", "complaint"), BAD)
def test_bad_input_is_one_line(ask: Ask, words: str, complaint: str) -> None:
    status, out, err = ask(words)
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


def test_a_network_without_column_names_is_refused(ask: Ask) -> None:
    status, _, err = ask("-k 1", text="# torus 2x2x2\nn0,0,0,0\nn1,0,0,1\n")
    assert status == 2
    said = "has no line of column names, such as node,x,y,z"
    assert err == f"closeknit: FILE: {said}, below its network\n"


def test_one_of_the_two_forms_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["select"]) == 2
    assert "--config: is needed, or --topology" in capsys.readouterr().err
    assert run(["select", "--config", "x", "-k", "3"]) == 2
    assert "-k: needs --topology" in capsys.readouterr().err


def test_ranks_are_in_order_and_all_outputs_follow_it(ask: Ask) -> None:
    words = "-k 4 --free a[01-02],b[01-02] --map"
    status, out, _ = ask(words, "halo2d:2x2")
    assert status == 0
    assert "  ranks       a01,a02,b01,b02" in out
    assert "halo2d:2x2: 12 hops, 12 in the order of the topology, bound 12" in out
    sent = {"SENT": "src,dst,bytes,messages\n0,2,9,1\n1,3,9,1\n"}
    lines = ask(words, "SENT --format lines", **sent)[1].split()
    assert {frozenset(lines[0::2]), frozenset(lines[1::2])} == {
        frozenset(["a01", "a02"]),
        frozenset(["b01", "b02"]),
    }
    ranks = ask(words, "SENT --format rankfile", **sent)[1].splitlines()
    assert ranks == [f"rank {i}={name} slot=0" for i, name in enumerate(lines)]
    found = json.loads(ask(words, "SENT --format json", **sent)[1])
    assert found["ranks"] == lines
    assert (found["map"]["cost"], found["map"]["bound"]) == (36, 36)
    assert found["chosen"] == ["a01", "a02", "b01", "b02"]


def test_the_machine_is_drawn(ask: Ask, tmp_path: Path) -> None:
    out = tmp_path / "picture.svg"
    plot = f"--plot {out}"
    words = "-k 12 --busy a[01-05] --format hostlist"
    assert ask(words, plot)[:2] == (0, "a[06-17]\n")
    text = out.read_text(encoding="utf-8")
    assert "optimal (enumerated: placement-dp)" in text
    assert text.count('class="ck-a"') >= 1
    status, said, _ = ask("-k 4 --format json", plot, text=grid("torus 3x3"))
    assert (status, json.loads(said)["cost"]) == (0, {"hops": 8})
    assert "3x3 torus" in out.read_text(encoding="utf-8")
    assert ask("-k 39 --busy a01", plot)[0] == 3
    assert "nothing chosen: infeasible" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--map rung", "--map: must be ring, halo2d[:AxB]"),
        ("--map halo2d:3x3", "--map: has 9 ranks, the job has 4 nodes"),
        ("--plot x.html", "--plot: must end in .svg, .png, .pdf, not"),
        ("--explain", "--explain was removed: why says why nothing fits"),
    ],
)
def test_bad_patterns_and_pictures(ask: Ask, words: str, complaint: str) -> None:
    status, _, err = ask("-k 4", words)
    assert (status, err.count("\n")) == (2, 1)
    assert complaint in err


def test_nodes_of_kubernetes_that_cannot_be_used(ask: Ask) -> None:
    rack = "topology.kubernetes.io/rack"
    taint = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
    a, b = {rack: "a"}, {rack: "b"}
    items = [
        *(node("a1", labels=a, unschedulable=True), node("a2", "False", labels=a)),
        *(node("a3", labels=a, taints=[taint]), node("b1", labels=b)),
        node("b2", labels=b),
    ]
    files = {"PODS": json.dumps({"kind": "PodList", "items": [pod("b1")]})}
    files["text"] = json.dumps({"kind": "NodeList", "items": items})
    words = f"--labels {rack} -k"
    status, out, _ = ask(words, "3", **files)
    assert (status, out.splitlines()[1]) == (3, "  free        2 of 5 nodes")
    reasons = "1 not Ready, 1 taint node.kubernetes.io/unreachable, 1 unschedulable"
    assert f"  not free: {reasons}\n" in out
    hosts = "--format hostlist --state PODS"
    assert ask(words, "1", hosts, **files)[1] == "b2\n"
    tolerate = f"--tolerate {taint['key']}"
    assert ask(words, "2", hosts, tolerate, **files)[1] == "a3,b2\n"
