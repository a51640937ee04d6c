"""Actions and images by digest: `make pin` fills ``.github/actions.lock`` in.

    python tools/release/pin.py           # ask for what has no digest, write all
    python tools/release/pin.py --renew   # ask for every digest again
    python tools/release/pin.py --take    # take what the files have (Dependabot's)
    python tools/release/pin.py --check   # ask nobody: do lock and files agree?

The lock has a line for each: name, tag, digest or ``-``. `git ls-remote` tells the
commit of an action's tag or branch, `skopeo inspect` the digest of an image. In the
workflows ``uses: NAME@TAG`` becomes ``uses: NAME@COMMIT  # TAG``, in the Containerfile
``FROM IMAGE:TAG`` becomes ``FROM IMAGE:TAG@sha256:...``.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REMOTE = "https://github.com/{}"
USES = re.compile(
    r"(?P<head>\buses: )(?P<name>[\w.-]+/[\w./-]+)@(?P<ref>[\w./-]+)"
    r"(?: +# (?P<tag>\S+))?"
)
FROM = re.compile(
    r"(?P<head>^FROM )(?P<name>[\w./-]+):(?P<tag>[\w.-]+)(?:@(?P<ref>sha256:\w+))?",
    re.MULTILINE,
)
STEP = re.compile(r"^ *(?:- +)?uses:(?! +\./).*|^FROM .*[:@].*", re.MULTILINE)
"""A line that names an action, but one of this repository, or an image by its tag."""
COMMIT = re.compile(r"[0-9a-f]{40}")
Key = tuple[str, str]


def files(root: Path) -> list[tuple[Path, re.Pattern[str]]]:
    """Return the files that name actions or images, and how they do."""
    folder = root / ".github" / "workflows"
    found = [(file, USES) for file in sorted(folder.glob("*.yml"))]
    return [*found, (root / "Containerfile", FROM)]


def parts(match: re.Match[str]) -> tuple[Key, str]:
    """Return name and tag of a use, and its digest or ``-``."""
    name, tag, ref = match["name"], match["tag"], match["ref"]
    if match.re is FROM:
        return (name, tag), ref or "-"
    return ((name, tag), ref) if COMMIT.fullmatch(ref) else ((name, ref), "-")


def uses(root: Path) -> Iterator[tuple[str, Key, str]]:
    """Yield file, name with tag, and digest of each use; a commit needs its tag."""
    for file, pattern in files(root):
        text = file.read_text("utf-8")
        for line in STEP.findall(text):
            if not pattern.search(line):
                raise SystemExit(f"{file.name}: cannot be read: {line.strip()}")
        for match in pattern.finditer(text):
            key, digest = parts(match)
            if key[1] is None:
                raise SystemExit(f"{file.name}: {key[0]}: a commit without '  # TAG'")
            yield file.name, key, digest


def read_lock(root: Path) -> dict[Key, str]:
    """Return the digests of the lock."""
    lock = {}
    text = (root / ".github" / "actions.lock").read_text("utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            if len(words := line.split()) != 3:
                raise SystemExit(f"actions.lock: not name, tag, digest: {line!r}")
            lock[words[0], words[1]] = words[2]
    return lock


def write_lock(root: Path, lock: dict[Key, str]) -> None:
    """Write the lock, its comment kept."""
    file = root / ".github" / "actions.lock"
    kept = [line for line in file.read_text("utf-8").splitlines() if line[:1] == "#"]
    rows = [" ".join((*key, digest)) for key, digest in sorted(lock.items())]
    file.write_text("\n".join([*kept, *rows]) + "\n", "utf-8")


def ask(key: Key, remote: str) -> str:
    """Ask for the commit of an action, or for the digest of an image."""
    name, tag = key
    if "." in name.split("/")[0]:  # a host: an image
        words = [
            "skopeo",
            "inspect",
            "--format",
            "{{.Digest}}",
            f"docker://{name}:{tag}",
        ]
        refs = []
    else:
        words = ["git", "ls-remote", remote.format("/".join(name.split("/")[:2]))]
        refs = [f"refs/tags/{tag}^{{}}", f"refs/tags/{tag}", f"refs/heads/{tag}"]
    try:
        done = subprocess.run([*words, *refs], capture_output=True, text=True)
    except FileNotFoundError:
        raise SystemExit(f"{name}: {words[0]} is not installed") from None
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr.strip()}")
    if not refs:
        return done.stdout.strip()
    found = dict(line.split("\t")[::-1] for line in done.stdout.splitlines())
    for ref in refs:  # the commit that an annotated tag names comes first
        if ref in found:
            return found[ref]
    raise SystemExit(f"{name}: no tag or branch {tag}")


def rewrite(root: Path, lock: dict[Key, str]) -> None:
    """Write the digests of the lock where they are used."""

    def pinned(match: re.Match[str]) -> str:
        key, _ = parts(match)
        digest = lock.get(key, "-")
        if match.re is FROM:
            end = "" if digest == "-" else f"@{digest}"
            return f"{match['head']}{key[0]}:{key[1]}{end}"
        if digest == "-":
            return f"{match['head']}{key[0]}@{key[1]}"
        return f"{match['head']}{key[0]}@{digest}  # {key[1]}"

    for file, pattern in files(root):
        file.write_text(pattern.sub(pinned, file.read_text("utf-8")), "utf-8")


def check(root: Path) -> int:
    """Print where lock and files differ, and what has no digest yet."""
    lock, used = read_lock(root), list(uses(root))
    wrong = [
        f"{file}: {' '.join(key)} has {digest}, the lock {lock.get(key, 'no line')}"
        for file, key, digest in used
        if lock.get(key) != digest
    ]
    unused = sorted({*lock} - {key for _, key, _ in used})
    wrong += [f"actions.lock: {' '.join(key)} is used nowhere" for key in unused]
    if not used:
        wrong.append(f"{root}: no action and no image is used: nothing was compared")
    for line in wrong:
        print(line, file=sys.stderr)
    if missing := sorted(key for key, digest in lock.items() if digest == "-"):
        shown = ", ".join(map(" ".join, missing))
        print(f"{len(missing)} of {len(lock)} without a digest (make pin): {shown}")
    return 1 if wrong else 0


def main(words: list[str] | None = None) -> int:
    """Fill in, renew, take or check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    how = parser.add_mutually_exclusive_group()
    for name in ("renew", "take", "check"):
        how.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="DIR")
    parser.add_argument("--remote", default=REMOTE, help="where actions are, {}: name")
    args = parser.parse_args(words)
    if args.check:
        return check(args.root)
    old = {} if args.renew else read_lock(args.root)
    taken = {key: digest for _, key, digest in uses(args.root)}
    if args.take:
        lock = taken
    else:
        lock = {
            key: ask(key, args.remote) if old.get(key, "-") == "-" else old[key]
            for key in taken
        }
    write_lock(args.root, lock)
    rewrite(args.root, lock)
    return check(args.root)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
