"""`almanac tools` and `almanac call`"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import click

from almanac.kernel.errors import InvalidInput
from almanac.local.client.tool_calls import Failed, call_tool
from almanac.local.hints import hint
from almanac.local.listings import show
from almanac.local.options import api_key, data_option, json_option, url_option

_WIDTH = 100


@click.command(short_help="List the tools of all families.")
@json_option
def tools(as_json: bool) -> None:
    """List the tools of all families, each with the first sentence of its description."""
    # This command needs no families, so they are not imported and it starts fast.
    from almanac.composition.families import families_for_docs  # noqa: PLC0415

    rows = [
        {"tool": tool.name, "family": family.name, "title": tool.title, "summary": _first_sentence(tool.description)}
        for family in families_for_docs()
        for tool in family.tools
    ]
    if not as_json:
        rows = [row | {"summary": _shorten(row["summary"])} for row in rows]
    show(rows, ("tool", "family", "summary"), as_json=as_json, none="There are no tools.")


@click.command(short_help="Call a tool on a running server.")
@click.argument("tool")
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@url_option
@data_option
@json_option
def call(tool: str, arguments: tuple[str, ...], url: str, data: Path | None, as_json: bool) -> None:
    """Call TOOL and print its result. The exit status is 1 if the tool returns an error.

    NAME=VALUE passes text, which is converted to a number or a boolean if the tool's schema asks for one. Lists and
    objects are written as JSON. NAME:=VALUE is always JSON. The key is ALMANAC_API_KEY, or the one kept in the data
    folder.
    """
    values_by_name = dict(map(read_argument, arguments))
    key = api_key(data)
    try:
        answer = call_tool(url, key, tool, values_by_name)
    except Failed as failed:
        click.echo(f"Error: {hint(str(failed))}", err=True)
        sys.exit(failed.exit_status)
    if answer.is_error:
        click.echo(json.dumps({"error": answer.text}) if as_json else f"Error: {answer.text}", err=not as_json)
        sys.exit(1)
    if answer.structured is None:
        click.echo(json.dumps({"text": answer.text}, ensure_ascii=False) if as_json else answer.text)
    else:
        click.echo(json.dumps(answer.structured, ensure_ascii=False, indent=None if as_json else 2))


def read_argument(text: str) -> tuple[str, Any]:
    """Return name and value of an argument in the form `name=value` or `name:=json`. Raises InvalidInput for any other
    text."""
    name, sign, value = text.partition("=")
    if not sign or not name.rstrip(":"):
        raise InvalidInput(f'"{text[:60]}" is not an argument.', "Write name=value, or name:=JSON.")
    if name.endswith(":"):
        try:
            return name[:-1], json.loads(value)
        except ValueError:
            raise InvalidInput(f"The value of {name[:-1]} is not JSON.", "Quote text: name:='\"text\"'.") from None
    # Parse lists and objects only. The tool's schema decides whether text such as 2026 or true is converted.
    if value[:1] in ("[", "{"):
        try:
            return name, json.loads(value)
        except ValueError:
            return name, value
    return name, value


def _first_sentence(description: str) -> str:
    line = " ".join(description.partition("\n\n")[0].split())
    sentence = re.match(r".+?[.?!](?= [A-Z]|$)", line)
    return sentence[0] if sentence else line


def _shorten(sentence: str) -> str:
    return sentence if len(sentence) <= _WIDTH else sentence[: _WIDTH - 1] + "…"
