"""Answer a question with sources, by a language model if there is one, or else by quotations."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from functools import cache
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from almanac.content import quote_fields
from almanac.families.memory.candidates.current_statements import Talk, talk_of
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Turn
from almanac.families.memory.core.speakers import others_words
from almanac.families.memory.search.answer_support import Quotation, lower_if_unanswered
from almanac.families.memory.snapshot.reader import Reader
from almanac.families.memory.synthesis.disagreements import PassageClaim, find_disagreements
from almanac.families.memory.synthesis.extractive_answer import Extract, extract, quote_whole
from almanac.families.memory.synthesis.facts import find_named_span
from almanac.families.memory.synthesis.gatherer import Mode, OtherSources, SynthesisInput, gather
from almanac.families.memory.synthesis.models import Models, sample_client
from almanac.families.memory.synthesis.other_words import is_any_near, nearest_statements, nearest_turns
from almanac.families.memory.synthesis.passages import NAME_CHARACTERS, DocumentKind, Passage, quotable
from almanac.families.memory.synthesis.plan_lines import choose_lines, covers
from almanac.families.memory.synthesis.plans import FindReplacements, plan_of, replacement_finder
from almanac.families.memory.synthesis.prompts import MAX_TOKENS, SYSTEM, check_answer, prompt_of
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
_VERBS_OF_QUESTIONS = terms_in(
    "use used using do does did done make made get got give gave take took put go went gone say said tell told write"
    " wrote written happen happened know knew need needed want wanted have had keep kept allow allowed"
)
"""Verbs of questions, such as "can I use pandas". A gap names what is asked about, not these."""
_READ_TOKENS = 4000
_MOST_BESIDE_ANSWER = 5
"""Most lines of a plan that are quoted beside a sentence that answers the question."""
_UNCITED = "The language model's answer cited no source, so this answer consists of quotations."
_UNANSWERED = "The client's model gave no answer, so this answer consists of quotations."
_IN_UTC = "Days are UTC days, because your time zone is not known."


class DraftAnswer(Struct, frozen=True):
    """An answer, the ids that it cites, and the name of the model that wrote it.

    `quoted` has the quoted texts by id."""

    text: str
    cited: tuple[str, ...]
    model: str
    quoted: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    sentences: tuple[Quotation, ...] = ()


class PlannedLines(Struct, frozen=True):
    """The passages that the plan for a broad question selects; none if the question is not broad.

    `covers`: they are about the subject of the question. `is_answer`: they are the whole answer. Otherwise they follow
    the sentences that search found."""

    passages: tuple[Passage, ...] = ()
    covers: bool = False
    is_answer: bool = False


def synthesize(
    memory: MemoryProject,
    search: Search,
    models: Models,
    question: str,
    size: int,
    mode: Mode,
    others: OtherSources,
) -> Synthesis:
    """Return an answer from memory. Raises InputRequired if the client's own model must write it first."""
    zone = find_zone(memory.zone) if memory.zone else UTC
    material = gather(memory, search, others, question, size, mode)
    turns = _turns(memory) if mode in ("auto", "chunks") else []
    talk = talk_of(turns)
    near = cache(lambda: nearest_turns(memory, search, question, turns))
    lines = _plan_lines(memory, question, talk, turns, zone, near)
    nearby = cache(lambda: () if lines.is_answer else nearest_statements(question, near(), talk, turns))
    if lines.is_answer:
        material = _with_lines(material, lines)
    elif (
        material.coverage is not None
        and material.coverage.verdict == "not_covered"
        and is_any_near(question, near(), turns)
        and nearby()
    ):
        material = replace(material, coverage=replace(material.coverage, verdict="thin"), empty="")
    gaps = list(gaps_of(material.coverage, material.passages, empty=material.empty))
    if not material.passages or (material.coverage is not None and material.coverage.verdict == "not_covered"):
        gaps = gaps or ["What was found has been forgotten since."]
        return Synthesis(
            answer=NOT_COVERED,
            cited_memory_ids=[],
            gaps=gaps,
            contradictions=[],
            coverage=material.coverage,
            model=EXTRACTIVE,
            notes=list(material.notes),
            untrusted=True,
        )
    find_replacements = replacement_finder(material.replacements, talk, turns)
    has_model = models.installed is not None or models.client.can("sampling")
    if has_model and material.coverage is not None and material.coverage.verdict != "covered":
        material = replace(
            material, passages=(*material.passages, *_without_known((*nearby(), *lines.passages), material.passages))
        )
    draft = _write_answer(models, question, material, zone, lines, find_replacements)
    coverage = material.coverage
    if draft.model == EXTRACTIVE and not lines.is_answer:
        coverage = lower_if_unanswered(
            coverage, question, draft.sentences, (passage.text for passage in material.passages)
        )
        gaps = list(gaps_of(coverage, material.passages, empty=material.empty))
        is_covered = coverage is not None and coverage.verdict == "covered"
        nearest = () if is_covered else nearby()
        beside = lines.passages[: _MOST_BESIDE_ANSWER if is_covered else None]
        if nearest or beside:
            draft = _draft_of(
                extract(question, material.passages, zone, *find_replacements, nearest, beside), draft.notes
            )
    # Facts and documents are not compared by their words, because records of facts show which ones contradict.
    statements = [passage for passage in material.passages if passage.kind not in (FACT, *get_args(DocumentKind))]
    comparable_ids = _on_topic_ids(question, material.passages)
    if coverage is None or coverage.verdict == "covered":
        # Passages that cover a question thinly may be about something else.
        comparable_ids |= {*draft.cited}
    # Other facts of the same subject may disagree about something that nobody asked.
    disagreeing = [pair for pair in material.disagreeing if {pair.one.id, pair.other.id} & {*draft.cited}]
    contradictions = [_fact_contradiction(pair) for pair in disagreeing] + [
        Contradiction(_side(pair.earlier), _side(pair.later), pair.about)
        for pair in find_disagreements(statements, comparable_ids)
    ]
    quotes = {**draft.quoted, **{side.memory_id: side.text for pair in contradictions for side in (pair.a, pair.b)}}
    kinds = {passage.id: passage.kind for passage in material.passages}
    words = {passage_id: others_words(text, kinds.get(passage_id, "turn")) for passage_id, text in quotes.items()}
    quote_notes = quote_fields(words, SOURCE).notes
    zone_notes = () if memory.zone else (_IN_UTC,)
    return Synthesis(
        answer=draft.text,
        cited_memory_ids=list(draft.cited),
        gaps=gaps,
        contradictions=contradictions,
        coverage=coverage,
        model=draft.model,
        notes=[*material.notes, *draft.notes, *zone_notes, *quote_notes],
        untrusted=True,
    )


def _without_known(near: Sequence[Passage], passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages in `near` of turns that are not among `passages`, one for each turn."""
    known_ids = {passage.id for passage in passages}
    return [*{passage.id: passage for passage in near if passage.id not in known_ids}.values()]


def _on_topic_ids(question: str, passages: Sequence[Passage]) -> set[str]:
    """Return the ids of the passages that share a word with the question."""
    question_terms = terms_in(question)
    return {passage.id for passage in passages if not question_terms.isdisjoint(terms_in(passage.text))}


def _turns(memory: MemoryProject) -> list[Turn]:
    return Reader(memory, None, _READ_TOKENS).talk()[::-1]


def _plan_lines(
    memory: MemoryProject,
    question: str,
    talk: Talk,
    turns: Sequence[Turn],
    zone: tzinfo,
    near: Callable[[], Sequence[Hit]],
) -> PlannedLines:
    if not turns:
        return PlannedLines()
    plan = plan_of(question, turns[-1].at, zone, lambda last_at: find_named_span(memory, question, last_at))
    if plan is None:
        return PlannedLines()
    chosen = choose_lines(plan, talk, turns, near() if plan.topic else ())
    return PlannedLines(tuple(chosen), covers(plan, chosen), is_answer=bool(chosen) and plan.kind != "about")


def _with_lines(material: SynthesisInput, lines: PlannedLines) -> SynthesisInput:
    """Return the input with the lines of the plan before the passages that search found."""
    line_ids = {passage.id for passage in lines.passages}
    coverage = Coverage(
        verdict="covered" if lines.covers else "thin",
        nearest=material.coverage.nearest if material.coverage else 0.0,
    )
    passages = (*lines.passages, *(passage for passage in material.passages if passage.id not in line_ids))
    return replace(material, passages=passages, coverage=coverage, empty="")


def _write_answer(
    models: Models,
    question: str,
    material: SynthesisInput,
    zone: tzinfo,
    lines: PlannedLines,
    find_replacements: FindReplacements,
) -> DraftAnswer:
    notes: list[str] = []
    try:
        if models.installed is not None:
            text = models.installed.complete(SYSTEM, prompt_of(question, material.passages, zone), MAX_TOKENS)
            answer, cited = check_answer(text, material.passages)
            if cited:
                return DraftAnswer(answer, cited, models.installed.name)
            notes.append(_UNCITED)
        elif models.client.can("sampling"):
            text, name = sample_client(models.client, SYSTEM, prompt_of(question, material.passages, zone), MAX_TOKENS)
            answer, cited = check_answer(text, material.passages)
            if cited:
                return DraftAnswer(answer, cited, f"client:{name}")
            notes.append(_UNCITED if text else _UNANSWERED)
    except Unavailable as error:
        notes.append(f"{error.message} This answer is put together of what is quoted.")
    extracted = (
        quote_whole(lines.passages, zone)
        if lines.is_answer
        else extract(question, material.passages, zone, *find_replacements)
    )
    return _draft_of(extracted, tuple(notes))


def _draft_of(extracted: Extract, notes: tuple[str, ...]) -> DraftAnswer:
    return DraftAnswer(extracted.text, extracted.cited, EXTRACTIVE, extracted.quoted, notes, extracted.sentences)


def _fact_contradiction(pair: ContradictingFacts) -> Contradiction:
    a, b = (Side(fact.id, quotable(fact.sentence), fact.at) for fact in (pair.one, pair.other))
    return Contradiction(a, b, pair.about)


def _side(passage_claim: PassageClaim) -> Side:
    return Side(
        passage_claim.passage.id,
        quotable(passage_claim.text),
        passage_claim.passage.at,
        passage_claim.passage.speaker or None,
    )


def gaps_of(coverage: Coverage | None, passages: Iterable[Passage] = (), *, empty: str = "") -> Iterator[str]:
    """Yield sentences about the gaps of memory on a question.

    `passages` are the results of the search, and `empty` explains why there are none at all."""
    if empty or coverage is None:
        yield from [empty] if empty else ()
        return
    if coverage.verdict == "not_covered":
        yield "Memory does not cover this: what comes nearest is about something else. search_memory shows it."
    elif coverage.verdict == "thin":
        yield "Memory covers this thinly: what was found is near, and may not be the answer."
    found_terms = frozenset(term for passage in passages for term in terms_in(passage.text)) if coverage.missing else ()
    things = (word for word in coverage.missing if not terms_in(word) <= _VERBS_OF_QUESTIONS)
    missing = [f'"{quotable(word)}"' for word in things if terms_in(word).isdisjoint(found_terms)]
    if missing:
        yield f"Nothing of what was found mentions {', '.join(missing)}."
    if coverage.said_by and coverage.verdict != "not_covered":
        said_by, not_by = (quotable(name)[:NAME_CHARACTERS] for name in (coverage.said_by, coverage.not_by))
        yield f'What was found is said by "{said_by}", not by "{not_by}".'
