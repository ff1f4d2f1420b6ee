"""`almanac serve`"""

import sys
from pathlib import Path

import click

from almanac.composition.families import every_family
from almanac.composition.language_model import open_language_model
from almanac.composition.settings import read_settings
from almanac.local.http.addresses import read_proxies
from almanac.local.options import data_folder, data_option
from almanac.local.start import laptop_server
from almanac.local.start.zone_notes import zones_here


@click.command(short_help="Serve every family on this machine.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", default=8787, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 chooses a free one."
)
@click.option(
    "--trusted-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Trust X-Forwarded-For from this address or network; may be repeated. Default: trust none.",
)
@click.option(
    "--public-url",
    metavar="URL",
    help="The https address at which clients reach this server through a proxy or tunnel; they sign in there.",
)
@click.option(
    "--offline", is_flag=True, help="Fetch no metadata documents of clients that sign in; they must register instead."
)
@data_option
def serve(
    host: str, port: int, proxies: tuple[str, ...], public_url: str | None, offline: bool, data: Path | None
) -> None:
    """Serve every family at http://HOST:PORT/mcp, each family at /mcp/<family>, and health at /health.

    The first start creates a tenant, a project and an API key. The key is stored in the data folder, readable by you
    only, and shown at every start. Set ALMANAC_API_KEY to choose the key yourself. It is then not stored in a file.

    TIMEZONE is the time zone used when the key, project and tenant set none. Without it the first tenant gets this
    machine's zone.
    """
    settings = read_settings()
    laptop_server.serve(
        every_family,
        host=host,
        port=port,
        folder=data_folder(data),
        given_key=settings.api_key,
        zones=zones_here(settings),
        lock_seconds=settings.lock_seconds,
        open_model=lambda: open_language_model(settings),
        out=sys.stdout,
        proxies=read_proxies(proxies),
        public_url=public_url or settings.public_url,
        reads_documents=not offline,
    )
