"""Listings on the terminal: aligned columns, or JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import click

from almanac.local.hints import hint

_NAMED = 20


def show(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], *, as_json: bool, none: str) -> None:
    """Print the `rows` as JSON, or their `columns` as a table. Print `none` if there are no rows."""
    if as_json:
        click.echo(json.dumps(list(rows), indent=2, ensure_ascii=False))
    elif not rows:
        click.echo(hint(none))
    else:
        cells = [[column.upper() for column in columns], *[[_text(row[column]) for column in columns] for row in rows]]
        widths = [max(len(line[place]) for line in cells) for place in range(len(columns))]
        for line in cells:
            click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def name_unreadable(names: Sequence[str]) -> None:
    """Print the names of stored records that the listing lacks because they cannot be read."""
    for name in names[:_NAMED]:
        click.echo(f"Cannot be read, so it is not listed: {printable(name)}", err=True)
    if len(names) > _NAMED:
        click.echo(f"{len(names) - _NAMED} more cannot be read.", err=True)


def printable(text: str) -> str:
    """Return the text with a dot in place of each character that is not printable and could control the terminal."""
    return "".join(each if each.isprintable() else "·" for each in text)


def show_one(row: Mapping[str, Any], *, as_json: bool) -> None:
    """Print one row, as a JSON object or one name and value per line."""
    if as_json:
        click.echo(json.dumps(row, indent=2, ensure_ascii=False))
    else:
        width = max(map(len, row))
        for name, value in row.items():
            click.echo(f"{name.ljust(width)}  {_text(value)}")


def _text(value: Any) -> str:
    match value:
        case None | "":
            return "-"
        case bool():
            return "yes" if value else "no"
        case [*entries]:
            return ",".join(printable(str(entry)) for entry in cast(list[object], entries)) or "-"
        case _:
            return printable(str(value))
