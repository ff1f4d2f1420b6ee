"""The fields that notes and journal entries share. Instants are milliseconds since 1970."""

from almanac.platform.store.records import Record, VersionedRecord


class Document(VersionedRecord, frozen=True, kw_only=True):
    """`version` is the revision. The text is stored apart, so that lists do not read it."""

    id: str
    title: str
    tags: tuple[str, ...] = ()
    excerpt: str
    body_bytes: int
    created_at: int
    created_by: str
    updated_at: int
    updated_by: str


class DocumentText(Record, frozen=True, kw_only=True):
    id: str
    body: str
