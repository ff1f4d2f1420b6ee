"""The tool that summarises a session."""

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.sessions.agent_account import Account, store_account
from almanac.families.memory.sessions.agent_account import Decision as CitedDecision
from almanac.families.memory.sessions.consolidation import Consolidation, SkippedConsolidation, consolidate
from almanac.families.memory.sessions.known_text import earlier_summaries
from almanac.families.memory.sessions.windows import DUE_TURNS
from almanac.protocol.tool import Effect, tool

Decided = Annotated[str, Meta(min_length=1, max_length=500, description="In the words of its turns.")]
TurnIds = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=64)]],
    Meta(min_length=1, max_length=10, description="Ids of the turns that made it."),
]


class Decision(Struct, frozen=True):
    text: Decided
    turns: TurnIds


Own = Annotated[str, Meta(max_length=4000, description="Your own account of what mattered, in the turns' words.")]
Decisions = Annotated[list[Decision], Meta(max_length=20, description="Decisions, with the turns that made them.")]


class UnfoundedSentence(Struct, frozen=True):
    """A sentence that the turns do not support, and why."""

    text: str
    why: str


class SessionSummaryResult(Struct, frozen=True, omit_defaults=True):
    """`memory_id` is the summary, which get_memory shows: a memory of kind consolidated, made of sentences of
    `turns_compressed` turns, from the first to the last instant (milliseconds since 1970). `turns_left` of the session
    still wait, when there were more than one summary takes. `near_duplicates` are pairs of ids of memories that say
    nearly the same, the new one first. `kept` are the memories made of your summary and decisions, and `left_out` is
    what the turns do not bear out."""

    ok: Literal[True]
    memory_id: str
    turns_compressed: int
    from_at: int
    to_at: int
    turns_left: int
    near_duplicates: list[list[str]]
    kept: list[str] = []
    left_out: list[UnfoundedSentence] = []


class NoSummary(Struct, frozen=True, omit_defaults=True):
    """No summary was made. "not_due": `turns_waiting` turns are not summarised yet; a summary is made once
    `turns_missing` more are recorded, or at `due_at` (milliseconds since 1970), or now with force=true. "no_turns":
    none wait, or the `turns_passed_over` that did said nothing new. `summaries`: ids of the session's last 8 summaries,
    the latest first. `kept` and `left_out`: of your own summary and decisions."""

    ok: Literal[False]
    reason: Literal["not_due", "no_turns"]
    turns_waiting: int
    turns_missing: int
    due_at: int | None
    turns_passed_over: int
    summaries: list[str] = []
    kept: list[str] = []
    left_out: list[UnfoundedSentence] = []


@tool(title="Summarise a session", effect=Effect.ADDS)
def summarize_session(
    session_id: Annotated[
        str, Meta(description="session_id of the turns.", min_length=1, max_length=200, examples=["7f3a"])
    ],
    force: Annotated[bool, Meta(description="Now, even with fewer than 20 new turns.")] = False,
    summary: Own | None = None,
    decisions: Decisions | None = None,
    *,
    project: MemoryProject,
) -> SessionSummaryResult | NoSummary:
    """Summarize a session: recap, sum up or compress a long chat or conversation, for example before you hand it over.
    To shorten old memories use context_summarize.

    It also runs by itself after 20 turns or 10 minutes.
    """
    cited = [CitedDecision(decision.text, tuple(decision.turns)) for decision in decisions or ()]
    account = store_account(project, session_id, summary, cited) if summary or cited else Account()
    left_out = [UnfoundedSentence(sentence.text, sentence.why) for sentence in account.left_out]
    result = consolidate(project, session_id, force=force)
    if isinstance(result, Consolidation):
        memory = result.memory
        first, last = memory.from_at or memory.at, memory.to_at or memory.at
        pairs = [*map(list, result.near_duplicates)]
        return SessionSummaryResult(
            True, memory.id, result.turns, first, last, result.left, pairs, kept=[*account.kept], left_out=left_out
        )
    summaries = [memory.id for memory in earlier_summaries(project, session_id, result.session.turns)]
    return replace(_not_summarised(result), summaries=summaries, kept=[*account.kept], left_out=left_out)


def _not_summarised(undone: SkippedConsolidation) -> NoSummary:
    session = undone.session
    waiting_count = session.turns - session.summarised
    return NoSummary(
        ok=False,
        reason="no_turns" if undone.passed_over or not waiting_count else "not_due",
        turns_waiting=waiting_count,
        turns_missing=max(0, DUE_TURNS - waiting_count),
        due_at=session.due_at,
        turns_passed_over=undone.passed_over,
    )
