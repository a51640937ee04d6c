"""One question to the service ``closeknit serve``, over a Unix socket or a port."""

from __future__ import annotations

import json
import socket
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

LONGEST = 2**24
"""Bytes of an answer."""


class ServiceError(OSError):
    """The service cannot be reached, or its answer is none; one line."""


class Client:
    """Asks a service.

    Parameters
    ----------
    address
        ``unix:/path`` or ``http://host:port``.
    token
        For services that want one.
    seconds
        Limit for a whole exchange.
    """

    def __init__(self, address: str, *, token: str = "", seconds: float = 1.0) -> None:
        self._where: str | tuple[str, int]
        if address.startswith("unix:"):
            self._where = address.removeprefix("unix:")
        else:
            parts = urlsplit(address)
            if parts.scheme != "http" or not parts.hostname:
                raise ServiceError(f"{address}: must be unix:/path or http://host:port")
            self._where = (parts.hostname, parts.port or 80)
        self._address, self._token, self._seconds = address, token, seconds

    def ask(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Return the status of HTTP and the object that is answered.

        Raises
        ------
        ServiceError
            If there is no whole answer in time, or it is no JSON object.
        """
        content = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close"]
        if self._token:
            lines.append(f"Authorization: Bearer {self._token}")
        if content:
            lines.append("Content-Type: application/json")
        lines.append(f"Content-Length: {len(content)}\r\n\r\n")
        try:
            answer = self._exchange("\r\n".join(lines).encode() + content)
            head, _, rest = answer.partition(b"\r\n\r\n")
            version, status, *_ = head.split(None, 2)
            found = json.loads(rest)
            if not version.startswith(b"HTTP/1.") or not isinstance(found, dict):
                raise ValueError("the answer is none")
            return int(status), found
        except (OSError, ValueError, RecursionError) as error:
            raise ServiceError(f"{self._address}: {error}") from None

    def _exchange(self, request: bytes) -> bytes:
        end = monotonic() + self._seconds
        unix = isinstance(self._where, str)
        with socket.socket(socket.AF_UNIX if unix else socket.AF_INET) as line:
            line.settimeout(self._seconds)
            line.connect(self._where)
            line.sendall(request)
            answer = bytearray()
            while True:
                left = end - monotonic()
                if left <= 0:
                    raise TimeoutError("no answer in time")
                line.settimeout(left)
                part = line.recv(2**16)
                if not part:
                    return bytes(answer)
                answer += part
                if len(answer) > LONGEST:
                    raise ValueError("the answer is too long")
