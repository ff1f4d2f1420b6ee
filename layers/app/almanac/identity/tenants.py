"""Tenants and their projects in the store."""

from collections.abc import Iterator

from almanac.identity.records import (
    STANDARD,
    TENANTS,
    Project,
    Tenant,
    checked_name,
    checked_tier,
    from_attributes,
    project_key,
    projects_of,
    tenant_key,
    to_attributes,
)
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Conflict, NotFound
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent, Present
from almanac.platform.store.keys import Partition, sort_key
from almanac.platform.store.port import Check, ConditionFailed, Item, Put, Span, Store, Update

DEFAULT_PROJECT = "default"
_PAGE = 100


class Tenants:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def create(self, tenant: str, name: str = "", project: str = DEFAULT_PROJECT, tier: str = STANDARD) -> Tenant:
        """A tenant with its first project. Raises InvalidInput for a bad name or tier, Conflict where it exists."""
        checked_name(tenant, "tenant")
        checked_name(project, "project")
        created = Tenant(tenant, name or tenant, now_ms(self._clock), checked_tier(tier))
        put_tenant = Put(tenant_key(tenant), to_attributes(created), Absent())
        try:
            self._store.write([put_tenant, self._put_project(tenant, project)])
        except ConditionFailed as failed:
            raise Conflict(f"The tenant {tenant} exists.", "Choose another name, or add a project to it.") from failed
        return created

    def move_to_tier(self, tenant: str, tier: str) -> None:
        """Holds for requests within 30 seconds. Raises InvalidInput for a bad tier, NotFound for an unknown tenant."""
        changed = Update(tenant_key(tenant), set={"tier": checked_tier(tier)})
        try:
            self._store.write([changed])
        except ConditionFailed as failed:
            raise _unknown(tenant) from failed

    def create_project(self, tenant: str, project: str) -> Project:
        """Raises InvalidInput for a bad name, NotFound for an unknown tenant, Conflict where the project exists."""
        checked_name(project, "project")
        put = self._put_project(tenant, project)
        try:
            self._store.write([Check(tenant_key(tenant), Present()), put])
        except ConditionFailed as failed:
            if failed.change == 0:
                raise _unknown(tenant) from failed
            raise Conflict(f"The tenant {tenant} has a project {project}.", "Choose another name.") from failed
        return from_attributes(put.attributes, Project)

    def all(self) -> Iterator[Tenant]:
        """By id."""
        return (from_attributes(item.attributes, Tenant) for item in self._items(TENANTS))

    def page(self, since: str, limit: int) -> tuple[list[Tenant], str]:
        """At most so many tenants by id, `since` the first, and the id of the next one; empty where none follows."""
        items = self._store.query(TENANTS, span=Span(sort_key(since) if since else None), limit=limit + 1).items
        found = [from_attributes(item.attributes, Tenant) for item in items]
        return found[:limit], found[limit].id if len(found) > limit else ""

    def exists(self, tenant: str) -> bool:
        return self._store.get(tenant_key(tenant)) is not None

    def projects(self, tenant: str) -> Iterator[Project]:
        """By id; none for an unknown tenant."""
        return (from_attributes(item.attributes, Project) for item in self._items(projects_of(tenant)))

    def _put_project(self, tenant: str, project: str) -> Put:
        attributes = to_attributes(Project(project, now_ms(self._clock)))
        return Put(project_key(tenant, project), attributes, Absent())

    def _items(self, partition: Partition) -> Iterator[Item]:
        cursor = None
        while True:
            page = self._store.query(partition, limit=_PAGE, cursor=cursor)
            yield from page.items
            if (cursor := page.cursor) is None:
                return


def _unknown(tenant: str) -> NotFound:
    return NotFound(f"There is no tenant {tenant[:64]}.", "`almanac tenants list` shows them.")
