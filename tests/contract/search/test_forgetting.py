"""A project that is deleted leaves nothing, and may come back from a file with the versions that it had."""

from almanac.kernel.caller import Scope
from almanac.search.port import DocumentState
from tests.contract.search.index_samples import entry
from tests.contract.search.settled_index import SettledIndex


def test_a_forgotten_project_is_empty_and_others_are_not(search_index: SettledIndex, scope: Scope):
    other = Scope(scope.tenant, "other")
    for each in (scope, other):
        search_index.write(each, entry("a", "ginger tea"), entry("b", "ginger bread"))
    search_index.remove(scope, "b", version=2)
    assert search_index.search_ids(scope, "ginger") == {"a"}
    search_index.index.forget(scope)
    search_index.settle()
    assert search_index.search_ids(scope, "ginger") == set()
    assert search_index.state_by_id(scope) == {}
    status = search_index.index.status(scope)
    assert (status.documents, status.removed) == (0, 0)
    assert search_index.search_ids(other, "ginger") == {"a", "b"}


def test_what_was_forgotten_may_be_written_in_an_older_version(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, entry("a", "ginger tea", version=5), entry("b", "black coffee", version=5))
    search_index.remove(scope, "b", version=9)
    search_index.index.forget(scope)
    search_index.write(scope, entry("a", "cold milk"), entry("b", "hot water"))
    assert search_index.state_by_id(scope) == {"a": DocumentState("a", 1), "b": DocumentState("b", 1)}
    assert search_index.search_ids(scope, "cold milk", legs=["words"]) == {"a"}
    assert search_index.search_ids(scope, "hot water", legs=["words"]) == {"b"}
    assert search_index.search_ids(scope, "ginger coffee", legs=["words"]) == set()


def test_what_was_forgotten_stays_so_when_the_index_is_made_again(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, entry("a", "ginger tea"))
    search_index.remove(scope, "b", version=9)
    search_index.index.forget(scope)
    search_index.index.start_rebuild()
    search_index.index.finish_rebuild()
    search_index.write(scope, entry("b", "hot water"))
    assert search_index.state_by_id(scope) == {"b": DocumentState("b", 1)}


def test_a_project_of_which_nothing_is_known_may_be_forgotten(search_index: SettledIndex, scope: Scope):
    search_index.index.forget(scope)
    assert search_index.state_by_id(scope) == {}
