"""The directory of keys, projects and tiers: the store itself, or a cache of it."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from almanac.identity.access.effective_settings import EffectiveSettings, settings_for
from almanac.identity.oauth.records import ClientGrant, grant_key
from almanac.identity.records import (
    STANDARD,
    KeyRecord,
    Project,
    Tenant,
    checked_name,
    from_attributes,
    key_key,
    project_key,
    tenant_key,
)
from almanac.identity.storage_limit import total_in, total_key
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Store

REMEMBERED_SECONDS = 30
_MAX_REMEMBERED = 2000
Name = TypeVar("Name")
Answer = TypeVar("Answer")


def _any(_: ClientGrant) -> bool:
    return True


class StoredDirectory:
    """Reads the store each time: a revocation holds at once."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def key(self, key_id: str) -> KeyRecord | None:
        item = self._store.get(key_key(key_id))
        return None if item is None else from_attributes(item.attributes, KeyRecord)

    def place(self, tenant: str, project: str) -> EffectiveSettings | None:
        try:
            checked_name(project, "project")
        except InvalidInput:
            return None
        keys = [tenant_key(tenant), project_key(tenant, project), total_key(tenant)]
        tenant_item, project_item, total_item = self._store.get_many(keys)
        return settings_for(
            None if tenant_item is None else from_attributes(tenant_item.attributes, Tenant),
            None if project_item is None else from_attributes(project_item.attributes, Project),
            total_in(total_item),
        )

    def client_grant(self, grant_id: str, opens: Callable[[ClientGrant], bool]) -> ClientGrant | None:
        item = self._store.get(grant_key(grant_id))
        grant = None if item is None else from_attributes(item.attributes, ClientGrant)
        return grant if grant is not None and opens(grant) else None

    def tier(self, tenant: str) -> str:
        item = self._store.get(tenant_key(tenant))
        return STANDARD if item is None else from_attributes(item.attributes, Tenant).tier


class CurrentDirectory:
    """Caches answers for as long as the store's `version` stays the same: a revocation holds at once."""

    def __init__(self, directory: StoredDirectory, version: Callable[[], object]) -> None:
        self._directory = directory
        self._version = version
        self._known: tuple[object, dict[tuple[str, ...], Any]] = (None, {})

    def key(self, key_id: str) -> KeyRecord | None:
        return self._recall((key_id,), lambda: self._directory.key(key_id))

    def place(self, tenant: str, project: str) -> EffectiveSettings | None:
        return self._recall((tenant, project), lambda: self._directory.place(tenant, project))

    def client_grant(self, grant_id: str, opens: Callable[[ClientGrant], bool]) -> ClientGrant | None:
        grant = self._recall(("grant of a client", grant_id, ""), lambda: self._directory.client_grant(grant_id, _any))
        return grant if grant is not None and opens(grant) else None

    def _recall(self, name: tuple[str, ...], read: Callable[[], Answer]) -> Answer:
        # What is read now is at least as new as the version that was read before.
        version = self._version()
        known_version, known = self._known
        if version != known_version or len(known) >= _MAX_REMEMBERED:
            known = {}
            self._known = (version, known)
        if name not in known:
            known[name] = read()
        return known[name]


class RememberingDirectory:
    """Caches answers, also that there is none, for 30 seconds: by then a revocation or an edit holds."""

    def __init__(self, directory: StoredDirectory, clock: Clock) -> None:
        self._directory = directory
        self._clock = clock
        self._keys: OrderedDict[str, tuple[int, KeyRecord | None]] = OrderedDict()
        self._places: OrderedDict[tuple[str, str], tuple[int, EffectiveSettings | None]] = OrderedDict()
        self._tiers: OrderedDict[str, tuple[int, str]] = OrderedDict()
        self._grants: OrderedDict[str, tuple[int, ClientGrant | None]] = OrderedDict()

    def key(self, key_id: str) -> KeyRecord | None:
        return self._recall(self._keys, key_id, lambda: self._directory.key(key_id))

    def place(self, tenant: str, project: str) -> EffectiveSettings | None:
        def read() -> EffectiveSettings | None:
            if place := self._directory.place(tenant, project):
                # Whose place is read is asked for the tier next.
                self._remember(self._tiers, tenant, place.tier)
            return place

        return self._recall(self._places, (tenant, project), read)

    def tier(self, tenant: str) -> str:
        return self._recall(self._tiers, tenant, lambda: self._directory.tier(tenant))

    def client_grant(self, grant_id: str, opens: Callable[[ClientGrant], bool]) -> ClientGrant | None:
        """Reads the store where the remembered grant does not open: its tokens may have been renewed since."""
        known = self._grants.get(grant_id)
        if known is not None and known[1] is not None and not opens(known[1]):
            del self._grants[grant_id]
        grant = self._recall(self._grants, grant_id, lambda: self._directory.client_grant(grant_id, _any))
        return grant if grant is not None and opens(grant) else None

    def _recall(self, cache: OrderedDict[Name, tuple[int, Answer]], name: Name, read: Callable[[], Answer]) -> Answer:
        known = cache.get(name)
        if known is not None and now_ms(self._clock) < known[0]:
            return known[1]
        return self._remember(cache, name, read())

    def _remember(self, cache: OrderedDict[Name, tuple[int, Answer]], name: Name, answer: Answer) -> Answer:
        cache[name] = (now_ms(self._clock) + REMEMBERED_SECONDS * 1000, answer)
        cache.move_to_end(name)
        while len(cache) > _MAX_REMEMBERED:
            cache.popitem(last=False)
        return answer
