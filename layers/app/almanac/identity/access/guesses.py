"""Refused keys per network, counted in the store for all processes: a network that keeps guessing learns nothing more.

    S#guesses#<network>   minute#<start>   refused: how many keys of that network were refused in that minute
    S#guesses#<network>   known#<digest>   a key that was let in from there; forgotten 30 days after its last use

From 30 refusals in a minute on, the network gets one answer for every key, be it unknown, wrong, revoked, expired or
good: only keys that were let in from there before go on working, so that whoever guesses behind a shared address locks
out none of those who work there. Right and wrong keys cost the same work, and what is known is asked for the whole key,
so neither the answer nor its time tells a guess from a hit.
"""

from collections import OrderedDict
from typing import TypeVar

from almanac.identity.access.refusals import Refusal, too_many
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, ConditionFailed, Put, Store, Update

PER_MINUTE = 30
KNOWN_MS = 30 * 86_400_000
_MINUTE = 60_000
_DAY = 86_400_000
_MAX_REMEMBERED = 4096
_ATTEMPTS = 4
Name = TypeVar("Name")
Value = TypeVar("Value")


class Guesses:
    """Remembers in this process, for at most 4096 networks and keys each, what the store need not be asked again."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._blocked: OrderedDict[str, int] = OrderedDict()
        self._known: OrderedDict[tuple[str, bytes], int] = OrderedDict()

    def remembers(self, network: str, digest: bytes) -> bool:
        """Return whether this process knows the key as one that the network uses. It reads no store."""
        return self._known.get((network, digest), 0) > now_ms(self._clock)

    def refusal(self, network: str, digest: bytes, *, good: bool) -> Refusal | None:
        """Not None where the network has guessed too often this minute and the key is not one of its own.

        `good` tells whether the key was found right; the work is the same.
        """
        known = self._store.get(_known_key(network, digest)) is not None
        blocked_until = self._blocked_until(network)
        instant = now_ms(self._clock)
        if blocked_until <= instant or (known and good):
            return None
        return too_many("too many refused keys from this address", max(1, -(-(blocked_until - instant) // 1000)))

    def failed(self, network: str) -> None:
        """Counts a refused key."""
        start = self._minute()
        key = _count_key(network, start)
        fresh = False
        for _ in range(_ATTEMPTS):
            begun = Put(key, {"refused": 1}, Absent(), expires_at=start + 2 * _MINUTE)
            change: Change = begun if fresh else Update(key, add={"refused": 1})
            try:
                self._store.write([change])
                return
            except ConditionFailed:
                fresh = not fresh

    def succeeded(self, network: str, digest: bytes) -> None:
        """The key was let in from there: written down once a day."""
        instant = now_ms(self._clock)
        self._store.write([Put(_known_key(network, digest), {"at": instant}, expires_at=instant + KNOWN_MS)])
        _keep(self._known, (network, digest), instant + _DAY)

    def _blocked_until(self, network: str) -> int:
        known = self._blocked.get(network, 0)
        if known > now_ms(self._clock):
            return known
        start = self._minute()
        item = self._store.get(_count_key(network, start))
        refused = item.attributes.get("refused") if item is not None else 0
        if not isinstance(refused, int) or refused < PER_MINUTE:
            return 0
        _keep(self._blocked, network, start + _MINUTE)
        return start + _MINUTE

    def _minute(self) -> int:
        instant = now_ms(self._clock)
        return instant - instant % _MINUTE


def _count_key(network: str, start: int) -> Key:
    return Key(Partition.system("guesses", network), sort_key("minute", start))


def _known_key(network: str, digest: bytes) -> Key:
    return Key(Partition.system("guesses", network), sort_key("known", digest.hex()))


def _keep(remembered: "OrderedDict[Name, Value]", name: Name, value: Value) -> None:
    remembered[name] = value
    remembered.move_to_end(name)
    while len(remembered) > _MAX_REMEMBERED:
        remembered.popitem(last=False)
