"""Facts written as rows, and edges made as an agent makes them."""

from typing import Any

from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge, open_knowledge
from almanac.families.knowledge.core.names import fold, name_key
from almanac.families.knowledge.core.records import (
    FACTS,
    MARKS,
    PLACES,
    SLOTS,
    SUBJECTS,
    Fact,
    FactPlace,
    FactSlot,
    FactSubject,
)
from almanac.families.knowledge.core.slot_index import marks_of
from almanac.kernel.caller import Caller
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace
from tests.project_app import ProjectApp

Json = dict[str, Any]


def knowledge_of(app: ProjectApp, caller: Caller | None = None) -> Knowledge:
    return open_knowledge(app.services, caller or app.caller, app.clock)


def fact(
    knowledge: Knowledge, subject: str, what: str, predicate: str = "lives_in", *, since: int = 0, **more: Any
) -> str:
    """Write the fact `subject` `predicate` `what`, and return its id."""
    now = knowledge.now()
    one = Fact(
        id=knowledge.new_id(now),
        subject_key=name_key(subject),
        predicate_key=predicate,
        object_key=name_key(what),
        subject=subject,
        predicate=predicate,
        object=what,
        valid_from=since,
        recorded_at=now,
        confirmed_at=now,
        actor="ann",
        **more,
    )
    slots = knowledge.rows(SLOTS)
    slot = slots.get(one.subject_key, predicate)
    if slot is None:
        first = FactSlot(subject_key=one.subject_key, predicate_key=predicate, facts=1, last_at=now, indexed=1)
        taken: Change = slots.insert(first)
    else:
        taken = replace(slots, altered(slot, facts=slot.facts + 1, last_at=now, indexed=slot.indexed + 1))
    name = FactSubject(subject_key=one.subject_key, subject=subject, folded=fold(subject))
    place = FactPlace(id=one.id, subject_key=one.subject_key, predicate_key=predicate, valid_from=since, changed_at=now)
    written = [knowledge.rows(FACTS).insert(one), knowledge.rows(PLACES).put(place), knowledge.rows(SUBJECTS).put(name)]
    marks = [knowledge.rows(MARKS).insert(each) for each in marks_of(one)]
    knowledge.store.write([*written, *marks, taken])
    return one.id


def fact_of(knowledge: Knowledge, fact_id: str) -> Fact:
    """Return the fact as it is stored."""
    (place,) = knowledge.rows(PLACES).by_id([fact_id]).values()
    found = knowledge.rows(FACTS).get(place.subject_key, place.predicate_key, place.valid_from, fact_id)
    assert found is not None
    return found


def pin_memory(app: ProjectApp, content: str, **more: Any) -> str:
    return app.do("pin_memory", content=content, **more)["memory"]["id"]


def extract_memory(app: ProjectApp, content: str, **more: Any) -> str:
    """A semantic memory, which fades."""
    return app.do("extract_semantic", content=content, **more)["memory"]["id"]


def connect(app: ProjectApp, src: str, kind: str, dst: str, **more: Any) -> Json:
    return app.do("create_edge", src_id=src, dst_id=dst, kind=kind, **more)


def refusal(app: ProjectApp, src: str, kind: str, dst: str, **more: Any) -> str:
    return app.refusal("create_edge", src_id=src, dst_id=dst, kind=kind, **more)


def effects(made: Json) -> list[str]:
    return [one["effect"] for one in made["side_effects"]]


def triples(listed: Json) -> list[tuple[str, str, str]]:
    return [(edge["src_id"], edge["kind"], edge["dst_id"]) for edge in listed["edges"]]


def states(listed: Json) -> dict[str, str]:
    return {node["id"]: node["state"] for node in listed["nodes"]}


def note_of(app: ProjectApp, title: str = "Deploys") -> str:
    return app.do("notes_create", title=title, body="On Tuesdays.")["id"]
