"""Protection against guessed keys, by counting refused keys per network in the store.

    S#guesses#<network>   minute#<start>   refused: number of keys of that network that were refused in that minute
    S#guesses#<network>   known#<digest>   a key that was accepted from there; expires 30 days after its last use

After 30 refusals in a minute, the network gets the same answer for every key, whether unknown, wrong, revoked, expired
or good. Only keys that were accepted from that network before go on working. So an attacker behind a shared address
cannot lock out the people who work there. Right and wrong keys cost the same work, and known keys are looked up by the
digest of the whole key. So neither the answer nor its time tells an attacker that a guess was right.
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
_MAX_CACHED = 4096
_ATTEMPTS = 4
Name = TypeVar("Name")
Value = TypeVar("Value")


class Guesses:
    """Counts refused keys in the store. Caches at most 4096 blocked networks and 4096 known keys in this process."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._blocked: OrderedDict[str, int] = OrderedDict()
        self._known: OrderedDict[tuple[str, bytes], int] = OrderedDict()

    def remembers(self, network: str, digest: bytes) -> bool:
        """Return whether this process has cached the key as a known key of the network. Does not read the store."""
        return self._known.get((network, digest), 0) > now_ms(self._clock)

    def refusal(self, network: str, digest: bytes, *, good: bool) -> Refusal | None:
        """Return a refusal if the network has guessed too often this minute. None for keys known from that network.

        `good` is true if the key is right. The work is the same in both cases.
        """
        known = self._store.get(_known_key(network, digest)) is not None
        blocked_until = self._end_of_block(network)
        instant = now_ms(self._clock)
        if blocked_until <= instant or (known and good):
            return None
        return too_many("too many refused keys from this address", max(1, -(-(blocked_until - instant) // 1000)))

    def record_refusal(self, network: str) -> None:
        """Count a refused key."""
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

    def record_success(self, network: str, digest: bytes) -> None:
        """Store the key as known from the network, and cache that for a day. A cached key is not stored again."""
        instant = now_ms(self._clock)
        self._store.write([Put(_known_key(network, digest), {"at": instant}, expires_at=instant + KNOWN_MS)])
        _keep(self._known, (network, digest), instant + _DAY)

    def _end_of_block(self, network: str) -> int:
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
    while len(remembered) > _MAX_CACHED:
        remembered.popitem(last=False)
