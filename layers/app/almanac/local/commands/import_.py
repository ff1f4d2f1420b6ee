"""`almanac import`"""

import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click
import msgspec

from almanac.identity.transfer.tenant_import import TenantImport
from almanac.kernel.clock import SystemClock
from almanac.local.hints import hint
from almanac.local.options import json_option, store_options
from almanac.local.search.opening import index_tenant
from almanac.local.tenants.editing import clerk
from almanac.local.tenants.installation import open_installation, signing_of
from almanac.local.tenants.progress import bucket_option, progress_bar, summed_up
from almanac.local.tenants.stored_types import StoredTypes

_STDIN = "-"


@click.command("import", short_help="Restore a tenant from a file.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--into", metavar="NAME", help="The tenant's name here; by default the one it was exported under.")
@click.option("--without-keys", is_flag=True, help="Leave out the API keys that are in the file.")
@click.option("--trust", is_flag=True, help="Take a file that was not exported here, or by an older version.")
@store_options
@bucket_option
@json_option
def import_(
    file: str,
    into: str | None,
    without_keys: bool,
    trust: bool,
    data: Path | None,
    table: str | None,
    region: str | None,
    bucket: str | None,
    as_json: bool,
) -> None:
    """Restore the tenant in FILE, which `almanac export` wrote, or from standard input for -.

    All of the file is checked first, against what is stored here; it must have been exported here, unless --trust is
    said. A tenant that exists is left alone, and no key is taken from another tenant. An import that was stopped goes
    on when the same file is imported again. The tenant exists once all of the file is imported.
    """
    clock = SystemClock()
    installation = open_installation(data, table, region, bucket, clock)
    with _opened(file) as source:
        size = source.seek(0, os.SEEK_END)
        source.seek(0)
        noting = clerk(installation.store, clock)
        restored = TenantImport(
            installation.store, installation.blobs, signing_of(installation.store), StoredTypes, noting
        )
        with progress_bar("Importing", size, 256 * 1024) as progress:
            imported = restored.read(source, into=into, with_keys=not without_keys, trust=trust, progress=progress)
    with progress_bar("Indexing", None, 100) as progress:
        index_tenant((data, table, region), imported.tenant, clock, progress)
    row = {"tenant": imported.tenant, **msgspec.to_builtins(imported.counts), "already": imported.already}
    summed_up(row, as_json=as_json)
    if not imported.counts.keys and not imported.already:
        note = f"No keys came with it: almanac keys issue --tenant {imported.tenant} --project NAME"
        click.echo(hint(note), err=True)


@contextmanager
def _opened(file: str) -> Generator[IO[bytes]]:
    """The file, which is read twice: standard input is kept in a file of its own meanwhile, for its owner only."""
    if file != _STDIN:
        with Path(file).open("rb") as source:
            yield source
        return
    with tempfile.TemporaryFile() as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        yield kept
