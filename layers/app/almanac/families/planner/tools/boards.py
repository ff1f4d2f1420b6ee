"""Boards and their columns."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from almanac.families.planner.boards.boards import Boards
from almanac.families.planner.boards.edits import BoardEdit, edit_board
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import Board
from almanac.families.planner.core.results import Result, done, planner_tool
from almanac.protocol.tool import Effect


class ColumnRow(msgspec.Struct, frozen=True, rename="camel"):
    """`wip_limit` null: any number. `is_done`: cards here are finished."""

    id: str
    title: str
    position: int
    wip_limit: int | None
    is_done: bool
    card_count: int


class BoardRow(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    title: str
    position: int
    revision: int
    columns: list[ColumnRow]


class BoardList(msgspec.Struct, frozen=True, rename="camel"):
    boards: list[BoardRow]
    count: int


class EditedBoard(msgspec.Struct, frozen=True, rename="camel"):
    """`board` null: it was deleted."""

    action: str
    board: BoardRow | None


@planner_tool(title="List boards", effect=Effect.READS)
def kanban_list_boards(*, planner: Planner) -> Result[BoardList]:
    """List the boards with their columns, in order: ids, WIP limits, which column means done, how many cards each has.

    There is always a board. Call this first: the other kanban tools want ids of columns.
    """
    boards = Boards(planner)
    counts = boards.counts()
    rows = [board_row(board, at, counts) for at, board in enumerate(boards.listed())]
    return done(BoardList(rows, len(rows)))


@planner_tool(title="Edit boards and columns", effect=Effect.REMOVES)
def kanban_edit_board(
    action: Annotated[
        Literal["create_board", "update_board", "delete_board", "add_column", "update_column", "delete_column"],
        Meta(description="What to do."),
    ],
    board_id: Annotated[str | None, Meta(description="The board; for create_board leave it out.")] = None,
    column_id: Annotated[str | None, Meta(description="The column, for update_column and delete_column.")] = None,
    title: Annotated[str | None, Meta(description="Title of the board or column.")] = None,
    position: Annotated[
        float | None,
        Meta(description="Where it is to stand among the others, from 0. Default: at the end, or as it is."),
    ] = None,
    wip_limit: Annotated[int, Meta(description="Of a column: more cards only warn. 0: no limit.", ge=0, le=10000)]
    | None = None,
    is_done: Annotated[bool | None, Meta(description="Of a column: what stands there is finished.")] = None,
    columns: Annotated[
        list[str],
        Meta(description="For create_board: titles of its columns, the last for what is done.", max_length=40),
    ]
    | None = None,
    revision: Annotated[float | None, Meta(description="The board's revision that you read.")] = None,
    *,
    planner: Planner,
) -> Result[EditedBoard]:
    """Create, rename, reorder or delete a board or a column, or set a column's WIP limit or whether it means done.

    Boards and columns are deleted only when they have no cards.
    """
    asked = BoardEdit(
        action=action,
        board_id=board_id,
        column_id=column_id,
        title=title,
        position=position,
        wip_limit=wip_limit,
        is_done=is_done,
        columns=columns,
        revision=revision,
    )
    board = edit_board(planner, asked)
    if board is None:
        return done(EditedBoard(action, None))
    boards = Boards(planner)
    at = next((at for at, one in enumerate(boards.listed()) if one.id == board.id), 0)
    return done(EditedBoard(action, board_row(board, at, boards.counts())))


def board_row(board: Board, position: int, counts: dict[str, int]) -> BoardRow:
    columns = [
        ColumnRow(
            id=column.id,
            title=column.title,
            position=at,
            wip_limit=column.wip_limit,
            is_done=column.done,
            card_count=counts.get(column.id, 0),
        )
        for at, column in enumerate(board.columns)
    ]
    return BoardRow(board.id, board.title, position, board.version, columns)
