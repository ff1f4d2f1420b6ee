"""Close pending candidates that a later one replaces, so reviewers see only the final form.

A later candidate of the same kind replaces an earlier one if it corrects it. One of any kind does if it, or an agent's
reply to it, says that the earlier one no longer holds.

Both candidates stay stored and name each other. The earlier one waits again once a reviewer rejects the later one, or
once the turn of the later one is forgotten.

An accepted candidate is never closed. A later candidate that would replace it names its pinned memory, and a reviewer
decides.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.candidates.corrections import gives_another_value, surely_replaces
from almanac.families.memory.candidates.current_statements import REPLACEABLE
from almanac.families.memory.candidates.overruling import Rejections, find_overruled, rejections_of
from almanac.families.memory.candidates.records import CANDIDATES, Candidate
from almanac.families.memory.core.memory import MemoryProject

_PENDING_READ = 100
"""Number of latest pending candidates that are compared with those of a turn."""
MOST_REPLACED = 5
"""Most candidates that the candidates of one turn close, because everything is one write."""
_NEXT_WITHIN_MS = 30 * 60 * 1000
"""Most time between two choices of a talk if the second need not name its topic."""
_ACCEPTED_READ = 100
"""Number of latest accepted candidates that are compared with those of a turn."""
_OPEN_OR_ACCEPTED = ("pending", "accepted")
_VALID = (*_OPEN_OR_ACCEPTED, "superseded")


class Replacements(Struct, frozen=True):
    """Candidates after replacement. `own` are the candidates of a turn, ready to store.

    `others` are the stored candidates that change, and `closed` has those of them that no longer wait, as they were."""

    own: Sequence[Candidate]
    others: Sequence[Candidate] = ()
    closed: Sequence[Candidate] = ()


def with_replacements(
    project: MemoryProject,
    own: Sequence[Candidate],
    replies: Mapping[str, str],
    answered: Sequence[Candidate] = (),
) -> Replacements:
    """Close the earlier of two candidates about the same topic, and return the new and the changed candidates.

    `own` are the candidates of one turn, in the order of its sentences. They are compared with each other and with the
    pending candidates of other turns. `replies` maps the ids of turns to the text of an agent's reply. `answered` are
    stored candidates to which a new reply has come."""
    ids = {one.id for one in own}
    answered = [one for one in answered if one.id not in ids]
    rejections = {one.id: rejections_of(one.content, replies.get(one.turn, "")) for one in (*own, *answered)}
    if not any(one.kind in REPLACEABLE for one in own) and not any(rejections.values()):
        return Replacements(own)
    latest = project.rows(CANDIDATES).query("pending", index="gsi1", reverse=True, limit=_PENDING_READ).records
    pending = [one for one in latest if one.id not in ids]
    stored = {one.id: one for one in (*answered, *pending)}
    current = {one.id: one for one in (*stored.values(), *own)}
    places = {one.id: (one.said_at, place) for place, one in enumerate([*pending, *own])}
    places |= {one.id: (one.said_at, -1) for one in answered if one.id not in places}
    next_choices = _map_next_choices(sorted([*pending, *own], key=lambda one: places[one.id]))
    count = 0

    def close(older: str, newer: str) -> None:
        nonlocal count
        count += 1
        current[older] = altered(current[older], status="superseded", superseded_by=newer)
        current[newer] = altered(current[newer], supersedes=(*current[newer].supersedes, older))

    for new in (one.id for one in own):
        for other in (*(one.id for one in pending), *(each.id for each in own)):
            older, newer = sorted((new, other), key=places.__getitem__)
            is_next = next_choices.get(older) == newer
            if new != other and count < MOST_REPLACED and _replaces(current[newer], current[older], is_next):
                close(older, newer)
    for newer, rejected in rejections.items():
        others = (one for one in current.values() if one.turn != current[newer].turn and one.status == "pending")
        earlier = [one.id for one in others if places[one.id] < places[newer]]
        overruled = find_overruled(rejected, [current[one].content for one in earlier]) if rejected else []
        if current[newer].status in _OPEN_OR_ACCEPTED:
            for place in overruled[: MOST_REPLACED - count]:
                close(earlier[place], newer)
    accepted = _accepted_candidates(project)
    for one in (*ids, *(each.id for each in answered)):
        current[one] = _with_corrected(current[one], accepted, rejections[one])
    changed = [current[one] for one in stored if current[one] != stored[one]]
    closed = [stored[one.id] for one in changed if one.status != stored[one.id].status]
    return Replacements([current[one.id] for one in own], changed, closed)


def _accepted_candidates(project: MemoryProject) -> list[Candidate]:
    latest = project.rows(CANDIDATES).query("accepted", index="gsi1", reverse=True, limit=_ACCEPTED_READ).records
    return [one for one in latest if one.memory is not None]


def _with_corrected(new: Candidate, accepted: Sequence[Candidate], rejections: Rejections) -> Candidate:
    """Return a waiting candidate with the pinned memories of the accepted candidates that it would replace."""
    if new.status != "pending":
        return new
    earlier = [one for one in accepted if one.turn != new.turn and one.said_at <= new.said_at]
    overruled = find_overruled(rejections, [one.content for one in earlier]) if rejections else []
    corrected = [one for place, one in enumerate(earlier) if place in overruled or _corrects(new, one, is_next=False)]
    memories = [one.memory for one in corrected if one.memory]
    return altered(new, replaces=tuple(dict.fromkeys((*new.replaces, *memories)))[:MOST_REPLACED])


class Reopening(Struct, frozen=True):
    """Candidates that change because others no longer hold.

    `waiting` wait for a review again. `relinked` name other candidates than before as replaced or as their
    replacement."""

    waiting: Sequence[Candidate]
    relinked: Sequence[Candidate]

    @property
    def candidates(self) -> Sequence[Candidate]:
        return (*self.waiting, *self.relinked)


def reopen_replaced(project: MemoryProject, invalid: Sequence[Candidate]) -> Reopening:
    """Return the candidates that change because `invalid` no longer hold: those that `invalid` replaced wait again.

    If a later candidate replaced one of `invalid`, it takes over the candidates that this one had replaced."""
    rows = project.rows(CANDIDATES)
    ids = {one.id for one in invalid}
    earlier = rows.by_id({each for one in invalid for each in one.supersedes} - ids)
    successors = rows.by_id({one.superseded_by for one in invalid if one.superseded_by} - ids)
    waiting: list[Candidate] = []
    relinked: dict[str, Candidate] = {}
    for one in invalid:
        successor = successors.get(one.superseded_by or "") if one.status == "superseded" else None
        replaced = [each for each in earlier.values() if each.status == "superseded" and each.superseded_by == one.id]
        if successor is None or successor.status not in _VALID:
            waiting += [altered(each, status="pending", superseded_by=None) for each in replaced]
        elif replaced:
            successor = relinked.get(successor.id, successor)
            supersedes = (*successor.supersedes, *(each.id for each in replaced))
            relinked[successor.id] = altered(successor, supersedes=supersedes)
            relinked |= {each.id: altered(each, superseded_by=successor.id) for each in replaced}
    return Reopening(waiting, list(relinked.values()))


def valid_successors(project: MemoryProject, candidates: Iterable[Candidate]) -> frozenset[str]:
    """Return the ids of candidates that replaced these and are neither rejected nor withdrawn."""
    successors = project.rows(CANDIDATES).by_id({one.superseded_by for one in candidates if one.superseded_by})
    return frozenset(one.id for one in successors.values() if one.status in _VALID)


def _map_next_choices(candidates: Sequence[Candidate]) -> dict[str, str]:
    """Map the id of each candidate to the id of the next one in its session, if that follows within 30 minutes.

    `candidates` are in the order of time."""
    next_choices: dict[str, str] = {}
    last: dict[str, Candidate] = {}
    for one in candidates:
        before = last.get(one.session or "")
        if one.session is not None and before is not None and one.said_at - before.said_at <= _NEXT_WITHIN_MS:
            next_choices[before.id] = one.id
        last[one.session or ""] = one
    return next_choices


def _replaces(newer: Candidate, older: Candidate, is_next: bool) -> bool:
    if older.status != "pending" or newer.status not in _OPEN_OR_ACCEPTED:
        return False
    return _corrects(newer, older, is_next=is_next)


def _corrects(newer: Candidate, older: Candidate, *, is_next: bool) -> bool:
    if newer.kind != older.kind or newer.kind not in REPLACEABLE:
        return False
    new, old = newer.content, older.content
    return surely_replaces(new, old) or gives_another_value(new, old, is_next=is_next)
