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
    hold. `empty` explains why there are no passages, and is "" if there are some. `newer` maps the id of a passage to
    the passage that replaced it."""

    passages: tuple[Passage, ...] = ()
    coverage: Coverage | None = None
    notes: tuple[str, ...] = ()
    empty: str = ""
    disagreeing: Sequence[ContradictingFacts] = ()
    newer: Mapping[str, Passage] = MappingProxyType({})


class Beside(Struct, frozen=True):
    """Sources beside turns and memories that the caller's key may read: facts, and sources of other families by
    kind."""

    services: Services
    facts: KnownFacts | None = None
    sources: Mapping[str, Source] = MappingProxyType({})


def gather(
    memory: MemoryProject, search: Search, beside: Beside, question: str, size: int, mode: Mode
) -> SynthesisInput:
    """Return the best `size` turns and memories, facts, and in mode auto documents of other families.

    Mode auto reads summaries only if turns and memories do not cover the question."""
    if mode == "code":
        return SynthesisInput(empty="No code is searched here. Ask with mode auto, chunks or summaries.")
    answers: list[Answer] = []
    summaries: list[Answer] = []
    if mode != "summaries":
        answers.append(_asked(memory, search, question, max(size, COMPARED), "talk", _TALK))
        for one in memory.searched_projects[1:]:
            answers.append(_asked(one, search, question, size, "talk", _SHARED, reasons=not _found_any(answers)))
    if mode == "summaries" or (mode == "auto" and not any(map(_covers, answers))):
        reasons = not _found_any(answers)
        summaries.append(_asked(memory, search, question, size, "documents", _SUMMARIES, reasons=reasons))
    recorded = facts_of(memory, search, beside.facts, question, size) if mode != "summaries" else FactPassages()
    documents = _documents(memory, search, beside, question, size) if mode == "auto" else MatchPage()
    # Summaries quote turns, so they come after the turns.
    found = [*_in_order([answer.hits for answer in answers]), *(hit for answer in summaries for hit in answer.hits)]
    hits = found[:size]
    answers += summaries
    notes = (note for answer in answers for note in _notes(answer))
    empty = (
        ""
        if hits or recorded.passages or documents.matches
        else " ".join(dict.fromkeys(answer.empty.text for answer in answers if answer.empty))
    )
    # The coverage of a search without hits counts only if no search has hits.
    told = [answer.coverage for answer in answers if answer.hits or not hits]
    coverage = reduce(better_of, told)
    if recorded.passages:
        coverage = better_of(coverage, recorded.coverage)
    if documents.matches:
        coverage = better_of(coverage, documents.coverage) if hits or recorded.passages else documents.coverage
    passages = (*recorded.passages, *_passages(memory, hits), *_told(documents))
    newer = _newer(memory, found[:COMPARED], {hit.id for hit in hits})
    return SynthesisInput(passages, coverage, tuple(dict.fromkeys(notes)), empty, recorded.disagreeing, newer)


def _asked(
    memory: MemoryProject,
    search: Search,
    question: str,
    size: int,
    profile: Profile,
    kinds: tuple[str, ...],
    *,
    reasons: bool = True,
) -> Answer:
    """Search once. With `reasons`, an answer without hits explains itself, which takes several more searches."""
    around = 1 if profile == "talk" else 0
    filters = Filters(kinds=kinds)
    request = SearchRequest(text=question, profile=profile, filters=filters, limit=size, around=around, reasons=reasons)
    return search.search(memory.scope, request)


def _found_any(answers: Iterable[Answer]) -> bool:
    return any(answer.hits for answer in answers)


def _documents(memory: MemoryProject, search: Search, beside: Beside, question: str, size: int) -> MatchPage:
    """Search the documents of other families, if there are any sources of them."""
    if not beside.sources:
        return MatchPage()
    kinds: tuple[str, ...] = tuple(beside.sources)
    wanted = min(size, _MOST_DOCUMENTS)
    # No reasons, because the answer never explains a lack of documents.
    request = SearchRequest(
        text=question, profile="documents", filters=Filters(kinds=kinds), limit=wanted, reasons=False
    )
    contents = Contents(memory, beside.services, beside.sources)
    return find(search, memory.scope, request, contents.read, drops_many=False)


def _told(documents: MatchPage) -> Iterator[Passage]:
    for match in documents.matches:
        if isinstance(match.content, Document):
            kind = cast("DocumentKind", match.hit.kind)
            yield passage_of_document(match.content, kind, match.hit.similarity, _DOCUMENT_CHARACTERS)


def _in_order(lists: Iterable[Sequence[Hit]]) -> list[Hit]:
    """Merge the lists by repeatedly taking the most similar of their first hits; each list keeps its order."""
    left: list[list[Hit]] = [[*reversed(one)] for one in lists]
    found: list[Hit] = []
    while some := [one for one in left if one]:
        best = max(some, key=_next_similarity)
        found.append(best.pop())
    return found


def _next_similarity(turned: Sequence[Hit]) -> float:
    return turned[-1].similarity


def _covers(answer: Answer) -> bool:
    return bool(answer.hits) and answer.coverage is not None and answer.coverage.verdict == "covered"


def _notes(answer: Answer) -> Iterator[str]:
    yield from answer.notes
    if answer.pending:
        yield f"{answer.pending} that were just written could not be searched yet: repeat the call in a few seconds."


def _passages(memory: MemoryProject, hits: Sequence[Hit]) -> Iterator[Passage]:
    """Yield the passages of the hits, and of neighbouring turns: a question before a hit, and the answer to a hit that
    asks."""
    found = _read(memory, hits)
    near = [(hit, one) for hit in hits[:_WITH_NEIGHBOURS] for one in (*hit.before, *hit.after)]
    beside = memory.rows(TURNS).by_id(one for _, one in near if one not in found)
    characters = min(_MOST_CHARACTERS, _CHARACTERS // max(1, len(found) + len(beside)))
    shown = {hit.id: passage_of(found[hit.id], hit.similarity, characters) for hit in hits if hit.id in found}
    for hit, one in near:
        neighbour = beside.get(one)
        if one in shown or neighbour is None or hit.id not in found or not is_remembered(neighbour, memory.now()):
            continue
        passage = passage_of(neighbour, _OF_ITS_HIT * hit.similarity, characters)
        if shown[hit.id].asks if one in hit.after else passage.asks:
            shown[one] = passage
    yield from shown.values()


def _newer(memory: MemoryProject, hits: Sequence[Hit], told: Container[str]) -> dict[str, Passage]:
    """Return the passages of later turns that replace hits, by the ids of the replaced hits among `told`."""
    turns = memory.rows(TURNS).by_id(hit.id for hit in hits if hit.kind == "turn")
    said = [turns[hit.id] for hit in hits if hit.id in turns and is_remembered(turns[hit.id], memory.now())]
    later = find_replacing_turns(said) if len(said) > 1 else {}
    return {old: passage_of(new, 0.0, _MOST_CHARACTERS) for old, new in later.items() if old in told}


def _read(memory: MemoryProject, hits: Iterable[Hit]) -> dict[str, Turn | Memory]:
    """Return the records of the hits by id, without records that were forgotten after they were indexed."""
    kinds = {hit.id: hit.kind for hit in hits}
    found: dict[str, Turn | Memory] = dict(
        memory.rows(TURNS).by_id(one for one, kind in kinds.items() if kind == "turn")
    )
    for project in memory.reach:
        left = [one for one, kind in kinds.items() if kind != "turn" and one not in found]
        found |= project.rows(MEMORIES).by_id(left) if left else {}
    now = memory.now()
    return {one: record for one, record in found.items() if is_remembered(record, now)}
