"""Suggestions derived from memories by fixed rules."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from almanac.families.context.core.types import type_of
from almanac.families.context.recall.matches import Match
from almanac.families.context.window.files import file_path, is_same_file
from almanac.families.context.window.relevance import ABOUT_FILE, RatedMemory
from almanac.families.context.window.rows import Suggestion, SuggestionType, quote_candidate
from almanac.families.context.window.window_request import WindowRequest
from almanac.families.memory.core.documents import file_of
from almanac.families.memory.core.records import Memory
from almanac.families.memory.snapshot.budget import Candidate

MOST = 5
ENDS_SOON_MS = 600_000
_SURE_OF_FILE, _MENTIONED, _ENDING, _OF_FILE = 0.9, 0.75, 0.7, 0.6
_ALIKE = 0.7
_LEADS = {
    "bug_fix": "A bug was fixed here before; keep it fixed:",
    "decision": "Decided for this:",
    "convention": "Convention here:",
}


def suggestions(
    found: Sequence[RatedMemory], patterns: Sequence[Match], working: Sequence[Memory], request: WindowRequest, now: int
) -> list[Candidate]:
    """Return up to five suggestions, the most confident first."""
    made = [*_of_file(found), *_of_patterns(patterns, request), *_lapsing_memories(working, now)]
    return [candidate for _, candidate in sorted(made, key=lambda one: -one[0])[:MOST]]


def row_id(*parts: str) -> str:
    """Return an id that is the same for the same parts."""
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def _of_file(found: Sequence[RatedMemory]) -> Iterator[tuple[float, Candidate]]:
    """Yield fixes, decisions and conventions about the open file, and fixes similar to the current work."""
    for one in found:
        lead = _LEADS.get(type_of(one.memory))
        if lead is None:
            continue
        if one.about:
            sure = _SURE_OF_FILE if one.about == ABOUT_FILE else _MENTIONED
        elif type_of(one.memory) == "bug_fix" and one.likeness >= _ALIKE:
            sure = one.likeness * _MENTIONED
        else:
            continue
        yield _suggestion("memory", lead, one.memory, sure)


def _of_patterns(patterns: Sequence[Match], request: WindowRequest) -> Iterator[tuple[float, Candidate]]:
    """Yield the patterns that were noted in the open file."""
    for match in patterns:
        file = file_path(file_of(match.memory.metadata), request.place)
        if request.file is not None and file is not None and is_same_file(file, request.file):
            yield _suggestion("pattern", "Pattern of this file:", match.memory, _OF_FILE)


def _lapsing_memories(working: Sequence[Memory], now: int) -> Iterator[tuple[float, Candidate]]:
    """Yield working memories of people that lapse soon. Automatic reports are not worth keeping."""
    for memory in working:
        soon = memory.lapses_at is not None and memory.lapses_at - now <= ENDS_SOON_MS
        if soon and memory.metadata.get("source") != "system_auto":
            minutes = max(1, ((memory.lapses_at or now) - now) // 60_000)
            call = f"context_update with memoryId {memory.id} and targetLayer 2 keeps it"
            yield _suggestion("action", f"Ends in {minutes} min; {call}:", memory, _ENDING)


def _suggestion(type: SuggestionType, lead: str, memory: Memory, sure: float) -> tuple[float, Candidate]:
    """Return a suggestion. Its confidence is `sure` times the memory's own."""
    said = memory.metadata.get("confidence")
    confidence = round(sure * (said if isinstance(said, int | float) and 0 <= said <= 1 else 1.0), 2)

    def row(content: str, cut: bool, notes: tuple[str, ...]) -> Suggestion:
        return Suggestion(
            id=row_id("suggestion", type, memory.id),
            type=type,
            content=content,
            confidence=confidence,
            source_memory_ids=(memory.id,),
            cut=cut,
            notes=notes,
        )

    return confidence, quote_candidate(lead, [memory], row)
