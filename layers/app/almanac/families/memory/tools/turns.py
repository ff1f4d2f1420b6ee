"""Tools that record and list turns."""

from typing import Annotated, Any

from msgspec import Meta

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Role
from almanac.families.memory.core.times import Moment, optional_instant
from almanac.families.memory.tools.turn_results import (
    Results,
    StoredTurn,
    TurnPage,
    results_view,
    rows_within,
    stored_view,
)
from almanac.families.memory.turns.batch import MAX_TURNS, Defaults, check_turn, record_batch
from almanac.families.memory.turns.pages import TurnFilter, page_of, place_of
from almanac.families.memory.turns.recorder import record
from almanac.families.memory.turns.turn_input import (
    ClaimKey,
    ClientTurnId,
    Content,
    Holder,
    Policy,
    SessionId,
    Speaker,
    Tags,
    Token,
    ToolName,
    TurnInput,
)
from almanac.protocol.tool import Effect, Entries, tool

_TURNS = Meta(
    description="Turns, each with the fields of record_turn.",
    min_length=1,
    max_length=MAX_TURNS,
    examples=[[{"role": "user", "content": "We agreed to deploy on Tuesdays."}]],
)


@tool(title="Record a message or event", effect=Effect.SETS)
def record_turn(
    content: Annotated[Content, Meta(description="Text, up to 64 KB.", examples=["The build fails with TS2345."])],
    role: Annotated[Role, Meta(description="Who or what it comes from.")] = "event",
    session_id: Annotated[SessionId, Meta(description="Conversation it belongs to.")] | None = None,
    metadata: Annotated[dict[str, Any], Meta(description='Facts, e.g. {"kind": "error"}.')] | None = None,
    client_turn_id: Annotated[ClientTurnId, Meta(description="Your own unique id of this turn, for retries.")]
    | None = None,
    tool: Annotated[ToolName, Meta(description="Your program, e.g. cursor.")] | None = None,
    requires_claim: Annotated[ClaimKey, Meta(description="Key that must be claimed now.")] | None = None,
    holder: Annotated[Holder, Meta(description="Its required holder. Default: you.")] | None = None,
    claim_policy: Annotated[
        Policy, Meta(description="If not claimed: soft records claim_violation, hard refuses.")
    ] = "soft",
    claim_token: Annotated[Token, Meta(description="Token that the claim must have.")] | None = None,
    occurred_at: Annotated[Moment, Meta(description="If not now: ms since 1970 or a timestamp.")] | None = None,
    speaker: Annotated[Speaker, Meta(description="Name of the person who spoke.")] | None = None,
    tags: Annotated[Tags, Meta(description="Labels.")] | None = None,
    *,
    project: MemoryProject,
) -> StoredTurn:
    """Record or log one message, reply, tool call or event of a conversation as it happens: what the user just said or
    an agent did. For a decision to be recalled by itself use context_store.
    """
    turn_input = TurnInput(
        content=content,
        role=role,
        session_id=session_id,
        metadata=metadata,
        client_turn_id=client_turn_id,
        tool=tool,
        requires_claim=requires_claim,
        holder=holder,
        claim_policy=claim_policy,
        claim_token=claim_token,
        occurred_at=occurred_at,
        speaker=speaker,
        tags=tags,
    )
    return stored_view(record(project, check_turn(project, turn_input)))


@tool(title="Record many messages at once", effect=Effect.SETS)
def record_turns(
    turns: Annotated[list[Any], _TURNS, Entries(TurnInput)],
    session_id: Annotated[SessionId, Meta(description="For turns that name no session.")] | None = None,
    tool: Annotated[ToolName, Meta(description="For turns that name no tool.")] | None = None,
    *,
    project: MemoryProject,
) -> Results:
    """Import many messages at once: up to 100 turns of a conversation, chat history, log or whole transcript. For a
    single one use record_turn.
    """
    return results_view(record_batch(project, turns, Defaults(session_id, tool)))


@tool(title="List recent messages", effect=Effect.READS)
def list_recent_turns(
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=200)] = 50,
    session_id: Annotated[str, Meta(description="Only from this session.", min_length=1, max_length=256)] | None = None,
    actor: Annotated[str, Meta(description="Only by this actor.", max_length=256)] | None = None,
    tool: Annotated[str, Meta(description="Only from this tool.", max_length=128)] | None = None,
    since: Annotated[Moment, Meta(description='From: ms since 1970, or "yesterday".')] | None = None,
    until: Annotated[Moment, Meta(description="Until, likewise; excluded.")] | None = None,
    role: Annotated[Role | None, Meta(description="Only turns of this role.")] = None,
    as_of: Annotated[Moment, Meta(description="Only what was recorded by then.")] | None = None,
    cursor: Annotated[str, Meta(description="The last next_cursor.", max_length=4000)] | None = None,
    max_tokens: Annotated[int, Meta(description="Roughly; longer turns are cut.", ge=200, le=100_000)] = 8000,
    *,
    project: MemoryProject,
) -> TurnPage:
    """List the latest turns of the project or the last messages of a conversation, newest first: what we were just
    talking about or doing. To find something by words use search_memory.
    """
    turn_filter = TurnFilter(
        session=session_id,
        actor=actor,
        tool=tool,
        role=role,
        since=optional_instant(project, since, "since"),
        until=optional_instant(project, until, "until", ends=True),
        as_of=optional_instant(project, as_of, "as_of", ends=True),
    )
    cursors = project.cursors
    query = ("turns", session_id, actor, tool, role, _text(since), _text(until), _text(as_of))
    before = cursors.start_of(query, cursor, "") or None
    turns, next_position = page_of(project, turn_filter, limit=limit, before=before)
    rows = rows_within(max_tokens, turns)
    if len(rows) < len(turns):
        next_position = place_of(turns[len(rows) - 1], turn_filter)
    return TurnPage(
        tuple(rows),
        next_position is not None,
        cursors.seal(query, next_position),
        bool(turns),
        turn_filter.since,
        turn_filter.until,
        turn_filter.as_of,
    )


def _text(moment: int | str | None) -> str | None:
    """Return the moment as the caller wrote it. Words mean another instant on the next page, but still the same
    query."""
    return None if moment is None else str(moment)
