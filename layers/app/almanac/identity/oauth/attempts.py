"""A trace of sign-ins, kept for seven days.

Clients fail silently. The trace shows how far each sign-in came: what was asked, and how the server answered.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from almanac.identity.oauth.records import ATTEMPT_KEPT_MS, ATTEMPTS, Attempt, attempts_of
from almanac.identity.records import from_attributes, to_attributes
from almanac.kernel.clock import Clock
from almanac.kernel.ids import RandomBytes, ulid
from almanac.kernel.instants import now_ms
from almanac.platform.store.keys import Key, sort_key
from almanac.platform.store.port import Index, Put, Store
from almanac.platform.store.records import readable

MOST_LISTED = 500
_MOST_TEXT = 300


class Attempts:
    def __init__(self, store: Store, clock: Clock, random_bytes: RandomBytes) -> None:
        self._store = store
        self._clock = clock
        self._random_bytes = random_bytes

    def new_id(self) -> str:
        return ulid(now_ms(self._clock), self._random_bytes)

    def note(self, step: Attempt) -> None:
        """Add a step, at this instant. Long texts are cut."""
        instant = now_ms(self._clock)
        names = ("outcome", "client_id", "client_host", "redirect", "scope", "resource")
        cut = {name: str(getattr(step, name))[:_MOST_TEXT] for name in names}
        noted = replace(step, id=self.new_id(), at=instant, **cut)
        found_by: dict[Index, Key] = {}
        if noted.tenant:
            found_by["gsi1"] = Key(attempts_of(noted.tenant), sort_key(noted.id))
        key = Key(ATTEMPTS, sort_key(noted.id))
        self._store.write([Put(key, to_attributes(noted), expires_at=instant + ATTEMPT_KEPT_MS, indexes=found_by)])

    def latest(self, limit: int = MOST_LISTED) -> Iterator[Attempt]:
        """The steps of all sign-ins, the newest first."""
        for item in self._store.query(ATTEMPTS, reverse=True, limit=limit).items:
            step = readable(item, lambda one: from_attributes(one.attributes, Attempt))
            if step is not None:
                yield step
