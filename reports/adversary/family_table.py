"""The worst-case families side by side: what is predicted, and what is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ...instances.ksubset import worst_cases as cases
from ...instances.ksubset.worst_cases import WorstCase
from ...methods import KSUBSET
from ...solvers import Settings, Status
from ...solvers.running.result import SolverError

Fill = tuple[str, Callable[[], WorstCase], str]
"""The family with its parameters, what makes the case, and what its ratio tends to."""


def _fill(
    name: str,
    make: Callable[..., WorstCase],
    tends_to: Fraction | str,
    **parameters: int | Fraction,
) -> Fill:
    shown = (f"{key}={value}" for key, value in parameters.items())
    return " ".join([name, *shown]), partial(make, **parameters), str(tends_to)


_EPS, _DECOYS_EPS = Fraction(1, 132), Fraction(1, 1000)
CASES: Sequence[Fill] = (
    *(
        _fill(
            "theorem1", cases.theorem1, 2 - Fraction(1, 2 * d), d=d, k=4 * d, eps=_EPS
        )
        for d in range(1, 5)
    ),
    *(
        _fill("median-decoys", cases.median_decoys, limit, d=d, k=k, eps=_DECOYS_EPS)
        for d, k, limit in ((2, 4, "3/2"), (2, 11, "8/5"), (3, 7, "3/2"))
    ),
    *(_fill("mm-distinct", cases.mm_distinct, "7/4", L=L) for L in (20, 555)),
    *(
        _fill("mm-blocks", cases.mm_blocks, "7/4", k=k, L=L)
        for k, L in ((8, 1000), (16, 40), (16, 2000), (32, 500))
    ),
    *(
        _fill(
            "mc1x1-worst", cases.mc1x1_family, (2 - Fraction(2, k)) * d, d=d, k=k, r=r
        )
        for d, k, r in ((1, 4, 50), (2, 4, 100), (2, 8, 400), (3, 4, 100))
    ),
    _fill("genalg", cases.genalg, "4/3", L=1000),
    *(
        _fill("genalg-tree", cases.genalg_tree, 2 - Fraction(2, k), k=k, L=1000)
        for k in (3, 4, 8)
    ),
    *(_fill("hilbert-gap", cases.hilbert_gap, "none", N=N) for N in (4, 16, 64)),
    *(_fill("ring-gap", cases.ring_gap, "266/265", s=s) for s in (1, 5)),
)
"""Cases shown, small enough that their optima are proved in a moment."""


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """One case of a family: what it predicts, and what method and exact route give."""

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
    """Run the methods and the exact route on every case; optima must be proved."""
    for family, make, tends_to in CASES:
        case = make()
        paid = KSUBSET[case.method](case.instance, settings)
        proved = KSUBSET["auto"](case.instance, settings)
        if proved.status is not Status.OPTIMAL:
            raise SolverError(f"{case.instance.name}: no optimum within the limit.")
        assert isinstance(paid.objective, int)
        assert isinstance(proved.objective, int)
        yield FamilyRow(family, case, paid.objective, proved.objective, tends_to)
