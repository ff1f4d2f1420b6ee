"""Test the search documents of facts."""

from typing import Any

import pytest

from almanac.families.knowledge.core.documents import SOURCES, in_words, span_in_words
from almanac.families.knowledge.core.timeline import HoldingInterval
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.knowledge.facts.test_record_fact import lives

(SOURCE,) = SOURCES


def read(app: ProjectApp, *ids: str) -> list[Any]:
    return list(SOURCE.read(app.services, app.caller.scope, ids))


def test_a_document_is_read_as_it_is_now(app: ProjectApp) -> None:
    made = lives(app, "Rome", valid_from="2019-03-01T00:00:00Z", tool="cursor")["fact"]["fact_id"]
    (before,) = read(app, made, "nothing")
    lives(app, "Oslo", valid_from="2020-06-30T00:00:00Z")
    (after,) = read(app, made)

    assert before.text == "Ann lives in Rome, since 2019-03-01"
    assert after.text == "Ann lives in Rome, from 2019-03-01 until 2020-06-30"
    assert (after.kind, after.profile, after.at, after.version) == ("fact", "documents", app.now, before.version)
    assert after.fields == {
        "actor": "ann",
        "tool": "cursor",
        "subject": "Ann",
        "predicate": "lives_in",
        "object": "Rome",
    }


def test_what_never_held_is_no_document(app: ProjectApp) -> None:
    made = lives(app, "Rome", valid_from=10)["fact"]["fact_id"]
    app.do("invalidate_fact", fact_id=made, at=10)
    assert read(app, made) == []
    app.do("invalidate_fact", fact_id=made, undo=True)
    assert [one.id for one in read(app, made)] == [made]


def test_every_document_comes_once_in_the_order_of_ids(app: ProjectApp) -> None:
    made = sorted(lives(app, f"Room {number % 7}", f"Ann {number}")["fact"]["fact_id"] for number in range(60))
    found = [one.id for one in SOURCE.every(app.services, app.caller.scope, "")]
    assert found == made
    assert [one.id for one in SOURCE.every(app.services, app.caller.scope, made[30])] == made[31:]


def test_the_index_agrees_with_the_source(app: ProjectApp) -> None:
    fact = lives(app, "Rome", valid_from=10)["fact"]["fact_id"]
    changes: list[Json] = [{"at": 50}, {"at": 5}, {"undo": True}, {"at": 60}]
    held = None
    for arguments in changes:
        app.do("invalidate_fact", fact_id=fact, **arguments)
        app.follow()
        (held,) = app.index.list_states(app.caller.scope, "documents")
        assert (held.id, held.removed) == (fact, arguments == {"at": 5})
    (document,) = read(app, fact)
    assert held is not None
    assert document.version == held.version


@pytest.mark.parametrize("predicate", ["works_at", "works-at", "worksAt", "works at", "works.at"])
def test_predicates_are_read_as_words(predicate: str) -> None:
    assert in_words(predicate).lower() == "works at"


def test_a_predicate_of_signs_stays_as_it_is() -> None:
    assert in_words("__") == "__"


def test_a_span_is_told_in_days() -> None:
    assert span_in_words(HoldingInterval(-62_135_596_800_000, None)) == "since 0001-01-01"
