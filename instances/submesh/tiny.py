"""Tiny instances for compiling kernels, on which searches still branch."""

from __future__ import annotations

from collections.abc import Iterator

from .instance import Resident, Submesh

KINDS = (("mesh", 2), ("torus", 2))
"""Networks and numbers of axes that `closeknit warm` compiles for."""


def compiled_for(instance: Submesh) -> tuple[str, int]:
    """Return the network and number of axes that the machine code depends on."""
    return "torus" if instance.torus else "mesh", instance.d


def tiny(structure: str, d: int) -> Iterator[Submesh]:
    """Yield feasible and infeasible requests, with and without migration."""
    residents = (
        Resident((0,) * d + (2,) * d),
        Resident((3,) + (0,) * (d - 1) + (4,) + (3,) * (d - 1)),
        Resident((5,) * d + (6,) * d),
    )
    for request in ((2,) * d, (5,) + (4,) * (d - 1)):
        for migrate in (False, True):
            yield Submesh(
                name="tiny",
                shape=(8,) * d,
                residents=residents,
                request=request,
                torus=structure == "torus",
                migrate=migrate,
                rotate=migrate,
            )
