"""Records of notes and their keys. Instants are milliseconds since 1970.

    P#<tenant>#<project>#planner_notes                     <note>        Note
    P#<tenant>#<project>#planner_note_texts                <note>        NoteText
    P#<tenant>#<project>#planner_note_branches             <note>        NoteBranch
    P#<tenant>#<project>#planner_note_versions#<note>      <revision>    NoteVersion, the last 20
    P#<tenant>#<project>#planner_note_titles               <title key>   NoteTitle

Texts are kept apart so that a list of notes does not read them. Lists and search: `search/postings.py`. A title
outlives its notes, for the links to it.
"""

from msgspec import Struct

from almanac.families.planner.core.documents import Document, DocumentText
from almanac.platform.store.records import Place, Record, Table, VersionedRecord

KEPT_VERSIONS = 20
FORMER_TITLES = 10
MAX_HOLDERS = 100
ROOTS = ""


class WikiLink(Struct, frozen=True):
    """A link to a note. `title` is as written, and `key` its `title_key`. `target` is the id of the note that had the
    title when the link was written; None if there was none. `after` counts the notes that had taken the title by
    then."""

    title: str
    key: str
    target: str | None = None
    after: int = 0


class Holder(Struct, frozen=True):
    """The note that took the title as number `taken`. `former`: it has another title now."""

    taken: int
    note: str
    former: bool = False


class Note(Document, frozen=True, kw_only=True):
    """A note. `version` is the revision. `parent_id` "" means a root. `titles` are the keys of its former titles and,
    last, its current one."""

    parent_id: str
    event_links: tuple[str, ...] = ()
    links: tuple[WikiLink, ...] = ()
    titles: tuple[str, ...]


class NoteText(DocumentText, frozen=True, kw_only=True):
    pass


class NoteBranch(Record, frozen=True, kw_only=True):
    """The number of notes directly below a note. It is stored separately, because it does not change the note's
    revision."""

    id: str
    children: int = 0


class NoteVersion(Record, frozen=True, kw_only=True):
    """The contents of a note at `revision`. `until` is the time of the next revision; None in versions from before that
    was stored."""

    note: str
    revision: int
    title: str
    body: str
    tags: tuple[str, ...]
    updated_at: int
    updated_by: str
    until: int | None = None


class NoteTitle(VersionedRecord, frozen=True, kw_only=True):
    """A title. `taken` counts all notes that ever took it. `holders` are the first 100 that still exist."""

    key: str
    taken: int = 0
    holders: tuple[Holder, ...] = ()


NOTES = Table(Note, "planner_notes", sort=("id",))
NOTE_TEXTS = Table(NoteText, "planner_note_texts", sort=("id",))
NOTE_BRANCHES = Table(NoteBranch, "planner_note_branches", sort=("id",))
NOTE_VERSIONS = Table(
    NoteVersion,
    "planner_note_versions",
    partition=("note",),
    sort=("revision",),
    indexes={"gsi1": Place("planner_notes_changed", sort=("until", "note"))},
)
NOTE_TITLES = Table(NoteTitle, "planner_note_titles", sort=("key",))
