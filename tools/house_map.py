"""Draw the map of the house from the import graph: docs/pictures/house.svg.

    python tools/house_map.py            # writes docs/pictures/house.svg
    python tools/house_map.py --check    # exit status 1 if it is out of date

One row per layer of the contract in pyproject.toml, highest first: the first line of
the package's docstring, its folders, and which packages it imports.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections import defaultdict
from html import escape
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tests.house import imports, modules  # noqa: E402

PICTURE = ROOT / "docs" / "pictures" / "house.svg"
WIDTH, PAD, LINE, GAP = 480, 14, 19, 12
LETTERS = 51
"""Letters of a line of small text, at most."""
STYLE = (
    "text{font-family:system-ui,sans-serif;font-size:15px;fill:#1b1f24}"
    ".n{font-weight:700;font-size:17px}.f{fill:#0050a0}.i{fill:#59636e}"
    ".p{fill:#fff}.b{fill:#eef4fb;stroke:#7a9cc6}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.f{fill:#79b8ff}"
    ".i{fill:#9198a1}.p{fill:#0d1117}.b{fill:#161f2c;stroke:#3d5a80}}"
)


def layers() -> list[str]:
    """Return the packages of the contract on layers, highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if contract["type"] == "layers":
            rows = " | ".join(contract["layers"])
            return [name.strip() for name in re.split(r"[|:]", rows)]
    raise SystemExit("pyproject.toml: no contract on layers")


def picture() -> str:
    """Return the map as SVG."""
    known, rows = modules(), layers()
    shown = {name: name.removeprefix("closeknit.") for name in rows}
    used = defaultdict(set)
    for one in imports(known):
        importer, imported = (
            next((n for n in rows if f"{name}.".startswith(f"{n}.")), "")
            for name in (one.importer, one.imported)
        )
        if importer and imported and importer != imported:
            used[importer].add(imported)
    parts, y = [], float(PAD)
    for name in rows:
        module = known[name]
        first = (
            (ast.get_docstring(module.tree) or "").partition("\n")[0].replace("``", "")
        )
        folders = sorted(
            {
                other.split(".")[2]
                for other, found in known.items()
                if other.startswith(f"{name}.")
                and found.path.parent != module.path.parent
            }
        )
        below = [shown[other] for other in rows if other in used[name]]
        lines = [("", text) for text in wrap(first, LETTERS)]
        if folders:
            lines += [("f", text) for text in wrap(" · ".join(folders), LETTERS)]
        if below:
            lines += [("i", t) for t in wrap(f"imports {', '.join(below)}", LETTERS)]
        high = PAD + LINE * (len(lines) + 1)
        parts.append(
            f'<rect class="b" x="{PAD}" y="{y:g}" width="{WIDTH - 2 * PAD}" '
            f'height="{high}" rx="6"/>'
            f'<text class="n" x="{2 * PAD}" y="{y + LINE + 3:g}">{shown[name]}</text>'
        )
        for i, (kind, text) in enumerate(lines):
            parts.append(
                f'<text class="{kind}" x="{2 * PAD}" '
                f'y="{y + LINE * (i + 2) + 3:g}">{escape(text)}</text>'
            )
        y += high + GAP
    high = y - GAP + PAD
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high:g}" '
        f'width="{WIDTH}" height="{high:g}" role="img" aria-labelledby="t d">'
        '<title id="t">The packages of closeknit, from the top layer down</title>'
        '<desc id="d">A package imports only packages drawn below it.</desc>'
        f"<style>{STYLE}</style>"
        f'<rect class="p" width="{WIDTH}" height="{high:g}"/>{"".join(parts)}</svg>\n'
    )


def main() -> int:
    """Write the map, or compare it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    found = picture()
    if parser.parse_args().check:
        if PICTURE.exists() and PICTURE.read_text(encoding="utf-8") == found:
            return 0
        print("docs/pictures/house.svg is out of date: run `python tools/house_map.py`")
        return 1
    PICTURE.write_text(found, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
