"""Permanent deletion of tenants and projects.

First the tenant or project is marked; from then on no key works there and nothing new is created. Then the deletion
removes the keys, the grants of clients, all items with their large values, other objects in its folders of the bucket,
and last the record itself. Each step may be repeated, so running an interrupted deletion again finishes it.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Protocol

from almanac.identity.audit import Clerk
from almanac.identity.browser_sessions import sessions_of
from almanac.identity.oauth.records import attempts_of, client_grants_of, codes_of, used_refreshes_of
from almanac.identity.records import LIVES, keys_of, project_key, tenant_key
from almanac.identity.transfer.import_progress import import_key
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput, NotFound, Unavailable
from almanac.kernel.instants import now_ms
from almanac.platform.blobs.large_values import MARK
from almanac.platform.blobs.port import BlobName, Blobs, folder_of
from almanac.platform.bus.messages import decode_message
from almanac.platform.bus.records import DEAD_LETTERS
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import ConditionFailed, Delete, Item, Store, Update
from almanac.platform.store.queries import every_item
from almanac.platform.store.records import readable
from almanac.platform.store.tenant_scan import TenantScan, registry_of

_SCANS = 20
_AT_ONCE = 100


class Deletion(Protocol):
    def run(self, progress: Callable[[int], object], pause: Callable[[], object]) -> int:
        """Delete, or continue an interrupted deletion. Return the number of deleted items.

        Calls `progress` with the number so far. Calls `pause` after deleting the keys, to wait until no process has
        them cached. Raises NotFound.
        """
        ...


class _Remover:
    """Steps that the deletion of a tenant and that of a project share."""

    def __init__(self, store: Store, scan: TenantScan, blobs: Blobs | None, clock: Clock) -> None:
        self.store = store
        self._scan = scan
        self._blobs = blobs
        self._clock = clock

    def mark(self, key: Key) -> bool:
        """Mark a tenant or project as being deleted. False if it does not exist."""
        try:
            self.store.write([Update(key, set={"deleting_at": now_ms(self._clock)}, condition=LIVES)])
        except ConditionFailed as failed:
            return failed.item is not None
        return True

    def keys(self, tenant: str, is_chosen: Callable[[Item], bool]) -> None:
        for item in list(self.every(keys_of(tenant), indexed=True)):
            # An index of DynamoDB may still show deleted items, or items as they were before a change.
            if is_chosen(item) and item.key.partition.text.startswith("S#keys#"):
                key_id = item.key.partition.text.removeprefix("S#keys#")
                self.remove(self.every(Partition.system("key_uses", key_id)), lambda _: None)
                self.remove(self.every(sessions_of(key_id)), lambda _: None)
                self.store.write([Delete(item.key)])

    def sign_ins(self, tenant: str, project: str | None = None) -> None:
        """Delete the grants of clients. Without a `project`, also delete the tenant's codes and traces of sign-ins."""
        for item in list(self.every(client_grants_of(tenant), indexed=True)):
            if project in (None, item.attributes.get("project")):
                used = used_refreshes_of(item.key.partition.text.rpartition("#")[2])
                self.remove(self.every(used), lambda _: None)
                self.store.write([Delete(item.key)])
        if project is None:
            for partition in (codes_of(tenant), attempts_of(tenant)):
                self.remove(self.every(partition, indexed=True), lambda _: None)

    def items(self, tenant: str, is_chosen: Callable[[Item], bool], progress: Callable[[int], object]) -> int:
        """Delete items until a scan of the tenant finds none, because unfinished calls may still write. Return how
        many.
        """
        deleted = 0
        for _ in range(_SCANS):
            before = deleted
            chosen_items = (item for item in self._scan.items(tenant, expired=True) if is_chosen(item))
            deleted += self.remove(chosen_items, lambda count, so_far=before: progress(so_far + count))
            if deleted == before:
                return deleted
        raise Unavailable("Another process is still writing there.", "Stop the servers of this store, then repeat.")

    def blobs_below(self, *partitions: str) -> None:
        """Remove the large values of all partitions whose texts begin with one of these, even if no item names them."""
        if self._blobs is not None:
            for partition in partitions:
                self._blobs.remove_below(folder_of(partition))

    def registry(self, tenant: str, is_chosen: Callable[[str], bool]) -> None:
        """Delete the entries of these partitions from the registry. Must come last, since scans find items by them."""
        rows = self.every(registry_of(tenant))
        self.remove((row for row in rows if is_chosen(str(row.attributes["partition"]))), lambda _: None)

    def remove(self, items: Iterator[Item], progress: Callable[[int], object]) -> int:
        deleted = 0
        while some := list(islice(items, _AT_ONCE)):
            for item in some:
                self._remove_values(item)
            self.store.write([Delete(item.key) for item in some])
            deleted += len(some)
            progress(deleted)
        return deleted

    def every(self, partition: Partition, *, indexed: bool = False) -> Iterator[Item]:
        return every_item(self.store, partition, index="gsi1" if indexed else None, page=_AT_ONCE)

    def _remove_values(self, item: Item) -> None:
        # Values go before the item that names them. If the deletion stops in between, the item still leads to them.
        for value in item.attributes.values():
            if isinstance(value, dict) and isinstance(value.get(MARK), str):
                if self._blobs is None:
                    raise InvalidInput("The tenant has large values.", "Give their bucket: --bucket.", path="bucket")
                self._blobs.delete(BlobName(item.key, str(value[MARK])))


class TenantDeletion:
    def __init__(
        self, store: Store, scan: TenantScan, blobs: Blobs | None, clock: Clock, clerk: Clerk, tenant: str
    ) -> None:
        self._remover = _Remover(store, scan, blobs, clock)
        self._clerk = clerk
        self._tenant = tenant

    def run(self, progress: Callable[[int], object], pause: Callable[[], object]) -> int:
        tenant, remover = self._tenant, self._remover
        if not remover.mark(tenant_key(tenant)):
            raise NotFound(f"There is no tenant {tenant[:64]}.", "`almanac tenants list` shows them.")
        remover.keys(tenant, lambda _: True)
        pause()
        remover.keys(tenant, lambda _: True)
        remover.sign_ins(tenant)
        deleted = remover.items(tenant, lambda _: True, progress)
        for name in ("tenant_uses", "call_leases", "storage"):
            remover.remove(remover.every(Partition.system(name, tenant)), lambda _: None)
        remover.blobs_below(f"P#{tenant}", f"T#{tenant}")
        remover.registry(tenant, lambda _: True)
        audit_entry = self._clerk.outside(tenant, "tenants delete")
        remover.store.write([Delete(tenant_key(tenant)), Delete(import_key(tenant)), audit_entry])
        return deleted


class ProjectDeletion:
    def __init__(
        self,
        store: Store,
        scan: TenantScan,
        blobs: Blobs | None,
        clock: Clock,
        clerk: Clerk,
        tenant: str,
        project: str,
    ) -> None:
        self._remover = _Remover(store, scan, blobs, clock)
        self._clerk = clerk
        self._tenant = tenant
        self._project = project

    def run(self, progress: Callable[[int], object], pause: Callable[[], object]) -> int:
        tenant, project, remover = self._tenant, self._project, self._remover
        if not remover.mark(project_key(tenant, project)):
            hint = "`almanac projects list` shows a tenant's projects."
            raise NotFound(f"The tenant {tenant[:64]} has no project {project[:64]}.", hint)
        remover.keys(tenant, self._works_here_alone)
        pause()
        remover.keys(tenant, self._works_here_alone)
        remover.sign_ins(tenant, project)
        deleted = remover.items(tenant, self._is_of_project, progress)
        remover.blobs_below(f"P#{tenant}#{project}")
        remover.registry(tenant, self._is_below)
        audit_entry = self._clerk.entry(tenant, "projects delete", project=project, subject=project)
        remover.store.write([Delete(project_key(tenant, project)), audit_entry])
        return deleted

    def _works_here_alone(self, item: Item) -> bool:
        grant = item.attributes.get("grant")
        return isinstance(grant, dict) and grant.get("project") == self._project

    def _is_of_project(self, item: Item) -> bool:
        return self._is_below(item.key.partition.text) or self._is_dead_letter(item)

    def _is_below(self, text: str) -> bool:
        own = Partition.in_project(Scope(self._tenant, self._project)).text
        return text == own or text.startswith(f"{own}#")

    def _is_dead_letter(self, item: Item) -> bool:
        """Return whether the item is a dead letter of the project. The tenant's partition holds those."""
        if item.key.partition != DEAD_LETTERS.partition(Scope(self._tenant, ""), DEAD_LETTERS.own, ()):
            return False
        message = readable(item, lambda one: decode_message(DEAD_LETTERS.read(one).message))
        return message is not None and message.event.project == self._project
