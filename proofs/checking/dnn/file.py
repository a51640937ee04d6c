"""Files of certificates by semidefinite matrices: ``closeknit/dnn-certificate``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ....instances.errors import InputError
from ....instances.ksubset.certificate_file import read_lines
from ....instances.reading.parsing import parse_json
from ..statements import CheckLimits, Refused, TooLong
from .matrices import MOST_ELEMENTS, BoundsChecker, Squares, squares_of

FORMAT = "closeknit/dnn-certificate"


def check_dnn(
    instance: Any,
    path: str | Path,
    stream: BinaryIO,
    limits: CheckLimits,
    squares: Callable[..., Squares | None] = squares_of,
) -> int:
    """Check a certificate file; return the lower bound that it proves.

    Raises as `check_proof_file` does.
    """
    if instance.n > MOST_ELEMENTS:
        raise InputError(f"is about at most {MOST_ELEMENTS} processors", file=path)
    objective, lines = read_lines(FORMAT, instance, path, stream)
    until = limits.now() + limits.seconds

    def look_at_clock() -> None:
        if limits.now() > until:
            raise TooLong(f"takes more than {limits.seconds:g} s to check", file=path)

    at = 1

    def parse_lines() -> Iterator[Any]:
        nonlocal at
        for line in lines:
            at += 1
            yield parse_json(line)

    checker = BoundsChecker(instance, objective, look_at_clock, squares)
    rest = parse_lines()
    try:
        while checker.waiting:
            checker.follow(rest)
        for _ in rest:
            raise Refused("the tree is complete already")
    except TooLong:
        raise
    except Refused as refused:
        raise Refused(f"{path}:{at}: {refused}") from None
    except InputError as error:
        raise error.of_file(f"{path}:{at}") from None
    return objective
