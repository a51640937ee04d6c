"""Method names of the previous version, accepted wherever a method is named.

They are not listed anywhere, and will be removed with the next version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ..instances import InputError
from ..instances.reading.suggestions import hint

OLD_NAMES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "ksubset": {
            f"{formulation}/cp-sat": f"{formulation}/cpsat"
            for formulation in ("pairs", "cuts-unary")
        },
        "procset": {
            "cpsat": "classes/cpsat",
            "mip": "classes/highs",
            "mip/cbc": "classes/cbc",
            "opened-bb": "set-opening-bb",
        },
        "sukp": {
            "cpsat": "union/cpsat",
            "mip": "union/highs",
            "mip/cbc": "union/cbc",
        },
        "submesh": {
            "cp-sat": "no-overlap/cpsat",
            "mip/highs": "no-overlap/cpsat",
            "mip/scip": "no-overlap/cpsat",
            "left-below/highs": "no-overlap/cpsat",
            "left-below/scip": "no-overlap/cpsat",
            "migrate-cp-sat": "moves/cpsat",
        },
    }
)
"""For each problem, the present name by the old one."""
REMOVED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "ksubset": {
            "levelset-bb": "cuts-bb",
            "ptas/4": "ptas",
            "ptas/5": "ptas",
            "ptas-published/4": "ptas-published",
            **{f"column/{fit}-fit": f"row/{fit}-fit" for fit in ("first", "best")},
            "column/sorted-free": "column",
            **dict.fromkeys(("paging/shuffled", "paging-2"), "paging"),
            **dict.fromkeys(("paging-1/snake", "paging-1/shuffled"), "paging-1"),
            **dict.fromkeys(("paging-2/snake", "paging-2/shuffled"), "paging-1"),
            **dict.fromkeys(
                ("cuts-median", "cuts-element", "cuts-convex", "cuts-quadratic"),
                "cuts-unary/cpsat",
            ),
            "margins": "cuts-unary/highs",
            **dict.fromkeys(
                ("cuts-median/cpsat", "cuts-element/cpsat", "cuts-quadratic/scip"),
                "cuts-unary/cpsat",
            ),
            **{
                f"{formulation}/{backend}": f"cuts-unary/{backend}"
                for formulation in ("cuts-convex", "margins")
                for backend in ("highs", "cbc")
            },
            **{
                f"{formulation}/scip": f"{new}/highs, or export it for SCIP"
                for formulation, new in (
                    *((name, name) for name in ("pairs", "rlt", "cuts-unary")),
                    *((name, "cuts-unary") for name in ("cuts-convex", "margins")),
                )
            },
        },
        "procset": {
            "local-search": "auto",
            "reaching-beam": "reaching",
            "classes/scip": "classes/highs, or export it for SCIP",
        },
        "sukp": {"union/scip": "union/highs, or export it for SCIP"},
    }
)
"""For each problem, what to take for a method that is no longer there."""


def current(problem: str, name: str) -> str:
    """Return the present name of a method.

    >>> current("procset", "opened-bb"), current("procset", "reaching")
    ('set-opening-bb', 'reaching')
    """
    return OLD_NAMES.get(problem, {}).get(name, name)


def replacement_of(name: str, problems: Iterable[str]) -> str | None:
    """Return what to take for a method that was removed; None if it was not.

    >>> replacement_of("levelset-bb", ["ksubset", "procset"])
    'levelset-bb was removed: take cuts-bb'
    """
    new = (REMOVED[problem].get(name) for problem in problems if problem in REMOVED)
    return next((f"{name} was removed: take {one}" for one in new if one), None)


def hint_for(name: str, known: Iterable[str], problems: Iterable[str] = REMOVED) -> str:
    """Return what to take for an unknown name: for a removed method, else a hint."""
    return replacement_of(name, problems) or hint(name, known)


def require_known(
    name: str,
    known: Iterable[str],
    field: str,
    what: str = "method",
    problems: Iterable[str] = REMOVED,
) -> None:
    """Raise InputError, which has a hint, unless a name is among those known.

    ``field`` is what the message names, ``what`` what there is none of.
    """
    names = list(known)
    if name not in names:
        why = hint_for(name, names, problems)
        raise InputError(f"no such {what} ({why})", field, name)


def spellings(name: str) -> list[str]:
    """Return a present name, and all old names that stand for it in any problem.

    >>> spellings("set-opening-bb")
    ['set-opening-bb', 'opened-bb']
    """
    old = (
        was for names in OLD_NAMES.values() for was, now in names.items() if now == name
    )
    return [name, *dict.fromkeys(old)]
