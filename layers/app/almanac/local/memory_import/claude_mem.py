"""Reader of claude-mem's database: ~/.claude-mem/claude-mem.db.

Prompts of the user, observations (notes of claude-mem's model on tool uses) and summaries of sessions become turns.
They keep their time, and the session id that Claude Code gave. Active directives become pinned memories. The reader
skips claude-mem's queue, its feedback and its vectors.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec

from almanac.composition.commands.memory_import import MemoryToImport, ToImport, TurnToImport
from almanac.kernel.errors import InvalidInput
from almanac.local.memory_import.sqlite_rows import Row, columns_of, count_of, open_database, rows_of
from almanac.local.memory_import.units import Unit, fit_turn, present_fields, short

SOURCE = "claude-mem"
_SECONDS_END = 100_000_000_000
"""Timestamps below this number are in seconds, all others in milliseconds."""
_MOST_TAGS = 10
_TAG_CHARACTERS = 50
_TABLES = {
    "user_prompts": ("content_session_id", "prompt_number", "prompt_text", "created_at_epoch"),
    "observations": (
        *("memory_session_id", "project", "type", "title", "subtitle", "narrative", "text", "facts", "concepts"),
        *("files_read", "files_modified", "created_at_epoch"),
    ),
    "session_summaries": (
        *("memory_session_id", "project", "request", "investigated", "learned", "completed", "next_steps", "notes"),
        *("files_read", "files_edited", "created_at_epoch"),
    ),
    "directives": ("content", "status", "scope", "project", "created_at_epoch"),
}
_NOT_TAKEN = {
    "pending_messages": "messages of a queue that claude-mem had not worked off",
    "observation_feedback": "counts of how often an observation was used",
}


def read(source: BinaryIO) -> Iterator[Unit]:
    """Yield a unit for each row of the database that is open as `source`. Raises InvalidInput if claude-mem did not
    write it."""
    size = source.seek(0, 2)
    with open_database(Path(source.name)) as database:
        if not columns_of(database, "observations") and not columns_of(database, "user_prompts"):
            raise InvalidInput("It has no tables of claude-mem.", "Name claude-mem.db, which lies in ~/.claude-mem.")
        sessions = _sessions(database)
        total = sum(count_of(database, table) for table in _TABLES) or 1
        position = 0
        for table, columns in _TABLES.items():
            number = 0
            try:
                for row in rows_of(database, table, columns):
                    number, position = number + 1, position + 1
                    yield _unit(table, number, row, sessions, max(1, size * position // total))
            except sqlite3.DatabaseError as broken:
                problem = f"The database is damaged behind this row: {broken}."
                yield Unit(size, f"{table}, row {number}", problem=problem)
        for table, what in _NOT_TAKEN.items():
            for _ in range(count_of(database, table)):
                yield Unit(size, table, left_out=what)


def _sessions(database: sqlite3.Connection) -> dict[str, str]:
    """Return the session ids of Claude Code by those of claude-mem."""
    names = ("memory_session_id", "content_session_id")
    rows = rows_of(database, "sdk_sessions", names) if set(names) <= columns_of(database, "sdk_sessions") else ()
    return {str(row[names[0]]): str(row[names[1]]) for row in rows if row[names[0]] and row[names[1]]}


def _unit(table: str, number: int, row: Row, sessions: dict[str, str], end: int) -> Unit:
    place = f"{table}, row {number}"
    if table == "directives" and row.get("status") not in (None, "active"):
        return Unit(end, place, left_out="directives that are not active")
    item = _item(table, row, sessions)
    if not item.content.strip():
        return Unit(end, place, left_out="rows without a text")
    return Unit(end, place, (item,))


def _item(table: str, row: Row, sessions: dict[str, str]) -> ToImport:
    if table == "directives":
        metadata = present_fields(source=SOURCE, project=row.get("project"), scope=row.get("scope"))
        return MemoryToImport(content=_text(row.get("content")), pinned=True, metadata=metadata)
    if table == "user_prompts":
        return _turn("user", row, _text(row.get("prompt_text")), _text(row.get("content_session_id")))
    session = _text(row.get("memory_session_id"))
    session = sessions.get(session, session)
    if table == "observations":
        facts = [f"- {fact}" for fact in _list(row.get("facts"))]
        parts = [row.get("title"), row.get("subtitle"), row.get("narrative") or row.get("text"), "\n".join(facts)]
        tags = [_text(row.get("type")), *_list(row.get("concepts"))]
        return _turn("agent", row, _join_parts(parts), session, tags)
    names = ("request", "investigated", "learned", "completed", "next_steps", "notes")
    labelled = [f"{name.replace('_', ' ').capitalize()}: {_text(row.get(name))}" for name in names if row.get(name)]
    return _turn("agent", row, _join_parts(labelled), session, ["session-summary"])


def _turn(
    role: Literal["user", "agent"], row: Row, content: str, session: str, tags: Sequence[str] = ()
) -> TurnToImport:
    at = row.get("created_at_epoch")
    written = f"{role}\n{session}\n{at}\n{row.get('prompt_number')}\n{content}"
    return fit_turn(
        TurnToImport(
            content=content,
            role=role,
            session_id=short(session),
            client_turn_id=f"{SOURCE}:{sha256(written.encode('utf-8', 'replace')).hexdigest()[:40]}",
            occurred_at=_milliseconds(at),
            tool=SOURCE,
            tags=tuple(dict.fromkeys(tag[:_TAG_CHARACTERS] for tag in tags if tag.strip()))[:_MOST_TAGS],
            metadata=present_fields(
                source=SOURCE,
                project=row.get("project"),
                files=[*_list(row.get("files_read")), *_list(row.get("files_modified") or row.get("files_edited"))][
                    :50
                ],
            ),
        )
    )


def _milliseconds(at: Any) -> int | None:
    if not isinstance(at, (int, float)) or not 0 < at < _SECONDS_END * 1000:
        return None
    return int(at * 1000 if at < _SECONDS_END else at)


def _join_parts(parts: Sequence[Any]) -> str:
    return "\n".join(text for part in parts if (text := _text(part).strip()))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _list(value: Any) -> list[str]:
    """Return the texts in a column that holds a JSON array. Any other text is returned as the only item."""
    if not isinstance(value, str) or not value.strip():
        return []
    try:
        found = msgspec.json.decode(value, type=list[Any])
    except (ValueError, RecursionError):
        return [value]
    return [one for one in found if isinstance(one, str) and one.strip()]
