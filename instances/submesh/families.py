"""Families of submesh requests, see `instances.families`."""

from __future__ import annotations

from ..families import SEEDED, Family, flag, optional, required_parameter, sides
from .generators import waiting_state

FAMILIES = (
    Family(
        "submesh",
        "submesh",
        "a mesh in which a request has to wait",
        waiting_state,
        (
            sides(),
            optional("least", "1", "shortest side of a request"),
            required_parameter("most", "longest side of a request"),
            optional("after", "50", "requests served before"),
            flag("torus", "boxes may wrap round"),
            flag("rotate", "the request may be turned"),
            *SEEDED,
        ),
        ("--shape 16x16 --most 8", "--shape 8x8 --most 5 --torus --rotate --seed 1"),
    ),
)
"""Generated requests that find no free box."""
