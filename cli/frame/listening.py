"""Sockets that commands listen on, and serving on them until a signal comes."""

from __future__ import annotations

import gc
import ipaddress
import socket
from errno import EMFILE, ENFILE
from typing import TYPE_CHECKING

from ...instances.errors import InputError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any

    from starlette.types import ASGIApp

TOKEN = "CLOSEKNIT_TOKEN"
"""Environment variable with the token."""
_BACKLOG = 1024
_MOST_CONNECTIONS = 1024
_SPARE = 64
"""Connections above the limit, for those who ask for the health."""
_OWN_FILES = 64
"""Open files that are left to the server itself, where so many are allowed."""
_LEAST_FILES = 24
"""Open files with which a server may begin: some ten are its own."""


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

    from ...scheduler.http.connection import Connection

    class LimitedServer(uvicorn.Server):
        """Accepts a few clients at a time, so that surplus ones can be sent away."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            asyncio.get_running_loop().set_exception_handler(_unless_out_of_files)
            await super().startup(sockets)
            bound.listen(_BACKLOG)

    most, Connection.spare, at_a_time = _room()
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
        backlog=at_a_time,
        limit_concurrency=most + 1,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=int(limit) + 5,
    )
    server = LimitedServer(config)
    # uvicorn raises those again that ended it, for the handlers that were there
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, server.handle_exit)
    ready()
    asyncio.run(server.serve(sockets=[bound]))
    return 0


def _room() -> tuple[int, int, int]:
    """Return how many connections there may be, and above that, and accepted at once.

    Raises InputError if too few files may be open.
    """
    try:
        import resource
    except ImportError:  # not on Windows
        return _MOST_CONNECTIONS, _SPARE, _OWN_FILES // 4
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files == resource.RLIM_INFINITY:
        files = 2**20
    if files < _LEAST_FILES:
        problem = f"needs {_LEAST_FILES} open files or more (ulimit -n)"
        raise InputError(problem, "--port", files)
    own = min(_OWN_FILES, files // 2)
    spare = min(_SPARE, (files - own) // 2)
    most = min(_MOST_CONNECTIONS, files - own - spare)
    return most, spare, max(1, own // 16)


def _unless_out_of_files(
    loop: asyncio.AbstractEventLoop, context: dict[str, Any]
) -> None:
    """Report an error of the event loop; without files it waits, and that is all."""
    error = context.get("exception")
    if not isinstance(error, OSError) or error.errno not in (EMFILE, ENFILE):
        loop.default_exception_handler(context)


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
