"""Who places a stream best: what is run, what is judged, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from closeknit.cli.app import run as closeknit
from closeknit.heuristics.allocation.thrifty import Thrifty
from closeknit.instances import Mesh
from closeknit.papers.bender2008_table1.parts import OPTIMAL
from closeknit.papers.bender2008_table1.streams import PACKED, ArrivalPattern
from closeknit.papers.catalogue import RunOptions
from closeknit.papers.online_rule.runs import (
    REGARDS,
    RULE,
    Race,
    lineup,
    part,
    run,
    states,
)
from closeknit.papers.online_rule.study import gain, study
from closeknit.simulation.stream.jobs import StreamJob
from closeknit.simulation.stream.simulator import Start, simulate

from .studies import rows_of

SHAPE = (4, 5)
ORDER = RunOptions(first=60, mesh=SHAPE)


def race(costs: dict[str, list[int]], tried: dict[Fraction, list[int]]) -> Race:
    jobs = tuple(StreamJob(i, i, 1, 1, 1) for i in range(len(costs[RULE])))
    return Race(
        state=ArrivalPattern(name="made up", about="", jobs=jobs),
        costs={name: np.array(row) for name, row in costs.items()},
        tried={regard: np.array(row) for regard, row in tried.items()},
        proved=0,
        looked=0,
    )


def test_only_the_second_half_is_judged() -> None:
    one = race({RULE: [90, 90, 10, 10], "mm": [1, 1, 11, 11], OPTIMAL: [1] * 4}, {})
    assert gain(one, "mm").value == pytest.approx(10)
    assert one.rivals == [OPTIMAL, "mm"]
    assert one.best == "mm"


def test_the_weight_is_chosen_on_the_first_half() -> None:
    better, worse = REGARDS[1], REGARDS[2]
    tried = {regard: [9, 9, 9, 9] for regard in REGARDS}
    tried[better] = [8, 8, 99, 99]
    tried[worse] = [9, 9, 1, 1]
    one = race({RULE: [0] * 4}, tried)
    assert one.weight == better
    assert one.tuned.tolist() == [99, 99]


def test_another_weight_is_that_of_the_strategy() -> None:
    _, ways = states(ORDER, SHAPE)
    found = run(part(ways[0], SHAPE, 0, REGARDS[-1]))
    placing = Thrifty(Mesh(SHAPE), regard=REGARDS[-1])
    priced = [
        sum(
            placing.topology.distance(placing.places[p], placing.places[q])
            for i, p in enumerate(event.grant.used)
            for q in event.grant.used[:i]
        )
        for event in simulate(ways[0].jobs, placing)
        if isinstance(event, Start)
    ]
    assert found.own.tolist() == priced
    assert sum(priced) > 0


def test_each_way_in_which_the_stream_comes_is_run_once() -> None:
    _, ways = states(ORDER, SHAPE)
    assert len({tuple(job.submit for job in way.jobs) for way in ways}) == len(ways)
    assert ways[-1].name == PACKED
    _, asked = states(replace(ORDER, load=Fraction(1, 2)), SHAPE)
    assert [way.name for way in asked] == ["load 0.5", PACKED]


def test_everybody_places_the_stream() -> None:
    able, missing = lineup(SHAPE)
    found = study(ORDER)
    assert missing == ()
    for section in found.sections[:-1]:
        rows = section.tables[0].rows
        assert rows[0][0] == RULE
        assert {row[0] for row in rows} == {RULE, *able}
        means = [row[1] for row in rows[1:]]
        assert means == sorted(means)  # type: ignore[type-var]
    weights = found.sections[-1].tables[0]
    assert [row[0] for row in weights.rows] == [str(regard) for regard in REGARDS]
    assert weights.rows[0][1:] == (0.0,) * (len(weights.columns) - 1)


def test_command_goes_on_where_it_was(tmp_path: Path) -> None:
    words = ["reproduce", "online-rule", "--first", "40", "--shape", "4x4"]
    words += ["--load", "0.8", "--jobs", "1", "--out", str(tmp_path)]
    assert closeknit(words) == 0
    tables = {path: path.read_bytes() for path in tmp_path.glob("*.csv")}
    parts = sorted((tmp_path / "parts").iterdir())
    parts[0].unlink()
    parts[1].write_bytes(b"cut off")
    assert closeknit(words) == 0
    assert {path: path.read_bytes() for path in tmp_path.glob("*.csv")} == tables
    rows = rows_of(tmp_path / "stream_load_08.csv")
    assert {row["strategy"] for row in rows} >= {RULE, OPTIMAL}
