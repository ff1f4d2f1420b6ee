"""The bells of one project."""

import os

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.events import new_event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.port import Store

from .records import RINGS, Ring


class Notifiers:
    def __init__(self, store: Store, scope: Scope, actor: str, clock: Clock) -> None:
        self._store = store
        self._scope = scope
        self._actor = actor
        self._clock = clock

    def ring(self, bell: str) -> None:
        now = now_ms(self._clock)
        rung = new_event(
            "bell_rung",
            self._scope,
            key=f"bell/{bell}",
            actor=self._actor,
            at=now,
            random_bytes=os.urandom,
            payload={"bell": bell},
        )
        put = RINGS.within(self._store, self._scope).put(Ring(bell=bell, rung_at=now))
        self._store.write([put, *outbox([rung])])

    def rings(self) -> list[Ring]:
        return [*RINGS.within(self._store, self._scope).query().records]
