"""Which of the paper's statements on service times hold, from the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...reports.pages.document import Finding, judge
from .figures import Figures
from .printed import ELONGATED, MBS, MC, PAGING, PLAS, SIX

LEAST_RHO = 0.6
"""Rank correlation that was expected before this run, from a trial of another code."""
_SURELY = (
    "the 95 % interval of each difference paired by stream lies above 0; not judged "
    "where one contains 0"
)
_IO = (100, 80, 60, 40, 20)


def findings(columns: Sequence[Figures]) -> Iterator[Finding]:
    """Test the paper's statements, and what a trial let expect."""
    by = {column.share: column for column in columns}
    io = [by[share] for share in _IO if share in by]
    yield _utilisation(columns)
    rhos = [(column.share, column.rho) for column in io]
    yield Finding(
        claim="the ranking of the six strategies is the paper's by and large where "
        "there is I/O",
        paper="ranks of Table 2",
        ours="Spearman's rho "
        + ", ".join(f"{rho:.2f} at {share} %" for share, rho in rhos),
        holds=all(rho >= LEAST_RHO for _, rho in rhos),
        criterion=f"rho at least {LEAST_RHO} in every column from 100 to 20 %",
        remark=_list_exceptions(f"{share} %" for share, rho in rhos if rho < LEAST_RHO),
    )
    for name, shares in ((PLAS, (100, 80)), (ELONGATED, (60, 40, 20)), (MC, (0,))):
        yield from (_first(by[share], name) for share in shares if share in by)
    others = [name for name in SIX if name != PAGING]
    yield _slower(io, PAGING, others, "paging is last")
    betters = ELONGATED, PLAS, MC
    yield _slower(io, MBS, betters, f"mbs is slower than {', '.join(betters)}")


def _utilisation(columns: Sequence[Figures]) -> Finding:
    """Judge that the loads are those of the paper."""
    shares = [(column.share, float(column.busy.mean())) for column in columns]
    return Finding(
        claim="utilisation is between 60 and 70 %",
        paper="caption of Table 2",
        ours=", ".join(f"{busy:.0f} % at {share} % I/O" for share, busy in shares),
        holds=all(60 <= busy <= 70 for _, busy in shares),
        criterion="the mean of the six strategies on all streams",
    )


def _list_exceptions(words: Iterable[str]) -> str:
    """Name where something is not so."""
    found = ", ".join(words)
    return f"not at {found}" if found else ""


def _first(column: Figures, name: str) -> Finding:
    """Judge that a strategy has the least mean service time of the six."""
    rest = [other for other in column.order if other != name]
    gaps = [(other, column.gap(other, name)) for other in rest]
    close = [f"{other} {gap}" for other, gap in gaps if gap.sign <= 0]
    return Finding(
        claim=f"{name} is first of six at {column.share} % I/O",
        paper="Table 2" if (name, column.share) != (ELONGATED, 60) else "section 4.2",
        ours=f"rank {column.ranks[name]}; order {', '.join(column.order)}",
        holds=judge(gap.sign for _, gap in gaps),
        criterion=f"each other strategy less {name}: {_SURELY}",
        remark=f"others less {name}, cycles: {'; '.join(close)}" if close else "",
    )


def _slower(
    columns: Sequence[Figures], name: str, others: Sequence[str], claim: str
) -> Finding:
    """Judge that a strategy takes longer than others wherever there is I/O."""
    gaps = [
        (other, column.share, column.gap(name, other))
        for column in columns
        for other in others
    ]
    close = [f"{other} {gap} at {at} %" for other, at, gap in gaps if gap.sign <= 0]
    ranks = ", ".join(f"{c.ranks[name]} at {c.share} %" for c in columns)
    return Finding(
        claim=f"{claim} where there is I/O",
        paper="Table 2, 100 to 20 %",
        ours=f"rank {ranks}; so beyond chance in "
        f"{len(gaps) - len(close)} of {len(gaps)} comparisons",
        holds=judge(gap.sign for _, _, gap in gaps),
        criterion=f"{name} less each of them: {_SURELY}",
        remark=f"{name} less others, cycles: {'; '.join(close)}" if close else "",
    )
