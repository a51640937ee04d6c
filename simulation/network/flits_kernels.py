"""Wormhole routers flit by flit.

A cycle has five parts. Credits come back. Ejection channels are read, and arrivals
release messages. Sources begin packets. Headers at the front of their buffers are given
virtual channels of the output that they want. Then the switch: a virtual channel sends
its first flit on if that has been in the router long enough and there is a credit, at
most one flit over each wire and out of each input.

Without virtual channels nothing is left for the switch to decide, and a flit moves
whenever it can; if credits take no time, a flit that leaves lets the one behind it take
its place in the same cycle. This has one outcome, in whatever order buffers are tried:
a flit that can move goes on being able to until it has moved.
"""

from __future__ import annotations

from ...solvers.kernels import kernel
from .flits_layout import (
    ASKED,
    AT,
    BORN,
    BUBBLE,
    BUFFER,
    CAME,
    CARRIED,
    COUNT,
    DELAY,
    ENTRY,
    FED,
    FEEDER,
    FIRST,
    FLITS,
    GO,
    HALVES,
    INTO,
    LAST,
    LEFT_AT,
    LENGTH,
    NEXT_BID,
    NEXT_IN,
    NEXT_OUT,
    NEXT_OWN,
    NEXT_VC,
    OUT,
    OWNER,
    ROBIN,
    ROOM,
    SENDING,
    SINCE,
    SPARE,
    STAGES,
    START,
    VIRTUAL,
    WENT,
    WHO,
    WIDTH,
    WIRE,
    Routers,
)
from .worm_kernels import lay, release, sort_by_rank
from .worm_layout import (
    BLOCKED,
    ENDED,
    IDLE,
    INBOX,
    LEFT,
    PACKET,
    READY,
    STOPPED,
    TIME,
    TIMED,
    TIMES,
    C,
    Mail,
    Wires,
)


@kernel
def push(routers: Routers, q: int, slot: int, number: int, when: int, t: int) -> None:
    """Put a flit over a wire into the buffer of virtual channel q."""
    numbers, virtual, wire = routers.numbers, routers.virtual, routers.wire
    size = numbers[BUFFER]
    at = q * size + (virtual[q, START] + virtual[q, COUNT]) % size
    routers.flit[at, 0] = slot
    routers.flit[at, 1] = number
    routers.flit[at, 2] = when
    virtual[q, COUNT] += 1
    virtual[q, ROOM] -= 1
    port = q // numbers[VIRTUAL]
    wire[port, CAME] = t
    wire[port, CARRIED] += 1
    if number == routers.packet[slot, LENGTH] - 1:
        virtual[q, FEEDER] = -1
        virtual[q, OWNER] = -1


@kernel
def pop(routers: Routers, q: int, t: int) -> None:
    """Take the first flit out of the buffer of q; the credit goes back."""
    virtual, numbers = routers.virtual, routers.numbers
    virtual[q, START] = (virtual[q, START] + 1) % numbers[BUFFER]
    virtual[q, COUNT] -= 1
    virtual[q, LEFT_AT] = t
    delay = numbers[DELAY]
    if delay == 0:
        virtual[q, ROOM] += 1
        return
    at = (t + delay) % (delay + 1)
    routers.returned[at, routers.returns[at]] = q
    routers.returns[at] += 1


@kernel
def may_go(routers: Routers, q: int, t: int) -> bool:
    """Tell whether the first flit of q can cross the switch in this cycle."""
    virtual = routers.virtual
    out = virtual[q, OUT]
    if out < 0 or virtual[q, COUNT] == 0 or virtual[q, GO] > t:
        return False
    at = q * routers.numbers[BUFFER] + virtual[q, START]
    return bool(
        virtual[q, LEFT_AT] < t
        and routers.flit[at, 2] <= t
        and virtual[out, ROOM] > 0
        and routers.wire[out // routers.numbers[VIRTUAL], CAME] < t
    )


@kernel
def cross(routers: Routers, q: int, t: int, block: int) -> None:
    """Send the first flit of q over the switch and the wire."""
    virtual, numbers = routers.virtual, routers.numbers
    at = q * numbers[BUFFER] + virtual[q, START]
    slot, number = routers.flit[at, 0], routers.flit[at, 1]
    out = virtual[q, OUT]
    when = t + numbers[STAGES]
    if out // numbers[VIRTUAL] % block != block - 1:
        when += numbers[WIRE]
    if number == 0:
        routers.packet[slot, AT] += 1
    if number == routers.packet[slot, LENGTH] - 1:
        virtual[q, OUT] = -1
        virtual[q, ASKED] = -1
    pop(routers, q, t)
    push(routers, out, slot, number, when, t)
    routers.wire[q // numbers[VIRTUAL], WENT] = t


@kernel
def feed(routers: Routers, x: int, t: int) -> bool:
    """Let a source send a flit to its router, if it has one and there is room."""
    node = routers.node
    slot = node[x, SENDING]
    if slot < 0:
        return False
    q = node[x, INTO]
    port = q // routers.numbers[VIRTUAL]
    if routers.virtual[q, ROOM] == 0 or routers.wire[port, CAME] == t:
        return False
    push(routers, q, slot, node[x, FED], t + routers.numbers[ENTRY], t)
    routers.numbers[FLITS] += 1
    node[x, FED] += 1
    if node[x, FED] == routers.packet[slot, LENGTH]:
        node[x, SENDING] = -1
    return True


@kernel
def begin(mail: Mail, wires: Wires, routers: Routers, x: int, entry: int) -> None:
    """Let the source at x begin a packet, in the next virtual channel with room."""
    node, numbers, tally = routers.node, routers.numbers, mail.tally
    lanes = numbers[VIRTUAL]
    base = entry * lanes
    v = 0
    if lanes > 1:
        tried = 0
        while tried < lanes:
            v = (routers.wire[entry, NEXT_VC] + tried) % lanes
            if routers.virtual[base + v, ROOM]:
                break
            tried += 1
        if tried == lanes:
            return
        routers.wire[entry, NEXT_VC] = (v + 1) % lanes
    i = node[x, FIRST]
    flits = min(mail.rest[i], tally[PACKET])
    mail.rest[i] -= flits
    if mail.rest[i] == 0:
        node[x, FIRST] = mail.later[i]
    numbers[SPARE] -= 1
    slot = routers.spare[numbers[SPARE]]
    packet = routers.packet
    packet[slot, WHO] = i
    packet[slot, LENGTH] = flits
    packet[slot, AT] = slot * numbers[WIDTH]
    packet[slot, BORN] = mail.sent[i]
    lay(wires, routers.path, packet[slot, AT], mail.source[i], mail.target[i])
    node[x, SENDING] = slot
    node[x, FED] = 0
    node[x, INTO] = base + v
    routers.virtual[base + v, FEEDER] = -2 - x
    routers.virtual[base + v, OWNER] = slot


@kernel
def claim(mail: Mail, routers: Routers, x: int, t: int, block: int) -> bool:
    """Give headers in the router at x virtual channels of the outputs that they want.

    They are served in the order in which they asked, or in turn.
    """
    virtual, numbers, bids = routers.virtual, routers.numbers, routers.bids
    lanes = numbers[VIRTUAL]
    count = 0
    for j in range(routers.inputs.shape[1]):
        port = routers.inputs[x, j]
        if port < 0:
            continue
        for v in range(lanes):
            q = port * lanes + v
            if virtual[q, COUNT] == 0 or virtual[q, OUT] >= 0:
                continue
            at = q * numbers[BUFFER] + virtual[q, START]
            if routers.flit[at, 2] > t:
                continue
            if virtual[q, ASKED] < 0:
                virtual[q, ASKED] = t
            slot = routers.flit[at, 0]
            channel = routers.path[routers.packet[slot, AT] + 1] // C
            output = routers.port[channel]
            order = virtual[q, ASKED]
            second = mail.rank[routers.packet[slot, WHO]]
            if numbers[ROBIN]:
                everyone = bids.shape[1]
                order = (j * lanes + v - routers.wire[output, NEXT_BID]) % everyone
                second = 0
            k = count
            while k and (
                bids[2, k - 1] > order
                or (bids[2, k - 1] == order and bids[3, k - 1] > second)
            ):
                for field in range(4):
                    bids[field, k] = bids[field, k - 1]
                k -= 1
            bids[0, k] = q
            bids[1, k] = channel
            bids[2, k] = order
            bids[3, k] = second
            count += 1
    given = False
    for k in range(count):
        q = bids[0, k]
        channel = bids[1, k]
        output = routers.port[channel]
        low, several = 0, lanes
        if numbers[HALVES] and output % block != block - 1:
            several = lanes // 2
            low = several * routers.lane[channel]
        for tried in range(several):
            v = low + (routers.wire[output, NEXT_VC] + tried) % several
            out = output * lanes + v
            if virtual[out, OWNER] >= 0:
                continue
            at = q * numbers[BUFFER] + virtual[q, START]
            virtual[out, OWNER] = routers.flit[at, 0]
            virtual[out, FEEDER] = q
            virtual[q, OUT] = out
            virtual[q, GO] = t + numbers[BUBBLE]
            routers.wire[output, NEXT_VC] = (v + 1) % lanes
            for j in range(routers.inputs.shape[1]):
                if routers.inputs[x, j] == q // lanes:
                    routers.wire[output, NEXT_BID] = j * lanes + q % lanes + 1
            given = True
            break
    return given


@kernel
def chosen(mail: Mail, routers: Routers, port: int, output: int, t: int) -> int:
    """Return the virtual channel of an input that asks for an output, or -1."""
    numbers = routers.numbers
    lanes = numbers[VIRTUAL]
    best = -1
    for tried in range(lanes):
        v = (routers.wire[port, NEXT_OWN] + tried) % lanes
        q = port * lanes + v
        if not may_go(routers, q, t) or routers.virtual[q, OUT] // lanes != output:
            continue
        if numbers[ROBIN]:
            return q
        if best < 0 or older(mail, routers, q, best):
            best = q
    return best


@kernel
def older(mail: Mail, routers: Routers, q: int, r: int) -> bool:
    """Tell whether the first packet of q was released before that of r."""
    size, virtual = routers.numbers[BUFFER], routers.virtual
    one = routers.flit[q * size + virtual[q, START], 0]
    two = routers.flit[r * size + virtual[r, START], 0]
    packet = routers.packet
    if packet[one, BORN] != packet[two, BORN]:
        return bool(packet[one, BORN] < packet[two, BORN])
    return bool(mail.rank[packet[one, WHO]] < mail.rank[packet[two, WHO]])


@kernel
def switch(mail: Mail, routers: Routers, x: int, t: int, block: int) -> bool:
    """Match inputs and outputs of the router at x: each output offers, inputs accept.

    One iteration of iSLIP: pointers of the round robins move on only for pairs that are
    matched. With the oldest first both sides choose the packet released first.
    """
    numbers, wire, inputs, bids = (
        routers.numbers,
        routers.wire,
        routers.inputs,
        routers.bids,
    )
    lanes = numbers[VIRTUAL]
    ports = inputs.shape[1]
    for j in range(ports):
        bids[0, j] = -1
    for o in range(block):
        output = x * block + o
        winner, place = -1, -1
        for tried in range(ports):
            j = (wire[output, NEXT_IN] + tried) % ports
            if inputs[x, j] < 0:
                continue
            q = chosen(mail, routers, inputs[x, j], output, t)
            if q < 0 or (winner >= 0 and not older(mail, routers, q, winner)):
                continue
            winner, place = q, j
            if numbers[ROBIN]:
                break
        if winner < 0:
            continue
        held = bids[0, place]
        if held >= 0:
            if numbers[ROBIN]:
                first = wire[inputs[x, place], NEXT_OUT]
                before = virtual_output(routers, held) - x * block
                if (before - first) % block < (o - first) % block:
                    continue
            elif older(mail, routers, held, winner):
                continue
        bids[0, place] = winner
    moved = False
    for j in range(ports):
        q = bids[0, j]
        if q < 0:
            continue
        output = virtual_output(routers, q)
        wire[output, NEXT_IN] = (j + 1) % ports
        wire[inputs[x, j], NEXT_OUT] = (output - x * block + 1) % block
        wire[inputs[x, j], NEXT_OWN] = (q % lanes + 1) % lanes
        cross(routers, q, t, block)
        moved = True
    return moved


@kernel
def virtual_output(routers: Routers, q: int) -> int:
    """Return the port that the first packet of q goes to."""
    return int(routers.virtual[q, OUT] // routers.numbers[VIRTUAL])


@kernel
def chain(routers: Routers, q: int, t: int, block: int) -> bool:
    """Send flits on from q, and behind each that leaves the one that takes its place."""
    moved = False
    while q >= 0 and may_go(routers, q, t):
        cross(routers, q, t, block)
        moved = True
        if routers.numbers[DELAY]:
            break
        q = routers.virtual[q, FEEDER]
    return moved


@kernel
def eject(mail: Mail, routers: Routers, x: int, t: int, block: int) -> bool:
    """Read the ejection channel of node x; arrivals go to the inbox."""
    numbers, virtual = routers.numbers, routers.virtual
    lanes = numbers[VIRTUAL]
    found = False
    base = (x * block + block - 1) * lanes
    for q in range(base, base + lanes):
        while virtual[q, COUNT]:
            at = q * numbers[BUFFER] + virtual[q, START]
            if routers.flit[at, 2] > t:
                break
            slot, number = routers.flit[at, 0], routers.flit[at, 1]
            pop(routers, q, t)
            numbers[FLITS] -= 1
            found = True
            i = routers.packet[slot, WHO]
            mail.missing[i] -= 1
            if mail.missing[i] == 0:
                mail.inbox[mail.tally[INBOX]] = -1 - i
                mail.tally[INBOX] += 1
            if number == routers.packet[slot, LENGTH] - 1:
                routers.spare[numbers[SPARE]] = slot
                numbers[SPARE] += 1
    return found


@kernel
def arrive(mail: Mail, routers: Routers, t: int, block: int) -> bool:
    """Do what comes before the routers: credits, arrivals, releases."""
    numbers = routers.numbers
    moved = False
    delay = numbers[DELAY]
    if delay:
        at = t % (delay + 1)
        for k in range(routers.returns[at]):
            routers.virtual[routers.returned[at, k], ROOM] += 1
            moved = True
        routers.returns[at] = 0
    if numbers[FLITS]:
        for x in range(len(routers.node)):
            if eject(mail, routers, x, t, block):
                moved = True
    release(mail, t)
    return moved


@kernel
def queue(mail: Mail, routers: Routers) -> None:
    """Put the messages that are ready into the queues of their nodes."""
    node, tally = routers.node, mail.tally
    sort_by_rank(mail.ready, mail.rank, tally[READY])
    for k in range(tally[READY]):
        i = mail.ready[k]
        x = mail.source[i]
        mail.later[i] = -1
        if node[x, FIRST] >= 0:
            mail.later[node[x, LAST]] = i
        else:
            node[x, FIRST] = i
        node[x, LAST] = i
    tally[READY] = 0


@kernel
def route(mail: Mail, routers: Routers, t: int, block: int) -> bool:
    """Do what the routers do in a cycle: virtual channels, then the switch."""
    lanes = routers.numbers[VIRTUAL]
    moved = False
    n = len(routers.node)
    for x in range(n):
        if claim(mail, routers, x, t, block):
            moved = True
    for x in range(n):
        if lanes > 1:
            if switch(mail, routers, x, t, block):
                moved = True
            continue
        for j in range(routers.inputs.shape[1]):
            q = routers.inputs[x, j]
            if q >= 0 and chain(routers, q, t, block):
                moved = True
    return moved


@kernel
def flow(mail: Mail, wires: Wires, routers: Routers, until: int, block: int) -> int:
    """Go on until a job ends, or a cycle is reached, or nothing can move."""
    tally, node, numbers = mail.tally, routers.node, routers.numbers
    n = len(node)
    patience = (
        numbers[STAGES] + numbers[WIRE] + numbers[BUBBLE] + numbers[DELAY]
    ) + numbers[ENTRY]
    t = tally[TIME]
    answer = STOPPED
    while True:
        moved = arrive(mail, routers, t, block)
        if t >= until or tally[ENDED]:
            break
        queue(mail, routers)
        busy = numbers[FLITS] > 0
        for x in range(n):
            if node[x, SENDING] < 0 and node[x, FIRST] >= 0:
                begin(mail, wires, routers, x, n * block + x)
            if node[x, SENDING] >= 0:
                busy = True
        if busy:
            if numbers[FLITS] and route(mail, routers, t, block):
                moved = True
            for x in range(n):
                if feed(routers, x, t):
                    moved = True
        if moved:
            numbers[SINCE] = t
        t += 1
        for k in range(numbers[DELAY] + 1):
            busy = busy or routers.returns[k] > 0
        if busy and t <= numbers[SINCE] + patience + 1:
            continue
        if tally[TIMED] == tally[TIMES]:
            t -= 1
            answer = BLOCKED if tally[LEFT] else IDLE
            break
        t = max(t, min(until, mail.times[tally[TIMED]]))
    tally[TIME] = t
    return answer
