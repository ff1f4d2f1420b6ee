"""Fields that notes and journal entries share. Instants are milliseconds since 1970."""

from almanac.platform.store.records import Record, VersionedRecord


class Document(VersionedRecord, frozen=True, kw_only=True):
    """Common fields of notes and journal entries. `version` is the revision. The text is stored separately, so that
    lists do not read it. `has_word_postings`: an earlier version wrote a posting per word, which the next change
    deletes."""

    id: str
    title: str
    tags: tuple[str, ...] = ()
    excerpt: str
    body_bytes: int
    created_at: int
    created_by: str
    updated_at: int
    updated_by: str
    has_word_postings: bool = True


class DocumentText(Record, frozen=True, kw_only=True):
    id: str
    body: str
