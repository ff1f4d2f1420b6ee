"""Delete a project in one transaction: all but the places of its documents, which nothing names.

Other processes keep columns by place and revision; so a place stays, as that of a document that is gone.
"""

# Statements are put together from names of columns only; every value is a parameter.
# ruff: noqa: S608

import sqlite3

from almanac.kernel.caller import Scope
from almanac.platform.search.sqlite.files.schema import PLACE_BITS, REMOVED
from almanac.platform.search.sqlite.writer import Change

_COLLECTIONS = "SELECT number, revision + 1 FROM collections WHERE tenant = ? AND project = ?"
_BLANK = f"""UPDATE documents SET id = char(1) || key, version = -1, state = {REMOVED}, revision = ?,
    kind = '', session = '', position = 0, role = '', speaker = '', at = 0, tags = '[]', fields = '{{}}',
    asks = 0, names = 0, title_length = 0, title_kept = 0, text_length = 0, text_kept = 0 WHERE collection = ?"""
_ADVANCE = "UPDATE collections SET revision = ? WHERE number = ?"


def forgetting(scope: Scope) -> Change:
    def change(connection: sqlite3.Connection) -> None:
        for number, revision in connection.execute(_COLLECTIONS, (scope.tenant, scope.project)).fetchall():
            keys = (number << PLACE_BITS, (number + 1) << PLACE_BITS)
            connection.execute("DELETE FROM postings WHERE collection = ?", (number,))
            for table in ("texts", "contexts"):
                connection.execute(f"DELETE FROM {table} WHERE key >= ? AND key < ?", keys)
            connection.execute(_BLANK, (revision, number))
            connection.execute(_ADVANCE, (revision, number))

    return change
