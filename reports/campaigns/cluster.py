"""Run calls on the workers of a Dask cluster; worker failures are retried.

The driver decides which worker makes which call, and gives a worker no more than it
has threads: so it knows what a worker was doing when it died. Every call is made in
a process of its own next to the worker (see `pool.run_here`), with the same limits as
on one machine.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any
from uuid import uuid4

from ...instances import InputError
from ...instances.extras import install
from . import pool
from .pool import DEATHS, Call, Failure, Killed, failure_after_retries

_LOOK = 0.5
"""Seconds between two looks at which workers there are."""
_SETTLED = 1.5
"""Seconds after which a worker that came later is given calls: the guard of a worker
that dies while it starts does not replace it."""
_ANSWERS_IN = 10.0
"""Seconds in which a scheduler must answer."""
_GREETINGS = 5
"""Attempts at connecting to a scheduler that answers but is busy reporting."""
_PATIENCE = 30.0
"""Seconds without any worker after which a message is printed."""


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Connect to a running scheduler, such as ``tcp://node17:8786``.

    Raises InputError if Dask is not installed, or no scheduler answers.
    """
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise InputError(f"needs Dask: {install('dask')}", "dask") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    _refuse_unproven(distributed, address)
    client = _client_of(distributed, address)
    try:
        yield client
    finally:
        with suppress(OSError):
            client.close(timeout=_ANSWERS_IN)


def _client_of(distributed: Any, address: str) -> Any:
    """Open a client; a greeting that other messages joined is asked for once more.

    Dask asserts that a scheduler's greeting comes alone, but one that reports to all
    its clients at that moment sends both in one batch.
    """
    attempts = _GREETINGS
    while True:
        attempts -= 1
        try:
            return distributed.Client(
                address, timeout=_ANSWERS_IN, set_as_default=False
            )
        except (OSError, ValueError, ImportError, AssertionError) as error:
            if not isinstance(error, AssertionError) or not attempts:
                raise InputError(
                    f"no scheduler answers ({type(error).__name__})", "dask", address
                ) from None


def _refuse_unproven(distributed: Any, address: str) -> None:
    """Refuse at once what Dask would only notice while connecting."""
    try:
        security = distributed.Security()
        own = security.get_connection_args("client").get("ssl_context")
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            f"the certificates in Dask's configuration cannot be used ({error})",
            "dask",
            address,
        ) from None
    if address.startswith("tls://") and own is None:
        raise InputError(
            "needs certificates in Dask's configuration (docs/use/studies.md)",
            "dask",
            address,
        )
    if address.startswith("tcp://") and security.require_encryption:
        raise InputError(
            "is refused: Dask's configuration requires encryption", "dask", address
        )


@dataclass(frozen=True, slots=True)
class _Flight:
    """A call that a worker is busy with."""

    position: int
    worker: str


def run(
    calls: Sequence[Call], *, client: Any
) -> Generator[tuple[int, Any], None, None]:
    """Yield (position, value or `Failure`) of every call, as they end.

    A call whose worker dies, or whose process next to the worker is killed from
    outside, is given to another one; after `DEATHS` deaths it is a `Failure`. From the
    first on it has a worker to itself, so that no other call is blamed. Leaving the
    iterator early, and the end of this process, however it comes, stops what is
    running on the workers. Raises InputError when a worker lacks this version of
    closeknit, or the scheduler is lost.
    """
    driver = _Driver(calls, client)
    try:
        while driver.left:
            driver.look()
            driver.assign()
            yield from driver.outcomes()
    finally:
        driver.leave()


class _Driver:
    """Tracks waiting calls, the calls of each worker, and deaths."""

    def __init__(self, calls: Sequence[Call], client: Any) -> None:
        self._calls = calls
        self._client = client
        self._token = uuid4().hex
        self._waiting = deque(range(len(calls)))
        self._suspects: deque[int] = deque()
        self._deaths: Counter[int] = Counter()
        self._flying: dict[Any, _Flight] = {}
        self._ended: SimpleQueue[Any] = SimpleQueue()
        self._failed: list[tuple[int, Failure]] = []
        self._workers: dict[str, int] = {}
        self._came: dict[str, float] = {}
        self._looked = self._met = monotonic()
        self._first = True

    @property
    def left(self) -> bool:
        return bool(self._waiting or self._suspects or self._flying or self._failed)

    def look(self) -> None:
        """Update the list of workers; take back the calls of lost ones."""
        if not self._first and monotonic() - self._looked < _LOOK:
            return
        first, self._first, self._looked = self._first, False, monotonic()
        try:
            self._workers = dict(self._client.nthreads())
        except Exception as error:  # whatever the network makes of it
            raise self._lost(error) from None
        if self._client.status != "running":
            raise self._lost(None)
        for worker in self._workers:
            self._came.setdefault(worker, 0.0 if first else self._looked)
        for future, flight in list(self._flying.items()):
            if flight.worker not in self._workers:
                self._forget(future)
                self._mourn(flight.position, Killed("its worker died (out of memory?)"))
        if self._workers:
            self._met = monotonic()
        elif monotonic() - self._met > _PATIENCE:
            print("closeknit: there is no worker; waiting for one", file=sys.stderr)
            self._met = float("inf")

    def assign(self) -> None:
        """Assign calls to free threads; a suspect call gets a worker to itself."""
        load = Counter(flight.worker for flight in self._flying.values())
        closed = {
            flight.worker
            for flight in self._flying.values()
            if self._deaths[flight.position]
        }
        for worker, threads in self._workers.items():
            if monotonic() - self._came[worker] < _SETTLED:
                continue
            if self._suspects and not load[worker]:
                self._send(self._suspects.popleft(), worker)
                continue
            while self._waiting and load[worker] < threads and worker not in closed:
                self._send(self._waiting.popleft(), worker)
                load[worker] += 1

    def outcomes(self) -> Iterator[tuple[int, Any]]:
        """Wait briefly for calls to end; yield them, and those that failed."""
        yield from self._failed
        self._failed = []
        if not self.left:
            return
        try:
            future = self._ended.get(timeout=_LOOK)
        except Empty:
            return
        flight = self._flying.get(future)
        if flight is None:  # given up meanwhile
            return
        value = self._value(future)
        self._forget(future)
        if value is None:
            self._waiting.appendleft(flight.position)
        elif isinstance(value, Killed):
            self._mourn(flight.position, value)
        else:
            yield flight.position, value

    def leave(self) -> None:
        """Let the workers stop."""
        for future in list(self._flying):
            self._forget(future)

    def _send(self, position: int, worker: str) -> None:
        key = f"closeknit-{self._token}-{position}-{uuid4().hex}"
        future = self._client.submit(
            partial(_on_worker, key, version("closeknit")),
            self._calls[position],
            key=key,
            workers=[worker],
            allow_other_workers=False,
            pure=False,
        )
        self._flying[future] = _Flight(position, worker)
        future.add_done_callback(self._ended.put)

    def _value(self, future: Any) -> Any:
        """Return the result of a call; None if its worker was lost."""
        if future.status == "error":
            error = future.exception()
            if isinstance(error, ImportError):
                raise self._unfit(future, "none that can be used")
            said = " ".join(str(error).split())
            return Failure(f"its worker answered {type(error).__name__}: {said}")
        if future.status != "finished":
            return None
        try:
            value = future.result(timeout=_ANSWERS_IN)
        except Exception:  # lost after all: cancelled, timed out, cut off
            return None
        if isinstance(value, _OtherVersion):
            raise self._unfit(future, value.has)
        return value

    def _unfit(self, future: Any, has: str) -> InputError:
        return InputError(
            f"has closeknit {has}, this is {version('closeknit')}",
            f"worker {self._flying[future].worker}",
        )

    def _mourn(self, position: int, death: Killed) -> None:
        self._deaths[position] += 1
        if self._deaths[position] < DEATHS:
            self._suspects.append(position)
        else:
            self._failed.append((position, failure_after_retries(death)))

    def _forget(self, future: Any) -> None:
        del self._flying[future]
        with suppress(Exception):  # the scheduler may be gone
            future.cancel(force=True)

    def _lost(self, error: Exception | None) -> InputError:
        why = f" ({type(error).__name__})" if error else ""
        return InputError(
            f"the scheduler is lost{why}; give the same command again to go on", "dask"
        )


@dataclass(frozen=True, slots=True)
class _OtherVersion:
    """Why a worker did not make a call."""

    has: str


def _on_worker(key: str, needs: str, call: Call) -> Any:
    """Make a call next to a worker, as long as its result is wanted."""
    from distributed import get_worker

    if version("closeknit") != needs:
        return _OtherVersion(version("closeknit"))
    worker = get_worker()
    tasks = worker.state.tasks

    def wanted() -> bool:
        task = tasks.get(key)
        return task is not None and task.state == "executing"

    scratch = Path(worker.local_directory)  # Dask removes it, also after a kill
    return pool.run_here(call, wanted=wanted, scratch=scratch)
