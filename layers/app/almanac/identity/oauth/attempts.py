"""A trace of sign-ins, kept for seven days.

Clients fail silently. The trace shows how far each sign-in came: what was asked, and how the server answered.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from almanac.identity.oauth.records import ATTEMPT_KEPT_MS, ATTEMPTS, Attempt, attempts_of
from almanac.identity.records import from_attributes, to_attributes
from almanac.kernel.clock import Clock
from almanac.kernel.ids import RandomBytes, ulid
from almanac.kernel.instants import now_ms
from almanac.platform.store.keys import Key, sort_key
from almanac.platform.store.port import Index, Item, Put, Store
from almanac.platform.store.records import readable

MOST_LISTED = 500
_MOST_TEXT = 300


class SignInTrace(Struct, frozen=True):
    """The steps of one sign-in, the first one first. There is at least one."""

    steps: tuple[Attempt, ...]

    @property
    def last(self) -> Attempt:
        """Where it ended."""
        return self.steps[-1]

    def told(self, name: str) -> str:
        """The last value of a field that any step tells, "" where none does."""
        return next((value for step in reversed(self.steps) if (value := str(getattr(step, name)))), "")


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
        return self._read(self._store.query(ATTEMPTS, reverse=True, limit=limit).items)

    def of_tenant(self, tenant: str, limit: int = MOST_LISTED) -> list[SignInTrace]:
        """The sign-ins with keys of the tenant, the last one that went on first. Steps before a person showed a key
        are nobody's."""
        found = self._store.query(attempts_of(tenant), index="gsi1", reverse=True, limit=limit).items
        steps: dict[str, list[Attempt]] = {}
        for step in self._read(found):
            steps.setdefault(step.attempt, []).append(step)
        return [SignInTrace(tuple(reversed(each))) for each in steps.values()]

    def _read(self, items: Iterable[Item]) -> Iterator[Attempt]:
        # Stores delete late what has expired.
        oldest = now_ms(self._clock) - ATTEMPT_KEPT_MS
        for item in items:
            step = readable(item, lambda one: from_attributes(one.attributes, Attempt))
            if step is not None and step.at > oldest:
                yield step
