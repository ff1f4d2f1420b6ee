"""Where the authorizer looks up keys, projects and tiers: the store itself, or a memory of it that is a little old."""

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from almanac.identity.access.place import Place, place_of
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
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Store

REMEMBERED_SECONDS = 30
_MAX_REMEMBERED = 2000
Name = TypeVar("Name")
Answer = TypeVar("Answer")


class StoredDirectory:
    """Asks the store each time: a revocation holds at once."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def key(self, key_id: str) -> KeyRecord | None:
        item = self._store.get(key_key(key_id))
        return None if item is None else from_attributes(item.attributes, KeyRecord)

    def place(self, tenant: str, project: str) -> Place | None:
        try:
            checked_name(project, "project")
        except InvalidInput:
            return None
        found = self._store.get_many([tenant_key(tenant), project_key(tenant, project)])
        return place_of(
            None if found[0] is None else from_attributes(found[0].attributes, Tenant),
            None if found[1] is None else from_attributes(found[1].attributes, Project),
        )

    def tier(self, tenant: str) -> str:
        item = self._store.get(tenant_key(tenant))
        return STANDARD if item is None else from_attributes(item.attributes, Tenant).tier


class RememberingDirectory:
    """Remembers answers, also that there is none, for 30 seconds: by then a revocation or an edit holds."""

    def __init__(self, directory: StoredDirectory, clock: Clock) -> None:
        self._directory = directory
        self._clock = clock
        self._keys: OrderedDict[str, tuple[int, KeyRecord | None]] = OrderedDict()
        self._places: OrderedDict[tuple[str, str], tuple[int, Place | None]] = OrderedDict()
        self._tiers: OrderedDict[str, tuple[int, str]] = OrderedDict()

    def key(self, key_id: str) -> KeyRecord | None:
        return self._recall(self._keys, key_id, lambda: self._directory.key(key_id))

    def place(self, tenant: str, project: str) -> Place | None:
        asked = (tenant, project)
        return self._recall(self._places, asked, lambda: self._directory.place(tenant, project))

    def tier(self, tenant: str) -> str:
        return self._recall(self._tiers, tenant, lambda: self._directory.tier(tenant))

    def _recall(self, memory: OrderedDict[Name, tuple[int, Answer]], name: Name, ask: Callable[[], Answer]) -> Answer:
        instant = now_ms(self._clock)
        known = memory.get(name)
        if known is not None and instant < known[0]:
            return known[1]
        answer = ask()
        memory[name] = (instant + REMEMBERED_SECONDS * 1000, answer)
        memory.move_to_end(name)
        while len(memory) > _MAX_REMEMBERED:
            memory.popitem(last=False)
        return answer
