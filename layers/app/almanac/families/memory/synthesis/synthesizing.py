"""From a question to an answer with sources: by a model where there is one, else put together of what is quoted."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any, cast

from msgspec import Struct

from almanac.content import quoted_fields
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.synthesis.disagreements import Claimed, disagreements
from almanac.families.memory.synthesis.extracting import extract
from almanac.families.memory.synthesis.gaps import NOT_COVERED, gaps_of
from almanac.families.memory.synthesis.gathering import Gathered, Mode, gather
from almanac.families.memory.synthesis.passages import Passage, quotable
from almanac.families.memory.synthesis.prompting import MAX_TOKENS, SYSTEM, checked, prompt_of
from almanac.families.memory.synthesis.results import Contradiction, Side, Synthesis
from almanac.families.memory.synthesis.sentences import terms_in
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import Unavailable
from almanac.platform.language_model.port import LanguageModel
from almanac.platform.search.asking.port import Search
from almanac.protocol.elicitation import Elicitation, InputRequired, ask_model

EXTRACTIVE = "extractive"
SOURCE = "memory"
_ANSWER = "answer"
_NAME_CHARACTERS = 100
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


class Models(Struct, frozen=True):
    """Who may write an answer: the installation's model, or else the client's own."""

    installed: LanguageModel | None
    client: Elicitation


def synthesize(
    memory: MemoryProject, search: Search, models: Models, question: str, size: int, mode: Mode
) -> Synthesis:
    """Raises InputRequired where the client's own model is to be asked first."""
    found = gather(memory, search, question, size, mode)
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
    contradictions = [
        Contradiction(_side(pair.earlier), _side(pair.later), pair.about)
        for pair in disagreements(found.passages, _about(question, found.passages) | {*written.cited})
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
            text, name = _sampled(models.client, question, found.passages, zone)
            answer, cited = checked(text, found.passages)
            if cited:
                return Written(answer, cited, f"client:{name}")
            notes.append(_UNCITED if text else _UNANSWERED)
    except Unavailable as error:
        notes.append(f"{error.message} This answer is put together of what is quoted.")
    quoted = extract(question, found.passages, zone)
    return Written(quoted.text, quoted.cited, EXTRACTIVE, quoted.quoted, tuple(notes))


def _sampled(client: Elicitation, question: str, passages: Sequence[Passage], zone: tzinfo) -> tuple[str, str]:
    """What the client's model wrote, and its name. The first time it is asked; nothing is kept until it answers."""
    if _ANSWER not in client.answers:
        raise InputRequired({_ANSWER: ask_model(prompt_of(question, passages, zone), MAX_TOKENS, SYSTEM)})
    answer = client.answers[_ANSWER]
    name = answer.get("model")
    named = quotable(name)[:_NAME_CHARACTERS].strip() if isinstance(name, str) else ""
    return "\n".join(_texts(answer.get("content"))), named or "unnamed"


def _texts(content: Any) -> Iterator[str]:
    """Of one block, or of several."""
    blocks = cast("list[Any]", content) if isinstance(content, list) else [content]
    for block in blocks:
        text = cast("dict[str, Any]", block).get("text") if isinstance(block, dict) else None
        if isinstance(text, str):
            yield text


def _side(one: Claimed) -> Side:
    return Side(one.passage.id, quotable(one.text), one.passage.at, one.passage.speaker or None)
