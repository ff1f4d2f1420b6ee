"""`almanac export`"""

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click
import msgspec

from almanac.identity.transfer.tenant_export import TenantExport
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import InvalidInput
from almanac.local.options import json_option, store_options
from almanac.local.tenants.edit_options import clerk
from almanac.local.tenants.installation import export_signer, open_installation
from almanac.local.tenants.progress import bucket_option, print_summary, progress_bar

_STDOUT = "-"


@click.command("export", short_help="Export a tenant into a file.")
@click.argument("tenant")
@click.argument("file")
@click.option("--keys", "with_keys", is_flag=True, help="Include its API keys, as digests of their secrets.")
@click.option("--force", is_flag=True, help="Overwrite an existing FILE.")
@store_options
@bucket_option
@json_option
def export(
    tenant: str,
    file: str,
    with_keys: bool,
    force: bool,
    data: Path | None,
    table: str | None,
    region: str | None,
    bucket: str | None,
    as_json: bool,
) -> None:
    """Export all of TENANT into FILE as JSON lines; - is standard output.

    The file contains the projects, everything in them, and large values. `almanac import` restores them in any
    installation, here or on AWS. The file is signed, so this installation recognises it and detects changes.

    Without --keys the restored tenant needs new keys. The file contains all data, and only its owner can read it.
    """
    clock = SystemClock()
    installation = open_installation(data, table, region, bucket, clock)
    exporting = TenantExport(
        installation.store, installation.scan, installation.blobs, clock, export_signer(installation.store)
    )
    with (
        _open_for_writing(file, force=force) as target,
        progress_bar(f"Exporting {tenant}", installation.scan.count(tenant), 100) as progress,
    ):
        counts = exporting.write(tenant, target, with_keys=with_keys, progress=progress)
    clerk(installation.store, clock).note(tenant, "export", subject="with keys" if with_keys else None)
    row = {"tenant": tenant, "file": file, **msgspec.to_builtins(counts)}
    print_summary(row, as_json=as_json, aside=file == _STDOUT)


@contextmanager
def _open_for_writing(file: str, *, force: bool) -> Generator[IO[bytes]]:
    """Open the file to write. It appears under its name only when it is complete."""
    if file == _STDOUT:
        yield sys.stdout.buffer
        return
    path = Path(file)
    if path.exists() and not force:
        raise InvalidInput(f"{file} already exists.", "Choose another file, or replace it with --force.")
    try:
        with tempfile.NamedTemporaryFile(dir=path.absolute().parent, delete=False) as written:
            try:
                yield written
                written.flush()
                os.fsync(written.fileno())
                Path(written.name).replace(path)
            except BaseException:
                Path(written.name).unlink(missing_ok=True)
                raise
    except OSError as problem:
        raise InvalidInput(f"{file} cannot be written: {problem.strerror}.", "Choose another place.") from problem
