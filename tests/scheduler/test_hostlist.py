"""Hostlists: what they stand for, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.instances import InputError
from closeknit.scheduler.hostlist import MOST, fold, unfold


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3]", ["n1", "n2", "n3"]),
        ("n[08-10,3],login", ["n08", "n09", "n10", "n3", "login"]),
        ("n[98-101]", ["n98", "n99", "n100", "n101"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("n[1-2]-ib", ["n1-ib", "n2-ib"]),
        ("n01.[1-3]", ["n01.1", "n01.2", "n01.3"]),
        (" a,b\nc  d,, ", ["a", "b", "c", "d"]),
        ("n[ 1 , 2 ]", ["n1", "n2"]),
        ("a,a", ["a", "a"]),
    ],
)
def test_unfolds(text: str, names: list[str]) -> None:
    assert unfold(text) == names


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        (" , ", "is empty"),
        ("n[1-3", "brackets do not match"),
        ("n1-3]", "brackets do not match"),
        ("n[[1]]", "brackets do not match"),
        ("n[]", "must be numbers and ranges"),
        ("n[a-b]", "must be numbers and ranges"),
        ("n[1-]", "must be numbers and ranges"),
        ("n[3-1]", "is a descending range"),
        ("n[1-999999999]", f"more than {MOST} names"),
        ("n[1-9999][1-9999]", f"more than {MOST} names"),
        ("n[1-2000000],m[1-2000000],k[1-2000000]", f"more than {MOST} names"),
    ],
)
def test_refuses(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as raised:
        unfold(text, field="--free")
    assert str(raised.value).startswith("--free: ")


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["n08", "n09", "n10", "n3", "login"], "n[3,08-10],login"),
        (["n9", "n10", "n11"], "n[9-11]"),
        (["n09", "n10", "n99", "n100"], "n[09-10,99-100]"),
        (["b", "a2", "a1"], "b,a[1-2]"),
        (["n", "n1"], "n,n1"),
        (["n", "n", "n1", "n1"], "n,n,n[1,1]"),
    ],
)
def test_folds(names: list[str], text: str) -> None:
    assert fold(names) == text


name = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["n", "rack1-", "a.b", "x9y"]),
        st.one_of(st.just(""), st.from_regex(r"[0-9]{1,4}", fullmatch=True)),
    ),
)


@given(st.lists(name, min_size=1, max_size=40))
def test_what_is_folded_unfolds_to_the_same_names(names: list[str]) -> None:
    assert sorted(unfold(fold(names))) == sorted(names)


@given(st.text(alphabet="n1[]-, 0x", max_size=30))
def test_any_text_is_a_list_or_an_error_of_one_line(text: str) -> None:
    complaint = ""
    names: list[str] = []
    try:
        names = unfold(text)
    except InputError as error:
        complaint = str(error)
    assert bool(names) != bool(complaint)
    assert "\n" not in complaint
