"""The technologies that the store's contract is tried on, and how each is started, opened and reached."""

import os
import random
import subprocess
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import boto3  # pyright: ignore[reportMissingTypeStubs]
from msgspec import Struct
from pynamodb.connection import Connection

from almanac.kernel.clock import Clock
from almanac.platform.store.dynamodb.calls import connect
from almanac.platform.store.dynamodb.partition_registry import RegisteringStore
from almanac.platform.store.dynamodb.store import DynamoStore
from almanac.platform.store.port import Store
from almanac.platform.store.retries import Retries
from almanac.platform.store.sqlite.store import SqliteStore
from tests.dynamodb_table import table_definition
from tests.ports import reserve_port

SECRET = b"a secret of the contract suite"
TABLE = "almanac"
REGION = "eu-central-1"
TOOLS = Path(__file__).parents[2] / ".tools"
MINISTACK = TOOLS / "ministack" / "bin" / "ministack"
DYNOXIDE = TOOLS / "dynoxide" / "node_modules" / "@dynoxide" / "linux-x64" / "dynoxide"


class Place(Struct, frozen=True):
    """A store's technology and address, enough to open the store in this process or in another."""

    technology: str
    address: str

    def open(self, clock: Clock, secret: bytes = SECRET) -> Store:
        if self.technology == "sqlite":
            return SqliteStore(Path(self.address), clock=clock, cursor_secret=secret)
        retries = Retries(
            sleep=time.sleep, random=random.random, monotonic=time.monotonic, attempts=12, patience_seconds=60
        )
        store = DynamoStore(
            TABLE,
            connection=connection_to(self.address),
            clock=clock,
            cursor_secret=secret,
            random_bytes=os.urandom,
            retries=retries,
        )
        return RegisteringStore(store, clock)


@cache
def connection_to(address: str) -> Connection:
    """The one connection of this process to an emulator: botocore reads for half a second to open one."""
    return connect(REGION, address)


def table_client(address: str) -> Any:
    """Return boto3's client of the DynamoDB at `address`, for operations that the store's port does not have."""
    return boto3.client("dynamodb", region_name=REGION, endpoint_url=address)  # pyright: ignore


def create_table(client: Any, name: str = TABLE, *, streamed: bool) -> None:
    """The table without its stream where no test reads that: dynoxide looks through a whole stream at each write."""
    definition = table_definition(name)
    if not streamed:
        del definition["StreamSpecification"]
    client.create_table(**definition)


def s3_client(address: str) -> Any:
    """boto3's client of an S3 at `address`."""
    return boto3.client("s3", region_name=REGION, endpoint_url=address)  # pyright: ignore


@contextmanager
def ministack() -> Generator[str]:
    port = reserve_port()
    environment = os.environ | {"BIND_HOST": "127.0.0.1", "GATEWAY_PORT": str(port)}
    with _run_server([str(MINISTACK)], environment, "Running on"):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def dynoxide(*options: str) -> Generator[str]:
    port = reserve_port()
    command = [str(DYNOXIDE), "--host", "127.0.0.1", "--port", str(port), *options]
    with _run_server(command, dict(os.environ), "listening on"):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _run_server(command: list[str], environment: dict[str, str], ready: str) -> Generator[None]:
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout is not None
        try:
            said = ""
            while ready not in said:
                said = server.stdout.readline()
                assert said, f"{command[0]} ended before it was ready"
            # Nobody reads what it says from now on, yet a full pipe would stop it.
            threading.Thread(target=server.stdout.read, daemon=True).start()
            yield
        finally:
            server.kill()
            server.wait()
