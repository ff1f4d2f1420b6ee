"""The live feed's two Lambda handlers over a local store, with connections that record their messages."""

import itertools
import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from almanac.gateway.feed.push import PushParts
from almanac.gateway.feed.push_door import push_handler
from almanac.gateway.feed.socket_door import SocketParts, socket_handler
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.errors import Unavailable
from almanac.kernel.events import new_event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.delivery import Delivery, Report
from almanac.platform.bus.messages import Message, encode_message
from almanac.platform.feed.port import Gone
from almanac.platform.services import Services
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.port import Store
from tests.unit.gateway.silent import Silent

Frame = dict[str, Any]
MOON = Scope("acme", "moon")


class Connections:
    """Stands for the WebSocket connections that API Gateway has open."""

    def __init__(self) -> None:
        self.sent: defaultdict[str, list[Frame]] = defaultdict(list)
        self.closed: set[str] = set()
        self.stalled: set[str] = set()

    def send(self, connection: str, frame: str) -> None:
        if connection in self.closed:
            raise Gone(connection)
        if connection in self.stalled:
            raise Unavailable("stalled", "")
        assert len(frame.encode()) <= 128 * 1024
        self.sent[connection].append(json.loads(frame))

    def close(self, connection: str) -> None:
        self.closed.add(connection)

    def types(self, connection: str) -> list[str]:
        return [frame["type"] for frame in self.sent[connection]]

    def events(self, connection: str) -> list[Frame]:
        return [event for frame in self.sent[connection] for event in frame.get("events", [])]

    def numbers(self, connection: str) -> list[int]:
        return [event["payload"]["number"] for event in self.events(connection)]


class FeedWorld:
    """Keys of two projects of one tenant and of another tenant; `happen` writes events, `push` carries them on."""

    def __init__(
        self,
        store: Store,
        clock: FixedClock,
        tenants: Sequence[str] = ("acme", "rival"),
        **of_door: Any,
    ) -> None:
        self.store, self.clock, self.telemetry = store, clock, Silent()
        self._numbers, self.connections = itertools.count(1), Connections()
        self.keys = ApiKeys(store, clock, self.random)
        known = Tenants(store, clock)
        for tenant in tenants:
            known.create(tenant)
            known.create_project(tenant, "moon")
        directory, cursors = StoredDirectory(store), Cursors(b"a secret of these tests")
        gatekeeper, sender = Gatekeeper(directory, store, clock), self.connections
        sockets = SocketParts(store, gatekeeper, cursors, sender, clock, self.random, **of_door)
        self.socket_door = socket_handler(lambda: sockets, self.telemetry)
        pushing = PushParts(store, cursors, sender, directory, clock, self.random)
        self.push_door = push_handler(lambda: pushing, self._open, self.telemetry)
        self._happened: list[Message] = []

    def random(self, count: int) -> bytes:
        return next(self._numbers).to_bytes(count, "big")

    def _open(self, report: Report) -> Delivery:
        services = Services({Store: lambda: self.store, Clock: lambda: self.clock})
        return Delivery(self.store, services, self.clock, report=report)

    def key(self, tenant: str = "acme", project: str = "moon", **more: Any) -> str:
        return self.keys.issue(Grant(tenant=tenant, project=project, actor="ann", **more)).key.text

    def socket(self, route: str, connection: str, body: Any = None, **headers: str) -> int:
        event = {
            "requestContext": {"routeKey": route, "connectionId": connection, "identity": {"sourceIp": "192.0.2.7"}},
            "headers": {name.replace("_", "-"): value for name, value in headers.items()},
            "body": body if isinstance(body, str) else json.dumps(body),
        }
        return self.socket_door(event, None)["statusCode"]

    def listen(self, connection: str, key: str, **wanted: Any) -> None:
        assert self.socket("$connect", connection, x_api_key=key) == 200
        assert self.socket("$default", connection, {"type": "subscribe", **wanted}) == 200

    def happen(self, number: int, scope: Scope = MOON, *, kind: str = "broadcast_set", **of: Any) -> None:
        about = {"key": "k", "text": ""} | of
        event = new_event(
            kind,
            scope,
            key=about["key"],
            actor="bob",
            at=now_ms(self.clock),
            random_bytes=self.random,
            payload={"number": number, "text": about["text"]},
        )
        self._happened.append(Message(event))

    def make_event(self, number: int, scope: Scope = MOON) -> list[Message]:
        """An event that `push` does not carry on."""
        self.happen(number, scope)
        return [self._happened.pop()]

    def push(self, *messages: Message, times: int = 1) -> None:
        """Deliver waiting events as the queue does, ten at a time."""
        waiting = [*self._happened, *messages]
        self._happened.clear()
        for start in range(0, max(1, len(waiting)), 10):
            batch = [_record(place, each) for place, each in enumerate(waiting[start : start + 10])]
            for _ in range(times):
                assert self.push_door({"Records": batch}, None) == {"batchItemFailures": []}

    def wake(self, scope: Scope = MOON) -> None:
        """Deliver the event of a new subscription."""
        event = new_event("feed_subscribed", scope, key="socket/x", actor="almanac", at=1, random_bytes=self.random)
        self.push(Message(event))


def _record(place: int, message: Message) -> dict[str, Any]:
    return {
        "messageId": str(place),
        "receiptHandle": str(place),
        "body": encode_message(message),
        "attributes": {"ApproximateReceiveCount": "1", "MessageGroupId": "g"},
        "eventSource": "aws:sqs",
    }
