"""Look at choices and proofs on a page in the browser, served on this machine only.

Paint busy processors, compare the sets of methods with the optimum, and load the
worst instances known. FILE is an instance of ksubset, or the topology of a cluster as
select --topology reads it; more can be loaded on the page. Nothing is fetched from a
network. Ctrl-C ends it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ..instances.errors import InputError
from ..instances.extras import install
from ..instances.reading.files import decode_text, read_bytes
from ..instances.reading.packed import unpack
from .frame import shared
from .frame.listening import serving, tcp, url
from .frame.parser import Parser, flag


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="what is shown first")
    shared.add_number(parser, "--port", "port (0: any that is free)", 8788)
    flag(parser, "--no-open", "only print the address; open no browser")
    parser.examples(
        "explore", "explore topology.conf", "explore instance.json --port 0 --no-open"
    )


def run(args: argparse.Namespace) -> int:
    """Serve the page until SIGTERM or SIGINT; return the exit status."""
    try:
        from ..reports.explorer.application import application
        from ..reports.explorer.explorer import Explorer
        from ..reports.explorer.loading import load
    except ImportError:
        problem = f"needs Starlette and uvicorn: {install('serve')}"
        raise InputError(problem) from None
    first = None
    if args.file is not None:
        packed = read_bytes(args.file)
        text = decode_text(unpack(packed, file=args.file), file=args.file)
        first = load({"name": Path(args.file).name, "text": text})
        if len(first.get("parts", ())) > 1:
            first["text"] = text  # from which the page loads the other parts
    bound = tcp("127.0.0.1", args.port, "")

    def ready() -> None:
        print(f"listening on {url(bound)} (Ctrl-C ends it)", flush=True)
        if not args.no_open:
            import webbrowser

            webbrowser.open(url(bound))

    try:
        return serving(application(Explorer(first)), bound, ready)
    finally:
        bound.close()
