"""API keys in the store: issue, find, list, edit, revoke, rotate."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from almanac.identity.api_key import ApiKey, new_api_key
from almanac.identity.audit import Clerk
from almanac.identity.records import (
    ANY_PROJECT,
    LIVES,
    Grant,
    KeyRecord,
    check_actor,
    check_label,
    check_limit,
    check_name,
    check_week_start,
    check_zone,
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
from almanac.platform.store.contention import Backoff, retry_on_conflict
from almanac.platform.store.port import Change, Check, ConditionFailed, Item, Put, Store
from almanac.platform.store.queries import every_item
from almanac.platform.store.records import readable

_PAGE = 100
_BACKOFF = Backoff(sleep=time.sleep, random=random.random, attempts=20)


def _ignore(_name: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key with its secret. The secret is not stored, so it cannot be shown again later."""

    key: ApiKey
    record: KeyRecord


class ApiKeys:
    """API keys in the store. With a `clerk`, each change of a key is recorded in the audit trail."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        random_bytes: RandomBytes,
        clerk: Clerk | None = None,
        backoff: Backoff = _BACKOFF,
    ) -> None:
        self._store = store
        self._clock = clock
        self._random_bytes = random_bytes
        self._clerk = clerk
        self._backoff = backoff

    def issue(self, grant: Grant, key: ApiKey | None = None) -> IssuedKey:
        """Store a new key with this grant, and return it. Pass `key` to use a key that its owner chose.

        Raises InvalidInput for a grant out of bounds, NotFound for an unknown tenant or project, and Conflict if a key
        with that id exists.
        """
        check_grant(grant, now_ms(self._clock))
        issued = self._issue(key or new_api_key(self._random_bytes), grant)
        self._write(issued, [self._put_new(issued.record), *self._audit_entries("keys issue", issued.record)])
        return issued

    def find(self, key_id: str) -> KeyRecord | None:
        item = self._store.get(key_key(key_id))
        return None if item is None else from_attributes(item.attributes, KeyRecord)

    def of_tenant(self, tenant: str, unreadable: Callable[[str], object] = _ignore) -> Iterator[KeyRecord]:
        """Yield all keys of the tenant by id, including revoked and expired ones.

        An item that is not a readable key is skipped, and `unreadable` is called with its name.
        """
        for item in every_item(self._store, keys_of(tenant), index="gsi1", page=_PAGE):
            record = readable(item, _read)
            if record is None or item.key != key_key(record.id):
                unreadable(f"{item.key.partition.text} {item.key.sort}")
            else:
                yield record

    def edit(self, key_id: str, **terms: Any) -> KeyRecord:
        """Change these fields of a key's grant, and return the key. Concurrent changes of other fields are kept.

        Raises NotFound, InvalidInput for terms out of bounds, and Conflict for a revoked key.
        """

        def edit_grant(record: KeyRecord) -> tuple[KeyRecord, list[Change]]:
            if record.revoked_at is not None:
                raise Conflict(
                    f"The key {record.id} was revoked.", "A revoked key cannot be restored: issue a new one."
                )
            grant = msgspec.structs.replace(record.grant, **terms)
            check_grant(grant, now_ms(self._clock))
            return msgspec.structs.replace(record, grant=grant), []

        return self._change(key_id, "keys edit", edit_grant)

    def revoke(self, key_id: str) -> KeyRecord:
        """Make a key stop working at once. Does nothing for a revoked key. Raises NotFound."""

        def revoke_now(record: KeyRecord) -> tuple[KeyRecord, list[Change]]:
            return msgspec.structs.replace(record, revoked_at=now_ms(self._clock)), []

        record = self._require(key_id)
        return record if record.revoked_at is not None else self._change(key_id, "keys revoke", revoke_now)

    def rotate(self, key_id: str, overlap_seconds: int) -> IssuedKey:
        """Issue a new key with the same grant as an old one.

        The old key works for another `overlap_seconds`, but never longer than it would have. Raises NotFound, and
        Conflict for a key that no longer works or was rotated before.
        """
        issued_keys: list[IssuedKey] = []

        def replace_key(record: KeyRecord) -> tuple[KeyRecord, list[Change]]:
            instant = now_ms(self._clock)
            if record.replaced_by is not None or not record.works_at(instant):
                raise Conflict(
                    f"The key {key_id} was rotated before, revoked, or has expired.",
                    "Rotate the key that replaced it, or issue a new one.",
                )
            issued = self._issue(new_api_key(self._random_bytes), record.grant)
            issued_keys.append(issued)
            ends = instant + overlap_seconds * 1000
            grant = msgspec.structs.replace(record.grant, expires_at=min(ends, record.grant.expires_at or ends))
            old = msgspec.structs.replace(record, grant=grant, replaced_by=issued.record.id)
            return old, [self._put_new(issued.record)]

        self._change(key_id, "keys rotate", replace_key)
        return issued_keys[-1]

    def _issue(self, key: ApiKey, grant: Grant) -> IssuedKey:
        return IssuedKey(key, KeyRecord(id=key.id, digest=key.digest, grant=grant, created_at=now_ms(self._clock)))

    def _require(self, key_id: str) -> KeyRecord:
        record = self.find(key_id)
        if record is None:
            raise NotFound(f"There is no key {key_id[:40]}.", "`almanac keys list` shows the ids.")
        return record

    def _put_new(self, record: KeyRecord) -> Put:
        return Put(key_key(record.id), to_attributes(record), Absent(), indexes=key_indexes(record))

    def _write(self, issued: IssuedKey, changes: list[Change]) -> None:
        grant = issued.record.grant
        checks: list[Change] = [Check(tenant_key(grant.tenant), LIVES)]
        if grant.project != ANY_PROJECT:
            checks.append(Check(project_key(grant.tenant, grant.project), LIVES))
        try:
            self._store.write([*checks, *changes])
        except ConditionFailed as failed:
            if failed.change >= len(checks):
                raise Conflict(
                    f"A key with the id {issued.record.id} already exists.", "Choose another one."
                ) from failed
            missing = f"tenant {grant.tenant}" if failed.change == 0 else f"project {grant.project}"
            hint = "`almanac tenants list` and `almanac projects list` show what there is."
            raise NotFound(f"There is no {missing}.", hint) from failed

    def _change(
        self, key_id: str, command: str, change: Callable[[KeyRecord], tuple[KeyRecord, list[Change]]]
    ) -> KeyRecord:
        """Apply `change` to the stored key. Retries if another process changed the key meanwhile."""

        def attempt() -> KeyRecord:
            old = self._require(key_id)
            new, more = change(old)
            new = msgspec.structs.replace(new, version=old.version + 1)
            unchanged = Equals("version", old.version)
            condition = unchanged if old.version else unchanged | (Present() & Absent("version"))
            put = Put(key_key(new.id), to_attributes(new), condition, indexes=key_indexes(new))
            self._store.write([put, *more, *self._audit_entries(command, new)])
            return new

        return retry_on_conflict(self._backoff, attempt, f"the key {key_id}", Conflict)

    def _audit_entries(self, command: str, record: KeyRecord) -> list[Change]:
        if self._clerk is None:
            return []
        grant = record.grant
        return [self._clerk.entry(grant.tenant, command, project=grant.project, subject=record.id)]


def _read(item: Item) -> KeyRecord:
    return from_attributes(item.attributes, KeyRecord)


def check_grant(grant: Grant, instant: int) -> None:
    """Raise InvalidInput for names, limits, a week start or an expiry out of bounds."""
    check_name(grant.tenant, "tenant")
    check_actor(grant.actor)
    check_label(grant.label, "label")
    if grant.project != ANY_PROJECT:
        check_name(grant.project, "project")
    for family in grant.families or ():
        check_name(family, "family")
    if grant.week_start is not None:
        check_week_start(grant.week_start)
    if grant.default_timezone is not None:
        check_zone(grant.default_timezone)
    for name, limit in (("per_minute", grant.per_minute), ("per_day", grant.per_day)):
        if limit is not None:
            check_limit(name, limit)
    if grant.expires_at is not None and grant.expires_at <= instant:
        raise InvalidInput("The key would have expired already.", "Give an instant in the future.", path="expires_at")
