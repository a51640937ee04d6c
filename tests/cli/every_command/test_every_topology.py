"""Every command for clusters on every topology at hand: no crash, no contradiction."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.clusters.topologies import (
    Hierarchy,
    Space,
    read_cluster,
    read_name_map,
)

from ...clusters.fabrics import FOLDER, dgx_map
from ...data import needs

FILES = sorted(
    str(path.relative_to(FOLDER))
    for path in FOLDER.rglob("*")
    if path.is_file() and path.suffix != ".md"
)
GRIDS = {"torus-4x4x4": "torus", "mesh-6x5x2": "mesh"}
Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    def closeknit(*words: object) -> tuple[int, str, str]:
        status = run([str(word) for word in words])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        if status == 2:
            assert said.err.count("\n") == 1, said.err
        return status, said.out, said.err

    return closeknit


def topology(name: str, folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the file and the options that name a topology."""
    if name in GRIDS:
        shape = tuple(map(int, name.split("-")[1].split("x")))
        cells = product(*map(range, shape))
        rows = [f"n{i},{','.join(map(str, c))}" for i, c in enumerate(cells)]
        head = f"# {GRIDS[name]} {'x'.join(map(str, shape))}\nnode,x,y,z"
        path = folder / f"{name}.csv"
        path.write_text("\n".join([head, *rows]), encoding="utf-8")
        return path, ()
    file, _, chosen = name.partition("#")
    if "ibnetdiscover" in file:
        return FOLDER / file, ("--node-name-map", str(dgx_map(folder)))
    return FOLDER / file, ("--topology-name", chosen) if chosen else ()


def jobs_on(names: list[str], chance: random.Random) -> list[dict[str, Any]]:
    """Draw jobs of up to an eighth of the nodes, next to each other."""
    found: list[dict[str, Any]] = []
    at = 0
    while at < len(names):
        size = chance.randrange(1, max(2, len(names) // 8))
        if chance.random() < 0.6:
            found.append({"id": str(len(found)), "nodes": names[at : at + size]})
        at += size
    return found


@pytest.mark.slow
@needs("data/topology")
@pytest.mark.parametrize(
    "name",
    [*FILES, *(f"{f}#block" for f in FILES if "xclr" in f or "nvl" in f), *GRIDS],
)
def test_every_command(name: str, tmp_path: Path, ask: Ask) -> None:
    path, more = topology(name, tmp_path)
    given = dict(zip(more[::2], more[1::2], strict=True))
    file = given.get("--node-name-map")
    cluster = read_cluster(
        path,
        name=given.get("--topology-name", ""),
        host_names=read_name_map(file) if file else None,
    )
    names = list(cluster.index)
    jobs = jobs_on(names, random.Random(7))
    held = {node for job in jobs for node in job["nodes"]}
    state, decision = tmp_path / "jobs.jsonl", tmp_path / "decision.jsonl"
    state.write_text("\n".join(map(json.dumps, jobs)), encoding="utf-8")
    where = ("--topology", path, *more)
    busy, limit = ("--busy", f"@{state}", "--assume-up"), ("--time-limit", "20")
    objective = {"blocks": "blocks"}.get(given.get("--topology-name", ""), "hops")
    left = len(names) - len(held)
    for k in sorted({1, 2, 8, max(1, left // 3), left, left + 1}):
        ends, shown, _ = ask(
            *("select", *where, *busy, "-k", k, "--objective", objective),
            *("--format", "json", *limit),
        )
        assert ends == (0 if k <= left else 3)
        why, _, _ = ask("why", *where, *busy, "-k", k, *limit)
        assert why == ends
        if ends:
            continue
        chosen = json.loads(shown)["chosen"]
        assert len(set(chosen) - held) == k
        line = {"job": {"k": k}, "busy": sorted(held), "chosen": chosen}
        decision.write_text(json.dumps(line), encoding="utf-8")
        how = ("--objective", objective, "--json", *limit)
        ends, graded, _ = ask("grade", decision, *where, *how)
        row = json.loads(graded.splitlines()[0])
        assert (ends, row.get("ratio", row.get("at_least"))) == (0, "1")
    fragments_and_moves(cluster.fabrics, where, busy, ask)
    what_if(cluster.fabrics, len(names), tmp_path / "log.swf", where, ask)


def fragments_and_moves(
    fabrics: tuple[Any, ...], where: tuple[Any, ...], busy: tuple[str, ...], ask: Ask
) -> None:
    """Ask what is free, and what would free more; compare the two."""
    ends, shown, _ = ask("fragmentation", *where, *busy, "--json")
    levels = json.loads(shown)["levels"]
    assert (ends, len(fabrics)) == (0, 1)
    for one in levels:
        assert one["largest_job"] <= one["largest_job_unfragmented"]
        for group in one["groups"]:
            assert (group["count"] > 0) == (one["largest_job"] >= group["size"])
    ends, shown, _ = ask("defrag", *where, *busy, "--json", "-", "--time-limit", "10")
    moves = json.loads(shown)
    assert ends in (0, 3, 4)
    assert moves["level"] == levels[0]["level"]
    assert moves["domains"] == levels[0]["domains"]
    assert moves["free_domains"] == levels[0]["free_domains"]
    nodes = [point["nodes"] for point in moves["front"] if "nodes" in point]
    assert nodes == sorted(nodes)


def what_if(
    fabrics: tuple[Any, ...],
    nodes: int,
    trace: Path,
    where: tuple[Any, ...],
    ask: Ask,
) -> None:
    """Replay a few jobs; rules take no fewer hops than the optimum does."""
    rest = f"{'-1 ' * 3}200 {'-1 ' * 8}-1\n"
    sizes = [1 + 5 * i % max(1, nodes // 4) for i in range(8)]
    lines = [f"{i} {9 * i} -1 {60 + i} {k} {rest}" for i, k in enumerate(sizes, 1)]
    trace.write_text("; Version: 2\n" + "".join(lines), encoding="utf-8")
    ends, shown, said = ask(
        *("whatif", *where, "--trace", trace, "--replays", "1", "--json", "-"),
        *("--method", "slurm-tree,optimum", "--time-limit", "2"),
    )
    graph = isinstance(fabrics[0], Space) and fabrics[0].topology.kind == "graph"
    if not (isinstance(fabrics[0], Hierarchy) or graph):
        assert (ends, "is for networks with leaf switches" in said) == (2, True)
        return
    assert ends == 0
    regret = {
        one["method"]: one["mean"]
        for one in json.loads(shown)["measures"]
        if one["measure"] == "regret_pct"
    }
    assert regret["optimum"][0] <= regret["slurm-tree"][0] + 1e-9
