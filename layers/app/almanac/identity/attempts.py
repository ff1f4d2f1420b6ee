"""Refused keys per address: an address that keeps guessing is no longer listened to for a while."""

from collections import OrderedDict
from typing import Any, TypeVar

from almanac.identity.refusals import Refusal, too_many
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms

PER_MINUTE = 30
_MINUTE = 60_000
_MAX_ADDRESSES = 4096
Name = TypeVar("Name", str, bytes)


class FailedAttempts:
    """Counts in this process's memory, for at most 4096 addresses, in windows of one minute.

    `trusted` digests are of keys that were accepted in this process: they are listened to from any address, so that a
    neighbour's wrong key locks nobody out.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._trusted: OrderedDict[bytes, None] = OrderedDict()

    @property
    def remembered(self) -> int:
        """Of how many addresses there is a count."""
        return len(self._failures)

    def refusal(self, address: str, digest: bytes) -> Refusal | None:
        """Not None where the address has failed too often this minute and the key is not known to be good."""
        ends, count = self._failures.get(address, (0, 0))
        left = ends - now_ms(self._clock)
        if left <= 0 or count < PER_MINUTE or digest in self._trusted:
            return None
        return too_many("too many refused keys from this address", -(-left // 1000))

    def failed(self, address: str) -> None:
        instant = now_ms(self._clock)
        ends, count = self._failures.get(address, (0, 0))
        self._failures[address] = (ends, count + 1) if instant < ends else (instant + _MINUTE, 1)
        _keep_recent(self._failures, address)

    def succeeded(self, digest: bytes) -> None:
        self._trusted[digest] = None
        _keep_recent(self._trusted, digest)


def _keep_recent(remembered: OrderedDict[Name, Any], name: Name) -> None:
    remembered.move_to_end(name)
    while len(remembered) > _MAX_ADDRESSES:
        remembered.popitem(last=False)
