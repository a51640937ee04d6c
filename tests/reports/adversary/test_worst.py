"""The adversary: bad instances found, proved, kept in a ledger, and shown."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.cli.app import run
from closeknit.instances import (
    InputError,
    KSubset,
    Mesh,
    Points,
    Topology,
    Torus,
    arrays,
    check,
    cost,
    mesh,
    read_ksubset,
)
from closeknit.instances.ksubset.json import parse_ksubset
from closeknit.instances.ksubset.worst_cases import mm_blocks, ring_gap
from closeknit.instances.topologies import switch_tree
from closeknit.methods import KSUBSET
from closeknit.proofs.writing.learning import luby
from closeknit.reports.adversary import (
    AdversarySearch,
    BadInstance,
    SearchSpace,
    anneal,
    exhaust,
)
from closeknit.reports.adversary.annealing import KnownOptimum, Optimum
from closeknit.reports.adversary.hunt import Watch
from closeknit.reports.adversary.kernels import least
from closeknit.reports.claims.ksubset.families import ledger_is_true
from closeknit.reports.claims.running.claim import Trial
from closeknit.reports.frontier.worst import (
    WorstInstance,
    merge_worse,
    read_worst,
    write_worst,
)
from closeknit.solvers import Limit, Result, Settings, Ties, answer
from closeknit.solvers.running import clock

Capture = pytest.CaptureFixture[str]


def dearest(instance: KSubset) -> int:
    """Return the optimum by the definition."""
    return min(
        cost(instance, chosen) for chosen in combinations(range(instance.n), instance.k)
    )


@st.composite
def instances(draw: st.DrawFn) -> KSubset:
    """Give few processors of a mesh, ring or tree, or points that may coincide."""
    kind = draw(st.sampled_from(["mesh", "cube", "torus", "tree", "points"]))
    networks: dict[str, Topology] = {
        "mesh": Mesh((4, 4)),
        "cube": Mesh((2, 3, 2)),
        "torus": Torus((11,)),
        "tree": switch_tree((3, 4)),
        "points": Mesh((3, 3)),
    }
    topology = networks[kind]
    places = list(topology.locations())
    unique = kind != "points"
    sites = draw(
        st.lists(st.sampled_from(places), min_size=2, max_size=9, unique=unique)
    )
    k = draw(st.integers(1, len(sites)))
    network = topology if unique else Points(tuple(sites))
    return KSubset("drawn", network, tuple(sites), k)


@settings(max_examples=150, deadline=None)
@given(instances(), st.integers(-1, 8), st.integers(0, 40))
def test_the_kernel_finds_the_cheapest_below_a_limit(
    instance: KSubset, must: int, below: int
) -> None:
    must = must if must < instance.n else -1
    sets = [
        chosen
        for chosen in combinations(range(instance.n), instance.k)
        if must < 0 or must in chosen
    ]
    optimum = min(cost(instance, chosen) for chosen in sets)
    picked = np.full(instance.k, -1, dtype=np.int64)
    inner = np.zeros(instance.k + 1, dtype=np.int64)
    found, used, proved = least(
        arrays.hops(instance), instance.k, below, 0, must, inner, 10**6, picked
    )
    assert proved
    assert found == min(optimum, below)
    assert used <= 10**6
    if optimum < below:
        assert not check(instance, picked.tolist())
        assert cost(instance, picked.tolist()) == optimum
        assert must < 0 or must in picked


def test_the_kernel_gives_up_within_its_budget() -> None:
    instance = mesh(6, 6, k=10)
    picked = np.empty(10, dtype=np.int64)
    inner = np.zeros(11, dtype=np.int64)
    found, used, proved = least(
        arrays.hops(instance), 10, 10**6, 0, -1, inner, 5, picked
    )
    assert not proved
    assert used == 6
    assert found == 10**6


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_neighbour_inherits_what_it_can(data: st.DataObject) -> None:
    ground = SearchSpace(topology=Mesh((4, 4)), k=4, most=12)
    optimum = Optimum(ground)
    places = st.lists(
        st.sampled_from(ground.places), min_size=5, max_size=12, unique=True
    )
    before = tuple(sorted(data.draw(places)))
    known = optimum.below(ground.instance(before), 10**6)
    assert known is not None
    assert known.cost == dearest(ground.instance(before))
    kept = set(before) - set(data.draw(st.lists(st.sampled_from(before), max_size=2)))
    kept |= set(data.draw(st.lists(st.sampled_from(ground.places), max_size=2)))
    if len(kept) < 5:
        return
    after = ground.instance(tuple(sorted(kept)))
    limit = data.draw(st.integers(8, 60))
    found = optimum.below(after, limit, known)
    expected = dearest(after)
    assert (found is not None) == (expected < limit)
    if found is not None:
        assert found.cost == expected
        assert found.chosen <= kept
        indices = [after.free.index(site) for site in found.chosen]
        assert cost(after, indices) == expected


def test_an_optimum_not_proved_is_none() -> None:
    ground = SearchSpace(topology=Mesh((6, 6)), k=10, most=36)
    optimum = Optimum(ground, nodes=3)
    assert optimum.below(ground.instance(ground.places), 10**6) is None
    assert isinstance(Optimum(ground).below(mesh(6, 6, k=10), 10**6), KnownOptimum)


def hunt(
    name: str,
    ground: SearchSpace,
    evaluations: int,
    ties: Ties = Ties.LEX,
    seed: int = 0,
) -> AdversarySearch:
    return AdversarySearch(
        method=KSUBSET[name],
        ground=ground,
        settings=Settings(seed=seed, ties=ties),
        evaluations=evaluations,
    )


def test_what_a_method_finds_until_it_is_stopped_is_not_what_it_costs() -> None:
    """It runs no longer than the search may, and would cost less with more time."""
    given: list[float] = []

    def stopped(instance: KSubset, settings: Settings) -> Result:
        given.append(settings.time_limit)
        return answer(instance, [0, 1], start=0.0, limit=Limit.TIME)

    ground = SearchSpace(topology=Mesh((8, 8)), k=2, most=9)
    method = replace(KSUBSET["mm"], function=stopped)
    assert anneal(replace(hunt("mm", ground, 99), method=method, seconds=0.5)) is None
    assert max(given) <= 0.5


def worst_of(ground: SearchSpace, name: str, ties: Ties = Ties.LEX) -> Fraction:
    """Return the worst ratio on all subsets, by the definition."""
    ratios = []
    for n in range(ground.k + 1, ground.most + 1):
        for free in combinations(ground.places, n):
            instance = ground.instance(free)
            objective = KSUBSET[name](instance, Settings(ties=ties)).objective
            assert isinstance(objective, int)
            ratios.append(Fraction(objective, dearest(instance)))
    return max(ratios)


@pytest.mark.parametrize("name", ["mm", "mm-free", "row-major", "hilbert/best-fit"])
def test_exhaustive_is_the_worst_of_all_subsets(name: str) -> None:
    ground = SearchSpace(topology=Mesh((3, 3)), k=3, most=9)
    found = exhaust(hunt(name, ground, 10**9))
    assert found is not None
    assert found.proved
    assert found.ratio == worst_of(ground, name)
    assert found.evaluations == 382
    assert dearest(found.instance) == found.optimum
    assert KSUBSET[name](found.instance).objective == found.cost


def test_the_clock_is_looked_at_after_each_evaluation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of a large network takes seconds: of 16, half a minute with a limit of 1."""
    ground = SearchSpace(topology=Mesh((5, 5)), k=3, most=12)
    watch = Watch(replace(hunt("mm", ground, 10**9), seconds=2.0), begun=0.0)
    times = iter((1.0, 2.0, 3.0))
    monkeypatch.setattr(clock, "now", lambda: next(times))
    over = []
    for number in range(1, 4):
        watch.evaluations = number
        over.append(watch.over)
    assert over == [False, False, True]


def test_mirror_images_are_left_out_only_where_ties_are_symmetric() -> None:
    ground = SearchSpace(topology=Mesh((3, 3)), k=4, most=6)
    lex = exhaust(hunt("mm", ground, 10**9))
    worst = exhaust(hunt("mm", ground, 10**9, Ties.WORST))
    assert lex is not None
    assert worst is not None
    assert lex.evaluations == 210
    assert worst.evaluations < 60
    assert lex.ratio <= worst.ratio
    assert worst.ratio == worst_of(ground, "mm", Ties.WORST)


def test_a_search_cut_short_proves_nothing() -> None:
    ground = SearchSpace(topology=Mesh((3, 3)), k=3, most=9)
    found = exhaust(hunt("mm", ground, 50))
    assert found is not None
    assert not found.proved
    assert found.evaluations == 50


@pytest.mark.parametrize(
    "ground",
    [
        SearchSpace(topology=Mesh((5, 5)), k=4, most=9),
        SearchSpace(topology=Mesh((3, 3, 3)), k=4, most=9),
        SearchSpace(topology=Torus((4, 5)), k=3, most=8),
        SearchSpace(topology=switch_tree((3, 3, 2)), k=4, most=9),
        SearchSpace(topology=Mesh((9, 9)), k=4, most=9, points=True),
    ],
    ids=lambda ground: ground.label,
)
def test_what_annealing_finds_is_true_and_repeatable(ground: SearchSpace) -> None:
    told: list[BadInstance] = []
    found = anneal(hunt("mm", ground, 700), report=told.append)
    again = anneal(hunt("mm", ground, 700))
    assert found is not None
    assert again is not None
    assert found.instance == again.instance
    assert found.evaluations == again.evaluations == 700
    assert [one.ratio for one in told] == sorted({one.ratio for one in told})
    assert told[-1].instance == found.instance
    assert dearest(found.instance) == found.optimum
    assert KSUBSET["mm"](found.instance).objective == found.cost
    assert ground.k < found.instance.n <= ground.most


def test_another_seed_goes_elsewhere() -> None:
    ground = SearchSpace(topology=Mesh((6, 6)), k=4, most=10)
    ways = {
        found.instance.free
        for seed in range(3)
        if (found := anneal(hunt("mm", ground, 300, seed=seed))) is not None
    }
    assert len(ways) > 1


def test_annealing_finds_a_bad_instance_of_mm() -> None:
    ground = SearchSpace(topology=Mesh((8, 8)), k=4, most=10)
    found = anneal(hunt("mm", ground, 9000))
    assert found is not None
    assert found.ratio >= Fraction(5, 4)


def test_lengths_of_runs() -> None:
    assert [luby(i) for i in (15, 16, 31, 63)] == [8, 1, 16, 32]


def test_a_start_is_searched_first() -> None:
    ground = SearchSpace(topology=Mesh((5, 5)), k=2, most=6)
    start = ((0, 0), (0, 1), (2, 2), (4, 4))
    found = anneal(hunt("row-major", ground, 1), [start])
    assert found is not None
    assert found.instance.free == start
    assert "from a given instance" in found.how


# The families; claims run them where they are large.


@pytest.mark.parametrize(("k", "L"), [(8, 16), (16, 32), (24, 49)])
def test_blocks_cost_mm_what_is_predicted_in_every_order_of_ties(
    k: int, L: int
) -> None:
    case = mm_blocks(k, L)
    assert len(set(case.instance.free)) == case.instance.n == 14 * k // 8
    assert KSUBSET["mm"](case.instance).objective == case.cost
    exact = KSUBSET["auto"](case.instance)
    assert exact.bound == exact.objective == case.optimum
    for ties in (Ties.BEST, Ties.WORST) if k == 8 else ():
        result = KSUBSET["mm"](case.instance, Settings(ties=ties))
        assert result.objective == case.cost


@pytest.mark.parametrize("k", [0, 7, 12, 4096])
def test_blocks_refuse_other_k(k: int) -> None:
    with pytest.raises(InputError, match=r"^k: must be"):
        mm_blocks(k, 100_000)
    with pytest.raises(InputError, match=r"^L: must be at least 32"):
        mm_blocks(16, 31)
    with pytest.raises(InputError, match=r"^s: must be at least 1"):
        ring_gap(0)


# What is recorded.


def entry(optimum: int = 4, method: str = "row-major") -> WorstInstance:
    free = ((0, 0), (1, 2), (2, 1), (2, 2))
    instance = KSubset("bad", Mesh((3, 3)), free, 3)
    return WorstInstance.of(method, instance, 8, optimum, "by hand")


def ledger(where: Path, *entries: WorstInstance) -> Path:
    write_worst(merge_worse({}, entries), where)
    return where / "worst-ratios.json"


def test_a_ledger_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = ledger(tmp_path, entry(), entry(method="mc"))
    read = read_worst(tmp_path)
    assert list(read) == [("mc", "3x3-mesh", 3), ("row-major", "3x3-mesh", 3)]
    assert read["row-major", "3x3-mesh", 3] == entry()
    before = path.read_bytes()
    write_worst(read, tmp_path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_only_worse_instances_are_entered() -> None:
    known = merge_worse({}, [entry(5)])
    assert merge_worse(known, [entry(6), entry(5)]) == known
    assert next(iter(merge_worse(known, [entry(4)]).values())).ratio == 2


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("ratio", "3", "entries[0].ratio: must be 2, not"),
        ("optimum", 0, "entries[0].optimum: must lie between 1"),
        ("optimum", 9, "entries[0].ratio: must be 8/9, not"),
        ("cost", "8", "entries[0].cost: must be an integer"),
        ("date", "yesterday", "entries[0].date: must be a date"),
        ("how", 1, "entries[0].how: must be a string"),
        ("instance", {}, "entries[0].format: is missing"),
        ("more", 1, "entries[0].more: unknown field"),
        ("entries", "twice", "entries[1]: given twice"),
    ],
)
def test_a_ledger_that_contradicts_itself_is_refused(
    tmp_path: Path, field: str, value: object, says: str
) -> None:
    path = ledger(tmp_path, entry())
    document = json.loads(path.read_text())
    if field == "entries":
        document["entries"] *= 2
    else:
        document["entries"][0][field] = value
    path.write_text(json.dumps(document))
    with pytest.raises(InputError) as caught:
        read_worst(tmp_path)
    assert str(caught.value).startswith(f"{path}: {says}")


@pytest.mark.parametrize("seed", [0, 5])
def test_the_claim_holds_for_a_true_ledger(tmp_path: Path, seed: int) -> None:
    instance = KSubset("drawn", Mesh((6, 6)), tuple(Mesh((6, 6)).locations())[:9], 3)
    paid = KSUBSET["random"](instance).objective
    assert isinstance(paid, int)
    drawn = WorstInstance.of("random", instance, paid, 4, "by hand")
    path = ledger(tmp_path, drawn)
    assert ledger_is_true(Trial(seed=seed), path.parent).holds
    outcome = ledger_is_true(Trial(), ledger(tmp_path, entry()).parent)
    assert outcome.holds
    assert outcome.instances == 1


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (entry(5), "the optimum is 4, not 5"),
        (entry(method="mm"), "costs 4, not 8"),
        (entry(method="nobody"), "there is no such method"),
    ],
)
def test_the_claim_breaks_for_a_false_ledger(
    tmp_path: Path, wrong: WorstInstance, says: str
) -> None:
    outcome = ledger_is_true(Trial(), ledger(tmp_path, wrong).parent)
    assert not outcome.holds
    assert says in outcome.result
    assert outcome.counterexample == wrong.instance


def test_the_claim_breaks_for_no_ledger(tmp_path: Path) -> None:
    assert not ledger_is_true(Trial(), ledger(tmp_path).parent).holds
    assert not ledger_is_true(Trial(), tmp_path / "none").holds


def test_every_entry_of_the_package_keeps_to_its_guarantee() -> None:
    entries = read_worst()
    assert {one.method for one in entries.values()} >= {"mm", "mm-inc", "mc", "mbs"}
    for one in entries.values():
        promise = KSUBSET[one.method].guarantee
        factor = promise(one.instance) if promise else None
        assert factor is None or one.ratio <= factor


# The command.


def worst(capsys: Capture, options: str) -> tuple[int, str, str]:
    status = run(["worst", *options.split()])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command_end_to_end(capsys: Capture, tmp_path: Path) -> None:
    out, where = tmp_path / "bad.json", tmp_path / "frontier"
    where.mkdir()
    kept = where / "worst-ratios.json"
    options = f"row-major --shape 3x3 --k 3 --out {out} --record {where}"
    status, text, _ = worst(capsys, options)
    assert status == 0
    assert "ratio     2 = 2.000000" in text
    assert "no instance of this size is worse" in text
    assert "frontier  entered" in text
    instance = read_ksubset(out)
    assert KSUBSET["row-major"](instance).objective == 8
    [known] = read_worst(where).values()
    assert known.instance == replace(instance, source="")
    assert known.how.startswith("exhaustive: all 382")
    before = kept.read_bytes()
    _, text, _ = worst(capsys, options)
    assert "not worse than what it has" in text
    assert kept.read_bytes() == before


def test_the_command_writes_json(capsys: Capture) -> None:
    options = "mm --shape 6x6 --k 4 --n 9 --evaluations 400 --seed 3 --json -"
    status, text, _ = worst(capsys, options)
    document = json.loads(text)
    assert status == 0
    assert document["evaluations"] == 400
    assert Fraction(document["cost"], document["optimum"]) == Fraction(
        document["ratio"]
    )
    instance = parse_ksubset(document["instance"])
    assert instance.n == document["n"] <= 9
    assert dearest(instance) == document["optimum"]
    again = json.loads(worst(capsys, options)[1])
    again["seconds"] = document["seconds"]
    assert again == document


@pytest.mark.parametrize(
    "where",
    [
        "--d 2 --size 12",
        "--kind torus --shape 20",
        "--kind tree --shape 3x3x3",
        "--shape 3x3x3",
        "--d 1",
    ],
)
def test_the_command_searches_every_kind(capsys: Capture, where: str) -> None:
    status, text, _ = worst(capsys, f"mm-free {where} --k 3 --evaluations 60")
    assert status == 0
    assert "60 evaluations" in text


def test_the_command_goes_on_from_a_file(capsys: Capture, tmp_path: Path) -> None:
    for options in ("mm --shape 5x5 --k 4", "mm --d 2 --k 4 --size 9"):
        path = tmp_path / "bad.json"
        worst(capsys, f"{options} --evaluations 300 --out {path}")
        status, text, _ = worst(capsys, f"mm --start {path} --evaluations 1 --json -")
        assert status == 0
        instance = read_ksubset(path)
        document = json.loads(text)
        assert document["optimum"] == dearest(instance)
        assert document["cost"] == KSUBSET["mm"](instance).objective


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("", "METHOD: is needed"),
        ("mm-fre", "METHOD: no such method for ksubset: 'mm-fre' (did you mean"),
        ("auto", "METHOD: auto is exact: its ratio is 1 on every instance"),
        ("mm --k 1", "--k: must be at least 2, not 1"),
        ("mm --k 8 --n 8", "--n: must be above k = 8, or there is no choice, not 8"),
        ("mm --shape 3x3 --n 10", "--n: must be at most the number of processors (9)"),
        ("mm --shape 3x3 --k 9", "--k: k = 9 of 9 processors leaves no choice"),
        ("mm --shape 3xx", "argument --shape: must be sides such as 16x22"),
        ("mm --shape 3x3 --d 2", "argument --d: not allowed with argument --shape"),
        ("mm --shape 999x999", "998001 processors; at most 65536 are searched"),
        ("mm --d 0", "--d: must be at least 1, not 0"),
        ("mm --d 2 --size 0", "--size: must be at least 1, not 0"),
        ("mm --time-limit 0", "--time-limit: must be seconds above 0 and at most"),
        ("mm --time-limit nan", "--time-limit: must be seconds above 0 and at most"),
        ("mm --evaluations 0", "--evaluations: must be at least 1, not 0"),
        ("mc --ties worst", "--ties: mc breaks ties in one way only: lex"),
        ("mm --exhaustive", "--exhaustive: is for networks of up to 22 processors"),
        ("plas --shape 3x3x3", "plas: "),
        ("tree-dp --shape 3x3", "METHOD: tree-dp is exact"),
        ("mm --start /nowhere.json", "/nowhere.json: cannot be read"),
        ("--table", "--table was removed: closeknit frontier page shows"),
        ("mm --ledger l.json", "--ledger was removed: --record keeps"),
        ("mm --update-ledger", "--update-ledger was removed: --record keeps"),
        ("mm --evaluations 5 --record /dev/null", "/dev/null: cannot be made"),
    ],
)
def test_bad_input_is_one_line(capsys: Capture, options: str, says: str) -> None:
    status, out, err = worst(capsys, options)
    assert status == 2
    assert out == ""
    assert err.startswith(f"closeknit: {says}")
    assert err.count("\n") == 1


def test_a_broken_ledger_is_known_before_the_search(
    capsys: Capture, tmp_path: Path
) -> None:
    path = tmp_path / "worst-ratios.json"
    path.write_text("{}")
    status, _, err = worst(capsys, f"mm --record {tmp_path}")
    assert status == 2
    assert "format: is missing" in err
