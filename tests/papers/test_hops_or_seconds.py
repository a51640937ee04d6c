"""Hops or seconds: states, the list of choices, times, streams, the command."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from closeknit.cli.app import run as closeknit
from closeknit.network.contention.allocator import ports
from closeknit.network.loads import Routes
from closeknit.papers.hops_or_seconds import parts, streams
from closeknit.papers.hops_or_seconds import study as study_module
from closeknit.papers.hops_or_seconds.choices import (
    BEST,
    CHOICES,
    FEW,
    GREEDY,
    OBJECTIVES,
    PAIR_SUM,
    RANDOM,
    STREAM,
    choose,
    costs,
)
from closeknit.papers.hops_or_seconds.figures import (
    SHOWN,
    AllRuns,
    correlations,
    losses,
    means,
    others,
    over_draws,
    rhos,
)
from closeknit.papers.hops_or_seconds.machines import (
    LOADS,
    MACHINES,
    SIZES,
    by_rule,
    fewest_switches,
    state,
    table_of,
)
from closeknit.papers.hops_or_seconds.parts import Found, OtherJobs, Part
from closeknit.papers.hops_or_seconds.plots import alone, overview
from closeknit.papers.hops_or_seconds.streams import (
    RULES,
    USUAL,
    Drawn,
    Repeats,
    StreamFound,
    StreamPart,
    draw,
)
from closeknit.papers.hops_or_seconds.workloads import BYTES, PATTERNS, messages, phits
from closeknit.simulation.stream.jobs import StreamJob
from closeknit.simulation.stream.simulator import JobEnd, simulate

from .studies import lose_a_part, pictures, rows_of

QUICK = ("fat-tree 4:1", "dragonfly")
"""Machines whose loads are listed in no time."""
EVERYWHERE = [rule for rule in RULES if rule != USUAL]
"""What streams are run with on every machine."""

# States and sets


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("busy", [0.5, 0.75])
def test_others_hold_what_is_not_free(name: str, busy: float) -> None:
    machine = MACHINES[name]
    found = state(machine, busy, 7)
    held = np.concatenate(found.others)
    assert sorted([*held, *found.free]) == list(range(machine.processors))
    assert {len(one) for one in found.others} <= set(SIZES)
    share = len(held) / machine.processors
    assert busy - max(SIZES) / machine.processors < share <= busy
    again = state(machine, busy, 7)
    assert all(map(np.array_equal, found.others, again.others))
    assert not np.array_equal(found.free, state(machine, busy, 8).free)


@settings(deadline=None)
@given(
    free=st.sets(st.integers(0, 31), min_size=4).map(sorted),
    k=st.integers(1, 4),
    groups=st.sampled_from([(4,), (4, 16), (8,)]),
)
def test_few_switches_are_few(free: list[int], k: int, groups: tuple[int, ...]) -> None:
    """No other choice is on fewer of the largest groups; one group if one has room."""
    found = fewest_switches(groups, np.array(free), k)
    assert len({*found.tolist()}) == k
    assert {*found.tolist()} <= {*free}
    least = min(
        len({p // groups[-1] for p in some}) for some in combinations(free[:12], k)
    )
    assert len({p // groups[-1] for p in found.tolist()}) <= least
    for size in groups:
        if any(sum(p // size == g for p in free) >= k for g in range(32 // size)):
            assert len({p // size for p in found.tolist()}) == 1


def test_of_switches_with_room_the_fullest_is_taken() -> None:
    assert fewest_switches((4,), np.array([0, 1, 2, 4, 5, 8]), 2).tolist() == [4, 5]
    assert fewest_switches((), np.array([0, 3, 4, 5, 9]), 3).tolist() == [3, 4, 5]


@pytest.mark.parametrize("name", QUICK)
def test_every_choice_is_of_free_processors_and_none_is_worse_than_a_start(
    name: str,
) -> None:
    machine = MACHINES[name]
    there = state(machine, 0.75, 1)
    table = table_of(name)
    use = sum(
        (ports(table, one, phits("ring", len(one))) for one in there.others),
        np.zeros(len(table.routes.links)),
    )
    known = {"nothing": 0 * use, "all": use, "half": use / 2, "counters": use}
    chosen, proven = choose(machine, there, known, 16, 1)
    assert proven
    assert list(chosen) == [*(PAIR_SUM, FEW), *list(chosen)[2:]]
    assert {*chosen} == {*CHOICES}
    for sets in chosen.values():
        for used in sets:
            assert len(set(used.tolist()) & set(there.free.tolist())) == 16
            assert all(a < b for a, b in pairwise(used.tolist()))
    for i, pattern in enumerate(PATTERNS):
        price = {
            who: dict(
                zip(
                    OBJECTIVES,
                    costs(machine, known, chosen[who][i], pattern),
                    strict=True,
                )
            )
            for who in CHOICES
        }
        for start in (PAIR_SUM, RANDOM[0]):
            for one in OBJECTIVES:
                if "contention" in one or one == PAIR_SUM:
                    assert price[one][one] <= price[start][one] * (1 + 1e-9)
        assert price[PAIR_SUM][PAIR_SUM] == min(p[PAIR_SUM] for p in price.values())
        if pattern == "all-to-all":
            assert price[GREEDY][GREEDY] < price[RANDOM[0]][GREEDY]


def test_costs_are_those_of_the_definition() -> None:
    """Link by link, from the ways of all pairs."""
    machine = MACHINES["dragonfly"]
    routes = Routes(machine.network, machine.routing)
    used = np.array([0, 5, 17, 40])
    use = np.arange(len(routes.links)) / 100
    known = {"nothing": 0 * use, "all": use}
    loads = np.zeros(len(use))
    for i, u in enumerate(used.tolist()):
        for e, part in routes.pair(u, used.tolist()[(i + 1) % 4]).items():
            loads[e] += float(part)
    found = dict(zip(OBJECTIVES, costs(machine, known, used, "ring"), strict=True))
    assert found[GREEDY] == pytest.approx((use + loads)[loads > 0].max())
    assert found["links, own pattern alone"] == pytest.approx(loads.max())
    for name, power, reserve in ((BEST, 4, 0), (STREAM, 2, 1)):
        before = use + reserve
        due = ((before + loads) ** power - before**power).sum()
        assert found[name] == pytest.approx(due)


# What is sent


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("tasks", SIZES)
def test_tasks_send_what_they_may(name: str, tasks: int) -> None:
    sent = phits(name, tasks)
    assert sent.shape == (tasks, tasks)
    assert 0.9 < 4 * sent.sum() / tasks / BYTES < 1.1
    assert not (sent % 16).any()
    assert not np.diagonal(sent).any()
    partners = {"ring": 1, "all-to-all": tasks - 1, "recursive doubling": 3}
    if name != "halo" and tasks == 8:
        assert {*(sent > 0).sum(axis=1).tolist()} == {partners[name]}


# Times


def test_far_from_others_a_job_takes_as_long_as_alone() -> None:
    machine = MACHINES["torus 8x8x4"]
    own, other = messages("halo", 8), messages("halo", 8)

    def time(others: list[list[int]], used: list[int]) -> tuple[int, float]:
        running = [other.on(one) for one in others]
        world = OtherJobs(machine.engine(), running, np.random.default_rng(0))
        return world.time(own.on(used))

    here = [*range(4), *range(4, 8)]
    cycles, nothing = time([], here)
    assert nothing == 0
    far = [p + 128 for p in here]
    apart, rate = time([far], here)
    assert apart == cycles
    assert rate > 0
    assert time([here], here)[0] > cycles


@pytest.mark.parametrize("name", ["dragonfly", "mesh of worms"])
def test_a_copied_network_goes_on_as_the_original(name: str) -> None:
    """Sets are tried on copies of one network: a time does not depend on others."""
    machine = MACHINES[name]
    there = state(machine, 0.5, 3)
    running = [messages("ring", len(one)).on(one.tolist()) for one in there.others]
    first, second = (
        OtherJobs(machine.engine(), running, np.random.default_rng(5)) for _ in range(2)
    )
    own = [
        messages("all-to-all", 16).on(np.sort(some).tolist())
        for some in (there.free[:16], there.free[::2][:16])
    ]
    times = [first.time(one) for one in own]
    assert [second.time(one) for one in reversed(own)] == times[::-1]
    assert first.time(own[0]) == times[0]
    assert times[0] != times[1]
    engine = second.engine  # and now without a copy
    begin = engine.time
    engine.add(own[0], 0)
    while 0 not in (ended := engine.run()):
        for job in ended:
            engine.add(running[job - 1], job)
    assert engine.time - begin == times[0][0]


def test_counters_are_of_what_has_passed() -> None:
    machine = MACHINES["dragonfly"]
    pair = messages("ring", 2).on([0, 4])
    world = OtherJobs(machine.engine(), [pair], np.random.default_rng(0))
    found = parts.counters(machine, world)
    routes = Routes(machine.network, machine.routing)
    ways = {*routes.pair(0, 4), *routes.pair(4, 0)}
    assert {*np.flatnonzero(found).tolist()} == ways
    assert len(ways) == 2
    assert found[[*ways]].tolist() == pytest.approx([1, 1], abs=0.1)


def test_a_part_is_the_same_again() -> None:
    one = Part(
        shape=(144,), nodes=0, seed=4, machine="dragonfly", load="75 % busy", k=16
    )
    found = parts.run(one)
    assert one.fits(found)
    assert (found.times > 0).all()
    assert (found.others > 0).all()
    assert found.proven.tolist() == [1]
    assert parts.run(one).pack() == found.pack()


# Streams


def test_jobs_end_when_all_repetitions_have_arrived() -> None:
    machine = MACHINES["dragonfly"]
    jobs = [StreamJob(i, 0, 8, 0, 0) for i in range(2)]
    ends = {}
    for times in (1, 3):
        drawn = [Drawn("ring", times), Drawn("ring", 1)]
        for event in simulate(
            jobs,
            by_rule(machine, "first fit"),
            ends=Repeats(machine.engine(), drawn),
        ):
            if isinstance(event, JobEnd):
                ends[times, event.job.number] = event.time
    assert ends[3, 1] == ends[1, 1]
    assert 2.5 * ends[1, 0] < ends[3, 0] < 3.5 * ends[1, 0]


def test_streams_are_the_same_under_every_rule() -> None:
    machine = MACHINES["dragonfly"]
    jobs, drawn = draw(machine, 8, 9)
    assert draw(machine, 8, 9) == (jobs, drawn)
    assert draw(machine, 8, 10) != (jobs, drawn)
    ends = []
    for rule in RULES:
        part = StreamPart(
            shape=(144,), nodes=0, seed=9, machine=machine.name, rule=rule, jobs=8
        )
        found = streams.run(part)
        assert part.fits(found)
        assert np.array_equal(streams.run(part).spans, found.spans)
        submit, start, end, k = found.spans.T
        assert submit.tolist() == [job.submit for job in jobs]
        assert k.tolist() == [job.processors for job in jobs]
        assert (submit <= start).all()
        assert (start < end).all()
        ends.append(end.tolist())
    assert len({tuple(one) for one in ends}) > 3


# How it is judged


def test_correlations_are_spearman_s() -> None:
    random = np.random.default_rng(0)
    values = random.integers(0, 6, (20, 3)).astype(float)
    times = random.integers(0, 9, 20).astype(float)
    expected = [spearmanr(values[:, i], times).statistic for i in range(3)]
    assert correlations(values, times) == pytest.approx(expected)
    assert correlations(values, np.ones(20)).tolist() == [0, 0, 0]


def made_up(**times: int) -> Found:
    """Make up a state in which a choice takes so long, and all others 100 cycles."""
    shape = len(PATTERNS), len(CHOICES)
    found = Found(
        times=np.full(shape, 100),
        others=np.full(shape, 2.0),
        costs=np.ones((*shape, len(OBJECTIVES))),
        proven=np.array([1]),
    )
    for name, cycles in times.items():
        at = CHOICES.index(NAMES[name])
        found.times[:, at] = cycles
        found.others[:, at] = cycles / 50
        found.costs[:, at] = cycles
    return found


NAMES = {"pair_sum": PAIR_SUM, "best": BEST, "few": FEW, "random": RANDOM[0]}
LIKE = {"pair_sum": 120, "best": 90, "few": 150, "random": 180}


def spans(flow: int) -> StreamFound:
    return StreamFound(
        spans=np.array([[0, 1, flow if i else 10**6, 8] for i in range(10)])
    )


def outcome(bad: bool = False) -> AllRuns:
    like = dict(LIKE, best=130) if bad else LIKE
    flows = {rule: 100 for rule in RULES} | {STREAM: 120 if bad else 90, GREEDY: 150}
    return AllRuns(
        {(m, load): [made_up(**like)] * 3 for m in MACHINES for load in LOADS},
        {(m, rule): [spans(flows[rule])] * 3 for m in MACHINES for rule in EVERYWHERE},
    )


def test_losses_are_above_the_least_of_the_list() -> None:
    found = made_up(**LIKE)
    above = dict(zip(CHOICES, losses(found)[0], strict=True))
    assert above[BEST] == 0
    assert above[PAIR_SUM] == pytest.approx(100 / 3)
    more = dict(zip(CHOICES, others(found), strict=True))
    assert more[PAIR_SUM] == 0
    assert more[FEW] == pytest.approx(25)
    drawn = dict(zip(SHOWN, over_draws(losses(found))[0], strict=True))
    assert drawn["random"] == pytest.approx((100 + 2 * 100 / 9) / 3)
    found.costs[:, :, 1] = -found.costs[:, :, 0]
    assert rhos(found)[0].tolist() == pytest.approx([0.9, -0.9, *[0.9] * 5])


def test_a_single_state_tells_nothing_of_others() -> None:
    (one,) = means(np.array([[3.0]]))
    assert (one.value, one.sign) == (3, 0)


def test_flow_times_are_without_the_first_tenth() -> None:
    whole = outcome()
    assert whole.flow("torus", STREAM).value == pytest.approx(-10)
    assert whole.flow("torus", USUAL) == whole.flow("torus", STREAM)
    assert whole.flow("torus", STREAM, run=True).value == pytest.approx(
        100 * (89 / 99 - 1)
    )
    assert whole.flow("torus", GREEDY, STREAM).value == pytest.approx(200 / 3)


def test_findings_follow_the_figures() -> None:
    good = {one.claim: one.holds for one in study_module._findings(outcome())}
    assert set(good.values()) == {True}
    bad = {one.claim: one.holds for one in study_module._findings(outcome(bad=True))}
    failed = {claim for claim, holds in bad.items() if holds is False}
    stream = "in a stream contention with a reserve is"
    assert failed == {
        *(f"{m}: {BEST} loses less than the pair sum" for m in MACHINES),
        *(
            f"{m}: one job that knows the others' traffic loses at most "
            f"{one.most} % by {BEST}"
            for m, one in MACHINES.items()
            if one.most is not None
        ),
        *(
            f"{m}: {stream} at most 10 % above the pair sum"
            if one.tree
            else f"{m}: {stream} faster than the pair sum"
            for m, one in MACHINES.items()
        ),
        f"no other power and reserve are better than {BEST} on all machines",
        f"no other power and reserve are better than {STREAM} on all machines",
    }


def test_the_picture_stands_alone() -> None:
    text = alone(overview(outcome()))
    assert text.startswith("<svg")
    assert "--ink:" in text
    assert "least pair sum" in text


# From the command line


def test_small_runs_from_end_to_end(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(study_module, "LINEUP", ("dragonfly",))
    monkeypatch.setattr(study_module, "JOBS", 6)
    out = tmp_path / "out"
    words = ["reproduce", "hops-or-seconds", "--first", "2", "--jobs", "1"]
    words += ["--out", str(out)]
    assert closeknit(words) == 0
    shown = capsys.readouterr().out
    assert "Dragonfly: one job on the set of least pair sum takes " in shown
    tables = {path.stem: rows_of(path) for path in out.glob("*.csv")}
    assert tables["pairs"]
    assert [row["choice"] for row in tables["one_job"]] == list(SHOWN)
    assert [row["objective"] for row in tables["correlations"]] == list(OBJECTIVES)
    rules = [row["rule"] for row in tables["flow_times"]]
    assert rules == [*EVERYWHERE[1:], "busy, % (pair sum)"]
    assert len(tables["cells"]) == len(LOADS) * len(PATTERNS) * len(SHOWN)
    assert (out / "hops-or-seconds.svg").exists()
    assert lose_a_part(words, out) == 2 * (len(LOADS) + len(EVERYWHERE))
    pictures(out)
