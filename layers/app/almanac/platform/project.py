"""A project for one caller, with all that the parts of a family need to read and write there."""

import random
import time
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.events import KEY_BYTES, Event, new_event
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.store.contention import Backoff, retry_on_conflict
from almanac.platform.store.port import Store
from almanac.platform.store.records import Record, Rows, Table

if TYPE_CHECKING:
    from almanac.platform.store.page_cursors import PageCursors

T = TypeVar("T")
R = TypeVar("R", bound=Record)

SYSTEM_ACTOR = "almanac"
"""Actor of events without a caller, such as the expiry of a claim."""


class ProjectWork(Struct, frozen=True):
    """A caller's work in a project.

    `actor` comes from the API key. `contended` names the data that calls compete for.
    """

    store: Store
    scope: Scope
    actor: str
    clock: Clock
    random_bytes: RandomBytes
    backoff: Backoff

    contended: ClassVar[str] = "the project"

    @property
    def cursors(self) -> "PageCursors":
        """Return the cursors for lists that a cursor of the store cannot page."""
        from almanac.platform.store.page_cursors import PageCursors  # noqa: PLC0415 - few calls list anything

        return PageCursors(self.store, self.scope, self.random_bytes)

    def rows(self, table: Table[R]) -> Rows[R]:
        """Return the project's records of a table."""
        return table.within(self.store, self.scope)

    def retry_on_conflict(self, attempt: Callable[[], T]) -> T:
        """Call `attempt` until its write does not conflict, as `contention.retry_on_conflict` does."""
        return retry_on_conflict(self.backoff, attempt, self.contended)

    def now(self) -> int:
        """Return the current instant in milliseconds since 1970."""
        return now_ms(self.clock)

    def event(self, kind: str, key: str, payload: Mapping[str, Any], *, at: int, actor: str | None = None) -> Event:
        """Return an event of this project about `key`. Its actor is the caller unless `actor` is set."""
        return new_event(
            kind,
            self.scope,
            key=event_key(key),
            actor=actor or self.actor,
            at=at,
            random_bytes=self.random_bytes,
            payload=payload,
        )


def patient_backoff() -> Backoff:
    """Return the retry policy of calls that may lose to many concurrent writers."""
    return Backoff(sleep=time.sleep, random=random.random, attempts=80)


def event_key(key: str) -> str:
    """Return the event key for `key`, shortened if it is too long for events."""
    if len(key.encode()) <= KEY_BYTES:
        return key
    return f"{key[:100]}…{sha256(key.encode()).hexdigest()}"
