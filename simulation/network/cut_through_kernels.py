"""Kernels of the cut-through engine: from one cycle with events to the next.

A cycle has two halves. First what is due comes in, whatever its order: links and slots
become free, headers enter queues, messages arrive and release others, packets at the
head of their queue are routed. Then the vertices at which a link, a slot or a head has
changed are arbitrated. What a vertex grants concerns its own links and the queues
behind these only, so vertices do not influence each other within a cycle.
"""

from __future__ import annotations

from ...solvers.kernels import kernel
from .cut_through_kernels_mail import deliver, pop
from .cut_through_kernels_routes import drawn, on_graph, on_grid, on_tree, redrawn
from .cut_through_layout import (
    ADAPTIVE,
    AGENDA_COUNT,
    AGENDA_FIRST,
    ASKED,
    BACKWARDS,
    BEGIN,
    BEHIND,
    BIT,
    BUSY,
    CARRIED,
    CHANGED,
    CHANGES,
    CHOSEN,
    CONSUMED,
    COUNT,
    ENDED,
    ESCAPE,
    FAT_TREE,
    FEEDS,
    FIRST,
    FOLLOWING,
    FRESH,
    FROM,
    GOAL,
    GRAPH,
    GRID,
    HEAP,
    IDLE,
    INJECTED,
    INPUT,
    INPUTS,
    JOB_ENDED,
    KIND,
    LEFT,
    MESSAGE,
    NEED,
    NOW,
    OPTIONS,
    PACKETS,
    PHITS,
    PLACE,
    REACHED,
    READY,
    SEED,
    SENT,
    SINCE,
    SLOTS,
    SOON,
    SOURCE,
    STATE,
    TARGET,
    TURN,
    VALIANT,
    VERTEX,
    WANTED,
    WINNER,
    Ints,
    Mail,
    Net,
    Routes,
)


@kernel
def events(net: Net, mail: Mail) -> None:
    """Take in what is due now: free links and slots, arriving headers and packets."""
    tally = net.tally
    agenda = net.agenda
    queues = net.queues
    links = net.links
    vertices = net.vertices
    changed = net.changed
    fresh = net.fresh
    messages = mail.messages
    now = tally[NOW]
    size = len(agenda)
    slots = net.numbers[SLOTS]
    backwards = net.numbers[BACKWARDS]
    first = tally[AGENDA_FIRST]
    changes = tally[CHANGED]
    heads = tally[FRESH]
    consumed = 0
    due = 0
    place = first
    while due < tally[AGENDA_COUNT] and agenda[place, 0] == now:
        due += 1
        place += 1
        if place == size:
            place = 0
    for j in range(due):
        i = first + (due - 1 - j if backwards else j)
        if i >= size:
            i -= size
        q = agenda[i, 1]
        link = agenda[i, 2]
        if link >= 0:
            links[link, BUSY] = 0
            vertex = links[link, FROM]
            if vertices[vertex, CHANGES] == 0:
                changed[changes] = vertex
                changes += 1
            vertices[vertex, CHANGES] |= links[link, BIT]
        else:
            message = -1 - q if q < 0 else net.packets[q * slots + queues[q, BEGIN], 0]
            consumed += 1
            messages[message, LEFT] -= 1
            if messages[message, LEFT] == 0:
                deliver(message, now, tally, mail)
            if q < 0:
                continue
        if queues[q, FEEDS] < 0:
            message = queues[q, BEGIN]
            queues[q, COUNT] += 1
            if queues[q, COUNT] == messages[message, PACKETS]:
                queues[q, COUNT] = 0
                queues[q, BEGIN] = messages[message, FOLLOWING]
                if queues[q, BEGIN] < 0:
                    continue
        else:
            above = queues[q, FEEDS]
            if links[above, BUSY] == 0:
                vertex = links[above, FROM]
                if vertices[vertex, CHANGES] == 0:
                    changed[changes] = vertex
                    changes += 1
                vertices[vertex, CHANGES] |= links[above, BIT]
            queues[q, COUNT] -= 1
            queues[q, BEGIN] += 1
            if queues[q, BEGIN] == slots:
                queues[q, BEGIN] = 0
            if queues[q, COUNT] == 0:
                continue
        fresh[heads] = q
        heads += 1
    tally[AGENDA_FIRST] = place
    tally[AGENDA_COUNT] -= due
    tally[CHANGED] = changes
    tally[CONSUMED] += consumed
    tally[FRESH] = heads


@kernel
def entries(net: Net) -> None:
    """Take in the headers granted in the last cycle, after all that is due now."""
    tally = net.tally
    backwards = net.numbers[BACKWARDS]
    coming = tally[SOON]
    tally[SOON] = 0
    for j in range(coming):
        q = net.soon[coming - 1 - j if backwards else j]
        if q < 0:
            schedule(q, net.agenda, tally, net.numbers)
        else:
            net.fresh[tally[FRESH]] = q
            tally[FRESH] += 1


@kernel
def schedule(what: int, agenda: Ints, tally: Ints, numbers: Ints) -> None:
    """Note the arrival of a packet at its processor, PHITS cycles from now."""
    i = tally[AGENDA_FIRST] + tally[AGENDA_COUNT]
    if i >= len(agenda):
        i -= len(agenda)
    agenda[i, 0] = tally[NOW] + numbers[PHITS]
    agenda[i, 1] = what
    agenda[i, 2] = -1
    tally[AGENDA_COUNT] += 1


@kernel
def releases(net: Net, routes: Routes, mail: Mail) -> None:
    """Hand the messages that are ready now to their senders, in order of number."""
    tally = net.tally
    messages = mail.messages
    now = tally[NOW]
    while tally[HEAP] > 0 and messages[mail.heap[0], READY] <= now:
        message = pop(tally[HEAP], mail.heap, messages)
        tally[HEAP] -= 1
        messages[message, SENT] = now
        if messages[message, SOURCE] == messages[message, TARGET]:
            deliver(message, now, tally, mail)
            continue
        q = routes.entry[messages[message, SOURCE]]
        tally[INJECTED] += messages[message, PACKETS]
        if net.queues[q, BEGIN] < 0:
            net.queues[q, BEGIN] = message
            net.fresh[tally[FRESH]] = q
            tally[FRESH] += 1
        else:
            messages[-1 - net.queues[q, FEEDS], FOLLOWING] = message
        net.queues[q, FEEDS] = -1 - message


@kernel
def heads(net: Net, routes: Routes, mail: Mail) -> None:
    """Look at the packets that have come to the head of their queue.

    Those at their goal are consumed; the others stay in `fresh` for routing.
    """
    tally = net.tally
    queues = net.queues
    packets = net.packets
    vertices = net.vertices
    messages = mail.messages
    slots = net.numbers[SLOTS]
    kind = net.numbers[KIND]
    seed = net.numbers[SEED]
    valiant = kind == GRAPH and net.numbers[ADAPTIVE] == VALIANT
    count = 0
    for j in range(tally[FRESH]):
        q = net.fresh[j]
        here = queues[q, VERTEX]
        message = queues[q, BEGIN]
        state = 2 * queues[q, COUNT]
        if queues[q, FEEDS] >= 0:
            slot = q * slots + message
            message = packets[slot, 0]
            state = packets[slot, 1]
        if kind != FAT_TREE:
            goal = routes.home[messages[message, TARGET]]
            if valiant and state & 1 == 0:
                bits = drawn(seed, message, state, len(vertices))
                middle = routes.middles[bits % len(routes.middles)]
                if middle == here:
                    state += 1
                else:
                    goal = middle
            if goal == here:
                schedule(q, net.agenda, tally, net.numbers)
                continue
            queues[q, GOAL] = goal
        queues[q, MESSAGE] = message
        queues[q, STATE] = state
        queues[q, SINCE] = tally[NOW]
        net.fresh[count] = q
        count += 1
    tally[FRESH] = count


@kernel
def line_up(net: Net) -> None:
    """Have the routed heads wait at their vertices, which are arbitrated if useful."""
    tally = net.tally
    queues = net.queues
    links = net.links
    vertices = net.vertices
    options = net.options
    backwards = net.numbers[BACKWARDS]
    count = tally[FRESH]
    for j in range(count):
        q = net.fresh[count - 1 - j if backwards else j]
        here = queues[q, VERTEX]
        mask = 0
        free = 0
        for i in range(queues[q, OPTIONS]):
            link = options[q, i]
            mask |= links[link, BIT]
            if links[link, BUSY] == 0:
                free |= links[link, BIT]
        link = queues[q, ESCAPE]
        if link >= 0:
            mask |= links[link, BIT]
            if links[link, BUSY] == 0:
                free |= links[link, BIT]
        net.masks[q] = mask
        if free:
            if vertices[here, CHANGES] == 0:
                net.changed[tally[CHANGED]] = here
                tally[CHANGED] += 1
            vertices[here, CHANGES] |= free
    tally[FRESH] = 0


@kernel
def ask(net: Net) -> None:
    """Let the heads ask for links, all at once; vertices with losers stay `changed`.

    A head asks for the free link that leads on with most free slots behind it, ties
    drawn, else for its escape channel. It only looks if one of its links has changed:
    after the last arbitration it could not take any other.
    """
    tally = net.tally
    queues = net.queues
    links = net.links
    vertices = net.vertices
    options = net.options
    masks = net.masks
    slots = net.numbers[SLOTS]
    seed = net.numbers[SEED]
    count = tally[CHANGED]
    asked = 0
    left = 0
    for j in range(count):
        vertex = net.changed[j]
        changes = vertices[vertex, CHANGES]
        losers = 0
        first = vertices[vertex, INPUT]
        for q in range(first, first + vertices[vertex, INPUTS]):
            if masks[q] & changes == 0:
                continue
            wanted = queues[q, WANTED]
            best = -1
            most = 0
            ties = 0
            bits = 0
            for i in range(queues[q, OPTIONS]):
                link = options[q, i]
                if links[link, BUSY] or links[link, BIT] & changes == 0:
                    continue
                behind = links[link, FIRST]
                credits = slots
                if behind >= 0:
                    credits -= queues[behind + wanted, COUNT]
                if credits > most:
                    most = credits
                    best = link
                    ties = 1
                elif credits == most and most > 0:
                    if ties == 1:
                        bits = drawn(seed, queues[q, MESSAGE], queues[q, STATE], vertex)
                    ties += 1
                    bits = redrawn(bits)
                    if (bits >> 15) * ties < 2**16:  # with probability 1 / ties
                        best = link
            link = queues[q, ESCAPE]
            if (
                best < 0
                and link >= 0
                and links[link, BUSY] == 0
                and slots - queues[links[link, FIRST], COUNT] >= queues[q, NEED]
            ):
                best = link
                wanted = 0
            if best >= 0:
                queues[q, CHOSEN] = wanted
                behind = queues[q, PLACE] - links[best, TURN]
                if behind < 0:
                    behind += vertices[vertex, INPUTS]
                if links[best, WINNER] < 0:
                    net.asked[asked] = best
                    asked += 1
                    links[best, WINNER] = q
                    links[best, BEHIND] = behind
                else:
                    losers += 1
                    if behind < links[best, BEHIND]:
                        links[best, WINNER] = q
                        links[best, BEHIND] = behind
        if losers:
            net.changed[left] = vertex
            left += 1
        else:
            vertices[vertex, CHANGES] = 0
    tally[CHANGED] = left
    tally[ASKED] = asked


@kernel
def grant(net: Net) -> None:
    """Send the winner of every link that was asked for."""
    tally = net.tally
    queues = net.queues
    links = net.links
    vertices = net.vertices
    packets = net.packets
    agenda = net.agenda
    slots = net.numbers[SLOTS]
    due = tally[NOW] + net.numbers[PHITS]
    backwards = net.numbers[BACKWARDS]
    asked = tally[ASKED]
    soon = tally[SOON]
    place = tally[AGENDA_FIRST] + tally[AGENDA_COUNT]
    for i in range(asked):
        link = net.asked[asked - 1 - i if backwards else i]
        q = links[link, WINNER]
        vertex = queues[q, VERTEX]
        net.masks[q] = 0
        links[link, BUSY] = 1
        links[link, CARRIED] += 1
        links[link, WINNER] = -1
        turn = queues[q, PLACE] + 1
        links[link, TURN] = 0 if turn == vertices[vertex, INPUTS] else turn
        if place >= len(agenda):
            place -= len(agenda)
        agenda[place, 0] = due
        agenda[place, 1] = q
        agenda[place, 2] = link
        place += 1
        behind = links[link, FIRST]
        if behind < 0:
            net.soon[soon] = -1 - queues[q, MESSAGE]
            soon += 1
            continue
        behind += queues[q, CHOSEN]
        count = queues[behind, COUNT]
        slot = queues[behind, BEGIN] + count
        if slot >= slots:
            slot -= slots
        slot += behind * slots
        packets[slot, 0] = queues[q, MESSAGE]
        packets[slot, 1] = queues[q, STATE]
        queues[behind, COUNT] = count + 1
        if count == 0:
            net.soon[soon] = behind
            soon += 1
    tally[AGENDA_COUNT] += asked
    tally[SOON] = soon
    tally[ASKED] = 0


@kernel
def advance(net: Net, routes: Routes, mail: Mail, until: int) -> int:
    """Simulate until a job ends, a cycle is reached (if at least 0), or nothing moves.

    It stops between the two halves of a cycle, so that messages that are added then
    are treated like those of the same cycle that were there before.
    """
    tally = net.tally
    kind = net.numbers[KIND]
    tally[ENDED] = 0
    while True:
        if tally[AGENDA_COUNT]:
            events(net, mail)
        if tally[SOON]:
            entries(net)
        if tally[HEAP]:
            releases(net, routes, mail)
        if tally[FRESH]:
            heads(net, routes, mail)
            if kind == GRID:
                on_grid(net, routes, mail)
            elif kind == FAT_TREE:
                on_tree(net, routes, mail)
            else:
                on_graph(net, routes)
            line_up(net)
        if tally[ENDED]:
            return JOB_ENDED
        if until >= 0 and tally[NOW] >= until:
            return REACHED
        while tally[CHANGED]:
            ask(net)
            grant(net)
        following = -1
        if tally[SOON]:
            following = tally[NOW] + 1
        else:
            if tally[AGENDA_COUNT]:
                following = net.agenda[tally[AGENDA_FIRST], 0]
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
