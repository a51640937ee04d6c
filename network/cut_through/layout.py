"""Arrays of the cut-through engine: a net as records of one array, routes, messages.

All that changes while packets move is one array of 32-bit numbers: few lines of a cache
have to be fetched per packet and hop, and kernels that take one array count one
reference. *Vertices* are the switches, and the processors that have an own row of
links. *Queues* are the input queues of vertices: one per link and virtual channel, then
the injection queues of its processors. *Links* lead from vertex to vertex, or from a
switch of a tree to a processor. A record is named by its place, the index of its first
number; 0 stands for none, as the constants come first. Queues and links of a vertex
follow each other; so do the channels of a link.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Net = npt.NDArray[np.int32]
"""Constants and counters, vertices, links, queues, lists; see above."""

U = np.uint64
"""Index that numba does not check for being negative: a fifth of the time."""
LOW = 2**31 - 1
"""Low bits of a cycle, all that is kept where it is compared with a cycle at hand."""

# Constants, first in the array. AT is the place of a table: coordinates of the vertices
# of a grid; on k-ary n-trees the numbers of processors without their last 0, 1, … n
# digits; it has COLUMNS columns. AXES has for every axis whether it is a ring, and the
# places of two tables of ports, for senders at even and odd cells: 1 + the port to take
# for a difference of coordinates, which may be negative. QUEUE_SIZE and LINK_SIZE are
# those of records, RING_BEGIN and RING_END those of the packets within a queue. LANES
# is the largest number of channels of a link. AGENDA_END bounds the events.
KIND, WAY, RADIX, PHITS, BUBBLE, SEED, BACKWARDS, VERTICES, LANES = range(9)
AT, COLUMNS, AXES, QUEUE_SIZE, LINK_SIZE, RING_BEGIN, RING_END = range(9, 16)
# Places of lists, and how many entries they have. AGENDA is a ring of events that come
# PHITS cycles after their cause, thus in order: cycle, queue (or -1 minus the message
# that arrives), and link that becomes free (0: a packet reaches its processor);
# AGENDA_FIRST is the place of the next. SOON has what comes in the next cycle: a queue
# that a header enters, or -1 minus a message, a packet of which reaches its processor.
# FRESH are queues with a new head, CHANGED vertices to arbitrate, ARRIVED messages of
# which a packet has arrived, ASKED links that heads of a vertex ask for.
AGENDA, AGENDA_END, AGENDA_FIRST, AGENDA_COUNT = range(16, 20)
SOON_LIST, FRESH_LIST, CHANGED_LIST, ARRIVED_LIST, ASKED_LIST = range(20, 25)
SOON_COUNT, FRESH_COUNT, CHANGED_COUNT, ARRIVED_COUNT = range(25, 29)
HEADER = 32
EVENT_SIZE = 3
RING, PORTS = 0, 1
AXIS_SIZE = 3

# A vertex: bits of the channels to arbitrate, of those that a packet could enter now
# (the link is free, and a slot behind it), and those that stand for one channel only;
# queues, first queue, first link, number; on k-ary n-trees LEVEL and the number without
# the digits that distinguish a switch from others of its level above the same
# processors; and for each queue the bits of the channels that its head waits for, or 0.
# Behind these a switch of a tree has the bits of its links up, and a list of them.
CHANGES, OPEN_NOW, SOLE, INPUTS, INPUT = range(5)
OUTPUT, NUMBER, LEVEL, ABOVE, WAITING = range(5, 10)

# A link: 1 + number of the input that asks for it within its vertex, or TAKEN, or 0;
# the input whose turn is next, which may be one too many; its first queue (0: it ends
# at a processor); bit of its first channel; packets carried, in two numbers; and free
# slots of the queues behind it.
WINNER, TURN, BEHIND, BIT, CARRIED, OVERFLOW, CREDITS = range(7)
TAKEN = -1
FULL = 30
"""Bits of CARRIED; what goes beyond is counted in OVERFLOW."""

# A queue: packets in it; place of the first one; vertex; link above (0: injection), the
# place of its credits there, and the vertex that it comes from, which has a BIT_ABOVE
# for this channel; port of that link if this is its escape channel, else -1; place of
# the bits that its vertex has for it. The head: its channel behind the links it may
# take, and how far the bit of that is from the first of a link; the channel that it
# asks for; escape link, and free slots that it needs there; number and list of other
# links; since when. An injection queue counts the packets of its current message that
# are left, and LAST is the last message that waits. Behind these the list, and packets.
COUNT, HEAD, VERTEX, LINK, CREDIT, FROM, BIT_ABOVE, SAME_RING, BITS_AT = range(9)
LANE, SHIFT, CHOSEN, ESCAPE, NEED, OPTIONS, LIST, SINCE, OWN_LIST = range(9, 18)
LAST = CREDIT

# A packet in a queue: message; twice its number within the message, plus 1 if it goes
# to its target, not half-way; and GOAL, see `Mail`.
MESSAGE, STATE, GOAL = 0, 1, 2
SLOT_SIZE = 3

MASK_BITS = 31
"""Channels of a link share a bit, and links, where a vertex has more channels out."""

# Columns of `Mail.messages`. ENTRY is the injection queue of the sender; GOAL_OF twice
# the number of the vertex of the target (on k-ary n-trees of the target), plus 1 if the
# sender is at an odd cell of a grid.
SOURCE, TARGET, PACKETS, READY, LEFT, WAITS = 0, 1, 2, 3, 4, 5
SUCCESSORS, SUCCESSORS_END, JOB, SENT, DELIVERED, FOLLOWING = 6, 7, 8, 9, 10, 11
ENTRY, GOAL_OF = 12, 13
MAIL_WIDTH = 14

# Entries of tallies.
NOW, HEAP, OPEN, ENDED, INJECTED, CONSUMED = range(6)
TALLY = 6

# Columns of `Routes.ends`.
TO, PORT = 0, 1

# Kinds of routing.
GRID, FAT_TREE, GRAPH = 0, 1, 2
LOWEST, DRAWN, VALIANT, TABLE = 0, 1, 2, 3
"""Routings of graphs; on grids 1 if packets choose among directions."""

# Why `advance` came back.
IDLE, JOB_ENDED, REACHED = 0, 1, 2


class Routes(NamedTuple):
    """What routing looks up; it does not change.

    Parameters
    ----------
    kind, way, radix
        Kind of routing; the routing of graphs, or whether packets of a grid choose; k
        of a k-ary n-tree.
    home
        Vertex of every processor.
    first
        Where the links of each vertex begin in ``out``, and the end.
    out
        Links out of vertices by port, -1 for none.
    ends
        Vertex where a link ends, and its port, on graphs its length, shape (c, 2).
    at
        Coordinates of the vertices of a grid, shape (vertices, axes); on k-ary n-trees
        the numbers of processors without their last 0, 1, … n digits.
    sides
        Side of every axis and whether it is a ring, shape (axes, 2).
    row
        Row of `away` of a vertex, or -1.
    away
        Distance from every vertex to one per row; with tables the port to take.
    middles
        Vertices through which Valiant routing may go.
    """

    kind: int
    way: int
    radix: int
    home: Ints
    first: Ints
    out: Ints
    ends: Ints
    at: Ints
    sides: Ints
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
