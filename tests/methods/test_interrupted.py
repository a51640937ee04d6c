"""Who calls a method that Ctrl-C stopped ends, too, or is told."""

from __future__ import annotations

import signal

import numpy as np
import pytest

from closeknit.instances import KSubset, Mesh, mesh
from closeknit.methods.allocators.of_method import MethodAsAllocator
from closeknit.network.mapping.instance import RankMapping
from closeknit.network.mapping.models.answer import mapping_result
from closeknit.network.mapping.table import in_time
from closeknit.solvers import DEFAULT, Limit, Result, Settings, answer
from closeknit.solvers.running import clock
from closeknit.solvers.running.interrupt import deferred, ending_callers
from closeknit.solvers.running.method import Method

JOB = mesh(4, 4, k=3)


def pressed(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Poll Ctrl-C as searches do, which is pressed once."""
    start = clock.now()
    with deferred() as event:
        signal.raise_signal(signal.SIGINT)
    assert event.is_set()
    return answer(instance, range(instance.k), start=start, limit=Limit.INTERRUPT)


def placed() -> object:
    return MethodAsAllocator(Mesh(4, 4), Method("pressed", pressed)).allocate(3)


def test_who_polls_outside_is_told() -> None:
    """It was the search's alone: a loop around it, as that of `grade`, went on."""
    with deferred() as outside:
        assert Method("pressed", pressed)(JOB, Settings()).limit is Limit.INTERRUPT
        assert outside.is_set()


def test_a_stream_that_polls_shows_what_it_has() -> None:
    with deferred() as outside:
        assert placed() is not None
        assert outside.is_set()


def test_a_stream_that_does_not_poll_ends() -> None:
    with pytest.raises(KeyboardInterrupt):
        placed()


def test_nobody_goes_on_with_part_of_an_answer() -> None:
    assert Method("pressed", pressed)(JOB, Settings()).limit is Limit.INTERRUPT
    with ending_callers(), pytest.raises(KeyboardInterrupt):
        Method("pressed", pressed)(JOB, Settings())


def test_nor_with_part_of_a_mapping() -> None:
    @in_time
    def ordered(mapping: RankMapping, settings: Settings) -> Result:
        return mapping_result(mapping, range(24), start=0, limit=Limit.INTERRUPT)

    ranks = np.arange(24)
    mapping = RankMapping(np.outer(ranks, ranks) % 7, abs(ranks[:, None] - ranks))
    assert ordered(mapping, Settings()).limit is Limit.INTERRUPT
    with ending_callers(), pytest.raises(KeyboardInterrupt):
        ordered(mapping, Settings())
