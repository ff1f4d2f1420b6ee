"""Readers of memories from mem0 and mcp-memory-service: the exports of both, and the database of the latter.

For mem0, the file can be the answer of get_all or the export of the platform ({"results": [{"id", "memory", "metadata",
"created_at", ...}]}, or the array alone). It can also have one memory on each line, or be the archive that OpenMemory
makes (memories.json, memories.jsonl.gz). For mcp-memory-service, it can be {"export_metadata", "memories": [{"content",
"content_hash", "tags", "memory_type", "metadata", "created_at", ...}]}, or sqlite_vec.db with the same fields in the
table memories.

Each record becomes a memory, or a turn if it is too long for a memory. The readers skip vectors, and memories that were
deleted, archived or replaced in the other program. The import also skips memories that have expired.
"""

import gzip
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec

from almanac.composition.commands.memory_import import MemoryToImport, ToImport, TurnToImport
from almanac.kernel.errors import InvalidInput
from almanac.local.memory_import.json_array import elements_of
from almanac.local.memory_import.lines import Line, lines_of, units_of
from almanac.local.memory_import.sqlite_rows import columns_of, count_of, open_database, rows_of
from almanac.local.memory_import.units import WHOLE, LeftOut, Unit, Unreadable, fit_turn, instant, present_fields

_CHUNK = 1024 * 1024
_ARRAY = re.compile(rb'"(?:results|memories|records)"\s{0,1000}:\s{0,1000}\[')
_OVERLAP = 4096
_MEMORY_BYTES = 4096
"""Size above which a record becomes a turn instead of a memory."""
_METADATA_BYTES = 8 * 1024
_MOST_TAGS = 20
_TAG_CHARACTERS = 64
_SECONDS_END = 100_000_000_000
_COLUMNS = ("content", "content_hash", "tags", "memory_type", "metadata", "created_at", "deleted_at", "superseded_by")
_IDS = ("user_id", "agent_id", "run_id", "app_id", "app", "actor_id")
_DATABASE, _ARCHIVE, _PACKED = WHOLE


def read_mem0(source: BinaryIO) -> Iterator[Unit]:
    return _read(source, "mem0")


def read_service(source: BinaryIO) -> Iterator[Unit]:
    return _read(source, "mcp-memory-service")


def _read(source: BinaryIO, name: str) -> Iterator[Unit]:
    begin = source.read(_CHUNK)
    size = source.seek(0, 2)
    source.seek(0)
    if begin.startswith(_DATABASE):
        yield from _of_database(Path(source.name), size, name)
    elif begin.startswith(_ARCHIVE):
        yield from _of_archive(source, size, name)
    elif begin.startswith(_PACKED):
        with gzip.GzipFile(fileobj=source) as packed:
            yield from _of_packed(packed, size, name)
    elif _is_lines(begin):
        yield from units_of(lines_of(source), lambda _, value: (_item(value, name),))
    else:
        yield from _of_array(source, name)
        source.seek(0, 2)


def _is_lines(begin: bytes) -> bool:
    """Tell whether the file has one memory on each line, judging by its first line."""
    first = begin.lstrip(b"\xef\xbb\xbf \t\r\n").split(b"\n", 1)[0]
    try:
        value = msgspec.json.decode(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not _ARRAY.search(first) and bool(_content(cast("dict[str, Any]", value)))


def _of_array(source: BinaryIO, name: str) -> Iterator[Unit]:
    offset = _array_in(source)
    if offset is None:
        raise InvalidInput("It holds no memories.", f"Name a file that {name} exported.")
    source.seek(offset)
    numbers: dict[int, int] = {}

    def lines() -> Iterator[Line]:
        for element in elements_of(source):
            numbers[0] = element.number
            yield Line(element.number, offset + element.end, element.text)

    for unit in units_of(lines(), lambda _, value: (_item(value, name),)):
        yield unit._replace(place=f"memory {numbers[0]}")


def _array_in(source: BinaryIO) -> int | None:
    """Return the offset of the array of memories, or None. The array is the whole file or a member of its object."""
    begin = source.read(_OVERLAP)
    if begin.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        return begin.index(b"[")
    window, start = begin, 0
    while True:
        if (found := _ARRAY.search(window)) is not None:
            return start + found.end() - 1
        more = source.read(_CHUNK)
        if not more:
            return None
        start += max(0, len(window) - _OVERLAP)
        window = window[-_OVERLAP:] + more


def _of_packed(packed: gzip.GzipFile, size: int, name: str) -> Iterator[Unit]:
    try:
        for unit in units_of(lines_of(cast(BinaryIO, packed)), lambda _, value: (_item(value, name),)):
            yield unit._replace(end=max(1, min(size, unit.end)))
    except (OSError, EOFError, zlib.error):
        yield Unit(size, "the end", problem="The file is damaged or cut: what was before is imported.")


def _of_archive(source: BinaryIO, size: int, name: str) -> Iterator[Unit]:
    try:
        with zipfile.ZipFile(source) as archive:
            names = {Path(member).name: member for member in archive.namelist()}
            member = names.get("memories.jsonl.gz")
            if member is None:
                raise InvalidInput("memories.jsonl.gz is not in the archive.", "Export it anew, or name a JSON file.")
            with archive.open(member) as packed, gzip.GzipFile(fileobj=packed) as lines:
                yield from _of_packed(lines, size, name)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        raise InvalidInput("The archive is damaged or encrypted.", "Export it anew.") from None


def _of_database(file: Path, size: int, name: str) -> Iterator[Unit]:
    with open_database(file) as database:
        if not {"content", "content_hash"} <= columns_of(database, "memories"):
            raise InvalidInput(f"It has no table of {name}.", "Name its sqlite_vec.db, or a JSON file it exported.")
        total, number = count_of(database, "memories") or 1, 0
        try:
            for row in rows_of(database, "memories", _COLUMNS):
                number += 1
                end, place = max(1, size * number // total), f"memories, row {number}"
                try:
                    yield Unit(end, place, (_item(row, name),))
                except LeftOut as reason:
                    yield Unit(end, place, left_out=str(reason))
                except Unreadable as problem:
                    yield Unit(end, place, problem=str(problem))
        except sqlite3.DatabaseError as broken:
            problem = f"The database is damaged behind this row: {broken}."
            yield Unit(size, f"memories, row {number}", problem=problem)


def _content(record: Mapping[str, Any]) -> str:
    payload = record.get("source_payload")
    found = [record.get(name) for name in ("memory", "content", "data", "text")]
    if isinstance(payload, dict):
        found.append(cast("dict[str, Any]", payload).get("data"))
    return next((one for one in found if isinstance(one, str) and one.strip()), "")


def _item(value: Any, name: str) -> ToImport:
    """Return the memory or turn that a record becomes. Raises LeftOut and Unreadable."""
    if not isinstance(value, Mapping):
        raise Unreadable("It is not a JSON object.")
    record = cast("Mapping[str, Any]", value)
    _leave_out(record)
    content = _content(record)
    if not content:
        raise Unreadable("It has no text: memory or content is missing.")
    at = _instant(record.get("created_at"))
    created = None if at is None else datetime.fromtimestamp(at / 1000, UTC).isoformat()
    own = {key: record[key] for key in _IDS if isinstance(record.get(key), str)}
    theirs = _metadata(record.get("metadata"))
    known = present_fields(
        source=name, source_id=record.get("id") or record.get("content_hash"), created_at=created, **own
    )
    metadata = {**theirs, **known}
    tags = _tags(record.get("tags"), record.get("categories"), record.get("memory_type"))
    if len(content.encode("utf-8", "replace")) <= _MEMORY_BYTES:
        ends = _instant(record.get("expiration_date"))
        return MemoryToImport(content=content, tags=tags, metadata=metadata, expires_at=ends)
    digest = sha256(f"{known.get('source_id')}\n{content}".encode("utf-8", "replace")).hexdigest()[:40]
    turn_id = f"{name}:{digest}"
    return fit_turn(TurnToImport(content=content, client_turn_id=turn_id, occurred_at=at, tool=name, metadata=metadata))


def _leave_out(record: Mapping[str, Any]) -> None:
    if record.get("deleted_at") is not None or record.get("state") == "deleted":
        raise LeftOut("deleted there")
    if record.get("archived_at") is not None or record.get("state") == "archived":
        raise LeftOut("archived there")
    if record.get("superseded_by"):
        raise LeftOut("replaced there by a later memory")


def _instant(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str):
        text = value.strip()
        # These programs mean UTC when they write a time without an offset, or a date alone.
        return instant(text) or instant(f"{text}+00:00") or instant(f"{text}T00:00:00+00:00")
    if not 0 < value < _SECONDS_END * 1000:
        return None
    return int(value * 1000 if value < _SECONDS_END else value)


def _metadata(value: Any) -> dict[str, Any]:
    """Return the texts, numbers, booleans and lists of texts in a record's metadata, which may be an object or JSON in
    a text. Return {} if they are too large."""
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except (ValueError, RecursionError):
            return {}
    if not isinstance(value, dict):
        return {}
    flat: dict[str, Any] = {
        str(key): one
        for key, one in cast("dict[Any, Any]", value).items()
        if isinstance(one, (str, int, float, bool)) or (isinstance(one, list) and _are_texts(cast("list[Any]", one)))
    }
    return flat if len(msgspec.json.encode(flat)) <= _METADATA_BYTES else {}


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(one, str) for one in values)


def _tags(*values: Any) -> tuple[str, ...]:
    """Return the distinct tags from lists, from JSON arrays in texts, and from texts with commas."""
    found: list[str] = []
    for each in values:
        if isinstance(each, str) and each.lstrip().startswith("["):
            try:
                found += msgspec.json.decode(each, type=list[str])
                continue
            except (ValueError, RecursionError):
                pass
        parts = each.split(",") if isinstance(each, str) else cast("list[Any]", each) if isinstance(each, list) else ()
        found += [part for part in parts if isinstance(part, str)]
    return tuple(dict.fromkeys(one.strip()[:_TAG_CHARACTERS] for one in found if one.strip()))[:_MOST_TAGS]
