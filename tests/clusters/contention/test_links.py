"""Files of links and counters: what is read of them, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run as run_command
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
    (fabric,) = parse_cluster(text).fabrics
    assert isinstance(fabric, Hierarchy)
    return fabric


def by_name(fabric: Hierarchy, values: Wires, way: int = 1) -> dict[str, int]:
    """Return numbers of the links up, or down, by the names of the domains below."""
    ups = [(v, int(up)) for v, up in enumerate(fabric.parent)][1:]
    ends = [(v, up) if way > 0 else (up, v) for v, up in ups]
    names = (fabric.domains[v] for v, _ in ups)
    return {name: values[link] for name, link in zip(names, ends, strict=True)}


def test_cables_add_up_and_the_slowest_port_is_the_rate(tmp_path: Path) -> None:
    (file := tmp_path / "links.csv").write_text(LINKS + PORTS)
    fabric = tree_of(TREE)
    links, port = read_links(str(file), fabric, (), None)
    assert port == 100
    expected = {"s0": 200, "s1": 200, "a": 400, "s2": 150}
    assert by_name(fabric, links) == expected
    links, port = read_links(str(file), fabric, (), Decimal(200))
    expected = {"s0": 100, "s1": 100, "a": 200, "s2": 75}
    assert by_name(fabric, links) == expected
    (counters := tmp_path / "counters.csv").write_text(COUNTERS)
    links, port = read_links(str(file), fabric, (), None)
    busy = read_counters(str(counters), counters.read_text(), fabric, links, port)
    assert by_name(fabric, busy) == {"s0": 150, "s1": 0, "a": 4, "s2": 5}
    assert by_name(fabric, busy, -1) == {"s0": 20, "s1": 0, "a": 6, "s2": 6}


def test_what_is_above_needs_no_name(tmp_path: Path) -> None:
    blocks = "BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=m[1-4]\nBlockSizes=4,8"
    fabric = tree_of(blocks)
    (file := tmp_path / "links.csv").write_text("a,b,capacity\nb1,,200\nb2,,400\n")
    links, port = read_links(str(file), fabric, (), Decimal(100))
    assert by_name(fabric, links) == {"b1": 200, "b2": 400}
    text = "a,b,gbit_ab,gbit_ba\nb1,,10,20\nb2,,30,40\n"
    busy = read_counters("f", text, fabric, links, port)
    assert [by_name(fabric, busy, way) for way in (1, -1)] == [
        {"b1": 10, "b2": 30},
        {"b1": 20, "b2": 40},
    ]


def test_cables_to_several_spines_are_one_link(tmp_path: Path) -> None:
    fabric = tree_of(FAT_TREE)
    rows = [f"S-leaf{i},S-spine{j},{100 * (i + 1)}" for i in range(3) for j in range(2)]
    (file := tmp_path / "links.csv").write_text("\n".join(["a,b,capacity", *rows]))
    links, _ = read_links(str(file), fabric, (), Decimal(100))
    assert by_name(fabric, links) == {f"S-leaf{i}": 200 * (i + 1) for i in range(3)}


def test_switches_that_are_no_domain_are_known(tmp_path: Path) -> None:
    """Spines, and a leaf without nodes; what is neither is not taken for a spine."""
    plain = "".join(line.rpartition(",")[0] + "\n" for line in FAT_TREE.splitlines())
    fabric = tree_of(plain + "S-leaf9,S-spine0\n")
    rows = [f"S-leaf{i},S-spine{j},100" for i in range(3) for j in range(2)]
    rows = ["a,b,capacity", *rows, "S-leaf9,S-spine0,100", "h00,S-leaf0,100"]
    (file := tmp_path / "links.csv").write_text("\n".join(rows))
    links, port = read_links(str(file), fabric, (), None)
    assert by_name(fabric, links) == {f"S-leaf{i}": 200 for i in range(3)}
    counters = "a,b,gbit_ab,gbit_ba\n" + "\n".join(f"{x},0" for x in rows[1:-1])
    busy = read_counters("f", counters, fabric, links, port)
    assert set(by_name(fabric, busy).values()) == {200}
    for strange in ("S-spine7", "h99"):
        file.write_text("\n".join([*rows, f"S-leaf0,{strange},100"]))
        with pytest.raises(InputError, match="link: is not in the topology: "):
            read_links(str(file), fabric, (), None)
    bare = tree_of("a,b\nS-l0,S-t\nS-l1,S-t\nS-l2,S-t\nS-l0,x\nS-l0,y\nS-l1,z\n")
    file.write_text("a,b,capacity\nS-l0,S-t,1\nS-t,S-l1,2\nS-t,S-l2,4\n")
    links, _ = read_links(str(file), bare, (), Decimal(1))
    assert by_name(bare, links) == {"S-l0": 100, "S-l1": 200}


REFUSED = {
    "no header": ("s0,a,200\n", "the first line: must be a,b,capacity, not 's0,a,200'"),
    "empty": ("", "the first line: must be a,b,capacity"),
    "another unit": ("a,b,capacity_mbit\n", "the first line: must be a,b,capacity"),
    "three names": (LINKS + "s0,a,t,1\n", ":8: line: must have 3 cells"),
    "no number": (LINKS + "s0,a,fast\n", ":8: capacity: must be Gbit/s"),
    "negative": (LINKS + "s0,a,-1\n", ":8: capacity: must be Gbit/s"),
    "endless": (LINKS + "s0,a,inf\n", ":8: capacity: must be Gbit/s"),
    "nothing": (LINKS + "s0,a,0\n", ":8: capacity: must be positive"),
    "unknown": (LINKS + "s0,x,1\n", ":8: link: is not in the topology: 'x'"),
    "no link": (LINKS + "s0,t,1\n", ":8: link: is no link of the topology: 's0,t'"),
    "above the root": (LINKS + "t,,1\n", ":8: link: is not in the topology: ''"),
    "nothing at all": (LINKS + ",s0,1\n", ":8: link: is not in the topology: ''"),
    "a node without": (LINKS + "n01,,1\n", ":8: link: is not in the topology: ''"),
    "to itself": (LINKS + "s0,s0,1\n", ":8: link: is no link of the topology"),
    "another switch": (LINKS + "n01,s1,1\n", ":8: link: is no link of the topology"),
    "no rate": (LINKS + "n01,s0,1e-999999\n", "is too much for a port's rate of 1E-9"),
    "missing": (LINKS.replace("t,s2", "a,t"), "the link up from s2: has no line"),
    "other digits": (LINKS + "s0,a,1_0\n", ":8: capacity: must be Gbit/s"),
    "tiny": (LINKS.replace("t,s2,150", "t,s2,0.1"), "is less than a hundredth of"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_links_are_one_line(case: str, tmp_path: Path) -> None:
    text, problem = REFUSED[case]
    (file := tmp_path / "links.csv").write_text(text)
    rate = None if case == "no rate" else Decimal(100)
    with pytest.raises(InputError) as refused:
        read_links(str(file), tree_of(TREE), (), rate)
    assert problem in str(refused.value)
    assert str(refused.value).startswith(str(file))


BAD_COUNTERS = {
    "above": (
        "a,s1,0,201",
        ":3: the link up from s1: is above the capacity",
    ),
    "missing": ("a,t,0,0", "the link up from s1: has no line"),
    "negative": ("a,s1,0,-1", ":3: gbit_ba: must be Gbit/s"),
    "capacities": ("a,s1,0", ":3: line: must have 4 cells"),
}


@pytest.mark.parametrize("case", BAD_COUNTERS)
def test_bad_counters_are_one_line(case: str, tmp_path: Path) -> None:
    line, problem = BAD_COUNTERS[case]
    fabric = tree_of(TREE)
    (file := tmp_path / "links.csv").write_text(LINKS)
    links, port = read_links(str(file), fabric, (), Decimal(100))
    text = COUNTERS.replace("a,s1,0,0", line)
    (counters := tmp_path / "counters.csv").write_text(text)
    with pytest.raises(InputError) as refused:
        read_counters(str(counters), counters.read_text(), fabric, links, port)
    assert problem in str(refused.value)


def run(tmp_path: Path, text: str) -> int:
    """Run a command on the files of this module."""
    for name, content in (
        ("TREE", TREE),
        ("LINKS", LINKS + PORTS),
        ("COUNT", COUNTERS),
    ):
        (tmp_path / name).write_text(content)
        text = text.replace(name, str(tmp_path / name))
    return run_command(text.split())


def test_a_choice_by_links(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin = "select --topology TREE -k 6 --objective "
    assert run(tmp_path, f"{begin}links --links LINKS --background COUNT") == 0
    shown = capsys.readouterr().out
    assert "note" not in shown
    assert "status      optimal (enumerated: link-dp)" in shown
    assert run(tmp_path, f"{begin}contention --links LINKS --format json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cost"] == found["bound"]
    assert found["note"].startswith("what others send is not known")
    assert found["port_rate_gbit"] == "100"
    stream = f"{begin}contention --links LINKS --purpose stream --port-rate 200"
    assert run(tmp_path, f"{stream} --format json") == 0
    assert json.loads(capsys.readouterr().out)["port_rate_gbit"] == "200"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--objective links", "--objective: needs --links"),
        ("--links LINKS", "--links: is for --objective links and contention"),
        (
            "--objective links --background COUNT",
            "--objective: needs --links",
        ),
        (
            "--objective links --links LINKS --purpose job",
            "--purpose: is for --objective contention",
        ),
        (
            "--objective links --links LINKS --segment 2",
            "--objective: cannot be given with groups, slices or required nodes",
        ),
        (
            "--objective links --links LINKS --method slurm",
            "--method: is not for this objective: 'slurm'",
        ),
        ("--objective links --links LINKS --port-rate 0", "must be Gbit/s"),
        (
            "--objective links --links LINKS --port-rate 1e-300",
            "LINKS: the link up from s2: is too much for a port's rate of 1E-300",
        ),
        (
            "--objective links --links LINKS --port-rate 1e-7",
            "--links: capacities of 1.5e+09, 2e+09, 4e+09 ports have no small common",
        ),
        ("--objective links --links LINKS --traffic COUNT", "COUNT: line 1: must"),
    ],
)
def test_options_that_do_not_go_together(
    options: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = run(tmp_path, f"select --topology TREE -k 6 {options}")
    except SystemExit as ended:
        status = int(ended.code or 0)
    assert status == 2
    assert problem in capsys.readouterr().err.replace(f"{tmp_path}/", "")


def test_bytes_of_any_size_are_what_a_job_sends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only their proportions count."""
    for size in (1, 2**24, 2**45):
        ring = [[size * ((i - j) % 6 in (1, 5)) for j in range(6)] for i in range(6)]
        (file := tmp_path / "bytes.csv").write_text(
            "".join(",".join(map(str, row)) + "\n" for row in ring)
        )
        options = f"--objective links --links LINKS --traffic {file} --format json"
        assert run(tmp_path, f"select --topology TREE -k 6 {options}") == 0
        assert json.loads(capsys.readouterr().out)["value"] == "1/2"


def test_no_port_and_no_rate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bare").write_text(LINKS)
    options = f"--objective links --links {tmp_path}/bare"
    assert run(tmp_path, f"select --topology TREE -k 6 {options}") == 2
    assert "--port-rate: is needed" in capsys.readouterr().err


MESH = "# mesh 3x2\nnode,x,y\n" + "".join(
    f"{name},{i // 2},{i % 2}\n" for i, name in enumerate("abcdef")
)


def on_a_mesh(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> dict[str, Any]:
    """Choose two nodes of a small mesh by links."""
    (tmp_path / "mesh").write_text(MESH)
    words = ["select", "--topology", str(tmp_path / "mesh"), "-k", "2", *options]
    assert run_command([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_searches_on_networks_end_by_an_alarm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where they do not look at the clock; here while loads are tabulated."""

    def late(*_: object) -> None:
        assert interrupt._alarms
        raise interrupt.OutOfTimeError

    monkeypatch.setattr(instance, "LoadTable", late)
    found = on_a_mesh(tmp_path, capsys, "--objective", "links")
    assert (found["status"], found["limit"]) == ("feasible", "time")


def test_other_networks_have_links_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a file all links are ports; what others send is avoided."""
    found = on_a_mesh(tmp_path, capsys, "--objective", "links")
    assert (found["chosen"], found["value"], found["status"]) == (
        ["a", "d"],  # half each way round
        "1/2",
        "optimal",
    )
    pairs = ("a,b", "c,d", "e,f", "a,c", "c,e", "b,d", "d,f")
    (counters := tmp_path / "c.csv").write_text(
        "a,b,gbit_ab,gbit_ba\n"
        + "".join(f"{pair},{50 * (pair != 'd,f')},0\n" for pair in pairs)
    )
    plain = ("--routing", "dimension-order")
    busy = ("--background", str(counters), "--port-rate", "100", *plain)
    for objective in ("links", "contention"):
        found = on_a_mesh(tmp_path, capsys, "--objective", objective, *busy)
        assert found["chosen"] == ["d", "f"]
        assert "note" not in found
    (file := tmp_path / "l.csv").write_text(
        "a,b,capacity\n" + "".join(f"{pair},{100}\n" for pair in pairs) + "a,c,300\n"
    )
    wide = ("--links", str(file), "--port-rate", "100", *plain)
    found = on_a_mesh(tmp_path, capsys, "--objective", "links", *wide)
    assert (found["chosen"], found["value"]) == (["a", "c"], "1/4")
    file.write_text("a,b,capacity\na,d,5\n")
    for text, problem in (
        ("a,d,5", ":2: link: is no link of the topology: 'a,d'"),
        ("a,x,5", ":2: link: is not in the topology: 'x'"),
        ("a,b,5", "the link a,c: has no line"),
    ):
        file.write_text(f"a,b,capacity\n{text}\n")
        words = ["select", "--topology", str(tmp_path / "mesh"), "-k", "2", *wide]
        assert run_command([*words, "--objective", "links"]) == 2
        assert problem in capsys.readouterr().err


def test_running_jobs_send_over_other_networks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The two that talk load the link between them."""
    job = {"name": "1", "nodes": "a,b", "pattern": "ring", "share": 40}
    document = {"format": "closeknit/running-jobs", "version": 1, "jobs": [job]}
    (file := tmp_path / "running").write_text(json.dumps(document))
    options = ("--objective", "links", "--background", str(file), "--free", "a,b")
    assert on_a_mesh(tmp_path, capsys, *options)["value"] == "7/5"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--routing minimal", "routing: must be one of adaptive, dimension-order"),
        ("--traffic star", "--traffic: must be one of ring, halo2d"),
        ("--traffic halo2d:3x3", "--traffic: has 9 ranks, the job has 2 nodes"),
        ("--segment 2", "--objective: cannot be given with groups"),
        ("--background COUNT", "--port-rate: is needed with counters"),
    ],
)
def test_what_other_networks_refuse(
    options: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mesh").write_text(MESH)
    text = f"select --topology {tmp_path}/mesh -k 2 --objective links {options}"
    assert run(tmp_path, text) == 2
    assert problem in capsys.readouterr().err


def test_tasks_that_are_not_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a tree, too, by a pattern or a file of bytes; hops are those of the tree."""
    begin = "select --topology TREE -k 4 --objective links --links LINKS --format json"
    assert run(tmp_path, f"{begin} --traffic ring") == 0
    ring = json.loads(capsys.readouterr().out)
    assert ring["status"] == "optimal"
    (tmp_path / "bytes.csv").write_text("0,5,0,0\n0,0,5,0\n0,0,0,5\n5,0,0,0\n")
    assert run(tmp_path, f"{begin} --traffic {tmp_path}/bytes.csv") == 0
    assert json.loads(capsys.readouterr().out)["cost"]["hops"] == ring["cost"]["hops"]
    assert run(tmp_path, begin.replace("-k 4", "-k 3") + " --routing minimal") == 2
    assert "--routing: is not for trees" in capsys.readouterr().err
    text = begin.replace("-k 4", "-k 3")
    assert run(tmp_path, f"{text} --traffic {tmp_path}/bytes.csv") == 2
    assert "must have 3 ranks" in capsys.readouterr().err


def test_decisions_are_graded_by_links(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a decision of the past used links to, over the least of all choices."""
    lines = [
        {"job": {"k": 4}, "busy": "", "chosen": "n0[1-4]"},
        {"job": {"k": 4}, "busy": "", "chosen": "n0[1-3],n21"},
        {"job": {"k": 2, "objective": "hops"}, "busy": "", "chosen": "n01,n21"},
    ]
    (file := tmp_path / "decisions").write_text("\n".join(map(json.dumps, lines)))
    begin = f"grade {file} --topology TREE --links LINKS --background COUNT --objective"
    for objective in ("links", "contention"):
        assert run(tmp_path, f"{begin} {objective} --json") == 0
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [row["ratio"] for row in rows[:3]] == ["1", "∞", "5/2"]
        assert run(tmp_path, f"{begin} {objective}") == 0
        assert {"links": "load 1.25", "contention": "contention "}[
            objective
        ] in capsys.readouterr().out
    (tmp_path / "mesh").write_text(MESH)
    file.write_text('{"job": {"k": 2}, "busy": "", "chosen": "a,f"}')
    text = f"grade {file} --topology {tmp_path}/mesh --objective links --json"
    assert run(tmp_path, text) == 0
    row = json.loads(capsys.readouterr().out.splitlines()[0])
    assert row["cost"]["hops"] == 3
    assert run(tmp_path, f"grade {file} --topology {tmp_path}/mesh --purpose job") == 2
    assert "--purpose: is for --objective links" in capsys.readouterr().err


def test_why_tells_the_busiest_link(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin = "why --topology TREE --assume-up --objective links --links LINKS"
    assert run(tmp_path, f"{begin} --background COUNT -k 11") == 0
    shown = capsys.readouterr().out
    assert "answer      it fits" in shown
    assert "busiest     the link " in shown
    assert "the job cannot send at its rate" in shown
    assert run(tmp_path, f"{begin} -k 4 --json -") == 0
    found = json.loads(capsys.readouterr().out)["links"]
    assert found["value"] == "0"
    assert "busiest" not in found
    assert run(tmp_path, f"{begin} -k 13") == 3
    assert "busiest" not in capsys.readouterr().out
    (tmp_path / "mesh").write_text(MESH)
    text = f"why --topology {tmp_path}/mesh --assume-up -k 3 --objective links"
    assert run(tmp_path, text) == 0
    assert "busiest     the link " in capsys.readouterr().out


def test_a_proof_that_no_choice_loads_less(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The refuted decision in a file, which the checker follows; a forged one fails."""
    begin = "select --topology TREE --objective links --links LINKS --background COUNT"
    name = tmp_path / "proof"
    assert run(tmp_path, f"{begin} -k 6 --proof {name}") == 0
    assert f"load proof  {name}.opb, {name}.pbp.xz" in capsys.readouterr().out
    check = ["check", f"{name}.opb", "--proof", f"{name}.pbp.xz"]
    assert run_command(check) == 0
    assert "derived: UNSAT" in capsys.readouterr().out
    text = (opb := tmp_path / "proof.opb").read_text()
    lines = text.splitlines()
    rows = [i for i, line in enumerate(lines) if line.endswith(";")]
    refused = 0
    for i in rows:  # without one of the rows that it rests on
        opb.write_text("\n".join([*lines[:i], "* gone", *lines[i + 1 :]]) + "\n")
        refused += run_command(check) != 0
    capsys.readouterr()
    assert refused
    assert run(tmp_path, f"{begin} -k 4 --proof {name}") == 0
    assert "load proof  checked: costs that are not negative" in capsys.readouterr().out
    assert run(tmp_path, f"{begin} -k 13 --proof {name}") == 3
    assert "no choice of free nodes is possible" in capsys.readouterr().out
    (tmp_path / "mesh").write_text(MESH)
    text = f"select --topology {tmp_path}/mesh --objective links -k 3 --proof {name}"
    late = f"{text} --routing dimension-order --time-limit 1e-9"
    assert run(tmp_path, late) == 0  # nothing is sure of the choice
    assert "busiest link less is possible" in capsys.readouterr().out
    for options, problem in (
        ("-k 6 --objective contention", "--proof: is for --job, or --objective links"),
        ("-k 6 --traffic ring", "--proof: is for the busiest link, tasks alike"),
    ):
        assert run(tmp_path, f"{begin} {options} --proof {name}") == 2
        assert problem in capsys.readouterr().err
    assert run(tmp_path, f"select --topology TREE -k 6 --proof {name}") == 2
    assert "--proof: is for --job, or" in capsys.readouterr().err


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
    (fabric,) = cluster.fabrics
    assert isinstance(fabric, Hierarchy)
    capacity, _ = read_links(None, fabric, cluster.cables, Decimal(100))
    assert by_name(fabric, capacity) == {"s0": 200, "s1": 200, "a": 400, "s2": 200}
    assert not parse_cluster(slurm.replace("400", "fast")).cables


def run_with_jobs(
    tmp_path: Path, jobs: list[dict[str, Any]], *more: str
) -> tuple[int, str]:
    """Return the exit status of a choice next to running jobs, and their file."""
    document = {"format": "closeknit/running-jobs", "version": 1, "jobs": jobs}
    (file := tmp_path / "running").write_text(json.dumps(document))
    options = "--objective links --links LINKS --format json"
    text = f"select --topology TREE -k 6 {options} --background {file} {' '.join(more)}"
    return run(tmp_path, text), str(file)


def test_running_jobs_send_by_their_patterns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fabric = tree_of(TREE)
    for pattern, share, expected in (
        ("all-to-all", 100, {"s0": 100, "s1": 75, "a": 100, "s2": 100}),
        ("ring", 100, {"s0": 100, "s1": 100, "a": 100, "s2": 100}),
        ("ring", 30, {"s0": 30, "s1": 30, "a": 30, "s2": 30}),
        ("halo2d:4x1", 100, {"s0": 50, "s1": 100, "a": 50, "s2": 50}),
    ):
        nodes = ["n01", "n02", "n11", "n21"] if pattern != "all-to-all" else NODES
        job = {"name": "7", "nodes": nodes, "pattern": pattern, "share": share}
        found, unknown = loads_of_jobs(fabric, "", [job, {"name": "8"}], "f")
        assert unknown == 1
        assert by_name(fabric, found) == by_name(fabric, found, -1)
        if pattern != "all-to-all":
            assert by_name(fabric, found) == expected
        else:  # 2, 1 and 2 of 5
            assert by_name(fabric, found) == {
                "s0": 150,
                "s1": 100,
                "a": 150,
                "s2": 150,
            }
    running = [
        {"name": "1", "nodes": "n0[1-2],n11", "pattern": "ring"},
        {"name": "2", "nodes": "n12"},
    ]
    assert run_with_jobs(tmp_path, running)[0] == 0
    found = json.loads(capsys.readouterr().out)
    assert found["note"] == "1 running job without a pattern: silent"
    assert found["value"] == found["value_bound"]


@pytest.mark.parametrize(
    ("job", "problem"),
    [
        ({"pattern": "ring"}, "jobs[0].nodes: is needed with a pattern"),
        ({"nodes": "x9"}, "jobs[0].nodes: is not in the topology"),
        ({"nodes": "n01,n01", "pattern": "ring"}, "jobs[0].nodes: is there twice"),
        ({"nodes": "x9", "pattern": "ring"}, "jobs[0].nodes: is not in the topology"),
        ({"nodes": "n01", "pattern": "star"}, "jobs[0].pattern: must be one of ring"),
        (
            {"nodes": "n0[1-3]", "pattern": "halo2d:2x2"},
            "jobs[0].pattern: has 4 ranks, the job has 3 nodes",
        ),
        ({"nodes": "n01", "pattern": "ring", "share": 0}, "jobs[0].share: must lie"),
        ({"nodes": "n01", "pattern": 3}, "jobs[0].pattern: must be a string"),
    ],
)
def test_bad_jobs_are_one_line(
    job: dict[str, object],
    problem: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, file = run_with_jobs(tmp_path, [{"name": "1", **job}])
    [line] = capsys.readouterr().err.splitlines()
    assert status == 2
    assert line.startswith(f"closeknit: {file}: {problem}")
