"""Tools that record, query and end facts."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from almanac.content import clean
from almanac.families.knowledge.core.knowledge import Knowledge, PlannerOpener, SubjectAliases
from almanac.families.knowledge.core.names import name_key
from almanac.families.knowledge.core.records import FACTS, MAX_SOURCES, PREDICATES, SUBJECTS, Cardinality, Fact
from almanac.families.knowledge.facts.cardinality import is_clearly_one
from almanac.families.knowledge.facts.event_payloads import MAX_TOLD
from almanac.families.knowledge.facts.fact_input import (
    REASON_CHARACTERS,
    FactInput,
    Instant,
    Object,
    Predicate,
    SourceIds,
    Subject,
    instant_of,
    new_fact,
    reason_of,
    zone_notes,
)
from almanac.families.knowledge.facts.invalidation import Invalidation, invalidate
from almanac.families.knowledge.facts.names_alike import objects_alike, predicates_alike, subjects_alike
from almanac.families.knowledge.facts.recorder import RecordingResult, record
from almanac.families.knowledge.facts.results import EndFactResult, Facts, RecordFactResult
from almanac.families.knowledge.facts.sources import resolve, states_of
from almanac.families.knowledge.facts.views import SOURCES_IN_LISTS, FactViewBuilder, sources_to_show
from almanac.families.knowledge.queries.fact_query import FactPage, FactQuery
from almanac.families.knowledge.queries.pages import page_of
from almanac.families.knowledge.queries.question import Question, query_of, stored_name, subject_names
from almanac.families.knowledge.queries.semantic_search import find_similar
from almanac.families.memory.memories.new_memory import Metadata, Surface
from almanac.families.time.core.zones import find_zone
from almanac.protocol.tool import Effect, tool
from almanac.search.questions.port import Search

FactId = Annotated[str, Meta(description="Id of a fact.", min_length=1, max_length=64)]


@tool(title="Record a fact", effect=Effect.SETS, aliases=["assert_fact"])
def record_fact(
    subject: Annotated[Subject, Meta(description="Person or thing it is about.", examples=["Ann"])],
    predicate: Annotated[Predicate, Meta(description="How they relate, e.g. works_at.", examples=["works_at"])],
    object: Annotated[Object, Meta(description="The value.", examples=["Acme"])],
    confidence: Annotated[float, Meta(description="0 to 1.", ge=0, le=1)] | None = None,
    valid_from: Annotated[Instant, Meta(description='From: ms since 1970, or "2019". Default: now.')] | None = None,
    valid_to: Annotated[Instant, Meta(description="Until, likewise; excluded. Default: open.")] | None = None,
    cardinality: Annotated[Cardinality, Meta(description="Values that the predicate has at a time.")] | None = None,
    change_cardinality: Annotated[bool, Meta(description="Replace the recorded cardinality.")] = False,
    source_turn_id: Annotated[str, Meta(description="Turn it comes from.", max_length=64)] | None = None,
    sources: Annotated[SourceIds, Meta(description="Ids of items it comes from.")] | None = None,
    corrects: Annotated[FactId, Meta(description="Fact that was never true; valid_from defaults to its own.")]
    | None = None,
    metadata: Metadata | None = None,
    tool: Surface | None = None,
    *,
    knowledge: Knowledge,
    planner: PlannerOpener,
) -> RecordFactResult:
    """Record a fact in the knowledge graph with the time when it is true: our office is in Oslo as of today, a service
    is owned by a team from now on, Bob lived in Rome until 2019. For a decision with its reason use context_store.

    A newer object ends the older one of the same subject and predicate, unless cardinality is many.
    """
    fact_input = FactInput(
        subject=subject,
        predicate=predicate,
        object=object,
        confidence=confidence,
        valid_from=valid_from,
        valid_to=valid_to,
        cardinality=cardinality,
        change_cardinality=change_cardinality,
        source_turn_id=source_turn_id,
        sources=sources or (),
        corrects=corrects,
        metadata=metadata,
        tool=tool,
    )
    fact = new_fact(knowledge, fact_input)
    result = record(knowledge, fact, resolve(knowledge, planner, fact.sources))
    names = subjects_alike(knowledge, fact.subject) if result.subject_is_new else ()
    predicates = predicates_alike(knowledge, fact.predicate) if result.predicate_is_new else ()
    showing = _view_builder(knowledge, planner, [result.fact], MAX_SOURCES)
    return RecordFactResult(
        fact=showing.view(result.fact, result.holding, active=result.active),
        deduped=result.deduped,
        superseded=result.superseded[:MAX_TOLD],
        superseded_cut=len(result.superseded) > MAX_TOLD,
        contradicts=result.contradicts[:MAX_TOLD],
        sources_dropped=result.dropped,
        names_alike=tuple(clean(each).text for each in (*names, *predicates)),
        notes=(*zone_notes(knowledge, valid_from, valid_to), *_cardinality_notes(result)),
    )


def _cardinality_notes(result: RecordingResult) -> tuple[str, ...]:
    """Return a note on the cardinality that a predicate has by its words or its use, or a request to state it if facts
    leave it open."""
    if result.cardinality_by_use:
        return ("Several subjects have several objects at once, so this predicate lets them. If not, state one.",)
    if result.cardinality is None and result.contradicts and not is_clearly_one(result.fact.predicate):
        return ("Both objects begin at once and nobody stated a cardinality: state many if both hold, else one.",)
    if result.cardinality is None and result.superseded and not is_clearly_one(result.fact.predicate):
        return ("Nobody stated a cardinality, so the older object ended. If both hold, state cardinality many.",)
    if result.predicate_is_new and result.cardinality_by_words:
        return ("By its words several objects of this predicate hold at once. If not, state cardinality one.",)
    return ()


@tool(title="Query facts", effect=Effect.READS, aliases=["search_facts"])
def query_facts(
    subject: Annotated[Subject, Meta(description="Only about this.", examples=["Ann"])] | None = None,
    predicate: Annotated[Predicate, Meta(description="Only this relation, e.g. works_at.")] | None = None,
    object: Annotated[Object, Meta(description="Only with this value.")] | None = None,
    text: Annotated[str, Meta(description="Words or a question: by meaning.", min_length=1, max_length=4000)]
    | None = None,
    point_in_time: Annotated[Instant, Meta(description='Facts of that instant: ms since 1970, "2019-03-01".')]
    | None = None,
    known_at: Annotated[Instant, Meta(description="Only what was learned by then, likewise.")] | None = None,
    active_only: Annotated[bool, Meta(description="false: ended ones too, unless point_in_time is given.")] = True,
    history: Annotated[bool, Meta(description="All about subject, and what ended each.")] = False,
    same_as: Annotated[bool, Meta(description="Also under names joined by same_as.")] = False,
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=200)] = 50,
    cursor: Annotated[str, Meta(description="The last next_cursor.", max_length=8000)] | None = None,
    *,
    knowledge: Knowledge,
    planner: PlannerOpener,
    aliases: SubjectAliases,
    search: Search,
) -> Facts:
    """Look up facts about a person, team or service in the knowledge graph: who owns it right now, where did Bob work,
    what was true last month or in March, all former values? For what was said in conversations use search_memory.
    """
    question = Question(
        subject=subject,
        predicate=predicate,
        object=object,
        text=text,
        point_in_time=instant_of(knowledge, point_in_time, "point_in_time"),
        known_at=instant_of(knowledge, known_at, "known_at", ends=True),
        active_only=active_only and not history,
        history=history,
        same_as=same_as,
        cursor=cursor,
    )
    names = subject_names(question, aliases)
    fact_query = query_of(question, names)
    cursors = knowledge.cursors
    moments = tuple(None if each is None else str(each) for each in (point_in_time, known_at))
    query = ("facts", subject, predicate, object, *moments, active_only, history, same_as)
    if text is None:
        found = page_of(knowledge, fact_query, limit=limit, after=cursors.start_of(query, cursor, "") or None)
    else:
        found = find_similar(knowledge, search, text, fact_query, limit)
    showing = _view_builder(knowledge, planner, [row.fact for row in found.rows], SOURCES_IN_LISTS)
    why = None if found.rows else _emptiness_of(knowledge, fact_query, found, question)
    return Facts(
        facts=tuple(
            showing.view(row.fact, row.holding, active=row.active, known_at=fact_query.known_at) for row in found.rows
        ),
        has_more=found.more,
        next_cursor=cursors.seal(query, found.next_position),
        point_in_time=fact_query.point_in_time,
        known_at=fact_query.known_at,
        subjects=tuple(clean(each).text for each in names),
        empty=why.text if why else None,
        names_alike=tuple(clean(each).text for each in why.names_alike) if why else (),
        objects_alike=tuple(clean(each).text for each in why.objects_alike) if why else (),
        notes=(*found.notes, *zone_notes(knowledge, point_in_time, known_at)),
    )


@tool(title="End a fact", effect=Effect.SETS, aliases=["close_fact", "expire_fact"])
def invalidate_fact(
    fact_id: FactId,
    at: Annotated[Instant, Meta(description='End: ms since 1970, or "yesterday". Default: now.')] | None = None,
    reason: Annotated[str, Meta(description="Why.", max_length=REASON_CHARACTERS)] | None = None,
    undo: Annotated[bool, Meta(description="Take back an earlier end.")] = False,
    *,
    knowledge: Knowledge,
    planner: PlannerOpener,
) -> EndFactResult:
    """End a fact that stopped being true or does not hold any more (Ann no longer works at Acme), or mark it as wrong;
    its history stays. If a new value replaces it, record_fact ends it by itself.
    """
    text, findings = reason_of(reason)
    invalidation = Invalidation(
        at=None if undo else instant_of(knowledge, at, "at"), reason=text, undo=undo, findings=findings
    )
    result = invalidate(knowledge, fact_id, invalidation)
    showing = _view_builder(knowledge, planner, [result.fact], MAX_SOURCES)
    return EndFactResult(
        fact=showing.view(result.fact, result.holding, active=result.active),
        already=result.already,
        undone=undo,
        holds_again=result.holds_again[:MAX_TOLD],
        stays_ended=result.stays_ended[:MAX_TOLD],
        superseded=result.superseded[:MAX_TOLD],
        cut=max(len(result.holds_again), len(result.stays_ended), len(result.superseded)) > MAX_TOLD,
        notes=zone_notes(knowledge, at),
    )


def _view_builder(
    knowledge: Knowledge, planner: PlannerOpener, facts: Sequence[Fact], most_sources: int
) -> FactViewBuilder:
    zone = knowledge.memory.zone
    states = states_of(knowledge, planner, sources_to_show(facts, most_sources))
    return FactViewBuilder(states, find_zone(zone) if zone else None, most_sources)


class _Emptiness(Struct, frozen=True):
    """The reason why there are no results. `names_alike` are similar subjects, or predicates if the subject is known;
    `objects_alike` are similar objects if the object is unknown."""

    text: str
    names_alike: tuple[str, ...] = ()
    objects_alike: tuple[str, ...] = ()


def _emptiness_of(knowledge: Knowledge, fact_query: FactQuery, found: FactPage, question: Question) -> _Emptiness:
    """Return why there are no results."""
    objects = _similar_objects(knowledge, fact_query, question)
    if question.subject is not None:
        subject = stored_name(question.subject)
        if knowledge.rows(SUBJECTS).get(name_key(subject)) is None:
            alike = subjects_alike(knowledge, subject)
            return _Emptiness("No fact is recorded about this subject.", alike, objects or ())
    if question.predicate is not None:
        predicate = stored_name(question.predicate)
        if knowledge.rows(PREDICATES).get(name_key(predicate)) is None:
            alike = predicates_alike(knowledge, predicate)
            return _Emptiness("No fact is recorded with this predicate.", alike, objects or ())
    if objects is not None:
        return _Emptiness("No fact is recorded with this object.", objects_alike=objects)
    if found.next_position is not None:
        return _Emptiness("None of what was read so far is such a fact. Go on with next_cursor.")
    if found.omitted.not_then:
        when = "holds at that instant" if fact_query.point_in_time is not None else "holds now"
        return _Emptiness(
            f"{found.omitted.not_then} such facts are recorded, and none {when}. history=true with a subject, or "
            "active_only=false without point_in_time, shows them."
        )
    if found.omitted.unknown:
        return _Emptiness(f"{found.omitted.unknown} such facts are recorded, and all were learned after known_at.")
    if not knowledge.rows(FACTS).query(limit=1).records:
        return _Emptiness("No facts are recorded yet. record_fact records one.")
    return _Emptiness(found.empty or "There are facts, but none with these parts together: leave one out.")


def _similar_objects(knowledge: Knowledge, fact_query: FactQuery, question: Question) -> tuple[str, ...] | None:
    """Return objects similar to the requested one; None if a fact has it, or if the query names none."""
    if question.object is None:
        return None
    name = stored_name(question.object)
    if knowledge.rows(FACTS).query(name_key(name), index="gsi2", limit=1).records:
        return None
    return objects_alike(knowledge, name, fact_query.subjects, fact_query.predicate)
