"""A family that keeps notes, keys and pages over the store, once right and in several wrong ways."""

import os
from collections.abc import Sequence
from typing import Annotated

import msgspec

from almanac.kernel.caller import Caller, Scope
from almanac.kernel.errors import Conflict, NotFound
from almanac.kernel.ids import ulid
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import ConditionFailed, Put, Store
from almanac.platform.store.records import Place, Record, Table
from almanac.protocol.family import Family, Icon
from almanac.protocol.tool import Call, Effect, Tool, tool

NoteText = Annotated[str, msgspec.Meta(description="What to keep.", min_length=1, max_length=200)]
Limit = Annotated[int, msgspec.Meta(description="At most so many.", ge=1, le=50)]
COMMON = Scope("common", "common")


class Note(Record, frozen=True, kw_only=True):
    id: str
    text: str
    author: str


class Lease(Record, frozen=True, kw_only=True):
    key: str
    holder: str


NOTES = Table(Note, "notes", sort=("id",), indexes={"gsi1": Place("notes_by_text", sort=("text", "id"))})
LEASES = Table(Lease, "leases", sort=("key",))


class ShelvedNote(msgspec.Struct):
    id: str
    text: str


class Listing(msgspec.Struct):
    notes: list[ShelvedNote]
    cursor: str | None
    total: int


class DoneResult(msgspec.Struct):
    done: bool


class Shelf:
    """Notes and leases of a caller in `Shelf.scope`."""

    def __init__(self, store: Store, call: Call, scope: Scope) -> None:
        self.store = store
        self.call = call
        self.scope = scope
        self.notes = NOTES.within(store, scope)
        self.leases = LEASES.within(store, scope)

    def new_id(self) -> str:
        return ulid(int(self.call.clock.now().timestamp() * 1000), os.urandom)


@tool(title="Add a note", effect=Effect.ADDS)
def add_note(text: NoteText, *, shelf: Shelf, caller: Caller) -> ShelvedNote:
    """Keep a note."""
    note = Note(id=shelf.new_id(), text=text, author=caller.actor)
    shelf.store.write([shelf.notes.insert(note)])
    return ShelvedNote(note.id, note.text)


@tool(title="Read a note", effect=Effect.READS)
def read_note(note_id: str, *, shelf: Shelf) -> ShelvedNote:
    """Read one note."""
    note = shelf.notes.get(note_id)
    if note is None:
        raise NotFound(f"There is no note {note_id}.")
    return ShelvedNote(note.id, note.text)


@tool(title="List notes", effect=Effect.READS)
def page_notes(limit: Limit = 2, cursor: str | None = None, *, shelf: Shelf) -> Listing:
    """List notes, page by page."""
    page = shelf.notes.query(limit=limit, cursor=cursor)
    total = len(shelf.notes.query(limit=1000).records)
    return Listing([ShelvedNote(note.id, note.text) for note in page.records], page.cursor, total)


@tool(title="Remove a note", effect=Effect.REMOVES)
def drop_note(note_id: str, *, shelf: Shelf) -> DoneResult:
    """Remove one note."""
    shelf.store.write([shelf.notes.delete(note_id)])
    return DoneResult(True)


@tool(title="Take a key", effect=Effect.SETS)
def take_key(
    key: Annotated[str, msgspec.Meta(description="What to take.", min_length=1, max_length=64)],
    *,
    shelf: Shelf,
    caller: Caller,
) -> DoneResult:
    """Take a key, so that no other caller can."""
    try:
        shelf.store.write([shelf.leases.insert(Lease(key=key, holder=caller.actor))])
    except ConditionFailed as failed:
        assert failed.item is not None
        if failed.item.attributes["holder"] != caller.actor:
            raise Conflict("The key is taken.") from failed
    return DoneResult(True)


@tool(title="Overwrite a note anywhere", effect=Effect.SETS)
def touch_note(tenant: str, project: str, note_id: str, *, shelf: Shelf) -> DoneResult:
    """Write into any named tenant, which no tool may do."""
    try:
        key = Key(Partition.in_project(Scope(tenant, project), "notes"), sort_key(note_id))
        shelf.store.write([Put(key, {"id": note_id, "text": "touched", "author": "nobody"})])
    except Conflict:
        return DoneResult(False)
    return DoneResult(True)


@tool(title="List notes by an open cursor", effect=Effect.READS)
def turn_page(cursor: str | None = None, *, shelf: Shelf) -> Listing:
    """List notes from the cursor's place, and trust the cursor, whoever sends it."""
    own = Partition.in_project(shelf.scope, "notes").text
    partition = Partition.as_stored(cursor) if cursor and cursor.startswith("P#") else Partition.as_stored(own)
    page = shelf.store.query(partition, limit=1)
    return Listing(
        [ShelvedNote(item.key.sort, str(item.attributes["text"])) for item in page.items], own, len(page.items)
    )


def open_shelves(tools: Sequence[Tool], store: Store, *, private: bool) -> Sequence[Family]:
    """The family on `store`; not `private`: all tenants share one shelf."""

    def shelf(call: Call) -> Shelf:
        return Shelf(store, call, call.caller.scope if private else COMMON)

    icon = Icon("data:image/svg+xml;base64,PHN2Zy8+", "image/svg+xml")
    return [
        Family(
            name="shelves",
            title="Shelves",
            instructions="",
            icon=icon,
            tools=tuple(tools),
            collaborators={Shelf: shelf},
        )
    ]


TOOLS = (add_note, read_note, page_notes, drop_note, take_key)
