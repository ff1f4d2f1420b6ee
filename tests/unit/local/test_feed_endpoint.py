"""Test the laptop's feed endpoint for listeners that fall behind or whose key is revoked."""

import asyncio
import json
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from almanac.gateway.feed.admission import FeedLimits
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.local.feed import endpoint as feed_endpoint
from almanac.local.feed import watch as feed_watch
from almanac.local.feed.endpoint import FeedEndpoint
from almanac.local.feed.watch import Watches
from almanac.platform.feed.log import Log, log_event
from almanac.platform.services import Services
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.gateway.feed_world import MOON, FeedWorld

Frame = dict[str, Any]


class Here:
    """An endpoint over a store, and events that go straight into the log."""

    def __init__(self, store: SqliteStore, clock: FixedClock, limits: FeedLimits | None = None) -> None:
        self.world = FeedWorld(store, clock)
        self.services = Services({Store: lambda: store, Clock: lambda: clock})
        directory = StoredDirectory(store)
        self.errors: list[BaseException] = []
        watches = Watches(
            Log(store), Cursors(b"a secret of these tests"), lambda where, error: self.errors.append(error)
        )
        gatekeeper = Gatekeeper(directory, store, clock)
        self.endpoint = FeedEndpoint(watches, gatekeeper, directory, clock, limits=limits)

    def happen(self, *numbers: int, scope: Scope = MOON) -> None:
        for number in numbers:
            (message,) = self.world.make_event(number, scope)
            self.world.store.write(log_event(message.event, self.services))


class Client:
    """A listener that takes frames as fast as it is let."""

    def __init__(self, here: Here, key: str, path: str = "/feed", headers: Sequence[tuple[bytes, bytes]] = ()) -> None:
        self._heard: asyncio.Queue[Any] = asyncio.Queue()
        self._saying: asyncio.Queue[Any] = asyncio.Queue()
        self.may_take = asyncio.Event()
        self.may_take.set()
        self._saying.put_nowait({"type": "websocket.connect"})
        sent = [(b"X-Api-Key", key.encode()), *headers]
        scope = {"type": "websocket", "path": path, "headers": sent, "client": ("::1", 1)}
        self._task = asyncio.create_task(here.endpoint(scope, self._saying.get, self._send))

    async def _send(self, message: Any) -> None:
        await self.may_take.wait()
        self._heard.put_nowait(message)

    def say(self, **frame: Any) -> None:
        self._saying.put_nowait({"type": "websocket.receive", "text": json.dumps(frame)})

    async def first(self) -> str:
        return (await asyncio.wait_for(self._heard.get(), 60))["type"]

    async def hear(self, kind: str) -> Frame:
        """The next frame of that type."""
        while True:
            message = await asyncio.wait_for(self._heard.get(), 60)
            frame = json.loads(message.get("text", "{}"))
            if frame.get("type") == kind:
                return frame

    async def close_code(self) -> int:
        while True:
            message = await asyncio.wait_for(self._heard.get(), 60)
            if message["type"] == "websocket.close":
                return message["code"]

    async def numbers(self, count: int) -> list[int]:
        found: list[int] = []
        while len(found) < count:
            found += [event["payload"]["number"] for event in (await self.hear("events"))["events"]]
        return found

    async def leave(self) -> None:
        self._saying.put_nowait({"type": "websocket.disconnect", "code": 1001})
        await asyncio.wait_for(self._task, 60)


@contextmanager
def open_feed(folder: Path, clock: FixedClock, limits: FeedLimits | None = None) -> Generator[Here]:
    store = SqliteStore(folder / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    yield Here(store, clock, limits)
    store.close()


@pytest.fixture
def here(tmp_path: Path, clock: FixedClock) -> Iterable[Here]:
    with open_feed(tmp_path, clock) as here:
        yield here


def test_who_falls_behind_is_told_from_where_to_replay_and_then_misses_nothing(
    here: Here, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(feed_watch, "RECENT", 20)

    async def listen() -> None:
        key = here.world.key()
        slow, quick = Client(here, key), Client(here, key)
        for client in (slow, quick):
            client.say(type="subscribe")
            await client.hear("subscribed")
        here.happen(1, 2)
        assert await slow.numbers(2) == await quick.numbers(2) == [1, 2]
        slow.may_take.clear()
        for number in range(3, 63):
            here.happen(number)
            assert await quick.numbers(1) == [number]
        slow.may_take.set()
        heard = await slow.numbers(1)
        refused = await slow.hear("error")
        assert refused["code"] == "fell_behind"
        assert await slow.close_code() == 4409
        cursor = refused["hint"].rsplit(" ", 1)[1].rstrip(".")
        again = Client(here, key)
        again.say(type="subscribe", since=cursor)
        assert heard + await again.numbers(60 - len(heard)) == list(range(3, 63))
        await again.leave()
        await quick.leave()

    asyncio.run(listen())
    assert here.errors == []


def test_a_replay_longer_than_what_is_kept_in_memory_is_whole(here: Here, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(feed_watch, "RECENT", 20)

    async def listen() -> None:
        first = Client(here, here.world.key())
        first.say(type="subscribe")
        cursor = (await first.hear("subscribed"))["cursor"]
        here.happen(*range(1, 501))
        await first.leave()
        second = Client(here, here.world.key())
        second.say(type="subscribe", since=cursor)
        assert await second.numbers(500) == list(range(1, 501))
        here.happen(501)
        assert await second.numbers(1) == [501]
        await second.leave()

    asyncio.run(listen())


def test_a_cursor_of_events_that_are_no_longer_kept_is_refused(here: Here):
    async def listen() -> None:
        client = Client(here, here.world.key())
        client.say(type="subscribe")
        cursor = (await client.hear("subscribed"))["cursor"]
        here.happen(1, 2)
        here.world.clock.instant += timedelta(hours=25)
        here.happen(3)
        await client.leave()
        late = Client(here, here.world.key())
        late.say(type="subscribe", since=cursor)
        assert (await late.hear("error"))["code"] == "cursor_expired"
        assert await late.close_code() == 4410

    asyncio.run(listen())


def test_a_revoked_key_is_closed_on(here: Here, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(feed_endpoint, "CHECK_SECONDS", 0.01)

    async def listen() -> None:
        key = here.world.key()
        client = Client(here, key)
        client.say(type="subscribe")
        await client.hear("subscribed")
        here.world.keys.revoke(key.split("_")[1])
        assert (await client.hear("error"))["code"] == "unauthorized"
        assert await client.close_code() == 4403

    asyncio.run(listen())


def test_who_says_no_key_in_time_is_closed_on(here: Here, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(feed_endpoint, "AUTHENTICATE_SECONDS", 0.01)

    async def listen() -> None:
        client = Client(here, "")
        assert (await client.hear("error"))["code"] == "unauthorized"
        assert await client.close_code() == 4408

    asyncio.run(listen())


def test_more_listeners_than_there_is_room_for_are_sent_away(tmp_path: Path, clock: FixedClock):
    with open_feed(tmp_path, clock, FeedLimits(listeners=1)) as here:

        async def listen() -> None:
            key = here.world.key()
            first = Client(here, key)
            await first.hear("ready")
            second = Client(here, key)
            assert (await second.hear("error"))["code"] == "limit_exceeded"
            assert await second.close_code() == 1013
            await first.leave()
            third = Client(here, key)
            await third.hear("ready")
            await third.leave()

        asyncio.run(listen())


def test_one_key_cannot_take_the_places_of_others(tmp_path: Path, clock: FixedClock):
    with open_feed(tmp_path, clock, FeedLimits(of_key=2)) as here:

        async def listen() -> None:
            key, other = here.world.key(), here.world.key()
            taken = [Client(here, key) for _ in range(2)]
            for client in taken:
                await client.hear("ready")
            third = Client(here, key)
            assert "for this key" in (await third.hear("error"))["message"]
            assert await third.close_code() == 1013
            welcome = Client(here, other)
            await welcome.hear("ready")
            for client in (*taken, welcome):
                await client.leave()

        asyncio.run(listen())


def test_one_tenant_cannot_take_the_places_of_others(tmp_path: Path, clock: FixedClock):
    with open_feed(tmp_path, clock, FeedLimits(of_tenant=1)) as here:

        async def listen() -> None:
            taken = Client(here, here.world.key())
            await taken.hear("ready")
            second = Client(here, here.world.key())
            assert "for this tenant" in (await second.hear("error"))["message"]
            welcome = Client(here, here.world.key("rival"))
            await welcome.hear("ready")
            for client in (taken, welcome):
                await client.leave()

        asyncio.run(listen())


def test_sockets_without_a_key_make_room_for_each_other_and_keep_nobody_out(tmp_path: Path, clock: FixedClock):
    with open_feed(tmp_path, clock, FeedLimits(unknown=2)) as here:

        async def listen() -> None:
            silent = [Client(here, "") for _ in range(20)]
            for client in silent[:-2]:
                assert await client.close_code() == 4408
            welcome = Client(here, here.world.key())
            await welcome.hear("ready")
            await welcome.leave()
            for client in silent[-1:]:
                await client.leave()

        asyncio.run(listen())


@pytest.mark.parametrize(
    ("origin", "host", "is_let_in"),
    [
        (b"https://evil.example", b"127.0.0.1:8787", False),
        (b"http://rebound.example:8787", b"rebound.example:8787", False),
        (b"http://localhost:3000", b"127.0.0.1:8787", True),
        (b"null", b"127.0.0.1:8787", False),
    ],
)
def test_pages_of_elsewhere_may_not_listen(here: Here, origin: bytes, host: bytes, is_let_in: bool):
    async def listen() -> None:
        client = Client(here, here.world.key(), headers=[(b"origin", origin), (b"host", host)])
        if is_let_in:
            await client.hear("ready")
            await client.leave()
        else:
            assert await client.first() == "websocket.close"

    asyncio.run(listen())
