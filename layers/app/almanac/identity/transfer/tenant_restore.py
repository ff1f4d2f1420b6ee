"""The writing part of an import. Writes each item and key of a file once, even if an import was interrupted before."""

from collections.abc import Sequence

from almanac.identity.audit import Clerk
from almanac.identity.records import (
    KeyRecord,
    Project,
    Tenant,
    from_attributes,
    key_indexes,
    key_key,
    projects_of,
    tenant_key,
    to_attributes,
)
from almanac.identity.transfer.import_progress import Progress, import_key
from almanac.identity.transfer.imported_records import (
    ItemCheck,
    check_project,
    read_item,
    restored_key,
)
from almanac.identity.transfer.tenant_export import MAX_KEYS
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Conflict
from almanac.platform.blobs.port import Blobs
from almanac.platform.due.records import SURVEY, due_put, new_due
from almanac.platform.portability.file import NumberedLine
from almanac.platform.portability.large_values import LargeValueWriter
from almanac.platform.portability.lines import BlobLine, Header, ItemLine, KeyLine, wrong_line
from almanac.platform.portability.restore_writer import RestoreWriter
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change, Check, ConditionFailed, Item, Put, Store, Update
from almanac.platform.store.queries import every_item


class Restore:
    """Restores one tenant, line by line."""

    def __init__(
        self,
        store: Store,
        blobs: Blobs | None,
        header: Header,
        tenant: str,
        known: Progress,
        check: ItemCheck,
        clerk: Clerk | None,
    ) -> None:
        self._check = check
        self._clerk = clerk
        self.tenant = tenant
        self.already = known.done
        self._store = store
        self._header = header
        self._known = known
        self._values = LargeValueWriter(blobs)
        self._items = RestoreWriter(store, self._guard)
        self._keys: dict[str, tuple[KeyRecord, int]] = {}

    def take(self, numbered: NumberedLine) -> None:
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
        """Create the tenant. Call this when the whole file has been taken."""
        if self.already:
            return
        self._flush()
        self._check_keys()
        for record, number in self._keys.values():
            self._write_key(record, number)
        header = self._header
        name = self.tenant if header.name == header.tenant else header.name
        created = Tenant(self.tenant, name, header.created_at, header.tier, **header.settings())
        audit_entries = [self._clerk.entry(self.tenant, "import", subject=header.tenant)] if self._clerk else []
        made = Put(tenant_key(self.tenant), to_attributes(created), Absent())
        try:
            self._store.write([made, self._progress_update({"done": True}), *audit_entries])
        except ConditionFailed as failed:
            raise import_conflict(self.tenant) from failed
        self._survey()

    def _survey(self) -> None:
        """Have all jobs look through the imported projects, because the file has no due items."""
        projects = [
            from_attributes(each.attributes, Project) for each in every_item(self._store, projects_of(self.tenant))
        ]
        scopes = [Scope(self.tenant, project.id) for project in projects]
        for scope in [*scopes, *(each.shared for each in scopes[:1])]:
            self._store.write([due_put(self._store, new_due(scope, SURVEY, 0, 0, bytes))])

    def _take_item(self, line: ItemLine, number: int) -> None:
        if self._keys:
            raise wrong_line(number, "an item comes after the keys")
        put = self._check.restored_put(read_item(line, self.tenant, number))
        if put.key.partition == projects_of(self.tenant):
            check_project(put, number)
        is_new = not self.already and number > self._known.lines
        self._values.release(Item(put.key, put.attributes), number, write=is_new)
        if is_new:
            try:
                self._items.add(put, number)
            except ConditionFailed as failed:
                raise import_conflict(self.tenant) from failed

    def _take_key(self, line: KeyLine, number: int) -> None:
        record = restored_key(line, self._header.tenant, self.tenant, number)
        if record.id in self._keys or len(self._keys) == MAX_KEYS:
            raise wrong_line(number, f"a key appears twice, or there are over {MAX_KEYS}")
        self._keys[record.id] = (record, number)

    def _check_keys(self) -> None:
        """Raise Conflict if a key is in use. All keys are checked before the first is written."""
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
        """Return whether an interrupted import wrote the key. Later changes, such as a revocation, are kept."""
        stored = from_attributes(item.attributes, KeyRecord)
        return (stored.digest, stored.grant.tenant) == (record.digest, self.tenant)

    def _flush(self) -> None:
        try:
            self._items.flush()
        except ConditionFailed as failed:
            raise import_conflict(self.tenant) from failed

    def _guard(self, lines: int) -> Sequence[Change]:
        return Check(tenant_key(self.tenant), Absent()), self._progress_update({"lines": lines})

    def _progress_update(self, to: dict[str, int | bool]) -> Update:
        same = Equals("file", self._known.file) & Equals("done", False)
        return Update(import_key(self.tenant), set=to, condition=same)


def _key_in_use(key_id: str, number: int) -> Conflict:
    return Conflict(
        f"Line {number}: the key {key_id} is already in use here.",
        "Import the same file with --without-keys, which goes on from here, and issue new ones.",
        code="key_exists",
    )


def import_conflict(tenant: str) -> Conflict:
    return Conflict(
        f"The tenant {tenant} was created, or imported by somebody else, meanwhile.",
        "`almanac tenants list` shows what there is; import under another name with --into.",
        code="tenant_exists",
    )
