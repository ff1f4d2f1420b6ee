"""An installation whose tenants call tools as clients do, by a key and through the authorizer and the endpoint."""

import json
import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast
from unittest import mock

from almanac.gateway.http.hosts import host_for, hub_server
from almanac.gateway.observability.telemetry import Telemetry
from almanac.identity.access.authorize import KEY_HEADER, PROJECT_HEADER, authorize
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.refusals import Refusal
from almanac.identity.keys import ApiKeys
from almanac.identity.records import ANY_PROJECT, Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Item, Store
from almanac.platform.store.sqlite.scan import SqliteTenantScan
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.protocol.family import Family
from almanac.protocol.toolset import Toolset
from almanac.protocol.wire.http import HttpEndpoint, Request
from tests.contract.tenancy.consequences import Follow, Report, follow_nothing

Json = dict[str, Any]
Opener = Callable[[Store, Clock], Sequence[Family]]
Following = Callable[[Path, Store, Clock, Report], Follow]
START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Answer(NamedTuple):
    status: int
    body: Any

    @property
    def has_succeeded(self) -> bool:
        return self.status == 200 and "result" in self.body and not self.body["result"].get("isError")

    @property
    def result(self) -> Any:
        """The tool's structured result, or its content if there is none."""
        result = self.body.get("result", self.body)
        return result.get("structuredContent", result)


class Tenant(NamedTuple):
    name: str
    project: str
    key: str
    actor: str


class Defects:
    """Records defects of tools."""

    def __init__(self) -> None:
        self.causes: list[tuple[str, BaseException]] = []

    def defect(self, reference: str, where: str, cause: BaseException) -> None:
        self.causes.append((where, cause))


class World:
    """An installation with its own store, in the file `path`.

    `open_families` opens the families over that store. `open_following` returns the function that `follow` calls to
    deliver events.

    Random ids depend on the calls of the newest tenant only, not on the tenants before. Worlds in which that tenant
    does the same therefore draw the same ids, and rank texts with ids alike.
    """

    def __init__(self, path: Path, open_families: Opener, open_following: Following = follow_nothing) -> None:
        self.clock = FixedClock(START)
        self.store = SqliteStore(path, clock=self.clock, cursor_secret=b"the cursors' secret")
        self.families = open_families(self.store, self.clock)
        self.defects = Defects()
        host = host_for(self.families, self.clock, cast(Telemetry, self.defects))
        self._endpoint = HttpEndpoint(Toolset(self.families), host, server=hub_server(self.families))
        self._scan = SqliteTenantScan(path, clock=self.clock)
        self._directory = StoredDirectory(self.store)
        self._last_come, self._step = "", 0
        self._follow = open_following(
            path, self.store, self.clock, lambda where, error: self.defects.defect("", where, error)
        )

    def follow(self) -> None:
        with self._same_draws():
            self._follow()

    def settle(self, name: str, project: str) -> Tenant:
        """Create a tenant with a key for all of its projects."""
        self._last_come, self._step = name, 0
        Tenants(self.store, self.clock).create(name, project=project)
        grant = Grant(
            tenant=name, project=ANY_PROJECT, actor=f"{name}-agent", default_timezone="Europe/Berlin", person=True
        )
        return Tenant(name, project, ApiKeys(self.store, self.clock, os.urandom).issue(grant).key.text, grant.actor)

    def call(self, who: Tenant, tool: str, arguments: Json, **headers: str) -> Answer:
        """Call a tool by a request as in `ask`."""
        return self.ask(who, "tools/call", {"name": tool, "arguments": arguments}, **headers)

    def ask(self, who: Tenant, method: str, params: Json, **headers: str) -> Answer:
        """Send a request one second after the last, so that every world sorts by time in the same order."""
        self.clock.instant += timedelta(seconds=1)
        sent = {KEY_HEADER: who.key, PROJECT_HEADER: who.project, "content-type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        verdict = authorize(sent, "/mcp", self._directory, now_ms(self.clock))
        if isinstance(verdict, Refusal):
            return Answer(verdict.status, {"refused": verdict.message})
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        sent["mcp-protocol-version"] = "2025-11-25"
        with self._same_draws():
            response = self._endpoint.answer(Request("POST", sent, json.dumps(message).encode()), verdict.caller)
        return Answer(response.status, json.loads(response.body))

    def holdings(self, who: Tenant) -> Mapping[tuple[str, str], Item]:
        """Return all items of a tenant in the store."""
        return {(item.key.partition.text, item.key.sort): item for item in self._scan.items(who.name)}

    @contextmanager
    def _same_draws(self) -> Generator[None]:
        """Draw the same random bytes in each world, and stop the CPU clock.

        Work that is bounded by CPU time would otherwise end earlier in one world than in the other.
        """
        self._step += 1
        with (
            mock.patch.object(os, "urandom", Random(f"{self._last_come} {self._step}").randbytes),
            mock.patch.object(time, "thread_time", _stopped_clock),
            mock.patch.object(time, "process_time", _stopped_clock),
        ):
            yield


def _stopped_clock() -> float:
    return 0.0
