"""Records of the journal and their keys. Instants are milliseconds since 1970.

    P#<tenant>#<project>#planner_journal          <entry>    JournalEntry
    P#<tenant>#<project>#planner_journal_texts    <entry>    JournalText

Texts are kept apart so that a list of entries does not read them. Lists and search: `search/postings.py`.
"""

from almanac.families.planner.core.documents import Document, DocumentText
from almanac.platform.store.records import Table


class JournalEntry(Document, frozen=True, kw_only=True):
    """A journal entry. `version` is the revision. `day` is YYYY-MM-DD. `mood` is "" if there is none."""

    day: str
    mood: str = ""


class JournalText(DocumentText, frozen=True, kw_only=True):
    pass


JOURNAL = Table(JournalEntry, "planner_journal", sort=("id",))
JOURNAL_TEXTS = Table(JournalText, "planner_journal_texts", sort=("id",))
