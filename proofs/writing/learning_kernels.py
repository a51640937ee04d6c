"""Kernels of conflict-driven search over rows of a pseudo-Boolean formula.

Literal v > 0 has index 2 v, its negation 2 v + 1. Clauses watch two of their literals;
other rows, here called wide, keep their slack. Whatever is learned is a clause, with
the rows from which it was derived.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel

Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float64]

TRAIL, DONE, ROWS, DEPTH, HEAP, USED = range(6)
"""Places in ``LearnerState.numbers``: literals on the trail, those propagated, rows,
decisions made, variables in the heap, entries of ``Learned.used``."""
REFUTED, SATISFIED, MORE = 0, 1, 2
"""No solution; one is on the trail; neither is known yet."""
_DECAY = 0.95
_LARGE = 1e100


class LearnerRows(NamedTuple):
    """All rows, those of the formula first, then clauses learned."""

    begin: Longs
    """Where the literals of a row begin; the first two of a clause are watched."""
    literal: Ints
    follows: Ints
    """Two per row: the next place in the list of the literal watched there, or -1."""
    other: Ints
    """Two per row: a literal of the clause; while it is true, the clause holds."""


class WideRows(NamedTuple):
    """What rows of the formula have that are no clauses; their terms fall."""

    is_wide: Bytes
    coefficient: Longs
    """One per literal of ``LearnerRows``."""
    room: Longs
    """Sum of the coefficients minus the degree."""
    slack: Longs
    """The same without false literals."""
    first: Longs
    """Where the uses of a literal begin."""
    row: Ints
    factor: Longs


class Learned(NamedTuple):
    """One entry per row that was learned, for proofs."""

    formula: Longs
    """The number of rows before them."""
    since: Longs
    """Where the rows begin from which it was derived."""
    used: Ints
    """Rows, and as -v the variables that are certain."""
    when: Ints
    """Length of the trail before the row was propagated."""
    distance: Ints
    """Number of decisions on which its literals depended."""
    recent: Ints
    """Number of rows when it was last used."""


class LearnerState(NamedTuple):
    """The state of the search."""

    numbers: Longs
    value: Bytes
    """Of each literal: 1 true, -1 false, 0 open."""
    head: Ints
    """First place in which a literal is watched, or -1."""
    level: Ints
    reason: Ints
    position: Ints
    trail: Ints
    starts: Ints
    """Length of the trail before each decision."""
    phase: Bytes
    """1 if a variable was true last."""
    activity: Floats
    step: Floats
    heap: Ints
    place: Ints
    """Of a variable in the heap, or -1."""
    seen: Bytes
    buffer: Ints
    stack: Ints
    clause: Ints
    cleared: Ints


@kernel
def _up(state: LearnerState, i: int) -> None:
    heap, place, activity = state.heap, state.place, state.activity
    v = heap[i]
    while i > 0:
        above = (i - 1) >> 1
        if activity[heap[above]] >= activity[v]:
            break
        heap[i] = heap[above]
        place[heap[i]] = i
        i = above
    heap[i] = v
    place[v] = i


@kernel
def _down(state: LearnerState, i: int) -> None:
    heap, place, activity = state.heap, state.place, state.activity
    count = state.numbers[HEAP]
    v = heap[i]
    while True:
        below = 2 * i + 1
        if below >= count:
            break
        if below + 1 < count and activity[heap[below + 1]] > activity[heap[below]]:
            below += 1
        if activity[heap[below]] <= activity[v]:
            break
        heap[i] = heap[below]
        place[heap[i]] = i
        i = below
    heap[i] = v
    place[v] = i


@kernel
def push(state: LearnerState, v: int) -> None:
    """Put a variable into the heap, the most active first."""
    if state.place[v] < 0:
        i = state.numbers[HEAP]
        state.numbers[HEAP] += 1
        state.heap[i] = v
        _up(state, i)


@kernel
def _pop(state: LearnerState) -> int:
    v = int(state.heap[0])
    state.numbers[HEAP] -= 1
    state.place[v] = -1
    if state.numbers[HEAP] > 0:
        last = state.heap[state.numbers[HEAP]]
        state.heap[0] = last
        _down(state, 0)
    return v


@kernel
def _bump(state: LearnerState, v: int) -> None:
    state.activity[v] += state.step[0]
    if state.activity[v] > _LARGE:
        state.activity[:] /= _LARGE
        state.step[0] /= _LARGE
    if state.place[v] >= 0:
        _up(state, state.place[v])


@kernel
def _assign(state: LearnerState, x: int, reason: int) -> None:
    v = x >> 1
    state.value[x] = 1
    state.value[x ^ 1] = -1
    state.level[v] = state.numbers[DEPTH]
    state.reason[v] = reason
    state.position[v] = state.numbers[TRAIL]
    state.trail[state.numbers[TRAIL]] = x
    state.numbers[TRAIL] += 1


@kernel
def _back(wide: WideRows, state: LearnerState, depth: int) -> None:
    """Take back all decisions but the first ones."""
    if depth >= state.numbers[DEPTH]:
        return
    start = state.starts[depth]
    for i in range(state.numbers[TRAIL] - 1, start - 1, -1):
        x = state.trail[i]
        if i < state.numbers[DONE]:
            for t in range(wide.first[x ^ 1], wide.first[(x ^ 1) + 1]):
                wide.slack[wide.row[t]] += wide.factor[t]
        state.value[x] = state.value[x ^ 1] = 0
        state.phase[x >> 1] = 1 - (x & 1)
        push(state, x >> 1)
    state.numbers[TRAIL] = start
    state.numbers[DONE] = min(start, state.numbers[DONE])
    state.numbers[DEPTH] = depth


@kernel
def _watch(rows: LearnerRows, state: LearnerState, row: int) -> None:
    """Link the first two literals of a clause."""
    b = rows.begin[row]
    for k in range(2):
        x = rows.literal[b + k]
        rows.follows[2 * row + k] = state.head[x]
        rows.other[2 * row + k] = rows.literal[b + 1 - k]
        state.head[x] = 2 * row + k


@kernel
def _propagate(rows: LearnerRows, wide: WideRows, state: LearnerState) -> int:
    """Propagate the trail; return a row that cannot hold, or -1."""
    value, literal, begin = state.value, rows.literal, rows.begin
    numbers = state.numbers
    while numbers[DONE] < numbers[TRAIL]:
        false = state.trail[numbers[DONE]] ^ 1
        numbers[DONE] += 1
        bad = -1
        for t in range(wide.first[false], wide.first[false + 1]):
            r = wide.row[t]
            wide.slack[r] -= wide.factor[t]
            if wide.slack[r] < 0:
                bad = r
        if bad >= 0:
            return int(bad)
        for t in range(wide.first[false], wide.first[false + 1]):
            r = wide.row[t]
            for u in range(begin[r], begin[r + 1]):
                if wide.coefficient[u] <= wide.slack[r]:
                    break
                if value[literal[u]] == 0:
                    _assign(state, literal[u], r)
        before = -1
        s = state.head[false]
        while s >= 0:
            following = rows.follows[s]
            if value[rows.other[s]] > 0:
                before, s = s, following
                continue
            c = s >> 1
            mine = begin[c] + (s & 1)
            y = literal[begin[c] + 1 - (s & 1)]
            moved = False
            if value[y] <= 0:
                for u in range(begin[c] + 2, begin[c + 1]):
                    z = literal[u]
                    if value[z] >= 0:
                        literal[mine], literal[u] = z, false
                        if before < 0:
                            state.head[false] = following
                        else:
                            rows.follows[before] = following
                        rows.follows[s] = state.head[z]
                        state.head[z] = s
                        moved = True
                        break
            rows.other[s] = y
            if not moved:
                before = s
                if value[y] < 0:
                    return int(c)
                if value[y] == 0:
                    _assign(state, y, c)
            s = following
    return -1


@kernel
def _explain(
    rows: LearnerRows, wide: WideRows, state: LearnerState, row: int, x: int
) -> int:
    """Write false literals of a row that force literal x, or contradict it (x < 0).

    Returns how many.
    """
    count = 0
    buffer = state.buffer
    if row >= len(wide.is_wide) or not wide.is_wide[row]:
        for u in range(rows.begin[row], rows.begin[row + 1]):
            if rows.literal[u] != x:
                buffer[count] = rows.literal[u]
                count += 1
        return count
    need = wide.room[row] + 1
    until = state.numbers[TRAIL]
    if x >= 0:
        until = state.position[x >> 1]
        for u in range(rows.begin[row], rows.begin[row + 1]):
            if rows.literal[u] == x:
                need -= wide.coefficient[u]
    for certain in range(2):  # first those that are certain: they cost nothing
        for u in range(rows.begin[row], rows.begin[row + 1]):
            y = rows.literal[u]
            v = y >> 1
            if need <= 0:
                break
            false = state.value[y] < 0 and state.position[v] < until
            if false and (state.level[v] == 0) == (certain == 0):
                buffer[count] = y
                count += 1
                need -= wide.coefficient[u]
    return count


@kernel
def _use(state: LearnerState, learned: Learned, row: int, when: int) -> None:
    """Note a row, or -v, from which the next clause is derived."""
    learned.used[state.numbers[USED]] = row
    learned.when[state.numbers[USED]] = when
    state.numbers[USED] += 1
    if row >= learned.formula[0]:
        learned.recent[row - learned.formula[0]] = state.numbers[ROWS]


@kernel
def _redundant(
    rows: LearnerRows,
    wide: WideRows,
    state: LearnerState,
    learned: Learned,
    x: int,
    cleared: int,
) -> tuple[bool, int]:
    """Whether a false literal follows from others of the clause learned.

    ``seen`` is 1 for literals of the clause, 2 for such that follow from them.
    """
    stack, seen = state.stack, state.seen
    first = cleared
    used = state.numbers[USED]
    stack[0] = x
    size = 1
    while size > 0:
        size -= 1
        y = stack[size]
        _use(state, learned, state.reason[y >> 1], state.position[y >> 1])
        for i in range(_explain(rows, wide, state, state.reason[y >> 1], y ^ 1)):
            z = state.buffer[i]
            v = z >> 1
            if seen[v]:
                continue
            if state.level[v] == 0:
                seen[v] = 2
                state.cleared[cleared] = v
                cleared += 1
                _use(state, learned, -v, state.position[v])
                continue
            if state.reason[v] < 0:
                for j in range(first, cleared):
                    seen[state.cleared[j]] = 0  # it may follow or not
                state.numbers[USED] = used
                return False, first
            seen[v] = 2
            state.cleared[cleared] = v
            cleared += 1
            stack[size] = z
            size += 1
    return True, cleared


@kernel
def _analyse(
    rows: LearnerRows, wide: WideRows, state: LearnerState, learned: Learned, row: int
) -> tuple[int, int, int]:
    """Derive a clause from a row that cannot hold, up to one literal of this level.

    Returns its length, the level on which it forces its first literal, and on how many
    levels its literals are.
    """
    seen, clause = state.seen, state.clause
    depth = state.numbers[DEPTH]
    count, cleared, open_ = 1, 0, 0
    x = -1
    i = state.numbers[TRAIL] - 1
    while True:
        _use(state, learned, row, i + 1)
        for n in range(_explain(rows, wide, state, row, x)):
            y = state.buffer[n]
            v = y >> 1
            if seen[v]:
                continue
            seen[v] = 1
            state.cleared[cleared] = v
            cleared += 1
            if state.level[v] == 0:
                _use(state, learned, -v, state.position[v])
                continue
            _bump(state, v)
            if state.level[v] == depth:
                open_ += 1
            else:
                clause[count] = y
                count += 1
        while not seen[state.trail[i] >> 1] or state.level[state.trail[i] >> 1] < depth:
            i -= 1
        x = state.trail[i]
        i -= 1
        open_ -= 1
        row = state.reason[x >> 1]
        if open_ <= 0:
            break
    clause[0] = x ^ 1
    kept = 1
    for n in range(1, count):
        y = clause[n]
        follows = False
        if state.reason[y >> 1] >= 0:
            follows, cleared = _redundant(rows, wide, state, learned, y, cleared)
        if not follows:
            clause[kept] = y
            kept += 1
    for n in range(cleared):
        seen[state.cleared[n]] = 0
    back, levels = 0, 1
    for n in range(1, kept):
        level = state.level[clause[n] >> 1]
        if level > back:
            back = level
            clause[1], clause[n] = clause[n], clause[1]
        if not seen[level]:
            seen[level] = 1
            levels += 1
    for n in range(1, kept):
        seen[state.level[clause[n] >> 1]] = 0
    return kept, back, levels


@kernel
def link(rows: LearnerRows, wide: WideRows, state: LearnerState, alive: Bytes) -> int:
    """Watch the clauses that are alive and not certain; no decision stands.

    Returns a row that cannot hold, or -1.
    """
    state.head[:] = -1
    literal, value = rows.literal, state.value
    for r in range(state.numbers[ROWS]):
        b, end = rows.begin[r], rows.begin[r + 1]
        if not alive[r]:
            continue
        if r < len(wide.is_wide) and wide.is_wide[r]:
            if wide.slack[r] < 0:
                return r
            for u in range(b, end):
                if wide.coefficient[u] > wide.slack[r] and value[literal[u]] == 0:
                    _assign(state, literal[u], r)
            continue
        found = 0
        for u in range(b, end):
            if value[literal[u]] > 0:
                found = -1
                break
            if value[literal[u]] == 0 and found < 2:
                literal[b + found], literal[u] = literal[u], literal[b + found]
                found += 1
        if found == 0:
            return r
        if found == 1:
            _assign(state, literal[b], r)
        elif found == 2:
            _watch(rows, state, r)
    return -1


@kernel
def search(
    rows: LearnerRows,
    wide: WideRows,
    state: LearnerState,
    learned: Learned,
    most: int,
    afresh: bool,
) -> int:
    """Search until so many clauses are learned; ``afresh``: no decision stands then.

    Returns `REFUTED`, after which the last entries of ``used`` derive the
    contradiction, `SATISFIED` or `MORE`.
    """
    numbers = state.numbers
    formula = len(wide.is_wide)
    variables = len(state.level)
    count = 0
    while True:
        bad = _propagate(rows, wide, state)
        if bad >= 0:
            learned.since[numbers[ROWS] - formula] = numbers[USED]
            if numbers[DEPTH] == 0:
                for n in range(_explain(rows, wide, state, bad, -1)):
                    v = state.buffer[n] >> 1
                    _use(state, learned, -v, state.position[v])
                _use(state, learned, bad, numbers[TRAIL])
                return REFUTED
            if (
                rows.begin[numbers[ROWS]] + variables > len(rows.literal)
                or numbers[ROWS] + 2 > len(rows.begin)
                or numbers[USED] + 3 * variables > len(learned.used)
            ):
                _back(wide, state, 0)
                return MORE
            size, back, levels = _analyse(rows, wide, state, learned, bad)
            row = numbers[ROWS]
            numbers[ROWS] += 1
            learned.since[row + 1 - formula] = numbers[USED]
            learned.distance[row - formula] = levels
            b = rows.begin[row]
            for n in range(size):
                rows.literal[b + n] = state.clause[n]
            rows.begin[row + 1] = b + size
            _back(wide, state, back)
            if size > 1:
                _watch(rows, state, row)
            _assign(state, state.clause[0], row)
            state.step[0] /= _DECAY
            count += 1
            continue
        if count >= most:
            if afresh:
                _back(wide, state, 0)
            return MORE
        v = 0
        while numbers[HEAP] > 0:
            v = _pop(state)
            if state.value[2 * v] == 0:
                break
            v = 0
        if v == 0:
            return SATISFIED
        state.starts[numbers[DEPTH]] = numbers[TRAIL]
        numbers[DEPTH] += 1
        _assign(state, 2 * v + 1 - state.phase[v], -1)


@kernel
def trace(
    rows: LearnerRows,
    wide: WideRows,
    state: LearnerState,
    learned: Learned,
    last: Longs,
) -> None:
    """Find what the contradiction rests on, after `REFUTED`.

    ``last[j]`` receives the number of the last clause learned that rests on clause j;
    the contradiction counts as one more; -1 if there is none. ``seen`` is 1 for the
    variables that have to be certain.
    """
    formula = len(wide.is_wide)
    count = state.numbers[ROWS] - formula
    last[:] = -1
    end = state.numbers[USED]
    for j in range(count, -1, -1):
        start = learned.since[j]
        if j == count or last[j] >= 0:
            for u in range(start, end):
                size = 0
                if learned.used[u] >= 0:
                    row = learned.used[u] - formula
                    if row >= 0:
                        last[row] = max(last[row], j)
                elif not state.seen[-learned.used[u]]:
                    state.seen[-learned.used[u]] = 1
                    state.stack[0] = -learned.used[u]
                    size = 1
                while size > 0:
                    size -= 1
                    v = state.stack[size]
                    row = state.reason[v]
                    x = 2 * v if state.value[2 * v] > 0 else 2 * v + 1
                    if row >= formula:
                        last[row - formula] = count
                    for n in range(_explain(rows, wide, state, row, x)):
                        y = state.buffer[n] >> 1
                        if not state.seen[y]:
                            state.seen[y] = 1
                            state.stack[size] = y
                            size += 1
        end = start
