"""Arrays of the flit-by-flit model: routers, their buffers, and the packets in them.

Notation: n nodes, p ports (directed physical channels: links, ejection, injection), V
virtual channels of each, B flits of buffer for each of these. Virtual channel v of port
i has number V i + v; its buffer stands where the port leads to.
"""

from __future__ import annotations

from typing import NamedTuple

from closeknit.network.worm.layout import Ints, Path


class Routers(NamedTuple):
    """State of all routers and sources."""

    path: Path
    """Channels of each packet, from ``slot * width``, as `worm_kernels.lay` writes."""
    port: Ints
    """Port of each channel of `Channels`."""
    lane: Ints
    """Lane of each channel: upper lanes use the upper half of the virtual channels."""
    inputs: Ints
    """Ports that lead to each node, shape (n, i); -1 fills up."""
    virtual: Ints
    """Records of the virtual channels, shape (p V, 9)."""
    flit: Ints
    """Rings of flits: slot, number, cycle from which it may go on, shape (p V B, 3)."""
    wire: Ints
    """Records of the ports, shape (p, 8)."""
    packet: Ints
    """Records of the slots, shape (slots, 4)."""
    node: Ints
    """Records of the sources, shape (n, 5)."""
    spare: Ints
    """Stack of unused slots."""
    returned: Ints
    """Virtual channels whose credits come back, by cycle, shape (delay + 1, p V B)."""
    returns: Ints
    """How many of them, shape (delay + 1,)."""
    bids: Ints
    """Room for the bids of one router, shape (4, i V)."""
    offer: Ints
    """Virtual channel that each input offers each output, shape (i, i)."""
    numbers: Ints


# A virtual channel: flits in its buffer and the place of the first; credits of the
# sender; who may send (a virtual channel, -2 - node, or -1); the virtual channel that
# the first packet has been given, or -1; the cycle from which it may use the switch;
# the cycle in which it asked, or -1; the cycle in which a flit last left; the slot of
# the packet that owns it.
COUNT, START, ROOM, FEEDER, OUT, GO, ASKED, LEFT_AT, OWNER = range(9)

# A port: cycle in which a flit last came in; flits carried, and held now; pointers of
# the round robins: virtual channel given, input served with one, input served by the
# switch, virtual channel and output that an input used last.
CAME, CARRIED, HELD, NEXT_VC, NEXT_BID, NEXT_IN, NEXT_OWN, NEXT_OUT = range(8)

# A slot: message, flits, index of the header's channel in `path`, cycle of release.
WHO, LENGTH, AT, BORN = range(4)

# A source: first and last message in its queue, slot that it is sending or -1, flits of
# it that have been sent, virtual channel that it sends to.
FIRST, LAST, SENDING, FED, INTO = range(5)

# Entries of `numbers`.
VIRTUAL, BUFFER, STAGES, WIRE, BUBBLE, DELAY, ENTRY, ROBIN = range(8)
WIDTH, SPARE, FLITS, SINCE, HALVES = range(8, 13)
NUMBERS = 13
