"""List the licences of all dependencies; fail where one forbids use."""

from __future__ import annotations

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

_REFUSED = re.compile(r"\bA?GPL|(?<!Lesser )General Public|Affero", re.I)


def needed(name: str) -> tuple[dict[str, Distribution], list[str]]:
    """Return what a distribution needs, directly or not, by name; and what is missing.

    It is needed on this system: its markers say so.
    """
    found: dict[str, Distribution] = {}
    missing = []
    waiting = [name]
    while waiting:
        try:
            one = distribution(waiting.pop())
        except PackageNotFoundError as error:
            missing.append(str(error.name))
            continue
        if one.name.lower() in found:
            continue
        found[one.name.lower()] = one
        wanted = map(Requirement, one.requires or ())
        waiting += [r.name for r in wanted if not r.marker or r.marker.evaluate()]
    return found, missing


def licence(one: Distribution) -> str:
    """Return all that the metadata of a distribution calls its licence, on one line."""
    said = [one.metadata.get("License-Expression", "")]
    kinds = one.metadata.get_all("Classifier", [])
    kinds = [k.rpartition(" :: ")[2] for k in kinds if k.startswith("License ::")]
    text = one.metadata.get("License", "").strip().partition("\n")[0]
    told = dict.fromkeys(filter(None, [*said, ", ".join(kinds), text]))
    return "; ".join(told) or "unknown"


def main() -> int:
    """Print one line per distribution; 1 if one is refused, unknown or missing."""
    bad = 0
    found, missing = needed("closeknit")
    for name in missing:
        print(f"{name}: not installed, so that its licence is not known")
        bad += 1
    for name, one in sorted(found.items()):
        says = licence(one)
        refused = bool(_REFUSED.search(says)) or says == "unknown"
        bad += refused
        print(f"{name}=={one.version}  {says}{'  REFUSED' if refused else ''}")
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
