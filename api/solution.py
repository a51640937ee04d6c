"""A solved instance: the choice, its cost, what is proved, and its picture."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast, overload
from warnings import warn

from ..instances import (
    InputError,
    Instance,
    KSubset,
    Node,
    ProcSet,
    Submesh,
    Sukp,
    Topology,
    Value,
    check,
    problem_of,
    read_instance,
)
from ..instances import cost as price
from ..instances.escape_hidden import brief
from ..instances.reading.json_text import dumps
from ..instances.support import names_of, support_of
from ..instances.writing.files import write_bytes, write_text
from ..methods.user_methods import chosen
from ..reports.drawing.drawing import drawing_of
from ..reports.drawing.shapes import Canvas as Picture
from ..solvers import Proof, Result, Status, solution_of
from .answers import format_result, headline
from .constructors import is_network, ksubset

if TYPE_CHECKING:
    from fractions import Fraction

    import networkx
    from typing_extensions import TypeVar as TypeVarWithDefault

    Job: TypeAlias = "Instance | Solution | str | Path | Topology | networkx.Graph"
    """What can be solved; a network together with ``k``."""
    SelectionT = TypeVarWithDefault("SelectionT", default=Any)
else:
    SelectionT = TypeVar("SelectionT")

_TWO_MEANINGS = (
    "whole numbers are read as indices of free processors; a node of the graph is "
    "ck.Node(number)"
)
_PIXELS = 96
"""Pixels of a drawing in an inch."""


@dataclass(frozen=True, slots=True, repr=False)
class Solution(Generic[SelectionT]):
    """An instance, the method that was run on it, and its result.

    ``print`` shows what ``closeknit solve`` prints; a notebook draws the choice.

    Parameters
    ----------
    instance
        What was solved.
    method
        Name of the method.
    result
        What the method returned; the choice is checked and priced by the definition.

    Examples
    --------
    >>> import closeknit as ck
    >>> solution = ck.solve(ck.ksubset(ck.Mesh(4, 4), k=4, busy=[(0, 0)]))
    >>> solution.cost, solution.bound, str(solution.proof)
    (8, 8, 'checked: town bound')
    >>> solution.selection
    [[0, 2], [0, 3], [1, 2], [1, 3]]
    """

    instance: Instance
    method: str
    result: Result

    @property
    def selection(self) -> SelectionT | None:
        """The choice, in the names that users know; None if there is none.

        Coordinates of processors; nodes of a graph as networkx has them, or by name;
        nodes of a tree by number; names of processors, items; of a submesh the box and
        the moves.
        """
        if self.result.chosen is None:
            return None
        named = names_of(self.instance, self.result.chosen)
        return cast("SelectionT", named)

    @property
    def chosen(self) -> tuple[int, ...] | None:
        """The choice as sorted indices into the instance; None if there is none."""
        return self.result.chosen

    @property
    def cost(self) -> Value | None:
        """Cost of the choice: an exact integer, or a tuple of one for each level.

        Distances of points with decimals are in units of 1/scale of their topology.
        """
        return self.result.objective

    @property
    def bound(self) -> Value | None:
        """Proved lower bound on the cost of any choice; None if nothing is proved."""
        return self.result.bound

    @property
    def ratio(self) -> Fraction | None:
        """Proved upper bound on cost / optimum, exact; see `Result.ratio`."""
        return self.result.ratio

    @property
    def proof(self) -> Proof | None:
        """What the bound, or infeasibility, rests on."""
        return self.result.proof

    @property
    def status(self) -> Status:
        """``optimal``, ``feasible``, ``infeasible`` or ``unknown``."""
        return self.result.status

    @property
    def nodes(self) -> int | None:
        """Nodes of the search; None if the method does not count any."""
        return self.result.nodes

    @property
    def seconds(self) -> float:
        """Wall-clock time of the run."""
        return self.result.seconds

    def __repr__(self) -> str:
        return brief("Solution", headline(self.instance, self.result))

    def __str__(self) -> str:
        return format_result(self.instance, self.method, self.result)

    def document(self) -> dict[str, Any]:
        """Return the object that a solution file holds."""
        return solution_of(self.instance, self.method, self.result)

    def to_json(self) -> str:
        """Return the text of a solution file, see docs/internals/formats.md."""
        return dumps(self.document()) + "\n"

    def write(self, path: str | Path) -> None:
        """Write a solution file, which ``closeknit check`` can check.

        Parameters
        ----------
        path
            The file; an existing one is replaced.

        Raises
        ------
        InputError
            When the file cannot be written.
        """
        write_text(path, self.to_json())

    def plot(self, ax: Any = None) -> Any:
        """Draw the choice with matplotlib; return the axes.

        Parameters
        ----------
        ax
            Axes to draw on; those of a new figure if left out.
        """
        return self.draw().plot(ax)

    def draw(self) -> Drawing:
        """Return the picture; see `draw`."""
        return draw(self)

    def _repr_svg_(self) -> str:
        return self.draw().svg


@dataclass(frozen=True, slots=True, repr=False)
class Drawing:
    """A picture: shown by a notebook, drawn by matplotlib, written to a file.

    Parameters
    ----------
    picture
        The shapes.
    """

    picture: Picture

    @property
    def svg(self) -> str:
        """Text of an SVG file."""
        return self.picture.svg

    def __repr__(self) -> str:
        wide, high = round(self.picture.width), round(self.picture.height)
        return brief("Drawing", f"{wide}×{high} pixels", self.picture.title)

    def _repr_svg_(self) -> str:
        return self.svg

    def plot(self, ax: Any = None) -> Any:
        """Draw it with matplotlib; return the axes.

        Parameters
        ----------
        ax
            Axes to draw on; those of a new figure of the drawing's size if left out.
        """
        from ..reports.drawing.rendering import paint

        if ax is None:
            import matplotlib.pyplot as plt

            size = (self.picture.width / _PIXELS, self.picture.height / _PIXELS)
            ax = plt.figure(figsize=size).add_axes((0, 0, 1, 1))
        paint(ax, self.picture)
        return ax

    def write(self, path: str | Path) -> None:
        """Write the picture; the suffix of the file decides: ``.svg``, PNG or PDF.

        Parameters
        ----------
        path
            The file; an existing one is replaced.

        Raises
        ------
        InputError
            For another suffix, or when the file cannot be written.
        """
        from ..reports.drawing.rendering import render

        form = Path(path).suffix.lower().removeprefix(".")
        if form == "svg":
            write_text(path, self.svg)
        elif form in ("png", "pdf"):
            write_bytes(path, render(self.picture, form))
        else:
            raise InputError("must end in .svg, .png, .pdf", file=path)


def draw(
    job: Instance | Solution | str | Path,
    *selections: Solution | Collection[Any],
    title: str = "",
) -> Drawing:
    """Draw an instance, or one or two choices side by side.

    Parameters
    ----------
    job
        An instance, the path of its file, or a `Solution`.
    selections
        Up to two: `Solution` of the same instance, or selections as indices or as
        solution files list them.
    title
        First line; the name of the instance if left out.

    Returns
    -------
    Drawing
        With ``svg``, ``plot`` and ``write``.

    Raises
    ------
    InputError
        When a selection is not valid, or there are more than two.

    Examples
    --------
    >>> import closeknit as ck
    >>> job = ck.ksubset(ck.Mesh(4, 4), k=4)
    >>> ck.draw(job, ck.solve(job, "mm"), [0, 1, 2, 3]).svg[:4]
    '<svg'
    """
    if isinstance(job, Solution):
        selections = (job, *selections)
    instance = instance_of(job)
    if len(selections) > 2:
        raise InputError("at most two can be drawn", "selections", len(selections))
    named: dict[str, Collection[int]] = {}
    remark = ""
    for i, one in enumerate(selections, 1):
        if isinstance(one, Solution):
            if one.chosen is None:
                why = f" ({one.proof})" if one.proof else ""
                remark = f"{one.method}: {one.status.value}{why}"
                continue
            name, chosen = one.method, one.chosen
        else:
            name, chosen = f"selection {i}", indices_of(instance, one)
        named[f"{name} ({i})" if name in named else name] = chosen
    return Drawing(drawing_of(instance, named, title=title, remark=remark))


def instance_of(job: Job, **network: Any) -> Instance:
    """Return the instance of a solution, file or network; an instance as it is.

    ``network`` may hold ``k``, ``busy``, ``free`` and ``required``; see `ksubset`.
    Raises InputError if they do not go with the job.
    """
    given = {name: value for name, value in network.items() if value is not None}
    if is_network(job):
        if "k" not in given:
            problem = "is missing: how many processors of this network to choose"
            raise InputError(problem, "k")
        return ksubset(job, **given)
    if not isinstance(job, Solution | str | Path):
        problem_of(job)  # type: ignore[arg-type]  # refuses what is none
    for name in given:
        raise InputError("is for a network, and an instance has its own", name)
    if isinstance(job, Solution):
        return job.instance
    if isinstance(job, str | Path):
        return read_instance(job)
    return job  # type: ignore[return-value]


def indices_of(instance: Instance, selection: Any) -> tuple[int, ...]:
    """Return a selection as indices, whichever way it is written; see `chosen`.

    Nodes that are numbers are read as such where they can be no indices. Where they
    can be both, a list is taken for indices with a warning; a tuple, as in
    `Solution.chosen`, or an array without one.
    """
    found = chosen(instance, getattr(selection, "chosen", selection))
    if isinstance(selection, list | set) and isinstance(instance, KSubset):
        index = {v: i for i, v in enumerate(instance.names) if isinstance(v, Node)}
        named = sorted(index.get(Node(i), -1) for i in selection if type(i) is int)
        if named and -1 not in named and tuple(named) != found:
            if not set(found) <= set(range(instance.n)):
                return tuple(named)
            warn(_TWO_MEANINGS, stacklevel=3)
    return found


@overload
def cost(instance: ProcSet | Submesh, chosen: Any) -> tuple[int, ...]: ...
@overload
def cost(instance: KSubset | Sukp, chosen: Any) -> int: ...
@overload
def cost(instance: Instance | str | Path, chosen: Any) -> Value: ...
def cost(instance: Instance | str | Path, chosen: Any) -> Value:
    """Price a choice from the definition.

    Parameters
    ----------
    instance
        An instance, or the path of its file.
    chosen
        A `Solution`; or a selection as `Solution.selection` lists it, or as indices.
        A part of a selection has a cost, too.

    Raises
    ------
    InputError
        When something is chosen that does not exist or is not free.

    Examples
    --------
    >>> import closeknit as ck
    >>> job = ck.ksubset(ck.Mesh(2, 2), k=4)
    >>> ck.cost(job, [0, 1, 2, 3]), ck.cost(job, [(0, 0), (1, 1)])
    (8, 2)
    """
    whole = instance_of(instance)
    indices = indices_of(whole, chosen)
    count, some = support_of(whole).choosable(whole), set(indices)
    is_part = count is not None and some <= set(range(count))
    if is_part and len(some) == len(indices):
        return price(whole, indices)
    for problem in check(whole, indices):
        raise InputError(problem, "chosen")
    return price(whole, indices)
