"""Import of the modelling library PuLP without the solvers that it would load.

Importing PuLP imports highspy, which cannot share a process with ortools: both contain
symbols of HiGHS. PuLP is therefore imported only here, with its solvers hidden; they
run in a separate process (see ``mip``), which may load them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from threading import Lock
from typing import Any

from .running.errors import SolverError

_LOADING = Lock()
_HIDDEN = ("highspy",)


def load_pulp() -> Any:
    """Import PuLP without solvers; raise SolverError if PuLP is not installed.

    One thread imports it; others wait, whoever does.
    """
    with _LOADING:
        if "pulp" in sys.modules:
            return import_module("pulp")
        return _load_alone()


def _load_alone() -> Any:
    hidden = {name: None for name in _HIDDEN if name not in sys.modules}
    sys.modules.update(hidden)  # type: ignore[arg-type]
    try:
        return import_module("pulp")
    except ModuleNotFoundError as error:
        raise SolverError(
            f"pulp is not installed ({error.name}): pip install pulp"
        ) from None
    finally:
        for name in hidden:
            del sys.modules[name]
