"""Gather the stored material for an answer: turns and memories with neighbouring turns, facts, and documents."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Literal, cast

from msgspec import Struct

from almanac.families.memory.candidates.later_words import find_replacing_turns
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Turn, is_remembered
from almanac.families.memory.search.contents import Contents
from almanac.families.memory.search.ranking import COMPARED
from almanac.families.memory.search.rounds import MatchPage, find
from almanac.families.memory.synthesis.facts import FactPassages, facts_of
from almanac.families.memory.synthesis.passages import DocumentKind, Passage, passage_of, passage_of_document
from almanac.platform.declaration.known_facts import ContradictingFacts, KnownFacts
from almanac.platform.services import Services
from almanac.search.coverage import Coverage, better_of
from almanac.search.port import Document, Filters, Profile
from almanac.search.questions.port import Answer, Hit, Search, SearchRequest
from almanac.search.source import Source

Mode = Literal["auto", "chunks", "summaries", "code"]

_TALK = ("turn", "pinned", "semantic")
_SHARED = ("pinned", "semantic")
_SUMMARIES = ("consolidated", "reflection")
_CHARACTERS = 200_000
_MOST_CHARACTERS = 20_000
_WITH_NEIGHBOURS = 10
_MOST_DOCUMENTS = 5
_DOCUMENT_CHARACTERS = 8_000
_OF_ITS_HIT = 0.8


class SynthesisInput(Struct, frozen=True):
    """Material for an answer. `passages` are facts, then turns and memories, best first, then documents.

    `coverage` says how well they cover the question. `disagreeing` has the pairs of facts among them that cannot both
    hold. `empty` explains why there are no passages, and is "" if there are some. `replacements` maps the id of a
    passage to the passage that replaced it."""

    passages: tuple[Passage, ...] = ()
    coverage: Coverage | None = None
    notes: tuple[str, ...] = ()
    empty: str = ""
    disagreeing: Sequence[ContradictingFacts] = ()
    replacements: Mapping[str, Passage] = MappingProxyType({})


class OtherSources(Struct, frozen=True):
    """Sources that the caller's key may read in addition to turns and memories: facts, and other families' sources by
    kind of document."""

    services: Services
    facts: KnownFacts | None = None
    sources: Mapping[str, Source] = MappingProxyType({})


def gather(
    memory: MemoryProject, search: Search, others: OtherSources, question: str, size: int, mode: Mode
) -> SynthesisInput:
    """Return the best `size` turns and memories, facts, and in mode auto documents of other families.

    Mode auto reads summaries only if turns and memories do not cover the question."""
    if mode == "code":
        return SynthesisInput(empty="No code is searched here. Ask with mode auto, chunks or summaries.")
    answers: list[Answer] = []
    summaries: list[Answer] = []
    if mode != "summaries":
        answers.append(_search_once(memory, search, question, max(size, COMPARED), "talk", _TALK))
        for project in memory.searched_projects[1:]:
            answers.append(
                _search_once(project, search, question, size, "talk", _SHARED, reasons=not _has_hits(answers))
            )
    if mode == "summaries" or (mode == "auto" and not any(map(_covers, answers))):
        reasons = not _has_hits(answers)
        summaries.append(_search_once(memory, search, question, size, "documents", _SUMMARIES, reasons=reasons))
    facts = facts_of(memory, search, others.facts, question, size) if mode != "summaries" else FactPassages()
    documents = _documents(memory, search, others, question, size) if mode == "auto" else MatchPage()
    # Summaries quote turns, so they come after the turns.
    all_hits = [*_merge([answer.hits for answer in answers]), *(hit for answer in summaries for hit in answer.hits)]
    hits = all_hits[:size]
    answers += summaries
    notes = (note for answer in answers for note in _notes(answer))
    empty = (
        ""
        if hits or facts.passages or documents.matches
        else " ".join(dict.fromkeys(answer.empty.text for answer in answers if answer.empty))
    )
    # The coverage of a search without hits counts only if no search has hits.
    coverages = [answer.coverage for answer in answers if answer.hits or not hits]
    coverage = reduce(better_of, coverages)
    if facts.passages:
        coverage = better_of(coverage, facts.coverage)
    if documents.matches:
        coverage = better_of(coverage, documents.coverage) if hits or facts.passages else documents.coverage
    passages = (*facts.passages, *_passages(memory, hits), *_document_passages(documents))
    newer = _replacements(memory, all_hits[:COMPARED], {hit.id for hit in hits})
    return SynthesisInput(passages, coverage, tuple(dict.fromkeys(notes)), empty, facts.disagreeing, newer)


def _search_once(
    memory: MemoryProject,
    search: Search,
    question: str,
    size: int,
    profile: Profile,
    kinds: tuple[str, ...],
    *,
    reasons: bool = True,
) -> Answer:
    """Search once. With `reasons`, an answer without hits says why it has none, which takes several more searches."""
    around = 1 if profile == "talk" else 0
    filters = Filters(kinds=kinds)
    request = SearchRequest(text=question, profile=profile, filters=filters, limit=size, around=around, reasons=reasons)
    return search.search(memory.scope, request)


def _has_hits(answers: Iterable[Answer]) -> bool:
    return any(answer.hits for answer in answers)


def _documents(memory: MemoryProject, search: Search, others: OtherSources, question: str, size: int) -> MatchPage:
    """Search the documents of other families, if there are any sources of them."""
    if not others.sources:
        return MatchPage()
    kinds: tuple[str, ...] = tuple(others.sources)
    limit = min(size, _MOST_DOCUMENTS)
    # No reasons, because the answer never explains a lack of documents.
    request = SearchRequest(
        text=question, profile="documents", filters=Filters(kinds=kinds), limit=limit, reasons=False
    )
    contents = Contents(memory, others.services, others.sources)
    return find(search, memory.scope, request, contents.read, drops_many=False)


def _document_passages(documents: MatchPage) -> Iterator[Passage]:
    for match in documents.matches:
        if isinstance(match.content, Document):
            kind = cast("DocumentKind", match.hit.kind)
            yield passage_of_document(match.content, kind, match.hit.similarity, _DOCUMENT_CHARACTERS)


def _merge(lists: Iterable[Sequence[Hit]]) -> list[Hit]:
    """Merge the lists by repeatedly taking the most similar of their first hits; each list keeps its order."""
    queues: list[list[Hit]] = [[*reversed(hits)] for hits in lists]
    merged: list[Hit] = []
    while unfinished := [queue for queue in queues if queue]:
        best = max(unfinished, key=_next_similarity)
        merged.append(best.pop())
    return merged


def _next_similarity(turned: Sequence[Hit]) -> float:
    return turned[-1].similarity


def _covers(answer: Answer) -> bool:
    return bool(answer.hits) and answer.coverage is not None and answer.coverage.verdict == "covered"


def _notes(answer: Answer) -> Iterator[str]:
    yield from answer.notes
    if answer.pending:
        yield f"{answer.pending} that were just written could not be searched yet: repeat the call in a few seconds."


def _passages(memory: MemoryProject, hits: Sequence[Hit]) -> Iterator[Passage]:
    """Yield the passages of the hits, and of neighbouring turns: a question before a hit, or the turn after a question
    that is a hit."""
    records = _read(memory, hits)
    near = [(hit, turn_id) for hit in hits[:_WITH_NEIGHBOURS] for turn_id in (*hit.before, *hit.after)]
    neighbours = memory.rows(TURNS).by_id(turn_id for _, turn_id in near if turn_id not in records)
    characters = min(_MOST_CHARACTERS, _CHARACTERS // max(1, len(records) + len(neighbours)))
    passages = {hit.id: passage_of(records[hit.id], hit.similarity, characters) for hit in hits if hit.id in records}
    for hit, turn_id in near:
        neighbour = neighbours.get(turn_id)
        if (
            turn_id in passages
            or neighbour is None
            or hit.id not in records
            or not is_remembered(neighbour, memory.now())
        ):
            continue
        passage = passage_of(neighbour, _OF_ITS_HIT * hit.similarity, characters)
        if passages[hit.id].is_question if turn_id in hit.after else passage.is_question:
            passages[turn_id] = passage
    yield from passages.values()


def _replacements(memory: MemoryProject, hits: Sequence[Hit], ids: Container[str]) -> dict[str, Passage]:
    """Return the passages of later turns that replace hits, by the ids of the replaced hits that are in `ids`."""
    turns = memory.rows(TURNS).by_id(hit.id for hit in hits if hit.kind == "turn")
    remembered = [turns[hit.id] for hit in hits if hit.id in turns and is_remembered(turns[hit.id], memory.now())]
    later = find_replacing_turns(remembered) if len(remembered) > 1 else {}
    return {old: passage_of(new, 0.0, _MOST_CHARACTERS) for old, new in later.items() if old in ids}


def _read(memory: MemoryProject, hits: Iterable[Hit]) -> dict[str, Turn | Memory]:
    """Return the records of the hits by id, without records that were forgotten after they were indexed."""
    kinds = {hit.id: hit.kind for hit in hits}
    records: dict[str, Turn | Memory] = dict(
        memory.rows(TURNS).by_id(hit_id for hit_id, kind in kinds.items() if kind == "turn")
    )
    for project in memory.reach:
        unread = [hit_id for hit_id, kind in kinds.items() if kind != "turn" and hit_id not in records]
        records |= project.rows(MEMORIES).by_id(unread) if unread else {}
    now = memory.now()
    return {hit_id: record for hit_id, record in records.items() if is_remembered(record, now)}
