"""The events that a note references, each also a link between the two."""

from collections.abc import Sequence

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import LINKS
from almanac.families.planner.links.changes import LinkChanges
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.port import Change

MAX_AT_ONCE = 12
"""Each takes several changes of the one write that a note is saved with."""


def relinked(planner: Planner, note_id: str, old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The changes by which the note references `new` instead of `old`. Raises NotFound for an event that is none,
    InvalidInput where more than 12 come or go."""
    if len(set(old) ^ set(new)) > MAX_AT_ONCE:
        raise InvalidInput(
            f"More than {MAX_AT_ONCE} event links would change at once.", "Change fewer per call.", path="eventLinks"
        )
    links = LinkChanges(planner)
    rows = planner.rows(LINKS)
    for event in old:
        if event not in new and (link := rows.get(note_id, "out", "references", event)) is not None:
            links.remove(link)
    for event in new:
        if event not in old:
            links.add(note_id, "note", "references", event, "event")
    return links.changes()
