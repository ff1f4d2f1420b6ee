"""A trace of sign-ins, kept for seven days.

Clients fail silently. The trace shows the steps of each sign-in: the requests, and how the server answered them.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from almanac.identity.oauth.records import ACCESS_MS, ATTEMPT_KEPT_MS, ATTEMPTS, Attempt, ClientGrant, attempts_of
from almanac.identity.records import from_attributes, to_attributes
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Conflict, Unavailable
from almanac.kernel.ids import RandomBytes, ulid
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Key, sort_key
from almanac.platform.store.port import Index, Item, Put, Store
from almanac.platform.store.records import readable

MOST_LISTED = 500
_MOST_NOTED = 2000
_MOST_TEXT = 300


class FirstCalls:
    """Records the outcomes of the first calls with a grant, each kind of outcome once.

    So the trace tells a client that got tokens and never called from a client whose calls the server refused, and why.
    """

    def __init__(self, open_store: Callable[[], Store], clock: Clock) -> None:
        self._open_store = open_store
        self._clock = clock
        self._recorded: set[tuple[str, str]] = set()

    def __call__(self, grant: ClientGrant, outcome: str) -> None:
        instant = now_ms(self._clock)
        if (grant.id, outcome) in self._recorded or not grant.created_at <= instant < grant.created_at + ACCESS_MS:
            return
        if len(self._recorded) >= _MOST_NOTED:
            self._recorded.clear()
        self._recorded.add((grant.id, outcome))
        # All processes derive the same id, which sorts right behind the answer of the token endpoint.
        digest = sha256(f"{grant.id} {outcome}".encode()).digest()
        step = Attempt(
            id=ulid(grant.created_at + 1, lambda count: digest[:count]),
            at=instant,
            attempt=grant.attempt,
            step="call",
            outcome=outcome[:_MOST_TEXT],
            client_id=grant.client_id[:_MOST_TEXT],
            client_host=grant.client_host[:_MOST_TEXT],
            tenant=grant.tenant,
            key_id=grant.key_id,
            grant_id=grant.id,
        )
        # A request must not fail because its trace cannot be written.
        with suppress(Conflict, Unavailable):
            self._open_store().write([_put(step, Absent())])


class SignInTrace(Struct, frozen=True):
    """The steps of one sign-in, oldest first. There is at least one."""

    steps: tuple[Attempt, ...]

    @property
    def last(self) -> Attempt:
        """Last step of the sign-in so far."""
        return self.steps[-1]

    def latest_value(self, name: str) -> str:
        """Return the latest value of a field over all steps. "" if no step has one."""
        return next((value for step in reversed(self.steps) if (value := str(getattr(step, name)))), "")


class Attempts:
    def __init__(self, store: Store, clock: Clock, random_bytes: RandomBytes) -> None:
        self._store = store
        self._clock = clock
        self._random_bytes = random_bytes

    def new_id(self) -> str:
        return ulid(now_ms(self._clock), self._random_bytes)

    def note(self, step: Attempt) -> None:
        """Store a step at the current instant.

        Long texts are cut and invisible characters replaced, because strangers write these texts.
        """
        instant = now_ms(self._clock)
        names = ("outcome", "client_id", "client_host", "redirect", "scope", "resource")
        cut = {name: _visible_text(str(getattr(step, name))) for name in names}
        step = replace(step, id=self.new_id(), at=instant, **cut)
        self._store.write([_put(step)])

    def latest(self, limit: int = MOST_LISTED) -> Iterator[Attempt]:
        """Yield the steps of all sign-ins, newest first."""
        return self._read(self._store.query(ATTEMPTS, reverse=True, limit=limit).items)

    def of_tenant(self, tenant: str, limit: int = MOST_LISTED) -> list[SignInTrace]:
        """Return the sign-ins with keys of the tenant, ordered by their latest step, newest first.

        Steps before a person presents a key belong to no tenant and are left out.
        """
        found = self._store.query(attempts_of(tenant), index="gsi1", reverse=True, limit=limit).items
        steps: dict[str, list[Attempt]] = {}
        for step in self._read(found):
            steps.setdefault(step.attempt, []).append(step)
        return [SignInTrace(tuple(reversed(each))) for each in steps.values()]

    def _read(self, items: Iterable[Item]) -> Iterator[Attempt]:
        # Stores may delete expired items late.
        oldest = now_ms(self._clock) - ATTEMPT_KEPT_MS
        for item in items:
            step = readable(item, lambda one: from_attributes(one.attributes, Attempt))
            if step is not None and step.at > oldest:
                yield step


def _visible_text(text: str) -> str:
    return "".join(each if each.isprintable() else "·" for each in text[:_MOST_TEXT])


def _put(step: Attempt, condition: Absent | None = None) -> Put:
    found_by: dict[Index, Key] = {}
    if step.tenant:
        found_by["gsi1"] = Key(attempts_of(step.tenant), sort_key(step.id))
    key = Key(ATTEMPTS, sort_key(step.id))
    return Put(key, to_attributes(step), condition, expires_at=step.at + ATTEMPT_KEPT_MS, indexes=found_by)
