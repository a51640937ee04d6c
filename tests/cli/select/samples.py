"""The sample configuration, and versions of it."""

from __future__ import annotations

from closeknit.scheduler.config import read_configuration

from ...scheduler.written import written

SAMPLE = "drakenberg-figure-6"


def sample(extra: int) -> bytes:
    """The sample, one price of it changed so that versions can be told apart."""
    text = written(read_configuration(SAMPLE))
    found = text.replace("cluster@h15=[0,0,0,0,101]", f"cluster@h15=[0,0,0,0,{extra}]")
    return found.encode()
