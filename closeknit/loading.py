"""Importing what a copy of the project may lack: a part, or all but the checker."""

import sys

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    from typing import Any

PACKAGE = __name__.partition(".")[0]
"""The checker alone has another name."""


def find(module: str) -> "Any":
    """Return a module of closeknit; None if it is not here."""
    place = f"{PACKAGE}.{module}"
    try:
        __import__(place)  # `importlib` takes its time
    except ModuleNotFoundError as error:
        if not f"{place}.".startswith(f"{error.name}."):
            raise
        return None
    return sys.modules[place]
