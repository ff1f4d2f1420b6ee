"""Facts written straight into a project, as the tool that records them does."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from almanac.families.knowledge.core.event_kinds import FACT_INVALIDATED, FACT_RECORDED
from almanac.families.knowledge.core.knowledge import Knowledge, open_knowledge
from almanac.families.knowledge.core.names import name_key, tidy_name
from almanac.families.knowledge.core.records import (
    FACTS,
    PLACES,
    PREDICATES,
    SLOTS,
    Cardinality,
    CardinalityStatement,
    Ending,
    Fact,
    FactPlace,
    FactPredicate,
    FactSlot,
)
from almanac.kernel.caller import Scope
from almanac.platform.bus.outbox import outbox
from almanac.platform.services import Services
from almanac.platform.store.port import Change, Store
from almanac.search.engine.document_writes import document_change
from almanac.search.engine.parts import IndexParts
from almanac.search.port import Document
from almanac.search.source import Source
from tests.project_app import ProjectApp

SINCE = 1_700_000_000_000


def document_of(fact: Fact) -> Document:
    text = f"{fact.subject} {fact.predicate.replace('_', ' ')} {fact.object}"
    return Document(id=fact.id, kind="fact", profile="documents", version=1, text=text, at=fact.recorded_at)


def _read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
    rows = FACTS.within(services.get(Store), scope).every()
    return [document_of(one) for one in rows if one.id in ids]


def _none(_services: Services, _scope: Scope, _after: str) -> Iterator[Document]:
    return iter(())


def app_with_fact_search(app: ProjectApp) -> ProjectApp:
    """Return the same app with a search that indexes facts."""
    indexing = app.services.get(IndexParts)
    if "fact" not in indexing.sources:
        source = Source(kind="fact", profile="documents", read=_read, every=_none)
        known = replace(indexing, sources={**indexing.sources, "fact": source})
        app.open_again(indexing=known)
    return app


def facts_in(app: ProjectApp) -> "Facts":
    return Facts(open_knowledge(app.services, app.caller, app.clock))


class Facts:
    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge

    def state(self, predicate: str, cardinality: Cardinality) -> None:
        """How many objects a subject may have at one instant."""
        stated = (CardinalityStatement(self.knowledge.now(), cardinality, "ann"),)
        record = FactPredicate(predicate_key=name_key(tidy_name(predicate)), predicate=predicate, stated=stated)
        self.knowledge.store.write([self.knowledge.rows(PREDICATES).put(record)])

    def say(
        self, subject: str, predicate: str, what: str, since: int = SINCE, until: int | None = None, **more: Any
    ) -> str:
        """The id of the fact."""
        fact = self.make_fact(subject, predicate, what, since, until, **more)
        told = {"fact_id": fact.id, "subject": subject, "predicate": predicate, "object": what}
        event = self.knowledge.event(FACT_RECORDED, f"facts/{fact.id}", told, at=self.knowledge.now())
        self.knowledge.store.write([*self.changes(fact), *outbox([event]), self._document(fact)])
        return fact.id

    def end(self, subject: str, fact_id: str, at: int | None) -> None:
        """State that the fact ended at an instant. None takes that back."""
        fact = next(one for one in self.knowledge.rows(FACTS).every(subject) if one.id == fact_id)
        ended = replace(fact, endings=(*fact.endings, Ending(self.knowledge.now(), at, "ann")))
        told = {"fact_id": fact_id, "undone": at is None}
        event = self.knowledge.event(FACT_INVALIDATED, f"facts/{fact_id}", told, at=self.knowledge.now())
        self.knowledge.store.write([*self.changes(ended), *outbox([event])])

    def _document(self, fact: Fact) -> Change:
        knowledge, now = self.knowledge, self.knowledge.now()
        scope, random_bytes = knowledge.scope, knowledge.random_bytes
        return document_change(document_of(fact), scope, actor="ann", at=now, random_bytes=random_bytes)

    def make_fact(
        self, subject: str, predicate: str, what: str, since: int, until: int | None = None, **more: Any
    ) -> Fact:
        now = self.knowledge.now()
        keys = [name_key(tidy_name(name)) for name in (subject, predicate, what)]
        given: dict[str, Any] = {"recorded_at": now, "confirmed_at": now, "actor": "ann"} | more
        return Fact(
            id=self.knowledge.new_id(now),
            subject_key=keys[0],
            predicate_key=keys[1],
            object_key=keys[2],
            subject=subject,
            predicate=predicate,
            object=what,
            valid_from=since,
            stated_to=until,
            **given,
        )

    def changes(self, fact: Fact) -> list[Change]:
        place = FactPlace(
            id=fact.id,
            subject_key=fact.subject_key,
            predicate_key=fact.predicate_key,
            valid_from=fact.valid_from,
            changed_at=max([fact.recorded_at, *(one.known_at for one in fact.endings)]),
        )
        slot = FactSlot(
            subject_key=fact.subject_key, predicate_key=fact.predicate_key, facts=1, last_at=fact.recorded_at
        )
        rows = self.knowledge.rows
        return [rows(FACTS).put(fact), rows(PLACES).put(place), rows(SLOTS).put(slot)]
