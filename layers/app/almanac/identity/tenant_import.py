"""A tenant into a house: from the file of `tenant_export`, under its own name or another one.

The tenant exists, for its keys and for everybody, only when the whole file was read and found right. How far an import
came is kept in the store beside what it wrote, in one write with it, so that the same file can be imported again after
whatever stopped it, and goes on there.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import IO

import msgspec

from almanac.identity.import_progress import Progress, import_key
from almanac.identity.imported_records import check_project, restored_key
from almanac.identity.records import (
    KeyRecord,
    Tenant,
    checked_name,
    checked_tier,
    from_attributes,
    key_indexes,
    key_key,
    projects_of,
    tenant_key,
    to_attributes,
)
from almanac.identity.tenant_export import MAX_KEYS
from almanac.kernel.errors import Conflict, InvalidInput
from almanac.platform.blobs.port import Blobs
from almanac.platform.portability.file import Counts, Numbered, read_lines
from almanac.platform.portability.large_values import LargeValueWriter
from almanac.platform.portability.lines import BlobLine, Header, ItemLine, KeyLine, encode, put_of, wrong_line
from almanac.platform.portability.restoring import Restoring
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change, Check, ConditionFailed, Item, Put, Store, Update


class Imported(msgspec.Struct, frozen=True):
    """`counts` are those of the file. `already`: it was imported before, so nothing was written."""

    tenant: str
    counts: Counts
    already: bool


class TenantImport:
    """`store` is the inner store: large values go into `blobs` under their ids, their marks into items."""

    def __init__(self, store: Store, blobs: Blobs | None) -> None:
        self._store = store
        self._blobs = blobs

    def read(
        self, file: IO[bytes], *, into: str | None, with_keys: bool = True, progress: Callable[[int], object]
    ) -> Imported:
        """Restores the tenant of `file` as `into`, or under its own name; `progress` is called with bytes read.

        Importing a file again changes nothing. Raises Conflict where that tenant exists already, another import of it
        is unfinished, or a key of the file is in use: then no key was written, and the import of the same file without
        keys goes on. Raises InvalidInput, naming the line, for a file that is damaged, cut off or not an export.
        """
        lines = read_lines(file)
        first = next(lines)
        restore = self._begun(first, into)
        progress(first.end)
        counts = Counts()
        for numbered in lines:
            if with_keys or not isinstance(numbered.line, KeyLine):
                restore.take(numbered)
                counts = counts.plus(numbered.line)
            progress(numbered.end)
        restore.finish()
        return Imported(restore.tenant, counts, restore.already)

    def _begun(self, first: Numbered, into: str | None) -> "_Restore":
        header = first.line
        if not isinstance(header, Header):
            raise wrong_line(first.number, "it is not the line of a tenant")
        tenant = checked_name(header.tenant if into is None else into, "tenant")
        checked_tier(header.tier)
        fresh = Progress(sha256(encode(header)).hexdigest())
        item = self._store.get(import_key(tenant))
        known = None if item is None else from_attributes(item.attributes, Progress)
        exists = self._store.get(tenant_key(tenant)) is not None
        if exists and (known is None or not known.done or known.file != fresh.file):
            hint = "Import it under another name with --into."
            raise Conflict(f"The tenant {tenant} exists here.", hint, code="tenant_exists")
        if known is not None and not exists and known.file != fresh.file:
            hint = "Import that file to its end, or choose another name with --into."
            raise Conflict(f"The import of another file as {tenant} is unfinished.", hint, code="import_unfinished")
        if known is None or (known.done and not exists):
            self._begin(tenant, known, fresh)
            known = fresh
        return _Restore(self._store, self._blobs, header, tenant, known)

    def _begin(self, tenant: str, known: Progress | None, fresh: Progress) -> None:
        unchanged = Absent() if known is None else Equals("file", known.file) & Equals("lines", known.lines)
        try:
            self._store.write([Put(import_key(tenant), to_attributes(fresh), unchanged)])
        except ConditionFailed as failed:
            raise _overtaken(tenant) from failed


class _Restore:
    """One import under way."""

    def __init__(self, store: Store, blobs: Blobs | None, header: Header, tenant: str, known: Progress) -> None:
        self.tenant = tenant
        self.already = known.done
        self._store = store
        self._header = header
        self._known = known
        self._values = LargeValueWriter(blobs)
        self._items = Restoring(store, self._guard)
        self._keys: dict[str, tuple[KeyRecord, int]] = {}

    def take(self, numbered: Numbered) -> None:
        match numbered.line:
            case BlobLine() as part:
                self._values.take(part, numbered.number)
            case ItemLine() as line:
                self._take_item(line, numbered.number)
            case KeyLine() as line:
                self._take_key(line, numbered.number)
            case _:
                return

    def finish(self) -> None:
        """Makes the tenant exist; call it when the whole file was found right."""
        if self.already:
            return
        self._flush()
        self._check_keys()
        for record, number in self._keys.values():
            self._write_key(record, number)
        header = self._header
        name = self.tenant if header.name == header.tenant else header.name
        created = Tenant(self.tenant, name, header.created_at, header.tier)
        try:
            self._store.write(
                [Put(tenant_key(self.tenant), to_attributes(created), Absent()), self._moved({"done": True})]
            )
        except ConditionFailed as failed:
            raise _overtaken(self.tenant) from failed

    def _take_item(self, line: ItemLine, number: int) -> None:
        if self._keys:
            raise wrong_line(number, "an item stands after the keys")
        try:
            put = put_of(line, self.tenant)
        except (ValueError, InvalidInput, RecursionError) as wrong:
            raise wrong_line(number, f"it is no item: {wrong}") from wrong
        if put.key.partition == projects_of(self.tenant):
            check_project(put, number)
        is_new = not self.already and number > self._known.lines
        self._values.release(Item(put.key, put.attributes), number, write=is_new)
        if is_new:
            try:
                self._items.add(put, number)
            except ConditionFailed as failed:
                raise _overtaken(self.tenant) from failed

    def _take_key(self, line: KeyLine, number: int) -> None:
        record = restored_key(line, self._header.tenant, self.tenant, number)
        if record.id in self._keys or len(self._keys) == MAX_KEYS:
            raise wrong_line(number, f"a key stands there twice, or there are over {MAX_KEYS}")
        self._keys[record.id] = (record, number)

    def _check_keys(self) -> None:
        """Before the first of them is written."""
        for record, number in self._keys.values():
            item = self._store.get(key_key(record.id))
            if item is not None and not self._has_written(record, item):
                raise _key_in_use(record.id, number)

    def _write_key(self, record: KeyRecord, number: int) -> None:
        try:
            self._store.write([Put(key_key(record.id), to_attributes(record), Absent(), indexes=key_indexes(record))])
        except ConditionFailed as failed:
            if failed.item is None or not self._has_written(record, failed.item):
                raise _key_in_use(record.id, number) from failed

    def _has_written(self, record: KeyRecord, item: Item) -> bool:
        """Whether an import that was stopped has; what was changed since, such as a revocation, stays."""
        there = from_attributes(item.attributes, KeyRecord)
        return (there.digest, there.grant.tenant) == (record.digest, self.tenant)

    def _flush(self) -> None:
        try:
            self._items.flush()
        except ConditionFailed as failed:
            raise _overtaken(self.tenant) from failed

    def _guard(self, lines: int) -> Sequence[Change]:
        return Check(tenant_key(self.tenant), Absent()), self._moved({"lines": lines})

    def _moved(self, to: dict[str, int | bool]) -> Update:
        same = Equals("file", self._known.file) & Equals("done", False)
        return Update(import_key(self.tenant), set=to, condition=same)


def _key_in_use(key_id: str, number: int) -> Conflict:
    return Conflict(
        f"Line {number}: the key {key_id} is already in use here.",
        "Import the same file with --without-keys, which goes on from here, and issue new ones.",
        code="key_exists",
    )


def _overtaken(tenant: str) -> Conflict:
    return Conflict(
        f"The tenant {tenant} was created, or imported by somebody else, meanwhile.",
        "`almanac tenants list` shows what there is; import under another name with --into.",
        code="tenant_exists",
    )
