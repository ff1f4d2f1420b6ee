"""Requests of each function to the table, found by calling every tool and doing all work that follows from a call.

The store's operations are recorded as the requests that its adapter for DynamoDB sends for them. A batch and a
transaction count as their parts, as they do for IAM.
"""

import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from msgspec.structs import replace

from almanac.composition.families import every_job
from almanac.composition.search import index_parts
from almanac.composition.services import services_for
from almanac.composition.sign_in import open_sign_in
from almanac.composition.storage_totals import count_job, open_meter
from almanac.gateway.dashboard.dashboard import Dashboard
from almanac.gateway.dashboard.door import DashboardDoor
from almanac.gateway.dashboard.requests import public_origins
from almanac.gateway.dashboard.tools import ToolCalls
from almanac.gateway.events.schedule_door import schedule_handler
from almanac.gateway.http.authorizer import authorizer_handler
from almanac.identity.access.authorize import AccessTokens
from almanac.identity.access.directory import CachingDirectory, StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.principal import Principal
from almanac.identity.browser_sessions import BrowserSessions
from almanac.identity.keys import ApiKeys
from almanac.identity.oauth.attempts import FirstCalls
from almanac.identity.oauth.clients import Clients, FetchedDocument
from almanac.identity.oauth.resources import Origins
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.blobs.folder import FolderBlobs
from almanac.platform.blobs.large_values import GRACE_MS, LargeValues
from almanac.platform.blobs.port import BlobName
from almanac.platform.store.dynamodb.partition_registry import RegisteringStore
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, Check, Delete, Store, Update
from almanac.platform.store.shared_secret import shared_secret
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.platform.store.tenant_scan import Usage
from almanac.search.engine.enrichment import enrich
from almanac.search.port import DocumentState
from tests.bench.metered_store import MeteredStore
from tests.bench.scale.system import Handler, Passage, System, Watchful
from tests.bench.scale.tenant_contents import furnish
from tests.bench.scale.typical_calls import CALLS, TypicalCalls
from tests.bench.scale.units import MORNING
from tests.doubles import observed_store
from tests.doubles.five_words import Model as FiveWords
from tests.doubles.observed_store import ObservedStore
from tests.doubles.search_index import MemoryIndex
from tests.unit.gateway.feed_world import FeedWorld
from tests.unit.gateway.sign_in_clients import CALLBACK, PUBLIC, SigningIn

Json = dict[str, Any]
Request = tuple[str, str, str]
"""An action, the index where one is asked, and the leading key."""

Requests = Mapping[str, set[Request]]


class RecordingStore(ObservedStore):
    """`store`, its requests noted under the name of the function that is at work."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, self._note)
        self._at_work = ""
        self.noted: defaultdict[str, set[Request]] = defaultdict(set)

    @contextmanager
    def attribute_to(self, function: str) -> Generator[None]:
        before, self._at_work = self._at_work, function
        try:
            yield
        finally:
            self._at_work = before

    def write(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self._note((_action(change), [change.key.partition], None))
        self._store.write(changes)

    def _note(self, request: observed_store.Request) -> None:
        operation, partitions, index = request
        if self._at_work:
            action = _ACTIONS.get(operation, operation)
            self.noted[self._at_work] |= {(action, index or "", partition.text) for partition in partitions}


_ACTIONS = {"get": "GetItem", "get_many": "BatchGetItem", "snapshot": "GetItem", "query": "Query"}


def _action(change: Change) -> str:
    match change:
        case Update():
            return "UpdateItem"
        case Delete():
            return "DeleteItem"
        case Check():
            return "ConditionCheckItem"
        case _:
            return "PutItem"


class _AttributingSystem(System):
    """A system that attributes each request to the store to the function that makes it."""

    def __init__(self, store: RecordingStore, unnoted: Store, clock: FixedClock) -> None:
        self._store, self._tool = store, ""
        super().__init__(
            MeteredStore(RegisteringStore(store, clock), unnoted), clock, per_minute=100_000, per_day=1_000_000
        )

    def call(self, tool: str, /, **arguments: Any) -> Passage:
        self._tool = tool
        return super().call(tool, **arguments)

    def _run(self, passage: Passage, part: str, handler: Handler, event: Json) -> Json:
        names = {"door": self.family_of[self._tool], "push": "feed_push", "stream": "feed"}
        with self._store.attribute_to(names.get(part, part)):
            return super()._run(passage, part, handler, event)


def requests_by_function(folder: Path) -> Requests:
    """Return the requests by the name of the function's folder. The hub has those of all families."""
    clock = FixedClock(MORNING)
    kept: SqliteStore = SqliteStore(
        folder / "almanac.db",
        clock=clock,
        cursor_secret=lambda: shared_secret(store, "cursors", os.urandom),
    )
    store = RecordingStore(kept)
    with patch.object(os, "urandom", Random(11).randbytes):
        system = _AttributingSystem(store, kept, clock)
        _call_every_tool(system)
        _run_jobs(system, store)
        _enrich(system, store)
        _follow_the_feed(store, clock)
        _sign_in(store, clock)
        _look_at_pages(store, clock)
        _sweep(store, FolderBlobs(folder / "blobs"))
    kept.close()
    store.noted["hub"] = set[Request]().union(*(store.noted[family] for family in set(system.family_of.values())))
    # Its pages call all tools.
    store.noted["dashboard"] |= store.noted["hub"]
    return store.noted


def _call_every_tool(system: System) -> None:
    typical = TypicalCalls(system, furnish(system, Random(5)))
    system.listen()
    action = {"tool": "set_broadcast", "args": {"key": "last", "value": "${payload.value}"}}
    system.do("install_rule", name="told", on_kind="broadcast_set", actions=[action])
    for tool in CALLS:
        arguments = typical.arguments(tool)
        system.restart()
        system.call(tool, **arguments)


def _run_jobs(system: System, store: RecordingStore) -> None:
    # The tenant was written to, so it is counted.
    with store.attribute_to("sweep"):
        open_meter(RegisteringStore(store, system.clock), system.clock).add("scale", Usage(1, 1))
    counts = count_job(lambda: system.meter, system.clock, time.monotonic)
    jobs = [*every_job(), counts]
    handle = schedule_handler(jobs, lambda: services_for(system.meter, system.clock), system.telemetry)
    # More than are taken at a time, so that the round's mark is moved.
    tenants = Tenants(system.meter, system.clock)
    for number in range(101):
        tenants.create(f"other-{number}")
    # By then claims and sessions are due.
    system.clock.instant += timedelta(hours=3)
    with store.attribute_to("jobs"):
        handle({}, _LongInvocation())


def _enrich(system: System, store: RecordingStore) -> None:
    """Enrich a document, for which every source is read, and look at fresh documents."""
    opened = replace(index_parts(_IndexWithoutVectors(), None, FiveWords), vectors_of=lambda: FiveWords.name)
    services = services_for(system.meter, system.clock, open_indexing=lambda: opened)
    with store.attribute_to("enrichment"):
        enrich(services, Scope("acme", "web"))


class _IndexWithoutVectors(MemoryIndex):
    def list_unenriched(self, scope: Scope, limit: int) -> list[DocumentState]:
        return [DocumentState("turn", 1)]


def _sign_in(store: RecordingStore, clock: FixedClock) -> None:
    """Sign programs in, renew and reuse tokens, revoke grants, and let the authorizer judge a token."""
    whole = RegisteringStore(store, clock)
    Tenants(whole, clock).create("signing-in", project="web")
    key = ApiKeys(whole, clock, os.urandom).issue(Grant(tenant="signing-in", project="*", actor="ann")).key.text
    origins, directory = Origins(PUBLIC), CachingDirectory(StoredDirectory(whole), clock)
    gatekeeper = Gatekeeper(
        directory, whole, clock, tokens=AccessTokens(directory, origins, on_verdict=FirstCalls(lambda: whole, clock))
    )
    telemetry = Watchful()
    program = SigningIn(open_sign_in(lambda: whole, lambda: gatekeeper, clock, origins, telemetry).handle)
    with store.attribute_to("sign_in"):
        client_id = program.register()
        tokens = program.tokens(client_id, key, "web")
        program.submit(program.ask(client_id), key=f"{key}x")
        renewed = {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": tokens["refresh_token"]}
        for _ in range(2):
            assert program.token(**renewed)["statusCode"] == 200
        clock.instant += timedelta(days=2)
        program.ask(client_id)
        assert program.token(**renewed)["statusCode"] == 400, "which ends the grant"
        documents = Clients(whole, clock, os.urandom, lambda url: FetchedDocument(_document(url)))
        for _ in range(2):
            documents.find("https://client.example.com/oauth/client.json", lambda: None)
        record = ApiKeys(whole, clock, os.urandom).find(key.split("_")[1])
        assert record is not None
        with store.attribute_to(""):
            program.cookies["__Host-almanac"] = BrowserSessions(whole, clock, os.urandom).begin(record, "web")
        clock.instant += timedelta(minutes=20)
        assert "Allow this program?" in program.ask(client_id)["body"]
    program.cookies.clear()
    last = program.tokens(client_id, key, "web")
    renewed["refresh_token"] = last["refresh_token"]
    assert program.token(**renewed)["statusCode"] == 200
    headers = {"authorization": f"Bearer {last['access_token']}"}
    with store.attribute_to("authorizer"):
        authorizer_handler(lambda: gatekeeper, telemetry)(
            {"path": "/mcp", "headers": headers, "methodArn": "arn"}, None
        )


def _look_at_pages(store: RecordingStore, clock: FixedClock) -> None:
    """Sign in to the dashboard with a key and with a code, look at its pages, and sign out."""
    whole = RegisteringStore(store, clock)
    keys = ApiKeys(whole, clock, os.urandom)
    issued = keys.issue(Grant(tenant="signing-in", project="web", actor="ann"))
    key = issued.key.text
    code = BrowserSessions(whole, clock, os.urandom).new_code(issued.key.id, operator=False)
    tools = ToolCalls((), clock, Watchful(), audit_store=lambda: whole, admission=NoLimits)
    gatekeeper = Gatekeeper(CachingDirectory(StoredDirectory(whole), clock), whole, clock)
    origins = public_origins(PUBLIC)
    dashboard = Dashboard(tools, gatekeeper, whole, clock, origins, ends_keys=False, feed="wss://feed.example/feed")
    browser = SigningIn(DashboardDoor(lambda: dashboard, Watchful()).handle)
    own = {"Origin": PUBLIC, "Sec-Fetch-Site": "same-origin"}
    with store.attribute_to("dashboard"):
        assert browser.send("POST", "/ui/login", f"key={key}x", **own)["statusCode"] == 401
        for shown in (f"key={key}", f"code={code}"):
            assert browser.send("POST", "/ui/login", shown, **own)["statusCode"] == 303
        clock.instant += timedelta(minutes=20)
        page = browser.send("GET", "/ui/")["body"]
        (token,) = set(re.findall(r'name="token" value="([0-9a-f]+)"', page))
        assert browser.send("POST", "/ui/ticket", f"token={token}", **own)["statusCode"] == 200
        assert browser.send("POST", "/ui/logout", f"token={token}", **own)["statusCode"] == 303
    key = keys.issue(Grant(tenant="signing-in", project="web", actor="root", operator=True)).key.text
    for shown in (f"key={key}", f"key={key}"):
        assert browser.send("POST", "/ui/login", shown, **own)["statusCode"] == 303
    with store.attribute_to("dashboard"):
        for path in ("/ui/usage", "/ui/history"):
            assert browser.send("GET", path)["statusCode"] == 200
        page = browser.send("GET", "/ui/connect")["body"]
        (token,) = set(re.findall(r'name="token" value="([0-9a-f]+)"', page))
        endings = re.findall(r'name="what" value="(\w+)"><input type="hidden" name="name" value="([^"]+)"', page)
        assert {what for what, _ in endings} == {"grant", "session"}
        for what, name in endings:
            ending = urlencode({"token": token, "what": what, "name": name})
            assert browser.send("POST", "/ui/end", ending, **own)["statusCode"] == 303


class NoLimits:
    def admit(self, allowed: Principal) -> None:
        """Admit every call."""


def _document(url: str) -> bytes:
    return json.dumps({"client_id": url, "redirect_uris": [CALLBACK]}).encode()


def _sweep(store: RecordingStore, blobs: FolderBlobs) -> None:
    for number in range(100):
        blobs.put(BlobName(Key(Partition.in_project(Scope("gone", "web"), "notes"), f"{number}"), "0f"), b"x")
    blobs.put(BlobName(Key(Partition.in_tenant(Scope("gone", ""), "notes"), "one"), "0f"), b"x")
    later = time.time_ns() // 1_000_000 + 2 * GRACE_MS
    with store.attribute_to("sweep"):
        for _ in range(2):
            LargeValues(store, blobs, os.urandom).sweep(later, lambda: False)


class _LongInvocation:
    def get_remaining_time_in_millis(self) -> int:
        return 300_000


def _follow_the_feed(store: RecordingStore, clock: FixedClock) -> None:
    feed = FeedWorld(RegisteringStore(store, clock), clock, ("feed", "rival"))
    key = feed.key("feed")
    record = feed.keys.find(key.split("_")[1])
    assert record is not None
    sessions = BrowserSessions(feed.store, clock, os.urandom)
    signed = sessions.find(sessions.begin(record, "moon"))
    assert signed is not None
    ticket = sessions.new_ticket(signed.session)
    with store.attribute_to("feed_socket"):
        # The secret of cursors, which both of the feed's functions are opened with.
        shared_secret(store, "cursors", os.urandom)
        assert feed.socket("$connect", "refused", x_api_key=f"{key}x") == 401
        feed.listen("a", key)
        assert feed.socket("$disconnect", "a") == 200
        assert feed.socket("$connect", "page") == 200
        assert feed.socket("$default", "page", {"type": "follow", "ticket": ticket}) == 200
    with store.attribute_to("feed_push"):
        feed.wake(Scope("feed", "moon"))
