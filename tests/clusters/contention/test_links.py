"""Files of links and counters: what is read of them, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from closeknit.clusters.contention.links import (
    Wires,
    read_counters,
    read_links,
)
from closeknit.clusters.contention.traffic import loads_of_jobs
from closeknit.clusters.topologies import Hierarchy, parse_cluster
from closeknit.instances import InputError
from closeknit.network.contention import instance
from closeknit.solvers.running import interrupt

from ..asking import Ask
from ..clusters import hierarchy

Select = Callable[..., dict[str, Any]]

TREE = "\n".join(
    [
        *(f"SwitchName=s{i} Nodes=n{i}[1-4]" for i in range(3)),
        "SwitchName=a Switches=s0,s1",
        "SwitchName=t Switches=a,s2",
    ]
)
LINKS = "# cables\na, b, capacity\ns0,a,200\ns1,a,100\na,s1,100\na,t,400\nt,s2,150\n"
PORTS = "n01,s0,100\nn02,s0,200\n"
NODES = ["n01", "n02", "n11", "n21", "n22"]
COUNTERS = "a,b,gbit_ab,gbit_ba\ns0,a,150,20.5\na,s1,0,0\na,t,1,2\na,t,3,4\ns2,t,5,6\n"
FAT_TREE = (
    "a,b,links\n"
    + "".join(f"S-leaf{i},S-spine{j},1\n" for i in range(3) for j in range(2))
    + "".join(f"S-leaf{i},h{i}{j},1\n" for i in range(3) for j in range(3))
)


def tree_of(text: str) -> Hierarchy:
    """Return the tree that a topology has."""
    return hierarchy(parse_cluster(text))


def by_name(fabric: Hierarchy, values: Wires, way: int = 1) -> dict[str, int]:
    """Return numbers of the links up, or down, by the names of the domains below."""
    ups = [(v, int(up)) for v, up in enumerate(fabric.parent)][1:]
    ends = [(v, up) if way > 0 else (up, v) for v, up in ups]
    names = (fabric.domains[v] for v, _ in ups)
    return {name: values[link] for name, link in zip(names, ends, strict=True)}


Reading = Callable[..., tuple[Wires, Decimal]]


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    """Read links of a fabric from a text, as the file links.csv."""

    def read(
        text: str, fabric: Hierarchy, rate: int | None = None
    ) -> tuple[Wires, Decimal]:
        (file := tmp_path / "links.csv").write_text(text)
        return read_links(
            str(file), fabric, (), None if rate is None else Decimal(rate)
        )

    return read


def test_cables_add_up_and_the_slowest_port_is_the_rate(reading: Reading) -> None:
    fabric = tree_of(TREE)
    links, _ = reading(LINKS + PORTS, fabric, 200)
    assert by_name(fabric, links) == {"s0": 100, "s1": 100, "a": 200, "s2": 75}
    links, port = reading(LINKS + PORTS, fabric)
    assert port == 100
    assert by_name(fabric, links) == {"s0": 200, "s1": 200, "a": 400, "s2": 150}
    busy = read_counters("f", COUNTERS, fabric, links, port)
    assert by_name(fabric, busy) == {"s0": 150, "s1": 0, "a": 4, "s2": 5}
    assert by_name(fabric, busy, -1) == {"s0": 20, "s1": 0, "a": 6, "s2": 6}


def test_what_is_above_needs_no_name(reading: Reading) -> None:
    blocks = "BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=m[1-4]\nBlockSizes=4,8"
    fabric = tree_of(blocks)
    links, port = reading("a,b,capacity\nb1,,200\nb2,,400\n", fabric, 100)
    assert by_name(fabric, links) == {"b1": 200, "b2": 400}
    text = "a,b,gbit_ab,gbit_ba\nb1,,10,20\nb2,,30,40\n"
    busy = read_counters("f", text, fabric, links, port)
    assert by_name(fabric, busy) == {"b1": 10, "b2": 30}
    assert by_name(fabric, busy, -1) == {"b1": 20, "b2": 40}


def test_cables_to_several_spines_are_one_link(reading: Reading) -> None:
    fabric = tree_of(FAT_TREE)
    rows = [f"S-leaf{i},S-spine{j},{100 * (i + 1)}" for i in range(3) for j in range(2)]
    links, _ = reading("\n".join(["a,b,capacity", *rows]), fabric, 100)
    assert by_name(fabric, links) == {f"S-leaf{i}": 200 * (i + 1) for i in range(3)}


def test_switches_that_are_no_domain_are_known(reading: Reading) -> None:
    """Spines, and a leaf without nodes; what is neither is not taken for a spine."""
    plain = "".join(line.rpartition(",")[0] + "\n" for line in FAT_TREE.splitlines())
    fabric = tree_of(plain + "S-leaf9,S-spine0\n")
    rows = [f"S-leaf{i},S-spine{j},100" for i in range(3) for j in range(2)]
    rows = ["a,b,capacity", *rows, "S-leaf9,S-spine0,100", "h00,S-leaf0,100"]
    links, port = reading("\n".join(rows), fabric)
    assert by_name(fabric, links) == {f"S-leaf{i}": 200 for i in range(3)}
    counters = "a,b,gbit_ab,gbit_ba\n" + "\n".join(f"{x},0" for x in rows[1:-1])
    busy = read_counters("f", counters, fabric, links, port)
    assert set(by_name(fabric, busy).values()) == {200}
    for strange in ("S-spine7", "h99"):
        with pytest.raises(InputError, match="link: is not in the topology: "):
            reading("\n".join([*rows, f"S-leaf0,{strange},100"]), fabric)
    bare = tree_of("a,b\nS-l0,S-t\nS-l1,S-t\nS-l2,S-t\nS-l0,x\nS-l0,y\nS-l1,z\n")
    links, _ = reading("a,b,capacity\nS-l0,S-t,1\nS-t,S-l1,2\nS-t,S-l2,4\n", bare, 1)
    assert by_name(bare, links) == {"S-l0": 100, "S-l1": 200}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("s0,a,200\n", "the first line: must be a,b,capacity, not 's0,a,200'"),
        ("", "the first line: must be a,b,capacity"),
        ("a,b,capacity_mbit\n", "the first line: must be a,b,capacity"),
        (LINKS + "s0,a,t,1\n", ":8: line: must have 3 cells"),
        (LINKS + "s0,a,fast\n", ":8: capacity: must be Gbit/s"),
        (LINKS + "s0,a,-1\n", ":8: capacity: must be Gbit/s"),
        (LINKS + "s0,a,inf\n", ":8: capacity: must be Gbit/s"),
        (LINKS + "s0,a,1_0\n", ":8: capacity: must be Gbit/s"),
        (LINKS + "s0,a,0\n", ":8: capacity: must be positive"),
        (LINKS + "s0,x,1\n", ":8: link: is not in the topology: 'x'"),
        (LINKS + "s0,t,1\n", ":8: link: is no link of the topology: 's0,t'"),
        (LINKS + "t,,1\n", ":8: link: is not in the topology: ''"),  # above the root
        (LINKS + ",s0,1\n", ":8: link: is not in the topology: ''"),
        (LINKS + "n01,,1\n", ":8: link: is not in the topology: ''"),
        (LINKS + "s0,s0,1\n", ":8: link: is no link of the topology"),
        (LINKS + "n01,s1,1\n", ":8: link: is no link of the topology"),
        (LINKS + "n01,s0,1e-999999\n", "is too much for a port's rate of 1E-9"),
        (LINKS.replace("t,s2", "a,t"), "the link up from s2: has no line"),
        (LINKS.replace("t,s2,150", "t,s2,0.1"), "is less than a hundredth of"),
    ],
)
def test_bad_links_are_one_line(
    text: str, problem: str, reading: Reading, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as refused:
        reading(text, tree_of(TREE), None if "1e-999999" in text else 100)
    assert problem in str(refused.value)
    assert str(refused.value).startswith(str(tmp_path / "links.csv"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a,s1,0,201", "f:3: the link up from s1: is above the capacity"),
        ("a,t,0,0", "f: the link up from s1: has no line"),
        ("a,s1,0,-1", "f:3: gbit_ba: must be Gbit/s"),
        ("a,s1,0", "f:3: line: must have 4 cells"),
    ],
)
def test_bad_counters_are_one_line(line: str, problem: str, reading: Reading) -> None:
    fabric = tree_of(TREE)
    links, port = reading(LINKS, fabric, 100)
    with pytest.raises(InputError, match=f"^{problem}"):
        read_counters("f", COUNTERS.replace("a,s1,0,0", line), fabric, links, port)


@pytest.fixture
def ask(ask: Ask) -> Ask:
    """Run a command; TREE, LINKS, COUNT and MESH are files of this module."""
    own = {"TREE": TREE, "LINKS": LINKS + PORTS, "COUNT": COUNTERS, "MESH": MESH}
    return lambda text, **files: ask(text, **own | files)


@pytest.fixture
def select(ask: Ask) -> Select:
    """Choose nodes, which is possible; return the document of the answer."""

    def selected(text: str, **files: str) -> dict[str, Any]:
        status, out, _ = ask(f"select --topology {text} --json", **files)
        assert status == 0
        found: dict[str, Any] = json.loads(out)
        return found

    return selected


BY_LINKS = "TREE --links LINKS --objective links"
ON_MESH = "MESH -k 2 --objective links"


def test_a_choice_by_links(ask: Ask, select: Select) -> None:
    _, out, _ = ask(f"select --topology {BY_LINKS} -k 6 --background COUNT")
    assert "note" not in out
    assert "status      optimal (enumerated: link-dp)" in out
    contention = "TREE -k 6 --links LINKS --objective contention"
    found = select(contention)
    assert found["cost"] == found["bound"]
    assert found["note"].startswith("what others send is not known")
    assert found["port_rate_gbit"] == "100"
    found = select(f"{contention} --purpose stream --port-rate 200")
    assert found["port_rate_gbit"] == "200"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("TREE -k 6 --objective links", "--objective: needs --links"),
        ("TREE -k 6 --links LINKS", "--links: is for --objective links and contention"),
        (f"{BY_LINKS} -k 6 --purpose job", "--purpose: is for --objective contention"),
        (
            f"{BY_LINKS} -k 6 --segment 2",
            "--objective: cannot be given with groups, sl",
        ),
        (f"{BY_LINKS} -k 6 --method slurm", "--method: is not for this objective: 'sl"),
        (f"{BY_LINKS} -k 6 --port-rate 0", "must be Gbit/s"),
        (
            f"{BY_LINKS} -k 6 --port-rate 1e-300",
            "LINKS: the link up from s2: is too mu",
        ),
        (f"{BY_LINKS} -k 6 --port-rate 1e-7", "--links: capacities of 1.5e+09, 2e+09,"),
        (f"{BY_LINKS} -k 6 --traffic COUNT", "COUNT: line 1: must"),
        (f"{BY_LINKS} -k 3 --traffic BYTES", "must have 3 ranks"),
        (f"{BY_LINKS} -k 3 --routing minimal", "--routing: is not for trees"),
        (f"{BY_LINKS} -k 6 --traffic ring --proof p", "--proof: is for the busiest li"),
        ("TREE -k 6 --objective links --links BARE", "--port-rate: is needed"),
        ("TREE -k 6 --proof p", "--proof: is for --job, or"),
        (
            "TREE -k 6 --links LINKS --objective contention --proof p",
            "--proof: is for --job, or --objective links",
        ),
        (f"{ON_MESH} --routing minimal", "routing: must be one of adaptive, dimension"),
        (f"{ON_MESH} --traffic star", "--traffic: must be one of ring, halo2d"),
        (f"{ON_MESH} --traffic halo2d:3x3", "--traffic: has 9 ranks, the job has 2"),
        (f"{ON_MESH} --segment 2", "--objective: cannot be given with groups"),
        (f"{ON_MESH} --background COUNT", "--port-rate: is needed with counters"),
        (f"{ON_MESH} --links L1", "L1:2: link: is no link of the topology: 'a,d'"),
        (f"{ON_MESH} --links L2", "L2:2: link: is not in the topology: 'x'"),
        (f"{ON_MESH} --links L3", "the link a,c: has no line"),
    ],
)
def test_options_that_do_not_go_together(ask: Ask, words: str, problem: str) -> None:
    files = {"BARE": LINKS, "BYTES": BYTES}
    for name, line in (("L1", "a,d,5"), ("L2", "a,x,5"), ("L3", "a,b,5")):
        files[name] = f"a,b,capacity\n{line}\n"
    rate = " --port-rate 100" * ("--links L" in words and "MESH" in words)
    status, _, err = ask(f"select --topology {words}{rate}", **files)
    assert status == 2
    assert problem in err


def test_bytes_of_any_size_are_what_a_job_sends(select: Select) -> None:
    """Only their proportions count."""
    for size in (1, 2**45):
        ring = [[size * ((i - j) % 6 in (1, 5)) for j in range(6)] for i in range(6)]
        rows = "".join(",".join(map(str, row)) + "\n" for row in ring)
        found = select(f"{BY_LINKS} -k 6 --traffic BYTES", BYTES=rows)
        assert found["value"] == "1/2"


MESH = "# mesh 3x2\nnode,x,y\n" + "".join(
    f"{name},{i // 2},{i % 2}\n" for i, name in enumerate("abcdef")
)
BYTES = "0,5,0,0\n0,0,5,0\n0,0,0,5\n5,0,0,0\n"


def test_searches_on_networks_end_by_an_alarm(
    select: Select, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where they do not look at the clock; here while loads are tabulated."""

    def late(*_: object) -> None:
        assert interrupt._alarms
        raise interrupt.OutOfTimeError

    monkeypatch.setattr(instance, "LoadTable", late)
    found = select(ON_MESH)
    assert (found["status"], found["limit"]) == ("feasible", "time")


def test_other_networks_have_links_too(select: Select) -> None:
    """Without a file all links are ports; what others send is avoided."""
    found = select(ON_MESH)
    assert (found["chosen"], found["value"], found["status"]) == (
        ["a", "d"],  # half each way round
        "1/2",
        "optimal",
    )
    pairs = ("a,b", "c,d", "e,f", "a,c", "c,e", "b,d", "d,f")
    rows = "".join(f"{pair},{50 * (pair != 'd,f')},0\n" for pair in pairs)
    files = {"BUSY": f"a,b,gbit_ab,gbit_ba\n{rows}"}
    plain = "--port-rate 100 --routing dimension-order"
    for objective in ("links", "contention"):
        words = f"MESH -k 2 --objective {objective} --background BUSY {plain}"
        found = select(words, **files)
        assert found["chosen"] == ["d", "f"]
        assert "note" not in found
    rows = "".join(f"{pair},100\n" for pair in pairs) + "a,c,300\n"
    files = {"WIDE": f"a,b,capacity\n{rows}"}
    found = select(f"{ON_MESH} --links WIDE {plain}", **files)
    assert (found["chosen"], found["value"]) == (["a", "c"], "1/4")


def running(*jobs: dict[str, Any]) -> str:
    """Return a file of running jobs."""
    document = {"format": "closeknit/running-jobs", "version": 1, "jobs": jobs}
    return json.dumps(document)


def test_running_jobs_send_over_other_networks(select: Select) -> None:
    """The two that talk load the link between them."""
    job = {"name": "1", "nodes": "a,b", "pattern": "ring", "share": 40}
    found = select(f"{ON_MESH} --background JOBS --free a,b", JOBS=running(job))
    assert found["value"] == "7/5"


def test_tasks_that_are_not_alike(select: Select) -> None:
    """On a tree, too, by a pattern or a file of bytes; hops are those of the tree."""
    ring = select(f"{BY_LINKS} -k 4 --traffic ring")
    assert ring["status"] == "optimal"
    found = select(f"{BY_LINKS} -k 4 --traffic BYTES", BYTES=BYTES)
    assert found["cost"]["hops"] == ring["cost"]["hops"]


def test_decisions_are_graded_by_links(ask: Ask) -> None:
    """What a decision of the past used links to, over the least of all choices."""
    lines = [
        {"job": {"k": 4}, "busy": "", "chosen": "n0[1-4]"},
        {"job": {"k": 4}, "busy": "", "chosen": "n0[1-3],n21"},
        {"job": {"k": 2, "objective": "hops"}, "busy": "", "chosen": "n01,n21"},
    ]
    files = {"PAST": "\n".join(map(json.dumps, lines))}
    begin = "grade PAST --topology TREE --links LINKS --background COUNT --objective"
    for objective, said in (("links", "load 1.25"), ("contention", "contention ")):
        status, out, _ = ask(f"{begin} {objective} --json", **files)
        rows = [json.loads(line) for line in out.splitlines()]
        assert (status, [row["ratio"] for row in rows[:3]]) == (0, ["1", "∞", "5/2"])
        assert said in ask(f"{begin} {objective}", **files)[1]
    files = {"PAST": '{"job": {"k": 2}, "busy": "", "chosen": "a,f"}'}
    _, out, _ = ask("grade PAST --topology MESH --objective links --json", **files)
    assert json.loads(out.splitlines()[0])["cost"]["hops"] == 3
    status, _, err = ask("grade PAST --topology MESH --purpose job", **files)
    assert (status, "--purpose: is for --objective links" in err) == (2, True)


def test_why_tells_the_busiest_link(ask: Ask) -> None:
    begin = f"why --assume-up --topology {BY_LINKS} -k"
    status, out, _ = ask(f"{begin} 11 --background COUNT")
    assert status == 0
    assert "answer      it fits" in out
    assert "busiest     the link " in out
    assert "the job cannot send at its rate" in out
    status, out, _ = ask(f"{begin} 4 --json -")
    found = json.loads(out)["links"]
    assert (status, found["value"], "busiest" in found) == (0, "0", False)
    status, out, _ = ask(f"{begin} 13")
    assert (status, "busiest" in out) == (3, False)
    status, out, _ = ask("why --topology MESH --assume-up -k 3 --objective links")
    assert (status, "busiest     the link " in out) == (0, True)


def test_a_proof_that_no_choice_loads_less(ask: Ask, tmp_path: Path) -> None:
    """The refuted decision in a file, which the checker follows; a forged one fails."""
    name = tmp_path / "proof"
    begin = f"select --topology {BY_LINKS} --background COUNT --proof {name} -k"
    status, out, _ = ask(f"{begin} 6")
    assert status == 0
    assert f"load proof  {name}.opb, {name}.pbp.xz" in out
    check = f"check {name}.opb --proof {name}.pbp.xz"
    status, out, _ = ask(check)
    assert (status, "derived: UNSAT" in out) == (0, True)
    lines = (opb := tmp_path / "proof.opb").read_text().splitlines()
    rows = [i for i, line in enumerate(lines) if line.endswith(";")]
    refused = 0
    for i in rows:  # without one of the rows that it rests on
        opb.write_text("\n".join([*lines[:i], "* gone", *lines[i + 1 :]]) + "\n")
        refused += ask(check)[0] != 0
    assert refused
    status, out, _ = ask(f"{begin} 4")
    assert status == 0
    assert "load proof  checked: costs that are not negative" in out
    status, out, _ = ask(f"{begin} 13")
    assert (status, "no choice of free nodes is possible" in out) == (3, True)
    late = f"--proof {name} --routing dimension-order --time-limit 1e-9"
    status, out, _ = ask(f"select --topology MESH --objective links -k 3 {late}")
    assert status == 0  # nothing is sure of the choice
    assert "busiest link less is possible" in out


def ibnet(speeds: Sequence[str]) -> str:
    """Return a fabric of two leaves with two hosts each, and two cables up each."""
    hosts = [f"H-{i}" for i in range(4)]
    lines = []
    for leaf, below in (("S-10", hosts[:2]), ("S-11", hosts[2:])):
        lines.append(f'Switch 4 "{leaf}" # "leaf"')
        lines += [f'[{i}] "{h}"[1] # lid 1 {speeds[0]}' for i, h in enumerate(below)]
        lines += [f'[{i}] "S-20"[{i}] # lid 1 {speeds[i - 3]}' for i in (4, 5)]
    lines.append('Switch 4 "S-20" # "spine"')
    for i, leaf in enumerate(("S-10", "S-11")):
        lines += [
            f'[{i}] "{leaf}"[4] # lid 1 {speeds[1]}',
            f'[{i + 4}] "{leaf}"[5] # lid 1 {speeds[2]}',
        ]
    for i, host in enumerate(hosts):
        leaf = "S-10" if i < 2 else "S-11"
        lines += [f'Ca 1 "{host}" # "n{i} mlx5_0"', f'[1] "{leaf}"[{i}] # {speeds[0]}']
    return "\n".join(lines) + "\n"


def test_capacities_are_read_from_the_topology() -> None:
    """Widths times speeds add up over cables; one that is unknown hides all."""
    cluster = parse_cluster(ibnet(["4xHDR", "4xEDR", "2xNDR"]))
    (fabric,) = cluster.fabrics
    capacity, port = read_links(None, fabric, cluster.cables, None)
    assert port == 200
    assert set(capacity.values()) == {150}
    assert not parse_cluster(ibnet(["4xHDR", "4xEDR", "4xZZZ"])).cables
    slurm = TREE.replace("SwitchName=a", "SwitchName=a LinkSpeed=400")
    for i in range(3):
        slurm = slurm.replace(f"SwitchName=s{i}", f"SwitchName=s{i} LinkSpeed=200")
    cluster = parse_cluster(slurm)
    fabric = hierarchy(cluster)
    capacity, _ = read_links(None, fabric, cluster.cables, Decimal(100))
    assert by_name(fabric, capacity) == {"s0": 200, "s1": 200, "a": 400, "s2": 200}
    assert not parse_cluster(slurm.replace("400", "fast")).cables


def test_running_jobs_send_by_their_patterns(select: Select) -> None:
    fabric = tree_of(TREE)
    four = ["n01", "n02", "n11", "n21"]
    for nodes, pattern, share, expected in (
        (NODES, "all-to-all", 100, (150, 100, 150, 150)),  # 2, 1 and 2 of 5
        (four, "ring", 100, (100, 100, 100, 100)),
        (four, "ring", 30, (30, 30, 30, 30)),
        (four, "halo2d:4x1", 100, (50, 100, 50, 50)),
    ):
        job = {"name": "7", "nodes": nodes, "pattern": pattern, "share": share}
        found, unknown = loads_of_jobs(fabric, "", [job, {"name": "8"}], "f")
        assert unknown == 1
        assert by_name(fabric, found) == by_name(fabric, found, -1)
        names = ("s0", "s1", "a", "s2")
        assert by_name(fabric, found) == dict(zip(names, expected, strict=True))
    jobs = running(
        {"name": "1", "nodes": "n0[1-2],n11", "pattern": "ring"},
        {"name": "2", "nodes": "n12"},
    )
    answer = select(f"{BY_LINKS} -k 6 --background JOBS", JOBS=jobs)
    assert answer["note"] == "1 running job without a pattern: silent"
    assert answer["value"] == answer["value_bound"]


@pytest.mark.parametrize(
    ("job", "problem"),
    [
        ({"pattern": "ring"}, "jobs[0].nodes: is needed with a pattern"),
        ({"nodes": "x9"}, "jobs[0].nodes: is not in the topology"),
        ({"nodes": "n01,n01", "pattern": "ring"}, "jobs[0].nodes: is there twice"),
        ({"nodes": "n01", "pattern": "star"}, "jobs[0].pattern: must be one of ring"),
        (
            {"nodes": "n0[1-3]", "pattern": "halo2d:2x2"},
            "jobs[0].pattern: has 4 ranks, the job has 3 nodes",
        ),
        ({"nodes": "n01", "pattern": "ring", "share": 0}, "jobs[0].share: must lie"),
        ({"nodes": "n01", "pattern": 3}, "jobs[0].pattern: must be a string"),
    ],
)
def test_bad_jobs_are_one_line(ask: Ask, job: dict[str, Any], problem: str) -> None:
    words = f"select --topology {BY_LINKS} -k 6 --background JOBS"
    status, _, err = ask(words, JOBS=running({"name": "1", **job}))
    assert status == 2
    assert err.startswith(f"closeknit: JOBS: {problem}")
    assert err.count("\n") == 1
