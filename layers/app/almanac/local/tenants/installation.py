"""A whole house, for work on whole tenants: its store, what scans it, and where its large values are."""

import os
from pathlib import Path
from typing import NamedTuple

import click

from almanac.kernel.clock import Clock
from almanac.local.options import data_folder
from almanac.platform.blobs.folder import FolderBlobs
from almanac.platform.blobs.port import Blobs
from almanac.platform.portability.signature import Signing
from almanac.platform.store.port import Store
from almanac.platform.store.shared_secret import shared_secret
from almanac.platform.store.sqlite.scan import SqliteTenantScan
from almanac.platform.store.tenant_scan import TenantScan


class House(NamedTuple):
    """`store` is the inner one, in whose items large values are marks; `blobs` None where nobody said where."""

    store: Store
    scan: TenantScan
    blobs: Blobs | None


def open_house(data: Path | None, table: str | None, region: str | None, bucket: str | None, clock: Clock) -> House:
    """The house in a data folder, or that of a table and a bucket on AWS."""
    if table is None:
        folder = data_folder(data)
        store = folder.open_store(clock)
        return House(store, SqliteTenantScan(folder.store_file, clock=clock), FolderBlobs(folder.blobs_folder))
    if region is None:
        raise click.UsageError("A table needs --region, or AWS_REGION.")
    from almanac.composition.aws import open_bucket, open_table  # noqa: PLC0415 - only for AWS

    store = open_table(os.environ, table, region)
    return House(store, _table_scan(table, region, clock), open_bucket(bucket, region) if bucket else None)


def signing_of(store: Store) -> Signing:
    """With the secret of the installation, which is made when it is first needed."""
    return Signing(shared_secret(store, "exports", os.urandom))


def _table_scan(table: str, region: str, clock: Clock) -> TenantScan:
    import random  # noqa: PLC0415 - this and the rest only for AWS
    import time  # noqa: PLC0415

    from almanac.platform.store.dynamodb.calls import connect  # noqa: PLC0415
    from almanac.platform.store.dynamodb.scan import DynamoTenantScan  # noqa: PLC0415
    from almanac.platform.store.retries import Retries  # noqa: PLC0415

    host = os.environ.get("AWS_ENDPOINT_URL_DYNAMODB") or os.environ.get("AWS_ENDPOINT_URL")
    retries = Retries(sleep=time.sleep, random=random.random, monotonic=time.monotonic)
    return DynamoTenantScan(table, connection=connect(region, host), clock=clock, retries=retries)
