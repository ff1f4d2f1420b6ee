"""Arguments from the network into a tool's types.

Many clients send a number, a list or an object as a string. The schema decides: where it wants something else than a
string and the string reads as that, it is taken; a genuine string is never touched.
"""

from collections.abc import Mapping
from typing import Any, TypeVar, cast

import msgspec

from almanac.kernel.errors import AlmanacError
from almanac.protocol.arguments import schema as schemas
from almanac.protocol.arguments.problems import is_kind, kinds_of, refusal
from almanac.protocol.arguments.value_budget import BudgetSpent, ValueBudget
from almanac.protocol.message.depth import is_too_deep

Json = dict[str, Any]
Arguments = TypeVar("Arguments", bound=msgspec.Struct)
MEANT: Mapping[str, tuple[str, ...]] = {
    "body": ("content",),
    "content": ("body",),
    "text": ("content", "body"),
    "message": ("content",),
    "title": ("summary",),
    "summary": ("title",),
    "name": ("title", "summary"),
    "id": (
        *("noteId", "entryId", "cardId", "eventId", "itemId", "memoryId", "memory_id"),
        *("fact_id", "review_id", "candidate_id", "event_id", "booking_id"),
        *("message_id", "handoverId"),
    ),
    "q": ("query",),
    "question": ("query",),
    "query": ("q",),
    "k": ("limit",),
    "limit": ("k",),
    "max_results": ("limit", "k"),
    "tz": ("timezone", "time_zone"),
    "time_zone": ("timezone", "target_timezone"),
    "timezone": ("time_zone", "target_timezone", "target_time_zone"),
    "start_time": ("start", "time"),
    "end_time": ("end",),
    "due_date": ("date",),
    "duration": ("durationMinutes", "duration_minutes", "min_duration_minutes"),
}
"""Names that models get wrong most -> those they may mean, the likeliest first. They are accepted silently and never
listed. Another spelling of a name (note_id for noteId) needs no entry."""


def convert(value: Any, into: type[Arguments], schema: Json | None = None) -> Arguments:
    """`value` as the structure `into`, whose schema is `schema` (computed where not given).

    Raises InvalidInput that names each wrong argument by path, the rule, what was received and an example.
    """
    try:
        return msgspec.convert(value, into)
    except msgspec.ValidationError:
        schema = schema or schemas.of_arguments(into)
    # Strict in the second try too: the lax mode would take "nan" for a number.
    coerced = coerce(value, schema)
    try:
        return msgspec.convert(coerced, into)
    except msgspec.ValidationError as mismatch:
        if isinstance(mismatch.__cause__, AlmanacError):
            raise mismatch.__cause__ from None
        raise refusal(coerced, schema) from None


def with_right_names(arguments: Json, known: Mapping[str, Any]) -> Json:
    """Return the arguments under the names that a tool knows. A right name that is given keeps its own value, and a
    name that means none of them stays, to be refused."""
    if all(name in known for name in arguments):
        return arguments
    spelled = {_plain(name): name for name in known}
    renamed = dict(arguments)
    for name, value in arguments.items():
        if name in known:
            continue
        candidates = (spelled.get(_plain(name)), *MEANT.get(name, ()))
        meant = next((each for each in candidates if each in known and each not in renamed), None)
        if meant is not None:
            del renamed[name]
            renamed[meant] = value
    return renamed


def coerce(value: Any, schema: Json) -> Any:
    """`value` with stringified parts read as what the schema wants there, and nulls of optional arguments dropped.

    What holds more values than are looked at stays as it is.
    """
    try:
        return _coerced(value, schema, kinds_of(schema), ValueBudget())
    except BudgetSpent:
        return value


def _coerced(value: Any, schema: Json, kinds: set[str], budget: ValueBudget) -> Any:
    budget.spend()
    if isinstance(value, str) and kinds and "string" not in kinds:
        value = _read(value, kinds)
    if isinstance(value, float) and value.is_integer() and "integer" in kinds and "number" not in kinds:
        return int(value)
    if isinstance(value, dict):
        return _coerced_object(cast("Json", value), schema, budget)
    if isinstance(value, list):
        items: Json = schema.get("items", {})
        wanted = kinds_of(items)
        return [_coerced(child, items, wanted, budget) for child in cast("list[Any]", value)]
    return value


def _coerced_object(value: Json, schema: Json, budget: ValueBudget) -> Json:
    properties: Json = schema.get("properties", {})
    others = schema.get("additionalProperties")
    rest: Json = cast("Json", others) if isinstance(others, dict) else {}
    optional = properties.keys() - set(schema.get("required", ()))
    return {
        name: _coerced(child, wanted := properties.get(name, rest), kinds_of(wanted), budget)
        for name, child in value.items()
        if child is not None or name not in optional or "null" in kinds_of(properties[name])
    }


def _read(text: str, kinds: set[str]) -> Any:
    try:
        read = msgspec.json.decode(text.lower() if kinds == {"boolean"} else text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return text
    if is_too_deep(read):
        return text
    return read if any(is_kind(read, kind) for kind in kinds) else text


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
