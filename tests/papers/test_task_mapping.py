"""Task mapping by small networks: what is run, counted, written and refused."""

from __future__ import annotations

import lzma
from math import ceil
from pathlib import Path

import numpy as np
import pytest

from closeknit.instances import Mesh
from closeknit.papers.catalogue import RunOptions
from closeknit.papers.table import REPRODUCTIONS
from closeknit.papers.task_mapping import parts, study
from closeknit.papers.task_mapping.panels import (
    AllocationPanel,
    ChosenProcessors,
    allocations,
)
from closeknit.papers.task_mapping.parts import Found, Part, methods_of
from closeknit.reports.pages.markdown import markdown_of


def ring(ranks: int, step: int, size: int = 64_000) -> str:
    """Write the traffic of a ring whose neighbours are some ranks apart."""
    rows = (f"{i},{(i + step) % ranks},{size},1\n" for i in range(ranks))
    return "src,dst,bytes,messages\n" + "".join(rows)


def programs(folder: Path) -> Path:
    where = folder / "comm" / "some"
    where.mkdir(parents=True)
    (where / "far.64.bytes_count.csv").write_text(ring(64, 5))
    with lzma.open(where / "near.64.csv.xz", "wt") as stream:
        stream.write(ring(64, 1))
    (where / "silent.64.csv").write_text(ring(64, 1, size=4))
    (where / "odd.csv").write_text(ring(48, 1))
    (where / "README.md").write_text("no traffic")
    return where.parent


def small(seed: int, *, full: bool) -> list[ChosenProcessors]:
    return [
        ChosenProcessors("torus 3x4", "torus:3x4", tuple(range(12)), 500),
        ChosenProcessors("corner", "mesh:4x4", (0, 1, 4, 5, 2, 8), 500),
    ]


def test_the_page_of_small_networks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "allocations", small)
    told: list[int] = []
    options = RunOptions(
        traffic=str(programs(tmp_path)),
        keep=str(tmp_path / "parts"),
        progress=lambda done, total, what: told.append(done),
    )
    page = REPRODUCTIONS["task-mapping"](options)
    assert told == [0, 1, 2, 3, 4]
    assert len(list((tmp_path / "parts").iterdir())) == 4
    assert page.lead[-1] == "With 16 ranks 4 of 4 optima are proven."
    assert "silent (64 ranks)" in page.notes[-1]
    text = markdown_of(page)
    assert "## Torus 3x4" in text
    assert "## Corner" in text
    again = markdown_of(REPRODUCTIONS["task-mapping"](options))
    assert (again, told[5:]) == (text, [4])


def test_what_a_part_finds(tmp_path: Path) -> None:
    path = programs(tmp_path) / "some" / "far.64.bytes_count.csv"
    part = Part(
        shape=(),
        nodes=10**4,
        seed=0,
        machine="mesh:4x4",
        places=(0, 1, 2, 3, 7, 6, 5, 4, 8, 9),
        packets=100,
        digest="",
        file=str(path),
    )
    found = parts.run(part)
    assert part.fits(found)
    names = methods_of(10)
    assert names[-3:] == ("greedy", "annealing", "exact")
    # of the first ten ranks each of five sends to the one that is five on
    path_hops = [
        Mesh(4, 4).distance(divmod(p, 4), divmod(q, 4))
        for p, q in zip(part.places[:5], part.places[5:], strict=True)
    ]
    assert found.cost[0] == 64_000 * sum(path_hops)
    assert found.cost[-1] == found.bound[0] == 64_000 * 5
    assert found.bound[1] == 1
    per = 5 * 64_000 // (100 * 64)
    assert found.bound[2] == per
    # neighbours: 64 000 / per bytes in packets of 64 bytes, one cycle for the link
    packets = ceil(ceil(64_000 / per) / 64)
    assert found.time[-1] == 16 * packets + 1
    assert found.busiest[-1] == 16 * packets
    again = parts.run(part)
    assert all(
        (getattr(again, name) == getattr(found, name)).all() for name in Found.__slots__
    )


def test_what_is_counted() -> None:
    rows = {
        "faster": ([100, 150, 150, 150, 150, 150, 90, 50], [10, *[20] * 5, 9, 5]),
        "slower": ([100, 110, 120, 130, 140, 150, 90, 50], [10, *[20] * 5, 9, 11]),
        "dear": ([100, 100, 100, 100, 100, 100, 100, 100], [10, *[20] * 5, 9, 11]),
    }
    panel = AllocationPanel(
        ChosenProcessors("all", "torus:8x8", tuple(range(64)), 1),
        {
            name: Found(
                cost=np.array(cost),
                time=np.array(time),
                busiest=np.array(time),
                bound=np.array([40, 0, 1]),
            )
            for name, (cost, time) in rows.items()
        },
    )
    assert panel.methods == ("random", "greedy", "annealing")
    assert panel.outcomes("identity") == (1, 0, 1)
    assert panel.relative("slower", "cost", "random") == 1.3
    assert panel.mean("time", "annealing") == pytest.approx(
        (0.5 * 1.1 * 1.1) ** (1 / 3)
    )
    assert panel.gap("faster") == 25
    assert panel.rank_correlation("busiest") == pytest.approx(1)
    rho = panel.rank_correlation("cost")
    assert rho is not None
    assert 0 < rho < 1  # of the third nothing is ranked: its costs are equal


def test_allocations_are_whole_networks_and_chosen_ones() -> None:
    lineup = allocations(0, full=True)
    assert [one.ranks for one in lineup] == [16, 16, 16, 64, 64, 64, 1024, 1024]
    assert lineup == allocations(0, full=True)
    for one in lineup:
        assert len(set(one.places)) == one.ranks
    chosen = {one.ranks: one.places for one in lineup if one.machine == "mesh:16x16"}
    assert set(chosen) == {16, 64}
    assert allocations(1, full=False)[2].places != chosen[16]
    assert max(chosen[64]) < 256
