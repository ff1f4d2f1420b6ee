"""Each sample in events/ goes through the door that it is meant for."""

import json
from collections.abc import Generator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from almanac.composition.families import every_family, every_job, families_for_docs
from almanac.composition.services import services_for
from almanac.gateway.events.schedule_door import schedule_handler
from almanac.gateway.http.authorizer import authorizer_handler
from almanac.gateway.http.door import http_handler
from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.identity.access.effective_settings import EffectiveSettings
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.api_key import parse_api_key
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.gateway.feed_world import FeedWorld
from tests.unit.gateway.invocation import Invocation
from tests.unit.gateway.silent import Silent
from tools.documents.event_samples import KEY, samples
from tools.documents.trigger_samples import SCOPE

SAMPLES = dict(samples())
REQUESTS = [path for path in SAMPLES if path.endswith(("_rest.json", "_http.json"))]


@pytest.fixture
def store(tmp_path: Path, clock: FixedClock) -> Generator[Store]:
    opened = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"a secret of these tests")
    Tenants(opened, clock).create(SCOPE.tenant, project=SCOPE.project)
    yield opened
    opened.close()


def test_what_lies_in_the_folder_is_what_the_code_makes(repository: Path) -> None:
    lying = {f"events/{file.name}": file.read_text() for file in (repository / "events").iterdir()}
    assert lying == SAMPLES


def test_every_family_is_called_in_both_payload_formats() -> None:
    families = {family.name for family in families_for_docs()} | {"hub"}
    assert set(REQUESTS) == {f"events/{family}_{form}.json" for family in families for form in ("rest", "http")}


@pytest.mark.parametrize("path", REQUESTS)
def test_the_sample_of_a_request_is_answered_with_a_result(path: str, store: Store, clock: FixedClock) -> None:
    families = every_family(services_for(store, clock))
    handler = http_handler(*families, audit_store=lambda: store, clock=clock, telemetry=ConsoleTelemetry(StringIO()))
    answer = handler(json.loads(SAMPLES[path]), None)
    assert answer["statusCode"] == 200
    result: dict[str, Any] = json.loads(answer["body"])["result"]
    assert result.get("tools") or result.get("content")
    assert not result.get("isError"), result


def test_the_sample_of_an_authorizer_is_let_in_once_its_key_exists(store: Store, clock: FixedClock) -> None:
    keys = ApiKeys(store, clock, bytes)
    keys.issue(Grant(tenant=SCOPE.tenant, project=SCOPE.project, actor="ada"), parse_api_key(KEY))

    class Directory:
        key = staticmethod(keys.find)

        def settings(self, tenant: str, project: str) -> EffectiveSettings | None:
            return EffectiveSettings() if (tenant, project) == (SCOPE.tenant, SCOPE.project) else None

    authorize = authorizer_handler(lambda: Gatekeeper(Directory(), store, clock), ConsoleTelemetry(StringIO()))
    answer = authorize(json.loads(SAMPLES["events/authorizer_request.json"]), None)
    (statement,) = answer["policyDocument"]["Statement"]
    assert statement["Effect"] == "Allow"
    assert answer["context"]["tenant"] == SCOPE.tenant


@pytest.fixture
def feed(store: Store, clock: FixedClock) -> FeedWorld:
    """The feed's doors over a store where the samples' key opens the samples' project."""
    ApiKeys(store, clock, bytes).issue(
        Grant(tenant=SCOPE.tenant, project=SCOPE.project, actor="ada"), parse_api_key(KEY)
    )
    return FeedWorld(store, clock, tenants=())


def test_the_sample_of_a_connection_is_taken_for_the_key_in_its_header(feed: FeedWorld) -> None:
    assert feed.socket_door(json.loads(SAMPLES["events/feed_socket_connect.json"]), None) == {"statusCode": 200}


def test_the_sample_of_the_feeds_queue_is_logged_and_told(feed: FeedWorld) -> None:
    assert feed.push_door(json.loads(SAMPLES["events/feed_push_queue.json"]), None) == {"batchItemFailures": []}


def test_the_sample_of_a_schedule_has_every_job_run(store: Store, clock: FixedClock) -> None:
    silent = Silent()
    schedule_handler(every_job(), lambda: services_for(store, clock), silent)(
        json.loads(SAMPLES["events/jobs_schedule.json"]), Invocation()
    )
    assert silent.defects == []
