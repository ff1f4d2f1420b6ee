"""`almanac watch`"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from almanac.kernel.instants import iso
from almanac.local.client.server_address import DEFAULT_URL
from almanac.local.options import api_key, data_option, json_option

_PAYLOAD_LENGTH = 160


@click.command(short_help="Show what happens in a project, as it happens.")
@click.option("--kind", "kinds", multiple=True, help="Only events of this kind; may be repeated.")
@click.option(
    "--key", "keys", multiple=True, help="Only events of this key; with * at the end, of all keys that begin so."
)
@click.option("--since", metavar="CURSOR", help="Start after the event with this cursor.")
@click.option("--project", default="", help="The project, if the key is for several.")
@click.option(
    "--url",
    envvar="ALMANAC_URL",
    default=DEFAULT_URL,
    show_default=True,
    help="The server's address, or wss://… on AWS.",
)
@data_option
@json_option
def watch(
    kinds: tuple[str, ...],
    keys: tuple[str, ...],
    since: str | None,
    project: str,
    url: str,
    data: Path | None,
    as_json: bool,
) -> None:
    """Show the project's events as they happen, until Ctrl+C. After a lost connection it reconnects and misses none.

    The key is ALMANAC_API_KEY, or the one kept in the data folder. With --json there is one JSON object per line, with
    the cursor that --since takes.
    """
    from almanac.local.client.feed_watch import FeedEnd, FeedListener  # noqa: PLC0415 - the client takes 0.1 seconds to import

    key = api_key(data)
    watching = FeedListener(url, key, project=project, kinds=kinds, keys=keys, since=since)
    try:
        for event in watching.events(lambda line: click.echo(line, err=True)):
            click.echo(json.dumps(event, ensure_ascii=False) if as_json else _line(event))
            sys.stdout.flush()
    except FeedEnd as ended:
        click.echo(f"Error: {ended}", err=True)
        sys.exit(ended.exit_status)
    except KeyboardInterrupt:
        if watching.cursor and not as_json:
            click.echo(f"Continue from here with --since {watching.cursor}", err=True)


def _line(event: Mapping[str, Any]) -> str:
    payload = json.dumps(event["payload"], ensure_ascii=False)
    shown_payload = payload if len(payload) <= _PAYLOAD_LENGTH else payload[: _PAYLOAD_LENGTH - 1] + "…"
    return f"{iso(event['at'])}  {event['kind']:<16}  {event['key']}  {event['actor']}  {_printable(shown_payload)}"


def _printable(text: str) -> str:
    """Return the text with a dot in place of each character that is not printable and could control the terminal."""
    return "".join(each if each.isprintable() else "·" for each in text)
