"""Whatever is in a file: it is read, or refused in one line; nothing else happens."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from closeknit.instances import InputError

from .corpus import READERS, spoilt


@pytest.mark.parametrize("name", READERS)
def test_good_files_are_read(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    for number, seed in enumerate(reader.seeds()):
        path = tmp_path / f"{number}{reader.suffix}"
        path.write_bytes(seed)
        reader.read(path)


@pytest.mark.parametrize("name", READERS)
def test_spoilt_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    rng = random.Random(name)
    path = tmp_path / f"spoilt{reader.suffix}"
    refused = 0
    for seed in reader.seeds():
        for content in spoilt(reader, seed, rng, reader.spoil):
            path.write_bytes(content)
            try:
                reader.read(path)
            except InputError as error:
                refused += 1
                said = " ".join(str(error).split())
                assert said, content
                assert len(said) < 1000, content
                assert "Traceback" not in said
            except Exception as error:
                kept = Path("/tmp") / f"spoilt-{len(content)}{reader.suffix}"
                kept.write_bytes(content)
                raise AssertionError(f"{error!r} for {kept}") from error
    assert refused
