"""`almanac serve`"""

import os
import sys
from pathlib import Path

import click

from almanac.families.calendar.desk import lock_seconds
from almanac.families.catalogue import every_family
from almanac.local import serving
from almanac.local.first_key import VARIABLE
from almanac.local.machine_zone import default_zone
from almanac.local.options import data_folder, data_option


@click.command(short_help="Serve every family on this machine.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", default=8787, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 takes a free one."
)
@data_option
def serve(host: str, port: int, data: Path | None) -> None:
    """Serve every family at http://HOST:PORT/mcp, each one also at /mcp/<family>; health is at /health.

    The first start makes a tenant, a project and an API key, with the time zone of this machine or of TIMEZONE. The key
    is kept in the data folder, readable by you only, and shown at every start. Set ALMANAC_API_KEY to choose the key;
    that one is not kept in a file.
    """
    given = os.environ.get(VARIABLE)
    serving.serve(
        every_family,
        host=host,
        port=port,
        folder=data_folder(data),
        given_key=given,
        default_timezone=default_zone(os.environ),
        lock_seconds=lock_seconds(os.environ),
        out=sys.stdout,
    )
