"""``closeknit simulate network``, through the real command line."""

from __future__ import annotations

import json
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run

Capture = pytest.CaptureFixture[str]
MEASURES = {
    *("time_cycles", "messages", "mean_latency_cycles", "p95_latency_cycles"),
    *("max_latency_cycles", "flits_carried", "links", "busiest_link"),
    *("busiest_link_flits", "busiest_link_share", "instance_cycles"),
}
QUADRANT = "--topology torus:8x8 --placement quadrant --size 256"
JOB = f"{QUADRANT} --workload 2M"
CHAIN = {
    "format": "closeknit/workload",
    "version": 1,
    "tasks": 3,
    "messages": [[0, 1, 64], [1, 2, 128]],
    "waits": [[0, 1]],
}


def on(topology: str, placement: str = "mm", workload: str = "2M") -> str:
    return f"--topology {topology} --workload {workload} --placement {placement}"


def measured(capsys: Capture, words: str) -> dict[str, Any]:
    assert run(["simulate", "network", *words.split(), "--json", "-"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert set(found) == MEASURES
    return found


def refused(capsys: Capture, words: str) -> str:
    assert run(["simulate", "network", *words.split()]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err.removeprefix("closeknit: ").rstrip()


def written(folder: Path, **changed: Any) -> Path:
    path = folder / "chain.json"
    path.write_text(json.dumps({**CHAIN, **changed}))
    return path


def test_neighbours_take_one_link_each_in_a_quadrant(capsys: Capture) -> None:
    found = measured(capsys, f"{JOB} --tasks 16")
    assert found["messages"] == 2 * 2 * 4 * 3
    assert found["flits_carried"] == 48 * 64
    assert found["links"] == 256
    assert found["busiest_link_flits"] == 64
    # four packets of 16 phits each to two, three or four neighbours, one by one
    assert found["instance_cycles"] == [found["time_cycles"]] == [4 * 64 + 1]
    assert found["max_latency_cycles"] == found["p95_latency_cycles"] == 257
    # the k-th message of a task takes 64 k + 1: 16 tasks send two, 12 a third, 4 a
    # fourth
    assert found["mean_latency_cycles"] == (32 * 96 + 12 * 192 + 4 * 256 + 48) / 48


def test_instances_in_quadrants_do_not_meet_and_random_ones_do(capsys: Capture) -> None:
    four = f"{QUADRANT} --workload 3M --tasks 16 --instances 4"
    apart = measured(capsys, four)
    assert len(apart["instance_cycles"]) == 4
    assert len(set(apart["instance_cycles"])) == 1
    random = four.replace("quadrant", "random")
    drawn = measured(capsys, f"{random} --seed 1")
    assert max(drawn["instance_cycles"]) == drawn["time_cycles"]
    assert drawn["time_cycles"] > apart["time_cycles"]
    assert drawn["flits_carried"] > apart["flits_carried"]
    assert measured(capsys, f"{random} --seed 1") == drawn
    assert measured(capsys, f"{random} --seed 2") != drawn


def test_ranks_are_ordered_by_what_they_send(capsys: Capture, tmp_path: Path) -> None:
    """A chain on scattered ranks: six of its seven messages take a link each."""
    path = tmp_path / "chain.csv"
    order = [0, 5, 2, 7, 4, 1, 6, 3]
    rows = "".join(f"{u},{v},6400,1\n" for u, v in pairwise(order))
    path.write_text("src,dst,bytes,messages\n" + rows)
    words = f"--topology mesh:2x4 --placement row --traffic {path}"
    found = {
        mapping: measured(capsys, f"{words} --mapping {mapping}")
        for mapping in ("identity", "greedy", "annealing", "exact", "auto")
    }
    assert found["identity"] == measured(capsys, words)
    for mapping in ("annealing", "exact", "auto"):
        assert found[mapping]["flits_carried"] == 7 * 1600
    assert found["identity"]["flits_carried"] > found["greedy"]["flits_carried"]
    assert found["identity"]["time_cycles"] > found["exact"]["time_cycles"]
    words = f"{QUADRANT} --workload 3M --tasks 8 --instances 2"
    twice, better = (measured(capsys, words + x) for x in ("", " --mapping exact"))
    assert better["flits_carried"] <= twice["flits_carried"]
    assert len(better["instance_cycles"]) == 2


@pytest.mark.parametrize(
    ("words", "cycles"),
    [
        # 16 and 32 phits over one link each; tasks on processors 0, 1, 2
        ("--topology mesh:3x3 --placement row", (1 + 16) + (1 + 32)),
        ("--topology mesh:3x3 --placement 0,4,8", (2 + 16) + (2 + 32)),
        ("--topology mesh:3x3 --placement row --switching wormhole", 18 + 34),
        ("--topology torus:8x8 --placement row --routing dimension-order", 17 + 33),
        # three channels within a switch's subtree, the injection queue included
        ("--topology tree:2x2 --placement consecutive", (1 + 16) + (3 + 32)),
    ],
)
def test_files_take_the_closed_form(
    words: str, cycles: int, tmp_path: Path, capsys: Capture
) -> None:
    found = measured(capsys, f"{words} --file {written(tmp_path)}")
    assert found["time_cycles"] == cycles


def test_flows_are_refused_in_one_line(capsys: Capture) -> None:
    told = refused(capsys, f"{JOB} --switching flow")
    assert "invalid choice: 'flow' (choose from " in told
    assert "cut-through" in told


@pytest.mark.parametrize("routing", ["minimal", "drawn", "valiant"])
def test_dragonflies(routing: str, capsys: Capture) -> None:
    words = "--topology dragonfly:2,1,1 --placement mm --workload BU --tasks 4"
    found = measured(capsys, f"{words} --size 64 --routing {routing}")
    assert found["messages"] == 8
    assert found["links"] == 2 * (6 + 3 + 3)  # hosts, groups, between groups


def test_measured_communication(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "ranks.csv"
    path.write_text("src,dst,bytes,messages\n0,1,640,2\n2,3,1280,1\n")
    words = f"--topology mesh:2x2 --placement row --traffic {path}"
    found = measured(capsys, words)
    assert found["flits_carried"] == 160 + 320
    assert found["busiest_link"] == "(1, 0) -> (1, 1)"
    assert found["time_cycles"] == 1 + 320
    less = measured(capsys, f"{words} --per 10 --rounds 2")
    assert less["messages"] == 4
    assert less["flits_carried"] == 2 * (16 + 16)


def test_text_and_a_file(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out.json"
    words = f"{QUADRANT} --workload 2W --tasks 4 --instances 16 --json {out}"
    assert run(["simulate", "network", *words.split()]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    found = json.loads(out.read_text())
    assert f"time_cycles          {found['time_cycles']}" in lines
    said = " ".join(lines).split("instance_cycles")[1].split()
    assert [int(one) for one in said] == found["instance_cycles"]


def test_nothing_is_sent(tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path, messages=[], waits=[])
    found = measured(capsys, f"--topology mesh:4 --placement row --file {path}")
    assert (found["time_cycles"], found["mean_latency_cycles"]) == (0, None)
    assert found["busiest_link"] is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (f"{JOB} --instances 2", "--instances: 2 of 64 tasks do not fit on 64 proc"),
        (f"{JOB} --instances 0", "--instances: must be at least 1, not 0"),
        (f"{QUADRANT} --workload BU --tasks 48", "--tasks: must be a power of two, no"),
        (f"{QUADRANT} --workload 4M", "--workload: must be one of BI, BU, 2M, 3M, "),
        (
            JOB.replace("256", "-256"),
            "argument --size: must be an integer from 0 to 2^31 - 1, not '-256'",
        ),
        (f"{QUADRANT} --file none.json", "--size: is for a named workload"),
        (f"{JOB} --packet 0", "--packet: must be at least 1, not 0"),
        (f"{JOB} --per 2", "--per: is for measured communication"),
        (
            f"{JOB} --switching wormhole --routing adaptive",
            "--routing: must be dimension-order for worms, not 'adaptive'",
        ),
        (
            f"{JOB} --routing valiant",
            "--routing: must be one of adaptive, dimension-order, not 'valiant'",
        ),
        (f"{JOB} --routes none.csv", "--routes: are for graphs and dragonflies"),
        (
            f"{JOB} --mapping anneal",
            "--mapping: no such method of mapping: 'anneal' (did you mean annealing?)",
        ),
        (
            on("mesh:9x9", "row --tasks 65 --mapping exact", "n-to-n"),
            "--mapping: exact takes at most 64 ranks, not 65; annealing takes more",
        ),
        (
            f"{JOB} --io-nodes west --tasks 16",
            "--io-nodes: needs a mesh of two axes, not 'west'",
        ),
        (f"{JOB} --pattern tornado", "--pattern was removed: jobs send the messages"),
        ("--topology torus:8x8 --load 0.1", "--load was removed: jobs send the mess"),
        (
            on("tree:4x3", "mm --switching wormhole"),
            "--switching: needs a mesh or a torus, not 'wormhole'",
        ),
        (on("tree:4x3", "row"), "--topology: needs a mesh or a torus, not 'tree'"),
        (on("ring:8", "row"), "--topology: no such kind of network: 'ring' (known: "),
        (on("mesh:4y4"), "--topology: must be sides such as 16x22, not 'mesh:4y4'"),
        (
            on("tree:4"),
            "--topology: must be the arity and the levels of a tree, as in tree:4x3, ",
        ),
        (
            on("dragonfly:4,0,2"),
            "--topology: must be at least 1, not 'dragonfly:4,0,2'",
        ),
        (
            on("dragonfly:4x2x2"),
            "--topology: must be routers, hosts and links, as in dragonfly:4,2,2, not",
        ),
        (
            on("dragonfly:2,1,1", "mm --routes none.csv"),
            "none.csv: cannot be read: No such file",
        ),
        (
            on("torus:8x8", "quadrants"),
            "--placement: no such method: 'quadrants' (did you mean quadrant?)",
        ),
        (
            on("mesh:4x4", "0,1,2 --tasks 4", "BI"),
            "--placement: rank 3 has no node: 3 are listed for 4 ranks",
        ),
        (
            on("mesh:4x4", "0,1,2,3,4 --tasks 4", "BI"),
            "--placement: must list 4 processors, one per rank, not 5",
        ),
        (
            on("mesh:4x4", "0,1,2,16 --tasks 4", "BI"),
            "--placement[3]: there are only 16 processors: 16",
        ),
        (
            on("mesh:4x4", "0,1,2,1 --tasks 4", "BI"),
            "--placement[3]: is listed twice: 1",
        ),
        (on("mesh:4x4", "mc --io-nodes west"), "--workload: has no I/O nodes: '2M'"),
        (
            on("mesh:4x4", "row --tasks 16 --size 4", "io"),
            "--instances: 1 of 20 tasks do not fit on 16 processors",
        ),
    ],
)
def test_bad_input_is_one_line(words: str, told: str, capsys: Capture) -> None:
    assert refused(capsys, words).startswith(told)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (
            {"messages": [[0, 1, -64]], "waits": []},
            "messages[0][2]: must lie between 0 and 4611686018427387904, not -64",
        ),
        ({"tasks": 2}, "messages[1][1]: must lie between 0 and 1, not 2"),
        ({"waits": [[0, 1], [1, 0]]}, "message 0 waits for itself, by way of others"),
    ],
)
def test_bad_files_are_one_line(
    changed: dict[str, Any], told: str, tmp_path: Path, capsys: Capture
) -> None:
    path = written(tmp_path, **changed)
    words = f"--topology mesh:4x4 --placement row --file {path}"
    assert refused(capsys, words) == f"{path}: {told}"


def test_a_bad_matrix_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "matrix.txt"
    path.write_text("1,2\n3,x\n")
    words = f"--topology mesh:4x4 --placement row --traffic {path}"
    assert refused(capsys, words).startswith(f"{path}: line 2: ")


def test_nodes_without_a_way_between_them_are_named(
    tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "parts.json"
    parts = {
        "nodes": [{"id": i} for i in range(4)],
        "links": [{"source": 0, "target": 1}, {"source": 2, "target": 3}],
    }
    path.write_text(json.dumps(parts))
    words = f"--topology graph:{path} --placement mm --workload BI --tasks 4"
    told = refused(capsys, words)
    assert told.startswith(f"{path}: topology.edges: not connected: no path from ")


def test_io_nodes_on_a_side(capsys: Capture) -> None:
    words = "--topology mesh:2x3 --placement 0,5 --workload io --tasks 2 --size 64"
    found = measured(capsys, f"{words} --io-nodes east")
    assert found["links"] == 2 * (2 * 3 + 4)
    assert found["flits_carried"] == 16 * (3 + 4 + 1 + 2)


def test_routes_of_a_graph(tmp_path: Path, capsys: Capture) -> None:
    ring = {
        "nodes": [{"id": one} for one in "abcd"],
        "links": [{"source": a, "target": b} for a, b in ("ab", "bc", "cd", "da")],
    }
    graph, routes = tmp_path / "ring.json", tmp_path / "around.csv"
    graph.write_text(json.dumps(ring))
    following = dict(zip("abcd", "bcda", strict=True))
    lines = [f"{at},{to},{following[at]}" for at, to in permutations("abcd", 2)]
    routes.write_text("\n".join(["at,to,next", *lines]))
    words = f"--topology graph:{graph} --placement 0,1 --workload BI --tasks 2"
    words += f" --size 64 --routes {routes}"
    # from b back to a by way of c and d
    assert measured(capsys, words)["flits_carried"] == 3 * 16
    told = "--routing: is not for given routes: 'minimal'"
    assert refused(capsys, f"{words} --routing minimal") == told
    routes.write_text("\n".join(["at,to,next", *lines[:-1]]))
    assert refused(capsys, words) == (
        f"{routes}: table: processor d has no route to c: packets do not get past "
        "node d"
    )
