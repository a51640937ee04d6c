"""Arrays of the cut-through engine, and the columns of their rows.

A row of `queues`, `links` or `vertices` lies in one or two lines of a cache, and few
arrays have to be passed to kernels. *Vertices* are the switches, and the processors
that have an own row of links. *Queues* are the input queues of vertices: one per link
and virtual channel, then the injection queues of its processors; those of a vertex have
consecutive numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

# Columns of `Net.queues`: a row is two lines of a cache. An injection queue has its
# current message and the number of its next packet in BEGIN and COUNT, and -1 minus its
# last message in FEEDS. MESSAGE, STATE, SINCE and GOAL are those of the head.
OPTIONS, WANTED, ESCAPE, NEED, COUNT, MESSAGE, STATE, CHOSEN = 0, 1, 2, 3, 4, 5, 6, 7
BEGIN, FEEDS, VERTEX, PLACE, GOAL, SINCE = 8, 9, 10, 11, 12, 13
QUEUE_WIDTH = 16

# Columns of `Net.links`. Links without queues end at a processor (FIRST is -1).
BUSY, FIRST, TURN, WINNER, BEHIND, BIT, FROM, CARRIED = 0, 1, 2, 3, 4, 5, 6, 7
LINK_WIDTH = 8

# Columns of `Routes.ends`.
TO, PORT = 0, 1

MASK_BITS = 62
"""Links of a vertex share bits if there are more; arbitration then looks more often."""

# Columns of `Net.vertices`. INPUT is the first queue; CHANGES has the bits of the links
# to arbitrate. ABOVE is the number of a switch of a tree without the digits that
# distinguish it from others of its LEVEL above the same processors; PARITY decides
# between two equal ways round a ring.
INPUT, CHANGES, INPUTS, OUT, OUT_END, PARITY, LEVEL, ABOVE = 0, 1, 2, 3, 4, 5, 6, 7
VERTEX_WIDTH = 8

# Columns of `Mail.messages`.
SOURCE, TARGET, PACKETS, READY, LEFT, WAITS = 0, 1, 2, 3, 4, 5
SUCCESSORS, SUCCESSORS_END, JOB, SENT, DELIVERED, FOLLOWING = 6, 7, 8, 9, 10, 11
MAIL_WIDTH = 12

# Entries of `Net.numbers`.
KIND, PHITS, SLOTS, BUBBLE, SEED, BACKWARDS, ADAPTIVE, RADIX = range(8)
NUMBERS = 8

# Entries of `Net.tally`.
NOW, AGENDA_FIRST, AGENDA_COUNT, SOON, FRESH, CHANGED, HEAP, OPEN, ENDED = range(9)
INJECTED, CONSUMED, ASKED = 9, 10, 11
TALLY = 12

# Kinds of routing.
GRID, FAT_TREE, GRAPH = 0, 1, 2
LOWEST, DRAWN, VALIANT, TABLE = 0, 1, 2, 3
"""Routings of graphs, in `Net.numbers[ADAPTIVE]`."""

# Why `advance` came back.
IDLE, JOB_ENDED, REACHED = 0, 1, 2


class Net(NamedTuple):
    """An interconnect and its packets.

    Parameters
    ----------
    numbers
        Constants, see above.
    tally
        Variables, see above.
    queues, links, vertices
        Rows, see above.
    packets
        Message and state of every slot of the queues of links: twice the number of the
        packet within the message, plus 1 if it goes to its target, not half-way.
    masks
        Bits of the links for which the head of a queue waits, or 0.
    options
        For every queue the links that its head may take.
    agenda
        Ring of events that come ``PHITS`` cycles after their cause, thus in order:
        cycle, queue (or -1 minus the message that arrives) and link (or -1).
    soon
        What comes in the next cycle: a queue that a header enters, or -1 minus a
        message, a packet of which reaches its processor.
    fresh, changed, asked
        Queues with a new head, vertices to arbitrate, links asked for.
    """

    numbers: Ints
    tally: Ints
    queues: Ints
    links: Ints
    vertices: Ints
    packets: Ints
    masks: Ints
    options: Ints
    agenda: Ints
    soon: Ints
    fresh: Ints
    changed: Ints
    asked: Ints


class Routes(NamedTuple):
    """What routing looks up.

    Parameters
    ----------
    home, entry
        Vertex and injection queue of every processor.
    out
        Links out of vertices by port, -1 for none; those of a vertex lie between its
        columns OUT and OUT_END.
    at
        Coordinates of the vertices of a grid, shape (vertices, axes); on k-ary n-trees
        the numbers of processors without their last 0, 1, … n digits.
    sides
        Side of every axis and whether it is a ring, shape (axes, 2).
    ends
        Vertex where a link ends, and its port, on graphs its length, shape (c, 2).
    lane
        Virtual channel of a queue of a link; -1 for links out of hosts.
    row
        Row of `away` of a vertex, or -1.
    away
        Distance from every vertex to one per row; with tables the port to take.
    middles
        Vertices through which Valiant routing may go.
    """

    home: Ints
    entry: Ints
    out: Ints
    at: Ints
    sides: Ints
    ends: Ints
    lane: Ints
    row: Ints
    away: Ints
    middles: Ints


class Mail(NamedTuple):
    """The messages so far.

    Parameters
    ----------
    messages
        Rows, see above.
    successors
        Messages that wait; columns SUCCESSORS and SUCCESSORS_END say for which.
    heap
        Messages that wait for their cycle only, as a binary heap.
    jobs
        Number of undelivered messages of every job.
    ended
        Jobs whose last message was delivered in this cycle.
    """

    messages: Ints
    successors: Ints
    heap: Ints
    jobs: Ints
    ended: Ints
