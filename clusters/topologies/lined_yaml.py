"""YAML with the line of every value, bounded, without tags, anchors and aliases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from ...instances import InputError
from .switch_trees import SourceFile

MOST_VALUES = 2**20
MOST_DEPTH = 32
_NULL = ("~", "null", "Null", "NULL")
_T = TypeVar("_T")
_WORDS: dict[type, str] = {str: "text", list: "a list", dict: "a mapping"}


@dataclass(frozen=True)
class Lined:
    """A value, and the line where it begins: text, a list or a mapping of such."""

    value: Any
    line: int

    def of(self, kind: type[_T], where: SourceFile, field: str) -> _T:
        """Return the value; refuse one of another kind."""
        if not isinstance(self.value, kind):
            where.fail(self.line, f"must be {_WORDS[kind]}", field)
        return self.value

    def entries(
        self,
        where: SourceFile,
        field: str,
        known: tuple[str, ...],
        needed: tuple[str, ...],
    ) -> dict[str, Lined]:
        """Return a mapping; refuse unknown keys and missing ones."""
        found: dict[str, Lined] = self.of(dict, where, field)
        for key, value in found.items():
            if known and key not in known:
                where.fail(value.line, f"unknown key (known: {', '.join(known)})", key)
        for key in needed:
            if key not in found:
                where.fail(self.line, f"needs {key}", field)
        return found

    def items(self, where: SourceFile, field: str) -> list[Lined]:
        """Return the entries of a list."""
        found: list[Lined] = self.of(list, where, field)
        return found

    def text(self, where: SourceFile, field: str) -> str:
        """Return text."""
        return self.of(str, where, field)

    def names(self, where: SourceFile, field: str) -> list[str]:
        """Return the names in a hostlist, or in a list of hostlists."""
        parts = self.value if isinstance(self.value, list) else [self]
        listed = ",".join(part.text(where, field) for part in parts)
        return where.names(self.line, listed, field) if listed.strip(", ") else []

    def flag(self, where: SourceFile, field: str) -> bool:
        """Return a truth value."""
        word = self.text(where, field).lower()
        if word not in ("true", "false", "yes", "no", "on", "off"):
            where.fail(self.line, "must be true or false", field, word)
        return word in ("true", "yes", "on")


def parse_lined(text: str, where: SourceFile) -> Lined:
    """Parse one YAML document; all scalars are text.

    Raises InputError if PyYAML is missing, or the text is malformed, has anchors or
    tags, is too large or nested too deeply, or has a key twice.
    """
    try:
        import yaml
    except ImportError:
        raise InputError("needs PyYAML (pip install pyyaml)", file=where.file) from None
    builder = _Builder(yaml, where)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in yaml.parse(text, Loader=loader):
            builder.take(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        why = " ".join(str(getattr(error, "problem", None) or error).split())[:200]
        where.fail(mark.line + 1 if mark else 0, f"not YAML: {why}")
    if builder.document is None:
        where.fail(0, "is empty")
    return builder.document


class _Builder:
    def __init__(self, yaml: Any, where: SourceFile) -> None:
        self._yaml, self._where = yaml, where
        self._open: list[tuple[Lined, list[Lined]]] = []
        self._count = 0
        self.document: Lined | None = None

    def take(self, event: Any) -> None:
        """Take one event."""
        yaml, line = self._yaml, event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            self._where.fail(line, "anchors and aliases are not read")
        if tag := getattr(event, "tag", None):
            self._where.fail(line, "tags are not read", "tag", tag)
        if isinstance(event, yaml.ScalarEvent):
            nothing = event.implicit[0] and event.value in _NULL
            self._put(Lined("" if nothing else event.value, line))
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            if len(self._open) >= MOST_DEPTH:
                self._where.fail(line, "is nested too deeply")
            kind = isinstance(event, yaml.MappingStartEvent)
            self._open.append((Lined({} if kind else [], line), []))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._put(self._close())
        elif isinstance(event, yaml.DocumentStartEvent) and self.document is not None:
            self._where.fail(line, "has more than one document")

    def _close(self) -> Lined:
        whole, parts = self._open.pop()
        if isinstance(whole.value, list):
            whole.value.extend(parts)
            return whole
        for key, value in zip(parts[::2], parts[1::2], strict=True):
            if not isinstance(key.value, str):
                self._where.fail(key.line, "keys must be text")
            if key.value in whole.value:
                self._where.fail(key.line, "is given twice", key.value)
            whole.value[key.value] = value
        return whole

    def _put(self, value: Lined) -> None:
        self._count += 1
        if self._count > MOST_VALUES:
            self._where.fail(value.line, f"has more than {MOST_VALUES} values")
        if self._open:
            self._open[-1][1].append(value)
        else:
            self.document = value
