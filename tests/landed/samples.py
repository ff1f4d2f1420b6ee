"""The samples that landed versions left, each opened in three ways: a data folder, an export, a table on AWS."""

import gzip
import json
from collections.abc import Container
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from almanac.identity.transfer.tenant_import import TenantImport
from almanac.kernel.clock import FixedClock
from almanac.local.tenants.stored_types import StoredTypes
from almanac.platform.store.port import Store
from tests.contract.backends import TABLE, Place, create_table, table_client
from tests.contract.installations import Installation
from tests.landed.landed_app import Json
from tests.landed.sample_maker import NOON

WAYS = ("data folder", "export", "table")
BEFORE_MEMORY = {"0.1.0-2026-11-22", "0.1.0-2026-11-23"}
BEFORE_KNOWLEDGE = {*BEFORE_MEMORY, "0.1.0-2026-11-23b"}
"""Also before code, context and skills."""

_table_client = cache(table_client)
_BATCH = 25
"""Items of one request, at most."""
_FOLDER = Path(__file__).parent
SAMPLES = sorted(sample.parent.name for sample in _FOLDER.glob("*/almanac.db.gz"))


def every_sample(*, but: Container[str] = ()) -> list[ParameterSet]:
    """The samples as parameters of a test, without those in `but`. `make test` opens the oldest and the newest."""
    names = [name for name in SAMPLES if name not in but]
    ends = names[0], names[-1]
    return [pytest.param(name, marks=() if name in ends else pytest.mark.slow, id=name) for name in names]


def data_file(name: str) -> bytes:
    """The database of the sample's data folder."""
    return _unpack(_FOLDER / name / "almanac.db.gz")


def open_sample(name: str, way: str, folder: Path, address: str) -> Store:
    """Open a copy of the store as that version left it, at noon. A table at `address` is made again each time."""
    sample, clock, file = _FOLDER / name, FixedClock(NOON), folder / "almanac.db"
    if way == "table":
        _fill_table(address, _unpack(sample / "table.jsonl.gz"))
        return Place("dynoxide", address).open(clock)
    if way == "data folder":
        file.write_bytes(data_file(name))
    else:
        _restore(Installation.on_sqlite(folder, clock), _unpack(sample / "tenant.jsonl.gz"), folder / "exported")
    return Place("sqlite", str(file)).open(clock)


def _restore(installation: Installation, exported: bytes, file: Path) -> None:
    """Restore an export as the command does, which rejects values that today's types do not allow."""
    file.write_bytes(exported)
    importing = TenantImport(installation.store, installation.blobs, installation.signer, StoredTypes)
    with file.open("rb") as source:
        importing.read(source, into=None, with_keys=True, trust=True, progress=lambda end: None)


def _fill_table(address: str, lines: bytes) -> None:
    table = _table_client(address)
    if TABLE in table.list_tables()["TableNames"]:
        table.delete_table(TableName=TABLE)
    create_table(table, streamed=False)
    puts = [
        {"PutRequest": {"Item": json.loads(line, object_hook=_restore_bytes)}} for line in lines.decode().splitlines()
    ]
    for begin in range(0, len(puts), _BATCH):
        answer = table.batch_write_item(RequestItems={TABLE: puts[begin : begin + _BATCH]})
        assert not answer["UnprocessedItems"]


def _restore_bytes(value: Json) -> Any:
    return bytes.fromhex(value["$hex"]) if value.keys() == {"$hex"} else value


def _unpack(file: Path) -> bytes:
    return gzip.decompress(file.read_bytes())
