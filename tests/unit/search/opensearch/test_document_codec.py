"""Test that ranking reads documents from OpenSearch as they were written."""

import base64
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.kernel.caller import Scope
from almanac.search.opensearch import document_codec
from almanac.search.opensearch.frames import PackedHits, frame_of_packed
from almanac.search.port import Context, FieldContext, Question
from tests.contract.search.index_samples import context, entry, question

SCOPE = Scope("tenant", "project")
words = st.lists(st.sampled_from(["tea", "Tea", "rm -rf", "c++", "日本", "x" * 400]), max_size=12)


@given(words)
def test_the_counts_of_a_questions_terms_come_back(said: list[str]):
    written = entry("a", "")
    counts = {term: said.count(term) for term in said}
    body = document_codec.body_of(SCOPE, _with_terms(written, counts))
    found = PackedHits({"a": document_codec.unpack_document(body["packed"])}, {})
    frame = frame_of_packed(found, Question(terms=("tea", "日本", "none")), 1, _no_statistics())
    assert frame.text.tf.tolist() == [[counts.get("tea", 0), counts.get("日本", 0), 0]]


def test_a_count_beyond_what_is_kept_is_the_most_that_is():
    body = document_codec.body_of(SCOPE, _with_terms(entry("a"), {"tea": 70_000}))
    frame = frame_of_packed(
        PackedHits({"a": document_codec.unpack_document(body["packed"])}, {}),
        Question(terms=("tea",)),
        1,
        _no_statistics(),
    )
    assert frame.text.tf.tolist() == [[65_535]]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=9))
def test_what_is_packed_needs_no_padding(id: str):
    body = document_codec.body_of(SCOPE, entry(id, "ginger tea", session=id))
    assert not [name for name in ("packed", "vectors") if base64.b64encode(body[name]).endswith(b"=")]


def test_a_vector_is_searched_with_the_direction_that_it_has():
    body = document_codec.body_of(SCOPE, entry("a", "ginger tea"))
    asked = question("ginger tea").vector
    assert asked is not None
    assert len(body["text_vector"]) == 256
    assert np.dot(body["text_vector"][: len(asked)], asked) == pytest.approx(1, abs=1e-3)
    assert "title_vector" not in body, "it has no direction"


def test_a_context_adds_to_a_document_and_changes_nothing_else():
    written = entry("a", "ginger tea", session="s", position=3)
    body = document_codec.body_of(SCOPE, written)
    enriched = document_codec.with_context(_stored_form(body), context(written, "ginger tea"))
    before, after = document_codec.unpack_document(body["packed"]), document_codec.unpack_document(enriched["packed"])
    assert enriched["enriched"]
    assert len(enriched["text_context"]) == 384
    assert enriched["text_vector"] == body["text_vector"]
    assert (after.id, after.position, after.text.terms) == (before.id, before.position, before.text.terms)
    assert len(after.text.bits) == 2 * 48


def test_an_empty_context_counts_as_one():
    written = entry("a", "ginger tea")
    empty = Context(id="a", profile="talk", version=1, title=FieldContext(), text=FieldContext())
    enriched = document_codec.with_context(_stored_form(document_codec.body_of(SCOPE, written)), empty)
    assert enriched["enriched"]
    assert "text_context" not in enriched


def _stored_form(body: dict[str, Any]) -> dict[str, Any]:
    """Return a body as OpenSearch returns it, with bytes as base64 and without vectors."""
    kept = {name: value for name, value in body.items() if not name.endswith(("_vector", "_context"))}
    return kept | {name: base64.b64encode(body[name]).decode() for name in ("packed", "vectors")}


def _with_terms(written: Any, counts: dict[str, int]) -> Any:
    from msgspec.structs import replace  # noqa: PLC0415

    return replace(written, text=replace(written.text, terms=counts, length=sum(counts.values())))


def _no_statistics() -> Any:
    from almanac.search.frame import FieldStatistics  # noqa: PLC0415

    none = FieldStatistics(frequencies=np.zeros(1, dtype=np.float32), length=0.0)
    return {"title": none, "text": none}
