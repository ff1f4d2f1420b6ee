"""Scan for secrets in stored texts, with the current redaction rules."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.content.redaction import RedactedValue, redact_value
from almanac.kernel.caller import Caller
from almanac.platform.redactions.records import Where
from almanac.platform.redactions.rows import Writer, redaction_changes
from almanac.platform.services import Services
from almanac.platform.store.conditions import And, Equals
from almanac.platform.store.contention import WriteContention
from almanac.platform.store.port import Change, ConditionFailed
from almanac.platform.store.records import Record, Rows, VersionedRecord, replace

R = TypeVar("R", bound=Record)

AT_ONCE = 16
"""Records per read. Even with the largest texts, so many fit into one page of the store."""
_COMPARED = 256


class StoredTexts(Struct, frozen=True):
    """The texts of one item, by the names of their fields.

    `redact` applies the redaction rules for this kind of item. `rewrite` stores the redacted texts. It raises
    ConditionFailed or WriteContention if another writer changes the item meanwhile.
    """

    texts: Mapping[str, Any]
    rewrite: Callable[[RedactedValue], object]
    redact: Callable[[Mapping[str, Any]], RedactedValue] = redact_value


class Redactable(Struct, frozen=True):
    """Items of one kind with texts. `every` reads those of the caller's project, a few at a time."""

    where: Where
    every: Callable[[Services, Caller], Iterator[StoredTexts]]


class ScanResult(Struct, frozen=True):
    """Counts of a scan: the `items` read, those `found` to contain secrets, and the secrets of each kind.

    `rewritten` items no longer contain any. `changing` items were changed by another writer during the scan.
    """

    items: int = 0
    found: int = 0
    kinds: Mapping[str, int] = {}
    rewritten: int = 0
    changing: int = 0


def scan(
    services: Services,
    caller: Caller,
    redactables: Iterable[Redactable],
    *,
    rewrite: bool,
    progress: Callable[[int], object] = lambda _: None,
) -> dict[Where, ScanResult]:
    """Count the secrets in the caller's project, by kind of item. With `rewrite`, also remove them."""
    found: dict[Where, ScanResult] = {}
    read = 0
    for each in redactables:
        counted, kinds = found.get(each.where, ScanResult()), Counter[str]()
        for stored in each.every(services, caller):
            read += 1
            progress(read)
            redacted = stored.redact(stored.texts)
            kinds.update(finding.kind for finding in redacted.findings)
            counted = altered(counted, items=counted.items + 1, found=counted.found + bool(redacted.findings))
            if redacted.findings and rewrite:
                counted = _rewritten(counted, stored, redacted)
        found[each.where] = altered(counted, kinds=dict(Counter(counted.kinds) + kinds))
    return found


def texts_of(
    writer: Writer,
    where: Where,
    rows: Rows[R],
    records: Iterable[R],
    fields: Sequence[str],
    *,
    at: int,
    item: str = "id",
) -> Iterator[StoredTexts]:
    """Yield the texts in `fields` of records from which no other data is derived. `item` is the field with the id."""
    for record in records:
        yield StoredTexts(
            {name: getattr(record, name) for name in fields},
            lambda redacted, record=record: writer.store.write(
                [
                    _put(rows, record, cast("Mapping[str, Any]", redacted.value)),
                    *redaction_changes(writer, str(getattr(record, item)), where, redacted.findings, at),
                ]
            ),
        )


def _rewritten(counted: ScanResult, stored: StoredTexts, redacted: RedactedValue) -> ScanResult:
    try:
        stored.rewrite(redacted)
    except (ConditionFailed, WriteContention):
        return altered(counted, changing=counted.changing + 1)
    return altered(counted, rewritten=counted.rewritten + 1)


def _put(rows: Rows[Any], record: Record, texts: Mapping[str, Any]) -> Change:
    new = altered(record, **texts)
    if isinstance(new, VersionedRecord):
        return replace(rows, new)
    same = [Equals(name, value) for name, value in msgspec.structs.asdict(record).items() if _is_compared(value)]
    return rows.put(new, And(tuple(same)))


def _is_compared(value: object) -> bool:
    """Return whether a condition can compare the value, so that a write only replaces the record that was read."""
    return value is None or isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) < _COMPARED)
