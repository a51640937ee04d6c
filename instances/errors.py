"""The errors for invalid input, and for proofs that prove nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from reprlib import Repr

from .escape_hidden import escape_hidden


class _Short(Repr):
    """Abbreviates any value, however long or deeply nested."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = 60

    def repr_int(self, number: int, level: int) -> str:
        """Write a number; Python refuses to write thousands of digits."""
        try:
            return super().repr_int(number, level)
        except ValueError:
            return f"a number of {number.bit_length()} bits"

    def repr_Decimal(self, number: Decimal, level: int) -> str:
        """Write a number as in its file."""
        return self.repr_str(str(number), level).strip("'")


class _ShortJson(_Short):
    """The same for values of JSON."""

    def repr_NoneType(self, _: None, __: int) -> str:
        return "null"


_SHORT = _Short()
_SHORT_JSON = _ShortJson()
_LONGEST_FIELD = 200
_WANTED = re.compile(r"(must|needs|takes|is for|only)\b|.* must ")
"""Problems that state what is required, not what is wrong with the value."""


class RefusedStep(Exception):
    """A step of a certificate does not follow."""


class InputError(ValueError):
    """Invalid input, described in one line with file, field and value.

    Parameters
    ----------
    problem
        What is wrong, in a few words.
    field
        A path into the file such as ``topology.shape[1]``, or an option.
    value
        The invalid value; omitted from the message if not given.
    file
        The file, possibly with a line number.
    json
        Whether the value was JSON; it is written as such, and so is one of a file.

    Examples
    --------
    >>> str(InputError("must be at least 1", field="k", value=0, file="a.json"))
    'a.json: k: must be at least 1, not 0'
    """

    def __init__(
        self,
        problem: str,
        field: str = "",
        value: object = ...,
        *,
        file: str | Path = "",
        json: bool = False,
    ) -> None:
        self.problem = problem
        self.field = field
        self.value = value
        self.file = str(file)
        self.json = json
        super().__init__(str(self))

    def __str__(self) -> str:
        field = self.field  # a key of a file may be anything
        if len(field) > _LONGEST_FIELD or not field.isprintable():
            field = _SHORT.repr(field)
        text = "".join(f"{part}: " for part in (self.file, field) if part)
        text += self.problem
        if self.value is not ...:
            short = _SHORT_JSON if self.file or self.json else _SHORT
            text = _with_value(text, self.problem, short.repr(self.value))
        return escape_hidden(text, lines=True)

    def __reduce__(self) -> tuple[object, ...]:
        value = None if self.value is ... else self.value
        given = self.problem, self.field, self.value is ..., value, self.file, self.json
        return (_rebuild, (type(self), *given))

    def of_file(self, file: str | Path) -> InputError:
        """Return the same error with the name of its file, unless it has one.

        Parameters
        ----------
        file
            The file that was read.
        """
        name, more = self.file or file, self.json
        return type(self)(self.problem, self.field, self.value, file=name, json=more)

    def of_json(self) -> InputError:
        """Return the same error of a value that was JSON, though of no file."""
        name = self.file
        return type(self)(self.problem, self.field, self.value, file=name, json=True)


class TooLong(InputError):
    """A limit of time or size was reached: nothing is known of what was checked."""


@contextmanager
def in_file(file: str | Path) -> Iterator[None]:
    """Let errors name the file that is read, unless they name one."""
    try:
        yield
    except InputError as error:
        raise error.of_file(file) from None


def _with_value(text: str, problem: str, value: str) -> str:
    """Append the value: after ", not" to a requirement, after a colon to anything else.

    >>> _with_value("k: must be above 0", "must be above 0", "-1")
    'k: must be above 0, not -1'
    >>> problem = "no such method (did you mean mm?)"
    >>> _with_value(f"--method: {problem}", problem, "'mn'")
    "--method: no such method: 'mn' (did you mean mm?)"
    """
    value = " ".join(value.split())
    if _WANTED.match(problem):
        return f"{text}, not {value}"
    hint = problem[problem.index(" (") :] if re.search(r" \(.*\)$", problem) else ""
    return f"{text.removesuffix(hint)}: {value}{hint}"


def _rebuild(
    kind: type[InputError],
    problem: str,
    field: str,
    bare: bool,
    value: object,
    file: str,
    json: bool,
) -> InputError:
    """Unpickle; not every pickle protocol preserves the identity of ``...``."""
    return kind(problem, field, ... if bare else value, file=file, json=json)
