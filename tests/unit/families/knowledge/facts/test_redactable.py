"""Facts that were recorded before their secrets were looked for: a scan takes them out, also of names and keys."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge, open_knowledge
from almanac.families.knowledge.core.names import fold, name_key
from almanac.families.knowledge.core.records import (
    FACTS,
    MARKS,
    PLACES,
    PREDICATES,
    SLOTS,
    SUBJECTS,
    CardinalityStatement,
    Ending,
    FactPredicate,
    FactSlot,
    FactSubject,
)
from almanac.families.knowledge.core.timeline import HoldingInterval
from almanac.families.knowledge.facts.fact_changes import fact_changes
from almanac.families.knowledge.facts.redactable import REDACTABLE
from almanac.platform.redactions.scan import Redactable, ScanResult, StoredTexts, scan
from tests.project_app import ProjectApp
from tests.unit.families.knowledge.facts.test_record_fact import AWS_KEY, active
from tests.unit.families.knowledge.said_facts import make_fact

TABLES: tuple[Any, ...] = (FACTS, PLACES, SLOTS, PREDICATES, SUBJECTS, MARKS)


def plant_secret(app: ProjectApp, subject: str, predicate: str, what: str, **more: Any) -> Knowledge:
    """Store a fact with a secret, as versions without redaction did."""
    knowledge = open_knowledge(app.services, app.caller, app.clock)
    at, keys = app.now, (name_key(subject), name_key(predicate))
    fact = altered(
        make_fact(knowledge.new_id(at), what, 10, recorded_at=at),
        subject=subject,
        predicate=predicate,
        subject_key=keys[0],
        predicate_key=keys[1],
        object_key=name_key(what),
        **more,
    )
    changes = fact_changes(knowledge, fact, HoldingInterval(10, None), before=None, at=at, events=())
    stated = (CardinalityStatement(at, "many", "ann"),)
    rows = [
        knowledge.rows(SLOTS).put(FactSlot(subject_key=keys[0], predicate_key=keys[1], facts=1, last_at=at)),
        knowledge.rows(SUBJECTS).put(FactSubject(subject_key=keys[0], subject=subject, folded=fold(subject))),
        knowledge.rows(PREDICATES).put(FactPredicate(predicate_key=keys[1], predicate=predicate, stated=stated)),
    ]
    knowledge.store.write([*changes, *rows])
    return knowledge


def run_scan(app: ProjectApp) -> ScanResult:
    return scan(app.services, app.caller, REDACTABLE, rewrite=True)["fact"]


def stored_text(knowledge: Knowledge) -> str:
    return str([list(knowledge.rows(table).every()) for table in TABLES])


def test_a_secret_in_an_object_or_a_reason_is_taken_out_where_it_is(app: ProjectApp) -> None:
    ending = Ending(app.now, app.now + 1000, "ann", f"leaked {AWS_KEY}")
    knowledge = plant_secret(app, "Ann", "uses", AWS_KEY, metadata={"k": [AWS_KEY]}, endings=(ending,))

    assert run_scan(app).rewritten == 1
    assert AWS_KEY not in stored_text(knowledge)
    assert active(app, subject="Ann") == ["[REDACTED:aws_access_key]"]
    assert active(app, object="[REDACTED:aws_access_key]") == ["[REDACTED:aws_access_key]"]
    assert run_scan(app) == ScanResult(items=1)


def test_a_secret_in_names_moves_the_fact_and_leaves_nothing_behind(app: ProjectApp) -> None:
    knowledge = plant_secret(app, f"key {AWS_KEY}", f"is {AWS_KEY}", "ours")

    assert run_scan(app).rewritten == 1
    assert AWS_KEY not in stored_text(knowledge)
    assert [len(list(knowledge.rows(table).every())) for table in TABLES] == [1, 1, 1, 1, 1, 2]
    (found,) = app.do("query_facts", subject="key [REDACTED:aws_access_key]")["facts"]
    assert found["redacted"] == ["aws_access_key"]
    assert app.do("invalidate_fact", fact_id=found["fact_id"])["already"] is False
    (predicate,) = knowledge.rows(PREDICATES).every()
    assert predicate.cardinality() == "many"
    assert [row["where"] for row in app.do("list_redactions")["redactions"]] == ["fact"]


def test_what_is_left_under_a_name_keeps_its_rows(app: ProjectApp) -> None:
    knowledge = plant_secret(app, "Ann", f"is {AWS_KEY}", "ours")
    app.do("record_fact", subject="Ann", predicate="lives_in", object="Rome")

    assert run_scan(app).rewritten == 1
    assert [one.subject for one in knowledge.rows(SUBJECTS).every()] == ["Ann"]
    assert active(app, subject="Ann") == ["ours", "Rome"]


def test_a_fact_that_changes_during_a_scan_is_left_for_the_next(app: ProjectApp) -> None:
    knowledge = plant_secret(app, "Ann", "uses", AWS_KEY)
    stored = next(REDACTABLE[0].every(app.services, app.caller))
    (fact,) = knowledge.rows(FACTS).every()
    app.do("invalidate_fact", fact_id=fact.id)

    def every(*_: object) -> Iterator[StoredTexts]:
        return iter([stored])

    moved = scan(app.services, app.caller, [Redactable("fact", every)], rewrite=True)["fact"]
    assert (moved.found, moved.changing, moved.rewritten) == (1, 1, 0)
