"""Tools for notes: a tree of linked texts."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.results import Result, planner_tool, success
from almanac.families.planner.notes.deletion import Below, delete_note
from almanac.families.planner.notes.notes import NoteEdit, Notes
from almanac.families.planner.notes.reader import NoteQuery, NoteReader
from almanac.families.planner.semantic_search.similar_items import Mode, refuse_cursor, report_of
from almanac.families.planner.tools.arguments import Zone, clamp
from almanac.families.planner.tools.note_results import (
    DeleteNotesResult,
    NoteDetails,
    NoteList,
    SaveNoteResult,
    note_details,
    note_row,
    saved_note,
)
from almanac.kernel.errors import InvalidInput
from almanac.protocol.tool import Effect
from almanac.search.engine.exact_search import ExactSearch
from almanac.search.questions.port import Search

NoteId = Annotated[str, Meta(description="From notes_search.")]
Tags = Annotated[list[str], Meta(description="Tags.")]
EventLinks = Annotated[list[str], Meta(description="Ids of linked events.")]
Body = Annotated[
    str,
    Meta(description="Markdown. [[Title]] links to a note."),
]
Revision = Annotated[float | None, Meta(description="Revision you last read.")]


@planner_tool(title="Search notes", effect=Effect.READS)
def notes_search(
    q: Annotated[
        str,
        Meta(description='All these words, or a "quoted phrase".'),
    ] = "",
    tag: Annotated[str, Meta(description="Only with this tag.")] = "",
    parent_id: Annotated[str | None, Meta(description='Only directly below this note; "" for roots.')] = None,
    mode: Annotated[Mode, Meta(description='"meaning": in other words too, best first, one page.')] = "words",
    limit: Annotated[float | None, Meta(description="1 to 100.")] = None,
    cursor: Annotated[str | None, Meta(description="The last nextCursor.")] = None,
    timezone: Zone = None,
    *,
    planner: Planner,
    search: Search,
    exact: ExactSearch,
) -> Result[NoteList]:
    """Search or look up your notes: find a note, or the pages where you mention a topic or wrote about it, by words in
    title, text and tags, or by meaning. For what was said in conversations use search_memory.

    Without arguments it lists all notes, newest first.
    """
    planner = planner.in_zone_if_any(timezone)
    reader = NoteReader(Notes(planner))
    if mode == "meaning":
        refuse_cursor(cursor)
        return success(_alike(planner, reader, search, NoteQuery(q, tag, parent_id), clamp(limit, 30, 1, 100)))
    page = reader.search(NoteQuery(q, tag, parent_id), clamp(limit, 30, 1, 100), cursor, exact)
    counts = reader.children_counts([match.document for match in page.matches])
    rows = [
        note_row(planner, match.document, match.excerpt, counts.get(match.document.id, 0)) for match in page.matches
    ]
    return success(NoteList(rows, len(rows), page.cursor is not None, page.cursor, search=report_of(page.notes)))


def _alike(planner: Planner, reader: NoteReader, search: Search, query: NoteQuery, limit: int) -> NoteList:
    page = reader.find_similar(query, search, limit)
    counts = reader.children_counts([one.document for one in page.items])
    rows = [
        note_row(planner, one.document, one.excerpt, counts.get(one.document.id, 0), round(one.similarity, 3))
        for one in page.items
    ]
    return NoteList(rows, len(rows), page.cut, None, search=page.report)


@planner_tool(title="Read a note", effect=Effect.READS)
def notes_get(
    note_id: NoteId,
    version: Annotated[int | None, Meta(description="Read this earlier revision.")] = None,
    timezone: Zone = None,
    *,
    planner: Planner,
) -> Result[NoteDetails]:
    """Open a note or page and show or read it in full: its whole text, links and place in the tree, or how it looked in
    a previous version. notes_search finds its id.
    """
    planner = planner.in_zone_if_any(timezone)
    notes = Notes(planner)
    note = notes.find(note_id)
    return success(note_details(notes, note, notes.version(note, version if version is not None else note.version)))


@planner_tool(title="Make a note", effect=Effect.ADDS)
def notes_create(
    title: Annotated[str, Meta(description="Short name.")],
    body: Body = "",
    parent_id: Annotated[str | None, Meta(description='Parent note. Default "": a root.')] = None,
    tags: Tags = [],  # noqa: B006 - msgspec copies it
    event_links: EventLinks = [],  # noqa: B006
    timezone: Zone = None,
    *,
    planner: Planner,
) -> Result[SaveNoteResult]:
    """Write down or make a new note: take, create, jot down or save ideas, decisions, a recipe, text or meeting minutes
    as a page that people read and edit. For a decision that agents should recall use context_store.
    """
    planner = planner.in_zone_if_any(timezone)
    notes = Notes(planner)
    edit = NoteEdit(title=title, body=body, parent_id=parent_id, tags=tags, event_links=event_links)
    return success(saved_note(notes, notes.create(edit)))


@planner_tool(title="Edit a note", effect=Effect.SETS)
def notes_update(
    note_id: NoteId,
    title: Annotated[str | UnsetType, Meta(description="Short name.")] = UNSET,
    body: Body | UnsetType = UNSET,
    parent_id: Annotated[str | UnsetType | None, Meta(description='Parent note; null or "" makes it a root.')] = UNSET,
    tags: Tags | UnsetType = UNSET,
    event_links: EventLinks | UnsetType = UNSET,
    restore_version: Annotated[int | None, Meta(description="Restore this revision.")] = None,
    revision: Revision = None,
    timezone: Zone = None,
    *,
    planner: Planner,
) -> Result[SaveNoteResult]:
    """Edit a note or page: append, change or fix a line or paragraph, rename or tag it, put it under another page, or
    restore an earlier version. For a new page use notes_create.
    """
    planner = planner.in_zone_if_any(timezone)
    notes = Notes(planner)
    edit = NoteEdit(title=title, body=body, parent_id=parent_id, tags=tags, event_links=event_links)
    changes = edit != NoteEdit()
    if changes == (restore_version is not None):
        raise InvalidInput(
            "There is nothing to change." if not changes else "restoreVersion goes with no other change.",
            "Give at least one of title, body, parentId, tags, eventLinks, or restoreVersion alone.",
        )
    if restore_version is not None:
        return success(saved_note(notes, notes.restore(note_id, restore_version, revision)))
    return success(saved_note(notes, notes.update(note_id, edit, revision)))


@planner_tool(title="Delete a note", effect=Effect.REMOVES)
def notes_delete(
    note_id: NoteId,
    children: Annotated[
        Below,
        Meta(description="Of notes below it: cascade deletes, lift moves them up."),
    ] = "refuse",
    revision: Revision = None,
    *,
    planner: Planner,
) -> Result[DeleteNotesResult]:
    """Delete, remove, trash or get rid of an old or obsolete note or page for good. To take out only some text use
    notes_update.
    """
    removed = delete_note(planner, note_id, children, revision)
    return success(DeleteNotesResult(list(removed.notes), list(removed.lifted), removed.more or UNSET))
