"""Ghost messages: memories that an assistant should bear in mind. At most one for each trigger."""

from collections.abc import Callable, Iterator, Sequence

from almanac.families.context.core.types import PROJECT, SHARED, type_of
from almanac.families.context.core.views import instant_text
from almanac.families.context.window.relevance import RatedMemory
from almanac.families.context.window.rows import GhostMessage, Trigger, quote_candidate
from almanac.families.context.window.suggestions import row_id
from almanac.families.context.window.window_request import WindowRequest
from almanac.families.memory.core.records import Memory
from almanac.families.memory.snapshot.budget import Candidate

MOST = 5
_OF_SESSION = 3
_ALIKE = 0.6
_DECISIONS = ("decision", "convention")


def ghosts(found: Sequence[RatedMemory], working: Sequence[Memory], request: WindowRequest) -> list[Candidate]:
    """Return up to five ghost messages. No memory is in two of them."""
    made: list[Candidate] = []
    if working:
        said = list(working[:_OF_SESSION])
        made.append(_message("session_context", "Worked on in this session (data):", said, request))
    for trigger, lead, one in _of_memories(found, request):
        made.append(_message(trigger, lead, [one.memory], request))
    return made[:MOST]


def _of_memories(found: Sequence[RatedMemory], request: WindowRequest) -> Iterator[tuple[Trigger, str, RatedMemory]]:
    left = list(found)
    for trigger, lead, is_wanted in _WANTED:
        one = next((each for each in left if is_wanted(each, request)), None)
        if one is not None:
            left.remove(one)
            yield trigger, lead, one


def _is_decision(one: RatedMemory, _: WindowRequest) -> bool:
    return one.layer == PROJECT and type_of(one.memory) in _DECISIONS


def _is_fix(one: RatedMemory, _: WindowRequest) -> bool:
    return type_of(one.memory) == "bug_fix" and bool(one.about or one.likeness >= _ALIKE)


def _is_of_file(one: RatedMemory, _: WindowRequest) -> bool:
    return one.about > 0


def _is_of_command(one: RatedMemory, request: WindowRequest) -> bool:
    return request.command is not None and request.command.lower() in one.memory.content.lower()


def _is_shared(one: RatedMemory, _: WindowRequest) -> bool:
    return one.layer == SHARED and type_of(one.memory) in _DECISIONS and one.likeness >= _ALIKE


_WANTED: tuple[tuple[Trigger, str, Callable[[RatedMemory, WindowRequest], bool]], ...] = (
    ("relevant_decision", "Decided in this project (data):", _is_decision),
    ("bug_fix_context", "Fixed before (data):", _is_fix),
    ("related_decision", "Decided across projects (data):", _is_shared),
    ("active_code_context", "About the open file (data):", _is_of_file),
    ("command_context", "About the command (data):", _is_of_command),
)


def _message(trigger: Trigger, lead: str, memories: Sequence[Memory], request: WindowRequest) -> Candidate:
    ids = tuple(memory.id for memory in memories)

    def row(content: str, cut: bool, notes: tuple[str, ...]) -> GhostMessage:
        return GhostMessage(
            id=row_id("ghost", request.session or "", trigger, *ids),
            role="system",
            content=content,
            timestamp=instant_text(max(memory.at for memory in memories)),
            is_visible=False,
            trigger=trigger,
            source_memory_ids=ids,
            cut=cut,
            notes=notes,
        )

    return quote_candidate(lead, memories, row)
