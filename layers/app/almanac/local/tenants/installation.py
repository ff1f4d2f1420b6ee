"""The installation that commands on whole tenants work on, with its store, its scan and its large values."""

import os
from pathlib import Path
from typing import NamedTuple

import click

from almanac.composition.laptop import open_blobs, open_scan
from almanac.kernel.clock import Clock
from almanac.local.options import data_folder, settings_for
from almanac.platform.blobs.port import Blobs
from almanac.platform.portability.signature import Signer
from almanac.platform.store.port import Store
from almanac.platform.store.shared_secret import shared_secret
from almanac.platform.store.tenant_scan import TenantScan


class Installation(NamedTuple):
    """Parts of an installation. `store` is the store without large values, whose items hold references to them. `blobs`
    is None if no bucket was named."""

    store: Store
    scan: TenantScan
    blobs: Blobs | None


def open_installation(
    data: Path | None, table: str | None, region: str | None, bucket: str | None, clock: Clock
) -> Installation:
    """Open the installation in a data folder, or the one of a table and a bucket on AWS."""
    if table is None:
        folder = data_folder(data)
        store = folder.open_store(clock)
        return Installation(store, open_scan(folder.store_file, clock), open_blobs(folder.blobs_folder))
    if region is None:
        raise click.UsageError("A table needs --region, or AWS_REGION.")
    from almanac.composition import aws  # noqa: PLC0415 - only for AWS

    settings = settings_for(table, region)
    blobs = aws.open_bucket(bucket, region, deleted=True) if bucket else None
    return Installation(aws.open_table(settings), aws.open_table_scan(settings, clock), blobs)


def export_signer(store: Store) -> Signer:
    """Return a signer that uses the installation's secret. The secret is created at its first use."""
    return Signer(shared_secret(store, "exports", os.urandom))
