"""Creation, edits, moves and deletion of cards. A card keeps its id when it moves."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.planner.boards.boards import Boards
from almanac.families.planner.boards.due_dates import DueEdit, with_due
from almanac.families.planner.boards.ranks import rank_just_above
from almanac.families.planner.cards.order import CardOrder
from almanac.families.planner.core.item_kinds import CARD
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import (
    CARD_PLACES,
    CARDS,
    COLUMN_COUNTS,
    Board,
    Card,
    CardPlace,
    Column,
    Priority,
)
from almanac.families.planner.core.revisions import check_revision
from almanac.families.planner.core.unfinished_work import UnfinishedWork, run_now
from almanac.families.planner.links.blockers import open_blocked, open_blockers
from almanac.families.planner.links.changes import LinkChanges
from almanac.families.planner.links.items import Item
from almanac.families.planner.semantic_search.cards import card_document, update_text_version
from almanac.families.planner.texts.labels import check_tags
from almanac.families.planner.texts.redacted_texts import without_secrets
from almanac.families.planner.texts.texts import check_body, check_title
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, ConditionFailed, Update

if TYPE_CHECKING:
    from almanac.families.team.core.records import ClaimRecord

A = TypeVar("A")


class CardEdit(Struct, frozen=True, kw_only=True):
    """The fields to change; None keeps a field."""

    title: str | None = None
    description: str | None = None
    due: DueEdit = DueEdit()
    event_links: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    priority: Priority | None = None


class CardInColumn(NamedTuple):
    """A card in its column. `cards` counts the cards of a column with a WIP limit, this one included. `claim` is held
    by another actor, who took the card."""

    card: Card
    column: Column
    position: int
    cards: int
    claim: "ClaimRecord | None" = None


class DeletedCard(NamedTuple):
    """A card as it was before it was deleted. `claim` is held by another actor, who took it. `unblocked` are the open
    items that it blocked while it was open."""

    card: Card
    claim: "ClaimRecord | None"
    unblocked: Sequence[Item]


class Cards:
    """The cards of one project."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.boards = Boards(planner)
        self._order = CardOrder(planner)
        self._rows = planner.rows(CARDS)
        self._places = planner.rows(CARD_PLACES)
        self._counts = planner.rows(COLUMN_COUNTS)

    def find(self, card_id: str) -> Card:
        """Return a card by its id. Raises NotFound."""
        card_id = card_id.strip()
        # A card that is being moved may have left the place that was just read.
        for _ in range(8):
            place = self._places.get(card_id) if card_id else None
            if place is None:
                break
            card = self._rows.get(place.board, place.column, place.rank)
            if card is not None and card.id == card_id:
                return card
        raise NotFound(f'Card not found: "{card_id[:80]}".', "kanban_list_cards lists the ids of cards.")

    def create(self, column_id: str, edit: CardEdit, position: float) -> CardInColumn:
        """Create a card. `position` counts from 0 at the top; anything beyond the end is the end."""
        edit, findings = without_secrets(edit, ("title", "labels"), ("description",))

        def attempt() -> tuple[list[Change], CardInColumn]:
            board, column = self.boards.open_column(column_id)
            now, links = self.planner.now_ms(), LinkChanges(self.planner)
            spot = self._order.spot(board.id, column.id, position)
            card = Card(
                id=self.planner.new_id(CARD),
                board=board.id,
                column=column.id,
                rank=spot.rank,
                title="",
                created_at=now,
                created_by=self.planner.actor,
                updated_at=now,
            )
            card = self._apply_edit(card, edit, column, links)
            events = self.planner.emit("item_created", "task", card.id, card_payload(card, board, column))
            found = self.planner.index_change(card_document(card))
            lost = redaction_changes(self.planner, card.id, "card", findings, now)
            changes = [*self._insert(card), self._count(column.id, 1), *lost, *links.changes(), *events, found]
            return changes, self._in_column(card, column, spot.position, 1)

        return self._write(attempt)

    def update(self, card_id: str, edit: CardEdit, revision: float | None) -> CardInColumn:
        """Edit a card; equal edits write nothing. Raises InvalidInput for an empty edit, and Conflict for an outdated
        `revision`."""
        if edit == CardEdit():
            raise InvalidInput(
                "There is nothing to change.",
                "Give title, description, dueDate, dueTime, eventLinks, labels or priority.",
            )
        edit, findings = without_secrets(edit, ("title", "labels"), ("description",))

        def attempt() -> tuple[list[Change], CardInColumn]:
            card = self.find(card_id)
            check_revision("the card", revision, card.version)
            board, column = self.boards.find_column(card.column)
            links = LinkChanges(self.planner)
            changed = self._apply_edit(card, edit, column, links)
            if changed == card:
                return [], self._in_column(card, column, self._order.position_of(card), 0)
            changed = replace(changed, version=card.version + 1, updated_at=self.planner.now_ms())
            changed, found = update_text_version(self.planner, card, changed)
            payload = card_payload(changed, board, column) | {"previous_title": card.title, "previous_due": card.due}
            events = self.planner.emit("item_updated", "task", card.id, payload)
            put = self._rows.put(changed, Equals("version", card.version) & Equals("id", card.id))
            lost = redaction_changes(self.planner, card.id, "card", findings, changed.updated_at)
            position = self._order.position_of(card)
            changes = [put, *lost, *links.changes(), *events, *found]
            return changes, self._in_column(changed, column, position, 0)._replace(claim=self._claim_of_another(card))

        return self._write(attempt)

    def move(
        self, card_id: str, column_id: str, position: float, revision: float | None, token: int | None = None
    ) -> CardInColumn:
        """Move a card. A move to a done column ends the caller's claim of it. Raises Conflict if something open blocks
        a card that moves to a done column (code blocked), and if the claim with `token` has ended (stale_claim)."""

        def attempt() -> tuple[list[Change], CardInColumn]:
            card = self.find(card_id)
            check_revision("the card", revision, card.version)
            board, column = self.boards.open_column(column_id)
            links = LinkChanges(self.planner)
            if column.done:
                links.watch(card.id)
                self._refuse_blocked(card, column)
            spot, elsewhere = self._order.spot(board.id, column.id, position, without=card.id), column.id != card.column
            claim = self._claim_changes(card, token, ends=column.done)
            if not elsewhere and self._order.position_of(card) == spot.position:
                return claim, self._in_column(card, column, spot.position, 0)
            if not elsewhere and spot.rank == card.rank:
                # Another call moved it between the two reads.
                raise ConditionFailed(0, None)
            taken_at = None if elsewhere else card.taken_at
            moved, changes = self._move_changes(card, board, column, spot.rank, taken_at)
            changes += [*links.changes(), *claim]
            placed = self._in_column(moved, column, spot.position, int(elsewhere))
            return changes, placed._replace(claim=self._claim_of_another(card))

        return self._write(attempt)

    def start(self, card: Card, board: Board, column: Column) -> tuple[list[Change], CardInColumn]:
        """Return the changes that put a card last in the working column. A card already there keeps its place."""
        now, links = self.planner.now_ms(), LinkChanges(self.planner)
        links.watch(card.id)
        if column.id == card.column:
            started = replace(card, version=card.version + 1, updated_at=now, taken_at=now)
            put = self._rows.put(started, Equals("version", card.version) & Equals("id", card.id))
            events = self.planner.emit("item_updated", "task", card.id, card_payload(started, board, column))
            changes, position = [put, *events], self._order.position_of(card)
        else:
            spot = self._order.spot(board.id, column.id, math.inf)
            # Others who start a card at the same moment would get the same rank.
            started, changes = self._move_changes(
                card, board, column, rank_just_above(spot.rank, self.planner.random_bytes), now
            )
            position = spot.position
        return [*changes, *links.changes()], self._in_column(started, column, position, int(column.id != card.column))

    def _move_changes(
        self, card: Card, board: Board, column: Column, rank: str, taken_at: int | None
    ) -> tuple[Card, list[Change]]:
        moved = replace(
            card,
            board=board.id,
            column=column.id,
            rank=rank,
            open_due=None if column.done else card.due,
            taken_at=taken_at,
            version=card.version + 1,
            updated_at=self.planner.now_ms(),
        )
        changes = [self._delete(card), *self._insert(moved)]
        if column.id != card.column:
            changes += [self._count(card.column, -1), self._count(column.id, 1)]
        payload = card_payload(moved, board, column) | self._former_place(card)
        return moved, [*changes, *self.planner.emit("item_moved", "task", card.id, payload)]

    def _claim_changes(self, card: Card, token: int | None, *, ends: bool) -> list[Change]:
        if token is None and not (ends and card.taken_at is not None):
            return []
        # Most moves need no claims.
        from almanac.families.planner.cards.take_card import claim_changes  # noqa: PLC0415

        return claim_changes(self.planner, card.id, token, ends=ends)

    def _claim_of_another(self, card: Card) -> "ClaimRecord | None":
        if card.taken_at is None:
            return None
        from almanac.families.planner.cards.take_card import claim_of_another  # noqa: PLC0415 - for taken cards

        return claim_of_another(self.planner, card.id)

    def delete(self, card_id: str, revision: float | None) -> DeletedCard:
        """Delete a card with its links."""
        left: list[UnfinishedWork] = []

        def attempt() -> tuple[list[Change], DeletedCard]:
            card, links = self.find(card_id), LinkChanges(self.planner)
            check_revision("the card", revision, card.version)
            links.drop(card.id)
            left[:] = links.left
            board, column = self.boards.find_column(card.column)
            unblocked = open_blocked(self.planner, card.id) if links.count(card.id) and not column.done else ()
            payload = card_payload(card, board, column)
            changes = [self._delete(card), self._places.delete(card.id), self._count(card.column, -1)]
            changes += [*links.changes(), *self.planner.emit("item_deleted", "task", card.id, payload)]
            changes.append(self.planner.unindex_change(card_document(card)))
            return changes, DeletedCard(card, self._claim_of_another(card), unblocked)

        deleted = self._write(attempt)
        run_now(self.planner, left)
        return deleted

    def _former_place(self, card: Card) -> dict[str, Any]:
        board, column = self.boards.find_column(card.column)
        return {f"from_{name}": value for name, value in place_payload(board, column).items()}

    def _write(self, attempt: Callable[[], tuple[list[Change], A]]) -> A:
        def once() -> A:
            changes, result = attempt()
            if changes:
                self.planner.store.write(changes)
            return result

        return self.planner.retry_on_conflict(once, "the board")

    def _apply_edit(self, card: Card, edit: CardEdit, column: Column, links: LinkChanges) -> Card:
        if edit.title is not None:
            card = replace(card, title=check_title(edit.title))
        if edit.description is not None:
            card = replace(card, description=check_body(edit.description, "description"))
        card = with_due(card, edit.due, self.planner)
        if edit.event_links is not None:
            events = tuple(dict.fromkeys(edit.event_links))
            links.relink(card.id, "task", card.event_links, events)
            card = replace(card, event_links=events)
        if edit.labels is not None:
            card = replace(card, labels=check_tags(edit.labels, "labels"))
        if edit.priority is not None:
            card = replace(card, priority=edit.priority)
        return replace(card, open_due=None if column.done else card.due)

    def _insert(self, card: Card) -> list[Change]:
        place = CardPlace(id=card.id, board=card.board, column=card.column, rank=card.rank)
        return [self._rows.insert(card), self._places.put(place)]

    def _delete(self, card: Card) -> Change:
        condition = Equals("version", card.version) & Equals("id", card.id)
        return self._rows.delete(card.board, card.column, card.rank, condition=condition)

    def _count(self, column: str, by: int) -> Change:
        return Update(self._counts.key(column), add={"cards": by})

    def _in_column(self, card: Card, column: Column, position: int, more: int) -> CardInColumn:
        cards = self._order.count(column.id) + more if column.wip_limit is not None else 0
        return CardInColumn(card, column, position, cards)

    def _refuse_blocked(self, card: Card, column: Column) -> None:
        blockers = open_blockers(self.planner, card.id)
        if blockers:
            named = ", ".join(f'"{blocker.title}" ({blocker.id})' for blocker in blockers[:3])
            more = f" and {len(blockers) - 3} more" if len(blockers) > 3 else ""
            raise Conflict(
                f'The card cannot enter "{column.title}": it is blocked by {named}{more}, not done yet.',
                "Finish what blocks it first, or remove the link with items_unlink.",
                code="blocked",
                untrusted=True,
            )


def card_payload(card: Card, board: Board, column: Column) -> dict[str, Any]:
    """Return the payload of domain events about a card: ids, and the texts that people read."""
    return {"title": card.title, "due": card.due, "due_time": card.due_time, **place_payload(board, column)}


def place_payload(board: Board, column: Column) -> dict[str, Any]:
    return {
        "board_id": board.id,
        "board_title": board.title,
        "column_id": column.id,
        "column_title": column.title,
        "is_done": column.done,
    }
