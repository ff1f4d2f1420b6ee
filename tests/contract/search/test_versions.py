"""An old write never wins over a newer one, and what was removed never comes back."""

import pytest

from almanac.kernel.caller import Scope
from almanac.search.port import DocumentState, Filters, Removal
from tests.contract.search.index_samples import entry, talk
from tests.contract.search.searched import Searched


def test_a_newer_version_takes_the_place_of_the_older(searched: Searched, scope: Scope):
    searched.write(scope, entry("a", "ginger tea"))
    searched.write(scope, entry("a", "black coffee", version=2))
    assert searched.found(scope, "tea", legs=["words"]) == set()
    assert searched.found(scope, "coffee", legs=["words"]) == {"a"}
    assert searched.frame(scope, "tea coffee").versions == [2]
    assert searched.held(scope) == {"a": DocumentState("a", 2)}


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_or_equal_version_changes_nothing(searched: Searched, scope: Scope, version: int):
    searched.write(scope, entry("a", "black coffee", version=2))
    searched.write(scope, entry("a", "ginger tea", version=version))
    assert searched.found(scope, "tea", legs=["words"]) == set()
    assert searched.found(scope, "coffee", legs=["words"]) == {"a"}
    assert searched.held(scope) == {"a": DocumentState("a", 2)}


def test_of_a_batch_the_newest_of_each_document_holds(searched: Searched, scope: Scope):
    searched.write(
        scope,
        entry("a", "ginger tea"),
        entry("a", "black coffee", version=3),
        entry("a", "cold milk", version=2),
        entry("b", "cold water"),
        entry("b", "hot water"),
    )
    assert searched.held(scope) == {"a": DocumentState("a", 3), "b": DocumentState("b", 1)}
    assert searched.found(scope, "coffee", legs=["words"]) == {"a"}
    assert searched.found(scope, "tea milk", legs=["words"]) == set()
    assert searched.found(scope, "cold", legs=["words"]) == {"b"}
    assert searched.index.status(scope).documents == 2


def test_a_removed_document_is_not_found_and_no_older_write_brings_it_back(searched: Searched, scope: Scope):
    searched.write(scope, entry("a", "ginger tea"), entry("b", "ginger bread"))
    searched.remove(scope, "a", version=3)
    for version in (1, 2, 3):
        searched.write(scope, entry("a", "ginger tea", version=version))
        assert searched.found(scope, "ginger") == {"b"}
    assert searched.held(scope) == {"a": DocumentState("a", 3, removed=True), "b": DocumentState("b", 1)}


def test_a_removal_before_the_first_write_holds(searched: Searched, scope: Scope):
    searched.remove(scope, "a", version=2)
    searched.write(scope, entry("a", "ginger tea"))
    assert searched.found(scope, "ginger tea") == set()
    assert searched.held(scope) == {"a": DocumentState("a", 2, removed=True)}
    assert searched.index.status(scope).documents == 0


def test_only_words_and_counts_of_the_newest_version_are_there(searched: Searched, scope: Scope):
    for version, text in enumerate(["tea tea milk", "tea milk", "tea tea tea", "tea milk milk"]):
        searched.write(scope, entry("a", text, version=version), entry("b", "milk"))
        frame = searched.frame(scope, "tea milk", Filters(except_ids=frozenset({"b"})))
        assert frame.text.tf.tolist() == [[text.count("tea"), text.count("milk")]]
        assert frame.text_statistics.frequencies.tolist() == [1, 1 + ("milk" in text)]


@pytest.mark.parametrize("version", [2, 3])
def test_a_removal_no_newer_than_the_document_changes_nothing(searched: Searched, scope: Scope, version: int):
    searched.write(scope, entry("a", "ginger tea", version=3))
    searched.remove(scope, "a", version=version)
    assert searched.found(scope, "tea") == {"a"}


def test_a_newer_version_than_its_removal_is_a_document_again(searched: Searched, scope: Scope):
    searched.write(scope, entry("a", "ginger tea"))
    searched.remove(scope, "a", version=2)
    searched.write(scope, entry("a", "ginger bread", version=3))
    assert searched.found(scope, "ginger") == {"a"}
    assert searched.found(scope, "tea", legs=["words"]) == set()
    assert searched.held(scope) == {"a": DocumentState("a", 3)}


def test_of_removals_in_a_batch_the_newest_holds(searched: Searched, scope: Scope):
    removals = [Removal(id="a", profile="talk", version=version) for version in (2, 5, 3)]
    searched.index.remove(scope, removals)
    searched.settle()
    searched.write(scope, entry("a", "ginger tea", version=4))
    assert searched.held(scope) == {"a": DocumentState("a", 5, removed=True)}


def test_a_removed_document_has_no_part_in_statistics(searched: Searched, scope: Scope):
    searched.write(scope, *talk("s", "ginger tea", "ginger bread", "plain bread and butter"))
    searched.remove(scope, "s-1", version=2)
    frame = searched.frame(scope, "ginger bread")
    assert frame.documents == 2
    assert frame.text_statistics.frequencies.tolist() == [1, 1]
    assert frame.text_statistics.length == 3
