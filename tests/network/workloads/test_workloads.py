"""Workloads: their messages, what they wait for, files, and measured matrices."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from closeknit.instances import InputError, Torus
from closeknit.network.cut_through.engine import CutThrough
from closeknit.network.workloads.causal import (
    all_to_all,
    bipartite_io,
    mixed,
    sides_of,
    wave_front,
)
from closeknit.network.workloads.format import (
    Workload,
    read_workload,
    workload_of,
)
from closeknit.network.workloads.measured import (
    parse_traffic,
    read_traffic,
)
from closeknit.network.workloads.skeletons import bt, cg, lu, mg
from closeknit.network.workloads.table import WORKLOADS, workload

from ...data import needs
from ...paths import SHARED

COMM = SHARED / "data" / "comm"
MEASURED = COMM / "npb_proxy_mpip"


def levels(given: Workload) -> np.ndarray:
    """Return how many messages must arrive one after the other, up to each."""
    found = np.zeros(len(given), np.int64)
    size = (given.messages[:, 0] != given.messages[:, 1]).astype(np.int64)
    before: list[list[int]] = [[] for _ in range(len(given))]
    for one, other in given.waits.tolist():
        assert one < other
        before[other].append(one)
    for i, some in enumerate(before):
        found[i] = size[i] + max((found[j] for j in some), default=0)
    return found


def caused(given: Workload) -> bool:
    """Whether messages wait only for what their sender has received."""
    one, other = given.waits.T
    return bool((given.messages[one, 1] == given.messages[other, 0]).all())


@pytest.mark.parametrize(
    ("name", "count", "steps"),
    [
        ("BI", 63, 6),
        ("BU", 64 * 6, 6),
        ("2M", 2 * 2 * 7 * 8, 1),
        ("3M", 2 * 3 * 3 * 16, 1),
        ("2W", 2 * 7 * 8, 14),
        ("3W", 3 * 3 * 16, 9),
        ("WF", 286 * 112, 14),
        ("n-to-n", 64 * 63, 1),
        ("all-to-all", 64 * 63, 63),
        ("io", 64 * 8, 8),
        ("BT", 64 * 48, 1 + 3 * 14),
        ("SP", 64 * 48, 1 + 3 * 14),
        ("CG", 64 * 9 + 56, 3 + 1 + 6),
        ("LU", 2 * 62 * 112 + 224, 14 + 14 + 1),
        ("FT", 64 * 63 + 63, 1 + 6),
    ],
)
def test_messages_and_steps_of_64_tasks(name: str, count: int, steps: int) -> None:
    made = workload(name)
    kind = WORKLOADS[name]
    real = made.messages[:, 0] != made.messages[:, 1]
    assert real.sum() == count
    assert made.messages[:, 2].max() == kind.size
    assert int(levels(made).max()) == steps
    if name not in ("all-to-all", "io"):
        assert caused(made)


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_workload_ends_on_a_torus(name: str) -> None:
    made = WORKLOADS[name].make(16, 200)
    engine = CutThrough(Torus(5, 4))
    engine.add(made.on(range(made.tasks)))
    assert engine.run() == [0]
    assert (engine.delivered >= 0).all()
    assert made.matrix().sum() == made.bytes == made.messages[:, 2].sum()


@pytest.mark.parametrize("name", WORKLOADS)
def test_one_task_has_nobody_to_talk_to(name: str) -> None:
    made = WORKLOADS[name].make(1, 200)
    assert len(made) == (name == "io")


def test_a_wave_passes_every_task_after_those_before_it() -> None:
    made = wave_front(12, 8, 2, waves=3)
    found = levels(made)
    row, column = np.divmod(made.messages[:, 0], 4)
    assert sides_of(12, 2) == (3, 4)
    assert (found == row + column + 1).all()


@pytest.mark.parametrize("outstanding", [1, 2, 5])
def test_one_by_one_means_so_many_at_once(outstanding: int) -> None:
    made = all_to_all(9, 64, outstanding)
    assert levels(made).max() == -(-8 // outstanding)
    assert len({(u, v) for u, v, _ in made.messages.tolist()}) == 72
    one, other = made.waits.T
    assert (made.messages[one, 0] == made.messages[other, 0]).all()


def test_io_reaches_every_node_of_the_side_from_a_drawn_one() -> None:
    made = bipartite_io(20, 64, io=6, seed=3)
    assert (made.tasks, made.io) == (26, 6)
    source, target, _ = made.messages.T
    assert {*zip(source.tolist(), target.tolist(), strict=True)} == {
        (u, 20 + v) for u in range(20) for v in range(6)
    }
    assert len(set(target[::6].tolist())) > 2
    assert (bipartite_io(20, 64, io=6, seed=3).messages == made.messages).all()
    assert (bipartite_io(20, 64, io=6, seed=4).messages != made.messages).any()


def test_mixtures_have_their_share_of_io() -> None:
    made = mixed(10, 64, 0.4, io=4, messages=4003, seed=1)
    source, target, _ = made.messages.T
    assert len(made) == 4003
    assert np.bincount(source).tolist() == [401] * 3 + [400] * 7
    assert abs((target >= 10).mean() - 0.4) < 4 * (0.24 / 4003) ** 0.5
    assert (source != target).all()
    whole = [mixed(10, 64, 0.4, io=4, per="job", seed=s).messages for s in range(300)]
    shares = [(rows[:, 1] >= 10).mean() for rows in whole]
    assert set(shares) == {0, 1}
    assert abs(np.mean(shares) - 0.4) < 4 * (0.24 / 300) ** 0.5
    assert len(mixed(1, 64, 0.0)) == 0


@pytest.mark.parametrize("name", ["BT", "CG", "IS", "LU", "MG", "SP", "FT", "BU"])
def test_a_task_never_forgets_what_it_waited_for(name: str) -> None:
    """Programs receive in order: a late message of an early step holds up all later.

    If not, a task that has got all of a step could go on before it has ended the one
    before, and send what others wait for behind what nobody needs yet.
    """
    made = workload(name, 16, 4096)
    before: list[list[int]] = [[] for _ in range(len(made))]
    for one, other in made.waits.tolist():
        before[other].append(one)
    known = [0] * len(made)  # messages that must arrive first, as bits
    got = [0] * 16  # messages to a task
    held = [0] * 16  # those of them that its last message waited for
    for i, (u, v, _) in enumerate(made.messages.tolist()):
        for one in before[i]:
            known[i] |= known[one] | 1 << one
        if u != v:
            assert held[u] & ~known[i] == 0
            held[u] = known[i] & got[u]
            got[v] |= 1 << i
    assert any(held)


@needs("data/comm/npb_proxy_mpip")
@pytest.mark.parametrize(
    ("name", "made", "runs", "least"),
    [
        # NPB runs one iteration more than it times: of 200, 75 x 26 and 250 in class C.
        ("bt", bt(64, 35840), 201, 1000),
        ("cg", cg(64, 14000), 76 * 26, 100_000),
        ("lu", lu(64, 40960, planes=160), 251, 1000),
    ],
)
def test_skeletons_have_the_partners_and_messages_that_were_measured(
    name: str, made: Workload, runs: int, least: int
) -> None:
    traffic = read_traffic(MEASURED / f"{name}.C.64.bytes_count.csv").at_least(least)
    measured = {
        (u, v): n
        for u, v, n in zip(
            traffic.source.tolist(),
            traffic.target.tolist(),
            traffic.count.tolist(),
            strict=True,
        )
    }
    counts: dict[tuple[int, int], int] = {}
    for u, v, _ in made.messages.tolist():
        if u != v:  # to itself go those that join what a task waits for
            counts[u, v] = counts.get((u, v), 0) + 1
    assert set(counts) == set(measured)
    for pair, count in counts.items():
        # Set-up messages come on top; CG has 53 dot products for 26 iterations.
        assert abs(measured[pair] / runs - count) < 0.06


@needs("data/comm/npb_proxy_mpip")
def test_bytes_of_bt_are_in_the_measured_proportion() -> None:
    """A forward neighbour gets 240, a backward one 40 bytes per point and stage."""
    traffic = read_traffic(MEASURED / "bt.C.64.bytes_count.csv").matrix()
    made = bt(64, 35840).matrix()
    wanted = traffic[0, [1, 7, 8, 15]] / traffic[0, 1]
    assert made[0, [1, 7, 8, 15]] / made[0, 1] == pytest.approx(wanted, rel=0.06)


@needs("data/comm/npb_proxy_mpip")
def test_partners_of_mg_were_measured() -> None:
    traffic = read_traffic(MEASURED / "mg.C.64.bytes_count.csv").matrix()
    made = mg(64, 128 * 128 * 8).matrix()
    assert (traffic[made > 0] >= 1e6).all()
    assert traffic[made > 0].sum() > 0.99 * traffic.sum()


@needs("data/comm")
def test_all_measured_files_are_read() -> None:
    counts, edges = 0, 0
    for path in sorted(MEASURED.iterdir()):
        found = read_traffic(path)
        assert (found.source != found.target).all()
        assert found.source.max() < found.tasks
        counts += ".64." in path.name and found.tasks == 64
        edges += ".edges." in path.name and found.tasks >= 1000
    assert (counts, edges) == (14, 14)
    dense = read_traffic(COMM / "eagermap" / "SP-OMP.csv")
    matrix = dense.matrix()
    assert dense.tasks == 64
    assert (matrix == matrix.T).all()


@needs("data/comm")
def test_measured_traffic_runs_in_rounds() -> None:
    traffic = read_traffic(MEASURED / "cg.C.64.bytes_count.csv").at_least(1000)
    made = traffic.workload(rounds=3, per=10_000)
    assert caused(made)
    assert levels(made).max() == 3
    engine = CutThrough(Torus(8, 8))
    engine.add(made.on(range(64)))
    assert engine.run() == [0]
    share = made.matrix() / np.maximum(1, traffic.matrix())
    assert share[made.matrix() > 0] == pytest.approx(1 / 10_000, rel=1e-3)


def test_files_return_what_was_written(tmp_path: Path) -> None:
    for made in (workload("WF", 9), bipartite_io(5, 64, io=2, seed=7)):
        path = tmp_path / "own.json"
        written = document(
            name=made.name,
            tasks=made.tasks,
            **({"io": made.io, "seed": made.seed} if made.io else {}),
            messages=made.messages.tolist(),
            waits=made.waits.tolist(),
        )
        path.write_text(json.dumps(written))
        found = read_workload(path)
        assert (found.messages == made.messages).all()
        assert (found.waits == made.waits).all()
        assert (found.name, found.tasks, found.io, found.seed) == (
            made.name,
            made.tasks,
            made.io,
            made.seed,
        )


HEAD = "src,dst,bytes,messages\n"


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        call()
    told = str(caught.value)
    assert "\n" not in told
    return told


def document(**changes: object) -> dict[str, object]:
    return {
        "format": "closeknit/workload",
        "version": 1,
        "tasks": 2,
        "messages": [[0, 1, 64], [1, 0, 0]],
        "waits": [[0, 1]],
        **changes,
    }


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"messages": [[0, 1, -4]], "waits": []}, "messages[0][2]: must lie between 0"),
        ({"messages": [[0, 2, 4]], "waits": []}, "messages[0][1]: must lie between 0 "),
        ({"messages": [[0, 1]]}, "messages[0]: must be 3 integers, not [0, 1]"),
        ({"messages": [[0, 1, 2**70]]}, "messages[0][2]: must lie between"),
        ({"messages": [[0, 1, 0.5]]}, "messages[0][2]: must be an integer"),
        ({"waits": [[0, 2]]}, "waits[0][1]: must lie between 0 and 1, not 2"),
        ({"waits": [[0, 1], [1, 0]]}, "message 0 waits for itself"),
        ({"tasks": 0}, "tasks: must lie between 1 and"),
        ({"io": 3}, "io: must lie between 0 and 2, not 3"),
        ({"ranks": 3}, "ranks: unknown field"),
        ({"version": 2}, "version: must be 1, not 2"),
    ],
)
def test_bad_documents_are_refused_in_one_line(
    changes: dict[str, object], text: str
) -> None:
    assert text in refused(lambda: workload_of(document(**changes)))


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("", "line 1: has no lines"),
        (HEAD + "0,1,-8,1\n", "line 2: bytes: must be at least 0, not -8"),
        (HEAD + "0,1,8\n", "line 2: must have 4 fields, not 3"),
        (HEAD + "0,x,8,1\n", "line 2: dst: must be a whole number, not 'x'"),
        (HEAD + "3,3,8,1\n", "line 2: rank: sends to itself: 3"),
        (
            "u,v,weight\n0,1,8.0\n1,0,8.0\n",
            "line 3: pair: is listed twice: [1, 0]",
        ),
        ("u,v,weight\n0,1,8.5\n", "line 2: weight: must be a whole number, not '8.5'"),
        ("u,v,weight\n0,7,8\n", "tasks: must be at least 8, not 4"),
        ("0,1\n1,0,2\n", "line 2: must have 2 fields, not 3"),
    ],
)
def test_bad_traffic_is_refused_in_one_line(lines: str, text: str) -> None:
    ranks = 4 if "tasks" in text else None
    assert text in refused(lambda: parse_traffic(lines, "a", ranks))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: workload("4W"), "workload: must be one of BI, BU"),
        (lambda: workload("BU", 12), "tasks: must be a power of two, not 12"),
        (lambda: workload("BT", 12), "tasks: must be a square number, not 12"),
        (lambda: workload("2M", 12, -1), "bytes: must be at least 0, not -1"),
        (lambda: workload("2M", 0), "tasks: must be at least 1, not 0"),
        (
            lambda: workload("2M").on(range(63)),
            "placement: must be 64 processors, one per task of 2M, not 63",
        ),
        (lambda: mixed(4, 64, 1.0, first=[0, 1]), "first: must be 4, one per task"),
        (
            lambda: mixed(2, 64, 1.0, io=3, first=[0, 3]),
            "first[1]: must lie between 0 and 2, not 3",
        ),
        (lambda: mixed(4, 64, 1.5), "share: must lie between 0 and 1, not 1.5"),
        (
            lambda: mixed(4, 64, 0.5, per="flit"),
            "per: must be job or message, not 'flit'",
        ),
        (
            lambda: parse_traffic("u,v,weight\n0,1,8\n", "a").workload(rounds=0),
            "rounds: must be at least 1",
        ),
    ],
)
def test_bad_workloads_are_refused_in_one_line(
    call: Callable[[], object], text: str
) -> None:
    assert text in refused(call)


def test_errors_of_files_name_the_file(tmp_path: Path) -> None:
    own, matrix = tmp_path / "own.json", tmp_path / "matrix.csv.xz"
    own.write_text('{"format": "closeknit/workload", "version": 1, "tasks": 2}')
    matrix.write_bytes(lzma.compress(b"u,v,weight\n0,1,-1\n"))
    assert refused(lambda: read_workload(own)).startswith(f"{own}: ")
    assert refused(lambda: read_traffic(matrix)).startswith(f"{matrix}: ")


def test_placements_name_ranks_and_processors() -> None:
    made = workload("BI", 4, 64)
    with pytest.raises(InputError, match=r"source\[\d\]: must be at least 0, not -1"):
        made.on([0, 1, 2, -1])
    engine = CutThrough(Torus(2, 2))
    with pytest.raises(InputError, match="there are only 4 processors, not 9"):
        engine.add(made.on([0, 1, 2, 9]))
