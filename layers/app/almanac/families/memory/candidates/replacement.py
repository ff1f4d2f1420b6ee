"""Close pending candidates that a later one of the same kind replaces, so that a reviewer sees only the final form.

Both candidates stay stored and name each other. The earlier one waits again if the later one is rejected, or if the
turn of the later one is forgotten.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.candidates.current_statements import REPLACEABLE
from almanac.families.memory.candidates.later_words import gives_another_value, surely_replaces
from almanac.families.memory.candidates.records import CANDIDATES, Candidate
from almanac.families.memory.core.memory import MemoryProject

_PENDING_READ = 100
"""Number of latest pending candidates that are compared with those of a turn."""
MOST_REPLACED = 5
"""Most candidates that those of one turn close, because all of it is one write."""
_NEXT_WITHIN_MS = 30 * 60 * 1000
"""Most time between two choices of a talk of which the second need not name what it is about."""
_STANDING = ("pending", "accepted")
_HOLDING = (*_STANDING, "superseded")


class Replacements(Struct, frozen=True):
    """Candidates after replacement. `own` are those of a turn, as they are to be stored.

    `others` are the stored candidates that change, and `before` are the same as they were read."""

    own: Sequence[Candidate]
    others: Sequence[Candidate] = ()
    before: Sequence[Candidate] = ()


def with_replacements(project: MemoryProject, own: Sequence[Candidate]) -> Replacements:
    """Close the earlier of two candidates about the same topic, and return the candidates that are new or change.

    `own` are the candidates of one turn, in the order of its sentences. They are compared with each other and with the
    pending candidates of other turns."""
    if not any(one.kind in REPLACEABLE for one in own):
        return Replacements(own)
    ids = {one.id for one in own}
    latest = project.rows(CANDIDATES).query("pending", index="gsi1", reverse=True, limit=_PENDING_READ).records
    waiting = [one for one in latest if one.id not in ids]
    stored = {one.id: one for one in waiting if one.kind in REPLACEABLE}
    current = {one.id: one for one in (*stored.values(), *own)}
    places = {one.id: (one.said_at, place) for place, one in enumerate([*waiting, *own])}
    following = _following(sorted([*waiting, *own], key=lambda one: places[one.id]))
    replaced = 0
    for new in (one.id for one in own):
        for other in (*stored, *(each.id for each in own)):
            older, newer = sorted((new, other), key=places.__getitem__)
            is_next = following.get(older) == newer
            if new == other or replaced == MOST_REPLACED or not _replaces(current[newer], current[older], is_next):
                continue
            replaced += 1
            current[older] = altered(current[older], status="superseded", superseded_by=newer)
            current[newer] = altered(current[newer], supersedes=(*current[newer].supersedes, older))
    others = [current[one] for one in stored if current[one] != stored[one]]
    return Replacements([current[one.id] for one in own], others, [stored[one.id] for one in others])


class Reopening(Struct, frozen=True):
    """Candidates that change once others no longer hold.

    `waiting` are those that wait again. `linked` are those that now name another candidate as replaced or replacing."""

    waiting: Sequence[Candidate]
    linked: Sequence[Candidate]

    @property
    def changed(self) -> Sequence[Candidate]:
        return (*self.waiting, *self.linked)


def reopened(project: MemoryProject, gone: Sequence[Candidate]) -> Reopening:
    """Return the candidates that change once `gone` no longer hold. Candidates that these replaced wait again.

    If one of `gone` was itself replaced, its successor takes over the candidates that it replaced."""
    rows = project.rows(CANDIDATES)
    ids = {one.id for one in gone}
    earlier = rows.by_id({each for one in gone for each in one.supersedes} - ids)
    successors = rows.by_id({one.superseded_by for one in gone if one.superseded_by} - ids)
    waiting: list[Candidate] = []
    linked: dict[str, Candidate] = {}
    for one in gone:
        successor = successors.get(one.superseded_by or "") if one.status == "superseded" else None
        replaced = [each for each in earlier.values() if each.status == "superseded" and each.superseded_by == one.id]
        if successor is None or successor.status not in _HOLDING:
            waiting += [altered(each, status="pending", superseded_by=None) for each in replaced]
        elif replaced:
            successor = linked.get(successor.id, successor)
            supersedes = (*successor.supersedes, *(each.id for each in replaced))
            linked[successor.id] = altered(successor, supersedes=supersedes)
            linked |= {each.id: altered(each, superseded_by=successor.id) for each in replaced}
    return Reopening(waiting, list(linked.values()))


def holding_successors(project: MemoryProject, candidates: Iterable[Candidate]) -> frozenset[str]:
    """Return the ids of the candidates that replaced these and were neither rejected nor withdrawn."""
    found = project.rows(CANDIDATES).by_id({one.superseded_by for one in candidates if one.superseded_by})
    return frozenset(one.id for one in found.values() if one.status in _HOLDING)


def _following(candidates: Sequence[Candidate]) -> dict[str, str]:
    """Map the id of each candidate to that of the next one of its session soon after, given in the order of time."""
    found: dict[str, str] = {}
    last: dict[str, Candidate] = {}
    for one in candidates:
        before = last.get(one.session or "")
        if one.session is not None and before is not None and one.said_at - before.said_at <= _NEXT_WITHIN_MS:
            found[before.id] = one.id
        last[one.session or ""] = one
    return found


def _replaces(newer: Candidate, older: Candidate, is_next: bool) -> bool:
    if older.status != "pending" or newer.status not in _STANDING:
        return False
    if newer.kind != older.kind or newer.kind not in REPLACEABLE:
        return False
    new, old = newer.content, older.content
    return surely_replaces(new, old) or gives_another_value(new, old, is_next=is_next)
