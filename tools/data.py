"""Find the public data that tests and reports use, and verify it by its digests.

    python tools/data.py                  # files present, missing or different
    python tools/data.py --from FOLDER    # copy files found there into place

`CLOSEKNIT_DATA` names the folder; `../shared` is taken if it is unset. The manifest is
tools/data.json: for each file its path in this folder, the SHA-256 of its content
(decompressed, so that .gz and .xz copies are recognised), and the source it belongs to.
Nothing is downloaded. The exit status is 0 if everything is there, else 1.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import lzma
import os
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = Path(__file__).with_suffix(".json")
LARGEST = 1 << 28


def folder() -> Path:
    """Return the folder of data."""
    return Path(os.environ.get("CLOSEKNIT_DATA") or ROOT.parent / "shared")


def content(path: Path) -> bytes:
    """Read a file, decompressed where its name ends in .gz or .xz."""
    data = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(data)
    return gzip.decompress(data) if path.suffix == ".gz" else data


def digest(path: Path) -> str:
    """Return the SHA-256 of the content; nothing if it cannot be read."""
    try:
        return hashlib.sha256(content(path)).hexdigest()
    except (OSError, EOFError, lzma.LZMAError):
        return ""


def gather(source: Path, wanted: dict[str, str]) -> int:
    """Copy files whose content is wanted to where it belongs; return how many."""
    missing: dict[str, list[Path]] = {}
    for name, expected in wanted.items():
        if digest(folder() / name) != expected:
            missing.setdefault(expected, []).append(folder() / name)
    copied = 0
    for path in sorted(p for p in source.rglob("*") if p.is_file()):
        if path.stat().st_size > LARGEST:
            continue
        for target in missing.pop(digest(path), []):
            target.parent.mkdir(parents=True, exist_ok=True)
            data = content(path)
            target.write_bytes(lzma.compress(data) if target.suffix == ".xz" else data)
            copied += 1
    return copied


def main() -> int:
    """Print a line per source and per file that is missing or differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--from", dest="source", type=Path, metavar="FOLDER")
    chosen = parser.parse_args()
    sources = json.loads(MANIFEST.read_text(encoding="utf-8"))
    wanted = {name: d for one in sources for name, d in one["files"].items()}
    if chosen.source is not None:
        print(f"{gather(chosen.source, wanted)} files copied to {folder()}")
    bad = 0
    for one in sources:
        states: Counter[str] = Counter()
        lines = []
        for name, expected in one["files"].items():
            found = digest(folder() / name)
            state = "there" if found == expected else "differs" if found else "missing"
            states[state] += 1
            if state != "there":
                lines.append(f"  {state}: {name}")
        counted = ", ".join(f"{number} {state}" for state, number in states.items())
        print(f"{one['name']}: {counted}")
        if lines:
            print("\n".join([f"  source: {one['source']}", *lines]))
        bad += len(lines)
    print(f"{len(wanted) - bad} of {len(wanted)} files are in {folder()}")
    return min(bad, 1) if wanted else 2


if __name__ == "__main__":
    sys.exit(main())
