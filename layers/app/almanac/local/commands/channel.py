"""`almanac channel`"""

import os
import sys
from contextlib import closing
from pathlib import Path

import click

from almanac.identity.api_key import parse_api_key
from almanac.local.options import api_key, data_folder, server_options


@click.command(short_help="Notify a running client of mail, broadcasts, granted claims and reviews.")
@server_options
@click.option("--feed", metavar="URL", help="The live feed's address; by default the server names it.")
@click.option("--project", default="", help="The project, if the key is for several.")
@click.option("--others-only", is_flag=True, help="Leave out broadcasts that were set with this key's actor.")
def channel(url: str, key: str | None, data: Path | None, feed: str | None, project: str, others_only: bool) -> None:
    """Bridge a project to a client that runs this command as an MCP server over standard input and output, such as
    Claude Code with channels. It ends when its input is closed, and connects again by itself.

    The key is ALMANAC_API_KEY, or the one kept in the data folder. Lines for people go to standard error.
    """
    # The client of the feed takes 0.1 seconds to import.
    from almanac.local.channel.client import Client  # noqa: PLC0415
    from almanac.local.channel.position import Position, position_of  # noqa: PLC0415
    from almanac.local.channel.server import Channel  # noqa: PLC0415
    from almanac.local.channel.teller import ChannelServer, Teller  # noqa: PLC0415

    server = ChannelServer(url, feed, api_key(data, key), project)
    names = (feed or url, parse_api_key(server.key).id, project, str(Path.cwd()))
    try:
        position = position_of(data_folder(data).path / "channel", *names)
    except OSError as problem:
        _log(f"The position in the feed cannot be saved: {problem.strerror}.")
        position = Position(None)
    client = Client(sys.stdout.buffer)
    teller = Teller(server, client, position, _log, others_only=others_only)
    with closing(position):
        Channel(server, client, teller.run).serve(sys.stdin.buffer)


def _log(line: str) -> None:
    # Do not use sys.stderr, because a thread that the exit stops may hold its lock.
    os.write(2, f"{line}\n".encode("utf-8", "replace"))
