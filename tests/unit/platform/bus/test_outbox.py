"""The outbox: state and event in one write, found again in the change table."""

import msgspec
import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import Event, new_event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.messages import Message, decode_message, encode_message
from almanac.platform.bus.outbox import KEPT_MS, messages_in, outbox, outbox_key
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import ConditionFailed, Put
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.platform.bus.conftest import SCOPE, Maker

STATE = Key(Partition.in_project(SCOPE, "claims"), sort_key("file"))


def _carried_events(changes: SqliteChanges) -> list[Event]:
    return [message.event for change in changes.read(0, 100) for message in messages_in(change.attributes)]


def test_an_event_is_carried_with_the_state_it_tells_of(store: SqliteStore, changes: SqliteChanges, make: Maker):
    event = make()
    store.write([Put(STATE, {"holder": "ada"}), *outbox([event])])
    assert store.get(STATE)
    assert _carried_events(changes) == [event]


def test_an_event_whose_state_is_refused_is_not_carried(store: SqliteStore, changes: SqliteChanges, make: Maker):
    store.write([Put(STATE, {"holder": "ada"})])
    with pytest.raises(ConditionFailed):
        store.write([Put(STATE, {"holder": "bob"}, Absent()), *outbox([make()])])
    assert _carried_events(changes) == []


def test_every_event_of_a_key_is_carried_though_one_item_stands(
    store: SqliteStore, changes: SqliteChanges, make: Maker
):
    events = [make("a") for _ in range(5)]
    for event in events:
        store.write(outbox([event]))
    assert _carried_events(changes) == events
    assert len(store.query(outbox_key(events[0]).partition).items) == 1


def test_events_of_one_write_keep_their_order_within_a_key(store: SqliteStore, changes: SqliteChanges, make: Maker):
    events = [make(key) for key in ("a", "b", "a", "b", "a")]
    store.write(outbox(events))
    carried = _carried_events(changes)
    assert sorted(event.id for event in carried) == sorted(event.id for event in events)
    for key in ("a", "b"):
        assert [event for event in carried if event.key == key] == [event for event in events if event.key == key]


def test_the_outbox_empties_itself_a_week_later(store: SqliteStore, clock: FixedClock, make: Maker):
    event = make()
    store.write(outbox([event]))
    item = store.get(outbox_key(event))
    assert item is not None
    assert item.expires_at == now_ms(clock) + KEPT_MS == now_ms(clock) + 604_800_000


def test_more_events_of_one_key_than_an_item_holds_are_refused(make: Maker):
    assert len(outbox([make() for _ in range(16)])) == 1
    with pytest.raises(InvalidInput):
        outbox([make() for _ in range(17)])


def test_the_largest_events_fit_an_item(store: SqliteStore, changes: SqliteChanges):
    payload = {"text": "x" * (16 * 1024 - len('{"text":""}'))}
    events = [
        new_event("noted", SCOPE, key="k" * 512, actor="a", at=1, random_bytes=bytes, payload=payload)
        for _ in range(16)
    ]
    store.write(outbox(events))
    assert _carried_events(changes) == events


@pytest.mark.parametrize("key", ["#", " ", "%00", "ä/b?c", "\x00\n", '"' * 512])
def test_any_text_is_a_key(store: SqliteStore, changes: SqliteChanges, make: Maker, key: str):
    event = make(key)
    store.write(outbox([event]))
    assert _carried_events(changes) == [event]


def test_other_items_that_the_feed_carries_hold_no_messages():
    assert messages_in({"text": "x"}) == []


def test_a_message_that_cannot_be_read_says_so():
    with pytest.raises(msgspec.DecodeError):
        messages_in({"messages": ['{"event": {}}']})


def test_a_payload_reads_back_as_it_was_given(make: Maker):
    payload = {"float": 2.0, "big": 2**70, "none": None, "list": [1, "ü", {"a": True}], "#": ""}
    event = new_event("noted", SCOPE, key="a", actor="a", at=1, random_bytes=bytes, payload=payload)
    back = decode_message(encode_message(Message(event))).event
    assert back == event
    assert isinstance(back.payload["float"], float)


def test_messages_stay_in_order_with_those_of_their_tenant_project_and_key_only(make: Maker):
    events = [make("a"), make("b"), make("a", scope=Scope("acme", "other")), make("a", scope=Scope("acm", "emain"))]
    assert len({Message(event).group for event in events}) == 4
    assert Message(make("a", kind="changed")).group == Message(events[0]).group


def test_a_retry_is_no_duplicate_of_the_first_sending_nor_of_another_retry(make: Maker):
    event = make()
    retries = [Message(event, "index", 1), Message(event, "index", 2), Message(event, "feed", 1)]
    identities = {message.identity for message in [Message(event), *retries]}
    assert len(identities) == 4
    assert all(len(identity) <= 128 for identity in identities)
    assert Message(event, "index", 1).identity == retries[0].identity
