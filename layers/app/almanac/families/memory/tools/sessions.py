"""Sessions: their rolling summaries."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.sessions.consolidation import Consolidated, consolidate
from almanac.families.memory.sessions.consolidation import Waiting as Undone
from almanac.families.memory.sessions.windows import DUE_TURNS
from almanac.protocol.tool import Effect, tool


class Summarised(Struct, frozen=True):
    """`memory_id` is the summary, which get_memory shows: a memory of kind consolidated, made of sentences of
    `turns_compressed` turns, from the first to the last instant (milliseconds since 1970). `turns_left` of the session
    still wait, when there were more than one summary takes. `near_duplicates` are pairs of ids of memories that say
    nearly the same, the new one first."""

    ok: Literal[True]
    memory_id: str
    turns_compressed: int
    from_at: int
    to_at: int
    turns_left: int
    near_duplicates: list[list[str]]


class NotSummarised(Struct, frozen=True):
    """Nothing was written. "not_due": `turns_waiting` turns are not summarised yet; a summary is made once
    `turns_missing` more are recorded, or at `due_at` (milliseconds since 1970), or now with force=true. "no_turns":
    none wait, or the `turns_passed_over` that did said nothing new."""

    ok: Literal[False]
    reason: Literal["not_due", "no_turns"]
    turns_waiting: int
    turns_missing: int
    due_at: int | None
    turns_passed_over: int


@tool(title="Summarise a session", effect=Effect.ADDS)
def summarize_session(
    session_id: Annotated[
        str, Meta(description="session_id of the turns.", min_length=1, max_length=200, examples=["7f3a"])
    ],
    force: Annotated[bool, Meta(description="Now, also where less than 20 turns wait.")] = False,
    *,
    project: MemoryProject,
) -> Summarised | NotSummarised:
    """Summarize a session: recap, condense or sum up a chat or conversation so far, for example before you hand it
    over. To shorten old memories use context_summarize; for an answer about a topic synthesize.

    The summary becomes a memory. It also runs by itself after 20 turns or 10 minutes.
    """
    done = consolidate(project, session_id, force=force)
    if isinstance(done, Consolidated):
        memory = done.memory
        first, last = memory.from_at or memory.at, memory.to_at or memory.at
        return Summarised(True, memory.id, done.turns, first, last, done.left, [*map(list, done.near_duplicates)])
    return _not_summarised(done)


def _not_summarised(undone: Undone) -> NotSummarised:
    session = undone.session
    waiting = session.turns - session.summarised
    return NotSummarised(
        ok=False,
        reason="no_turns" if undone.passed_over or not waiting else "not_due",
        turns_waiting=waiting,
        turns_missing=max(0, DUE_TURNS - waiting),
        due_at=session.due_at,
        turns_passed_over=undone.passed_over,
    )
