"""Batches of date-time operations. An invalid item fails alone."""

from typing import Any, Literal

import msgspec

from almanac.families.time.core.timestamps import parse_utc
from almanac.families.time.core.zones import find_zone
from almanac.families.time.datetimes.local_datetimes import validate
from almanac.families.time.datetimes.local_times import local_time
from almanac.families.time.datetimes.parameters import LocalDatetime, UtcTimestamp, ZoneName
from almanac.families.time.datetimes.resolution import Policies, resolve_local
from almanac.kernel.errors import AlmanacError, InvalidInput
from almanac.protocol.arguments.conversion import convert

MAX_ITEMS = 100


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One operation; its fields depend on `operation`."""

    operation: Literal["validate", "resolve", "convert"]
    local_datetime: LocalDatetime | None = None
    time_zone: ZoneName | None = None
    instant_utc: UtcTimestamp | None = None
    target_time_zone: ZoneName | None = None
    resolution_policy: Policies | None = None


class ItemError(msgspec.Struct, frozen=True):
    message: str
    code: str


class ItemResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """If `success`, `data` has the form of the single tool's answer; otherwise there is an `error`."""

    index: int
    operation: str | None
    success: bool
    data: dict[str, Any] | None = None
    error: ItemError | None = None


class BatchResult(msgspec.Struct, frozen=True):
    """`results` are in the order of the items."""

    results: list[ItemResult]
    total: int
    succeeded: int
    failed: int


def run(items: list[Any]) -> BatchResult:
    """Run all items and return their results. An invalid item becomes an error in its result."""
    results = [_run_one(index, item) for index, item in enumerate(items)]
    succeeded = sum(result.success for result in results)
    return BatchResult(results, len(results), succeeded, len(results) - succeeded)


def _run_one(index: int, raw: Any) -> ItemResult:
    item: Item | None = None
    try:
        item = convert(raw, Item)
        return ItemResult(index, item.operation, success=True, data=msgspec.to_builtins(_answer(item)))
    except AlmanacError as error:
        code = "VALIDATION_FAILED" if error.code == InvalidInput.code else error.code
        operation = item.operation if item else None
        return ItemResult(index, operation, success=False, error=ItemError(str(error), code))


def _answer(item: Item) -> msgspec.Struct:
    match item.operation:
        case "validate":
            return validate(_require(item, "local_datetime"), _require(item, "time_zone"))
        case "resolve":
            policies = item.resolution_policy or Policies()
            return resolve_local(_require(item, "local_datetime"), find_zone(_require(item, "time_zone")), policies)
        case "convert":
            return local_time(
                parse_utc(_require(item, "instant_utc"), "instant_utc"), _require(item, "target_time_zone")
            )


def _require(item: Item, name: str) -> str:
    value: str | None = getattr(item, name)
    if value is None:
        raise InvalidInput(f'"{name}" is required for operation "{item.operation}".', path=name)
    return value
