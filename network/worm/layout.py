"""Arrays that the wormhole kernels share, and the places of single numbers in them.

Notation: m messages, c channels of n nodes, d axes; packets in the network occupy
*slots*, which are used again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Path = npt.NDArray[np.int32]

FOREVER = 2**62
"""Later than any cycle: sums of a cycle and a length stay below 2^63."""

# Places in `Mail.tally`.
TIME = 0  # current cycle
LEFT = 1  # messages that have not been delivered
TIMED = 2  # next entry of `Mail.timed`
TIMES = 3  # end of `Mail.timed`
INBOX = 4  # entries of `Mail.inbox`
READY = 5  # entries of `Mail.ready`
ENDED = 6  # entries of `Mail.ended`
LOCAL = 7  # 1 if a message to its own processor uses the router
PACKET = 8  # flits of the longest packet
TALLIES = 9

# What a kernel answers.
STOPPED = 0  # a job has ended, or the last cycle was reached
IDLE = 1  # no message is left
BLOCKED = 2  # messages are left, and nothing can move


class Mail(NamedTuple):
    """Messages, shape (m,) unless another is given, and what releases them."""

    source: Ints
    target: Ints
    rank: Ints
    """Decides between messages of one cycle: the lower goes first."""
    rest: Ints
    """Flits that have not been put into packets."""
    missing: Ints
    """Flits that have not been delivered."""
    sent: Ints
    delivered: Ints
    waits: Ints
    """Messages that each waits for, and 1 for a release time to come."""
    later: Ints
    """Next message in the queue of a node."""
    job: Ints
    first: Ints
    """``following[first[i]:first[i + 1]]`` wait for message i; shape (m + 1,)."""
    following: Ints
    undelivered: Ints
    """Of each job."""
    ended: Ints
    """Jobs that have ended in this cycle."""
    timed: Ints
    """Messages whose release time is to come, by (time, rank)."""
    times: Ints
    inbox: Ints
    """Messages released (i) or delivered (-1 - i) in this cycle, shape (2 m,)."""
    ready: Ints
    """Messages that join the queues of their nodes in this cycle."""
    tally: Ints


class Wires(NamedTuple):
    """Where packets may go: channels are numbered by `worm_routes.Channels`."""

    side: Ints
    """Sides of the axes, in the order in which they are travelled, shape (d,)."""
    stride: Ints
    """Nodes between neighbours on each axis, shape (d,)."""
    coordinate: Ints
    """Coordinates of node i at ``[i * d : i * d + d]``, shape (n d,)."""
    odd: Ints
    """Sum of the coordinates of each node modulo 2, shape (n,)."""
    ring: Ints
    """Lengths of the rings, 0 for axes that are none, shape (d,)."""
    numbers: Ints
    """Nodes, channels of a node but for injection, lanes of a link."""


class Worms(NamedTuple):
    """Packets in the network, by slot, and the channels that they hold or want.

    A channel is a record of C numbers in `channel` and is named by the place of its
    first one; a slot is one of W numbers in `worm`.
    """

    path: Path
    """Channels of each packet: those of slot s from ``s * width``."""
    worm: Ints
    channel: Ints
    spare: Ints
    """Stack of unused slots."""
    asking: Ints
    """Slots whose headers ask for a channel in this cycle."""
    work: Ints
    """Channels that may be granted in this cycle."""
    bucket: Ints
    """First event of each cycle, a ring; events are channels to wake, then slots."""
    chained: Ints
    """Next event of the same cycle, shape (c + slots,)."""
    numbers: Ints
    """Counts: askings, works, spare slots, events; width of a path."""


# A channel: the cycle from which it is free (FOREVER if not known), the first and last
# slot (injection channels: message) in its queue, flits carried.
FREE_AT, HEAD, TAIL, CARRIED, C = range(5)

# A slot: indices in `path` of the channel that the header wants, of the injection and
# of the ejection channel; flits; message and its rank; cycle in which the header asked
# for the channel; slot behind it in the queue; cycle in which the last flit arrives.
AT, FIRST, LAST, LENGTH, WHO, RANK, SINCE, BEHIND = range(8)
DUE = SINCE  # nothing is asked for any more
W = 8

ASKING, WORK, SPARE, EVENTS, WIDTH = range(5)
NUMBERS = 5
BUCKETS = 4096
