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

    def list_boards(self) -> list[Board]:
        """Return the boards in their order. There is always at least one."""
        found = self._rows.query(limit=MAX_BOARDS).records
        return sorted(found, key=lambda board: (board.rank, board.id)) or [self._default()]

    def done_columns(self) -> dict[str, bool]:
        """Return, for each column id, whether it is a done column."""
        return {column.id: column.done for board in self.list_boards() for column in board.columns}

    def counts(self) -> dict[str, int]:
        """Return the number of cards in each column."""
        return {one.id: one.cards for one in self._counts.every(page=1000)}

    def find(self, board_id: str) -> Board:
        """Return a board by its id. Raises NotFound."""
        board_id = board_id.strip()
        board = self._rows.get(board_id) if board_id else None
        board = board or next((one for one in self.list_boards() if one.id == board_id), None)
        if board is None:
            raise NotFound(f'Board not found: "{board_id[:80]}".', "kanban_list_boards lists them.")
        return board

    def find_column(self, column_id: str) -> tuple[Board, Column]:
        """Return a column and its board. Raises NotFound."""
        column_id = column_id.strip()
        for board in self.list_boards():
            for column in board.columns:
                if column.id == column_id:
                    return board, column
        raise NotFound(
            f'Column not found: "{column_id[:80]}".',
            "kanban_list_boards lists every column of every board, with its id.",
        )

    def open_column(self, column_id: str) -> tuple[Board, Column]:
        """Return a column that can take a card, and its board, which is stored first if necessary. Raises NotFound."""
        board, column = self.find_column(column_id)
        return self.ensure_stored(board), column

    def ensure_stored(self, board: Board) -> Board:
        """Store the default board if it is not stored yet, and return the stored board."""
        if board.version:
            return board
        # Another call may store it first.
        with suppress(ConditionFailed):
            self.planner.store.write(self.insert(replace(board, version=1)))
        return self.find(board.id)

    def insert(self, board: Board) -> list[Change]:
        """Return the changes that store a new board."""
        return [self._rows.insert(board), *self.insert_counts(board.columns, board)]

    def insert_counts(self, columns: Sequence[Column], board: Board) -> list[Change]:
        return [self._counts.insert(ColumnCount(id=column.id, board=board.id)) for column in columns]

    def delete_counts(self, columns: Sequence[Column]) -> list[Change]:
        """Return the changes that delete columns. The write fails if one of them has cards."""
        return [self._counts.delete(column.id, condition=Equals("cards", 0)) for column in columns]

    def update(self, board: Board) -> Change:
        """Return the change that stores an edited board. The write fails if the board changed since it was read."""
        return versioned(self._rows, replace(board, updated_at=self.planner.now_ms()))

    def delete(self, board: Board) -> list[Change]:
        deletion = self._rows.delete(board.id, condition=Equals("version", board.version))
        return [deletion, *self.delete_counts(board.columns)]

    def new_board(self, title: str, columns: Sequence[Column]) -> Board:
        """Return a new board, last in order. Raises LimitExceeded over 100 boards."""
        boards = self.list_boards()
        if len(boards) >= MAX_BOARDS:
            raise LimitExceeded(f"A project has at most {MAX_BOARDS} boards.", "Delete one that is no longer used.")
        return self._board(self.planner.new_id(BOARD), title, rank_between(boards[-1].rank, None), columns)

    def columns_or_default(self, titles: Sequence[str] | None) -> tuple[Column, ...]:
        """Return new columns with these titles, or the default ones. The last one is the done column."""
        if not titles:
            titles = [column.title for column in _DEFAULT_COLUMNS]
        last = len(titles) - 1
        return tuple(
            Column(id=self.planner.new_id(COLUMN), title=title, done=at == last and at > 0)
            for at, title in enumerate(titles)
        )

    def refuse_cards(self, columns: Sequence[Column]) -> None:
        """Raise Conflict if one of the columns has cards."""
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
