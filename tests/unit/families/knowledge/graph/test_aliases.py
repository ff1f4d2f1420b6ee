"""Names that are the same, found from each of them."""

from almanac.families.knowledge.graph import aliases
from almanac.families.knowledge.graph.aliases import aliases_of
from tests.project_app import ProjectApp
from tests.unit.families.knowledge.stored_graph import connect, fact, knowledge_of
from tests.unit.families.memory.remembered import OTHER_PROJECT


def same(app: ProjectApp, *pairs: tuple[str, str]) -> None:
    for name in dict.fromkeys(name for pair in pairs for name in pair):
        fact(knowledge_of(app), name, "Berlin")
    for one, other in pairs:
        connect(app, f"subject:{one}", "same_as", f"subject:{other}")


def test_they_are_found_over_others_and_from_each_of_them(app: ProjectApp):
    same(app, ("Bob", "Robert"), ("Robert", "R. Miller"), ("Ann", "Anna"))
    knowledge = knowledge_of(app)

    assert aliases_of(knowledge, "Bob") == ("Robert", "R. Miller")
    assert set(aliases_of(knowledge, " R.  Miller")) == {"Bob", "Robert"}
    assert aliases_of(knowledge, "Anna") == ("Ann",)


def test_names_that_nobody_joined_have_none(app: ProjectApp):
    same(app, ("Bob", "Robert"))

    assert aliases_of(knowledge_of(app), "bob") == ()
    assert aliases_of(knowledge_of(app, OTHER_PROJECT), "Bob") == ()


def test_what_was_joined_by_mistake_is_parted_again(app: ProjectApp):
    same(app, ("Bob", "Robert"), ("Robert", "Rob"))

    connect(app, "subject:Robert", "same_as", "subject:Bob", remove=True)

    assert aliases_of(knowledge_of(app), "Bob") == ()
    assert aliases_of(knowledge_of(app), "Rob") == ("Robert",)


def test_a_ring_of_names_ends(app: ProjectApp):
    same(app, ("a", "b"), ("b", "c"), ("c", "a"))

    assert set(aliases_of(knowledge_of(app), "a")) == {"b", "c"}


def test_no_more_than_fifty_are_followed(app: ProjectApp):
    same(app, *((f"n{number:02}", f"n{number + 1:02}") for number in range(60)))

    found = aliases_of(knowledge_of(app), "n00")

    assert found == tuple(f"n{number:02}" for number in range(1, aliases.MAX_ALIASES + 1))
