"""The worst-case families side by side: what is predicted, and what is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ...instances.ksubset import worst_cases as families
from ...instances.ksubset.worst_cases import WorstCase
from ...methods import KSUBSET
from ...solvers import Settings, Status
from ...solvers.result import SolverError

Fill = tuple[str, Callable[[], WorstCase], str]
"""The family with its parameters, what makes the case, and what its ratio tends to."""


CASES: Sequence[Fill] = (
    *(
        (
            f"theorem1 d={d} k={4 * d} eps=1/132",
            partial(families.theorem1, d, 4 * d, Fraction(1, 132)),
            str(2 - Fraction(1, 2 * d)),
        )
        for d in range(1, 5)
    ),
    *(
        (
            f"median-decoys d={d} k={k} eps=1/1000",
            partial(families.median_decoys, d, k, Fraction(1, 1000)),
            limit,
        )
        for d, k, limit in ((2, 4, "3/2"), (2, 11, "8/5"), (3, 7, "3/2"))
    ),
    *(
        (f"mm-distinct L={L}", partial(families.mm_distinct, L), "7/4")
        for L in (20, 555)
    ),
    *(
        (f"mm-blocks k={k} L={L}", partial(families.mm_blocks, k, L), "7/4")
        for k, L in ((8, 1000), (16, 40), (16, 2000), (32, 500))
    ),
    *(
        (
            f"mc1x1-worst d={d} k={k} r={r}",
            partial(families.mc1x1_family, k, r, d),
            str((2 - Fraction(2, k)) * d),
        )
        for d, k, r in ((1, 4, 50), (2, 4, 100), (2, 8, 400), (3, 4, 100))
    ),
    ("genalg L=1000", partial(families.genalg, 1000), "4/3"),
    *(
        (
            f"genalg-tree k={k} L=1000",
            partial(families.genalg_tree, k, 1000),
            str(2 - Fraction(2, k)),
        )
        for k in (3, 4, 8)
    ),
    *(
        (f"hilbert-gap N={N}", partial(families.hilbert_gap, N), "none")
        for N in (4, 16, 64)
    ),
    *((f"ring-gap s={s}", partial(families.ring_gap, s), "266/265") for s in (1, 5)),
)
"""Cases shown, small enough that their optima are proved in a moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRow:
    """One case of a family.

    Parameters
    ----------
    family
        With its parameters.
    case
        What it predicts.
    cost, optimum
        What its method pays, and the optimum that the exact route proves.
    tends_to
        Where the ratio goes as the parameters grow.
    """

    family: str
    case: WorstCase
    cost: int
    optimum: int
    tends_to: str

    @property
    def measured(self) -> Fraction:
        """The ratio, exact."""
        return Fraction(self.cost, self.optimum)

    @property
    def agrees(self) -> bool:
        """Whether cost and optimum are the predicted ones."""
        return (self.cost, self.optimum) == (self.case.cost, self.case.optimum)


def family_rows(settings: Settings) -> Iterator[FamilyRow]:
    """Run the methods and the exact route on every case.

    Raises
    ------
    SolverError
        When an optimum is not proved within the limits.
    """
    for family, make, tends_to in CASES:
        case = make()
        paid = KSUBSET[case.method](case.instance, settings)
        proved = KSUBSET["auto"](case.instance, settings)
        if proved.status is not Status.OPTIMAL:
            raise SolverError(f"{case.instance.name}: no optimum within the limit.")
        assert isinstance(paid.objective, int)
        assert isinstance(proved.objective, int)
        yield FamilyRow(
            family=family,
            case=case,
            cost=paid.objective,
            optimum=proved.objective,
            tends_to=tends_to,
        )
