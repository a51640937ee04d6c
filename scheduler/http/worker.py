"""The thread that chooses nodes: one request after another, a bounded number waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import TypeVar

from .problems import HTTPProblem

_T = TypeVar("_T")
_AGAIN = {"Retry-After": "1"}


class Worker:
    """Runs calls in a thread of its own, in the order in which they come.

    Parameters
    ----------
    most
        Maximal number of calls that wait or run; others get a problem at once.
    """

    def __init__(self, most: int) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._most = most
        self.waiting = 0

    async def run(self, call: Callable[[float], _T], seconds: float) -> _T:
        """Run a call; it takes the seconds for which it has waited.

        Raises
        ------
        Problem
            503 if too many wait already, or this one has waited too long.
        """
        if self.waiting >= self._most:
            problem = f"{self.waiting} requests are waiting already"
            raise HTTPProblem(503, problem, headers=_AGAIN)
        begin = monotonic()

        def begun() -> _T:
            waited = monotonic() - begin
            if waited > seconds:
                problem = f"has waited for {waited:.1f} s: too many requests"
                raise HTTPProblem(503, problem, headers=_AGAIN)
            return call(waited)

        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="choose")
        self.waiting += 1
        work = asyncio.get_running_loop().run_in_executor(self._pool, begun)
        work.add_done_callback(self._end)
        return await asyncio.shield(work)

    def _end(self, work: asyncio.Future[_T]) -> None:
        self.waiting -= 1
        if not work.cancelled():
            work.exception()  # read here, as a client may have gone

    def close(self) -> None:
        """Let the current call end; drop those that wait."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
