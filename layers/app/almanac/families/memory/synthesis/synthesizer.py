"""Answer a question with sources, by a language model if there is one, or else by quotations."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from functools import cache
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from almanac.content import quoted_fields
from almanac.families.memory.candidates.current_statements import Talk, talk_of
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Turn
from almanac.families.memory.search.answer_support import lower_if_unanswered
from almanac.families.memory.snapshot.reader import Reader
from almanac.families.memory.synthesis.disagreements import PassageClaim, disagreements
from almanac.families.memory.synthesis.extractive_answer import Extract, extract, listed
from almanac.families.memory.synthesis.facts import named_span
from almanac.families.memory.synthesis.gatherer import Beside, Mode, SynthesisInput, gather
from almanac.families.memory.synthesis.models import Models, sampled
from almanac.families.memory.synthesis.other_words import is_any_near, nearest_statements, nearest_turns
from almanac.families.memory.synthesis.passages import NAME_CHARACTERS, DocumentKind, Passage, quotable
from almanac.families.memory.synthesis.plan_lines import choose_lines, covers
from almanac.families.memory.synthesis.plans import Newer, newer_of, plan_of
from almanac.families.memory.synthesis.prompts import MAX_TOKENS, SYSTEM, checked, prompt_of
from almanac.families.memory.synthesis.results import Contradiction, Side, Synthesis
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import Unavailable
from almanac.platform.declaration.known_facts import FACT, ContradictingFacts
from almanac.search.analysis.words import terms_in
from almanac.search.coverage import Coverage
from almanac.search.questions.port import Hit, Search

EXTRACTIVE = "extractive"
NOT_COVERED = "Nothing in memory answers this."
SOURCE = "memory"
_READ_TOKENS = 4000
_UNCITED = "The language model's answer cited no source, so this answer consists of quotations."
_UNANSWERED = "The client's model gave no answer, so this answer consists of quotations."
_IN_UTC = "Days are UTC days, because your time zone is not known."


class DraftAnswer(Struct, frozen=True):
    """An answer, the ids that it cites, and the name of the model that wrote it.

    `quoted` has the texts of others in the answer, by id. `sentences` pairs each quoted sentence with the question that
    it replies to, or ""."""

    text: str
    cited: tuple[str, ...]
    model: str
    quoted: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    sentences: tuple[tuple[str, str], ...] = ()


class Lines(Struct, frozen=True):
    """The passages that the plan for a broad question selects; none if the question is not broad.

    `covers`: they are about the subject of the question. `is_answer`: they are the whole answer. Otherwise they follow
    the sentences that answer."""

    told: tuple[Passage, ...] = ()
    covers: bool = False
    is_answer: bool = False


def synthesize(
    memory: MemoryProject,
    search: Search,
    models: Models,
    question: str,
    size: int,
    mode: Mode,
    beside: Beside,
) -> Synthesis:
    """Return an answer from memory. Raises InputRequired if the client's own model has to write it first."""
    zone = find_zone(memory.zone) if memory.zone else UTC
    found = gather(memory, search, beside, question, size, mode)
    turns = _turns(memory) if mode in ("auto", "chunks") else []
    talk = talk_of(turns)
    near = cache(lambda: nearest_turns(memory, search, question, turns))
    lines = _planned(memory, question, talk, turns, zone, near)
    nearby = cache(lambda: () if lines.is_answer else nearest_statements(near(), talk, turns))
    if lines.is_answer:
        found = _with_lines(found, lines)
    elif found.coverage is not None and found.coverage.verdict == "not_covered" and is_any_near(near()) and nearby():
        found = replace(found, coverage=replace(found.coverage, verdict="thin"), empty="")
    gaps = list(gaps_of(found.coverage, found.passages, empty=found.empty))
    if not found.passages or (found.coverage is not None and found.coverage.verdict == "not_covered"):
        gaps = gaps or ["What was found has been forgotten since."]
        return Synthesis(
            answer=NOT_COVERED,
            cited_memory_ids=[],
            gaps=gaps,
            contradictions=[],
            coverage=found.coverage,
            model=EXTRACTIVE,
            notes=list(found.notes),
            untrusted=True,
        )
    newer = newer_of(found.newer, talk, turns)
    reads = models.installed is not None or models.client.can("sampling")
    if reads and found.coverage is not None and found.coverage.verdict != "covered":
        found = replace(found, passages=(*found.passages, *_unknown((*nearby(), *lines.told), found.passages)))
    written = _written(models, question, found, zone, lines, newer)
    coverage = found.coverage
    if written.model == EXTRACTIVE and not lines.is_answer:
        coverage = lower_if_unanswered(coverage, question, written.sentences, (one.text for one in found.passages))
        gaps = list(gaps_of(coverage, found.passages, empty=found.empty))
        nearest = () if coverage is not None and coverage.verdict == "covered" else nearby()
        if nearest or lines.told:
            written = _quoting(extract(question, found.passages, zone, newer, nearest, lines.told), written.notes)
    # Facts and documents are not compared by their words: contradictions of facts are known from their records.
    said = [one for one in found.passages if one.kind not in (FACT, *get_args(DocumentKind))]
    about = _about(question, found.passages)
    if coverage is None or coverage.verdict == "covered":
        # Passages that cover a question thinly may be about something else.
        about |= {*written.cited}
    contradictions = [_of_facts(pair) for pair in found.disagreeing] + [
        Contradiction(_side(pair.earlier), _side(pair.later), pair.about) for pair in disagreements(said, about)
    ]
    quoted = {**written.quoted, **{side.memory_id: side.text for one in contradictions for side in (one.a, one.b)}}
    marked = quoted_fields(quoted, SOURCE).notes
    zone_notes = () if memory.zone else (_IN_UTC,)
    return Synthesis(
        answer=written.text,
        cited_memory_ids=list(written.cited),
        gaps=gaps,
        contradictions=contradictions,
        coverage=coverage,
        model=written.model,
        notes=[*found.notes, *written.notes, *zone_notes, *marked],
        untrusted=True,
    )


def _unknown(near: Sequence[Passage], passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages in `near` from turns that are not among `passages`, one for each turn."""
    known = {one.id for one in passages}
    return [*{one.id: one for one in near if one.id not in known}.values()]


def _about(question: str, passages: Sequence[Passage]) -> set[str]:
    """Return the ids of the passages that share a word with the question."""
    asked = terms_in(question)
    return {one.id for one in passages if not asked.isdisjoint(terms_in(one.text))}


def _turns(memory: MemoryProject) -> list[Turn]:
    return Reader(memory, None, _READ_TOKENS).talk()[::-1]


def _planned(
    memory: MemoryProject,
    question: str,
    talk: Talk,
    turns: Sequence[Turn],
    zone: tzinfo,
    near: Callable[[], Sequence[Hit]],
) -> Lines:
    if not turns:
        return Lines()
    plan = plan_of(question, turns[-1].at, zone, lambda: named_span(memory, question))
    if plan is None:
        return Lines()
    nearness = {hit.id: hit.whole for hit in near()} if plan.topic else {}
    told = choose_lines(plan, talk, turns, nearness)
    return Lines(tuple(told), covers(plan, told), is_answer=bool(told) and plan.what != "about")


def _with_lines(found: SynthesisInput, lines: Lines) -> SynthesisInput:
    """Return the input with the lines of the plan before the passages that search found."""
    known = {one.id for one in lines.told}
    coverage = Coverage(
        verdict="covered" if lines.covers else "thin",
        nearest=found.coverage.nearest if found.coverage else 0.0,
    )
    passages = (*lines.told, *(one for one in found.passages if one.id not in known))
    return replace(found, passages=passages, coverage=coverage, empty="")


def _written(
    models: Models,
    question: str,
    found: SynthesisInput,
    zone: tzinfo,
    lines: Lines,
    newer: Newer,
) -> DraftAnswer:
    notes: list[str] = []
    try:
        if models.installed is not None:
            text = models.installed.complete(SYSTEM, prompt_of(question, found.passages, zone), MAX_TOKENS)
            answer, cited = checked(text, found.passages)
            if cited:
                return DraftAnswer(answer, cited, models.installed.name)
            notes.append(_UNCITED)
        elif models.client.can("sampling"):
            text, name = sampled(models.client, SYSTEM, prompt_of(question, found.passages, zone), MAX_TOKENS)
            answer, cited = checked(text, found.passages)
            if cited:
                return DraftAnswer(answer, cited, f"client:{name}")
            notes.append(_UNCITED if text else _UNANSWERED)
    except Unavailable as error:
        notes.append(f"{error.message} This answer is put together of what is quoted.")
    quoted = listed(lines.told, zone) if lines.is_answer else extract(question, found.passages, zone, newer)
    return _quoting(quoted, tuple(notes))


def _quoting(quoted: Extract, notes: tuple[str, ...]) -> DraftAnswer:
    return DraftAnswer(quoted.text, quoted.cited, EXTRACTIVE, quoted.quoted, notes, quoted.sentences)


def _of_facts(pair: ContradictingFacts) -> Contradiction:
    a, b = (Side(one.id, quotable(one.sentence), one.at) for one in (pair.one, pair.other))
    return Contradiction(a, b, pair.about)


def _side(one: PassageClaim) -> Side:
    return Side(one.passage.id, quotable(one.text), one.passage.at, one.passage.speaker or None)


def gaps_of(coverage: Coverage | None, passages: Iterable[Passage] = (), *, empty: str = "") -> Iterator[str]:
    """Yield sentences about the gaps of memory on a question.

    `passages` are those that were found, and `empty` explains why there are none at all."""
    if empty or coverage is None:
        yield from [empty] if empty else ()
        return
    if coverage.verdict == "not_covered":
        yield "Memory does not cover this: what comes nearest is about something else. search_memory shows it."
    elif coverage.verdict == "thin":
        yield "Memory covers this thinly: what was found is near, and may not be the answer."
    found = frozenset(term for passage in passages for term in terms_in(passage.text)) if coverage.missing else ()
    missing = [f'"{quotable(word)}"' for word in coverage.missing if terms_in(word).isdisjoint(found)]
    if missing:
        yield f"Nothing of what was found mentions {', '.join(missing)}."
    if coverage.said_by and coverage.verdict != "not_covered":
        said_by, not_by = (quotable(name)[:NAME_CHARACTERS] for name in (coverage.said_by, coverage.not_by))
        yield f'What was found is said by "{said_by}", not by "{not_by}".'
