"""Simulations in tests are checked after every event; see `simulation.invariants`."""

from __future__ import annotations

import os

os.environ["CLOSEKNIT_CHECK"] = "1"
