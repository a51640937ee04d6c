"""Reports that say different things of what nodes are, or leave things out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ...asking import Ask
from ..unlike_machines import NAMES, notes_of, scontrol, squeue

MOVE_7 = "--state NODES MORE JOBS --target 2 --stay 9 --json"
"""Job 7 on g1 has to go to g3 or g4, as r3 is free and job 9 is on r2."""
JOBS = squeue("7 g1", "9 c3")
BUSY = "g1 c3"
BARE = json.dumps({"nodes": [{"name": x, "state": ["IDLE"]} for x in NAMES]})


def sinfo(*entries: tuple[str, list[str], dict[str, Any]]) -> str:
    """Return a report of sinfo: hostlists, states, and what else is said."""
    return json.dumps(
        {
            "sinfo": [
                {"node": {"state": state}, "nodes": {"nodes": [nodes]}, **more}
                for nodes, state, more in entries
            ]
        }
    )


def moved(ask: Ask, words: str = MOVE_7, **files: str) -> tuple[int, list[str]]:
    """Return the exit status of defrag, and its notes."""
    status, out, _ = ask("defrag", words, **{"JOBS": JOBS, "MORE": BARE, **files})
    return status, notes_of(out)


@pytest.mark.parametrize(
    "change",
    [
        {"gres": "gpu:a100:2"},
        {"active_features": ["ib"]},
        {"architecture": "aarch64"},
        {"cpus": 32},
    ],
)
def test_reports_that_contradict_each_other(ask: Ask, change: dict[str, Any]) -> None:
    same = scontrol(busy=BUSY)
    assert moved(ask, NODES=same, MORE=same) == (0, [])
    other = scontrol({"g3": change, "g4": change}, busy=BUSY)
    says = "reports contradict each other on what 2 of the nodes are: each is like no"
    for first, second in ((same, other), (other, same)):
        status, notes = moved(ask, NODES=first, MORE=second)
        assert (status, [note[: len(says)] for note in notes]) == (3, [says])


def test_a_feature_that_one_report_denies_is_none(ask: Ask) -> None:
    other = scontrol({f"g{i}": {"active_features": ["ib"]} for i in (1, 2)})
    for words in ("--state NODES MORE", "--state MORE NODES"):
        words += " -k 2 --constraint a100 --format hostlist"
        assert ask("select", words, MORE=other)[:2] == (0, "g[3-4]\n")
    # an inactive feature is not there, and none at all is another thing than no word
    change = {"active_features": [], "features": ["ib", "a100"]}
    inactive = scontrol({"g1": change, "g2": change})
    words = "--state NODES -k 3 --constraint a100"
    assert ask("select", words, NODES=inactive)[0] == 3


@pytest.mark.parametrize(
    ("whole", "none", "used"),
    [
        # Slurm 21.08 writes those in use of no type so
        ("gpu:4", "gpu:(null):0(IDX:N/A)", "gpu:(null):2(IDX:0-1)"),
        ("gpu:4", "", "gpu:a100:1(IDX:0)"),
        ("gpu:a100:4", "", "gpu:1"),
        ("gpu:a100:2,gpu:h100:2", "", "gpu:1"),
        ("gpu:a100:4", "", "fpga:1"),
    ],
)
def test_devices_in_use_of_another_name(
    ask: Ask, whole: str, none: str, used: str
) -> None:
    free = {"gres": whole, "gres_used": none}
    for says, status in ((none, 0), (used, 3)):
        partly = free | {"gres_used": says}
        nodes = scontrol({"g1": free, "g2": free, "g3": partly, "g4": partly}, BUSY)
        assert moved(ask, NODES=nodes)[0] == status


def test_one_entry_of_sinfo_for_unlike_nodes(ask: Ask) -> None:
    gpus = {"partition": {"name": "gpu"}, "gres": {"total": "gpu:4"}}
    rest = ("c[1-2,4-8]", ["IDLE"], {"partition": {"name": "cpu"}})
    held = ("c3", ["ALLOCATED"], {"partition": {"name": "cpu"}})
    for least, status in ((64, 0), (32, 3)):
        cores = gpus | {"cpus": {"minimum": least, "maximum": 64}}
        whole = gpus | {"cpus": {"minimum": 64, "maximum": 64}}
        one = ("g1", ["ALLOCATED"], whole)
        report = sinfo(one, ("g[2-4]", ["IDLE"], cores), rest, held)
        assert moved(ask, NODES=report)[0] == status


def test_a_node_in_two_partitions_and_one_in_none(ask: Ask) -> None:
    """What sinfo lists twice counts once; a node outside of all is in no partition."""
    entries = [
        (nodes, ["IDLE"], {"partition": {"name": name}})
        for nodes, name in (("g[1-4]", "gpu"), ("g[1-2],c[1-4]", "all"), ("c[5-8]", ""))
    ]
    words = "--json - --state NODES --partition"
    for partition, count in (("gpu", 4), ("all", 6), ("gpu,all", 8)):
        _, out, _ = ask("fragmentation", f"{words} {partition}", NODES=sinfo(*entries))
        assert json.loads(out)["free"] == count
    # job 7 leaves g1 only for nodes that are in both partitions, too
    for twins, status in (("g[2-4]", 0), ("g2", 3)):
        listed = [
            ("g1", ["ALLOCATED"], {"partition": {"name": "gpu"}}),
            ("g1", ["ALLOCATED"], {"partition": {"name": "all"}}),
            (twins, ["IDLE"], {"partition": {"name": "gpu"}}),
            ("g[2-4]", ["IDLE"], {"partition": {"name": "all"}}),
            ("c[1-8]", ["IDLE"], {"partition": {"name": ""}}),
        ]
        assert moved(ask, NODES=sinfo(*listed))[0] == status


@pytest.mark.parametrize("state", ["DOWN", "INACTIVE", "DRAIN", "OF_TOMORROW"])
def test_a_partition_where_no_job_can_start(ask: Ask, state: str) -> None:
    """Nodes that are in another one, too, are free to jobs of that one."""

    def within(name: str, state: str) -> dict[str, Any]:
        return {"partition": {"name": name, "partition": {"state": [state]}}}

    for says, counts in (("UP", (4, 6, 12)), (state, (0, 6, 10))):
        nodes = sinfo(
            ("g[1-4]", ["IDLE"], within("gpu", says)),
            ("g[1-2],c[1-4]", ["IDLE"], within("all", "UP")),
            ("c[5-8]", ["IDLE"], {"partition": {"name": ""}}),
        )
        for words, count in zip(
            ("--partition gpu", "--partition gpu,all", ""), counts, strict=True
        ):
            count += 2 * (says == "UP" and words == "--partition gpu,all")
            _, out, _ = ask(
                "fragmentation", f"--state NODES --json - {words}", NODES=nodes
            )
            assert json.loads(out)["free"] == count
    assert json.loads(out)["state"]["not_free"] == {"partition gpu not UP": 2}


def test_a_job_stays_in_its_reservation(ask: Ask) -> None:
    """Neither out of a reservation nor into one."""
    for held, there, status in (
        (["ALLOCATED"], {}, 0),
        (["ALLOCATED", "RESERVED"], {"reservation": "r"}, 3),
    ):
        change = {"g1": {"state": held, **there}}
        assert moved(ask, NODES=scontrol(change, BUSY))[0] == status
    reserved = {"state": ["IDLE", "RESERVED"], "reservation": "r"}
    inside = {x: dict(reserved) for x in NAMES if x not in BUSY.split()}
    words = f"{MOVE_7} --reservation r"
    assert moved(ask, words, NODES=scontrol(inside, BUSY))[0] == 3
    inside["g1"] = {"state": ["ALLOCATED", "RESERVED"], "reservation": "r"}
    assert moved(ask, words, NODES=scontrol(inside, BUSY))[0] == 0


def test_a_reservation_that_one_report_names(ask: Ask) -> None:
    """The report of sinfo has the flag, that of scontrol the name."""
    flag = {"state": ["IDLE", "RESERVED"]}
    nodes = scontrol({x: flag for x in NAMES})
    named = scontrol({x: flag | {"reservation": "r"} for x in ("g1", "g2")})
    for words in ("NODES MORE", "MORE NODES"):
        words = f"--state {words} -k 2 --reservation r --format hostlist"
        assert ask("select", words, NODES=nodes, MORE=named)[:2] == (0, "g[1-2]\n")
        assert ask("select", words.replace("2", "3"), NODES=nodes, MORE=named)[0] == 3
    other = scontrol({x: flag | {"reservation": "s"} for x in NAMES})
    files = {"NODES": named, "MORE": other, "LAST": named}
    for words in ("NODES MORE", "NODES MORE LAST", "LAST NODES MORE"):
        words = f"--state {words} -k 1 --reservation r"
        assert ask("select", words, **files)[0] == 3


def test_nodes_of_no_report_are_outside_a_reservation(ask: Ask) -> None:
    flag = {"name": "g1", "state": ["IDLE", "RESERVED"], "reservation": "r"}
    nodes = json.dumps({"nodes": [flag]})
    words = "--state NODES --assume-up --reservation r -k"
    assert ask("select", f"{words} 1", NODES=nodes)[0] == 0
    assert ask("select", f"{words} 2", NODES=nodes)[0] == 3


def test_busy_nodes_whose_job_no_report_names_hold_their_domain(ask: Ask) -> None:
    """The report of jobs may be that of one user: r3 is not free of jobs."""
    nodes = scontrol(busy=f"{BUSY} c5 c6")
    words = MOVE_7.replace("--target 2", "")
    _, out, _ = ask("defrag", words, NODES=nodes, MORE=BARE, JOBS=JOBS)
    found = json.loads(out)
    assert (found["free_domains"], found["jobs"], found["held"]) == (0, 2, 4)
    assert found["objective"] == "nodes"
    says = "busy with jobs that no report names, which stay: c[5-6]"
    assert notes_of(out) == [says]
    status, out, _ = ask(
        "defrag", f"{words} --busy c7 --fit 4", MORE=BARE, NODES=nodes, JOBS=JOBS
    )
    assert (status, notes_of(out)) == (0, [says.replace("c[5-6]", "c[5-7]")])


def test_a_report_that_is_newer_says_that_a_job_is_at_its_end(ask: Ask) -> None:
    """Job 7 runs by one report, its node is COMPLETING by the other."""
    for state, status in ((["ALLOCATED"], 0), (["ALLOCATED", "COMPLETING"], 3)):
        nodes = scontrol({"g1": {"state": state}}, BUSY)
        assert moved(ask, NODES=nodes)[0] == status
    [said] = moved(ask, NODES=nodes)[1]
    assert said.endswith("or are bound: 7 on a node that is COMPLETING")
    words = MOVE_7.replace("JOBS", "JOBS TWO")
    for ends in (["COMPLETING"], ["SUSPENDED"]):
        two = squeue(f"7 g1 {' '.join(ends)}", "9 c3 SUSPENDED")
        three = squeue("7 g1 SUSPENDED", "9 c3 COMPLETING")
        nodes = scontrol(busy=BUSY)
        _, out, _ = ask("defrag", words, NODES=nodes, JOBS=two, TWO=three, MORE=BARE)
        kept = {one["job"] for one in json.loads(out)["kept"]}
        assert kept == {"7", "9"}


def test_why_ends_no_job_on_a_drained_node(ask: Ask) -> None:
    jobs = squeue("7 g1", "8 g2")
    words = "-k 3 --state NODES JOBS --partition gpu"
    for change, ended in (({}, ["7"]), ({"state": ["ALLOCATED", "DRAIN"]}, ["8"])):
        nodes = scontrol({"g1": change} if change else {}, "g1 g2")
        _, out, _ = ask("why", f"{words} --exclude g2 --json", NODES=nodes, JOBS=jobs)
        found = json.loads(out)
        assert found["jobs"]["end"] == (ended if not change else None)
        _, out, _ = ask("why", f"{words} --json", NODES=nodes, JOBS=jobs)
        if change:
            assert json.loads(out)["jobs"]["end"] == ended
    words += " --require g1"
    _, out, _ = ask("why", words, NODES=nodes, JOBS=jobs)
    assert "  job 7, ALLOCATED+DRAIN: g1" in out.splitlines()


def test_what_of_the_grammar_is_not_read(ask: Ask) -> None:
    says = "has a comma, which sbatch refuses: & is its word for and"
    status, out, err = ask("select", "-k 1 --state NODES --constraint ib,a100")
    assert (status, out) == (2, "")
    assert says in err
