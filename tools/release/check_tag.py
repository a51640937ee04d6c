"""Finds whether a tag fits all that names the version.

    python tools/release/check_tag.py v0.2.0

The release workflow, `make rehearse` and tests/docs/test_release.py ask. The first
heading of CHANGELOG.md counts, such as `## 0.2.0 - 2026-11-27`; .zenodo.json names no
version, since Zenodo takes it from the tag.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = {
    "pyproject.toml": r'^version = "(.+)"$',
    "CHANGELOG.md": r"^## (\S+) - \d{4}-\d{2}-\d{2}$",
    "CITATION.cff": r"^version: (\S+)$",
    "packaging/recipe.yaml": r'^  version: "(.+)"$',
}
"""Files, and what stands before the version in the first line that has it."""


def versions(root: Path = ROOT) -> dict[str, str]:
    """Return the version by the file that names it."""
    found = {}
    for name, pattern in PLACES.items():
        text = (root / name).read_text(encoding="utf-8")
        if name == "CHANGELOG.md":  # the first heading, also if it has no date
            text = "\n".join(re.findall(r"^## .*$", text, re.MULTILINE)[:1])
        match = re.search(pattern, text, re.MULTILINE)
        found[name] = match[1] if match else "none"
    return found


def main(words: list[str]) -> int:
    """Print where another version stands."""
    if len(words) != 1:
        print("usage: python tools/release/check_tag.py TAG", file=sys.stderr)
        return 2
    wrong = {k: v for k, v in versions().items() if f"v{v}" != words[0]}
    for name, version in wrong.items():
        print(f"{name}: {version}, but the tag is {words[0]}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
