"""Directories of keys, projects and tiers: one reads the store, two cache its answers."""

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
    check_name,
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

CACHE_SECONDS = 30
_MAX_CACHED = 2000
Name = TypeVar("Name")
Answer = TypeVar("Answer")


def _any(_: ClientGrant) -> bool:
    return True


class StoredDirectory:
    """Reads the store each time, so a revocation applies at once."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def key(self, key_id: str) -> KeyRecord | None:
        item = self._store.get(key_key(key_id))
        return None if item is None else from_attributes(item.attributes, KeyRecord)

    def settings(self, tenant: str, project: str) -> EffectiveSettings | None:
        try:
            check_name(project, "project")
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
    """Caches answers for as long as the store's `version` stays the same, so a revocation applies at once."""

    def __init__(self, directory: StoredDirectory, version: Callable[[], object]) -> None:
        self._directory = directory
        self._version = version
        self._known: tuple[object, dict[tuple[str, ...], Any]] = (None, {})

    def key(self, key_id: str) -> KeyRecord | None:
        return self._recall((key_id,), lambda: self._directory.key(key_id))

    def settings(self, tenant: str, project: str) -> EffectiveSettings | None:
        return self._recall((tenant, project), lambda: self._directory.settings(tenant, project))

    def client_grant(self, grant_id: str, opens: Callable[[ClientGrant], bool]) -> ClientGrant | None:
        grant = self._recall(("grant of a client", grant_id, ""), lambda: self._directory.client_grant(grant_id, _any))
        return grant if grant is not None and opens(grant) else None

    def _recall(self, name: tuple[str, ...], read: Callable[[], Answer]) -> Answer:
        # The version is read first, so the cached answers are at least as new as it.
        version = self._version()
        known_version, known = self._known
        if version != known_version or len(known) >= _MAX_CACHED:
            known = {}
            self._known = (version, known)
        if name not in known:
            known[name] = read()
        return known[name]


class CachingDirectory:
    """Caches answers, also negative ones, for 30 seconds. A revocation or an edit applies after that time."""

    def __init__(self, directory: StoredDirectory, clock: Clock) -> None:
        self._directory = directory
        self._clock = clock
        self._keys: OrderedDict[str, tuple[int, KeyRecord | None]] = OrderedDict()
        self._settings: OrderedDict[tuple[str, str], tuple[int, EffectiveSettings | None]] = OrderedDict()
        self._tiers: OrderedDict[str, tuple[int, str]] = OrderedDict()
        self._grants: OrderedDict[str, tuple[int, ClientGrant | None]] = OrderedDict()

    def key(self, key_id: str) -> KeyRecord | None:
        return self._recall(self._keys, key_id, lambda: self._directory.key(key_id))

    def settings(self, tenant: str, project: str) -> EffectiveSettings | None:
        def read() -> EffectiveSettings | None:
            if settings := self._directory.settings(tenant, project):
                # The caller looks up the tenant's tier next.
                self._cache(self._tiers, tenant, settings.tier)
            return settings

        return self._recall(self._settings, (tenant, project), read)

    def tier(self, tenant: str) -> str:
        return self._recall(self._tiers, tenant, lambda: self._directory.tier(tenant))

    def client_grant(self, grant_id: str, opens: Callable[[ClientGrant], bool]) -> ClientGrant | None:
        """Return the grant if it `opens`. If the cached grant does not, reads the store: its tokens may be renewed."""
        known = self._grants.get(grant_id)
        if known is not None and known[1] is not None and not opens(known[1]):
            del self._grants[grant_id]
        grant = self._recall(self._grants, grant_id, lambda: self._directory.client_grant(grant_id, _any))
        return grant if grant is not None and opens(grant) else None

    def _recall(self, cache: OrderedDict[Name, tuple[int, Answer]], name: Name, read: Callable[[], Answer]) -> Answer:
        known = cache.get(name)
        if known is not None and now_ms(self._clock) < known[0]:
            return known[1]
        return self._cache(cache, name, read())

    def _cache(self, cache: OrderedDict[Name, tuple[int, Answer]], name: Name, answer: Answer) -> Answer:
        cache[name] = (now_ms(self._clock) + CACHE_SECONDS * 1000, answer)
        cache.move_to_end(name)
        while len(cache) > _MAX_CACHED:
            cache.popitem(last=False)
        return answer
