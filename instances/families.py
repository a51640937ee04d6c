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
from .option_values import number, shape, share

if TYPE_CHECKING:
    from .problems import Instance

MOST = 10**6
"""Instances that one entry makes."""
Progress = Callable[[int, "int | None"], None]
"""Takes how many jobs or instances are done, and of how many if that is known."""


def _ignore(*_: object) -> None:
    """Take no notice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a family.

    Parameters
    ----------
    name
        Name of the option and of the field of a study file, with hyphens.
    read
        Reads the value from text; raises `InputError` for what it cannot read.
    default
        Text that stands for a value left out; None leaves it to the function.
    required
        Whether it must be given.
    flag
        Whether it is a switch without a value; ``read`` is not used then.
    choices
        The only texts allowed, if not empty.
    metavar
        Example or letter that the help shows in place of the value.
    help
        What it means, without the default.
    argument
        Keyword of the function; ``name`` with underscores if left out.
    aliases
        Old names, and for each the values of other parameters that it implies.
    """

    name: str
    read: Callable[[str], Any] = number
    default: str | None = None
    required: bool = False
    flag: bool = False
    choices: tuple[str, ...] = ()
    metavar: str = "N"
    help: str = ""
    argument: str = ""
    aliases: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def keyword(self) -> str:
        """Name of the function's argument."""
        return self.argument or self.name.replace("-", "_")

    def value_of(self, text: str) -> Any:
        """Read a value.

        Raises
        ------
        InputError
            When the text is not one of the choices, or cannot be read.
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
    """One generator, by the name that users type.

    Parameters
    ----------
    problem
        Name of the problem whose instances it makes.
    name
        In lower case, with hyphens.
    summary
        What the instances are, in a few words.
    make
        Makes one instance; its keywords are those of the parameters, but ``count``. If
        ``several``, it yields all instances, and also takes ``progress`` and ``note``.
    parameters
        In the order in which the help lists them.
    examples
        Two sets of options that work, for the help.
    description
        A longer text for the help; the summary if left out.
    exclusive
        Names of parameters of which only one may be given.
    several
        Whether ``make`` yields all instances itself.
    """

    problem: str
    name: str
    summary: str
    make: Callable[..., Any]
    parameters: Sequence[Parameter]
    examples: tuple[str, str]
    description: str = ""
    exclusive: tuple[str, ...] = ()
    several: bool = False

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter of this name, which may be an old one."""
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
        """Yield the instances; of a seeded family, ``count`` with consecutive seeds.

        Parameters
        ----------
        values
            By the name of a parameter; those left out have their defaults.
        progress
            Called as the work proceeds.
        note
            Called with a sentence about what was left out, if anything is.

        Raises
        ------
        InputError
            When the generator refuses a value; the field is the function's argument.
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
            raise InputError(f"must be from 1 to {MOST}", field="count", value=count)
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
        """Return the error with a parameter as its field, where one is meant.

        Parameters
        ----------
        error
            As the generator raised it.
        prefix
            What stands before the name of a parameter: ``--``, or a path.
        names
            What users call a parameter, where that is not its name.
        """
        keyword = error.field.removeprefix("topology.").partition("[")[0]
        for one in self.parameters:
            if keyword == one.keyword and not error.file:
                name = (names or {}).get(one.name, one.name)
                return InputError(error.problem, field=prefix + name, value=error.value)
        return error


def required(name: str, help: str, **more: Any) -> Parameter:
    """Return a parameter that must be given."""
    return Parameter(name=name, required=True, help=help, **more)


def optional(name: str, default: str | None, help: str, **more: Any) -> Parameter:
    """Return a parameter that has a default."""
    return Parameter(name=name, default=default, help=help, **more)


def choice(name: str, choices: tuple[str, ...], default: str, help: str) -> Parameter:
    """Return a parameter that is one of a few words."""
    return Parameter(name=name, read=str, choices=choices, default=default, help=help)


def flag(name: str, help: str) -> Parameter:
    """Return a switch."""
    return Parameter(name=name, flag=True, help=help)


def portion(name: str, default: str, what: str) -> Parameter:
    """Return a count, or a percentage of all."""
    return Parameter(
        name=name,
        read=share,
        default=default,
        metavar="F",
        help=f"{what}: a count, or a share such as 50%",
    )


def sides(example: str = "16x16") -> Parameter:
    """Return the shape of a mesh or torus, under its older name too."""
    return Parameter(
        name="shape",
        read=shape,
        required=True,
        metavar=example,
        help="sides of the mesh or torus",
        aliases={"mesh": {}},
    )


NETWORK = (
    replace(
        sides(),
        help="sides of the mesh or torus; fan-outs of the tree",
    ),
    choice("kind", ("mesh", "torus", "tree"), "mesh", "kind of network"),
)
"""A network and its kind."""

K = required("k", "processors to choose")
SEED = optional("seed", "0", "random seed")
COUNT = optional("count", "1", "instances to make, with consecutive seeds")
SEEDED = (SEED, COUNT)
"""A family that draws takes a seed, and makes as many as asked for."""
METHOD = optional(
    "method",
    "mm",
    "method that places the jobs",
    read=str,
    metavar="METHOD",
    argument="allocator",
    aliases={"allocator": {}},
)
