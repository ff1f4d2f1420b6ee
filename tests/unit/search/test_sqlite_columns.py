"""Test that the fields of many documents are read once and their filters cached."""

import string
from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from almanac.search.port import Filters
from almanac.search.sqlite.reader.columns import Columns, empty_columns
from almanac.search.sqlite.reader.filters import allowed_places

_json = msgspec.json.Encoder(order="sorted").encode
_TEXTS = st.text(st.sampled_from([*'"\\,{}:', "a", "b", "é", "\n", *string.ascii_lowercase[:2]]), max_size=4)


def _columns(before: Columns, documents: Sequence[Mapping[str, str]]) -> Columns:
    places = np.arange(before.size, before.size + len(documents))
    size = before.size + len(documents)
    return msgspec.structs.replace(
        before,
        ids=[str(place) for place in range(size)],
        alive=np.ones(size, np.bool_),
        fields=before.fields.with_rows(places, [_json(each).decode() for each in documents], size),
    )


def _allowed_rows(columns: Columns, fields: Mapping[str, str]) -> list[bool]:
    return allowed_places(columns, Filters(fields=fields)).tolist()


def _has(documents: Iterable[Mapping[str, str]], fields: Mapping[str, str]) -> list[bool]:
    return [fields.items() <= each.items() for each in documents]


@given(st.lists(st.dictionaries(_TEXTS, _TEXTS, max_size=4), min_size=1, max_size=5), st.data())
def test_documents_that_have_these_fields_are_found_whatever_is_in_them(
    documents: list[dict[str, str]], data: st.DataObject
) -> None:
    known = [(name, value) for each in documents for name, value in each.items()]
    pair = st.tuples(_TEXTS, _TEXTS) | st.sampled_from(known or [("", "")])
    fields = dict(data.draw(st.lists(pair, max_size=2)))
    assert _allowed_rows(_columns(empty_columns(), documents), fields) == _has(documents, fields)


def test_what_was_asked_is_asked_of_new_documents_too_and_of_older_states() -> None:
    first = [{"repo": "web", "lang": lang} for lang in ("go", "python", "go")]
    columns = _columns(empty_columns(), first)
    assert _allowed_rows(columns, {"lang": "go"}) == [True, False, True]
    later = _columns(columns, [{"repo": "app", "lang": "go"}, {"repo": "web", "lang": "go"}])
    assert _allowed_rows(later, {"lang": "go"}) == [True, False, True, True, True]
    assert _allowed_rows(later, {"lang": "go", "repo": "web"}) == [True, False, True, False, True]
    assert _allowed_rows(columns, {"lang": "go"}) == [True, False, True]


def test_only_the_last_questions_are_kept() -> None:
    columns = _columns(empty_columns(), [{"name": str(number)} for number in range(100)])
    for number in range(100):
        assert _allowed_rows(columns, {"name": str(number)}).index(True) == number
    assert len(columns.masks) == 16


def test_an_older_state_is_asked_after_a_newer_one_and_answers_of_its_own() -> None:
    older = _columns(empty_columns(), [{"lang": "go"}])
    newer = _columns(older, [{"lang": "go", "tier": "one"}])
    assert _allowed_rows(newer, {"tier": "one"}) == [False, True]
    assert _allowed_rows(older, {"tier": "one"}) == [False]
    assert _allowed_rows(older, {"lang": "go"}) == [True]
