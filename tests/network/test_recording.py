"""What links carry through time: it adds up, and to watch changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from closeknit.instances import Mesh, Torus
from closeknit.network import progress_steps as pacing
from closeknit.network.cut_through.engine import CutThrough
from closeknit.network.cut_through.message_queue import Network
from closeknit.network.kary_tree import KaryTree
from closeknit.network.messages import messages
from closeknit.network.processor_numbers import network_named
from closeknit.network.recording import LinkFilm, LinkRecorder
from closeknit.network.runs import Switching, run_network
from closeknit.network.workloads.table import workload
from closeknit.network.worm.engine import RigidWorms

NETWORKS: list[tuple[Network, Switching]] = [
    *((grid, way) for grid in (Mesh(4, 5), Torus(4, 4)) for way in Switching),
    (KaryTree(2, 4), Switching.CUT_THROUGH),
    (network_named("dragonfly:2,2,1"), Switching.CUT_THROUGH),
]


def test_many_jobs_that_end_one_by_one_can_be_watched() -> None:
    job, seen = workload("2M", 4, 64), []
    run_network(
        Torus(32, 32),
        job,
        "random",
        instances=200,
        show=lambda done, total, what: seen.append((done, total)),
    )
    assert len(seen) > 56  # steps of 2^8, 2^9, … would have passed 2^63 by then
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.parametrize("filmed", [False, True])
@pytest.mark.parametrize(("network", "switching"), NETWORKS)
def test_a_run_that_is_watched_is_the_same(
    network: Network,
    switching: Switching,
    filmed: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pacing, "_FIRST", 3)
    monkeypatch.setattr(pacing, "_SHORT", 0.0)
    job = workload("BU", 8, 600)
    seen: list[tuple[int, int, str]] = []
    plain = run_network(network, job, "mm", switching=switching)
    watched = run_network(
        network,
        job,
        "mm",
        switching=switching,
        filmed=filmed,
        show=lambda *what: seen.append(what),
    )
    assert watched.summary == plain.summary
    assert watched.latency.tolist() == plain.latency.tolist()
    assert len(seen) > 3
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.parametrize(("network", "switching"), NETWORKS)
@pytest.mark.parametrize("name", ["BU", "3M", "LU"])
def test_a_film_adds_up_and_changes_nothing(
    network: Network, switching: Switching, name: str
) -> None:
    job = workload(name, 16 if name != "BU" else 8, 600)
    if len(list(network.locations())) < 16:
        job = workload("BU", 8, 600)
    plain = run_network(network, job, "mm", switching=switching)
    filmed = run_network(network, job, "mm", switching=switching, filmed=True)
    assert plain.summary == filmed.summary
    assert plain.latency.tolist() == filmed.latency.tolist()
    assert plain.carried.tolist() == filmed.carried.tolist()
    assert plain.film is None
    film = filmed.film
    assert film is not None
    assert film.counts.sum(axis=0).tolist() == filmed.carried.tolist()
    assert film.counts.min() >= 0
    assert (len(film.counts) - 1) * film.step < film.end == plain.summary.time_cycles
    assert film.end <= len(film.counts) * film.step
    shares = film.shares()
    assert 0 <= shares.min() <= shares.max() <= 1
    # nothing is left over: what is sent by the end is what was carried
    cycles = np.minimum(film.step, film.end - film.step * np.arange(len(shares)))
    sent = film.lanes * (shares * cycles[:, None]).sum(axis=0)
    assert sent == pytest.approx(filmed.carried)


def test_frames_are_counted_by_hand() -> None:
    """Two packets of 16 phits over two links, which they take at 0, 16 and 1, 17."""
    engine = CutThrough(Mesh(3))
    engine.add(messages([(0, 2, 32)]))
    recorder = LinkRecorder(engine, most=9)
    while not engine.run(recorder.due):
        recorder.look()
    recorder.look()
    film = recorder.film()
    assert (film.step, film.end) == (2, 34)
    rows = {tuple(e): i for i, e in enumerate(engine.channels()[0][1].tolist())}
    first = film.counts[:, rows[0, 1]].tolist()
    then = film.counts[:, rows[1, 2]].tolist()
    assert [i for i, count in enumerate(first) if count] == [0, 8]
    assert [i for i, count in enumerate(then) if count] == [0, 8]
    assert first[0] == first[8] == then[0] == then[8] == 16
    # they send one phit a cycle
    shares = film.shares()
    assert shares[:, rows[0, 1]].tolist() == [1.0] * 16 + [0.0]


def test_a_worm_holds_its_links_until_it_has_passed() -> None:
    engine = RigidWorms(Mesh(2))
    engine.add(messages([(0, 1, 300)]))
    recorder = LinkRecorder(engine)
    while not engine.run(recorder.due):
        recorder.look()
    film = recorder.film()
    assert np.count_nonzero(film.counts) == 1
    assert np.count_nonzero(film.shares() > 0.9) >= len(film.counts) - 2


def test_a_torus_of_worms_has_two_lanes() -> None:
    engine = RigidWorms(Torus(4))
    engine.add(messages([(0, 1, 9)]))
    recorder = LinkRecorder(engine)
    engine.run(recorder.due)
    assert recorder.film().lanes == 2


def test_many_links_have_fewer_frames() -> None:
    recorder = LinkRecorder(CutThrough(Torus(64, 64)))
    assert recorder._most < LinkRecorder(CutThrough(Torus(8, 8)))._most


def test_what_does_not_fit_an_interval_is_sent_later() -> None:
    film = LinkFilm(10, 25, np.array([[14, 0], [0, 3], [0, 0]]))
    assert film.shares().tolist() == [[1.0, 0.0], [0.4, 0.3], [0.0, 0.0]]
