"""Kernels of the cut-through engine: from one cycle with events to the next.

A cycle has two halves. First what is due comes in, whatever its order: links and slots
become free, headers enter queues, messages arrive and release others, packets at the
head of their queue are routed. Then the vertices at which a link, a slot or a head has
changed are arbitrated. What a vertex grants concerns its own links and the queues
behind these only, so vertices do not influence each other within a cycle.
"""

from __future__ import annotations

from ...solvers.running.kernels import kernel
from .kernels_mail import deliver, pop
from .kernels_routes import draw_number, on_graph, on_grid, on_tree, redrawn, schedule
from .layout import (
    AGENDA,
    AGENDA_COUNT,
    AGENDA_END,
    AGENDA_FIRST,
    ARRIVED_COUNT,
    ARRIVED_LIST,
    ASKED_LIST,
    BACKWARDS,
    BEHIND,
    BIT,
    BIT_ABOVE,
    CARRIED,
    CHANGED_COUNT,
    CHANGED_LIST,
    CHANGES,
    CHOSEN,
    CONSUMED,
    COUNT,
    CREDIT,
    CREDITS,
    ENDED,
    ENTRY,
    ESCAPE,
    EVENT_SIZE,
    FAT_TREE,
    FOLLOWING,
    FRESH_COUNT,
    FRESH_LIST,
    FROM,
    FULL,
    GOAL,
    GOAL_OF,
    GRID,
    HEAD,
    HEAP,
    IDLE,
    INJECTED,
    INPUT,
    INPUTS,
    JOB_ENDED,
    KIND,
    LANE,
    LANES,
    LAST,
    LEFT,
    LINK,
    LIST,
    LOW,
    MESSAGE,
    NEED,
    NOW,
    NUMBER,
    OPEN_NOW,
    OPTIONS,
    OVERFLOW,
    PACKETS,
    QUEUE_SIZE,
    REACHED,
    READY,
    RING_BEGIN,
    RING_END,
    SEED,
    SENT,
    SHIFT,
    SLOT_SIZE,
    SOLE,
    SOON_COUNT,
    SOON_LIST,
    SOURCE,
    STATE,
    TAKEN,
    TARGET,
    TURN,
    VERTEX,
    WAITING,
    WINNER,
    Ints,
    Mail,
    Net,
    Routes,
    U,
)


@kernel
def note(net: Net, vertex: int, bits: int) -> None:
    """Note that channels out of a vertex are open, to be arbitrated in this cycle."""
    if net[U(vertex + CHANGES)] == 0:
        net[U(net[CHANGED_LIST] + net[CHANGED_COUNT])] = vertex
        net[CHANGED_COUNT] += 1
    net[U(vertex + CHANGES)] |= bits
    net[U(vertex + OPEN_NOW)] |= bits


@kernel
def begin(net: Net, q: int, message: int, messages: Ints) -> None:
    """Put the first packet of a message at the head of an injection queue."""
    packet = net[U(q + HEAD)]
    net[U(packet + MESSAGE)] = message
    net[U(packet + STATE)] = 0
    net[U(packet + GOAL)] = messages[message, GOAL_OF]
    net[U(q + COUNT)] = messages[message, PACKETS]


@kernel
def events(net: Net, now: int, messages: Ints) -> int:
    """Take in what is due now: free links and slots, packets that have arrived.

    Returns
    -------
    int
        The number of these packets.
    """
    agenda = net[AGENDA]
    end = net[AGENDA_END]
    first = net[AGENDA_FIRST]
    count = net[AGENDA_COUNT]
    fresh = net[FRESH_LIST]
    ring_begin = net[RING_BEGIN]
    ring_end = net[RING_END]
    lanes = net[LANES]
    backwards = net[BACKWARDS]
    cycle = now & LOW
    arrivals = 0
    consumed = 0
    heads = 0
    due = 0
    place = first
    while due < count and net[U(place)] == cycle:
        due += 1
        place += EVENT_SIZE
        if place == end:
            place = agenda
    for j in range(due):
        event = first + EVENT_SIZE * (due - 1 - j if backwards else j)
        if event >= end:
            event -= end - agenda
        q = net[U(event + 1)]
        link = net[U(event + 2)]
        if link:
            net[U(link + WINNER)] = 0
            vertex = net[U(q + VERTEX)]
            bit = int(net[U(link + BIT)])
            bits = bit
            if net[U(vertex + SOLE)]:
                bits = 0
                for lane in range(lanes):
                    if net[U(link + CREDITS + lane)]:
                        bits |= bit << lane
            if bits:
                note(net, vertex, bits)
        else:
            message = -1 - q if q < 0 else net[U(net[U(q + HEAD)] + MESSAGE)]
            consumed += 1
            messages[message, LEFT] -= 1
            if messages[message, LEFT] == 0:
                net[U(net[ARRIVED_LIST] + arrivals)] = message
                arrivals += 1
            if q < 0:
                continue
        above = net[U(q + LINK)]
        net[U(q + COUNT)] -= 1
        if above == 0:
            packet = net[U(q + HEAD)]
            if net[U(q + COUNT)]:
                net[U(packet + STATE)] = (net[U(packet + STATE)] | 1) + 1
            else:
                message = messages[net[U(packet + MESSAGE)], FOLLOWING]
                if message < 0:
                    continue
                begin(net, q, message, messages)
        else:
            net[U(net[U(q + CREDIT)])] += 1
            if net[U(above + WINNER)] == 0:
                note(net, net[U(q + FROM)], net[U(q + BIT_ABOVE)])
            packet = net[U(q + HEAD)] + SLOT_SIZE
            net[U(q + HEAD)] = q + ring_begin if packet == q + ring_end else packet
            if net[U(q + COUNT)] == 0:
                continue
        net[U(fresh + heads)] = q
        heads += 1
    net[AGENDA_FIRST] = place
    net[AGENDA_COUNT] = count - due
    net[ARRIVED_COUNT] = arrivals
    net[FRESH_COUNT] = heads
    return consumed


@kernel
def arrivals(net: Net, tally: Ints, mail: Mail) -> None:
    """Deliver the messages of which the last packet has arrived."""
    for i in range(net[ARRIVED_COUNT]):
        deliver(net[U(net[ARRIVED_LIST] + i)], tally[NOW], tally, mail)
    net[ARRIVED_COUNT] = 0


@kernel
def entries(net: Net, now: int) -> None:
    """Take in the headers granted in the last cycle, after all that is due now."""
    coming = net[SOON_COUNT]
    net[SOON_COUNT] = 0
    for j in range(coming):
        q = net[U(net[SOON_LIST] + (coming - 1 - j if net[BACKWARDS] else j))]
        if q < 0:
            schedule(net, q, 0, now)
        else:
            net[U(net[FRESH_LIST] + net[FRESH_COUNT])] = q
            net[FRESH_COUNT] += 1


@kernel
def releases(net: Net, tally: Ints, mail: Mail) -> None:
    """Hand the messages that are ready now to their senders, in order of number."""
    messages = mail.messages
    now = tally[NOW]
    while tally[HEAP] > 0 and messages[mail.heap[0], READY] <= now:
        message = pop(tally[HEAP], mail.heap, messages)
        tally[HEAP] -= 1
        messages[message, SENT] = now
        if messages[message, SOURCE] == messages[message, TARGET]:
            deliver(message, now, tally, mail)
            continue
        q = messages[message, ENTRY]
        tally[INJECTED] += messages[message, PACKETS]
        if net[U(q + COUNT)] == 0:
            begin(net, q, message, messages)
            net[U(net[FRESH_LIST] + net[FRESH_COUNT])] = q
            net[FRESH_COUNT] += 1
        else:
            messages[net[U(q + LAST)], FOLLOWING] = message
        net[U(q + LAST)] = message


@kernel
def choose(net: Net, q: int, vertex: int, changes: int) -> int:
    """Return the link that the head of a queue asks for, or 0.

    That is the link that leads on with most free slots behind it, ties drawn, else its
    escape channel.
    """
    lane = net[U(q + LANE)]
    shift = net[U(q + SHIFT)]
    options = net[U(q + LIST)]
    best = 0
    most = 0
    ties = 0
    bits = 0
    for i in range(options, options + net[U(q + OPTIONS)]):
        link = net[U(i)]
        if (net[U(link + BIT)] << shift) & changes == 0:
            continue
        if net[U(link + WINNER)] == TAKEN:
            continue
        free = net[U(link + CREDITS + lane)]
        if free > most:
            most = free
            best = link
            ties = 1
        elif free == most and most > 0:
            if ties == 1:
                packet = net[U(q + HEAD)]
                message = net[U(packet + MESSAGE)]
                number = net[U(vertex + NUMBER)]
                bits = draw_number(net[SEED], message, net[U(packet + STATE)], number)
            ties += 1
            bits = redrawn(bits)
            if (bits >> 15) * ties < 2**16:  # with probability 1 / ties
                best = link
    if best == 0:
        lane = 0
        best = net[U(q + ESCAPE)]
        if best and (
            net[U(best + WINNER)] == TAKEN or net[U(best + CREDITS)] < net[U(q + NEED)]
        ):
            best = 0
    net[U(q + CHOSEN)] = lane
    return int(best)


@kernel
def enter(net: Net, q: int, packet: int) -> None:
    """Put a packet into a queue; its header is there in the next cycle."""
    count = net[U(q + COUNT)]
    slot = net[U(q + HEAD)] + SLOT_SIZE * count
    if slot >= q + net[RING_END]:
        slot -= net[RING_END] - net[RING_BEGIN]
    net[U(slot + MESSAGE)] = net[U(packet + MESSAGE)]
    net[U(slot + STATE)] = net[U(packet + STATE)]
    net[U(slot + GOAL)] = net[U(packet + GOAL)]
    net[U(q + COUNT)] = count + 1
    if count == 0:
        net[U(net[SOON_LIST] + net[SOON_COUNT])] = q
        net[SOON_COUNT] += 1


@kernel
def grant(net: Net, link: int, vertex: int, now: int) -> None:
    """Send the winner of a link."""
    size = net[QUEUE_SIZE]
    place = net[U(link + WINNER)] - 1
    q = net[U(vertex + INPUT)] + place * size
    net[U(vertex + WAITING + place)] = 0
    bits = net[U(link + BIT)] * ((1 << net[LANES]) - 1)
    net[U(vertex + OPEN_NOW)] &= ~(bits & net[U(vertex + SOLE)])
    net[U(link + WINNER)] = TAKEN
    net[U(link + TURN)] = place + 1
    carried = net[U(link + CARRIED)] + 1
    net[U(link + CARRIED)] = carried & (2**FULL - 1)
    net[U(link + OVERFLOW)] += carried >> FULL
    schedule(net, q, link, now)
    packet = net[U(q + HEAD)]
    behind = net[U(link + BEHIND)]
    if behind == 0:
        net[U(net[SOON_LIST] + net[SOON_COUNT])] = -1 - net[U(packet + MESSAGE)]
        net[SOON_COUNT] += 1
    else:
        lane = net[U(q + CHOSEN)]
        net[U(link + CREDITS + lane)] -= 1
        enter(net, behind + lane * size, packet)


@kernel
def arbitrate(net: Net, now: int) -> None:
    """Let heads ask for links, all of a vertex at once, until no loser is left.

    A head only looks if one of its channels has changed: after the last arbitration it
    could not enter any other. Of those that ask for a link the next in turn wins.
    """
    size = net[QUEUE_SIZE]
    backwards = net[BACKWARDS]
    asked = net[ASKED_LIST]
    changed = net[CHANGED_LIST]
    count = net[CHANGED_COUNT]
    net[CHANGED_COUNT] = 0
    for j in range(count):
        vertex = net[U(changed + (count - 1 - j if backwards else j))]
        changes = net[U(vertex + CHANGES)]
        net[U(vertex + CHANGES)] = 0
        waiting = vertex + WAITING
        first = net[U(vertex + INPUT)]
        losers = 1
        while losers and changes:
            losers = 0
            asks = 0
            for place in range(net[U(vertex + INPUTS)]):
                if net[U(waiting + place)] & changes == 0:
                    continue
                link = choose(net, first + place * size, vertex, changes)
                if link == 0:
                    continue
                winner = net[U(link + WINNER)]
                if winner == 0:
                    net[U(link + WINNER)] = place + 1
                    net[U(asked + asks)] = link
                    asks += 1
                else:
                    losers += 1
                    if winner <= net[U(link + TURN)] <= place:
                        net[U(link + WINNER)] = place + 1
            for i in range(asks):
                grant(net, net[U(asked + i)], vertex, now)
            changes &= net[U(vertex + OPEN_NOW)]


@kernel
def advance(net: Net, routes: Routes, tally: Ints, mail: Mail, until: int) -> int:
    """Simulate until a job ends, a cycle is reached (if at least 0), or nothing moves.

    It stops between the two halves of a cycle, so that messages that are added then
    are treated like those of the same cycle that were there before.
    """
    kind = net[KIND]
    tally[ENDED] = 0
    while True:
        now = tally[NOW]
        if net[AGENDA_COUNT]:
            tally[CONSUMED] += events(net, now, mail.messages)
        if net[ARRIVED_COUNT]:
            arrivals(net, tally, mail)
        if net[SOON_COUNT]:
            entries(net, now)
        if tally[HEAP] and mail.messages[mail.heap[0], READY] <= now:
            releases(net, tally, mail)
        if net[FRESH_COUNT]:
            if kind == GRID:
                on_grid(net, now)
            elif kind == FAT_TREE:
                on_tree(net, now)
            else:
                on_graph(net, routes, now)
        if tally[ENDED]:
            return JOB_ENDED
        if until >= 0 and now >= until:
            return REACHED
        if net[CHANGED_COUNT]:
            arbitrate(net, now)
        following = -1
        if net[SOON_COUNT]:
            following = now + 1
        else:
            if net[AGENDA_COUNT]:
                following = now + ((net[U(net[AGENDA_FIRST])] - now) & LOW)
            if tally[HEAP]:
                ready = mail.messages[mail.heap[0], READY]
                if following < 0 or ready < following:
                    following = ready
        if following < 0:
            return IDLE
        if until >= 0 and following > until:
            tally[NOW] = until
            return REACHED
        tally[NOW] = following
