"""Sockets that commands listen on, and serving on them until a signal comes."""

from __future__ import annotations

import gc
import ipaddress
import socket
from typing import TYPE_CHECKING

from ..instances.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

TOKEN = "CLOSEKNIT_TOKEN"
"""Environment variable with the token."""
_BACKLOG = 1024
_MOST_CONNECTIONS = 1024
_OWN_FILES = 64
"""Open files that the server itself needs."""


def serving(
    application: ASGIApp,
    bound: socket.socket,
    ready: Callable[[], None],
    limit: float = 0.0,
) -> int:
    """Serve until a signal ends it; what was begun then has 5 s and ``limit``.

    ``ready`` is called when signals are heeded.
    """
    import asyncio
    import signal

    import uvicorn

    from ..scheduler.service.connection import SPARE, Connection

    gc.collect()
    gc.freeze()  # machine code and topology are not looked through again
    config = uvicorn.Config(
        application,
        http=Connection,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        limit_concurrency=_most_connections(SPARE) + 1,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=int(limit) + 5,
    )
    server = uvicorn.Server(config)
    # uvicorn raises those again that ended it, for the handlers that were there
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, server.handle_exit)
    ready()
    asyncio.run(server.serve(sockets=[bound]))
    return 0


def _most_connections(spare: int) -> int:
    """Return how many connections may be open, within the limit of open files."""
    try:
        import resource
    except ImportError:  # not on Windows
        return _MOST_CONNECTIONS
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return max(min(_MOST_CONNECTIONS, files - spare - _OWN_FILES), 1)


def tcp(host: str, port: int, token: str) -> socket.socket:
    """Listen on a port; addresses other than loopback need a token."""
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        raise InputError("must be an address of IP", "--host", host) from None
    if not address.is_loopback and not token:
        problem = f"is no loopback: clients need a token (--token-file or ${TOKEN})"
        raise InputError(problem, "--host", host)
    if port >= 2**16:
        raise InputError("must be below 65536", "--port", port)
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return bind(bound, (str(address), port), "--port", port)


def bind(
    bound: socket.socket, where: tuple[str, int] | str, option: str, value: object
) -> socket.socket:
    """Bind a socket and listen; errors name the option."""
    try:
        bound.bind(where)
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        raise InputError(error.strerror or str(error), option, value) from None
    return bound


def url(bound: socket.socket) -> str:
    """Return the address of a port that is listened on."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
