"""Records of events and tasks, boards, cards and links, and their keys. Instants are milliseconds since 1970.

    P#<tenant>#<project>#planner_marks              <event id>                 Mark, what the calendar does not store
    P#<tenant>#<project>#planner_boards             <board>                    Board with its columns
    P#<tenant>#<project>#planner_columns            <column>                   ColumnCount
    P#<tenant>#<project>#planner_cards#<board>      <column>#<rank>            Card
    P#<tenant>#<project>#planner_card_ids           <card>                     CardPlace, the place of the card
    P#<tenant>#<project>#planner_links              <item>#<side>#<relation>#<other>   Link, once at each of its ends
    P#<tenant>#<project>#planner_link_heads         <item>                     LinkHead
    P#<tenant>#<project>#planner_blocks_head        planner_blocks_head        BlocksHead

A place is a key, so that no two cards share one. gsi1 finds open tasks and open cards with a due date, gsi2 all cards
with a due date.
"""

from typing import Literal

from msgspec import Struct

from almanac.families.planner.core.item_kinds import ItemKind
from almanac.platform.store.records import Place, Record, Table, VersionedRecord

EventType = Literal["event", "task"]
ItemStatus = Literal["pending", "done"]
Relation = Literal["references", "blocks", "belongs_to", "scheduled_for"]
Side = Literal["in", "out"]
Priority = Literal["urgent", "high", "normal", "low"]
GateKind = Literal["time", "person", "signal", "event", "review", "claim"]


class Mark(Record, frozen=True, kw_only=True):
    """Type and status of an event. An event without a mark is pending and of type event. `open_day` is the day of a
    pending single task. `freed`: the task was busy until it was done."""

    id: str
    type: EventType = "event"
    status: ItemStatus = "pending"
    open_day: str | None = None
    freed: bool = False


class Column(Struct, frozen=True, kw_only=True):
    """A column of a board. `wip_limit` None means any number of cards. `done`: cards here are finished."""

    id: str
    title: str
    wip_limit: int | None = None
    done: bool = False


class Board(VersionedRecord, frozen=True, kw_only=True):
    """A board. Columns are ordered from left to right, boards by `rank`. `version` is the revision."""

    id: str
    title: str
    rank: str
    columns: tuple[Column, ...]
    created_at: int
    updated_at: int


class ColumnCount(Record, frozen=True, kw_only=True):
    """The number of cards in a column. It is deleted with the column."""

    id: str
    board: str
    cards: int = 0


class EventContents(Struct, frozen=True, kw_only=True):
    """The contents of an event when a card took them over; None if unknown."""

    event: str
    title: str | None = None
    due: str | None = None
    due_time: str | None = None


class Gate(Struct, frozen=True, kw_only=True):
    """A condition that a card waits for before it can start. By kind, `name` is the time or event as it was written,
    the actor who must approve, the name of a signal, the id of a review, or a key that must be free. A time opens the
    gate at `opens_at`, an event, whose id is `event`, at its `edge`, with whole days as in `zone`; `opened_at` is when
    an actor opened a gate of another kind. `token_sha256` is the digest of a signal's token."""

    id: str
    kind: GateKind
    name: str
    opens_at: int | None = None
    token_sha256: str = ""
    event: str | None = None
    edge: Literal["start", "end"] = "end"
    zone: str = ""
    opened_at: int | None = None
    opened_by: str | None = None


class Card(VersionedRecord, frozen=True, kw_only=True):
    """A card of a board.

    `rank` orders the cards of a column. `due` is a day and `due_time` a time in `due_zone`, where `due_fold` 1 is the
    second of two equal times; None in cards from before zones. `open_due` is `due` outside of done columns. `version`
    is the revision. `event_links` are the events that it references, each also stored as a Link. `followed` are the
    contents that it last took from a linked event. `text_version` counts the versions of title and description.

    `former_titles` are the last earlier titles. Each was valid until the instant at the same position of `renamed_at`,
    which has one more instant at its beginning if the start of the first title is unknown. `taken_at` is when an agent
    took the card with kanban_take; None once it is moved again.
    """

    id: str
    board: str
    column: str
    rank: str
    title: str
    description: str = ""
    due: str | None = None
    due_time: str | None = None
    due_zone: str | None = None
    due_fold: int = 0
    open_due: str | None = None
    event_links: tuple[str, ...] = ()
    followed: EventContents | None = None
    text_version: int = 1
    former_titles: tuple[str, ...] = ()
    renamed_at: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    priority: Priority = "normal"
    taken_at: int | None = None
    gates: tuple[Gate, ...] = ()
    created_at: int
    created_by: str
    updated_at: int


class CardPlace(Record, frozen=True, kw_only=True):
    id: str
    board: str
    column: str
    rank: str


class Link(Record, frozen=True, kw_only=True):
    """A relation as seen from `item`. On side "out" it leads from the item to the other one."""

    item: str
    side: Side
    relation: Relation
    other: str
    item_type: ItemKind
    other_type: ItemKind
    created_at: int
    created_by: str


class LinkHead(VersionedRecord, frozen=True, kw_only=True):
    """Record that changes whenever links of an item change, so that none is added while the item is deleted. `blockers`
    are the ids of items with a `blocks` link to it; None in older heads, and if there are too many."""

    item: str
    links: int = 0
    blockers: tuple[str, ...] | None = None


class BlocksHead(VersionedRecord, frozen=True, kw_only=True):
    """Record that changes with every new blocks link, so that two concurrent ones cannot close a cycle."""


MARKS = Table(Mark, "planner_marks", sort=("id",), indexes={"gsi1": Place("planner_open_tasks", ("open_day", "id"))})
BOARDS = Table(Board, "planner_boards", sort=("id",))
COLUMN_COUNTS = Table(ColumnCount, "planner_columns", sort=("id",))
CARDS = Table(
    Card,
    "planner_cards",
    partition=("board",),
    sort=("column", "rank"),
    indexes={
        "gsi1": Place("planner_open_cards", ("open_due", "id")),
        "gsi2": Place("planner_due_cards", ("due", "id")),
    },
)
CARD_PLACES = Table(CardPlace, "planner_card_ids", sort=("id",))
LINKS = Table(Link, "planner_links", sort=("item", "side", "relation", "other"))
LINK_HEADS = Table(LinkHead, "planner_link_heads", sort=("item",))
BLOCKS_HEADS = Table(BlocksHead, "planner_blocks_head")
