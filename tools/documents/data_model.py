"""Writer of the page about stored data, generated from the declarations of the records.

For records in a table, the table makes the keys, with names in angle brackets for values. Modules that make their keys
by hand document them in their docstring.
"""

import importlib
import inspect
import types
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from almanac.composition.families import declaration, families_for_docs
from almanac.kernel.caller import Scope
from almanac.platform.store import keys
from almanac.platform.store.records import Place, Record, Table

_SHARED = (
    ("Tenants, projects and keys", "almanac.identity.records"),
    ("Storage of a tenant on AWS", "almanac.identity.storage_limit"),
    ("Partitions of a tenant on DynamoDB", "almanac.platform.store.dynamodb.partition_registry"),
    ("Imports under way", "almanac.identity.transfer.import_progress"),
    ("Rounds of scheduled jobs", "almanac.identity.tenant_sweep"),
    ("Due items of scheduled jobs", "almanac.platform.due.records"),
    ("Refused keys", "almanac.identity.access.guesses"),
    ("Audit trail", "almanac.identity.audit"),
    ("Events on their way", "almanac.platform.bus.records"),
    ("The live feed", "almanac.platform.feed.records"),
    ("Search", "almanac.search.engine.records"),
    ("Redactions", "almanac.platform.redactions.records"),
    ("Sessions of hooks", "almanac.gateway.hooks.records"),
    ("Sessions of browsers", "almanac.identity.browser_sessions"),
)
_SCOPE = Scope("<tenant>", "<project>")
_WORDS: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "flag",
    bytes: "bytes",
    None: "none",
    type(None): "none",
    Any: "anything",
}


def document() -> str:
    """Return the page in Markdown: first the data of the whole installation, then that of each family."""
    modules = [(title, importlib.import_module(name)) for title, name in _SHARED]
    for family in families_for_docs():
        root = f"almanac.families.{family.name}"
        modules += [(f"{family.title}: {_within(one, root)}", one) for one in declaration(family.name).records()]
    sections = [section(title, module) for title, module in modules]
    introduction = [
        "# Data model\n",
        "Generated from the declarations of the records by `make docs`; change it there.\n",
        "Everything that Almanac keeps is an item with a partition, a sort key and attributes. `P#` partitions belong",
        "to a project, `T#` partitions to its tenant, `S#` partitions to the installation, before a tenant is known.",
        "Instants are whole milliseconds since 1970.\n",
        f"{(keys.__doc__ or '').strip()}\n",
    ]
    return "\n".join([*introduction, *sections])


def _within(module: ModuleType, package: str) -> str:
    return module.__name__.removeprefix(f"{package}.").replace(".", "/")


def section(title: str, module: ModuleType) -> str:
    """Return the section about a module's records: those of its tables, or without tables all that it defines."""
    tables = [cast(Table[Any], value) for value in vars(module).values() if isinstance(value, Table)]
    lines = [f"## {title}\n", f"{(module.__doc__ or '').strip()}\n"]
    for table in tables:
        lines += _table(table)
    stored: list[type[msgspec.Struct]] = [table.record for table in tables] or _structures(module)
    described = list(dict.fromkeys(part for record in stored for part in _parts(record)))
    for record in described:
        lines += [f"### {record.__name__}\n", *_description(record), *_fields(record)]
    return "\n".join(lines)


def kind(type_: Any) -> str:
    """Return a field's type in words, such as `text or none` or `list of Author`."""
    if type_ in _WORDS:
        return _WORDS[type_]
    origin: Any = get_origin(type_)
    inner = get_args(type_)
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in inner)
    if origin in (Union, types.UnionType):
        return " or ".join(map(kind, inner))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"map of {kind(inner[0])} to {kind(inner[1])}"
    if isinstance(origin, type):
        return f"list of {kind(inner[0])}"
    return getattr(type_, "__name__", str(type_))


def _description(record: type[msgspec.Struct]) -> list[str]:
    return [f"{inspect.cleandoc(record.__doc__)}\n"] if record.__doc__ else []


def _table(table: Table[Any]) -> list[str]:
    lines = [f"**{table.record.__name__}** in `{table.own.name}`:\n", "| | partition | sort key |", "|---|---|---|"]
    lines.append(_place(table, "item", table.own))
    lines += [_place(table, index, place) for index, place in sorted(table.indexes.items())]
    if table.expires:
        lines += ["", f"Absent from `{table.expires}` on."]
    return [*lines, ""]


def _place(table: Table[Any], where: str, place: Place) -> str:
    key = table.key(_SCOPE, place, tuple(f"<{field}>" for field in place.partition + place.sort))
    return f"| {where} | `{key.partition.text}` | `{key.sort}` |"


def _structures(module: ModuleType) -> list[type[msgspec.Struct]]:
    found = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, msgspec.Struct)]
    return [each for each in found if each.__module__ == module.__name__]


def _parts(record: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    """Yield the record and the structures in its fields."""
    found: dict[type[msgspec.Struct], None] = {}
    waiting = [record]
    while waiting:
        part = waiting.pop(0)
        if part not in found and part is not Record:
            found[part] = None
            waiting += [inner for hint in get_type_hints(part).values() for inner in _structs_in(hint)]
    yield from found


def _structs_in(hint: Any) -> Iterator[type[msgspec.Struct]]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield hint
    for inner in get_args(hint):
        yield from _structs_in(inner)


def _fields(record: type[msgspec.Struct]) -> list[str]:
    hints = get_type_hints(record)
    lines = ["| field | type | default |", "|---|---|---|"]
    lines += [
        f"| `{field.name}` | {kind(hints[field.name])} | {_default(field)} |"
        for field in msgspec.structs.fields(record)
    ]
    return [*lines, ""]


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.default is not msgspec.NODEFAULT:
        return f"`{msgspec.json.encode(field.default).decode()}`"
    if field.default_factory is not msgspec.NODEFAULT:
        return "empty"
    return ""
