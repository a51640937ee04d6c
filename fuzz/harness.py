"""Fuzz a text grammar under Atheris: every input is read, or refused by `InputError`.

python fuzz/harness.py GRAMMAR [options of libFuzzer]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris

with atheris.instrument_imports(include=["closeknit.instances", "closeknit.cli"]):
    from closeknit.instances.errors import InputError
    from closeknit.instances.sukp.text import parse_sukp_text
    from closeknit.instances.writing.sukp_text import sukp_text
    from closeknit.reports.campaigns.study.file import read_study
    from closeknit.scheduler.config.files import examine_text, parse_configuration
    from closeknit.scheduler.hostlist import fold, unfold
    from closeknit.simulation.swf import read_header, read_swf

_FRAME = """queues: q
slots: [n1..n4 = 1..2]
groups: g = {{n1..n2}}
costs: otherwise: q@g = [1,0] end-costs
constraints: otherwise: {}
"""


def configuration(text: str, path: Path) -> None:
    """Findings are lines; an accepted configuration is written and read back."""
    report = examine_text(text, name="fuzz", file="f")
    assert (report.configuration is None) == bool(report.errors)
    for finding in (*report.errors, *report.warnings):
        assert str(finding).isprintable()


def expression(text: str, path: Path) -> None:
    """A condition, in a configuration that is right otherwise."""
    parse_configuration(_FRAME.format(text))


def hostlist(text: str, path: Path) -> None:
    """Unfolding and folding again keeps the names."""
    names = unfold(text)
    if len(names) < 1000 and all(name.isascii() for name in names):
        assert sorted(unfold(fold(names))) == sorted(names)


def trace(text: str, path: Path) -> None:
    """A trace, and its header."""
    read_header(path)
    sum(1 for _ in read_swf(path))


def sukp(text: str, path: Path) -> None:
    """Benchmark text: an accepted instance is written and read back."""
    one = parse_sukp_text(text)
    assert parse_sukp_text(sukp_text(one)) == one


def study(text: str, path: Path) -> None:
    """A study; its instances are made, but few."""
    read_study(str(path), max_runs=200)


_SEEDS = {
    "configuration": [_FRAME.format("cost lex <= ceil(1.5*MINCOST(PEs)) or not PEs>2")],
    "expression": ["cost <= [1,2] and cost[1] > 2*PEs", "floor(3/2.5) != -1 or true"],
    "hostlist": ["n[01-12,15],login1,r[1-2]n[1-3].2"],
    "trace": ["; Version: 2\n1 0 5 100 1 -1 -1 8 3600 -1 1 2 1 -1 1 0 -1 -1\n"],
    "sukp": [
        "m=2 n=2 knapsack size=6\n\nThe profit of 2 items\n5 4\n\n"
        "The weight of 2 elements\n3 3\n\nRelation matrix\n1 0\n0 1\n"
    ],
    "study": [
        'format = "closeknit/study"\nversion = 1\ntime-limit = 2\nrepeats = 2\n'
        '[methods]\nksubset = ["mm"]\n[[instances]]\nfamily = "random"\n'
        'shape = ["3x3"]\nk = 2\ncount = 2\n'
    ],
}
_GRAMMARS: dict[str, Callable[[str, Path], None]] = {
    one.__name__: one
    for one in (configuration, expression, hostlist, trace, sukp, study)
}


def main() -> None:
    """Fuzz the named grammar, beginning with a valid text."""
    name = sys.argv.pop(1)
    grammar = _GRAMMARS[name]
    with TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for number, seed in enumerate(_SEEDS[name]):
            (corpus / str(number)).write_text(seed)
        path = Path(folder) / f"fuzz{'.toml' if name == 'study' else '.txt'}"

        def once(content: bytes) -> None:
            text = content.decode("utf-8", "replace")
            path.write_bytes(content)
            with suppress(InputError):
                grammar(text, path)

        atheris.Setup([*sys.argv, "-max_len=4096", str(corpus)], once)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
