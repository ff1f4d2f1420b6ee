"""Conversion of arguments from JSON into the types of a tool.

Many clients send a number, a list or an object as a string. The schema decides: if it expects another type and the
string parses as that type, the parsed value is used. An argument that may be a string stays untouched.
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
LIKELY_NAMES: Mapping[str, tuple[str, ...]] = {
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
"""Wrong argument names that models often use -> the names they may mean, likeliest first. The server accepts them
silently and never lists them. Another spelling of a name (note_id for noteId) needs no entry."""


def convert(value: Any, into: type[Arguments], schema: Json | None = None) -> Arguments:
    """Convert `value` to the structure `into`. `schema` is the schema of `into`, computed if missing.

    Raises InvalidInput that gives the path of each wrong argument, the rule, the value received and an example.
    """
    try:
        return msgspec.convert(value, into)
    except msgspec.ValidationError:
        schema = schema or schemas.of_arguments(into)
    # The second try is strict too: the lax mode would accept "nan" as a number.
    coerced = coerce(value, schema)
    try:
        return msgspec.convert(coerced, into)
    except msgspec.ValidationError as mismatch:
        if isinstance(mismatch.__cause__, AlmanacError):
            raise mismatch.__cause__ from None
        raise refusal(coerced, schema) from None


def correct_names(arguments: Json, known: Mapping[str, Any]) -> Json:
    """Rename arguments that have a likely wrong name to the names that the tool knows.

    An argument under its right name keeps its value. An unknown name without a likely meaning stays, so that validation
    refuses it.
    """
    if all(name in known for name in arguments):
        return arguments
    by_spelling = {_normalize_name(name): name for name in known}
    renamed = dict(arguments)
    for name, value in arguments.items():
        if name in known:
            continue
        candidates = (by_spelling.get(_normalize_name(name)), *LIKELY_NAMES.get(name, ()))
        right_name = next((each for each in candidates if each in known and each not in renamed), None)
        if right_name is not None:
            del renamed[name]
            renamed[right_name] = value
    return renamed


def coerce(value: Any, schema: Json) -> Any:
    """Parse stringified parts of `value` where the schema expects another type, and drop nulls of optional arguments.

    A value with more parts than the budget allows is returned unchanged.
    """
    try:
        return _coerce(value, schema, kinds_of(schema), ValueBudget())
    except BudgetSpent:
        return value


def _coerce(value: Any, schema: Json, kinds: set[str], budget: ValueBudget) -> Any:
    budget.spend()
    if isinstance(value, str) and kinds and "string" not in kinds:
        value = _parse(value, kinds)
    if isinstance(value, float) and value.is_integer() and "integer" in kinds and "number" not in kinds:
        return int(value)
    if isinstance(value, dict):
        return _coerce_object(cast("Json", value), schema, budget)
    if isinstance(value, list):
        items: Json = schema.get("items", {})
        kinds_of_items = kinds_of(items)
        return [_coerce(child, items, kinds_of_items, budget) for child in cast("list[Any]", value)]
    return value


def _coerce_object(value: Json, schema: Json, budget: ValueBudget) -> Json:
    properties: Json = schema.get("properties", {})
    extra = schema.get("additionalProperties")
    rest: Json = cast("Json", extra) if isinstance(extra, dict) else {}
    optional = properties.keys() - set(schema.get("required", ()))
    return {
        name: _coerce(child, child_schema := properties.get(name, rest), kinds_of(child_schema), budget)
        for name, child in value.items()
        if child is not None or name not in optional or "null" in kinds_of(properties[name])
    }


def _parse(text: str, kinds: set[str]) -> Any:
    try:
        read = msgspec.json.decode(text.lower() if kinds == {"boolean"} else text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return text
    if is_too_deep(read):
        return text
    return read if any(is_kind(read, kind) for kind in kinds) else text


def _normalize_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
