"""Run the handler of a function whose background work fails, as Lambda does. CloudWatch reads its output.

python -m tests.contract.broken_workers reactions FOLDER
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

from almanac.composition.families import open_families
from almanac.composition.services import services_for
from almanac.gateway.events.enrichment_door import enrichment_handler
from almanac.gateway.events.queue_door import queue_handler
from almanac.gateway.events.schedule_door import schedule_handler
from almanac.gateway.events.stream_door import stream_handler
from almanac.gateway.events.sweep_door import sweep_handler
from almanac.gateway.feed.push import PushParts
from almanac.gateway.feed.push_door import push_handler
from almanac.gateway.feed.socket_door import SocketParts, socket_handler
from almanac.gateway.http.door import http_handler
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Unavailable
from almanac.kernel.events import Event
from almanac.platform.bus.delivery import Delivery, Report
from almanac.platform.bus.port import Reaction
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.search.engine.consistency_check import Drift
from tests.doubles.forgetful_store import ForgetfulStore
from tests.unit.gateway.events import call_message
from tests.unit.gateway.feed_world import Connections
from tests.unit.gateway.invocation import Invocation

EVENTS = Path(__file__).parents[2] / "events"
ATTEMPTS = 6


class FailingFunctions:
    """Handlers of all functions on a store in `folder`, which has the tenant of the sample events.

    Each method runs the handler of the service of that name.
    """

    def __init__(self, folder: Path) -> None:
        self.clock = FixedClock(datetime(2026, 11, 26, tzinfo=UTC))
        self.store = SqliteStore(folder / "store.db", clock=self.clock, cursor_secret=bytes(32))
        Tenants(self.store, self.clock).create("acme", project="main")

    def jobs(self) -> None:
        """Run a job that breaks, and a job that finds three documents missing from the index."""
        jobs = [Job("break", 1, _break), Job("search.sample", 1, _drift)]
        handler = schedule_handler(jobs, lambda: services_for(self.store, self.clock))
        handler(_sample("jobs_schedule"), Invocation())

    def reactions(self) -> None:
        reaction = Reaction("break", frozenset(["claim_acquired"]), _break)
        self._deliver_until_dead_letter(queue_handler([reaction], self._delivery), _sample("reactions_queue"))

    def rules(self) -> None:
        reaction = Reaction("break", frozenset(["claim_acquired"]), _break, unordered=True)
        handler = queue_handler([reaction], self._delivery, is_fifo=False)
        self._deliver_until_dead_letter(handler, _sample("rules_queue"))

    def enriching(self) -> None:
        """Fail for every project, as there is no index among the services."""
        enrichment_handler(lambda: Services({}))(_sample("reactions_queue"), Invocation())

    def feed_push(self) -> None:
        parts = PushParts(self.store, Cursors(bytes(32)), Connections(), StoredDirectory(self.store), self.clock, bytes)
        # Without a store among its services, the reaction that writes the log breaks.
        self._deliver_until_dead_letter(push_handler(lambda: parts, self._delivery), _sample("feed_push_queue"))

    def feed(self) -> None:
        stream_handler(lambda: [_BrokenSink()])(_sample("feed_stream"), None)

    def feed_socket(self) -> None:
        store = _Down()
        gatekeeper = Gatekeeper(StoredDirectory(self.store), store, self.clock)
        parts = SocketParts(store, gatekeeper, Cursors(bytes(32)), Connections(), self.clock, bytes)
        event = _sample("feed_socket_connect")
        socket_handler(lambda: parts)(event | {"headers": {}}, None)

    def sweep(self) -> None:
        sweep_handler(_out_of_reach, self.clock)(_sample("jobs_schedule"), Invocation())

    def team(self) -> None:
        """Answer a call whose audit entry is lost."""
        families = open_families(services_for(self.store, self.clock), ["team"])
        handler = http_handler(*families, audit_store=_Down, clock=self.clock)
        body = call_message("set_broadcast", key="k", value="v")
        handler(_sample("team_rest") | {"body": body}, None)

    def _deliver_until_dead_letter(
        self, handler: Callable[[Mapping[str, Any], object], Any], event: dict[str, Any]
    ) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            for record in event["Records"]:
                record["attributes"]["ApproximateReceiveCount"] = str(attempt)
            handler(event, None)
            self.clock.instant += timedelta(minutes=5)

    def _delivery(self, report: Report) -> Delivery:
        return Delivery(self.store, Services({}), self.clock, report=report)


class _BrokenSink:
    def send(self, messages: Sequence[object]) -> NoReturn:
        raise ConnectionError(f"{len(messages)} messages")


class _Down(ForgetfulStore):
    def write(self, changes: Sequence[object]) -> NoReturn:
        raise Unavailable(f"The store is down for {len(changes)} changes.", "Repeat the call.")


def _break(first: Services | Event, second: Scope | Services) -> NoReturn:
    raise ValueError("broken")


def _out_of_reach() -> NoReturn:
    raise Unavailable("The bucket does not answer.", "Try again later.")


def _drift(services: Services, scope: Scope) -> None:
    raise Drift("The index lacks 3 of 20 documents.", 3)


def _sample(name: str) -> dict[str, Any]:
    return json.loads((EVENTS / f"{name}.json").read_text())


if __name__ == "__main__":
    assert os.environ["AWS_LAMBDA_FUNCTION_NAME"], "telemetry is chosen by the environment"
    getattr(FailingFunctions(Path(sys.argv[2])), sys.argv[1])()
