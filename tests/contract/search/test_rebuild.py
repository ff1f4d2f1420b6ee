"""Test rebuilding an index beside the one that answers. Until the end, writes go to both."""

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.port import DocumentState
from tests.contract.search.index_samples import context, entry, question
from tests.contract.search.settled_index import SettledIndex

TEA, MILK = entry("tea", "ginger tea"), entry("milk", "oat milk")


def test_what_is_there_answers_until_the_rebuild_is_finished(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, TEA)
    search_index.index.start_rebuild()
    assert search_index.index.status(scope).rebuilding
    assert search_index.search_ids(scope, "tea") == {"tea"}
    search_index.write(scope, MILK)
    assert search_index.search_ids(scope, "tea milk") == {"tea", "milk"}
    search_index.index.finish_rebuild()
    search_index.settle()
    assert not search_index.index.status(scope).rebuilding
    assert search_index.search_ids(scope, "tea milk") == {"milk"}
    assert search_index.state_by_id(scope) == {"milk": DocumentState("milk", 1)}


def test_everything_that_is_written_meanwhile_is_in_the_new_index(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, TEA, MILK)
    search_index.index.start_rebuild()
    search_index.write(scope, entry("tea", "black tea", version=2))
    search_index.remove(scope, "milk", version=2)
    # Read before those writes, written after them.
    search_index.write(scope, TEA, MILK)
    search_index.enrich(scope, context(entry("tea", version=2), "black tea"))
    search_index.index.finish_rebuild()
    search_index.settle()
    assert search_index.state_by_id(scope) == {
        "milk": DocumentState("milk", 2, removed=True),
        "tea": DocumentState("tea", 2, enriched=True),
    }
    assert search_index.search_ids(scope, "ginger milk", legs=["words"]) == set()
    assert search_index.frame(scope, question("black", contextual=True)).text.bits[0] is not None


def test_what_was_removed_before_a_rebuild_does_not_come_back_after_it(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, TEA)
    search_index.remove(scope, "tea", version=2)
    search_index.index.start_rebuild()
    search_index.index.finish_rebuild()
    search_index.write(scope, TEA)
    assert search_index.search_ids(scope, "tea") == set()


def test_a_second_start_drops_what_was_begun(search_index: SettledIndex, scope: Scope):
    search_index.index.start_rebuild()
    search_index.write(scope, TEA)
    search_index.index.start_rebuild()
    search_index.write(scope, MILK)
    search_index.index.finish_rebuild()
    search_index.settle()
    assert search_index.search_ids(scope, "tea milk") == {"milk"}


def test_a_new_index_goes_on_as_the_former_one_did(search_index: SettledIndex, scope: Scope):
    for version in (1, 2, 3):
        search_index.index.start_rebuild()
        search_index.write(scope, entry("tea", "ginger tea", version=version))
        search_index.index.finish_rebuild()
        search_index.settle()
        assert search_index.state_by_id(scope) == {"tea": DocumentState("tea", version)}
        assert search_index.search_ids(scope, "ginger") == {"tea"}


def test_there_is_nothing_to_finish_without_a_start(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, TEA)
    with pytest.raises(Unavailable, match="rebuil"):
        search_index.index.finish_rebuild()
    assert search_index.search_ids(scope, "tea") == {"tea"}
