"""From a question to an answer with sources: by a model where there is one, else put together of what is quoted."""

from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo

from msgspec import Struct

from almanac.content import quoted_fields
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.synthesis.disagreements import Claimed, disagreements
from almanac.families.memory.synthesis.extracting import extract
from almanac.families.memory.synthesis.gaps import NOT_COVERED, gaps_of
from almanac.families.memory.synthesis.gathering import Gathered, Mode, gather
from almanac.families.memory.synthesis.models import Models, sampled
from almanac.families.memory.synthesis.passages import Passage, quotable
from almanac.families.memory.synthesis.prompting import MAX_TOKENS, SYSTEM, checked, prompt_of
from almanac.families.memory.synthesis.results import Contradiction, Side, Synthesis
from almanac.families.memory.synthesis.sentences import terms_in
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import Unavailable
from almanac.platform.declaration.known_facts import FACT, Disagreeing, KnownFacts
from almanac.platform.search.asking.port import Search

EXTRACTIVE = "extractive"
SOURCE = "memory"
_UNCITED = "The language model's answer cited nothing that was found: this one is put together of what is quoted."
_UNANSWERED = "The client's model gave no answer: this one is put together of what is quoted."
_IN_UTC = "Days are those of UTC: nothing says your time zone."


class Written(Struct, frozen=True):
    """An answer, what it cites, and which model wrote it. `quoted` are texts of others in it, by id."""

    text: str
    cited: tuple[str, ...]
    model: str
    quoted: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()


def synthesize(
    memory: MemoryProject,
    search: Search,
    models: Models,
    question: str,
    size: int,
    mode: Mode,
    facts: KnownFacts | None = None,
) -> Synthesis:
    """Raises InputRequired where the client's own model is to be asked first."""
    found = gather(memory, search, facts, question, size, mode)
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
    zone = find_zone(memory.zone) if memory.zone else UTC
    written = _written(models, question, found, zone)
    # What facts contradict each other is known better than by their words.
    talk = [one for one in found.passages if one.kind != FACT]
    contradictions = [_of_facts(pair) for pair in found.disagreeing] + [
        Contradiction(_side(pair.earlier), _side(pair.later), pair.about)
        for pair in disagreements(talk, _about(question, found.passages) | {*written.cited})
    ]
    quoted = {**written.quoted, **{side.memory_id: side.text for one in contradictions for side in (one.a, one.b)}}
    marked = quoted_fields(quoted, SOURCE).notes
    zone_notes = () if memory.zone else (_IN_UTC,)
    return Synthesis(
        answer=written.text,
        cited_memory_ids=list(written.cited),
        gaps=gaps,
        contradictions=contradictions,
        coverage=found.coverage,
        model=written.model,
        notes=[*found.notes, *written.notes, *zone_notes, *marked],
        untrusted=True,
    )


def _about(question: str, passages: Sequence[Passage]) -> set[str]:
    """The ids of those that have a word of the question."""
    asked = terms_in(question)
    return {one.id for one in passages if not asked.isdisjoint(terms_in(one.text))}


def _written(models: Models, question: str, found: Gathered, zone: tzinfo) -> Written:
    notes: list[str] = []
    try:
        if models.installed is not None:
            text = models.installed.complete(SYSTEM, prompt_of(question, found.passages, zone), MAX_TOKENS)
            answer, cited = checked(text, found.passages)
            if cited:
                return Written(answer, cited, models.installed.name)
            notes.append(_UNCITED)
        elif models.client.can("sampling"):
            text, name = sampled(models.client, SYSTEM, prompt_of(question, found.passages, zone), MAX_TOKENS)
            answer, cited = checked(text, found.passages)
            if cited:
                return Written(answer, cited, f"client:{name}")
            notes.append(_UNCITED if text else _UNANSWERED)
    except Unavailable as error:
        notes.append(f"{error.message} This answer is put together of what is quoted.")
    quoted = extract(question, found.passages, zone)
    return Written(quoted.text, quoted.cited, EXTRACTIVE, quoted.quoted, tuple(notes))


def _of_facts(pair: Disagreeing) -> Contradiction:
    a, b = (Side(one.id, quotable(one.told), one.at) for one in (pair.one, pair.other))
    return Contradiction(a, b, pair.about)


def _side(one: Claimed) -> Side:
    return Side(one.passage.id, quotable(one.text), one.passage.at, one.passage.speaker or None)
