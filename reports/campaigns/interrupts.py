"""Delay Ctrl-C during operations that must not be interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ...uninterruptible import holding


@contextmanager
def undisturbed() -> Iterator[None]:
    """Delay signals until the end of the block; processes started in it ignore Ctrl-C.

    A signal may reach a thread of a numerical library instead of this one, so
    that blocking it here is not enough: Python's handler is replaced as well.
    Blocked it must be too, since a new process takes over that, not the handler.
    """
    came: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    if main:
        signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
        holding.append(None)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if main:
            holding.pop()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        if main:
            signal.signal(signal.SIGINT, before or signal.SIG_DFL)
        if came:
            signal.raise_signal(signal.SIGINT)
