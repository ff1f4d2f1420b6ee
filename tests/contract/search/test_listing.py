"""Test that an index lists its documents by id, page by page."""

from almanac.kernel.caller import Scope
from almanac.search.port import DocumentState, Status
from tests.contract.search.index_samples import entry, in_profile
from tests.contract.search.settled_index import SettledIndex

IDS = ["", "A", "a", "a b", "a-1", "a-10", "a-2", "b", "z" * 300, "ä", "é/ü?#", "茶", "☕"]


def test_documents_are_listed_in_the_order_of_ids(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *(entry(each, "tea") for each in reversed(IDS[1:])))
    listed: list[DocumentState] = []
    while page := search_index.index.list_states(scope, "talk", after=listed[-1].id if listed else "", limit=5):
        listed += page
    assert [each.id for each in listed] == sorted(IDS[1:])


def test_ids_of_any_script_are_found_as_they_are(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *(entry(each, "tea") for each in IDS[1:]))
    assert search_index.search_ids(scope, "tea") == set(IDS[1:])


def test_an_empty_collection_answers_with_nothing(search_index: SettledIndex, scope: Scope):
    frame = search_index.frame(scope, "ginger tea")
    assert frame.ids == []
    assert frame.documents == 0
    assert frame.text.tf.shape == (0, 2)
    assert frame.text_statistics.frequencies.tolist() == [0, 0]
    assert search_index.index.list_states(scope, "talk") == []
    assert search_index.index.list_unenriched(scope, 10) == []
    status = search_index.index.status(scope)
    assert (status.documents, status.enriched, status.removed) == (0, 0, 0)


def test_a_collection_that_was_emptied_answers_with_nothing(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, entry("a", "tea"), entry("b", "tea"))
    assert search_index.search_ids(scope, "tea") == {"a", "b"}
    search_index.remove(scope, "a", "b", version=2)
    assert search_index.frame(scope, "tea").ids == []
    assert search_index.frame(scope, "tea").documents == 0


def test_the_status_counts_all_profiles_of_a_project(search_index: SettledIndex, scope: Scope):
    notes = in_profile("documents", [entry("n", "tea"), entry("m", "milk")])
    search_index.write(scope, entry("a", "tea"), entry("b", "tea"), *notes)
    search_index.remove(scope, "a", version=2)
    status = search_index.index.status(scope)
    assert Status(documents=3, enriched=0, removed=1, bytes=status.bytes) == status


def test_a_batch_of_nothing_changes_nothing(search_index: SettledIndex, scope: Scope):
    search_index.index.index(scope, [])
    search_index.index.remove(scope, [])
    search_index.index.enrich(scope, [])
    assert search_index.frame(scope, "tea").ids == []


def test_a_document_of_many_thousand_words_is_found_by_each(search_index: SettledIndex, scope: Scope):
    many = " ".join(f"word{at}" for at in range(20_000))
    search_index.write(scope, entry("long", many + " tea" * 3000), entry("short", "tea"))
    assert search_index.search_ids(scope, "word19999", legs=["words"]) == {"long"}
    frame = search_index.frame(scope, "tea", legs=["words"])
    assert dict(zip(frame.ids, frame.text.tf[:, 0].tolist(), strict=True)) == {"long": 3000, "short": 1}
    assert max(map(len, frame.text.pieces)) == 256


def test_five_hundred_entries_are_one_write(search_index: SettledIndex, scope: Scope):
    search_index.index.index(scope, [entry(f"{at:03}", f"tea number{at}") for at in range(500)])
    search_index.settle()
    assert len(search_index.state_by_id(scope)) == 500
    assert search_index.search_ids(scope, "number499", legs=["words"]) == {"499"}
