"""[[Links]] in a text to notes by title, and their targets.

    [[Title]]   [[Title|as it reads here]]   [[note_01…]] by id

A link is stored with the note that had its title when the link was written. If there was none, it is stored with the
number of notes that had taken the title before. So a link survives a rename, and a dangling link leads to the next note
that takes the title.
"""

import re
from collections.abc import Iterable
from hashlib import sha256

from almanac.families.planner.core.item_kinds import NOTE
from almanac.families.planner.core.note_records import Holder, WikiLink
from almanac.families.planner.search.text import fold

MAX_LINKS = 200

_CODE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)|(`+)[^`].*?\2", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[\[([^\[\]\n|]{1,200})(?:\|[^\[\]\n]{0,200})?\]\]")
_ID = re.compile(rf"{NOTE}[0-9a-hjkmnp-tv-z]{{26}}")


def titles_in(body: str) -> dict[str, str]:
    """Return the titles that a text links to, by key. Code is skipped."""
    titles: dict[str, str] = {}
    for match in _LINK.finditer(_CODE.sub(" ", body)):
        title = " ".join(match[1].split())
        if title:
            titles.setdefault(title_key(title), title)
    return titles


def title_key(title: str) -> str:
    """Return the key of a title. It ignores case, spaces and variants of characters. For a note id it is the id
    itself."""
    folded = fold(title)
    return folded if _ID.fullmatch(folded) else sha256(folded.encode()).hexdigest()[:32]


def is_id(key: str) -> bool:
    return key.startswith(NOTE)


def target_now(link: WikiLink, holders: Iterable[Holder]) -> str | None:
    """Return the id of the current target among the notes that have or had the title and still exist."""
    in_turn = sorted(holders, key=lambda holder: holder.taken)
    if link.target is None:
        return next((holder.note for holder in in_turn if holder.taken > link.after), None)
    if any(holder.note == link.target for holder in in_turn):
        return link.target
    return current_holder(in_turn)


def current_holder(holders: Iterable[Holder]) -> str | None:
    """Return the note that has the title now. If there are several, it is the one that has had it longest."""
    in_turn = sorted(holders, key=lambda holder: holder.taken)
    return next((holder.note for holder in in_turn if not holder.former), None)
