"""Tables of an index in SQLite, and functions that make a file of them and connect to it.

A collection holds the documents of one profile of a project. Each document has a place, counted from 0. It keeps the
place as long as the file exists, even after its removal. `key` is collection << 32 | place. Postings are stored in
blobs of 1,024 places (see postings.py), so writing a document takes one small statement for each of its terms.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from almanac.platform.store.sqlite.schema import Synchronous, use_wal

FORMAT = 2
_APPLICATION = 0x416C5378  # "AlSx" marks a file of this program

PLACE_BITS = 32
BLOCK_BITS = 10
REMOVED, BARE, ENRICHED = 0, 1, 2
"""States of a document: removed, without its context, and with its context."""

_TABLES = (
    """CREATE TABLE collections (
         number INTEGER PRIMARY KEY, tenant TEXT NOT NULL, project TEXT NOT NULL, profile TEXT NOT NULL,
         places INTEGER NOT NULL, revision INTEGER NOT NULL, UNIQUE (tenant, project, profile))""",
    """CREATE TABLE documents (
         key INTEGER PRIMARY KEY, collection INTEGER NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL,
         state INTEGER NOT NULL, revision INTEGER NOT NULL, kind TEXT NOT NULL, session TEXT NOT NULL,
         position INTEGER NOT NULL, role TEXT NOT NULL, speaker TEXT NOT NULL, at INTEGER NOT NULL,
         tags TEXT NOT NULL, fields TEXT NOT NULL, asks INTEGER NOT NULL, names INTEGER NOT NULL,
         title_length INTEGER NOT NULL, title_kept INTEGER NOT NULL,
         text_length INTEGER NOT NULL, text_kept INTEGER NOT NULL)""",
    "CREATE UNIQUE INDEX documents_id ON documents (collection, id)",
    "CREATE INDEX documents_revision ON documents (collection, revision)",
    f"CREATE INDEX documents_bare ON documents (collection, at) WHERE state = {BARE}",
    """CREATE TABLE texts (
         key INTEGER PRIMARY KEY, title_pieces BLOB NOT NULL, title_vector BLOB NOT NULL,
         text_pieces BLOB NOT NULL, text_vector BLOB NOT NULL, title_terms BLOB NOT NULL, text_terms BLOB NOT NULL,
         words BLOB NOT NULL)""",
    """CREATE TABLE contexts (
         key INTEGER PRIMARY KEY, title_vector BLOB NOT NULL, text_vector BLOB NOT NULL,
         title_bits BLOB NOT NULL, text_bits BLOB NOT NULL)""",
    """CREATE TABLE postings (
         collection INTEGER NOT NULL, field INTEGER NOT NULL, term TEXT NOT NULL, block INTEGER NOT NULL,
         body BLOB NOT NULL, PRIMARY KEY (collection, field, term, block)) WITHOUT ROWID""",
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
)


REMOVED_INDEX = f"CREATE INDEX IF NOT EXISTS documents_removed ON documents (at) WHERE state = {REMOVED}"
"""Index for deleting removed documents. Their `at` is the time of removal, 0 if an earlier version wrote it."""


def dropped_fact(collection: int) -> str:
    """Return the name of the fact that holds the last revision of a collection's deleted places."""
    return f"dropped {collection}"


class Foreign(sqlite3.DatabaseError):
    """The file is intact, but it is not an index of this format."""

    sqlite_errorcode = sqlite3.SQLITE_NOTADB


def make(path: Path) -> None:
    """Make the file, which must not exist yet. Raises FileExistsError."""
    path.open("xb").close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # Set before the first table. Only then can `Generation.shrink` return space to the disk.
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("BEGIN")
        for statement in _TABLES:
            connection.execute(statement)
        connection.execute(REMOVED_INDEX)
        connection.execute(f"PRAGMA application_id={_APPLICATION}")
        connection.execute(f"PRAGMA user_version={FORMAT}")
        connection.execute("COMMIT")


def connect(path: Path, synchronous: Synchronous, busy_seconds: float) -> sqlite3.Connection:
    """Connect to an existing file, for use by one thread at a time.

    It does not create a file, because another process may just have deleted it.
    """
    address = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, timeout=busy_seconds, isolation_level=None, check_same_thread=False, uri=True)
    try:
        use_wal(connection, busy_seconds)
        connection.execute(f"PRAGMA synchronous={synchronous}")
        connection.execute("PRAGMA cache_size=-8000")  # in kB; a search reads some 2,000 kB, scattered
        # In pages of 4 kB. Pages that many transactions change, such as those of common words, are written back once.
        connection.execute("PRAGMA wal_autocheckpoint=16000")
        # Overwrite deleted contents, so that removed words do not stay in the file.
        connection.execute("PRAGMA secure_delete=ON")
        _check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if (application, version) != (_APPLICATION, FORMAT):
        raise Foreign(f"application {application:#x}, format {version}")
