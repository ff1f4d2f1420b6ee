"""Test the live feed from a write to its listeners, with the emulator's stream and FIFO queue and our three handlers.

A double of API Gateway's sockets records sent messages.
"""

import pytest

from almanac.families.team.messages.broadcasts import plan_broadcast
from almanac.gateway.events.stream_door import stream_handler
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.bus.sinks import Bus, Queue
from almanac.platform.feed.sink import listeners_queue
from tests.contract.backends import Place
from tests.contract.test_events_on_aws import Cloud
from tests.doubles.writers import SomeWriter
from tests.unit.gateway.feed_world import FeedWorld

BROADCASTS = 25


class FeedOnAws:
    def __init__(self, address: str, clock: FixedClock, tenant: str) -> None:
        self.store = Place("ministack", address).open(clock)
        self.cloud = Cloud(address, f"feed-{tenant}")
        fifo = {"FifoQueue": "true", "VisibilityTimeout": "0"}
        self.queue: str = self.cloud.sqs.create_queue(QueueName=f"sockets-{tenant}.fifo", Attributes=fifo)["QueueUrl"]
        self.world = FeedWorld(self.store, clock, [tenant])
        self.scope, self._clock = Scope(tenant, "moon"), clock
        sinks = (
            Queue(self.cloud.sqs, self.cloud.queue),
            listeners_queue(self.cloud.sqs, self.queue),
            Bus(self.cloud.events, self.cloud.bus, (), lambda _: False),
        )
        self._feed = stream_handler(lambda: sinks, self.world.telemetry)

    def tell(self, number: int) -> None:
        writer = SomeWriter(self.store, self.scope, self.world.random)
        key, more = f"key-{number % 3}", {"number": number}
        self.store.write(plan_broadcast(writer, key, number, at=now_ms(self._clock), more=more).changes)

    def carry(self, times: int = 1) -> None:
        """Do the work of the event source mappings of the stream and of the feed's queue, until both are empty."""
        records = [
            each for each in self.cloud.new_records() if self.scope.tenant in each["dynamodb"]["Keys"]["PK"]["S"]
        ]
        assert self._feed({"Records": records}, None) == {"batchItemFailures": []}
        while found := self.cloud.receive(self.queue):
            for _ in range(times):
                assert self.world.push_door({"Records": found}, None) == {"batchItemFailures": []}
            self.cloud.settle(self.queue, found, set())


@pytest.fixture
def feed(ministack_address: str, clock: FixedClock, scope: Scope) -> FeedOnAws:
    return FeedOnAws(ministack_address, clock, scope.tenant)


@pytest.mark.slow
def test_a_listener_is_told_every_broadcast_in_order_and_replays_from_a_cursor(feed: FeedOnAws):
    world, sent = feed.world, feed.world.connections
    key = world.key(feed.scope.tenant)
    world.listen("c1", key)
    for number in range(BROADCASTS):
        feed.tell(number)
    feed.carry(times=2)
    for of_key in range(3):
        assert [n for n in sent.numbers("c1") if n % 3 == of_key] == list(range(of_key, BROADCASTS, 3))
    assert len(sent.numbers("c1")) == BROADCASTS

    cursor = sent.events("c1")[9]["cursor"]
    world.listen("c2", key, since=cursor)
    feed.carry()
    assert sent.numbers("c2") == sent.numbers("c1")[10:]
    assert world.telemetry.defects == []
