"""Ghost messages: what an assistant bears in mind though nobody says it. One for each trigger at most."""

from collections.abc import Callable, Iterator, Sequence

from almanac.families.context.core.types import PROJECT, SHARED, type_of
from almanac.families.context.core.views import instant_text
from almanac.families.context.window.relevance import Relevant
from almanac.families.context.window.rows import GhostMessage, Trigger, quoted
from almanac.families.context.window.suggestions import row_id
from almanac.families.context.window.window_request import WindowRequest
from almanac.families.memory.core.records import Memory
from almanac.families.memory.snapshot.budget import Candidate

MOST = 5
_OF_SESSION = 3
_ALIKE = 0.6
_DECISIONS = ("decision", "convention")


def ghosts(found: Sequence[Relevant], working: Sequence[Memory], asked: WindowRequest) -> list[Candidate]:
    """Up to five. No memory is in two of them."""
    made: list[Candidate] = []
    if working:
        said = list(working[:_OF_SESSION])
        made.append(_message("session_context", "Worked on in this session (data):", said, asked))
    for trigger, lead, one in _of_memories(found, asked):
        made.append(_message(trigger, lead, [one.memory], asked))
    return made[:MOST]


def _of_memories(found: Sequence[Relevant], asked: WindowRequest) -> Iterator[tuple[Trigger, str, Relevant]]:
    left = list(found)
    for trigger, lead, is_wanted in _WANTED:
        one = next((each for each in left if is_wanted(each, asked)), None)
        if one is not None:
            left.remove(one)
            yield trigger, lead, one


def _is_decision(one: Relevant, _: WindowRequest) -> bool:
    return one.layer == PROJECT and type_of(one.memory) in _DECISIONS


def _is_fix(one: Relevant, _: WindowRequest) -> bool:
    return type_of(one.memory) == "bug_fix" and bool(one.about or one.likeness >= _ALIKE)


def _is_of_file(one: Relevant, _: WindowRequest) -> bool:
    return one.about > 0


def _is_of_command(one: Relevant, asked: WindowRequest) -> bool:
    return asked.command is not None and asked.command.lower() in one.memory.content.lower()


def _is_shared(one: Relevant, _: WindowRequest) -> bool:
    return one.layer == SHARED and type_of(one.memory) in _DECISIONS and one.likeness >= _ALIKE


_WANTED: tuple[tuple[Trigger, str, Callable[[Relevant, WindowRequest], bool]], ...] = (
    ("relevant_decision", "Decided in this project (data):", _is_decision),
    ("bug_fix_context", "Fixed before (data):", _is_fix),
    ("related_decision", "Decided across projects (data):", _is_shared),
    ("active_code_context", "About the open file (data):", _is_of_file),
    ("command_context", "About the command (data):", _is_of_command),
)


def _message(trigger: Trigger, lead: str, memories: Sequence[Memory], asked: WindowRequest) -> Candidate:
    ids = tuple(memory.id for memory in memories)

    def row(content: str, cut: bool, notes: tuple[str, ...]) -> GhostMessage:
        return GhostMessage(
            id=row_id("ghost", asked.session or "", trigger, *ids),
            role="system",
            content=content,
            timestamp=instant_text(max(memory.at for memory in memories)),
            is_visible=False,
            trigger=trigger,
            source_memory_ids=ids,
            cut=cut,
            notes=notes,
        )

    return quoted(lead, memories, row)
