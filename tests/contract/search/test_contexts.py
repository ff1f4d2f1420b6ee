"""Contexts come later, and only to the version that they were made of."""

import numpy as np

from almanac.kernel.caller import Scope
from almanac.search.port import CONTEXT_BYTES, DocumentState, Filters
from tests.contract.search.index_samples import context, entry, question
from tests.contract.search.settled_index import SettledIndex

TEA = entry("a", "ginger tea")


def test_a_context_is_in_the_answer(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, TEA, entry("b", "black tea"))
    search_index.enrich(scope, context(TEA, "ginger tea"))
    frame = search_index.frame(scope, question("ginger tea", contextual=True))
    row = frame.ids.index("a")
    bits = frame.text.bits[row]
    assert bits is not None
    assert bits.shape == (2, CONTEXT_BYTES)
    assert bits.tobytes() == context(TEA, "ginger tea").text.bits
    assert abs(frame.text.context[row] - 1) < 0.01
    assert frame.text.bits[1 - row] is None
    assert np.isnan(frame.text.context[1 - row])
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 1, enriched=True), "b": DocumentState("b", 1)}
    assert search_index.index.status(scope).enriched == 1


def test_the_context_of_another_version_is_ignored(search_index: SettledIndex, scope: Scope):
    newer = entry("a", "ginger tea", version=2)
    search_index.write(scope, newer)
    search_index.enrich(scope, context(TEA, "ginger tea"), context(entry("a", version=3), "ginger tea"))
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 2)}
    assert search_index.frame(scope, "tea").text.bits == [None]


def test_a_newer_version_loses_its_context(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, TEA)
    search_index.enrich(scope, context(TEA, "ginger tea"))
    search_index.write(scope, entry("a", "black tea", version=2))
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 2)}
    frame = search_index.frame(scope, question("tea", contextual=True))
    assert frame.text.bits == [None]
    assert np.isnan(frame.text.context).all()


def test_a_removed_document_is_not_enriched(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, TEA)
    search_index.remove(scope, "a", version=2)
    search_index.enrich(scope, context(TEA, "ginger tea"), context(entry("a", version=2), "ginger tea"))
    search_index.enrich(scope, context(entry("unknown"), "ginger tea"))
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 2, removed=True)}
    assert search_index.search_ids(scope, question("ginger tea", contextual=True)) == set()


def test_an_empty_context_counts_as_one(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, TEA)
    search_index.enrich(scope, context(TEA, ""))
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 1, enriched=True)}
    assert search_index.index.list_unenriched(scope, 10) == []
    assert search_index.frame(scope, "tea").text.bits == [None]


def test_where_some_have_a_context_all_are_found_by_meaning(search_index: SettledIndex, scope: Scope):
    entries = [entry(f"{at}", f"ginger tea {at}") for at in range(10)]
    search_index.write(scope, *entries)
    search_index.enrich(scope, *(context(each, "ginger tea") for each in entries[:5]))
    asked = question("ginger tea", contextual=True)
    assert search_index.search_ids(scope, asked, legs=["meaning"], size=20) == {each.id for each in entries}


def test_what_lacks_a_context_is_listed_newest_first(search_index: SettledIndex, scope: Scope):
    entries = [entry(f"{at}", "ginger tea", at=at) for at in (3, 1, 4, 2)]
    search_index.write(scope, *entries, entry("gone", "milk", at=9), entry("code", "x", profile="code", at=5))
    search_index.remove(scope, "gone", version=2)
    search_index.enrich(scope, context(entries[2], "ginger tea"))
    assert search_index.index.list_unenriched(scope, 3) == [
        DocumentState("code", 1),
        DocumentState("3", 1),
        DocumentState("2", 1),
    ]


def test_who_has_searched_before_sees_a_context_and_what_was_written_beside_it(
    search_index: SettledIndex, scope: Scope
):
    asked, only_tea = question("tea", contextual=True), Filters(kinds=("turn",))
    search_index.write(scope, TEA, entry("b", "black tea", kind="note"))
    assert search_index.frame(scope, asked, only_tea).candidates.tolist() == [True]
    search_index.enrich(scope, context(TEA, "ginger tea"))
    frame = search_index.frame(scope, asked, only_tea)
    assert (frame.ids, frame.text.bits[0] is not None) == (["a"], True)
    search_index.enrich(scope, context(entry("b", "black tea"), "black tea"))
    search_index.write(scope, entry("c", "green tea"))
    frame = search_index.frame(scope, asked)
    assert [bits is not None for bits in frame.text.bits] == [True, True, False]
    assert search_index.search_ids(scope, asked, only_tea) == {"a", "c"}


def test_the_share_of_documents_with_a_context_is_known(search_index: SettledIndex, scope: Scope):
    assert search_index.index.enriched_share(scope, "talk") == 0
    search_index.write(scope, TEA, *(entry(f"{at}", "black tea") for at in range(3)))
    assert search_index.index.enriched_share(scope, "talk") == 0
    search_index.enrich(scope, context(TEA, "ginger tea"))
    assert search_index.index.enriched_share(scope, "talk") == 0.25
