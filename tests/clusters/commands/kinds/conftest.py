"""Commands on a cluster whose machines are not alike."""

from __future__ import annotations

import pytest

from ...asking import Ask
from ..unlike_machines import TREE, scontrol


@pytest.fixture
def ask(ask: Ask) -> Ask:
    """Run a command on these machines, of which the file NODES tells."""

    def asked(command: str, words: str, **files: str) -> tuple[int, str, str]:
        if "--topology" not in words:
            words += " --topology TREE"
        return ask(command, words, **{"TREE": TREE, "NODES": scontrol(), **files})

    return asked
