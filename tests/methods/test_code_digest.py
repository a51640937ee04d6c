"""The digest of a method's code: another one for other code, the same for the same."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from closeknit.methods import METHODS, code_digest
from closeknit.methods.code_digest import code_of
from closeknit.methods.source_files import digest_of_files
from closeknit.methods.user_methods import own_method

from ..paths import ROOT

HELPER = "def far(x):\n    return x + 1\n\ndef unused(x):\n    return x\n"
RULES = '''
"""Rules."""
import functools
from fractions import Fraction
import numpy as np
import helper
from helper import far as distant

WIDTH = 3
TABLE = {"a": [1, 2], "b": {3, 4}}
WEIGHTS = np.array([1.0, 2.0])
CACHE = {}

def order(x):
    return -x

def near(instance, settings):
    """Take the nearest."""
    return sorted(range(instance.n), key=lambda i: order(i) + WIDTH)[: instance.k]

def far_off(instance, settings):
    return [helper.far(0) for _ in range(instance.k)]

def farther(instance, settings):
    return [distant(0) for _ in range(instance.k)]

def late(instance, settings):
    from helper import far
    return [far(0) for _ in range(instance.k)]

def looked_up(instance, settings):
    return getattr(helper, "far")(0)

def tabled(instance, settings):
    return TABLE["a"], WEIGHTS[0]

def widened(width):
    def rule(instance, settings):
        return list(range(width))
    return rule

wide = widened(4)
part = functools.partial(lambda n, instance, settings: list(range(n)), 5)

class Base:
    step = 2

class Rule(Base):
    def __init__(self, start):
        self.start = start
    def __call__(self, instance, settings):
        return list(range(self.start, instance.k, self.step))

ruled = Rule(1)
method = Rule(1).__call__

def timed(function):
    @functools.wraps(function)
    def inner(*words):
        return function(*words)
    return inner

@timed
def wrapped(instance, settings):
    return list(range(7))

@functools.lru_cache
def kept(instance, settings):
    return list(range(8))

def defaulted(instance, settings, most=9):
    return list(range(most))

def attributed(instance, settings):
    return list(range(attributed.most))

attributed.most = 4
near.guarantee = lambda instance: Fraction(2)
'''
NAMES = (
    *("near", "far_off", "farther", "late", "looked_up", "tabled", "wide", "part"),
    *("ruled", "method", "wrapped", "kept", "defaulted", "attributed"),
)
READ = """
import os, sys
import numpy
from closeknit.methods.code_digest import code_of
from closeknit.methods.user_methods import own_method
code_of(own_method(lambda instance, settings: numpy.ones(1)))  # reads what is installed
for where in sys.stdin:
    if not (child := os.fork()):
        sys.path.insert(0, where.rstrip())
        import rules
        print(*[code_of(own_method(getattr(rules, name))) for name in sys.argv[1:]])
        break
    assert os.waitpid(child, 0)[1] == 0
"""
"""Reads folders of rules, each in a process that has imported no others."""
CHANGES = {
    "return -x": ("return x", {"near"}),
    "WIDTH = 3": ("WIDTH = 4", {"near"}),
    ") + WIDTH)": (") - WIDTH)", {"near"}),
    "[1, 2]": ("[1, 3]", {"tabled"}),
    "{3, 4}": ("{3, 5}", {"tabled"}),
    "[1.0, 2.0]": ("[1.5, 2.0]", {"tabled"}),
    "widened(4)": ("widened(5)", {"wide"}),
    "list(range(width))": ("list(range(width + 1))", {"wide"}),
    "list(range(n)), 5)": ("list(range(n)), 6)", {"part"}),
    "settings: list(range(n))": ("settings: [*range(n)]", {"part"}),
    "step = 2": ("step = 1", {"ruled", "method"}),
    "ruled = Rule(1)": ("ruled = Rule(2)", {"ruled"}),
    "self.start = start": ("self.start = start + 1", {"ruled", "method"}),
    "list(range(7))": ("list(range(6))", {"wrapped"}),
    "return function(*words)": ("return function(*words)[::-1]", {"wrapped"}),
    "list(range(8))": ("list(range(6))", {"kept"}),
    "attributed.most = 4": ("attributed.most = 5", {"attributed"}),
    "most=9": ("most=8", {"defaulted"}),
    '"""Rules."""': ('"""Rules, described."""\n# at length\n', set()),
    "Fraction(2)": ("Fraction(3)", set()),
}
Digests = Callable[[str, str], dict[str, str]]


@contextmanager
def reading(folders: Callable[[str], Path]) -> Iterator[Digests]:
    """Start a process that reads the digests of all rules, of folders made by name."""
    command = [sys.executable, "-u", "-c", READ, *NAMES]
    with Popen(command, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True) as reader:
        assert reader.stdin
        assert reader.stdout
        asks, answers = reader.stdin, reader.stdout

        def read(rules: str, helper: str) -> dict[str, str]:
            where = folders("rules")
            (where / "rules.py").write_text(rules)
            (where / "helper.py").write_text(helper)
            print(where, file=asks, flush=True)
            return dict(zip(NAMES, answers.readline().split(), strict=True))

        yield read


@pytest.fixture(scope="module")
def digests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Digests]:
    with reading(tmp_path_factory.mktemp) as read:
        yield read


@pytest.fixture(scope="module")
def before(digests: Digests) -> dict[str, str]:
    return digests(RULES, HELPER)


def test_the_same_code_has_the_same_digest(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, str]
) -> None:
    """In another process, too, in which sets have another order."""
    assert not any(one.startswith("unread") for one in before.values())
    assert len(set(before.values())) == len(NAMES)
    with reading(tmp_path_factory.mktemp) as read:
        assert read(RULES, HELPER) == before


@pytest.mark.parametrize("old", CHANGES)
def test_a_change_is_seen_where_it_matters_and_only_there(
    digests: Digests, before: dict[str, str], old: str
) -> None:
    new, changed = CHANGES[old]
    assert old in RULES
    after = digests(RULES.replace(old, new, 1), HELPER)
    assert {name for name in NAMES if after[name] != before[name]} == changed


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("x + 1", "x + 2", {"far_off", "farther", "late", "looked_up"}),
        ("    return x\n", "    return -x\n", set()),
    ],
)
def test_modules_of_ones_own_count_too(
    digests: Digests, before: dict[str, str], old: str, new: str, changed: set[str]
) -> None:
    after = digests(RULES, HELPER.replace(old, new))
    assert {name for name in NAMES if after[name] != before[name]} == changed


def test_what_cannot_be_read_is_never_the_same_twice(tmp_path: Path) -> None:
    stream = (tmp_path / "file").open("w")

    def opened(instance: object, settings: object) -> object:
        return stream.name

    def evaluated(instance: object, settings: object) -> object:
        return eval("1 + 1")

    built: Callable[..., object] = lambda instance, settings: globals()["near"]  # noqa: E731
    for rule in (opened, evaluated, built):
        method = own_method(rule)
        assert code_of(method).startswith("unread-")
        assert code_of(method) == code_of(method)
        assert code_of(own_method(rule)) != code_of(own_method(rule))
    stream.close()


def test_every_method_of_the_tables_can_be_read() -> None:
    digests = [
        code_of(method) for table in METHODS.values() for method in table.values()
    ]
    assert len(digests) > 60
    assert not any(one.startswith("unread") for one in digests)


@pytest.mark.parametrize(
    ("module", "reaches", "beyond"),
    [
        ("heuristics.ksubset.mm", "heuristics.ksubset.ranking.kernels", "exact.sukp"),
        ("methods.ksubset.auto", "exact.ksubset.cuts_bb", "cli.app"),
        (
            "exact.sukp.sukp_bb.search",
            "instances.result",
            "heuristics.ksubset.mm",
        ),
    ],
)
def test_files_of_a_checkout_count_as_far_as_they_are_imported(
    tmp_path: Path, module: str, reaches: str, beyond: str
) -> None:
    """Ours are known by their files: run on a copy with one file changed."""
    program = textwrap.dedent(
        f"""
        from closeknit.methods import source_files as found
        from pathlib import Path
        kept = found._file
        def changed(at):
            def file(name):
                path, text = kept(name)
                return path, text + "#" * (name.startswith(at) and path is not None)
            return file
        def digest(at):
            found._file = changed("closeknit." + at)
            found.digest_of_files.cache_clear()
            found._imports.cache_clear()
            return found.digest_of_files("closeknit.{module}")
        plain = digest("nothing")
        assert digest({module!r}) != plain
        assert digest({reaches!r}) != plain
        assert digest({beyond!r}) == plain
        """
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
    assert digest_of_files(f"closeknit.{module}")


def test_what_was_installed_since_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its code would be taken for one's own, and its version would not count."""
    code_digest._distributions.cache_clear()
    for known in ({}, {"numpy": ["numpy"]}):
        monkeypatch.setattr(code_digest, "packages_distributions", known.copy)
        code_digest._foreign.cache_clear()
        maker = code_digest._foreign("numpy")
        assert maker.startswith("numpy ") == bool(known)
    code_digest._distributions.cache_clear()
    code_digest._foreign.cache_clear()
