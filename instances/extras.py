"""How to install what is optional, while there is no release."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from shlex import quote
from urllib.parse import unquote, urlsplit


def install(extra: str) -> str:
    """Return the command that installs an extra of closeknit.

    It names the folder or wheel that closeknit was installed from; if that is not
    there any more, the folder in which the command is to be run.
    """
    source = _source()
    command = f"pip install {quote(f'{source}[{extra}]')}"
    return command if source != "." else f"{command} in the clone of closeknit"


def _source() -> str:
    """Return the folder or wheel that closeknit is from, "." if it is not there."""
    clone = Path(__file__).resolve().parents[1]
    if (clone / "pyproject.toml").is_file():
        return str(clone)
    try:
        text = distribution("closeknit").read_text("direct_url.json")
    except PackageNotFoundError:
        text = None
    url = urlsplit(json.loads(text)["url"] if text else "")
    path = unquote(url.path)
    return path if url.scheme == "file" and Path(path).exists() else "."
