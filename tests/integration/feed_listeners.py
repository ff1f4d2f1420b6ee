"""Listeners of a live feed that are cut off now and then, and come back with the cursor of the last event they got."""

import asyncio
import json
import random
import time
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

Event = dict[str, Any]


class Listener:
    """`cuts` is how many times it is cut off, at random places among `expected` events."""

    def __init__(self, url: str, key: str, expected: int, cuts: int, chance: random.Random, **wanted: Any) -> None:
        self._url, self._key, self._expected, self._wanted = url, key, expected, wanted
        self._cuts = sorted(chance.sample(range(1, expected), cuts))
        self.subscribed = asyncio.Event()
        self.events: list[Event] = []
        self.milliseconds: list[float] = []
        self.connections = 0
        self._cursor: str | None = None

    async def run(self) -> None:
        """Until it has all that it expects."""
        while len(self.events) < self._expected:
            async with connect(self._url, additional_headers={"x-api-key": self._key}) as socket:
                self.connections += 1
                try:
                    await self._listen(socket)
                except ConnectionClosed:
                    continue

    async def _listen(self, socket: ClientConnection) -> None:
        since = {"since": self._cursor} if self._cursor else {}
        await socket.send(json.dumps({"type": "subscribe"} | self._wanted | since))
        # Those that were told while it was away say nothing of how long an event takes.
        live = self._cursor is None
        async for text in socket:
            frame = json.loads(text)
            if frame["type"] == "subscribed":
                self._cursor = frame["cursor"]
                self.subscribed.set()
            for event in frame.get("events", ()):
                self._take(event, live=live)
                if self._cuts and len(self.events) >= self._cuts[0]:
                    self._cuts.pop(0)
                    socket.transport.abort()
                    return
            if len(self.events) >= self._expected:
                return

    def _take(self, event: Event, *, live: bool) -> None:
        self.events.append(event)
        self._cursor = event["cursor"]
        if live:
            self.milliseconds.append(time.time() * 1000 - event["at"])
