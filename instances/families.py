"""Families of generated instances: a name, a function and typed parameters.

The command line (``closeknit generate FAMILY --options``) and the ``[[instances]]``
tables of study files both derive from these entries. The families of a problem are
listed in its folder (``instances/ksubset/families.py``, ...), those that need a
simulation in ``simulation/families.py``, which also composes the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .option_values import network_kind, number, shape, share

if TYPE_CHECKING:
    from .problems import Instance

MOST = 10**6
"""Maximal number of instances from one entry."""
Progress = Callable[[int, "int | None"], None]
"""Called with the number of jobs or instances done, and the total if known."""


def _ignore(*_: object) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a family."""

    name: str
    """Name of the option and of the field of a study file, with hyphens."""
    read: Callable[[str], Any] = number
    """Parses the value; raises `InputError` if it is invalid."""
    default: str | None = None
    """Text of the default value; None for the default of the function."""
    required: bool = False
    """Whether it must be given."""
    flag: bool = False
    """Whether it is a switch without a value."""
    choices: tuple[str, ...] = ()
    """The allowed texts, if not empty."""
    metavar: str = "N"
    """Placeholder for the value in the help."""
    help: str = ""
    """Description for the help, without the default."""
    argument: str = ""
    """Keyword of the function; by default ``name`` with underscores."""
    aliases: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Old names, each with the values of other parameters that it implies."""

    @property
    def keyword(self) -> str:
        """Name of the function's argument."""
        return self.argument or self.name.replace("-", "_")

    def value_of(self, text: str) -> Any:
        """Read a value.

        Raises InputError if the text is not one of the choices, or is invalid.
        """
        if self.choices and text not in self.choices:
            known = ", ".join(map(repr, self.choices))
            raise InputError(f"invalid choice: {text!r} (choose from {known})")
        return self.read(text)

    @property
    def default_value(self) -> Any:
        """Value of a parameter that is left out."""
        if self.flag:
            return False
        return None if self.default is None else self.read(self.default)


@dataclass(frozen=True, slots=True)
class Family:
    """A generator of instances, with its name and parameters."""

    problem: str
    """Name of the problem whose instances it makes."""
    name: str
    """In lower case, with hyphens."""
    summary: str
    """Short description of the instances."""
    make: Callable[..., Any]
    """Makes one instance; its keywords are those of the parameters, but ``count``. If
    ``several``, it yields all instances, and also takes ``progress`` and ``note``."""
    parameters: Sequence[Parameter]
    """In the order of the help."""
    examples: tuple[str, str]
    """Two valid sets of options, for the help."""
    description: str = ""
    """A longer text for the help; by default the summary."""
    exclusive: tuple[str, ...] = ()
    """Names of mutually exclusive parameters."""
    several: bool = False
    """Whether ``make`` yields all instances itself."""

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter with this name or alias."""
        for one in self.parameters:
            if name == one.name or name in one.aliases:
                return one
        return None

    def instances(
        self,
        values: Mapping[str, Any],
        *,
        progress: Progress = _ignore,
        note: Callable[[str], None] = _ignore,
    ) -> Generator[Instance, None, None]:
        """Yield the instances; for seeded families ``count`` with consecutive seeds.

        ``values`` maps names of parameters to values; missing ones have their defaults.
        ``note`` is called with a sentence about what was omitted, if anything. Raises
        InputError if the generator refuses a value; the field is the function's
        argument.
        """
        arguments = {
            one.keyword: values.get(one.name, one.default_value)
            for one in self.parameters
        }
        if self.several:
            yield from self.make(**arguments, progress=progress, note=note)
            return
        count = arguments.pop("count", 1)
        if not 1 <= count <= MOST:
            raise InputError(f"must be from 1 to {MOST}", "count", count)
        first = arguments.pop("seed", None)
        for i in range(count):
            seed = {} if first is None else {"seed": first + i}
            progress(i, count)
            yield self.make(**arguments, **seed)

    def in_terms_of_parameters(
        self,
        error: InputError,
        prefix: str = "",
        names: Mapping[str, str] | None = None,
    ) -> InputError:
        """Return the error with the name of its parameter, if any, as its field.

        ``prefix`` comes before the name: ``--``, or a path. ``names`` holds the names
        for users where they differ.
        """
        keyword = error.field.removeprefix("topology.").partition("[")[0]
        for one in self.parameters:
            if keyword == one.keyword and not error.file:
                name = (names or {}).get(one.name, one.name)
                return InputError(error.problem, prefix + name, error.value)
        return error


def required_parameter(name: str, help: str, **more: Any) -> Parameter:
    """Return a required parameter."""
    return Parameter(name=name, required=True, help=help, **more)


def optional(name: str, default: str | None, help: str, **more: Any) -> Parameter:
    """Return a parameter with a default."""
    return Parameter(name=name, default=default, help=help, **more)


def choice(name: str, choices: tuple[str, ...], default: str, help: str) -> Parameter:
    """Return a parameter with a fixed set of values."""
    return Parameter(name=name, read=str, choices=choices, default=default, help=help)


def flag(name: str, help: str) -> Parameter:
    """Return a switch."""
    return Parameter(name=name, flag=True, help=help)


def portion(name: str, default: str, what: str) -> Parameter:
    """Return a parameter that is a count or a percentage."""
    return Parameter(
        name=name,
        read=share,
        default=default,
        metavar="F",
        help=f"{what}: a count, or a share such as 50%",
    )


def sides(example: str = "16x16") -> Parameter:
    """Return the parameter for the shape of a mesh or torus, with its old name."""
    return Parameter(
        name="shape",
        read=shape,
        required=True,
        metavar=example,
        help="sides of the mesh or torus",
        aliases={"mesh": {}},
    )


def kind_of_network() -> Parameter:
    """Return the parameter for the kind of a network."""
    return Parameter(
        name="kind",
        read=network_kind,
        default="mesh",
        metavar="KIND",
        help="mesh, torus, tree, or grid with its rings: grid:1,3",
    )


NETWORK = (
    replace(
        sides(),
        help="sides of the mesh or torus; fan-outs of the tree",
    ),
    kind_of_network(),
)
"""Parameters for a network and its kind."""

K = required_parameter("k", "processors to choose")
SEED = optional("seed", "0", "random seed")
COUNT = optional("count", "1", "instances to make, with consecutive seeds")
SEEDED = (SEED, COUNT)
"""Parameters of every random family: the seed and the number of instances."""
METHOD = optional(
    "method",
    "mm",
    "method that places the jobs",
    read=str,
    metavar="METHOD",
    argument="allocator",
    aliases={"allocator": {}},
)
