"""Words that the project does without, and names that say too little.

tests/words.toml holds how often each still stands in docstrings and comments of the
packages. The figures may only shrink: who removes one writes the smaller figure.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterable

from .. import house
from ..paths import ROOT

FILE = ROOT / "tests" / "words.toml"
STRING_OR_COMMENT = re.compile(
    r"""(\"{3}|'{3}|['"])(?:\\.|[^\\])*?\1|(#[^\n]*)""", re.DOTALL
)
"""What begins first ends first: a comment in a string is none."""


def prose(source: str, nodes: Iterable[ast.AST]) -> str:
    """Return the docstrings and comments of a module."""
    found = [one[2] for one in STRING_OR_COMMENT.finditer(source) if one[2]]
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Constant(value=str() as text)):
                found.append(text)
    return "\n".join(found)


def counts() -> dict[str, dict[str, int]]:
    """Count what tests/words.toml lists."""
    listed = tomllib.loads(FILE.read_text("utf-8"))
    words: Counter[str] = Counter()
    participles = 0
    classes: Counter[str] = Counter()
    for module in house.modules().values():
        text = prose(module.text, module.nodes)
        words.update(re.findall(r"[a-z]+", text.lower()))
        for node in module.nodes:
            match node:
                case ast.FunctionDef(name=name, returns=returns):
                    is_bool = isinstance(returns, ast.Name) and returns.id == "bool"
                    participles += name.endswith("ed") and not is_bool
                case ast.ClassDef(name=name):
                    classes[name] += 1
    names = {
        "functions named by participles": participles,
        "class names that several classes have": sum(n > 1 for n in classes.values()),
    }
    return {"words": {word: words[word] for word in listed["words"]}, "names": names}


def test_words_and_names_only_become_fewer() -> None:
    assert counts() == tomllib.loads(FILE.read_text("utf-8"))


def test_a_word_in_a_comment_or_a_docstring_is_seen() -> None:
    source = '"""It says so."""\n\n# Nobody reads "said".\nX = "\\\\# anew"  # Never\n'
    text = prose(source, ast.walk(ast.parse(source)))
    assert re.findall(r"says|Nobody|anew|Never", text) == ["Nobody", "Never", "says"]
