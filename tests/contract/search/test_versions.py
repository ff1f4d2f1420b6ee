"""Test that an old write never replaces a newer one, and that removed documents do not come back."""

import pytest

from almanac.kernel.caller import Scope
from almanac.search.port import DocumentState, Filters, Removal
from tests.contract.search.index_samples import entry, talk
from tests.contract.search.settled_index import SettledIndex


def test_a_newer_version_takes_the_place_of_the_older(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, entry("a", "ginger tea"))
    search_index.write(scope, entry("a", "black coffee", version=2))
    assert search_index.search_ids(scope, "tea", legs=["words"]) == set()
    assert search_index.search_ids(scope, "coffee", legs=["words"]) == {"a"}
    assert search_index.frame(scope, "tea coffee").versions == [2]
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 2)}


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_or_equal_version_changes_nothing(search_index: SettledIndex, scope: Scope, version: int):
    search_index.write(scope, entry("a", "black coffee", version=2))
    search_index.write(scope, entry("a", "ginger tea", version=version))
    assert search_index.search_ids(scope, "tea", legs=["words"]) == set()
    assert search_index.search_ids(scope, "coffee", legs=["words"]) == {"a"}
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 2)}


def test_of_a_batch_the_newest_of_each_document_holds(search_index: SettledIndex, scope: Scope):
    search_index.write(
        scope,
        entry("a", "ginger tea"),
        entry("a", "black coffee", version=3),
        entry("a", "cold milk", version=2),
        entry("b", "cold water"),
        entry("b", "hot water"),
    )
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 3), "b": DocumentState("b", 1)}
    assert search_index.search_ids(scope, "coffee", legs=["words"]) == {"a"}
    assert search_index.search_ids(scope, "tea milk", legs=["words"]) == set()
    assert search_index.search_ids(scope, "cold", legs=["words"]) == {"b"}
    assert search_index.index.status(scope).documents == 2


def test_a_removed_document_is_not_found_and_no_older_write_brings_it_back(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, entry("a", "ginger tea"), entry("b", "ginger bread"))
    search_index.remove(scope, "a", version=3)
    for version in (1, 2, 3):
        search_index.write(scope, entry("a", "ginger tea", version=version))
        assert search_index.search_ids(scope, "ginger") == {"b"}
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 3, removed=True), "b": DocumentState("b", 1)}


def test_a_removal_before_the_first_write_holds(search_index: SettledIndex, scope: Scope):
    search_index.remove(scope, "a", version=2)
    search_index.write(scope, entry("a", "ginger tea"))
    assert search_index.search_ids(scope, "ginger tea") == set()
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 2, removed=True)}
    assert search_index.index.status(scope).documents == 0


def test_only_words_and_counts_of_the_newest_version_are_there(search_index: SettledIndex, scope: Scope):
    for version, text in enumerate(["tea tea milk", "tea milk", "tea tea tea", "tea milk milk"]):
        search_index.write(scope, entry("a", text, version=version), entry("b", "milk"))
        frame = search_index.frame(scope, "tea milk", Filters(except_ids=frozenset({"b"})))
        assert frame.text.tf.tolist() == [[text.count("tea"), text.count("milk")]]
        assert frame.text_statistics.frequencies.tolist() == [1, 1 + ("milk" in text)]


@pytest.mark.parametrize("version", [2, 3])
def test_a_removal_no_newer_than_the_document_changes_nothing(search_index: SettledIndex, scope: Scope, version: int):
    search_index.write(scope, entry("a", "ginger tea", version=3))
    search_index.remove(scope, "a", version=version)
    assert search_index.search_ids(scope, "tea") == {"a"}


def test_a_newer_version_than_its_removal_is_a_document_again(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, entry("a", "ginger tea"))
    search_index.remove(scope, "a", version=2)
    search_index.write(scope, entry("a", "ginger bread", version=3))
    assert search_index.search_ids(scope, "ginger") == {"a"}
    assert search_index.search_ids(scope, "tea", legs=["words"]) == set()
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 3)}


def test_of_removals_in_a_batch_the_newest_holds(search_index: SettledIndex, scope: Scope):
    removals = [Removal(id="a", profile="talk", version=version) for version in (2, 5, 3)]
    search_index.index.remove(scope, removals)
    search_index.settle()
    search_index.write(scope, entry("a", "ginger tea", version=4))
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 5, removed=True)}


def test_a_removed_document_has_no_part_in_statistics(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *talk("s", "ginger tea", "ginger bread", "plain bread and butter"))
    search_index.remove(scope, "s-1", version=2)
    frame = search_index.frame(scope, "ginger bread")
    assert frame.documents == 2
    assert frame.text_statistics.frequencies.tolist() == [1, 1]
    assert frame.text_statistics.length == 3
