"""A rebuild makes an index beside the one that answers; until it is finished, writes go to both."""

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.port import DocumentState
from tests.contract.search.index_samples import context, entry, question
from tests.contract.search.searched import Searched

TEA, MILK = entry("tea", "ginger tea"), entry("milk", "oat milk")


def test_what_is_there_answers_until_the_rebuild_is_finished(searched: Searched, scope: Scope):
    searched.write(scope, TEA)
    searched.index.start_rebuild()
    assert searched.index.status(scope).rebuilding
    assert searched.found(scope, "tea") == {"tea"}
    searched.write(scope, MILK)
    assert searched.found(scope, "tea milk") == {"tea", "milk"}
    searched.index.finish_rebuild()
    searched.settle()
    assert not searched.index.status(scope).rebuilding
    assert searched.found(scope, "tea milk") == {"milk"}
    assert searched.held(scope) == {"milk": DocumentState("milk", 1)}


def test_everything_that_is_written_meanwhile_is_in_the_new_index(searched: Searched, scope: Scope):
    searched.write(scope, TEA, MILK)
    searched.index.start_rebuild()
    searched.write(scope, entry("tea", "black tea", version=2))
    searched.remove(scope, "milk", version=2)
    # Read before those writes, written after them.
    searched.write(scope, TEA, MILK)
    searched.enrich(scope, context(entry("tea", version=2), "black tea"))
    searched.index.finish_rebuild()
    searched.settle()
    assert searched.held(scope) == {
        "milk": DocumentState("milk", 2, removed=True),
        "tea": DocumentState("tea", 2, enriched=True),
    }
    assert searched.found(scope, "ginger milk", legs=["words"]) == set()
    assert searched.frame(scope, question("black", contextual=True)).text.bits[0] is not None


def test_what_was_removed_before_a_rebuild_does_not_come_back_after_it(searched: Searched, scope: Scope):
    searched.write(scope, TEA)
    searched.remove(scope, "tea", version=2)
    searched.index.start_rebuild()
    searched.index.finish_rebuild()
    searched.write(scope, TEA)
    assert searched.found(scope, "tea") == set()


def test_a_second_start_drops_what_was_begun(searched: Searched, scope: Scope):
    searched.index.start_rebuild()
    searched.write(scope, TEA)
    searched.index.start_rebuild()
    searched.write(scope, MILK)
    searched.index.finish_rebuild()
    searched.settle()
    assert searched.found(scope, "tea milk") == {"milk"}


def test_a_new_index_goes_on_as_the_former_one_did(searched: Searched, scope: Scope):
    for version in (1, 2, 3):
        searched.index.start_rebuild()
        searched.write(scope, entry("tea", "ginger tea", version=version))
        searched.index.finish_rebuild()
        searched.settle()
        assert searched.held(scope) == {"tea": DocumentState("tea", version)}
        assert searched.found(scope, "ginger") == {"tea"}


def test_there_is_nothing_to_finish_without_a_start(searched: Searched, scope: Scope):
    searched.write(scope, TEA)
    with pytest.raises(Unavailable, match="rebuil"):
        searched.index.finish_rebuild()
    assert searched.found(scope, "tea") == {"tea"}
