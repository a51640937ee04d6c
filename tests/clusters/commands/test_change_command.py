"""The command change: preempt, repair, drain, and files of running jobs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..asking import Ask

TREE = """SwitchName=r1 Nodes=a[1-4]
SwitchName=r2 Nodes=b[1-4]
SwitchName=r3 Nodes=c[1-4]
SwitchName=top Switches=r[1-3]
"""
JOBS: list[dict[str, Any]] = [
    {"name": "17", "nodes": "a[1-3]", "priority": 2, "lost": 30},
    {"name": "18", "nodes": "b[1-2]", "priority": 1},
    {"name": "19", "nodes": "b3", "priority": 1, "end": 50},
    {"name": "20", "nodes": "c[1-2]", "priority": 3},
]


Change = Callable[..., tuple[int, dict[str, Any], str]]


@pytest.fixture
def change(ask: Ask) -> Change:
    """Ask what to change where these jobs run; return the document of the answer."""

    def changed(
        words: str, jobs: Any = JOBS, **files: str
    ) -> tuple[int, dict[str, Any], str]:
        action, _, more = words.partition(" ")
        document = {"format": "closeknit/running-jobs", "version": 1, "jobs": jobs}
        files |= {"TREE": TREE, "JOBS": json.dumps(document)}
        given = f"change {action} --topology TREE --running JOBS --json - {more}"
        status, out, err = ask(given, **files)
        return status, json.loads(out) if out else {}, err

    return changed


def values(shown: dict[str, Any]) -> list[int]:
    assert all(stage["proved"] for stage in shown["stages"])
    return [stage["value"] for stage in shown["stages"]]


def test_preempt_names_the_jobs(change: Change) -> None:
    status, shown, _ = change("preempt -k 4 --segment 4")
    assert status == 0
    assert shown["end"] == ["18", "19"]
    assert values(shown) == [1, 2, 3, 0]
    assert shown["nodes"] == ["b1", "b2", "b3", "b4"]
    status, shown, _ = change("preempt -k 4 --segment 4 --below 1")
    assert (status, shown["possible"]) == (3, False)


def test_repair_and_drain(change: Change) -> None:
    status, shown, _ = change("repair --placed a[1-3] --failed a2 --segment 3")
    assert (status, shown["nodes"]) == (0, ["a1", "a4", "a3"])
    [move] = shown["moves"]
    assert move == {"job": "17", "from": "", "to": "a4", "spare": False}
    status, shown, _ = change("drain --count 1")
    assert (status, values(shown)) == (0, [2, 3, 0])
    assert shown["freed"] in (["r2"], ["r3"])
    _, shown, _ = change("drain --count 1 --allow-spread")
    assert (shown["freed"], values(shown)) == (["r3"], [1, 2, 0])


def test_proofs_that_nothing_less_will_do(
    ask: Ask, change: Change, tmp_path: Path
) -> None:
    name = str(tmp_path / "p")
    few = f"preempt -k 4 --segment 4 --proof {name}"
    _, shown, _ = change(few)
    stages = {one["name"]: one for one in shown["stages"]}
    assert stages["highest priority"]["files"] == [
        f"{name}-highest-priority.recount.json"
    ]
    assert stages["jobs"]["proof"] == "checked: pseudo-Boolean proof"
    assert "files" not in stages["lost"]  # nothing is less than nothing
    for stage in ("highest priority", "jobs", "devices"):
        formula, *log = stages[stage]["files"]
        assert ask("check", formula, *(["--proof", *log] if log else []))[0] == 0
    formula, log = stages["devices"]["files"]
    text = Path(formula).read_text("ascii").replace(" >= 3 ", " >= 2 ", 1)
    assert text != Path(formula).read_text("ascii")
    Path(formula).write_text(text, "ascii")
    assert ask("check", formula, "--proof", log)[0] == 1
    status, shown, _ = change(f"{few} --below 1")
    assert (status, shown["files"]) == (3, [f"{name}-impossible.recount.json"])


def test_what_is_impossible_whatever_changes_has_a_reason(change: Change) -> None:
    """Each constraint with where it stands; none where other jobs are in the way."""
    status, shown, _ = change("preempt -k 9 --segment 3 --exclude b1,c[1-2]")
    assert (status, shown["possible"]) == (3, False)
    assert [one["place"] for one in shown["clash"]["members"]] == [
        *("-k", "--segment", "--exclude")
    ]
    assert shown["clash"]["smallest"]
    broken = "repair --placed a[1-3],b[1-2] --failed a[1-2] --segment 5"
    status, shown, _ = change(broken)
    assert (status, shown) == (2, {})  # it was not placed as it asks for
    frozen = [job | {"movable": False} for job in JOBS[1:]]
    lost = "repair --placed a[1-3] --failed a[1-2] --segment 3"
    status, shown, _ = change(lost, [JOBS[0], *frozen])
    assert status == 3
    assert {one["place"] for one in shown["clash"]["members"]} == {
        *("--placed", "--segment")
    }
    status, shown, _ = change("drain --count 3")
    assert (status, "clash" in shown) == (3, False)


def test_preempt_takes_a_job_of_parts(change: Change) -> None:
    job: dict[str, Any] = {
        "format": "closeknit/job",
        "version": 1,
        "roles": [{"name": "head", "count": 1}, {"name": "worker", "count": 3}],
        "constraints": [{"within": "switch", "roles": ["head", "worker"]}],
    }

    def preempt(more: str = "") -> tuple[int, dict[str, Any], str]:
        return change(f"preempt --job JOB {more}", JOB=json.dumps(job))

    status, shown, _ = preempt()
    assert (status, shown["end"]) == (0, ["18", "19"])
    assert sorted(shown["roles"]["head"] + shown["roles"]["worker"]) == [
        *("b1", "b2", "b3", "b4")
    ]
    status, shown, _ = preempt("--exclude b4")
    assert (status, shown["end"]) == (0, ["17"])
    assert preempt("-k 3")[2] == "closeknit: -k: is not for --job\n"
    job["roles"][0]["devices"] = 1
    said = "closeknit: JOB: roles: must ask for whole nodes\n"
    assert preempt()[::2] == (2, said)
    job["roles"] = [{"name": "head", "count": 13}]
    job["constraints"] = [{"within": "galaxy", "roles": ["head"]}]
    status, _, err = preempt()
    assert status == 2
    assert err.startswith("closeknit: JOB: constraints[0]")


@pytest.mark.parametrize(
    ("words", "jobs", "message"),
    [
        ("drain", [{"name": "1", "nodes": "z1"}], "jobs[0].nodes: is not in the top"),
        ("drain", [JOBS[0], JOBS[0]], "jobs[1].name: is there twice"),
        ("drain", [{"name": "1"}], "jobs[0].name: holds no node of the topology"),
        ("drain", [JOBS[0] | {"priority": -1}], "jobs[0].priority: must lie between 0"),
        ("drain", [JOBS[0] | {"movable": 1}], "jobs[0].movable: must be true or false"),
        ("drain", [{"name": "1"}] * 100_001, "jobs: must be at most 100000 jobs"),
        ("drain --count 4", JOBS, "--count: must be from 1 to 3"),
        ("drain --level rack", JOBS, "--level: no such level"),
        ("repair --placed a[1-3] --failed a4", JOBS, "--failed: is no node of the job"),
        ("repair --placed a[1-2] --failed a1", JOBS, "--placed: holds other nodes"),
        ("preempt -k 13 --segment 0", JOBS, "must be from 1 to"),
        ("preempt -k 4 --slice 2x2x2", JOBS, "--slice"),
    ],
)
def test_bad_input_is_one_line(
    change: Change, words: str, jobs: Any, message: str
) -> None:
    status, _, err = change(words, jobs)
    assert status == 2
    assert message in err.replace("'", "")
    assert err.count("\n") == 1
