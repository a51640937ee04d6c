"""Long JSON documents: read piece by piece as all at once, faults in one line."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import InputError
from closeknit.instances.reading import json_lists
from closeknit.instances.reading.json_lists import read_lists
from closeknit.instances.reading.parsing import parse_json

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(TEXTS, VALUES, max_size=4)


def same(entry: Any) -> Any:
    return entry


@settings(max_examples=60, deadline=None)
@given(
    DOCUMENTS,
    st.sampled_from([1, 2, 3, 7, 2**20]),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_pieces_of_any_size_give_the_same(
    document: dict[str, Any], piece: int, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lists, "_PIECE", piece)
        assert read_lists(BytesIO(text.encode()), same) == parse_json(text)


def test_elements_are_reduced_one_by_one() -> None:
    text = '{"items": [{"a": 1, "b": 2}, {"b": 3}], "other": {"items": [1]}}'
    found = read_lists(BytesIO(text.encode()), lambda entry: entry["b"])
    assert found == {"items": [2, 3], "other": {"items": [1]}}
    marked = b"\xef\xbb\xbf" + text.encode()
    assert read_lists(BytesIO(marked), same)["other"] == {"items": [1]}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"", "Expecting '{' (line 1, column 1)"),
        (b"[1]", "Expecting '{'"),
        (b'{"a": [1,\n2', "Expecting ',' (line 2, column 2)"),
        (b'{"a": [1,\n{"b": }]}', "Expecting value (line 2, column 7)"),
        (b'{"a" 1}', "Expecting ':'"),
        (b"{1: 2}", "property name"),
        (b'{"a": 1} {}', "Extra data (line 1, column 10)"),
        (b'{"a": 1, "a": 2}', "a: given twice"),
        (b'{"a": [{"b": 1, "b": 2}]}', "b: given twice"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": [\xff]}', "is not UTF-8 text (near byte 7)"),
        (b'{"a": ' + b"[" * 10**5, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not usable JSON"),
        (b'{"a": "' + b"x" * 300 + b'"}', "has a value of more than 256 characters"),
        (b'{"a": [' + b"1," * 70 + b"1]}", "has more than 64 elements"),
        (b'{"a": [] ' + b" " * 6000 + b"}", "is larger than 0 MiB"),
    ],
)
def test_faults_are_one_line(
    monkeypatch: pytest.MonkeyPatch, text: bytes, complaint: str
) -> None:
    monkeypatch.setattr(json_lists, "_PIECE", 16)
    if b"xxx" in text:
        monkeypatch.setattr(json_lists, "MOST_VALUE", 256)
    monkeypatch.setattr(json_lists, "MOST_ELEMENTS", 64)
    if b"   " in text:
        monkeypatch.setattr(json_lists, "MOST_BYTES", 4096)
    with pytest.raises(InputError) as raised:
        read_lists(BytesIO(text), same, file="report.json")
    assert complaint in str(raised.value)
    assert str(raised.value).startswith("report.json:")
    assert "\n" not in str(raised.value)
