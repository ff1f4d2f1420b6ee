"""What is stored of the journal, and under which keys. Instants are milliseconds since 1970.

    P#<tenant>#<project>#planner_journal          <entry>    JournalEntry
    P#<tenant>#<project>#planner_journal_texts    <entry>    JournalText

Texts stand apart so that a list of entries does not read them. Lists and search: `search/postings.py`.
"""

from almanac.platform.store.records import Record, Table, VersionedRecord


class JournalEntry(VersionedRecord, frozen=True, kw_only=True):
    """`version` is the revision. `day` is YYYY-MM-DD; `mood` "" where none was said."""

    id: str
    title: str
    day: str
    mood: str = ""
    tags: tuple[str, ...] = ()
    excerpt: str
    body_bytes: int
    created_at: int
    created_by: str
    updated_at: int
    updated_by: str


class JournalText(Record, frozen=True, kw_only=True):
    id: str
    body: str


JOURNAL = Table(JournalEntry, "planner_journal", sort=("id",))
JOURNAL_TEXTS = Table(JournalText, "planner_journal_texts", sort=("id",))
