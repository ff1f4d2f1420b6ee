"""Boards and their columns. A project without a board has a default one, which is stored with its first card."""

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from almanac.families.planner.boards.ranks import rank_between
from almanac.families.planner.core.item_kinds import BOARD, COLUMN
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import BOARDS, COLUMN_COUNTS, Board, Column, ColumnCount
from almanac.kernel.errors import Conflict, LimitExceeded, NotFound
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, ConditionFailed
from almanac.platform.store.records import replace as versioned

MAX_BOARDS = 100
MAX_COLUMNS = 40
_DEFAULT_ID = BOARD + "default"
_DEFAULT_COLUMNS = (
    Column(id=COLUMN + "todo", title="To do"),
    Column(id=COLUMN + "doing", title="In progress"),
    Column(id=COLUMN + "done", title="Done", done=True),
)


class Boards:
    """The boards of one project. The default board has version 0 until it is stored."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self._rows = planner.rows(BOARDS)
        self._counts = planner.rows(COLUMN_COUNTS)

    def listed(self) -> list[Board]:
        """The boards in their order; never empty."""
        found = self._rows.query(limit=MAX_BOARDS).records
        return sorted(found, key=lambda board: (board.rank, board.id)) or [self._default()]

    def done_columns(self) -> dict[str, bool]:
        """Of every column whether it is a done column."""
        return {column.id: column.done for board in self.listed() for column in board.columns}

    def counts(self) -> dict[str, int]:
        """The number of cards by column."""
        return {one.id: one.cards for one in self._counts.every(page=1000)}

    def find(self, board_id: str) -> Board:
        """Raises NotFound."""
        board_id = board_id.strip()
        board = self._rows.get(board_id) if board_id else None
        board = board or next((one for one in self.listed() if one.id == board_id), None)
        if board is None:
            raise NotFound(f'Board not found: "{board_id[:80]}".', "kanban_list_boards lists them.")
        return board

    def find_column(self, column_id: str) -> tuple[Board, Column]:
        """Raises NotFound."""
        column_id = column_id.strip()
        for board in self.listed():
            for column in board.columns:
                if column.id == column_id:
                    return board, column
        raise NotFound(
            f'Column not found: "{column_id[:80]}".',
            "kanban_list_boards lists every column of every board, with its id.",
        )

    def open_column(self, column_id: str) -> tuple[Board, Column]:
        """A column to put a card into, on a board that is stored. Raises NotFound."""
        board, column = self.find_column(column_id)
        return self.stored(board), column

    def stored(self, board: Board) -> Board:
        """Store the default board where it is not stored yet."""
        if board.version:
            return board
        # Another call may store it first.
        with suppress(ConditionFailed):
            self.planner.store.write(self.insert(replace(board, version=1)))
        return self.find(board.id)

    def insert(self, board: Board) -> list[Change]:
        """Store a new board."""
        return [self._rows.insert(board), *self.insert_counts(board.columns, board)]

    def insert_counts(self, columns: Sequence[Column], board: Board) -> list[Change]:
        return [self._counts.insert(ColumnCount(id=column.id, board=board.id)) for column in columns]

    def delete_counts(self, columns: Sequence[Column]) -> list[Change]:
        """Delete columns; the write fails where one of them has cards."""
        return [self._counts.delete(column.id, condition=Equals("cards", 0)) for column in columns]

    def update(self, board: Board) -> Change:
        """Store a board as read and altered; the write fails where it changed since."""
        return versioned(self._rows, replace(board, updated_at=self.planner.now_ms()))

    def delete(self, board: Board) -> list[Change]:
        deletion = self._rows.delete(board.id, condition=Equals("version", board.version))
        return [deletion, *self.delete_counts(board.columns)]

    def new_board(self, title: str, columns: Sequence[Column]) -> Board:
        """A new board, last in order. Raises LimitExceeded over 100 boards."""
        boards = self.listed()
        if len(boards) >= MAX_BOARDS:
            raise LimitExceeded(f"A project has at most {MAX_BOARDS} boards.", "Delete one that is no longer used.")
        return self._board(self.planner.new_id(BOARD), title, rank_between(boards[-1].rank, None), columns)

    def columns_or_default(self, titles: Sequence[str] | None) -> tuple[Column, ...]:
        """New columns with these titles; the last one is the done column."""
        if not titles:
            titles = [column.title for column in _DEFAULT_COLUMNS]
        last = len(titles) - 1
        return tuple(
            Column(id=self.planner.new_id(COLUMN), title=title, done=at == last and at > 0)
            for at, title in enumerate(titles)
        )

    def refuse_cards(self, columns: Sequence[Column]) -> None:
        """Raises Conflict where one of the columns has cards."""
        counts = self.counts()
        for column in columns:
            if count := counts.get(column.id, 0):
                raise Conflict(
                    f'The column "{column.title}" has {count} card{"s" if count != 1 else ""}.',
                    "Move or delete its cards first.",
                    code="not_empty",
                    untrusted=True,
                )

    def _default(self) -> Board:
        return replace(self._board(_DEFAULT_ID, "Board", rank_between(None, None), _DEFAULT_COLUMNS), version=0)

    def _board(self, board_id: str, title: str, rank: str, columns: Sequence[Column]) -> Board:
        now = self.planner.now_ms()
        return Board(id=board_id, title=title, rank=rank, columns=tuple(columns), created_at=now, updated_at=now)
