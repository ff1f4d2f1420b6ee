"""Acquiring a claim: exactly one holder of a key and of all that overlaps with it, whoever asks at the same time."""

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from almanac.families.team import glob_register
from almanac.families.team.claim_keys import ClaimKey, read_key
from almanac.families.team.expiry import has_lapsed, is_held, settle, told_of
from almanac.families.team.project import Project
from almanac.families.team.records import CLAIMS, ClaimRecord, GlobEntry
from almanac.kernel.ids import new_reference
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.keys import sort_key
from almanac.platform.store.port import Change, ConditionFailed
from almanac.platform.store.records import replace

PENDING_MS = 2000
"""How long others wait for somebody who is about to acquire a glob."""
_PAGE = 1000


class Acquired(Struct, frozen=True):
    """`deduped`: the holder held it already, and holds it longer now."""

    claim: ClaimRecord
    deduped: bool


class Blocked(Struct, frozen=True):
    """`claim` stands in the way: the key itself, or one that overlaps with it."""

    claim: ClaimRecord


class Wanted(Struct, frozen=True):
    """What is asked for. `metadata` None leaves what a claim that is refreshed has."""

    key: ClaimKey
    holder: str
    ttl_ms: int
    metadata: dict[str, object] | None = None


def acquire(project: Project, wanted: Wanted) -> Acquired | Blocked:
    """The claim, new or refreshed, or what stands in its way. Raises LimitExceeded for too many globs."""
    take = _take_glob if wanted.key.is_glob else _take
    for _ in project.pauses.attempts():
        own, now = CLAIMS.within(project.store, project.scope).get(wanted.key.id), project.now()
        if own is not None and has_lapsed(own, now):
            settle(project, own.id)
            continue
        if own is not None and is_held(own, now):
            outcome = Blocked(own) if own.holder != wanted.holder else _refresh(project, wanted, own, now)
        else:
            outcome = take(project, wanted, own)
        if outcome is not None:
            return outcome
    raise AssertionError("attempts end by raising")


def _refresh(project: Project, wanted: Wanted, own: ClaimRecord, now: int) -> Acquired | None:
    """None, here and below: somebody else was first, so look again."""
    metadata = own.metadata if wanted.metadata is None else wanted.metadata
    refreshed = msgspec.structs.replace(own, lapses_at=now + wanted.ttl_ms, updated_at=now, metadata=metadata)
    written = _try(project, [replace(CLAIMS.within(project.store, project.scope), refreshed)])
    return Acquired(refreshed, deduped=True) if written else None


def _take(project: Project, wanted: Wanted, own: ClaimRecord | None) -> Acquired | Blocked | None:
    gate = glob_register.passing(project, wanted.key)
    register = glob_register.read_register(project, wanted.key.space)
    for entry in glob_register.in_the_way(register, wanted.key, wanted.holder):
        return _look_at(project, wanted.key.space, entry)
    claim = _new(project, wanted, own)
    written = _try(project, [_putting(project, claim, own), gate, *_announced(project, claim)])
    return Acquired(claim, deduped=False) if written else None


def _take_glob(project: Project, wanted: Wanted, own: ClaimRecord | None) -> Acquired | Blocked | None:
    """Announced as pending first, then made sure of, then made: in between no other claim of the space slips in."""
    space = wanted.key.space
    register = glob_register.read_register(project, space)
    for entry in glob_register.in_the_way(register, wanted.key, wanted.holder):
        return _look_at(project, space, entry)
    if (blocker := _blocker(project, wanted)) is not None:
        return Blocked(blocker)
    nonce = new_reference(project.random_bytes)
    entry = GlobEntry(wanted.key.id, wanted.holder, nonce, pending_until=project.now() + PENDING_MS)
    if not _try(project, glob_register.entering(project, register, entry)):
        return None
    if (blocker := _blocker(project, wanted)) is not None:
        glob_register.withdraw(project, space, nonce)
        return Blocked(blocker)
    return _confirm(project, wanted, own, entry)


def _confirm(project: Project, wanted: Wanted, own: ClaimRecord | None, entry: GlobEntry) -> Acquired | None:
    held = GlobEntry(entry.id, entry.holder, entry.nonce)
    for _ in project.pauses.attempts():
        register = glob_register.read_register(project, wanted.key.space)
        if entry not in register.entries:
            return None
        entries = [held if each == entry else each for each in register.entries]
        claim = _new(project, wanted, own)
        changes = [_putting(project, claim, own), glob_register.written(project, register, entries)]
        try:
            project.store.write([*changes, *_announced(project, claim)])
        except ConditionFailed as failed:
            if failed.change == 0:
                glob_register.withdraw(project, wanted.key.space, entry.nonce)
                return None
            continue
        return Acquired(claim, deduped=False)
    raise AssertionError("attempts end by raising")


def _look_at(project: Project, space: str, entry: GlobEntry) -> Blocked | None:
    """Whether the glob of an entry is held; if it has lapsed, or whoever was about to acquire it is gone, no longer."""
    if entry.pending_until is not None:
        if entry.pending_until <= project.now():
            glob_register.withdraw(project, space, entry.nonce)
        return None
    claim, now = CLAIMS.within(project.store, project.scope).get(entry.id), project.now()
    if claim is not None and is_held(claim, now):
        return Blocked(claim)
    settle(project, entry.id)
    return None


def _blocker(project: Project, wanted: Wanted) -> ClaimRecord | None:
    """The first claim of somebody else that overlaps; those that have lapsed are settled on the way."""
    for claim in _claims_from(project, wanted.key.prefix):
        if claim.holder in (None, wanted.holder) or not read_key(claim.key).overlaps(wanted.key):
            continue
        if is_held(claim, project.now()):
            return claim
        if not settle(project, claim.id):
            standing = CLAIMS.within(project.store, project.scope).get(claim.id)
            if standing is not None and standing.holder != wanted.holder and is_held(standing, project.now()):
                return standing
    return None


def _claims_from(project: Project, prefix: str) -> Iterator[ClaimRecord]:
    partition = CLAIMS.partition(project.scope, CLAIMS.own, ())
    cursor: str | None = None
    while True:
        page = project.store.query(partition, prefix=sort_key(prefix), limit=_PAGE, cursor=cursor)
        yield from map(CLAIMS.read, page.items)
        if (cursor := page.cursor) is None:
            return


def _new(project: Project, wanted: Wanted, own: ClaimRecord | None) -> ClaimRecord:
    now = project.now()
    return ClaimRecord(
        id=wanted.key.id,
        key=wanted.key.text,
        holder=wanted.holder,
        actor=project.actor,
        token=max(now, own.token + 1) if own else now,
        acquired_at=now,
        updated_at=now,
        lapses_at=now + wanted.ttl_ms,
        metadata=wanted.metadata or {},
        version=own.version if own else 1,
    )


def _putting(project: Project, claim: ClaimRecord, own: ClaimRecord | None) -> Change:
    rows = CLAIMS.within(project.store, project.scope)
    return rows.insert(claim) if own is None else replace(rows, claim)


def _announced(project: Project, claim: ClaimRecord) -> list[Change]:
    return outbox([project.event("claim_acquired", claim.id, told_of(claim), at=claim.acquired_at)])


def _try(project: Project, changes: list[Change]) -> bool:
    try:
        project.store.write(changes)
    except ConditionFailed:
        return False
    return True
