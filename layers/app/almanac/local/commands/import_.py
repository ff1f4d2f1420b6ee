"""`almanac import`"""

from pathlib import Path

import click
import msgspec

from almanac.identity.tenant_import import TenantImport
from almanac.kernel.clock import SystemClock
from almanac.local.house import open_house
from almanac.local.moving import bucket_option, moving_bar, summed_up
from almanac.local.options import json_option, store_options

_STDIN = "-"


@click.command("import", short_help="Restore a tenant from a file.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--into", metavar="NAME", help="The tenant's name here; by default the one it was exported under.")
@click.option("--without-keys", is_flag=True, help="Leave out the API keys that are in the file.")
@store_options
@bucket_option
@json_option
def import_(
    file: str,
    into: str | None,
    without_keys: bool,
    data: Path | None,
    table: str | None,
    region: str | None,
    bucket: str | None,
    as_json: bool,
) -> None:
    """Restore the tenant in FILE, which `almanac export` wrote, or from standard input for -.

    A tenant that exists is left alone, and no key is taken from another tenant. An import that was stopped goes on
    when the same file is imported again, and the tenant is there when all of the file was found right.
    """
    house = open_house(data, table, region, bucket, SystemClock())
    size = None if file == _STDIN else Path(file).stat().st_size
    with click.open_file(file, "rb") as source, moving_bar("Importing", size, 256 * 1024) as moved:
        restored = TenantImport(house.store, house.blobs)
        imported = restored.read(source, into=into, with_keys=not without_keys, progress=moved)
    row = {"tenant": imported.tenant, **msgspec.to_builtins(imported.counts), "already": imported.already}
    summed_up(row, as_json=as_json)
    if not imported.counts.keys and not imported.already:
        click.echo(f"No keys came with it: almanac keys issue --tenant {imported.tenant} --project NAME", err=True)
