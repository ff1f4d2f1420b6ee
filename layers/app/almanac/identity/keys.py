"""API keys in the store: issue, find, list, revoke, rotate."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from almanac.identity.api_key import ApiKey, new_api_key
from almanac.identity.records import (
    ANY_PROJECT,
    Grant,
    KeyRecord,
    checked_name,
    from_attributes,
    key_indexes,
    key_key,
    keys_of,
    project_key,
    tenant_key,
    to_attributes,
)
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent, Equals, Present
from almanac.platform.store.port import Change, Check, ConditionFailed, Put, Store

MAX_LIMIT = 1_000_000_000
_PAGE = 100
_WEEK_STARTS = ("monday", "sunday")


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """`key` holds the secret: this is the only moment at which it is known."""

    key: ApiKey
    record: KeyRecord


class ApiKeys:
    def __init__(self, store: Store, clock: Clock, random_bytes: RandomBytes) -> None:
        self._store = store
        self._clock = clock
        self._random_bytes = random_bytes

    def issue(self, grant: Grant, key: ApiKey | None = None) -> IssuedKey:
        """A new key, or `key` where it was chosen by its owner.

        Raises InvalidInput for a grant out of bounds, NotFound for an unknown tenant or project, Conflict where a key
        of that id exists.
        """
        check_grant(grant, now_ms(self._clock))
        issued = self._made(key or new_api_key(self._random_bytes), grant)
        self._write(issued, [self._put_new(issued.record)])
        return issued

    def find(self, key_id: str) -> KeyRecord | None:
        item = self._store.get(key_key(key_id))
        return None if item is None else from_attributes(item.attributes, KeyRecord)

    def of_tenant(self, tenant: str) -> Iterator[KeyRecord]:
        """Every key of the tenant, revoked and expired ones too, by id."""
        cursor = None
        while True:
            page = self._store.query(keys_of(tenant), index="gsi1", limit=_PAGE, cursor=cursor)
            yield from (from_attributes(item.attributes, KeyRecord) for item in page.items)
            if (cursor := page.cursor) is None:
                return

    def revoke(self, key_id: str) -> KeyRecord:
        """The key stops working now. Raises NotFound. Revoking a revoked key changes nothing."""
        record = self._existing(key_id)
        if record.revoked_at is not None:
            return record
        revoked = msgspec.structs.replace(record, revoked_at=now_ms(self._clock))
        self._replace(record, revoked, [])
        return revoked

    def rotate(self, key_id: str, overlap_seconds: int) -> IssuedKey:
        """A new key with the same grant; the old one works for `overlap_seconds` more, never longer than before.

        Raises NotFound, and Conflict for a key that no longer works or was rotated before.
        """
        record = self._existing(key_id)
        instant = now_ms(self._clock)
        if record.replaced_by is not None or not record.works_at(instant):
            raise Conflict(
                f"The key {key_id} was rotated before, revoked, or has expired.",
                "Rotate the key that replaced it, or issue a new one.",
            )
        issued = self._made(new_api_key(self._random_bytes), record.grant)
        ends = instant + overlap_seconds * 1000
        expires_at = min(ends, record.grant.expires_at or ends)
        old = msgspec.structs.replace(
            record, grant=msgspec.structs.replace(record.grant, expires_at=expires_at), replaced_by=issued.record.id
        )
        self._replace(record, old, [self._put_new(issued.record)])
        return issued

    def _made(self, key: ApiKey, grant: Grant) -> IssuedKey:
        return IssuedKey(key, KeyRecord(id=key.id, digest=key.digest, grant=grant, created_at=now_ms(self._clock)))

    def _existing(self, key_id: str) -> KeyRecord:
        record = self.find(key_id)
        if record is None:
            raise NotFound(f"There is no key {key_id[:40]}.", "`almanac keys list` shows the ids.")
        return record

    def _put_new(self, record: KeyRecord) -> Put:
        return Put(key_key(record.id), to_attributes(record), Absent(), indexes=key_indexes(record))

    def _write(self, issued: IssuedKey, changes: list[Change]) -> None:
        grant = issued.record.grant
        checks: list[Change] = [Check(tenant_key(grant.tenant), Present())]
        if grant.project != ANY_PROJECT:
            checks.append(Check(project_key(grant.tenant, grant.project), Present()))
        try:
            self._store.write([*checks, *changes])
        except ConditionFailed as failed:
            if failed.change >= len(checks):
                raise Conflict(f"A key with the id {issued.record.id} exists.", "Choose another one.") from failed
            missing = f"tenant {grant.tenant}" if failed.change == 0 else f"project {grant.project}"
            hint = "`almanac tenants list` and `almanac projects list` show what there is."
            raise NotFound(f"There is no {missing}.", hint) from failed

    def _replace(self, old: KeyRecord, new: KeyRecord, more: list[Change]) -> None:
        condition = Equals("revoked_at", old.revoked_at) & Equals("replaced_by", old.replaced_by)
        changed = Put(key_key(new.id), to_attributes(new), condition, indexes=key_indexes(new))
        try:
            self._store.write([changed, *more])
        except ConditionFailed as failed:
            raise Conflict(f"The key {old.id} was changed meanwhile.", "Look at it again, then repeat.") from failed


def check_grant(grant: Grant, instant: int) -> None:
    """Raises InvalidInput for names, limits, week start or expiry out of bounds."""
    checked_name(grant.tenant, "tenant")
    checked_name(grant.actor, "actor")
    if grant.project != ANY_PROJECT:
        checked_name(grant.project, "project")
    for family in grant.families or ():
        checked_name(family, "family")
    if grant.week_start not in _WEEK_STARTS:
        raise InvalidInput(f"A week starts on monday or sunday, not {grant.week_start[:20]}.", path="week_start")
    for name, limit in (("per_minute", grant.per_minute), ("per_day", grant.per_day)):
        if limit is not None and not 1 <= limit <= MAX_LIMIT:
            raise InvalidInput(f"{name} must be from 1 to {MAX_LIMIT}, not {limit}.", path=name)
    if grant.expires_at is not None and grant.expires_at <= instant:
        raise InvalidInput("The key would have expired already.", "Give an instant in the future.", path="expires_at")
