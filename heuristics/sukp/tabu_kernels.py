"""Kernels of the tabu search for the set-union knapsack; see ``tabu``.

Both sides of the search choose *things* that cover *parts*: items cover elements, and
elements taken out cover the items that need them. A side keeps, for what it has chosen,

- ``covers`` and ``owner`` of each part: how many chosen things cover it, and the sum of
  their indices, which is the one thing if there is only one;
- ``gain`` of each thing: what the parts are worth that it would cover again;
- ``loss``, a matrix: of the parts that thing i alone covers, row i has at j what those
  are worth that j covers too. So loss[i, i] is what leaves with i, and a swap of i for
  j changes what is covered by gain[j] + loss[i, j] - loss[i, i].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

OWN, COVERED, BEST_OF_TURN, IDLE, TURNS = 0, 1, 2, 3, 4
"""Of ``state``: the chosen things' own numbers added up, the worth of the parts that
they cover, the best objective of this turn (see `fresh`), moves since, turns begun."""
KEY, RANDOM = 0, 1
"""Of ``words``: hash of what is chosen, state of the random numbers."""
FAR = 2**62
NONE = -1
ENDED = -1
"""What a turn returns when it is over, less the moves it has made."""


class Side(NamedTuple):
    """What can be chosen, what it covers, and what is chosen now."""

    own: Ints  # of each thing: profit of an item, weight of an element
    worth: Ints  # of each part: weight of an element, profit of an item
    start: Ints  # thing t covers ``parts[start[t]:start[t + 1]]``
    parts: Ints
    back: Ints  # part p is covered by ``things[back[p]:back[p + 1]]``
    things: Ints
    inside: Flags
    covers: Ints
    owner: Ints
    gain: Ints
    loss: Ints
    sign: Words  # of each thing: a random number; a set's hash is their exclusive or
    seen: Words  # hashes of sets met before, each where its lowest bits say
    state: Ints
    words: Words


@kernel
def draw(words: Words, below: int) -> int:
    """Return a random number from 0 to below - 1 (xorshift64*)."""
    x = words[RANDOM]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    words[RANDOM] = x
    return int(x * np.uint64(2685821657736338717) >> np.uint64(11)) % below


@kernel
def enter(side: Side, t: int) -> None:
    """Add a thing to the choice."""
    worth, parts, back, things = side.worth, side.parts, side.back, side.things
    covers, owner, gain, loss = side.covers, side.owner, side.gain, side.loss
    side.state[OWN] += side.own[t]
    side.state[COVERED] += gain[t]
    side.words[KEY] ^= side.sign[t]
    side.inside[t] = True
    row = loss[t]
    for at in range(side.start[t], side.start[t + 1]):
        p = parts[at]
        w = worth[p]
        if covers[p] == 0:
            for b in range(back[p], back[p + 1]):
                gain[things[b]] -= w
                row[things[b]] += w
        elif covers[p] == 1:
            other = loss[owner[p]]
            for b in range(back[p], back[p + 1]):
                other[things[b]] -= w
        covers[p] += 1
        owner[p] += t


@kernel
def leave(side: Side, t: int) -> None:
    """Remove a thing from the choice."""
    worth, parts, back, things = side.worth, side.parts, side.back, side.things
    covers, owner, gain, loss = side.covers, side.owner, side.gain, side.loss
    row = loss[t]
    side.state[OWN] -= side.own[t]
    side.state[COVERED] -= row[t]
    side.words[KEY] ^= side.sign[t]
    side.inside[t] = False
    for at in range(side.start[t], side.start[t + 1]):
        p = parts[at]
        w = worth[p]
        owner[p] -= t
        covers[p] -= 1
        if covers[p] == 0:
            for b in range(back[p], back[p + 1]):
                gain[things[b]] += w
                row[things[b]] -= w
        elif covers[p] == 1:
            other = loss[owner[p]]
            for b in range(back[p], back[p + 1]):
                other[things[b]] += w


@kernel
def was_met(seen: Words, key: np.uint64) -> bool:
    """Whether a set of this hash was met, as far as is remembered."""
    return bool(seen[key & np.uint64(len(seen) - 1)] == key)


@kernel
def move(side: Side, out: int, new: int) -> None:
    """Make a move, and remember the set it leads to."""
    if out != NONE:
        leave(side, out)
    if new != NONE:
        enter(side, new)
    key = side.words[KEY]
    side.seen[key & np.uint64(len(side.seen) - 1)] = key


@kernel
def shake(side: Side, percent: int) -> None:
    """Drop each chosen thing with this probability; a new turn begins."""
    for t in range(len(side.inside)):
        if side.inside[t] and draw(side.words, 100) < percent:
            leave(side, t)
    side.state[BEST_OF_TURN] = FAR
    side.state[IDLE] = 0
    side.state[TURNS] += 1


@kernel
def refill_items(side: Side, capacity: int) -> None:
    """Put random items in as long as they fit, as many tries as there are items."""
    for _ in range(len(side.inside)):
        t = draw(side.words, len(side.inside))
        if not side.inside[t] and side.state[COVERED] + side.gain[t] <= capacity:
            enter(side, t)


@kernel
def refill_elements(side: Side, need: int) -> None:
    """Take random elements out until they weigh enough."""
    n = len(side.inside)
    while side.state[OWN] < need:
        t = draw(side.words, n)
        while side.inside[t]:
            t = (t + 1) % n
        enter(side, t)


@kernel
def best_of_items(side: Side, capacity: int) -> tuple[int, int]:
    """Return the move of most profit to a set of items that fits, not met before.

    Items must be ordered by falling profit. Of equal moves a random one; items are
    swapped only where none can be added, and dropped where that loses less.
    """
    own, inside, gain, loss = side.own, side.inside, side.gain, side.loss
    sign, seen, words = side.sign, side.seen, side.words
    n = len(own)
    key = words[KEY]
    room = capacity - side.state[COVERED]
    best, out, new, ties = -FAR, NONE, NONE, 0
    for j in range(n):
        if own[j] < best:
            break
        if inside[j] or gain[j] > room or was_met(seen, key ^ sign[j]):
            continue
        ties = ties + 1 if own[j] == best else 1
        if draw(words, ties) == 0:
            best, new = own[j], j
    if new != NONE:
        return NONE, new
    for i in range(n):
        if not inside[i]:
            continue
        row = loss[i]
        space = room + row[i]
        without = key ^ sign[i]
        for j in range(n):
            if own[j] - own[i] < best:
                break
            if (
                inside[j]
                or gain[j] + row[j] > space
                or was_met(seen, without ^ sign[j])
            ):
                continue
            ties = ties + 1 if own[j] - own[i] == best else 1
            if draw(words, ties) == 0:
                best, out, new = own[j] - own[i], i, j
    for i in range(n - 1, -1, -1):
        if -own[i] <= best:
            break
        if inside[i] and not was_met(seen, key ^ sign[i]):
            return i, NONE
    return out, new


@kernel
def best_of_elements(side: Side, need: int) -> tuple[int, int]:
    """Return the move of least loss to elements that weigh enough, not met before.

    Elements must be ordered by falling weight. Of equal swaps a random one; one is
    put back where that can be, and one more taken out where that costs less.
    """
    own, inside, gain, loss = side.own, side.inside, side.gain, side.loss
    sign, seen, words = side.sign, side.seen, side.words
    n = len(own)
    key = words[KEY]
    slack = side.state[OWN] - need
    best, out, new, ties = FAR, NONE, NONE, 0
    for i in range(n - 1, -1, -1):
        if own[i] > slack:
            break
        if inside[i] and -loss[i, i] < best and not was_met(seen, key ^ sign[i]):
            best, out = -loss[i, i], i
    if out != NONE:
        return out, NONE
    for i in range(n):
        if not inside[i]:
            continue
        row = loss[i]
        least = own[i] - slack
        without = key ^ sign[i]
        limit = best + row[i]
        for j in range(n):
            if own[j] < least:
                break
            if gain[j] > limit or inside[j]:
                continue
            change = gain[j] + row[j]
            if change > limit or was_met(seen, without ^ sign[j]):
                continue
            ties = ties + 1 if change == limit else 1
            limit = change
            if draw(words, ties) == 0:
                out, new = i, j
        best = limit - row[i]
    for j in range(n):
        if not inside[j] and gain[j] < best and not was_met(seen, key ^ sign[j]):
            best, out, new = gain[j], NONE, j
    return out, new


@kernel
def turn(
    side: Side,
    elements: bool,
    limit: int,
    record: Ints,
    kept: Flags,
    patience: int,
    percent: int,
    budget: int,
) -> int:
    """Make moves until a turn is over or so many are made.

    Parameters
    ----------
    elements
        Whether the side's things are elements that are taken out.
    limit
        Capacity for items; for elements, what they must weigh at least.
    record, kept
        Least profit left out so far, and its items in the order of the side of items.
    patience, percent
        Moves without a new best after which the turn is over; chance of each chosen
        thing to be dropped before the next one.

    Returns
    -------
    int
        Moves made; if the turn is over, ``ENDED`` less these.
    """
    state = side.state
    total = 0
    if not elements:
        for t in range(len(side.own)):
            total += side.own[t]
    elif state[OWN] < limit:
        refill_elements(side, limit)
    for made in range(budget):
        if elements:
            out, new = best_of_elements(side, limit)
        else:
            out, new = best_of_items(side, limit)
        stuck = out == NONE and new == NONE
        if not stuck:
            move(side, out, new)
        left_out = state[COVERED] if elements else total - state[OWN]
        if left_out < state[BEST_OF_TURN]:
            state[BEST_OF_TURN] = left_out
            state[IDLE] = 0
            if left_out < record[0]:
                record[0] = left_out
                for i in range(len(kept)):
                    kept[i] = side.covers[i] == 0 if elements else side.inside[i]
        else:
            state[IDLE] += 1
        if stuck or state[IDLE] > patience:
            shake(side, percent)
            if elements:
                refill_elements(side, limit)
            else:
                refill_items(side, limit)
            return ENDED - (made + 1)
    return budget
