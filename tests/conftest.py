"""Simulations in tests are checked after every event; no test is timed."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from hypothesis import settings

os.environ["CLOSEKNIT_CHECK"] = "1"  # see simulation/invariants.py
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def _ctrl_c_is_pythons_own() -> None:
    """Undo what a command that was run in this process did to the handler."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
