"""Active sessions of people and agents, and the files that they work on, from heartbeats and recorded turns."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeVar, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from almanac.content.redaction import redact_value
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import NO_SESSION, PRESENCE, SIGHTINGS, ClaimRecord, Presence, Sighting
from almanac.kernel.caller import Caller
from almanac.kernel.owners import left_out_by_key, may_see
from almanac.platform.bus.outbox import outbox
from almanac.platform.declaration.recorded_activity import Activity, RecordedActivity
from almanac.platform.store.port import Change
from almanac.platform.store.records import Record

BUCKET_MS = 300_000
SKEW_MS = 5000
"""Assumed maximum difference between the clocks of two servers."""
KEPT_MS = 86_400_000
"""The longest window that callers can query."""

R = TypeVar("R", bound=Record)


class Intent(Struct, frozen=True, kw_only=True):
    """The contents of a heartbeat. A field is None if the heartbeat does not report it."""

    display_name: str | None = None
    tool: str | None = None
    current_file: str | None = None
    current_function: str | None = None
    current_action: str | None = None


class ActiveUser(Struct, frozen=True):
    """An active actor and its sessions, the latest heartbeat first. An actor known only from a claim has no
    sessions."""

    actor: str
    last_seen_at: int
    sessions: tuple[Presence, ...]

    @property
    def display_name(self) -> str | None:
        return next((session.display_name for session in self.sessions if session.display_name), None)


class RecordedWork:
    """Activity in recorded turns of the caller's project. A key without the memory family reads none, and `notes` say
    so."""

    def __init__(self, recorded: RecordedActivity | None, caller: Caller) -> None:
        self._recorded = recorded if may_see(caller.families, "turns") else None
        self._scope = caller.scope
        self.notes = left_out_by_key(caller.families, ["turns"])

    def since(self, since: int, now: int) -> Sequence[Activity]:
        """Return the activity from `since` until `now`, in milliseconds since 1970, the latest first."""
        return () if self._recorded is None else self._recorded.since(self._scope, since, now + SKEW_MS)


def record_heartbeat(project: Project, session: str | None, intent: Intent) -> Presence:
    """Record that the caller is active. Display name and tool keep their last values; other fields are replaced."""
    intent = _remove_secrets(intent)
    rows, now = PRESENCE.within(project.store, project.scope), project.now()
    before = rows.get(project.actor, session or NO_SESSION)
    present = Presence(
        actor=project.actor,
        session=session or NO_SESSION,
        seen_at=now,
        display_name=intent.display_name or (before.display_name if before else None),
        tool=intent.tool or (before.tool if before else None),
        current_file=intent.current_file,
        current_function=intent.current_function,
        current_action=intent.current_action,
        expires_at=now + KEPT_MS,
    )
    payload = {name: value for name, value in msgspec.structs.asdict(present).items() if name != "expires_at"}
    event = project.event("presence_updated", f"{present.actor}#{present.session}", payload, at=now)
    project.store.write([rows.put(present), *_sighting_changes(project, present), *outbox([event])])
    return present


def _remove_secrets(intent: Intent) -> Intent:
    redacted = redact_value(msgspec.structs.asdict(intent))
    return Intent(**cast("dict[str, str | None]", redacted.value)) if redacted.findings else intent


def active_users(
    project: Project, since: int, claims: Iterable[ClaimRecord] = (), recorded: Iterable[Activity] = ()
) -> list[ActiveUser]:
    """Return the actors active since the instant `since`, in milliseconds since 1970, the latest first. Heartbeats,
    `claims` and `recorded` work count as activity."""
    seen: dict[str, int] = {}
    latest = project.now() + SKEW_MS  # later instants are from a clock that was set back since
    for claim in claims:
        if since <= claim.updated_at <= latest:
            seen[claim.actor] = max(claim.updated_at, seen.get(claim.actor, 0))
    reported = PRESENCE.within(project.store, project.scope).every(page=1000)
    sessions: defaultdict[str, list[Presence]] = defaultdict(list)
    for present in _merge_recorded(reported, recorded):
        if since <= present.seen_at <= latest:
            sessions[present.actor].append(present)
            seen[present.actor] = max(present.seen_at, seen.get(present.actor, 0))
    users = [
        ActiveUser(actor, at, tuple(sorted(sessions[actor], key=lambda one: -one.seen_at)))
        for actor, at in seen.items()
    ]
    return sorted(users, key=lambda user: (-user.last_seen_at, user.actor))


def _merge_recorded(reported: Iterable[Presence], recorded: Iterable[Activity]) -> Iterable[Presence]:
    """Merge the sessions of heartbeats with recorded work. Later work moves `seen_at` and the file of its session; work
    without a heartbeat makes a session."""
    found = {(one.actor, one.session): one for one in reported}
    for work in sorted(recorded, key=lambda one: one.last_at):
        key = work.actor, work.session or NO_SESSION
        known = found.get(key) or Presence(actor=key[0], session=key[1], seen_at=0, expires_at=work.last_at + KEPT_MS)
        is_later = work.last_at > known.seen_at
        found[key] = replace(
            known,
            seen_at=max(known.seen_at, work.last_at),
            tool=known.tool or work.tool,
            current_file=work.file if work.file and is_later else known.current_file,
        )
    return found.values()


def sightings(project: Project, since: int, recorded: Iterable[Activity] = ()) -> list[Sighting]:
    """Return the files that actors worked on since the instant `since`, by heartbeats and `recorded` work."""
    rows = SIGHTINGS.within(project.store, project.scope)
    latest = project.now() + SKEW_MS
    reported = rows.every(since=since - since % BUCKET_MS, page=1000)
    return [
        one for one in (*reported, *map(_sighting_of_work, recorded)) if one.path and since <= one.last_at <= latest
    ]


def _sighting_of_work(work: Activity) -> Sighting:
    return Sighting(
        bucket=work.last_at - work.last_at % BUCKET_MS,
        id="",
        path=work.file or "",
        actor=work.actor,
        tool=work.tool or "",
        heartbeats=work.count,
        last_at=work.last_at,
        expires_at=work.last_at + KEPT_MS,
    )


def _sighting_changes(project: Project, present: Presence) -> list[Change]:
    if not present.current_file:
        return []
    rows = SIGHTINGS.within(project.store, project.scope)
    bucket, tool = present.seen_at - present.seen_at % BUCKET_MS, present.tool or ""
    who = msgspec.json.encode((present.current_file, present.actor, tool))
    identity = sha256(who).hexdigest()[:32]
    before = rows.get(bucket, identity)
    sighting = Sighting(
        bucket=bucket,
        id=identity,
        path=present.current_file,
        actor=present.actor,
        tool=tool,
        heartbeats=before.heartbeats + 1 if before else 1,
        last_at=present.seen_at,
        expires_at=bucket + BUCKET_MS + KEPT_MS,
    )
    return [rows.put(sighting)]
