"""Contexts come later, and only to the version that they were made of."""

import numpy as np

from almanac.kernel.caller import Scope
from almanac.search.port import CONTEXT_BYTES, DocumentState, Filters
from tests.contract.search.index_samples import context, entry, question
from tests.contract.search.searched import Searched

TEA = entry("a", "ginger tea")


def test_a_context_is_in_the_answer(searched: Searched, scope: Scope):
    searched.write(scope, TEA, entry("b", "black tea"))
    searched.enrich(scope, context(TEA, "ginger tea"))
    frame = searched.frame(scope, question("ginger tea", contextual=True))
    row = frame.ids.index("a")
    bits = frame.text.bits[row]
    assert bits is not None
    assert bits.shape == (2, CONTEXT_BYTES)
    assert bits.tobytes() == context(TEA, "ginger tea").text.bits
    assert abs(frame.text.context[row] - 1) < 0.01
    assert frame.text.bits[1 - row] is None
    assert np.isnan(frame.text.context[1 - row])
    assert searched.held(scope) == {"a": DocumentState("a", 1, enriched=True), "b": DocumentState("b", 1)}
    assert searched.index.status(scope).enriched == 1


def test_the_context_of_another_version_is_ignored(searched: Searched, scope: Scope):
    newer = entry("a", "ginger tea", version=2)
    searched.write(scope, newer)
    searched.enrich(scope, context(TEA, "ginger tea"), context(entry("a", version=3), "ginger tea"))
    assert searched.held(scope) == {"a": DocumentState("a", 2)}
    assert searched.frame(scope, "tea").text.bits == [None]


def test_a_newer_version_loses_its_context(searched: Searched, scope: Scope):
    searched.write(scope, TEA)
    searched.enrich(scope, context(TEA, "ginger tea"))
    searched.write(scope, entry("a", "black tea", version=2))
    assert searched.held(scope) == {"a": DocumentState("a", 2)}
    frame = searched.frame(scope, question("tea", contextual=True))
    assert frame.text.bits == [None]
    assert np.isnan(frame.text.context).all()


def test_a_removed_document_is_not_enriched(searched: Searched, scope: Scope):
    searched.write(scope, TEA)
    searched.remove(scope, "a", version=2)
    searched.enrich(scope, context(TEA, "ginger tea"), context(entry("a", version=2), "ginger tea"))
    searched.enrich(scope, context(entry("unknown"), "ginger tea"))
    assert searched.held(scope) == {"a": DocumentState("a", 2, removed=True)}
    assert searched.found(scope, question("ginger tea", contextual=True)) == set()


def test_an_empty_context_counts_as_one(searched: Searched, scope: Scope):
    searched.write(scope, TEA)
    searched.enrich(scope, context(TEA, ""))
    assert searched.held(scope) == {"a": DocumentState("a", 1, enriched=True)}
    assert searched.index.list_unenriched(scope, 10) == []
    assert searched.frame(scope, "tea").text.bits == [None]


def test_where_some_have_a_context_all_are_found_by_meaning(searched: Searched, scope: Scope):
    entries = [entry(f"{at}", f"ginger tea {at}") for at in range(10)]
    searched.write(scope, *entries)
    searched.enrich(scope, *(context(each, "ginger tea") for each in entries[:5]))
    asked = question("ginger tea", contextual=True)
    assert searched.found(scope, asked, legs=["meaning"], size=20) == {each.id for each in entries}


def test_what_lacks_a_context_is_listed_newest_first(searched: Searched, scope: Scope):
    entries = [entry(f"{at}", "ginger tea", at=at) for at in (3, 1, 4, 2)]
    searched.write(scope, *entries, entry("gone", "milk", at=9), entry("code", "x", profile="code", at=5))
    searched.remove(scope, "gone", version=2)
    searched.enrich(scope, context(entries[2], "ginger tea"))
    assert searched.index.list_unenriched(scope, 3) == [
        DocumentState("code", 1),
        DocumentState("3", 1),
        DocumentState("2", 1),
    ]


def test_who_has_searched_before_sees_a_context_and_what_was_written_beside_it(searched: Searched, scope: Scope):
    asked, only_tea = question("tea", contextual=True), Filters(kinds=("turn",))
    searched.write(scope, TEA, entry("b", "black tea", kind="note"))
    assert searched.frame(scope, asked, only_tea).candidates.tolist() == [True]
    searched.enrich(scope, context(TEA, "ginger tea"))
    frame = searched.frame(scope, asked, only_tea)
    assert (frame.ids, frame.text.bits[0] is not None) == (["a"], True)
    searched.enrich(scope, context(entry("b", "black tea"), "black tea"))
    searched.write(scope, entry("c", "green tea"))
    frame = searched.frame(scope, asked)
    assert [bits is not None for bits in frame.text.bits] == [True, True, False]
    assert searched.found(scope, asked, only_tea) == {"a", "c"}


def test_the_share_of_documents_with_a_context_is_known(searched: Searched, scope: Scope):
    assert searched.index.enriched_share(scope, "talk") == 0
    searched.write(scope, TEA, *(entry(f"{at}", "black tea") for at in range(3)))
    assert searched.index.enriched_share(scope, "talk") == 0
    searched.enrich(scope, context(TEA, "ginger tea"))
    assert searched.index.enriched_share(scope, "talk") == 0.25
