"""Test that packed data is unpacked, and that other data is refused."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.code.core.codec import Part, pack, unpack
from almanac.families.code.core.signatures import signature_of
from almanac.platform.blobs.large_values import LARGEST_BYTES
from tests.unit.families.code.repository import may_have


@given(st.text(max_size=200))
def test_a_text_comes_back(text: str) -> None:
    assert unpack(pack(text), str) == text


def test_parts_come_back() -> None:
    parts = [Part(name="a", title="A", text="x", start=1, end=2, symbol="A.b", kind="class")]
    assert unpack(pack(parts), list[Part]) == parts


@pytest.mark.parametrize("data", [b"", b"nothing", pack("text")[:-3], zlib.compress(bytes(LARGEST_BYTES + 1))])
def test_what_was_not_packed_so_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"compressed|large|expected|malformed|truncated|Expected"):
        unpack(data, str)


@given(st.sets(st.text(min_size=1, max_size=20), max_size=300))
def test_every_name_of_a_file_is_found_in_its_signature(names: set[str]) -> None:
    signature = signature_of(names)
    assert all(may_have(signature, name) for name in names)


def test_few_files_are_looked_into_for_nothing() -> None:
    signature = signature_of({f"name{number}" for number in range(500)})
    assert sum(may_have(signature, f"other{number}") for number in range(2000)) < 40
