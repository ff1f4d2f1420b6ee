"""`almanac open`"""

import os
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit

import click

from almanac.identity.api_key import parse_api_key
from almanac.identity.browser_sessions import BrowserSessions
from almanac.identity.keys import ApiKeys
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import now_ms
from almanac.local.client.server_address import DEFAULT_URL
from almanac.local.options import api_key, data_folder, data_option

_CLOCK = SystemClock()


@click.command("open", short_help="Open the dashboard in the browser, signed in.")
@click.option("--url", envvar="ALMANAC_URL", default=DEFAULT_URL, show_default=True, help="The server's address.")
@click.option("--print", "only_print", is_flag=True, help="Print the address instead of opening it.")
@data_option
def open_(url: str, only_print: bool, data: Path | None) -> None:
    """Open the dashboard of the server on this machine, signed in by a code that works once, within a minute.

    The key behind it is ALMANAC_API_KEY, or the one kept in the data folder.
    """
    store = data_folder(data).open_store(_CLOCK)
    try:
        key = parse_api_key(api_key(data))
        record = ApiKeys(store, _CLOCK, os.urandom).find(key.id)
        if record is None or not key.opens(record.digest) or not record.works_at(now_ms(_CLOCK)):
            raise NotFound("The key is not one of this data folder.", "Name the server's own folder with --data.")
        code = BrowserSessions(store, _CLOCK, os.urandom).new_code(record.id, operator=True)
    finally:
        store.close()
    parts = urlsplit(url)
    address = f"{parts.scheme}://{parts.netloc}/ui/login#{code}"
    if only_print or not webbrowser.open(address):
        click.echo(address)
