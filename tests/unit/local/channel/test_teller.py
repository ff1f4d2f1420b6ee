"""Test the delivery of notices to a client: read ones are remembered, own and repeated ones skipped, missed ones
reported."""

from collections.abc import Callable, Generator
from typing import Any

import pytest

from almanac.kernel.errors import NotFound
from almanac.local.channel.client import Client, Gone
from almanac.local.channel.notices import Notice
from almanac.local.channel.position import Position
from almanac.local.channel.teller import ChannelServer, Teller
from almanac.local.client.feed_watch import FeedEnd

Json = dict[str, Any]
SERVER = ChannelServer("http://127.0.0.1:9/mcp", "http://127.0.0.1:9/mcp", "key")


class RecordingClient(Client):
    def __init__(self, *, reads: bool = True) -> None:
        self.notices: list[Notice] = []
        self._reads = reads

    def tell(self, notices: Any) -> bool:
        self.notices += notices
        return self._reads

    def kinds(self) -> list[str]:
        return [one.meta["kind"] for one in self.notices]


class World:
    """A feed of several connections, each of events or of how it ends, and an inbox."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.connections: list[list[Json | Exception]] = []
        self.inbox: list[Json] = []
        self.since: list[str | None] = []
        self.asked: list[Json] = []
        self.refuses_cursors = False
        outer = self

        class Feed:
            def __init__(self, *_: Any, since: str | None, **__: Any) -> None:
                outer.since.append(since)
                self.cursor = since or "start"

            def events(self, say: Any, subscribed: Callable[[], None]) -> Generator[Json]:
                subscribed()
                for each in outer.connections.pop(0) if outer.connections else [Gone()]:
                    if isinstance(each, Exception):
                        raise each
                    yield each

        class Calls:
            def __init__(self, *_: Any, **__: Any) -> None: ...

            def ask(self, tool: str, arguments: Json) -> Json:
                outer.asked.append(arguments)
                if outer.refuses_cursors and "cursor" in arguments:
                    raise NotFound("There is no such place.")
                page, later = outer.inbox[:2], outer.inbox[2:]
                outer.inbox = later
                return {"actor": "ann", "roles": [], "messages": page, "truncated": bool(later), "next_cursor": "c"}

        monkeypatch.setattr("almanac.local.channel.teller.FeedListener", Feed)
        monkeypatch.setattr("almanac.local.channel.teller.PatientCalls", Calls)

    def run(self, client: RecordingClient, position: Position, *, others_only: bool = False) -> None:
        Teller(SERVER, client, position, lambda _: None, others_only=others_only, sleep=lambda _: None).run()


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


def broadcast(number: int, value: object, by: str = "bob") -> Json:
    payload = {"key": "k", "value": value}
    return {
        "kind": "broadcast_set",
        "id": f"e{number}",
        "cursor": f"at{number}",
        "at": 1,
        "actor": by,
        "payload": payload,
    }


def mail(number: int) -> Json:
    return {"id": f"m{number}", "sender": "bob", "subject": "s", "body": "b", "sent_at": number}


def message_event(number: int) -> Json:
    payload = {"message_id": f"m{number}", "to": ["ann"]}
    return {
        "kind": "message_sent",
        "id": f"s{number}",
        "cursor": f"mail{number}",
        "at": 1,
        "actor": "bob",
        "payload": payload,
    }


def test_mail_is_told_in_pages_and_each_once(world: World) -> None:
    world.inbox = [mail(each) for each in range(5)]
    world.connections = [[message_event(4), message_event(5)]]
    client, position = RecordingClient(), Position(None)
    world.run(client, position)
    assert [one.id for one in client.notices] == ["m0", "m1", "m2", "m3", "m4"]
    # What is told already is not looked for; the other is.
    assert len(world.asked) == 4
    assert position.cursor == "mail5"


def test_a_refused_cursor_of_the_inbox_begins_again_and_repeats_nothing(world: World) -> None:
    world.inbox, world.refuses_cursors = [mail(1)], True
    world.connections = [[message_event(2)]]
    client = RecordingClient()
    world.inbox = [mail(1)]
    world.run(client, Position(None))
    assert [one.id for one in client.notices] == ["m1"]


def test_the_place_stays_where_the_client_has_not_read(world: World) -> None:
    world.connections = [[broadcast(1, 1)]]
    position = Position(None)
    world.run(RecordingClient(reads=False), position)
    assert position.cursor == "start"
    world.connections = [[broadcast(1, 1)]]
    world.run(RecordingClient(), position)
    assert position.cursor == "at1"


def test_an_event_that_comes_again_is_told_once(world: World) -> None:
    world.connections = [[broadcast(1, 1), broadcast(1, 1), broadcast(2, 1)]]
    client = RecordingClient()
    world.run(client, Position(None))
    assert [one.id for one in client.notices] == ["e1", "e2"]


def test_own_broadcasts_are_marked_and_the_same_is_told_once(world: World) -> None:
    world.connections = [
        [broadcast(1, "a", "ann"), broadcast(2, "a", "ANN"), broadcast(3, "b", "ann"), broadcast(4, "b")]
    ]
    client, position = RecordingClient(), Position(None)
    world.run(client, position)
    assert [(one.id, one.meta.get("own")) for one in client.notices] == [("e1", "yes"), ("e3", "yes"), ("e4", None)]
    assert position.cursor == "at4"
    world.connections = [[broadcast(5, "c", "ann"), broadcast(6, "d")]]
    client = RecordingClient()
    world.run(client, position, others_only=True)
    assert [one.id for one in client.notices] == ["e6"]


def test_a_place_that_is_gone_is_said_and_left(world: World) -> None:
    world.connections = [[FeedEnd("Events are no longer kept.", 1, "cursor_expired")], [broadcast(1, 1)]]
    client, position = RecordingClient(), Position(None)
    position.keep("old")
    world.run(client, position)
    assert world.since == ["old", None]
    assert [one.id for one in client.notices] == ["events_missed", "e1"]


@pytest.mark.parametrize("code", ["unauthorized", "invalid_input", ""])
def test_a_refusal_is_said_once_and_ends_it(code: str, world: World) -> None:
    world.connections = [[FeedEnd("The server refuses the key.", 1, code)]]
    client = RecordingClient()
    position = Position(None)
    # Nothing was kept yet, so it is not the place that is refused.
    position.keep = lambda cursor: None
    world.run(client, position)
    assert [one.id for one in client.notices] == ["refused"]
