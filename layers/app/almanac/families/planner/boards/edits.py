"""Edits of boards and columns."""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.planner.boards.boards import MAX_COLUMNS, Boards
from almanac.families.planner.boards.done_columns import open_cards_work
from almanac.families.planner.boards.ranks import rank_between
from almanac.families.planner.core.item_kinds import COLUMN
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import Board, Column
from almanac.families.planner.core.revisions import check_revision
from almanac.families.planner.core.unfinished_work import UnfinishedWork, run_now, work_changes
from almanac.families.planner.texts.redacted_texts import without_secrets
from almanac.families.planner.texts.texts import check_title
from almanac.kernel.errors import InvalidInput, LimitExceeded
from almanac.platform.store.port import Change

Action = Literal["create_board", "update_board", "delete_board", "add_column", "update_column", "delete_column"]


class BoardEdit(Struct, frozen=True, kw_only=True):
    """An edit of a board or column. `wip_limit` 0 means no limit; `position` counts from 0."""

    action: Action
    board_id: str | None = None
    column_id: str | None = None
    title: str | None = None
    position: float | None = None
    wip_limit: int | None = None
    is_done: bool | None = None
    columns: Sequence[str] | None = None
    revision: float | None = None


def edit_board(planner: Planner, edit: BoardEdit) -> Board | None:
    """Edit a board or a column and return the board, None for a deleted one.

    Raises NotFound, InvalidInput, and Conflict for a column with cards or an outdated `revision`.
    """
    boards = Boards(planner)
    edit, _ = without_secrets(edit, ("title", "columns"))
    if edit.action == "create_board":
        return _create(boards, edit)

    def attempt() -> tuple[Board | None, list[UnfinishedWork]]:
        board = _board_of(boards, edit)
        check_revision("the board", edit.revision, board.version)
        board = boards.ensure_stored(board)
        changed, changes = _EDITS[edit.action](boards, board, edit)
        changes_meaning = edit.action == "update_column" and edit.is_done is not None
        works = [open_cards_work(board, (edit.column_id or "").strip())] if changes_meaning else []
        planner.store.write([*changes, *(change for work in works for change in work_changes(planner, work))])
        return changed, works

    changed, works = planner.retry_on_conflict(attempt, "the board")
    run_now(planner, works)
    return boards.find(changed.id) if changed is not None else None


def _create(boards: Boards, edit: BoardEdit) -> Board:
    if boards.list_boards()[0].version == 0:
        # Store the default board before the first other one, because cards may be on their way there.
        boards.ensure_stored(boards.list_boards()[0])
    columns = boards.columns_or_default([check_title(title, "title of a column") for title in edit.columns or ()])
    board = boards.new_board(check_title(edit.title or "", "title"), columns)
    if edit.position is not None:
        board = replace(board, rank=_board_rank(boards, board, edit.position))
    boards.planner.store.write(boards.insert(board))
    return board


def _board_of(boards: Boards, edit: BoardEdit) -> Board:
    if edit.board_id is not None:
        return boards.find(edit.board_id)
    if edit.column_id is not None:
        return boards.find_column(edit.column_id)[0]
    if edit.action in ("update_column", "delete_column"):
        raise _no_column()
    raise InvalidInput("boardId is missing.", "kanban_list_boards lists the ids of boards.", path="boardId")


def _update(boards: Boards, board: Board, edit: BoardEdit) -> tuple[Board, list[Change]]:
    if edit.title is None and edit.position is None:
        raise InvalidInput("There is nothing to change.", "Give title or position.")
    if edit.title is not None:
        board = replace(board, title=check_title(edit.title))
    if edit.position is not None:
        board = replace(board, rank=_board_rank(boards, board, edit.position))
    return board, [boards.update(board)]


def _delete(boards: Boards, board: Board, edit: BoardEdit) -> tuple[None, list[Change]]:
    del edit
    boards.refuse_cards(board.columns)
    return None, boards.delete(board)


def _add_column(boards: Boards, board: Board, edit: BoardEdit) -> tuple[Board, list[Change]]:
    if len(board.columns) >= MAX_COLUMNS:
        raise LimitExceeded(f"A board has at most {MAX_COLUMNS} columns.", "Delete one, or use another board.")
    column = Column(
        id=boards.planner.new_id(COLUMN),
        title=check_title(edit.title or ""),
        wip_limit=edit.wip_limit or None,
        done=bool(edit.is_done),
    )
    board = replace(board, columns=_with_column(board.columns, column, edit.position))
    return board, [boards.update(board), *boards.insert_counts([column], board)]


def _update_column(boards: Boards, board: Board, edit: BoardEdit) -> tuple[Board, list[Change]]:
    column = _column(board, edit, boards)
    if (edit.title, edit.position, edit.wip_limit, edit.is_done) == (None, None, None, None):
        raise InvalidInput("There is nothing to change.", "Give at least one of title, position, wipLimit, isDone.")
    if edit.title is not None:
        column = replace(column, title=check_title(edit.title))
    if edit.wip_limit is not None:
        column = replace(column, wip_limit=edit.wip_limit or None)
    if edit.is_done is not None:
        column = replace(column, done=edit.is_done)
    if edit.position is None:
        columns = tuple(column if one.id == column.id else one for one in board.columns)
    else:
        columns = _with_column([one for one in board.columns if one.id != column.id], column, edit.position)
    board = replace(board, columns=columns)
    return board, [boards.update(board)]


def _delete_column(boards: Boards, board: Board, edit: BoardEdit) -> tuple[Board, list[Change]]:
    column = _column(board, edit, boards)
    if len(board.columns) == 1:
        raise InvalidInput("A board keeps at least one column.", "Use delete_board to delete the board.")
    boards.refuse_cards([column])
    board = replace(board, columns=tuple(one for one in board.columns if one.id != column.id))
    return board, [boards.update(board), *boards.delete_counts([column])]


def _column(board: Board, edit: BoardEdit, boards: Boards) -> Column:
    if edit.column_id is None:
        raise _no_column()
    found_on, column = boards.find_column(edit.column_id)
    if found_on.id != board.id:
        hint = f'It is on "{found_on.title}".'
        raise InvalidInput("The column is on another board.", hint, path="columnId", untrusted=True)
    return column


def _no_column() -> InvalidInput:
    return InvalidInput("columnId is missing.", "kanban_list_boards lists the ids of columns.", path="columnId")


def _with_column(columns: Sequence[Column], column: Column, position: float | None) -> tuple[Column, ...]:
    at = len(columns) if position is None else int(min(max(position, 0), len(columns)))
    return (*columns[:at], column, *columns[at:])


def _board_rank(boards: Boards, board: Board, position: float) -> str:
    ranks = [one.rank for one in boards.list_boards() if one.id != board.id]
    at = int(min(max(position, 0), len(ranks)))
    return rank_between(ranks[at - 1] if at else None, ranks[at] if at < len(ranks) else None)


_EDITS: dict[Action, Callable[[Boards, Board, BoardEdit], tuple[Board | None, list[Change]]]] = {
    "update_board": _update,
    "delete_board": _delete,
    "add_column": _add_column,
    "update_column": _update_column,
    "delete_column": _delete_column,
}
