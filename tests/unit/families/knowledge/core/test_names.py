"""Keys of names: short, different for different names, and in their order where they are short."""

from hypothesis import given
from hypothesis import strategies as st

from almanac.families.knowledge.core.names import KEY_BYTES, fold, name_key, tidy_name
from almanac.platform.store.keys import sort_key


@given(
    st.text(min_size=1, max_size=600) | st.sampled_from(['"', "#", "é", "~", "\U0001f600"]).map(lambda one: one * 512)
)
def test_a_key_has_at_most_200_bytes_as_it_is_stored(name: str) -> None:
    assert len(sort_key(name_key(name)).encode()) <= KEY_BYTES


@given(st.text("a~#é", min_size=1, max_size=300), st.text("a~#é", min_size=1, max_size=300))
def test_different_names_have_different_keys(one: str, other: str) -> None:
    assert (name_key(one) == name_key(other)) == (one == other)


def test_names_that_only_differ_at_their_ends_have_different_keys() -> None:
    assert name_key("x" * 511 + "a") != name_key("x" * 511 + "b")
    assert name_key("ann") == "ann"


def test_folded_names_lack_case_accents_and_signs() -> None:
    assert fold("  \u00c9lo\u00efse O'Neil-2 ") == "eloiseoneil2"
    assert fold("!?") == "-"
    assert tidy_name(" a\n b ") == "a b"
