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

from closeknit.network.worm.kernels import lay, release, sort_by_rank
from closeknit.network.worm.layout import (
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
    Ints,
    Mail,
    Wires,
)
from closeknit.solvers.running.kernels import kernel

from .layout import (
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
    HELD,
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
    WHO,
    WIDTH,
    WIRE,
    Routers,
)


@kernel
def push(
    virtual: Ints,
    flit: Ints,
    wire: Ints,
    port: int,
    q: int,
    number: int,
    slot: int,
    when: int,
    last: bool,
    t: int,
) -> None:
    """Put a flit over a wire into the buffer of virtual channel q."""
    size = len(flit) // len(virtual)
    at = q * size + (virtual[q, START] + virtual[q, COUNT]) % size
    flit[at, 0] = slot
    flit[at, 1] = number
    flit[at, 2] = when
    virtual[q, COUNT] += 1
    virtual[q, ROOM] -= 1
    wire[port, CAME] = t
    wire[port, CARRIED] += 1
    wire[port, HELD] += 1
    if last:
        virtual[q, FEEDER] = -1
        virtual[q, OWNER] = -1


@kernel
def pop(
    virtual: Ints, flit: Ints, returned: Ints, returns: Ints, q: int, t: int
) -> None:
    """Take the first flit out of the buffer of q; the credit goes back."""
    size = len(flit) // len(virtual)
    virtual[q, START] = (virtual[q, START] + 1) % size
    virtual[q, COUNT] -= 1
    virtual[q, LEFT_AT] = t
    delay = len(returns) - 1
    if delay == 0:
        virtual[q, ROOM] += 1
        return
    at = (t + delay) % (delay + 1)
    returned[at, returns[at]] = q
    returns[at] += 1


@kernel
def cross(routers: Routers, q: int, t: int, block: int) -> None:
    """Send the first flit of q over the switch and the wire."""
    virtual, flit, numbers = routers.virtual, routers.flit, routers.numbers
    lanes = numbers[VIRTUAL]
    at = q * numbers[BUFFER] + virtual[q, START]
    slot, number = flit[at, 0], flit[at, 1]
    out = virtual[q, OUT]
    port = out // lanes
    when = t + numbers[STAGES]
    if port % block != block - 1:
        when += numbers[WIRE]
    if number == 0:
        routers.packet[slot, AT] += 1
    last = number == routers.packet[slot, LENGTH] - 1
    if last:
        virtual[q, OUT] = -1
        virtual[q, ASKED] = -1
    pop(virtual, flit, routers.returned, routers.returns, q, t)
    routers.wire[q // lanes, HELD] -= 1
    push(virtual, flit, routers.wire, port, out, number, slot, when, last, t)


@kernel
def feed(routers: Routers, x: int, t: int) -> bool:
    """Let a source send a flit to its router, if it has one and there is room."""
    node = routers.node
    slot = node[x, SENDING]
    q = node[x, INTO]
    port = q // routers.numbers[VIRTUAL]
    if routers.virtual[q, ROOM] == 0 or routers.wire[port, CAME] == t:
        return False
    number = node[x, FED]
    last = number == routers.packet[slot, LENGTH] - 1
    when = t + routers.numbers[ENTRY]
    push(
        routers.virtual,
        routers.flit,
        routers.wire,
        port,
        q,
        number,
        slot,
        when,
        last,
        t,
    )
    routers.numbers[FLITS] += 1
    node[x, FED] += 1
    if last:
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
def claim(mail: Mail, routers: Routers, t: int, block: int) -> bool:
    """Give headers virtual channels of the outputs that they want.

    In each router they are served in the order in which they asked, or in turn.
    """
    virtual, numbers, bids = routers.virtual, routers.numbers, routers.bids
    flit, inputs, wire = routers.flit, routers.inputs, routers.wire
    packet, rank, path, ports = routers.packet, mail.rank, routers.path, routers.port
    lanes, size, robin = numbers[VIRTUAL], numbers[BUFFER], numbers[ROBIN]
    everyone = bids.shape[1]
    given = False
    for x in range(inputs.shape[0]):
        count = 0
        for j in range(inputs.shape[1]):
            port = inputs[x, j]
            if port < 0 or wire[port, HELD] == 0:
                continue
            for v in range(lanes):
                q = port * lanes + v
                if virtual[q, COUNT] == 0 or virtual[q, OUT] >= 0:
                    continue
                at = q * size + virtual[q, START]
                if flit[at, 2] > t:
                    continue
                if virtual[q, ASKED] < 0:
                    virtual[q, ASKED] = t
                slot = flit[at, 0]
                channel = path[packet[slot, AT] + 1] // C
                order = virtual[q, ASKED]
                second = rank[packet[slot, WHO]]
                if robin:
                    second = j * lanes + v
                    order = (second - wire[ports[channel], NEXT_BID]) % everyone
                k = count
                while k and (
                    bids[2, k - 1] > order
                    or (bids[2, k - 1] == order and bids[3, k - 1] > second)
                ):
                    for field in range(4):
                        bids[field, k] = bids[field, k - 1]
                    k -= 1
                bids[0, k], bids[1, k] = q, channel
                bids[2, k], bids[3, k] = order, second
                count += 1
        for k in range(count):
            q, channel = bids[0, k], bids[1, k]
            output = ports[channel]
            low, several = 0, lanes
            if numbers[HALVES] and output % block != block - 1:
                several = lanes // 2
                low = several * routers.lane[channel]
            for tried in range(several):
                v = low + (wire[output, NEXT_VC] + tried) % several
                out = output * lanes + v
                if virtual[out, OWNER] >= 0:
                    continue
                virtual[out, OWNER] = flit[q * size + virtual[q, START], 0]
                virtual[out, FEEDER] = q
                virtual[q, OUT] = out
                virtual[q, GO] = t + numbers[BUBBLE]
                wire[output, NEXT_VC] = (v + 1) % lanes
                if robin:
                    wire[output, NEXT_BID] = bids[3, k] + 1
                given = True
                break
    return given


@kernel
def older(virtual: Ints, flit: Ints, packet: Ints, rank: Ints, q: int, r: int) -> bool:
    """Tell whether the first packet of q was released before that of r."""
    size = len(flit) // len(virtual)
    one = flit[q * size + virtual[q, START], 0]
    two = flit[r * size + virtual[r, START], 0]
    if packet[one, BORN] != packet[two, BORN]:
        return bool(packet[one, BORN] < packet[two, BORN])
    return bool(rank[packet[one, WHO]] < rank[packet[two, WHO]])


@kernel
def offers(mail: Mail, routers: Routers, x: int, t: int, block: int) -> bool:
    """Find out what each input of the router at x can send to each output.

    Writes to `offer` for each pair a virtual channel of the input, or -1: the next in
    turn, or the one whose packet was released first.
    """
    virtual, numbers, offer = routers.virtual, routers.numbers, routers.offer
    flit, inputs, wire = routers.flit, routers.inputs, routers.wire
    lanes, size = numbers[VIRTUAL], numbers[BUFFER]
    offer[:] = -1
    found = False
    for j in range(inputs.shape[1]):
        port = inputs[x, j]
        if port < 0 or wire[port, HELD] == 0:
            continue
        for tried in range(lanes):
            q = port * lanes + (wire[port, NEXT_OWN] + tried) % lanes
            out = virtual[q, OUT]
            if (
                out < 0
                or virtual[q, COUNT] == 0
                or virtual[q, GO] > t
                or virtual[out, ROOM] == 0
                or flit[q * size + virtual[q, START], 2] > t
            ):
                continue
            o = out // lanes - x * block
            best = offer[j, o]
            if best < 0 or (
                not numbers[ROBIN]
                and older(virtual, flit, routers.packet, mail.rank, q, best)
            ):
                offer[j, o] = q
                found = True
    return found


@kernel
def switch(mail: Mail, routers: Routers, t: int, block: int) -> bool:
    """Match inputs and outputs of each router: outputs choose, then inputs accept.

    One iteration of iSLIP: pointers of the round robins move on only for pairs that are
    matched. With the oldest first both sides choose the packet released first.
    """
    wire, inputs, offer, bids = (
        routers.wire,
        routers.inputs,
        routers.offer,
        routers.bids,
    )
    robin = routers.numbers[ROBIN]
    lanes = routers.numbers[VIRTUAL]
    ports = inputs.shape[1]
    moved = False
    for x in range(inputs.shape[0]):
        if not offers(mail, routers, x, t, block):
            continue
        for j in range(ports):
            bids[0, j] = -1
        for o in range(block):
            output = x * block + o
            place = -1
            for tried in range(ports):
                j = (wire[output, NEXT_IN] + tried) % ports
                if offer[j, o] >= 0 and (
                    place < 0
                    or older(
                        routers.virtual,
                        routers.flit,
                        routers.packet,
                        mail.rank,
                        offer[j, o],
                        offer[place, o],
                    )
                ):
                    place = j
                    if robin:
                        break
            if place < 0:
                continue
            held = bids[0, place]
            if held >= 0:
                if robin:
                    first = wire[inputs[x, place], NEXT_OUT]
                    if (held - first) % block < (o - first) % block:
                        continue
                elif older(
                    routers.virtual,
                    routers.flit,
                    routers.packet,
                    mail.rank,
                    offer[place, held],
                    offer[place, o],
                ):
                    continue
            bids[0, place] = o
        for j in range(ports):
            o = bids[0, j]
            if o < 0:
                continue
            port = inputs[x, j]
            q = offer[j, o]
            wire[x * block + o, NEXT_IN] = (j + 1) % ports
            wire[port, NEXT_OUT] = (o + 1) % block
            wire[port, NEXT_OWN] = (q % lanes + 1) % lanes
            cross(routers, q, t, block)
            moved = True
    return moved


@kernel
def advance(routers: Routers, t: int, block: int) -> bool:
    """Send flits on, and behind each that leaves the one that takes its place.

    For one virtual channel, numbered as its port.
    """
    virtual, flit, numbers = routers.virtual, routers.flit, routers.numbers
    wire = routers.wire
    size, delay = numbers[BUFFER], numbers[DELAY]
    moved = False
    for begin_at in range(len(virtual)):
        q = begin_at
        while q >= 0:
            out = virtual[q, OUT]
            if (
                out < 0
                or virtual[q, COUNT] == 0
                or virtual[q, GO] > t
                or virtual[q, LEFT_AT] == t
                or virtual[out, ROOM] == 0
                or wire[out, CAME] == t
                or flit[q * size + virtual[q, START], 2] > t
            ):
                break
            cross(routers, q, t, block)
            moved = True
            if delay:
                break
            q = virtual[q, FEEDER]
    return moved


@kernel
def eject(mail: Mail, routers: Routers, t: int, block: int) -> bool:
    """Read the ejection channels; arrivals go to the inbox."""
    numbers, virtual, flit = routers.numbers, routers.virtual, routers.flit
    wire = routers.wire
    lanes = numbers[VIRTUAL]
    found = False
    for x in range(len(routers.node)):
        port = x * block + block - 1
        if wire[port, HELD] == 0:
            continue
        for q in range(port * lanes, port * lanes + lanes):
            while virtual[q, COUNT]:
                at = q * numbers[BUFFER] + virtual[q, START]
                if flit[at, 2] > t:
                    break
                slot, number = flit[at, 0], flit[at, 1]
                pop(virtual, flit, routers.returned, routers.returns, q, t)
                wire[port, HELD] -= 1
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
    moved = False
    delay = routers.numbers[DELAY]
    if delay:
        at = t % (delay + 1)
        for k in range(routers.returns[at]):
            routers.virtual[routers.returned[at, k], ROOM] += 1
            moved = True
        routers.returns[at] = 0
    if routers.numbers[FLITS] and eject(mail, routers, t, block):
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
            if numbers[FLITS]:
                if claim(mail, routers, t, block):
                    moved = True
                if numbers[VIRTUAL] > 1:
                    if switch(mail, routers, t, block):
                        moved = True
                elif advance(routers, t, block):
                    moved = True
            for x in range(n):
                if node[x, SENDING] >= 0 and feed(routers, x, t):
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
