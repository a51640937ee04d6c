"""One connection of a client: what it may hold back, and for how long.

uvicorn hands whatever arrives to its parser, which keeps heads of any size and parses
any number of requests ahead. Here the parser gets no more than the request at work, and
a client that owes a head, or does not read its answer, is left after some seconds.
"""

from __future__ import annotations

import asyncio
import re
from http import HTTPStatus
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .problems import HTTPProblem

MOST_HEAD = 2**16
"""Bytes of a head, and of whatever else comes between two parts of bodies."""
PATIENCE = 10.0
"""Seconds for a head to come, and for an answer to be read."""
_GRACE = 1.0
"""Seconds in which a refused client may read why, and any client at the end."""
_CHUNK = 2**16
_LEAST = 512
"""Bytes of a body in chunks that are parsed at once: it may be all blank lines."""
_HEALTH = b"/healthz"
_BLANK = re.compile(rb"\n\r?\n")
"""Ends every head, so that a piece up to here begins no second request."""


class Connection(HttpToolsProtocol):
    """Reads one request at a time; further ones are not read yet.

    Above the limit of connections, the one that has been waiting longest without a
    request is closed for the one that comes.
    """

    spare = 0
    """Connections above the limit, for those who ask for the health."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head."""
        super().connection_made(transport)
        transport.max_size = _CHUNK  # type: ignore[attr-defined]  # read at once
        self._held = b""
        self._spent = 0  # bytes since a head or a part of a body was complete
        self._in_body, self._rest = False, 0
        self._refused = self._ending = False
        self._since = self.loop.time()
        self._owing: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._expect()
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what was not parsed."""
        self._held = b""
        self._stop_expecting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the part that belongs to the current request."""
        if not self._refused:
            self._held += data
            self._feed()

    def _feed(self) -> None:
        held, at = self._held, 0
        while at < len(held) and not self.transport.is_closing():
            if not self._in_body and self._at_work():
                break
            if self._in_body and self._rest:
                end = min(len(held), at + self._rest)
            else:
                blank = _BLANK.search(held, at + _LEAST * self._in_body)
                end = blank.end() if blank else len(held)
                end = min(end, at + MOST_HEAD + 1 - self._spent)
            self._spent += end - at
            super().data_received(held[at:end])
            at = end
            if self._refused:
                return
            if self._spent > MOST_HEAD:
                self._refuse(431, f"head: has more than {MOST_HEAD} bytes")
                return
        self._held = held[at:]
        if self._held:
            self.flow.pause_reading()
        elif (not self._at_work()) if self._in_body else self._spent:
            self._expect()

    def on_headers_complete(self) -> None:
        """Begin the request; a health request is always admitted."""
        self._spent, self._in_body = 0, True
        self._stop_expecting()
        lengths = [v for name, v in self.headers if name == b"content-length"]
        self._rest = int(lengths[0]) if lengths else 0
        limit = self.config.limit_concurrency
        health = self.url.partition(b"?")[0] == _HEALTH
        self.limit_concurrency = None if health else limit
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Count what is still to come."""
        self._spent = 0
        self._rest = max(self._rest - len(body), 0)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Let the next head begin."""
        self._spent, self._in_body, self._rest = 0, False, 0
        self._stop_expecting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Continue with what arrived meanwhile."""
        self._since = self.loop.time()
        super().on_response_complete()
        if self.transport.is_closing():
            self._abort_later()
        else:
            self._feed()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP as everything else is refused."""
        self._refuse(400, "request: is no HTTP/1.1")

    def pause_writing(self) -> None:
        """Close the connection soon, unless the client reads."""
        super().pause_writing()
        self._unread = self._abort_later()

    def resume_writing(self) -> None:
        """Write on."""
        if self._unread is not None:
            self._unread.cancel()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Close, also if the last answer was not read."""
        super().timeout_keep_alive_handler()
        self._abort_later()

    def shutdown(self) -> None:
        """End when the request at work is answered; those not read are left."""
        self._ending = True
        super().shutdown()
        if self.transport.is_closing() or self.flow.write_paused:
            self._abort_later()

    def _at_work(self) -> bool:
        return not getattr(self.cycle, "response_complete", True)

    def _expect(self) -> None:
        """Give the client some seconds for a head, or for a body that no one wants."""
        if self._owing is None:
            self._owing = self.loop.call_later(PATIENCE, self._late)

    def _stop_expecting(self) -> None:
        if self._owing is not None:
            self._owing.cancel()
            self._owing = None

    def _late(self) -> None:
        if self._spent and not self._in_body:
            self._refuse(408, f"head: has not come within {PATIENCE:g} s")
        else:
            self.transport.abort()

    def _abort_later(self) -> asyncio.TimerHandle:
        seconds = _GRACE if self._ending else PATIENCE
        return self.loop.call_later(seconds, self.transport.abort)

    def _refuse(self, status: int, detail: str, grace: float = _GRACE) -> None:
        """Say why and read no more; what is still sent is dropped for a moment.

        Closing at once would reset the connection, and the answer would be lost.
        """
        self._refused, self._held = True, b""
        self._stop_expecting()
        if self._at_work():  # by the part of a body: that request gets no answer
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.transport.abort()
                return
        response = HTTPProblem(
            status, detail, headers={"Connection": "close"}
        ).response()
        head = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
        head += [name + b": " + value for name, value in response.raw_headers]
        self.transport.write(b"\r\n".join([*head, b"", bytes(response.body)]))
        self.transport.write_eof()
        self.loop.call_later(grace, self.transport.abort)

    def _make_room(self) -> None:
        """Close the connection that has been silent longest, if there are too many."""
        most = cast(int, self.config.limit_concurrency) - 1
        if len(self.connections) <= most:
            return
        others = [cast(Connection, one) for one in self.connections if one is not self]
        silent = [one for one in others if not one._at_work()]
        if silent:
            oldest = min(silent, key=lambda one: (one.cycle is not None, one._since))
            self.connections.discard(oldest)
            oldest.transport.abort()
        elif len(self.connections) > most + self.spare:
            self._refuse(503, "server: has too many connections", grace=0.0)
