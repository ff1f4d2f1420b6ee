"""`almanac tools`"""

import re

import click

from almanac.composition.families import described_families
from almanac.local.listings import show
from almanac.local.options import json_option

_WIDTH = 100


@click.command(short_help="List the tools of all families.")
@json_option
def tools(as_json: bool) -> None:
    """List the tools of all families, each with the first sentence of its description."""
    rows = [
        {"tool": tool.name, "family": family.name, "title": tool.title, "summary": _first_sentence(tool.description)}
        for family in described_families()
        for tool in family.tools
    ]
    if not as_json:
        rows = [row | {"summary": _shortened(row["summary"])} for row in rows]
    show(rows, ("tool", "family", "summary"), as_json=as_json, none="There are no tools.")


def _first_sentence(description: str) -> str:
    line = " ".join(description.partition("\n\n")[0].split())
    sentence = re.match(r".+?[.?!](?= [A-Z]|$)", line)
    return sentence[0] if sentence else line


def _shortened(sentence: str) -> str:
    return sentence if len(sentence) <= _WIDTH else sentence[: _WIDTH - 1] + "…"
