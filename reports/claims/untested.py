"""What the papers say that no run can test, and what stands in for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Untested:
    """A statement without a claim.

    Parameters
    ----------
    what
        The statement, in short.
    source
        Where it is made.
    why
        Why it is not tested, and what is in its stead.
    """

    what: str
    source: str
    why: str


UNTESTED = (
    Untested(
        "The supremum of w(MM)/w(OPT) over all arrangements of k points is attained",
        "Bender et al. 2008, Lemma 1",
        "it is about a continuum of arrangements; what follows from it, Theorem 2, is "
        "tested by `mm-upper-bound` and `rho-exhaustively`",
    ),
    Untested(
        "Claims 0 to 5 in the proof of Theorem 2",
        "Bender et al. 2008, section 2.3",
        "they move points continuously to a worst case; the final bound is tested",
    ),
    Untested(
        "No polynomial algorithm finds optima in fixed dimension, unless P = NP",
        "Bender et al. 2008, Conjecture 1",
        "a conjecture about all algorithms",
    ),
    Untested(
        "Theorems 4 and 5 for every epsilon",
        "Bender et al. 2008, section 4",
        "the enumeration as printed is out of reach but for tiny instances; its lemmas "
        "are tested one by one, and the improved scheme on proved optima",
    ),
    Untested(
        "Running times, such as linear time on a line or ring",
        "Bender et al. 2008, section 1",
        "asymptotic; `benchmarks/` measures some",
    ),
    Untested(
        "Table 1, and flow times in a simulated network",
        "Bender et al. 2008, sections 5 and 6",
        "they need job traces: `closeknit reproduce` sets them beside ours",
    ),
    Untested(
        "Selecting processors is NP-hard in the strong sense",
        "Drakenberg 2012, Theorem 1",
        "hardness is no finite fact; the reduction itself is tested both ways",
    ),
)
