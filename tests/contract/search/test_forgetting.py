"""A project that is deleted leaves nothing, and may come back from a file with the versions that it had."""

from almanac.kernel.caller import Scope
from almanac.search.port import DocumentState
from tests.contract.search.index_samples import entry
from tests.contract.search.searched import Searched


def test_a_forgotten_project_is_empty_and_others_are_not(searched: Searched, scope: Scope):
    other = Scope(scope.tenant, "other")
    for each in (scope, other):
        searched.write(each, entry("a", "ginger tea"), entry("b", "ginger bread"))
    searched.remove(scope, "b", version=2)
    assert searched.found(scope, "ginger") == {"a"}
    searched.index.forget(scope)
    searched.settle()
    assert searched.found(scope, "ginger") == set()
    assert searched.held(scope) == {}
    status = searched.index.status(scope)
    assert (status.documents, status.removed) == (0, 0)
    assert searched.found(other, "ginger") == {"a", "b"}


def test_what_was_forgotten_may_be_written_in_an_older_version(searched: Searched, scope: Scope):
    searched.write(scope, entry("a", "ginger tea", version=5), entry("b", "black coffee", version=5))
    searched.remove(scope, "b", version=9)
    searched.index.forget(scope)
    searched.write(scope, entry("a", "cold milk"), entry("b", "hot water"))
    assert searched.held(scope) == {"a": DocumentState("a", 1), "b": DocumentState("b", 1)}
    assert searched.found(scope, "cold milk", legs=["words"]) == {"a"}
    assert searched.found(scope, "hot water", legs=["words"]) == {"b"}
    assert searched.found(scope, "ginger coffee", legs=["words"]) == set()


def test_what_was_forgotten_stays_so_when_the_index_is_made_again(searched: Searched, scope: Scope):
    searched.write(scope, entry("a", "ginger tea"))
    searched.remove(scope, "b", version=9)
    searched.index.forget(scope)
    searched.index.start_rebuild()
    searched.index.finish_rebuild()
    searched.write(scope, entry("b", "hot water"))
    assert searched.held(scope) == {"b": DocumentState("b", 1)}


def test_a_project_of_which_nothing_is_known_may_be_forgotten(searched: Searched, scope: Scope):
    searched.index.forget(scope)
    assert searched.held(scope) == {}
