"""The deployed system in one process: every function's handler over one metered store, and what lies between them.

A call goes through the authorizer and the door; what it wrote goes through the stream's function to the queues and the
bus, and from the queues to the reactions, to rules and to the live feed, each message as an invocation of its own.
"""

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import msgspec

from almanac.composition.families import EXPENSIVE, every_family, every_reaction, rules_reactions
from almanac.composition.services import services_for
from almanac.gateway.events.queue_door import queue_handler
from almanac.gateway.events.stream_door import stream_handler
from almanac.gateway.feed.push import PushParts
from almanac.gateway.feed.push_door import push_handler
from almanac.gateway.http.authorizer import authorizer_handler
from almanac.gateway.http.door import http_handler
from almanac.gateway.observability.request_report import RequestReport
from almanac.identity.access.call_leases import CallLeases
from almanac.identity.access.directory import CachingDirectory, StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.limits import RequestLimits
from almanac.identity.access.tiers import tier_limits
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.bus.delivery import Delivery, Report
from almanac.platform.bus.outbox import messages_in
from almanac.platform.feed.log import Log
from almanac.platform.feed.records import LISTENERS, Listener
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.dynamodb.items import item_of
from almanac.platform.store.keys import Partition
from almanac.platform.store.port import Delete, Store
from almanac.platform.store.queries import every_item
from almanac.protocol.family import Family
from tests.bench.metered_store import Charge, MeteredStore
from tests.bench.request_units import image_of
from tests.bench.scale.queues_and_bus import Json, QueuesAndBus, stream_event
from tests.contract.template import TEMPLATE
from tests.unit.gateway.events import message, rest_event

Handler = Callable[[Json, object], Json]
SCOPE = Scope("scale", "web")
DEFAULT_LIMITS = tier_limits(
    *(
        [int(number) for number in TEMPLATE["Parameters"][name]["Default"].split(",")]
        for name in ("TenantRequestsPerMinute", "TenantCallsAtOnce")
    )
)
"""What the template lets a tenant of each tier do."""
CALM = {tier: msgspec.structs.replace(limits, per_minute=None) for tier, limits in DEFAULT_LIMITS.items()}
"""The same without rates: the clock of a system stands still, so that all of its calls would be of one minute."""
PARTS = ("authorizer", "door", "stream", "reactions", "rules", "push")
"""The functions that a call passes through, in order."""


class Passage:
    """Figures of a call by part of the system: charges of the store, seconds of CPU, invocations.

    Of its `events`, some were `put` on the bus.
    """

    def __init__(self) -> None:
        self.charges: defaultdict[str, list[Charge]] = defaultdict(list)
        self.cpu: defaultdict[str, float] = defaultdict(float)
        self.invocations: defaultdict[str, int] = defaultdict(int)
        self.result: Json = {}
        self.answer_bytes = 0
        self.events = 0
        self.put = 0


class ToolRefusal(Exception):
    """A tool refused the call. The message is its answer."""


class System:
    """A tenant's project with its key on `meter`. The key has limits per minute and per day."""

    def __init__(self, meter: MeteredStore, clock: FixedClock, **limits: int) -> None:
        self.meter, self.clock = meter, clock
        self.telemetry = Watchful()
        self.frames = Frames()
        Tenants(meter, clock).create(SCOPE.tenant, project=SCOPE.project)
        grant = Grant(
            tenant=SCOPE.tenant,
            project=SCOPE.project,
            actor="ann",
            default_timezone="Europe/Berlin",
            per_minute=limits.get("per_minute"),
            per_day=limits.get("per_day"),
        )
        self.key = ApiKeys(meter, clock, os.urandom).issue(grant).key.text
        self.family_of = {tool.name: family.name for family in self._families() for tool in family.tools}
        self.restart()

    def restart(self) -> None:
        """Make every function cold, so that none remembers anything.

        Leases of calls that former functions kept are treated as ended, which this clock does not show.
        """
        for ended in every_item(self.meter.unmetered, Partition.system("call_leases", SCOPE.tenant)):
            self.meter.unmetered.write([Delete(ended.key)])
        directory = CachingDirectory(StoredDirectory(self.meter), self.clock)
        gatekeeper = Gatekeeper(directory, self.meter, self.clock, tiers=CALM)
        self._authorizer = authorizer_handler(lambda: gatekeeper, self.telemetry, directory.tier)
        self._door = http_handler(
            *self._families(),
            admission=lambda: RequestLimits(lambda: self.meter, self.clock),
            audit_store=lambda: self.meter,
            leases=lambda: CallLeases(self.meter, self.clock, os.urandom),
            expensive=EXPENSIVE,
            clock=self.clock,
            telemetry=self.telemetry,
        )
        self._between = QueuesAndBus(self.meter)
        self._stream = stream_handler(self._between.sinks, self.telemetry)
        self._reactions = queue_handler(every_reaction(), self._delivery, self.telemetry)
        self._rules = queue_handler(rules_reactions(), self._delivery, self.telemetry, is_fifo=False)
        self._push = push_handler(self._push_parts, self._delivery, self.telemetry)

    def listen(self) -> None:
        """One more connection that wants all events."""
        key_id = self.key.split("_")[1]
        record = Listener(
            connection=f"connection-{os.urandom(4).hex()}",
            key_id=key_id,
            kinds=[],
            keys=[],
            position=Log(self.meter).head(SCOPE),
            failures=0,
            expires_at=2**41,
        )
        self.meter.write([LISTENERS.within(self.meter, SCOPE).insert(record)])

    def call(self, tool: str, /, **arguments: Any) -> Passage:
        """Call a tool and do all work that follows from it. Raises ToolRefusal if the answer is no result."""
        passage = Passage()
        event = rest_event(
            message("tools/call", {"name": tool, "arguments": arguments}), None, f"/mcp/{self.family_of[tool]}"
        )
        event["headers"]["x-api-key"] = self.key
        event["multiValueHeaders"]["x-api-key"] = [self.key]
        allowed = self._run(passage, "authorizer", self._authorizer, event | {"methodArn": "arn"})
        event["requestContext"]["authorizer"] = allowed["context"]
        answer = self._run(passage, "door", self._door, event)
        passage.answer_bytes = len(answer["body"].encode())
        passage.result = _result(json.loads(answer["body"]))
        self._follow(passage)
        return passage

    def do(self, tool: str, /, **arguments: Any) -> Json:
        """The tool's result."""
        return self.call(tool, **arguments).result

    def _follow(self, passage: Passage) -> None:
        while written := self.meter.events:
            self.meter.events = []
            for event in written:
                passage.events += len(messages_in(item_of(image_of(event)).attributes))
                self._run(passage, "stream", self._stream, stream_event(event))
                for part, handler in (("reactions", self._reactions), ("rules", self._rules), ("push", self._push)):
                    for queued in self._between.take_messages(part):
                        self._run(passage, part, handler, queued)
            passage.put += self._between.take_entry_count()

    def _run(self, passage: Passage, part: str, handler: Handler, event: Json) -> Json:
        before = len(self.meter.charges)
        began = time.process_time()
        answer = handler(event, None)
        passage.cpu[part] += time.process_time() - began
        passage.charges[part] += self.meter.charges[before:]
        passage.invocations[part] += 1
        assert not answer.get("batchItemFailures"), answer
        return answer

    def _families(self) -> Sequence[Family]:
        return every_family(services_for(self.meter, self.clock))

    def _delivery(self, report: Report) -> Delivery:
        services = services_for(self.meter, self.clock)
        return Delivery(services.get(Store), services, self.clock, report=report)

    def _push_parts(self) -> PushParts:
        directory = CachingDirectory(StoredDirectory(self.meter), self.clock)
        return PushParts(self.meter, Cursors(b"c" * 32), self.frames, directory, self.clock, os.urandom)


class Watchful:
    """Telemetry that raises defects and keeps the last report."""

    def __init__(self) -> None:
        self.report: RequestReport | None = None

    def record_request(self, report: RequestReport) -> None:
        self.report = report

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        raise AssertionError(where) from cause

    def background_defect(self, reference: str, where: str, cause: BaseException) -> None:
        raise AssertionError(where) from cause

    def fail(self, where: str, cause: BaseException) -> None:
        raise AssertionError(where) from cause

    def span(self, name: str) -> AbstractContextManager[object]:
        return nullcontext()


class Frames:
    """Connections that take every frame; `sent` counts them."""

    def __init__(self) -> None:
        self.sent = 0

    def send(self, connection: str, frame: str) -> None:
        self.sent += 1

    def close(self, connection: str) -> None:
        raise AssertionError(connection)


def _result(body: Json) -> Json:
    result = body["result"]
    if result.get("isError"):
        raise ToolRefusal(result["content"][0]["text"])
    said = result["structuredContent"]
    return said["data"] if "ok" in said and "data" in said else said
