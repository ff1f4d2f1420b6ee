"""The samples that landed versions left, each opened in three ways: a data folder, an export, a table on AWS."""

import gzip
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from almanac.identity.transfer.tenant_import import TenantImport
from almanac.kernel.clock import FixedClock
from almanac.local.tenants.stored_types import StoredTypes
from almanac.platform.store.dynamodb.items import table_definition
from almanac.platform.store.port import Store
from tests.contract.backends import DYNOXIDE, TABLE, Place, dynoxide, table_client
from tests.contract.installations import Installation
from tests.landed.landed_app import Json
from tests.landed.making import NOON

WAYS = ("data folder", "export", "table")
BEFORE_MEMORY = {"0.1.0-2026-11-22", "0.1.0-2026-11-23"}
BEFORE_KNOWLEDGE = {*BEFORE_MEMORY, "0.1.0-2026-11-23b"}
"""Also before code, context and skills."""

_FOLDER = Path(__file__).parent
SAMPLES = sorted(sample.parent.name for sample in _FOLDER.glob("*/almanac.db.gz"))


def opened(name: str, way: str, folder: Path) -> Generator[Store]:
    """The store as that version left it, at noon."""
    sample, clock, file = _FOLDER / name, FixedClock(NOON), folder / "almanac.db"
    if way == "table":
        if not DYNOXIDE.exists():
            pytest.skip("dynoxide is not installed: make tools (needs npm, Linux x64)")
        with dynoxide() as address:
            _fill_table(address, _unpacked(sample / "table.jsonl.gz"))
            yield Place("dynoxide", address).open(clock)
        return
    if way == "data folder":
        file.write_bytes(_unpacked(sample / "almanac.db.gz"))
    else:
        _restore(Installation.on_sqlite(folder, clock), _unpacked(sample / "tenant.jsonl.gz"), folder / "exported")
    yield Place("sqlite", str(file)).open(clock)


def _restore(installation: Installation, exported: bytes, file: Path) -> None:
    """As the command imports it: what today's types do not allow is refused."""
    file.write_bytes(exported)
    importing = TenantImport(installation.store, installation.blobs, installation.signing, StoredTypes)
    with file.open("rb") as source:
        importing.read(source, into=None, with_keys=True, trust=True, progress=lambda end: None)


def _fill_table(address: str, lines: bytes) -> None:
    table = table_client(address)
    table.create_table(**table_definition(TABLE))
    for line in lines.decode().splitlines():
        table.put_item(TableName=TABLE, Item=json.loads(line, object_hook=_restored))


def _restored(value: Json) -> Any:
    return bytes.fromhex(value["$hex"]) if value.keys() == {"$hex"} else value


def _unpacked(file: Path) -> bytes:
    return gzip.decompress(file.read_bytes())
