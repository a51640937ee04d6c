"""Method names of the previous version, accepted wherever a method is named.

They are not listed anywhere, and will be removed with the next version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

OLD_NAMES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "ksubset": {
            f"{formulation}/cp-sat": f"{formulation}/cpsat"
            for formulation in ("pairs", "cuts-element", "cuts-unary", "cuts-median")
        },
        "procset": {
            "cpsat": "classes/cpsat",
            "mip": "classes/highs",
            "mip/scip": "classes/scip",
            "mip/cbc": "classes/cbc",
            "opened-bb": "set-opening-bb",
        },
        "sukp": {
            "cpsat": "union/cpsat",
            "mip": "union/highs",
            "mip/scip": "union/scip",
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
    {"procset": {"local-search": "auto", "reaching-beam": "reaching"}}
)
"""For each problem, what to take for a method that is no longer there."""


def current(problem: str, name: str) -> str:
    """Return the present name of a method.

    >>> current("procset", "opened-bb"), current("procset", "reaching")
    ('set-opening-bb', 'reaching')
    """
    return OLD_NAMES.get(problem, {}).get(name, name)


def removed(name: str, problems: Iterable[str]) -> str | None:
    """Return what to take for a method that was removed; None if it was not.

    >>> removed("local-search", ["ksubset", "procset"])
    'local-search was removed: take auto'
    """
    new = (REMOVED[problem].get(name) for problem in problems if problem in REMOVED)
    return next((f"{name} was removed: take {one}" for one in new if one), None)


def spellings(name: str) -> list[str]:
    """Return a present name, and all old names that stand for it in any problem.

    >>> spellings("set-opening-bb")
    ['set-opening-bb', 'opened-bb']
    """
    old = (
        was for names in OLD_NAMES.values() for was, now in names.items() if now == name
    )
    return [name, *dict.fromkeys(old)]
