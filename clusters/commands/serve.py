"""Choose nodes of a cluster over HTTP, with its state kept up by deltas.

The topology is read once; POST /select answers in JSON as closeknit select --topology
--format json does, POST /state sets nodes busy or free. /healthz, /metrics and
/openapi.json are there, too. Clients are on this machine unless --host says otherwise,
and then need a token. SIGTERM ends the server when what it has begun is answered.
"""

from __future__ import annotations

import argparse
import os
import socket
import stat
import sys
from pathlib import Path

from ...cli.frame import shared
from ...cli.frame.listening import TOKEN, bind, serving, tcp, url
from ...cli.frame.parser import Parser, once
from ...cli.select.server import memory
from ...instances.errors import InputError
from ...instances.extras import install
from ...instances.option_values import seconds
from ...instances.reading.files import read_text
from ..placement import NodeSelector
from . import cluster

_LEAST_TOKEN, _MOST_TOKEN = 16, 4096
_MIB = 2**20


def options(parser: Parser) -> None:
    """Declare the options."""
    cluster.add_topology(parser)
    parser.add_argument(
        "--socket", metavar="PATH", help="listen on a Unix socket instead of a port"
    )
    shared.add_number(parser, "--port", "port (0: any that is free)", 8787)
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address to listen on; others than loopback need a token "
        "(default: %(default)s)",
    )
    once(
        parser,
        "--token-file",
        "FILE",
        f"file with the bearer token of clients (default: ${TOKEN})",
    )
    shared.add_number(parser, "--queue", "requests that may wait", 256)
    shared.add_number(parser, "--max-body", "largest body of a request, in KiB", 1024)
    shared.add_number(parser, "--memory", "MiB that requests may take in all", 2048)
    shared.add_time_limit(parser, "largest time limit of a request in seconds", 1.0)
    parser.examples(
        "serve --topology topology.conf",
        "serve --topology topology.conf --socket /run/closeknit/closeknit.sock",
    )


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT; return the exit status."""
    for option, least in (("queue", 1), ("max_body", 1), ("memory", 64)):
        if getattr(args, option) < least:
            name = f"--{option.replace('_', '-')}"
            raise InputError(f"must be at least {least}", name, getattr(args, option))
    token = _token(args.token_file)
    limit = seconds(args.time_limit)
    try:
        from ...scheduler.http.factory import AccessPolicy
        from ..service.application import Application
        from ..service.service import Service
    except ImportError:
        problem = f"needs Starlette and uvicorn: {install('serve')}"
        raise InputError(problem) from None
    bound = _unix(args.socket) if args.socket else tcp(args.host, args.port, token)
    try:
        selector = NodeSelector(cluster.cluster_of(args))
        service = Service(selector, time_limit=limit)
        service.prepare()
        policy = AccessPolicy(
            token=token,
            local=not token and not args.socket,
            most_bytes=args.max_body * 1024,
            most_waiting=args.queue,
        )
        where = f"unix:{args.socket}" if args.socket else url(bound)
        says = f"{service.summary}\nlistening on {where}"
        served = Application(service, policy).asgi
        with memory(args.memory):
            return serving(served, bound, lambda: print(says, flush=True), limit)
    finally:
        bound.close()
        if args.socket:
            Path(args.socket).unlink(missing_ok=True)


def _token(file: str | None) -> str:
    where = "--token-file" if file else f"${TOKEN}"
    text = read_text(file, most=_MIB) if file else os.environ.get(TOKEN, "")
    if file and _is_open(file):
        said = f"{file}: other users of this machine may read it (chmod 640)"
        print(f"closeknit: --token-file: {said}", file=sys.stderr)
    token = text.strip()
    if not token and not file:
        return ""
    fits = _LEAST_TOKEN <= len(token) <= _MOST_TOKEN
    if not fits or not token.isascii() or not token.isprintable() or " " in token:
        problem = f"must be one word of {_LEAST_TOKEN} to {_MOST_TOKEN} ASCII letters"
        raise InputError(problem, where)
    return token


def _is_open(file: str) -> bool:
    """Whether others than owner and group may read or write a file; pipes are not."""
    mode = Path(file).stat().st_mode
    return stat.S_ISREG(mode) and bool(mode & (stat.S_IROTH | stat.S_IWOTH))


def _unix(path: str) -> socket.socket:
    """Bind a socket of the file system for owner and group; replace a dead one."""
    try:
        found = Path(path).lstat()
    except OSError:
        found = None
    if found is not None:
        if not stat.S_ISSOCK(found.st_mode):
            raise InputError("is no socket", "--socket", path)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(1.0)
            try:
                probe.connect(path)
            except ConnectionRefusedError:
                Path(path).unlink(missing_ok=True)
            except OSError as error:
                raise InputError(str(error.strerror), "--socket", path) from None
            else:
                raise InputError("is in use", "--socket", path)
    mask = os.umask(0o117)
    try:
        return bind(
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), path, "--socket", path
        )
    finally:
        os.umask(mask)
