"""The compiled twin of the checker of certificates derives what the plain one does."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import KSubset, cost
from closeknit.instances.ksubset.certificate import CertificateChecker
from closeknit.instances.ksubset.counts import CHOSEN, REJECTED
from closeknit.proofs.writing.certificate_kernels import FastChecker

from ...strategies import ksubsets, topologies


@settings(max_examples=200, deadline=None)
@given(instance=ksubsets(topologies()), data=st.data())
def test_both_checkers_derive_the_same(instance: KSubset, data: st.DataObject) -> None:
    objective = cost(instance, tuple(range(instance.k))) + data.draw(st.integers(-3, 3))
    plain, fast = (
        CertificateChecker(instance, objective),
        FastChecker(instance, objective),
    )
    state = plain.root()
    decided = st.lists(st.sampled_from([0, 0, CHOSEN, REJECTED]), max_size=instance.n)
    values = data.draw(decided)
    state.status[: len(values)] = values
    counts = st.tuples(st.integers(0, instance.k), st.integers(0, instance.k))
    for h, ends in enumerate(data.draw(st.lists(counts, max_size=len(state.low)))):
        state.low[h], state.high[h] = sorted(ends)
    other = state.copy()
    closed = plain.close(state)
    assert fast.close(other) == closed
    if not closed:
        return
    assert state == other
    assert plain.bound(state) == fast.bound(other)
    every, cuts = range(instance.n), range(len(state.low))
    assert plain.affordable(state, cuts) == fast.affordable(other, cuts)
    assert plain.count_needs(state, every, every) == fast.count_needs(
        other, every, every
    )
    low, high, points = map(np.array, (state.low, state.high, every))
    table = fast.table_of_needs(low, high, points, points).tolist()
    assert [plain.needs(state, p, every) for p in every] == table
