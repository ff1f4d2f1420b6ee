"""One project, as one caller works in it: the store, clock and actor of every part of the family."""

import os
import random
import time
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from almanac.families.team.core.rule_sources import NOTHING, Installation
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import KEY_BYTES, Event, new_event
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.services import Services
from almanac.platform.store.contention import Backoff, retrying
from almanac.platform.store.port import Store

T = TypeVar("T")

SYSTEM_ACTOR = "almanac"
"""The actor of events that nobody caused, such as the expiry of a claim."""


class Project(Struct, frozen=True):
    """`actor` is who calls, as the API key says. `here` is what rules can be made of."""

    store: Store
    scope: Scope
    actor: str
    clock: Clock
    random_bytes: RandomBytes
    backoff: Backoff
    here: Installation = NOTHING

    def retrying(self, attempt: Callable[[], T]) -> T:
        """See `contention.retrying`."""
        return retrying(self.backoff, attempt, "the team's state")

    def now(self) -> int:
        """Milliseconds since 1970."""
        return now_ms(self.clock)

    def event(self, kind: str, key: str, payload: Mapping[str, Any], *, at: int, actor: str | None = None) -> Event:
        """An event of this project about `key`, by the caller unless `actor` says otherwise."""
        return new_event(
            kind,
            self.scope,
            key=event_key(key),
            actor=actor or self.actor,
            at=at,
            random_bytes=self.random_bytes,
            payload=payload,
        )


def open_project(services: Services, scope: Scope, actor: str, clock: Clock, here: Installation = NOTHING) -> Project:
    """For one call, over the store of `services`."""
    backoff = Backoff(sleep=time.sleep, random=random.random, attempts=80)
    return Project(services.get(Store), scope, actor, clock, os.urandom, backoff, here)


def system_project(services: Services, scope: Scope) -> Project:
    """A project for scheduled jobs."""
    return open_project(services, scope, SYSTEM_ACTOR, services.get(Clock))


def event_key(key: str) -> str:
    """The key of events about `key`, shortened where events cannot carry it whole."""
    if len(key.encode()) <= KEY_BYTES:
        return key
    return f"{key[:100]}…{sha256(key.encode()).hexdigest()}"


def check_size(value: object, path: str, limit: int) -> None:
    """Raises InvalidInput where `value` takes over `limit` bytes as JSON: events carry it."""
    size = len(msgspec.json.encode(value))
    if size > limit:
        raise InvalidInput(
            f'"{path}" has {size} bytes as JSON, over {limit}.',
            "Store it elsewhere and put only its name here.",
            path=path,
        )
