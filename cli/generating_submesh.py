"""Families of submesh instances for ``closeknit generate``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from . import reading
from .family_options import family, needed, number, seeded

if TYPE_CHECKING:
    from ..instances import Submesh
    from .family_options import Families


def add(families: Families) -> None:
    """Add the families."""
    waiting = family(
        families, "submesh", "a mesh in which a request has to wait", _waiting
    )
    needed(waiting, "--shape", kind=reading.shape, metavar="16x16")
    number(waiting, "--least", 1, "shortest side of a request (default 1)")
    needed(waiting, "--most", says="longest side of a request")
    number(waiting, "--after", 50, "requests served before (default 50)")
    waiting.add_argument("--torus", action="store_true", help="boxes may wrap round")
    waiting.add_argument(
        "--rotate", action="store_true", help="the request may be turned"
    )
    seeded(waiting)


def _waiting(args: argparse.Namespace, seed: int) -> Submesh:
    from ..instances.submesh.generators import waiting_state

    return waiting_state(
        args.shape,
        args.least,
        args.most,
        seed,
        after=args.after,
        torus=args.torus,
        rotate=args.rotate,
    )
