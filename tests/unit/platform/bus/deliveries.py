"""A counter, which shows an effect that came twice, and deliveries to the end."""

from datetime import timedelta

from almanac.kernel.clock import FixedClock
from almanac.kernel.events import Event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.messages import Message
from almanac.platform.bus.records import done_key, failing_key
from almanac.platform.store.port import Item
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.platform.bus.conftest import COUNTER, Recorder

GIVING_UP = [ValueError("no")] * 6


def count(store: SqliteStore) -> int:
    item = store.get(COUNTER)
    assert item is not None
    count = item.attributes["count"]
    assert isinstance(count, int)
    return count


def exhaust(delivery: Delivery, clock: FixedClock, recorder: Recorder, message: Message) -> int:
    """Delivers until it is settled; returns how many times that took."""
    times = 0
    while True:
        times += 1
        retry_at = delivery.deliver(message, recorder.reaction, tried=times > 1)
        if retry_at is None:
            return times
        clock.instant += timedelta(milliseconds=retry_at - now_ms(clock))


def delivery_records(store: SqliteStore, event: Event, recorder: Recorder) -> tuple[Item | None, Item | None]:
    done, failing = store.snapshot(
        [done_key(event, recorder.reaction.name), failing_key(event, recorder.reaction.name)]
    )
    return done, failing
