"""Kernels of the flow-level engine: fair rates, and the time until they change.

Cycles are integers; a message that drains within a cycle is done at its end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel
from ..cut_through.kernels_mail import deliver, pop, push
from ..cut_through.layout import (
    ACTIVE,
    ARRIVING,
    ENDED,
    FOLLOWING,
    HEAP,
    IDLE,
    JOB_ENDED,
    NOW,
    REACHED,
    READY,
    SENT,
    SOURCE,
    STALE,
    TARGET,
    Ints,
    Mail,
)

Floats = npt.NDArray[np.float64]
NEEDS_ROOM = 3
"""`flow` came back for more scratch; call it again."""
_DRAINED = 1e-6
"""Phits below which nothing is left of a message; rounding errors are smaller."""


class Flows(NamedTuple):
    """Messages as flows.

    Parameters
    ----------
    route
        Number of the pair of each message.
    first, links, shares
        Entries of each pair: links, and the share of a message on each.
    hops
        Links that a message of each pair crosses.
    left, size, rate
        Phits of each message that are still to be sent, and in all, and per cycle.
    active
        Messages that are being sent, the first ``tally[ACTIVE]``.
    front, last
        Of each processor the message that it sends and the last one that waits.
    arrivals
        Heap of sent messages by the cycle at which they arrive.
    carried
        Phits sent over each link, and out of each processor.
    since
        Cycle for which ``left`` holds; whether processors send their messages in turn.
    together
        Phits per cycle of each link, and out of each processor, if several messages
        share it; one alone has 1.
    """

    route: Ints
    first: Ints
    links: Ints
    shares: Floats
    hops: Ints
    left: Floats
    size: Floats
    rate: Floats
    active: Ints
    front: Ints
    last: Ints
    arrivals: Ints
    carried: Floats
    since: Ints
    together: Floats


class FairScratch(NamedTuple):
    """Room for `fair`: entries by link, and what is left of links."""

    following: Ints
    owner: Ints
    head: Ints
    used: Ints
    unfixed: Ints
    weight: Floats
    room: Floats


@kernel
def fair(
    active: Ints,
    route: Ints,
    first: Ints,
    links: Ints,
    shares: Floats,
    rate: Floats,
    together: Floats,
    scratch: FairScratch,
) -> bool:
    """Set the max-min fair rates of flows by progressive filling.

    All rates grow together; when a link is full those of its flows are fixed. A flow of
    rate r takes the share of r of each of its links; a link carries 1 a cycle for one
    message, and what ``together`` states for several.

    Parameters
    ----------
    active
        Flows.
    route, first, links, shares, together
        See `Flows`.
    rate
        Receives the rates.
    scratch
        Room; ``head`` must be -1 everywhere, and is again.

    Returns
    -------
    bool
        Whether there was room enough.
    """
    following, owner, head, used, unfixed, weight, room = scratch
    entries = 0
    for flow in active:
        entries += first[route[flow] + 1] - first[route[flow]]
    if entries > len(following):
        return False
    lines = 0
    entries = 0
    for flow in active:
        rate[flow] = -1.0
        for i in range(first[route[flow]], first[route[flow] + 1]):
            link = links[i]
            if head[link] < 0:
                used[lines] = link
                lines += 1
                unfixed[link] = 0
                weight[link] = 0.0
                room[link] = 1.0
            following[entries] = head[link]
            owner[entries] = flow
            head[link] = entries
            entries += 1
            unfixed[link] += 1
            if unfixed[link] == 2:
                room[link] = together[link]
            weight[link] += shares[i]
    busy = lines
    while True:
        best = -1
        level = 0.0
        i = 0
        while i < busy:
            link = used[i]
            if unfixed[link] == 0:  # behind those that still have flows to fix
                busy -= 1
                used[i] = used[busy]
                used[busy] = link
                continue
            value = max(room[link], 0.0) / weight[link]
            if best < 0 or value < level:
                best = link
                level = value
            i += 1
        if best < 0:
            break
        entry = head[best]
        while entry >= 0:
            flow = owner[entry]
            entry = following[entry]
            if rate[flow] >= 0.0:
                continue
            rate[flow] = level
            for i in range(first[route[flow]], first[route[flow] + 1]):
                link = links[i]
                unfixed[link] -= 1
                weight[link] -= shares[i]
                room[link] -= level * shares[i]
    for i in range(lines):
        head[used[i]] = -1
    return True


@kernel
def drain(tally: Ints, mail: Mail, flows: Flows) -> None:
    """Send what the rates have allowed since the last change."""
    messages = mail.messages
    now = tally[NOW]
    elapsed = now - flows.since[0]
    flows.since[0] = now
    kept = 0
    for j in range(tally[ACTIVE]):
        message = flows.active[j]
        flows.left[message] -= elapsed * flows.rate[message]
        if flows.left[message] > _DRAINED:
            flows.active[kept] = message
            kept += 1
            continue
        tally[STALE] = 1
        pair = flows.route[message]
        for i in range(flows.first[pair], flows.first[pair + 1]):
            flows.carried[flows.links[i]] += flows.shares[i] * flows.size[message]
        messages[message, READY] = now + flows.hops[pair]
        push(message, tally[ARRIVING], flows.arrivals, messages)
        tally[ARRIVING] += 1
        if flows.since[1]:
            source = messages[message, SOURCE]
            following = messages[message, FOLLOWING]
            flows.front[source] = following
            if following >= 0:
                flows.active[kept] = following
                kept += 1
    tally[ACTIVE] = kept


@kernel
def post(tally: Ints, mail: Mail, flows: Flows) -> None:
    """Deliver what arrives now, and begin what is ready, in order of number."""
    messages = mail.messages
    now = tally[NOW]
    while tally[ARRIVING] and messages[flows.arrivals[0], READY] <= now:
        message = pop(tally[ARRIVING], flows.arrivals, messages)
        tally[ARRIVING] -= 1
        deliver(message, now, tally, mail)
    while tally[HEAP] and messages[mail.heap[0], READY] <= now:
        message = pop(tally[HEAP], mail.heap, messages)
        tally[HEAP] -= 1
        messages[message, SENT] = now
        source = messages[message, SOURCE]
        if source == messages[message, TARGET]:
            deliver(message, now, tally, mail)
            continue
        if flows.since[1]:
            if flows.front[source] >= 0:
                messages[flows.last[source], FOLLOWING] = message
                flows.last[source] = message
                continue
            flows.front[source] = message
            flows.last[source] = message
        flows.active[tally[ACTIVE]] = message
        tally[ACTIVE] += 1
        tally[STALE] = 1


@kernel
def flow(
    tally: Ints, mail: Mail, flows: Flows, scratch: FairScratch, until: int
) -> int:
    """Simulate until a job ends, a cycle is reached (if at least 0), or all is sent."""
    messages = mail.messages
    tally[ENDED] = 0
    while True:
        drain(tally, mail, flows)
        post(tally, mail, flows)
        if tally[ENDED]:
            return JOB_ENDED
        if until >= 0 and tally[NOW] >= until:
            return REACHED
        active = flows.active[: tally[ACTIVE]]
        if tally[STALE]:
            if not fair(
                active,
                flows.route,
                flows.first,
                flows.links,
                flows.shares,
                flows.rate,
                flows.together,
                scratch,
            ):
                return NEEDS_ROOM
            tally[STALE] = 0
        following = -1
        if tally[ARRIVING]:
            following = messages[flows.arrivals[0], READY]
        if tally[HEAP]:
            ready = messages[mail.heap[0], READY]
            if following < 0 or ready < following:
                following = ready
        for message in active:
            cycles = np.ceil((flows.left[message] - _DRAINED) / flows.rate[message])
            done = tally[NOW] + max(1, int(cycles))
            if following < 0 or done < following:
                following = done
        if following < 0:
            return IDLE
        if until >= 0 and following > until:
            tally[NOW] = until
            drain(tally, mail, flows)
            return REACHED
        tally[NOW] = following
