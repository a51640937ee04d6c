"""Kernels that release and deliver messages, whichever engine carries them."""

from __future__ import annotations

from ...solvers.running.kernels import kernel
from .layout import (
    DELIVERED,
    ENDED,
    HEAP,
    JOB,
    OPEN,
    READY,
    SUCCESSORS,
    SUCCESSORS_END,
    WAITS,
    Ints,
    Mail,
)


@kernel
def earlier(a: int, b: int, messages: Ints) -> bool:
    """Whether message a becomes ready before b; of two at once the lower number."""
    if messages[a, READY] != messages[b, READY]:
        return bool(messages[a, READY] < messages[b, READY])
    return a < b


@kernel
def push(message: int, size: int, heap: Ints, messages: Ints) -> None:
    """Add a message to a heap of that size."""
    i = size
    while i > 0:
        up = (i - 1) // 2
        if not earlier(message, heap[up], messages):
            break
        heap[i] = heap[up]
        i = up
    heap[i] = message


@kernel
def pop(size: int, heap: Ints, messages: Ints) -> int:
    """Take the first message from a heap of that size."""
    first = heap[0]
    last = heap[size - 1]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size - 1:
            break
        if child + 1 < size - 1 and earlier(heap[child + 1], heap[child], messages):
            child += 1
        if not earlier(heap[child], last, messages):
            break
        heap[i] = heap[child]
        i = child
    heap[i] = last
    return int(first)


@kernel
def deliver(message: int, now: int, tally: Ints, mail: Mail) -> None:
    """Note that a message has arrived, and release those that waited for it only."""
    messages, successors, heap, jobs, ended = mail
    messages[message, DELIVERED] = now
    tally[OPEN] -= 1
    job = messages[message, JOB]
    jobs[job] -= 1
    if jobs[job] == 0:
        ended[tally[ENDED]] = job
        tally[ENDED] += 1
    for i in range(messages[message, SUCCESSORS], messages[message, SUCCESSORS_END]):
        other = successors[i]
        messages[other, WAITS] -= 1
        if messages[other, WAITS] == 0:
            messages[other, READY] = max(messages[other, READY], now)
            push(other, tally[HEAP], heap, messages)
            tally[HEAP] += 1


@kernel
def enlist(first: int, last: int, tally: Ints, mail: Mail) -> None:
    """Put the new messages that wait for no other on the heap."""
    for message in range(first, last):
        if mail.messages[message, WAITS] == 0:
            push(message, tally[HEAP], mail.heap, mail.messages)
            tally[HEAP] += 1
