"""Method names of the previous version, accepted wherever a method is named.

They are not listed anywhere, and will be removed with the next version.
"""

from __future__ import annotations

from collections.abc import Mapping
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


def current(problem: str, name: str) -> str:
    """Return the present name of a method.

    >>> current("procset", "opened-bb"), current("procset", "reaching")
    ('set-opening-bb', 'reaching')
    """
    return OLD_NAMES.get(problem, {}).get(name, name)


def spellings(name: str) -> list[str]:
    """Return a present name, and all old names that stand for it in any problem.

    >>> spellings("set-opening-bb")
    ['set-opening-bb', 'opened-bb']
    """
    old = (
        was for names in OLD_NAMES.values() for was, now in names.items() if now == name
    )
    return [name, *dict.fromkeys(old)]
