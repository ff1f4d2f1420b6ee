"""Slots of the live feed, limited for each tenant, for each key, and for connections that have not sent a key."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

from almanac.gateway.feed.admission import FeedLimits, NoPlace
from almanac.kernel.caller import Caller


class FeedSlots:
    def __init__(self, limits: FeedLimits) -> None:
        self._limits = limits
        self._unknown: OrderedDict[asyncio.Timeout, None] = OrderedDict()
        self._tenants: Counter[str] = Counter()
        self._keys: Counter[str] = Counter()
        self._listeners = 0

    @asynccontextmanager
    async def unknown(self, seconds: float) -> AsyncGenerator[None]:
        """Hold a slot for a connection that has not sent its key yet. Raises TimeoutError after `seconds`. If the slots
        run out, the connection that has waited longest gets TimeoutError at once."""
        async with asyncio.timeout(seconds) as waiting:
            if len(self._unknown) >= self._limits.unknown:
                oldest, _ = self._unknown.popitem(last=False)
                oldest.reschedule(0)
            self._unknown[waiting] = None
            try:
                yield
            finally:
                self._unknown.pop(waiting, None)

    @contextmanager
    def of(self, caller: Caller) -> Generator[None]:
        """Hold a slot for a listener. Raises NoPlace."""
        tenant, key = caller.scope.tenant, caller.key_id
        if self._keys[key] >= self._limits.of_key:
            raise NoPlace("this key")
        if self._tenants[tenant] >= self._limits.of_tenant:
            raise NoPlace("this tenant")
        if self._listeners >= self._limits.listeners:
            raise NoPlace("this server")
        self._count(tenant, key, 1)
        try:
            yield
        finally:
            self._count(tenant, key, -1)

    def _count(self, tenant: str, key: str, change: int) -> None:
        self._listeners += change
        for counts, name in ((self._tenants, tenant), (self._keys, key)):
            counts[name] += change
            if not counts[name]:
                del counts[name]
