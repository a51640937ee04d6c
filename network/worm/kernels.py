"""The fast path: worms of flits through buffers of one flit, an event per header step.

A packet is rigid: when its header takes channel j of its path, all its flits move, and
the last one leaves channel j - L. Two events per channel and packet remain: the header
asks for it, and if somebody waits for it when it becomes free, it is granted. From the
cycle in which the header reaches the ejection channel nothing can stop the packet, so
the cycles in which its channels become free are written down at once.

A cycle has three parts: messages arrive and release others; headers join the queues of
channels, which are ordered by (cycle, rank); free channels are granted to the heads of
their queues, which may free further channels. What a cycle does is the same in
whatever order each part is worked off: a channel is granted at most once per cycle, and
freed at most once.
"""

from __future__ import annotations

from ...solvers.running.kernels import kernel
from .layout import (
    ASKING,
    AT,
    BEHIND,
    BLOCKED,
    BUCKETS,
    CARRIED,
    DUE,
    ENDED,
    EVENTS,
    FIRST,
    FOREVER,
    FREE_AT,
    HEAD,
    IDLE,
    INBOX,
    LAST,
    LEFT,
    LENGTH,
    LOCAL,
    PACKET,
    RANK,
    READY,
    SINCE,
    SPARE,
    STOPPED,
    TAIL,
    TIME,
    TIMED,
    TIMES,
    WHO,
    WIDTH,
    WORK,
    C,
    Ints,
    Mail,
    Path,
    W,
    Wires,
    Worms,
)


@kernel
def release(mail: Mail, t: int) -> None:
    """Release the messages whose time has come, and those that wait for arrivals.

    Empties `inbox`; messages that need the network are appended to `ready`.
    """
    tally = mail.tally
    inbox = mail.inbox
    count = tally[INBOX]
    at = tally[TIMED]
    while at < tally[TIMES] and mail.times[at] <= t:
        i = mail.timed[at]
        at += 1
        mail.waits[i] -= 1
        if mail.waits[i] == 0:
            inbox[count] = i
            count += 1
    tally[TIMED] = at
    done = 0
    while done < count:
        i = inbox[done]
        done += 1
        if i >= 0:
            mail.sent[i] = t
            if mail.source[i] != mail.target[i] or tally[LOCAL]:
                mail.ready[tally[READY]] = i
                tally[READY] += 1
                continue
        else:
            i = -1 - i
        mail.delivered[i] = t
        tally[LEFT] -= 1
        j = mail.job[i]
        mail.undelivered[j] -= 1
        if mail.undelivered[j] == 0:
            mail.ended[tally[ENDED]] = j
            tally[ENDED] += 1
        for k in range(mail.first[i], mail.first[i + 1]):
            other = mail.following[k]
            mail.waits[other] -= 1
            if mail.waits[other] == 0:
                inbox[count] = other
                count += 1
    tally[INBOX] = 0


@kernel
def sort_by_rank(ready: Ints, rank: Ints, n: int) -> None:
    """Sort the first n messages by rank; O(n) if they are sorted, else O(n^1.5)."""
    gap = 1
    for i in range(1, n):
        if rank[ready[i]] < rank[ready[i - 1]]:
            while gap < n // 3:
                gap = 3 * gap + 1
            break
    else:
        return
    while gap >= 1:
        for i in range(gap, n):
            one = ready[i]
            at = i
            while at >= gap and rank[ready[at - gap]] > rank[one]:
                ready[at] = ready[at - gap]
                at -= gap
            ready[at] = one
        gap //= 3


@kernel
def lay(wires: Wires, path: Path, base: int, x: int, y: int) -> int:
    """Write the links from node x to y, axis by axis, behind path[base]; as `C * c`.

    Returns
    -------
    int
        Index of the ejection channel: base + 1 + hops.
    """
    side, coordinate = wires.side, wires.coordinate
    block, lanes = wires.numbers[1], wires.numbers[2]
    d = len(side)
    at = base + 1
    node = x
    for a in range(d):
        p = coordinate[x * d + a]
        q = coordinate[y * d + a]
        if p == q:
            continue
        back = q < p
        hops = p - q if back else q - p
        high = 0  # hops in the upper lane: up to and with the link that wraps around
        s = wires.ring[a]
        if s and (2 * hops > s or (2 * hops == s and back != (wires.odd[x] == 1))):
            back = not back
            hops = s - hops
            high = p + 1 if back else s - p
        turn = 1 if back else 0
        step = C * block * (-wires.stride[a] if back else wires.stride[a])
        c = C * (node * block + (2 * a + turn) * lanes)
        if high:
            for _ in range(high):
                path[at] = c + C * (lanes - 1)
                at += 1
                c += step
            c -= side[a] * step
            hops -= high
        for _ in range(hops):
            path[at] = c
            at += 1
            c += step
        node += (q - p) * wires.stride[a]
    path[at] = C * (y * block + block - 1)
    return at


@kernel
def put(bucket: Ints, chained: Ints, event: int, t: int, when: int) -> None:
    """Note an event; one that is too far away for the ring goes round once more."""
    slot = min(when, t + BUCKETS - 1) & (BUCKETS - 1)
    chained[event] = bucket[slot]
    bucket[slot] = event


# One loop over flat arrays. With arrivals, queues of nodes and new packets in kernels
# of their own, a cycle of an 8x8 mesh with few packets takes three times as long (60,
# not 20 ns): a message needs a call of each, and a call counts references to 28 arrays.
@kernel
def run_until(mail: Mail, wires: Wires, worms: Worms, until: int) -> int:
    """Go on until a job ends, or a cycle is reached, or nothing can move.

    Arrivals of the last cycle are noted, but no channel is granted in it: messages that
    are added then take part in it.
    """
    tally = mail.tally
    path, worm, channel = worms.path, worms.worm, worms.channel
    bucket, chained = worms.bucket, worms.chained
    asking, work, numbers = worms.asking, worms.work, worms.numbers
    width = numbers[WIDTH]
    entries = wires.numbers[0] * wires.numbers[1]  # injection channels from here
    channels = entries + wires.numbers[0]
    askings, works = numbers[ASKING], numbers[WORK]
    spares, events = numbers[SPARE], numbers[EVENTS]
    t = tally[TIME]
    answer = STOPPED
    while True:
        e = bucket[t & (BUCKETS - 1)]
        bucket[t & (BUCKETS - 1)] = -1
        while e >= 0:
            following = chained[e]
            if e < channels:
                when = channel[C * e + FREE_AT]
            else:
                w = W * (e - channels)
                when = worm[w + DUE]
            if when > t:
                put(bucket, chained, e, t, when)
            elif e < channels:
                events -= 1
                work[works] = C * e
                works += 1
            else:
                events -= 1
                worms.spare[spares] = w
                spares += 1
                i = worm[w + WHO]
                mail.missing[i] -= worm[w + LENGTH]
                if mail.missing[i] == 0:
                    mail.inbox[tally[INBOX]] = -1 - i
                    tally[INBOX] += 1
            e = following
        if tally[INBOX] or (
            tally[TIMED] < tally[TIMES] and mail.times[tally[TIMED]] <= t
        ):
            release(mail, t)
        if t >= until or tally[ENDED]:
            break

        if tally[READY]:  # messages join the queues of their nodes
            if tally[READY] > 1:
                sort_by_rank(mail.ready, mail.rank, tally[READY])
            for k in range(tally[READY]):
                i = mail.ready[k]
                mail.later[i] = -1
                c = C * (entries + mail.source[i])
                if channel[c + HEAD] >= 0:
                    mail.later[channel[c + TAIL]] = i
                    channel[c + TAIL] = i
                    continue
                channel[c + HEAD] = channel[c + TAIL] = i
                when = channel[c + FREE_AT]
                if when <= t:
                    work[works] = c
                    works += 1
                elif when < FOREVER:
                    put(bucket, chained, c // C, t, when)
                    events += 1
            tally[READY] = 0

        for k in range(askings):  # headers join the queues of channels
            w = asking[k]
            c = path[worm[w + AT]]
            worm[w + SINCE] = t
            one = channel[c + HEAD]
            if one < 0:
                worm[w + BEHIND] = -1
                channel[c + HEAD] = channel[c + TAIL] = w
                when = channel[c + FREE_AT]
                if when <= t:
                    work[works] = c
                    works += 1
                elif when < FOREVER:
                    put(bucket, chained, c // C, t, when)
                    events += 1
                continue
            rank = worm[w + RANK]
            before = channel[c + TAIL]
            if worm[before + SINCE] == t and worm[before + RANK] > rank:
                before = -1
                while worm[one + SINCE] < t or worm[one + RANK] < rank:
                    before = one
                    one = worm[one + BEHIND]
            if before < 0:
                worm[w + BEHIND] = one
                channel[c + HEAD] = w
            else:
                one = worm[before + BEHIND]
                worm[w + BEHIND] = one
                worm[before + BEHIND] = w
                if one < 0:
                    channel[c + TAIL] = w
        askings = 0

        k = 0
        while k < works:  # channels are granted, which frees others
            c = work[k]
            k += 1
            w = channel[c + HEAD]
            if c < C * entries:
                channel[c + HEAD] = worm[w + BEHIND]
                flits = worm[w + LENGTH]
                at = worm[w + AT]
            else:
                i = w
                flits = min(mail.rest[i], tally[PACKET])
                mail.rest[i] -= flits
                if mail.rest[i] == 0:
                    channel[c + HEAD] = mail.later[i]
                spares -= 1
                w = worms.spare[spares]
                worm[w + WHO] = i
                worm[w + RANK] = mail.rank[i]
                worm[w + LENGTH] = flits
                at = w // W * width
                worm[w + FIRST] = at
                path[at] = c
                worm[w + LAST] = lay(wires, path, at, mail.source[i], mail.target[i])
            channel[c + CARRIED] += flits
            worm[w + AT] = at + 1
            if at < worm[w + LAST]:
                channel[c + FREE_AT] = FOREVER
                asking[askings] = w
                askings += 1
                if at - flits >= worm[w + FIRST]:
                    c = path[at - flits]
                    channel[c + FREE_AT] = t
                    if channel[c + HEAD] >= 0:
                        work[works] = c
                        works += 1
                continue
            when = t + flits
            worm[w + DUE] = when
            put(bucket, chained, channels + w // W, t, when)
            events += 1
            for j in range(at, max(worm[w + FIRST], at - flits) - 1, -1):
                c = path[j]
                channel[c + FREE_AT] = when
                if channel[c + HEAD] >= 0:
                    if when == t:
                        work[works] = c
                        works += 1
                    else:
                        put(bucket, chained, c // C, t, when)
                        events += 1
                when -= 1
        works = 0

        if askings:
            t += 1
            continue
        soon = until
        if tally[TIMED] < tally[TIMES]:
            soon = min(soon, mail.times[tally[TIMED]])
        if events:
            s = t + 1
            while s < soon and bucket[s & (BUCKETS - 1)] < 0:
                s += 1
            soon = s
        elif tally[TIMED] == tally[TIMES]:
            answer = BLOCKED if tally[LEFT] else IDLE
            break
        t = soon
    tally[TIME] = t
    numbers[ASKING], numbers[WORK] = askings, works
    numbers[SPARE], numbers[EVENTS] = spares, events
    return answer
