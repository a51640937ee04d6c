"""The same default objective on the same network, named in every answer."""

from __future__ import annotations

import json

import pytest

from ..asking import Ask
from ..clusters import grid
from .unlike_machines import SWF, squeue

CABLES = "a,b\nn1,s1\nn2,s2\nn3,s3\nn4,s4\ns1,s2\ns2,s3\ns3,s4\ns4,s1\n"
MESH = grid("mesh 2x2").replace("n00", "n1").replace("n11", "n4")
TREE = "SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\n"
TREE += "SwitchName=top Switches=s[1-2]\n"
LINE = json.dumps({"busy": "", "job": {"k": 2}, "chosen": "n1,n4"})
STRANGE = json.dumps({"busy": "", "job": {"k": 2}, "chosen": "n1,n9"})
NETWORKS = {"tree.conf": (TREE, "switches"), "cables.csv": (CABLES, "hops")}


@pytest.mark.parametrize("given", ["", " --objective hops"])
@pytest.mark.parametrize("name", [*NETWORKS, "mesh.csv"])
def test_one_default(ask: Ask, name: str, given: str) -> None:
    """What select minimises, grade and whatif measure by, too."""
    text, default = {**NETWORKS, "mesh.csv": (MESH, "hops")}[name]
    objective = given.split()[-1] if given else default
    words = f"--topology {name}{given} --json"
    files = {name: text, "LINES": f"{LINE}\n{STRANGE}\n", "SWF": SWF}
    _, out, _ = ask("select", f"{words} -k 2", **files)
    assert json.loads(out)["objective"] == objective
    _, out, _ = ask("grade", f"LINES {words}", **files)
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row.get("status") for row in rows] == ["graded", "not graded", None]
    assert {row["objective"] for row in rows} == {objective}
    if name in NETWORKS:
        words += " --trace SWF --first 1 --replays 1 --method slurm-tree"
        _, out, _ = ask("whatif", words, **files)
        found = json.loads(out)
        named = {row["objective"] for row in found["measures"]}
        assert named | {found["objective"]} == {objective}


@pytest.mark.parametrize("objective", ["nodes", "jobs"])
def test_answers_with_no_row_name_it(ask: Ask, objective: str) -> None:
    """All jobs end: there is no point of the front."""
    jobs = squeue("7 n1 COMPLETING")
    words = f"--topology TREE --state JOBS --assume-up --objective {objective} --json"
    _, out, _ = ask("defrag", words, TREE=TREE, JOBS=jobs)
    found = json.loads(out)
    assert (found["front"], found["objective"]) == ([], objective)
    words = "--topology TREE --state JOBS --assume-up -k 2 --json"
    _, out, _ = ask("why", words, TREE=TREE, JOBS=jobs)
    assert json.loads(out)["objective"] == "busy nodes"
