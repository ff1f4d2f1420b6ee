"""Tenants and their projects in the store."""

from collections.abc import Iterator

from almanac.identity.instants import now
from almanac.identity.records import (
    TENANTS,
    Project,
    Tenant,
    checked_name,
    from_attributes,
    project_key,
    projects_of,
    tenant_key,
    to_attributes,
)
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Conflict, NotFound
from almanac.platform.store.conditions import Absent, Present
from almanac.platform.store.keys import Partition
from almanac.platform.store.port import Check, ConditionFailed, Item, Put, Store

DEFAULT_PROJECT = "default"
_PAGE = 100


class Tenants:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def create(self, tenant: str, name: str = "", project: str = DEFAULT_PROJECT) -> Tenant:
        """A tenant with its first project. Raises InvalidInput for a bad name, Conflict where the tenant exists."""
        checked_name(tenant, "tenant")
        checked_name(project, "project")
        created = Tenant(tenant, name or tenant, now(self._clock))
        put_tenant = Put(tenant_key(tenant), to_attributes(created), Absent())
        try:
            self._store.write([put_tenant, self._put_project(tenant, project)])
        except ConditionFailed as failed:
            raise Conflict(f"The tenant {tenant} exists.", "Choose another name, or add a project to it.") from failed
        return created

    def create_project(self, tenant: str, project: str) -> Project:
        """Raises InvalidInput for a bad name, NotFound for an unknown tenant, Conflict where the project exists."""
        checked_name(project, "project")
        put = self._put_project(tenant, project)
        try:
            self._store.write([Check(tenant_key(tenant), Present()), put])
        except ConditionFailed as failed:
            if failed.change == 0:
                raise NotFound(f"There is no tenant {tenant}.", "`almanac tenants list` shows them.") from failed
            raise Conflict(f"The tenant {tenant} has a project {project}.", "Choose another name.") from failed
        return from_attributes(put.attributes, Project)

    def all(self) -> Iterator[Tenant]:
        """By id."""
        return (from_attributes(item.attributes, Tenant) for item in self._items(TENANTS))

    def exists(self, tenant: str) -> bool:
        return self._store.get(tenant_key(tenant)) is not None

    def projects(self, tenant: str) -> Iterator[Project]:
        """By id; none for an unknown tenant."""
        return (from_attributes(item.attributes, Project) for item in self._items(projects_of(tenant)))

    def _put_project(self, tenant: str, project: str) -> Put:
        attributes = to_attributes(Project(project, now(self._clock)))
        return Put(project_key(tenant, project), attributes, Absent())

    def _items(self, partition: Partition) -> Iterator[Item]:
        cursor = None
        while True:
            page = self._store.query(partition, limit=_PAGE, cursor=cursor)
            yield from page.items
            if (cursor := page.cursor) is None:
                return
