"""Simulations in tests are checked after every event; no test is timed."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ["CLOSEKNIT_CHECK"] = "1"  # see simulation/invariants.py
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
