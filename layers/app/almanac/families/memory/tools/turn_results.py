"""Results of the tools for turns. Instants are milliseconds since 1970."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from almanac.families.memory.core.records import Role, Turn
from almanac.families.memory.snapshot.budget import Candidate, fill_section, row_tokens
from almanac.families.memory.turns.plan import RecordedTurn
from almanac.families.memory.turns.recorder import Outcome
from almanac.families.team.claims.requirement import Reason
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.kernel.errors import AlmanacError

_AROUND_ROWS = 100
"""Tokens of a result without its rows, including the cursor."""
_FORGOTTEN = "This turn was forgotten after it was recorded. forget_memory with restore=true brings it back."


class Violation(msgspec.Struct, frozen=True, omit_defaults=True):
    """The claim of `key` is missing or has another holder than the turn requires. `held_by` is its present holder.
    `untrusted`: others wrote `held_by`.
    """

    key: str
    reason: Reason
    held_by: str | None = None
    untrusted: bool = False


class StoredTurn(msgspec.Struct, frozen=True, omit_defaults=True):
    """`deduped`: it had been recorded before, as `turn_id`. `claim_violation`: recorded although you did not hold the
    claim. `redacted`: kinds of secrets that were removed before it was stored. `notes`: facts you may not expect.
    """

    ok: bool
    turn_id: str
    deduped: bool
    claim_violation: Violation | None = None
    redacted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Refusal(msgspec.Struct, frozen=True):
    """`untrusted`: the message names what others wrote."""

    code: str
    message: str
    hint: str
    retryable: bool
    untrusted: bool = False


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome of one turn: `turn_id` if it was recorded, otherwise `error`. Other fields are as in record_turn."""

    turn_id: str | None = None
    deduped: bool | None = None
    error: Refusal | None = None
    claim_violation: Violation | None = None
    redacted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Results(msgspec.Struct, frozen=True):
    """`results` in the order of the turns. `recorded`, `deduped` and `failed` count them; `ok`: none failed."""

    ok: bool
    results: tuple[Result, ...]
    recorded: int
    deduped: int
    failed: int


class TurnRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """`at` is when it happened, `recorded_at` when it was stored; `position` counts the turns of its session from 0.
    `cut`: only the beginning of content is shown, and no metadata; get_memory has the whole turn. `notes`: suspicious
    or removed parts of its texts.
    """

    id: str
    role: Role
    content: str
    at: int
    recorded_at: int
    actor: str
    session_id: str | None = None
    position: int | None = None
    tool: str | None = None
    speaker: str | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}
    redacted: tuple[str, ...] = ()
    cut: bool = False
    notes: tuple[str, ...] = ()


class TurnPage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A page of turns; if `truncated`, continue with `next_cursor`, even after a page without turns. `untrusted`:
    others wrote the texts. `since`, `until` and `as_of` are the instants that Almanac understood."""

    turns: tuple[TurnRow, ...]
    truncated: bool
    next_cursor: str | None
    untrusted: bool
    since: int | None = None
    until: int | None = None
    as_of: int | None = None


def stored_view(recorded: RecordedTurn) -> StoredTurn:
    return StoredTurn(
        True,
        recorded.turn_id,
        recorded.deduped,
        _violation(recorded.violation),
        recorded.redacted,
        _notes(recorded),
    )


def results_view(outcomes: list[Outcome]) -> Results:
    failed = sum(isinstance(each, AlmanacError) for each in outcomes)
    deduped = sum(isinstance(each, RecordedTurn) and each.deduped for each in outcomes)
    return Results(failed == 0, tuple(map(_result, outcomes)), len(outcomes) - failed - deduped, deduped, failed)


def rows_within(max_tokens: int, turns: Sequence[Turn]) -> Sequence[TurnRow]:
    """Return rows of the first turns that together fit into about `max_tokens`, including the result around them. Only
    the first row may be cut, if it is too long alone."""
    room = max_tokens - _AROUND_ROWS
    rows, tokens_left = list[TurnRow](), room
    for turn in turns:
        row = turn_row(turn)
        tokens_left -= row_tokens(row)
        if tokens_left < 0:
            break
        rows.append(row)
    return rows or [_cut_row(turn, room) for turn in turns[:1]]


def _cut_row(turn: Turn, max_tokens: int) -> TurnRow:
    def row(text: str, cut: bool) -> TurnRow:
        shown_turn = replace(turn, content=text, metadata={} if cut else turn.metadata, tags=() if cut else turn.tags)
        return replace(turn_row(shown_turn), cut=cut)

    rows = fill_section([Candidate(turn.content, row)], max_tokens, max_tokens).rows
    return rows[0] if rows else row("", True)


def turn_row(turn: Turn) -> TurnRow:
    quoting = TextQuoter()
    return TurnRow(
        id=turn.id,
        role=turn.role,
        content=quoting.text("content", turn.content),
        at=turn.at,
        recorded_at=turn.recorded_at,
        actor=turn.actor,
        session_id=quoting.optional_text("session_id", turn.session),
        position=turn.position,
        tool=quoting.optional_text("tool", turn.tool),
        speaker=quoting.optional_text("speaker", turn.speaker),
        tags=tuple(quoting.json("tags", list(turn.tags))),
        metadata=quoting.json("metadata", turn.metadata),
        redacted=turn.redacted,
        notes=quoting.notes,
    )


def _result(outcome: Outcome) -> Result:
    if isinstance(outcome, AlmanacError):
        refusal = Refusal(outcome.code, outcome.message, outcome.hint, outcome.retryable, untrusted=outcome.untrusted)
        return Result(error=refusal)
    return Result(
        turn_id=outcome.turn_id,
        deduped=outcome.deduped,
        claim_violation=_violation(outcome.violation),
        redacted=outcome.redacted,
        notes=_notes(outcome),
    )


def _violation(violation: Mapping[str, Any] | None) -> Violation | None:
    try:
        stored = None if violation is None else msgspec.convert(violation, Violation)
        return stored and msgspec.structs.replace(stored, untrusted=stored.held_by is not None)
    except msgspec.ValidationError:  # a caller's own metadata of that name
        return None


def _notes(recorded: RecordedTurn) -> tuple[str, ...]:
    return (*recorded.notes, _FORGOTTEN) if recorded.forgotten else recorded.notes
