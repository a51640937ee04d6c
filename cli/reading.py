"""Types of options for argparse, from the readers of `instances.option_values`.

An `InputError` of a reader becomes an ``ArgumentTypeError``, so that argparse names
the option.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from ..instances import option_values
from ..instances.errors import InputError

_T = TypeVar("_T")


def option(read: Callable[[str], _T]) -> Callable[[str], _T]:
    """Return the reader as argparse wants it."""

    @wraps(read)
    def from_word(text: str) -> _T:
        try:
            return read(text)
        except InputError as error:
            raise ArgumentTypeError(error.problem) from None

    return from_word


number = option(option_values.number)
shape = option(option_values.shape)
fraction = option(option_values.fraction)
half_open = option(option_values.half_open)


def add_number(parser: Any, name: str, text: str, default: int | None = None) -> None:
    """Declare an option that is a whole number, and not negative."""
    parser.add_argument(name, type=number, default=default, metavar="N", help=text)
