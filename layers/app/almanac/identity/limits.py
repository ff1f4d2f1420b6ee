"""How often a key may be used: requests per minute and per day, counted exactly in the store.

Windows are minutes and days of UTC. A request counts in all of its key's windows or, where one is full, in none.
"""

from almanac.identity.passes import Pass
from almanac.identity.records import window_key
from almanac.identity.refusals import Refusal, too_many
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent, Less
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Change, ConditionFailed, Put, Store, Update

_MINUTE = 60_000
_DAY = 86_400_000
_ATTEMPTS = 8


class RequestLimits:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def admit(self, allowed: Pass) -> Refusal | None:
        """Counts one request of the key, or says when the next one may come. Unlimited keys cost nothing."""
        windows = [
            (name, length, limit)
            for name, length, limit in (("minute", _MINUTE, allowed.per_minute), ("day", _DAY, allowed.per_day))
            if limit is not None
        ]
        return self._count(allowed.caller.key_id, windows) if windows else None

    def _count(self, key_id: str, windows: list[tuple[str, int, int]]) -> Refusal | None:
        instant = now_ms(self._clock)
        starts = [instant - instant % length for _, length, _ in windows]
        keys = [window_key(key_id, name, start) for (name, _, _), start in zip(windows, starts, strict=True)]
        fresh: set[int] = set()
        for _ in range(_ATTEMPTS):
            changes = [
                _begin(key, start + length) if place in fresh else _add(key, limit)
                for place, (key, start, (_, length, limit)) in enumerate(zip(keys, starts, windows, strict=True))
            ]
            try:
                self._store.write(changes)
                return None
            except ConditionFailed as failed:
                name, length, limit = windows[failed.change]
                if failed.item is None:
                    fresh.add(failed.change)
                elif failed.change in fresh:
                    fresh.remove(failed.change)
                else:
                    left = starts[failed.change] + length - instant
                    return too_many(f"{limit} per {name} is the limit of this key", -(-left // 1000))
        raise Unavailable("The request counters are busy.", "Repeat the request in a moment.")


def _begin(key: Key, ends: int) -> Change:
    return Put(key, {"used": 1}, Absent(), expires_at=ends)


def _add(key: Key, limit: int) -> Change:
    return Update(key, add={"used": 1}, condition=Less("used", limit))
