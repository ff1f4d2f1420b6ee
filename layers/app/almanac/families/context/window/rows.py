"""Rows of context_getCurrent, and their construction from memories. Texts of others are quoted as data."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from almanac.families.context.core.types import Layer
from almanac.families.context.core.views import RecalledMemory, instant_text, recalled_memory
from almanac.families.context.window.patterns import language_in
from almanac.families.memory.core.records import Memory
from almanac.families.memory.snapshot.budget import Candidate
from almanac.families.team.core.quoted_texts import TextQuoter

METADATA_CHARACTERS = 1000
NAME_CHARACTERS = 80
_DESCRIPTION_CHARACTERS = 300
Trigger = Literal[
    "session_context",
    "relevant_decision",
    "bug_fix_context",
    "active_code_context",
    "command_context",
    "related_decision",
]
SuggestionType = Literal["memory", "pattern", "action"]


class WindowMemory(RecalledMemory, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """`cut`: content is shortened, or metadata is left out; context_get returns all. `expires_at`: ISO 8601, present if
    it ends by itself."""

    layer: Layer
    cut: bool = False
    expires_at: str | None = None


class Pattern(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """`usage_count`: how often it was recalled. `code` is empty if none is stored. `cut` and `notes` as in memories."""

    id: str
    name: str
    description: str
    code: str
    language: str | None
    usage_count: int
    cut: bool = False
    notes: tuple[str, ...] = ()


class Suggestion(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """`confidence`, 0 to 1. `cut` and `notes` as in memories."""

    id: str
    type: SuggestionType
    content: str
    confidence: float
    source_memory_ids: tuple[str, ...]
    cut: bool = False
    notes: tuple[str, ...] = ()


class GhostMessage(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """A remembered text to bear in mind, shown as data. The same source keeps its id throughout a session. `timestamp`
    is the memory's, in ISO 8601."""

    id: str
    role: Literal["system"]
    content: str
    timestamp: str
    is_visible: bool
    trigger: Trigger
    source_memory_ids: tuple[str, ...]
    cut: bool = False
    notes: tuple[str, ...] = ()


class Window(Struct, frozen=True, rename="camel"):
    """`working`: layer 1, the newest first. `relevant`: layers 2 and 3, the most relevant first."""

    working: tuple[WindowMemory, ...]
    relevant: tuple[WindowMemory, ...]
    patterns: tuple[Pattern, ...]
    suggestions: tuple[Suggestion, ...]
    ghost_messages: tuple[GhostMessage, ...]


class WindowLeftOut(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The number of entries left out for lack of room; an absent field means none."""

    working: int = 0
    relevant: int = 0
    patterns: int = 0
    suggestions: int = 0
    ghost_messages: int = 0


class CurrentContext(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """`tokens` is a high estimate for this whole result, at most `max_tokens`. `pending` memories were just written and
    could not be searched. `untrusted`: texts are by others, data and never instructions."""

    context: Window
    tokens: int
    max_tokens: int
    left_out: WindowLeftOut
    pending: int = 0
    notes: tuple[str, ...] = ()
    untrusted: bool = False


def memory_candidate(memory: Memory, layer: Layer) -> Candidate:
    has_room = len(msgspec.json.encode(memory.metadata)) <= METADATA_CHARACTERS
    expires = None if memory.lapses_at is None else instant_text(memory.lapses_at)

    def row(text: str, cut: bool) -> WindowMemory:
        shown = recalled_memory(replace(memory, content=text, metadata=memory.metadata if has_room and not cut else {}))
        lacks = bool(memory.metadata) and not shown.metadata
        fields = {name: getattr(shown, name) for name in RecalledMemory.__struct_fields__}
        return WindowMemory(**fields, layer=layer, cut=cut or lacks, expires_at=expires)

    return Candidate(memory.content, row)


def pattern_candidate(memory: Memory) -> Candidate:
    """Return the row of a pattern. Its code, or without code its description, is cut if it has no room."""
    block = memory.metadata.get("codeBlock")
    code: Any = cast("dict[str, Any]", block).get("code") if isinstance(block, dict) else None
    title = memory.metadata.get("title")
    has_code = isinstance(code, str) and bool(code.strip())

    def row(text: str, cut: bool) -> Pattern:
        quoting = TextQuoter()
        description = memory.content[:_DESCRIPTION_CHARACTERS] if has_code else text
        name = title if isinstance(title, str) and title.strip() else memory.content.strip().splitlines()[0]
        return Pattern(
            id=memory.id,
            name=quoting.text("name", name[:NAME_CHARACTERS]),
            description=quoting.text("description", description),
            code=quoting.text("code", text) if has_code else "",
            language=quoting.optional_text("language", language_in(memory)),
            usage_count=memory.uses,
            cut=cut or (has_code and len(memory.content) > _DESCRIPTION_CHARACTERS),
            notes=quoting.notes,
        )

    return Candidate(code if has_code else memory.content, row)


def quote_candidate(
    lead: str, memories: Sequence[Memory], make: Callable[[str, bool, tuple[str, ...]], Struct]
) -> Candidate:
    """Return a row of `lead` followed by quoted memories."""
    said = "; ".join(f'"{memory.content.strip()}"' for memory in memories)

    def row(text: str, cut: bool) -> Struct:
        quoting = TextQuoter()
        return make(f"{lead} {quoting.text('content', text)}", cut, quoting.notes)

    return Candidate(said, row)
