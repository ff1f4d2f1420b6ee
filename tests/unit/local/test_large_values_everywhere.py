"""Every process takes large values: written by one, read by another, and whole in a tenant's file."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from almanac.composition import aws, aws_events
from almanac.composition.aws import services_on_aws
from almanac.composition.settings import Settings
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.local.background.sweeper import BLOBS_EVERY_MS, Sweeper
from almanac.local.data_folder import DataFolder
from almanac.local.options import open_store
from almanac.local.tenants.installation import open_installation
from almanac.platform.blobs.folder import FolderBlobs
from almanac.platform.blobs.large_values import GRACE_MS, MARK
from almanac.platform.bus import delivery
from almanac.platform.services import Services
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Put, Store
from almanac.platform.store.sqlite.store import SqliteStore

KEY = Key(Partition.in_project(Scope("acme", "main"), "shelf"), "a")
MEGABYTE = "x" * 1_000_000


def test_on_a_laptop_every_command_and_the_server_read_what_one_wrote(tmp_path: Path, clock: FixedClock):
    folder = DataFolder(tmp_path)
    folder.open_whole_store(clock).write([Put(KEY, {"large": MEGABYTE})])
    for store in (folder.open_whole_store(clock), open_store(tmp_path, None, None, clock)):
        item = store.get(KEY)
        assert item is not None
        assert item.attributes["large"] == MEGABYTE
    inner = open_installation(tmp_path, None, None, None, clock).store.get(KEY)
    assert inner is not None
    assert MARK in str(inner.attributes["large"])


def test_on_aws_functions_and_reactions_read_what_one_wrote(
    tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
):
    table = SqliteStore(tmp_path / "table.db", clock=clock, cursor_secret=b"a secret for tests")
    opened: list[Services] = []

    def open_table(*_: object) -> SqliteStore:
        return table

    def open_bucket(*_: object) -> FolderBlobs:
        return FolderBlobs(tmp_path / "bucket")

    monkeypatch.setattr(aws, "open_table", open_table)
    monkeypatch.setattr(aws, "open_bucket", open_bucket)

    def note_services(store: Store, services: Services, *_: object, **__: object) -> None:
        opened.append(services)

    monkeypatch.setattr(delivery, "Delivery", note_services)
    settings = Settings(bucket="values")
    aws_events.open_delivery(settings, lambda where, error: None)
    services_on_aws(settings).get(Store).write([Put(KEY, {"large": MEGABYTE})])
    for services in (services_on_aws(settings), *opened):
        item = services.get(Store).get(KEY)
        assert item is not None
        assert item.attributes["large"] == MEGABYTE
    assert len(opened) == 1
    table.close()


def test_what_no_item_names_any_more_is_swept_after_a_day(tmp_path: Path, clock: FixedClock):
    folder = DataFolder(tmp_path)
    store = folder.open_whole_store(clock)
    store.write([Put(KEY, {"large": MEGABYTE})])
    store.write([Put(KEY, {"large": MEGABYTE + "y"})])
    files = [Path(place, name) for place, _, names in os.walk(folder.blobs_folder) for name in names]
    assert len(files) == 2
    written = clock.instant.timestamp()
    for file in files:
        os.utime(file, (written, written))
    swept: list[str] = []
    sweeper = Sweeper(lambda: swept.append("expired"), store, clock)
    sweeper()
    clock.instant += timedelta(milliseconds=GRACE_MS + BLOBS_EVERY_MS)
    sweeper()
    assert swept == ["expired", "expired"]
    assert [file.exists() for file in files].count(True) == 1
    item = store.get(KEY)
    assert item is not None
    assert item.attributes["large"] == MEGABYTE + "y"
