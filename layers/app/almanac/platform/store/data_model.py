"""The data model as a page: which tables there are, what their records hold, and under which keys."""

from collections.abc import Iterable
from typing import Any, get_type_hints

from almanac.platform.store.records import Place, Record, Table


def data_model(tables: Iterable[Table[Any]]) -> str:
    """Markdown with one section per table, in the order of their names. Fields in angle brackets are components."""
    return "\n".join(_section(table) for table in sorted(tables, key=lambda table: table.own.name))


def _section(table: Table[Any]) -> str:
    lines = [f"## {table.own.name}", "", (table.record.__doc__ or "").strip(), ""]
    lines += ["| | partition | sort key |", "|---|---|---|", _places("item", table, table.own)]
    lines += [_places(index, table, place) for index, place in sorted(table.indexes.items())]
    lines += ["", "| field | type |", "|---|---|", *_fields(table.record)]
    if table.expires:
        lines += ["", f"Absent from `{table.expires}` on."]
    return "\n".join(lines) + "\n"


def _places(what: str, table: Table[Any], place: Place) -> str:
    level = ("T", "<tenant>") if table.level == "tenant" else ("P", "<tenant>", "<project>")
    partition = "#".join([*level, place.name, *(f"<{field}>" for field in place.partition)])
    sort = "#".join(f"<{field}>" for field in place.sort) or place.name
    return f"| {what} | `{partition}` | `{sort}` |"


def _fields(record: type[Record]) -> list[str]:
    hints = get_type_hints(record)
    return [f"| {field} | `{_named(hints[field])}` |" for field in record.__struct_fields__]


def _named(hint: Any) -> str:
    text = hint.__name__ if isinstance(hint, type) and not getattr(hint, "__args__", None) else str(hint)
    return text.replace("typing.", "").replace("|", "\\|")
