"""What is stored of notes, and under which keys. Instants are milliseconds since 1970.

    P#<tenant>#<project>#planner_notes                     <note>        Note
    P#<tenant>#<project>#planner_note_texts                <note>        NoteText
    P#<tenant>#<project>#planner_note_branches             <note>        NoteBranch
    P#<tenant>#<project>#planner_note_versions#<note>      <revision>    NoteVersion, the last 20
    P#<tenant>#<project>#planner_note_titles               <title key>   NoteTitle

Texts stand apart so that a list of notes does not read them. Lists and search: `search/postings.py`. A title outlives
its notes, for the links that are written to it.
"""

from msgspec import Struct

from almanac.platform.store.records import Record, Table, VersionedRecord

KEPT_VERSIONS = 20
FORMER_TITLES = 10
MAX_HOLDERS = 100
ROOTS = ""


class WikiLink(Struct, frozen=True):
    """`title` as written; `key` is its `title_key`. `target` is the id of the note that had the title then, None where
    none had; `after` counts the notes that had taken it before."""

    title: str
    key: str
    target: str | None = None
    after: int = 0


class Holder(Struct, frozen=True):
    """A note that took the title as number `taken`. `former`: it has another one now."""

    taken: int
    note: str
    former: bool = False


class Note(VersionedRecord, frozen=True, kw_only=True):
    """`version` is the revision. `parent_id` "" is a root. `titles` are the keys of the titles that it has or had, the
    last one being that of its title."""

    id: str
    title: str
    parent_id: str
    tags: tuple[str, ...] = ()
    event_links: tuple[str, ...] = ()
    links: tuple[WikiLink, ...] = ()
    titles: tuple[str, ...]
    excerpt: str
    body_bytes: int
    created_at: int
    created_by: str
    updated_at: int
    updated_by: str


class NoteText(Record, frozen=True, kw_only=True):
    id: str
    body: str


class NoteBranch(Record, frozen=True, kw_only=True):
    """How many notes hang directly below: apart, because it is no change to the note."""

    id: str
    children: int = 0


class NoteVersion(Record, frozen=True, kw_only=True):
    """What a note said at `revision`."""

    note: str
    revision: int
    title: str
    body: str
    tags: tuple[str, ...]
    updated_at: int
    updated_by: str


class NoteTitle(VersionedRecord, frozen=True, kw_only=True):
    """`taken` counts the notes that ever took the title; the first 100 that still exist are its holders."""

    key: str
    taken: int = 0
    holders: tuple[Holder, ...] = ()


NOTES = Table(Note, "planner_notes", sort=("id",))
NOTE_TEXTS = Table(NoteText, "planner_note_texts", sort=("id",))
NOTE_BRANCHES = Table(NoteBranch, "planner_note_branches", sort=("id",))
NOTE_VERSIONS = Table(NoteVersion, "planner_note_versions", partition=("note",), sort=("revision",))
NOTE_TITLES = Table(NoteTitle, "planner_note_titles", sort=("key",))
