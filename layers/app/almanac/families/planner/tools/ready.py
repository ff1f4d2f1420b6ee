"""Work that can start: which cards, and what the others wait for."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from almanac.families.planner.boards.due_dates import due_of
from almanac.families.planner.cards.ready import Candidate, ReadyQuery, ready_cards
from almanac.families.planner.clocks.days import time_text
from almanac.families.planner.clocks.shown import shown_time
from almanac.families.planner.clocks.zone_argument import Zone
from almanac.families.planner.core.item_kinds import ItemKind
from almanac.families.planner.core.limits import clamped
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import Priority
from almanac.families.planner.core.results import Result, done, planner_tool
from almanac.families.planner.texts.shown import shown_text, shown_texts
from almanac.families.team.core.records import ClaimRecord
from almanac.protocol.tool import Effect

_MOST_BLOCKERS = 10

BoardId = Annotated[str, Meta(description="Default: all boards.", max_length=200)]
WithLabels = Annotated[list[str], Meta(description="Only cards with all of these.", max_length=30)]


class ReadyCard(msgspec.Struct, frozen=True, rename="camel"):
    """`due_date` and `due_time` are told in the caller's time zone. `text_notes`: what in its texts is not meant for a
    reader."""

    id: str
    board_id: str
    column_id: str
    title: str
    priority: Priority
    due_date: str | None
    due_time: str | None
    labels: list[str]
    revision: int
    text_notes: list[str] | UnsetType = UNSET


class Blocker(msgspec.Struct, frozen=True, rename="camel"):
    """An item that must be done first."""

    id: str
    type: ItemKind
    title: str


class WorkedOn(msgspec.Struct, frozen=True, rename="camel"):
    """The claim of the card, and when it ends. `holder` and `actor` null: the API key lacks the family team."""

    holder: str | None
    actor: str | None
    expires_at: str


class WaitingCard(ReadyCard, frozen=True, rename="camel", kw_only=True):
    """`blocked_by` are at most 10 items, of `blocker_count`."""

    blocked_by: list[Blocker]
    blocker_count: int
    claimed_by: WorkedOn | None


class ReadyList(msgspec.Struct, frozen=True, rename="camel"):
    """Both best first: by priority, due date and age. `truncated`: more cards can start. `untrusted`: it is quoted
    data, the words of others."""

    ready: list[ReadyCard]
    waiting: list[WaitingCard]
    count: int
    truncated: bool
    untrusted: bool = True


@planner_tool(title="List the work that is ready", effect=Effect.READS)
def kanban_ready(
    board: BoardId | None = None,
    labels: WithLabels | None = None,
    limit: Annotated[float | None, Meta(description="1 to 50 of each; default 10.")] = None,
    timezone: Zone = None,
    *,
    planner: Planner,
) -> Result[ReadyList]:
    """List the cards that can start now, the best to work on next first: unblocked, not taken, most urgent first. It
    also says what the next ones wait for. For all cards of a board use kanban_list_cards.
    """
    planner = planner.in_zone_if_any(timezone)
    found = ready_cards(planner, ReadyQuery(board, labels or ()), clamped(limit, 10, 1, 50))
    ready = [ReadyCard(**_fields(planner, one)) for one in found.ready]
    return done(ReadyList(ready, [waiting_row(planner, one) for one in found.waiting], len(ready), found.more))


def waiting_row(planner: Planner, candidate: Candidate) -> WaitingCard:
    return WaitingCard(
        **_fields(planner, candidate),
        blocked_by=[
            Blocker(one.id, one.type, shown_text("title", one.title).text)
            for one in candidate.blockers[:_MOST_BLOCKERS]
        ],
        blocker_count=len(candidate.blockers),
        claimed_by=_worked_on(planner, candidate.claim) if candidate.claim is not None else None,
    )


def _fields(planner: Planner, candidate: Candidate) -> dict[str, Any]:
    card = candidate.card
    due, texts = due_of(card, planner.zone_if_any), shown_texts(title=card.title, labels=", ".join(card.labels))
    return {
        "id": card.id,
        "board_id": card.board,
        "column_id": card.column,
        "title": texts.text("title"),
        "priority": card.priority,
        "due_date": due.day.isoformat() if due.day is not None else None,
        "due_time": time_text(due.clock) if due.clock is not None else None,
        "labels": list(card.labels),
        "revision": card.version,
        "text_notes": texts.notes,
    }


def _worked_on(planner: Planner, claim: ClaimRecord) -> WorkedOn:
    until = shown_time(planner, claim.lapses_at or 0)
    if not planner.sees_team:
        return WorkedOn(None, None, until)
    return WorkedOn(shown_text("holder", claim.holder or "").text, claim.actor, until)
