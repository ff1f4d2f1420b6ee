"""Cards: made, changed, moved and deleted. No two cards have one place, and none is lost on the way to another."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.planner.boards.boards import Boards
from almanac.families.planner.boards.due_dates import DueEdit, with_due
from almanac.families.planner.cards.order import CardOrder
from almanac.families.planner.cards.payload import card_payload, place_payload
from almanac.families.planner.core.item_kinds import CARD
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import (
    CARD_PLACES,
    CARDS,
    COLUMN_COUNTS,
    LINKS,
    Card,
    CardPlace,
    Column,
)
from almanac.families.planner.core.revisions import check_revision
from almanac.families.planner.core.unfinished import Unfinished, run_now
from almanac.families.planner.links.blockers import open_blockers
from almanac.families.planner.links.changes import LinkChanges
from almanac.families.planner.texts.texts import checked_body, checked_title
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, ConditionFailed, Update

A = TypeVar("A")


class CardEdit(Struct, frozen=True, kw_only=True):
    """What a card is to be. None leaves a part as it is."""

    title: str | None = None
    description: str | None = None
    due: DueEdit = DueEdit()
    event_links: Sequence[str] | None = None


class Put(NamedTuple):
    """A card in its column, with the number of `cards` there, itself among them, where it has a limit."""

    card: Card
    column: Column
    position: int
    cards: int


class Cards:
    """The cards of one project."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.boards = Boards(planner)
        self._order = CardOrder(planner)
        self._rows = planner.rows(CARDS)
        self._places = planner.rows(CARD_PLACES)
        self._counts = planner.rows(COLUMN_COUNTS)
        self._links = planner.rows(LINKS)

    def find(self, card_id: str) -> Card:
        """Raises NotFound."""
        wanted = card_id.strip()
        # A card that is being moved may be gone from where it was just said to be.
        for _ in range(8):
            place = self._places.get(wanted) if wanted else None
            if place is None:
                break
            card = self._rows.get(place.board, place.column, place.rank)
            if card is not None and card.id == wanted:
                return card
        raise NotFound(f'Card not found: "{wanted[:80]}".', "kanban_list_cards lists the ids of cards.")

    def create(self, column_id: str, edit: CardEdit, position: float) -> Put:
        """The card at its place, `position` counted from 0 at the top; whatever is beyond the end is the end."""

        def attempt() -> tuple[list[Change], Put]:
            board, column = self.boards.find_column(column_id)
            board = self.boards.stored(board)
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
            card = self._edited(card, edit, column, links)
            told = self.planner.emit("item_created", "task", card.id, card_payload(card, board, column))
            changes = [*self._placed(card), self._counted(column.id, 1), *links.changes(), *told]
            return changes, self._put(card, column, spot.position, 1)

        return self._written(attempt)

    def update(self, card_id: str, edit: CardEdit, revision: float | None) -> Put:
        """Equal edits write nothing. Raises InvalidInput for an empty one, Conflict where `revision` is not that which
        stands."""
        if edit == CardEdit():
            raise InvalidInput(
                "There is nothing to change.", "Give title, description, dueDate, dueTime or eventLinks."
            )

        def attempt() -> tuple[list[Change], Put]:
            card = self.find(card_id)
            check_revision("the card", revision, card.version)
            board, column = self.boards.find_column(card.column)
            links = LinkChanges(self.planner)
            changed = self._edited(card, edit, column, links)
            if changed == card:
                return [], self._put(card, column, self._order.position_of(card), 0)
            changed = replace(changed, version=card.version + 1, updated_at=self.planner.now_ms())
            news = card_payload(changed, board, column) | {"previous_title": card.title, "previous_due": card.due}
            told = self.planner.emit("item_updated", "task", card.id, news)
            put = self._rows.put(changed, Equals("version", card.version) & Equals("id", card.id))
            return [put, *links.changes(), *told], self._put(changed, column, self._order.position_of(card), 0)

        return self._written(attempt)

    def move(self, card_id: str, column_id: str, position: float, revision: float | None) -> Put:
        """Raises Conflict (code blocked) for a done column while something that blocks the card is open."""

        def attempt() -> tuple[list[Change], Put]:
            card = self.find(card_id)
            check_revision("the card", revision, card.version)
            board, column = self.boards.find_column(column_id)
            board, links = self.boards.stored(board), LinkChanges(self.planner)
            if column.done:
                links.watch(card.id)
                self._refuse_blocked(card, column)
            spot, elsewhere = self._order.spot(board.id, column.id, position, without=card.id), column.id != card.column
            if not elsewhere and self._order.position_of(card) == spot.position:
                return [], self._put(card, column, spot.position, 0)
            if not elsewhere and spot.rank == card.rank:
                # It was moved between two of the readings.
                raise ConditionFailed(0, None)
            moved = replace(
                card,
                board=board.id,
                column=column.id,
                rank=spot.rank,
                open_due=None if column.done else card.due,
                version=card.version + 1,
                updated_at=self.planner.now_ms(),
            )
            changes = [self._left(card), *self._placed(moved), *links.changes()]
            if elsewhere:
                changes += [self._counted(card.column, -1), self._counted(column.id, 1)]
            payload = card_payload(moved, board, column) | self._came_from(card)
            changes += self.planner.emit("item_moved", "task", card.id, payload)
            return changes, self._put(moved, column, spot.position, int(elsewhere))

        return self._written(attempt)

    def delete(self, card_id: str, revision: float | None) -> Card:
        """The card as it was. Its links go with it."""

        left: list[Unfinished] = []

        def attempt() -> tuple[list[Change], Card]:
            card, links = self.find(card_id), LinkChanges(self.planner)
            check_revision("the card", revision, card.version)
            links.drop(card.id)
            left[:] = links.left
            gone = [self._left(card), self._places.delete(card.id), self._counted(card.column, -1)]
            return [
                *gone,
                *links.changes(),
                *self.planner.emit("item_deleted", "task", card.id, self._last_news(card)),
            ], card

        card = self._written(attempt)
        run_now(self.planner, left)
        return card

    def _came_from(self, card: Card) -> dict[str, Any]:
        board, column = self.boards.find_column(card.column)
        return {f"from_{name}": told for name, told in place_payload(board, column).items()}

    def _last_news(self, card: Card) -> dict[str, Any]:
        return card_payload(card, *self.boards.find_column(card.column))

    def _written(self, attempt: Callable[[], tuple[list[Change], A]]) -> A:
        def once() -> A:
            changes, result = attempt()
            if changes:
                self.planner.store.write(changes)
            return result

        return self.planner.retrying(once, "the board")

    def _edited(self, card: Card, edit: CardEdit, column: Column, links: LinkChanges) -> Card:
        if edit.title is not None:
            card = replace(card, title=checked_title(edit.title))
        if edit.description is not None:
            card = replace(card, description=checked_body(edit.description, "description"))
        card = with_due(card, edit.due, self.planner)
        if edit.event_links is not None:
            card = replace(card, event_links=self._relinked(card, tuple(dict.fromkeys(edit.event_links)), links))
        return replace(card, open_due=None if column.done else card.due)

    def _relinked(self, card: Card, events: tuple[str, ...], links: LinkChanges) -> tuple[str, ...]:
        for event in card.event_links:
            link = self._links.get(card.id, "out", "references", event) if event not in events else None
            if link is not None:
                links.remove(link)
        for event in events:
            if event not in card.event_links:
                links.add(card.id, "task", "references", event, "event")
        return events

    def _placed(self, card: Card) -> list[Change]:
        place = CardPlace(id=card.id, board=card.board, column=card.column, rank=card.rank)
        return [self._rows.insert(card), self._places.put(place)]

    def _left(self, card: Card) -> Change:
        condition = Equals("version", card.version) & Equals("id", card.id)
        return self._rows.delete(card.board, card.column, card.rank, condition=condition)

    def _counted(self, column: str, by: int) -> Change:
        return Update(self._counts.key(column), add={"cards": by})

    def _put(self, card: Card, column: Column, position: int, more: int) -> Put:
        cards = self._order.count(column.id) + more if column.wip_limit is not None else 0
        return Put(card, column, position, cards)

    def _refuse_blocked(self, card: Card, column: Column) -> None:
        blockers = open_blockers(self.planner, card.id)
        if blockers:
            named = ", ".join(f'"{one.title}" ({one.id})' for one in blockers[:3])
            more = f" and {len(blockers) - 3} more" if len(blockers) > 3 else ""
            raise Conflict(
                f'The card cannot enter "{column.title}": it is blocked by {named}{more}, not done yet.',
                "Finish what blocks it first, or remove the link with items_unlink.",
                code="blocked",
            )
