"""What the functions use on AWS, on an emulator on loopback: the table with a tenant and its key, queues and a bus,
and an open session of another server."""

# boto3 carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import os
import random
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import boto3

from almanac.composition.aws import open_table
from almanac.composition.settings import read_settings
from almanac.identity.api_key import parse_api_key
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import SystemClock
from almanac.platform.store.dynamodb.calls import Calls, connect
from almanac.platform.store.retries import Retries
from tests.contract.backends import MINISTACK, REGION, TABLE, ministack
from tests.dynamodb_table import table_definition
from tools.documents.event_samples import KEY
from tools.documents.trigger_samples import SCOPE

SESSION = "8e1ac7d4-5b0f-4a0e-9d7c-2f64b1f0a5c3"
"""An open session of awslabs' handler."""

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": REGION}


@contextmanager
def cloud() -> Generator[dict[str, str]]:
    """The environment of functions that find everything there. The key of the event samples is the tenant's."""
    if not MINISTACK.exists():
        raise SystemExit(f"{MINISTACK} is missing: `make tools` installs it.")
    with ministack() as address:
        environment = at(address)
        os.environ.update(environment)
        calls = Calls(connect(REGION, address, seconds=60), Retries(time.sleep, random.random, time.monotonic))
        calls.call("CreateTable", table_definition(TABLE), repeatable=False)
        store, clock = open_table(read_settings(environment)), SystemClock()
        Tenants(store, clock).create(SCOPE.tenant, project=SCOPE.project)
        granted = Grant(tenant=SCOPE.tenant, project=SCOPE.project, actor="ada")
        ApiKeys(store, clock, os.urandom).issue(granted, parse_api_key(KEY))
        _open_session(_client("dynamodb", address))
        yield environment | _events(address)


def at(address: str) -> dict[str, str]:
    """The environment of functions whose services are all at `address`."""
    return {
        **CREDENTIALS,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ENDPOINT_URL": address,
        "ALMANAC_TABLE": TABLE,
        "ALMANAC_FEED_ENDPOINT": address,
        "ALMANAC_USAGE_KEYS": "-bench",
    }


def _events(address: str) -> dict[str, str]:
    queues, buses = (_client(service, address) for service in ("sqs", "events"))
    fifo = {"FifoQueue": "true"}
    urls = (queues.create_queue(QueueName=f"{name}.fifo", Attributes=fifo)["QueueUrl"] for name in ("events", "feed"))
    buses.create_event_bus(Name="bench")
    return dict(zip(("ALMANAC_EVENT_QUEUE", "ALMANAC_FEED_QUEUE"), urls, strict=True)) | {"ALMANAC_EVENT_BUS": "bench"}


def _open_session(tables: Any) -> None:
    """As awslabs' handler keeps it."""
    key = {"AttributeName": "session_id"}
    tables.create_table(
        TableName="sessions",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[key | {"KeyType": "HASH"}],
        AttributeDefinitions=[key | {"AttributeType": "S"}],
    )
    expires = str(int(time.time()) + 24 * 60 * 60)
    opened = {"session_id": {"S": SESSION}, "expires_at": {"N": expires}, "data": {"M": {}}}
    tables.put_item(TableName="sessions", Item=opened)


def _client(service: str, address: str) -> Any:
    return boto3.client(service, endpoint_url=address, region_name=REGION)  # pyright: ignore
