"""Tenants and their projects in the store."""

from collections.abc import Callable, Iterator
from typing import Any

from almanac.identity.audit import Clerk
from almanac.identity.records import (
    LIVES,
    STANDARD,
    TENANTS,
    Project,
    Tenant,
    check_acceptable,
    check_installers,
    check_label,
    check_limit,
    check_name,
    check_tier,
    check_week_start,
    check_zone,
    from_attributes,
    project_key,
    projects_of,
    tenant_key,
    to_attributes,
)
from almanac.identity.storage_limit import request_count, total_key
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Conflict, NotFound
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Partition, sort_key
from almanac.platform.store.port import Change, Check, ConditionFailed, Item, Put, Span, Store, Update
from almanac.platform.store.queries import every_item

DEFAULT_PROJECT = "default"
_PAGE = 100


class Tenants:
    """Tenants and their projects in the store. With a `clerk`, each change is recorded in the audit trail."""

    def __init__(self, store: Store, clock: Clock, clerk: Clerk | None = None) -> None:
        self._store = store
        self._clock = clock
        self._clerk = clerk

    def create(
        self,
        tenant: str,
        name: str = "",
        project: str = DEFAULT_PROJECT,
        tier: str = STANDARD,
        default_timezone: str | None = None,
        week_start: str | None = None,
    ) -> Tenant:
        """Create a tenant with its first project. Raises InvalidInput for a bad name or tier, Conflict if it exists."""
        check_name(tenant, "tenant")
        check_name(project, "project")
        check_settings(name=name, default_timezone=default_timezone, week_start=week_start, tier=tier)
        created = Tenant(tenant, name or tenant, now_ms(self._clock), tier, default_timezone, week_start)
        put_tenant = Put(tenant_key(tenant), to_attributes(created), Absent())
        audit_entries = self._audit_entries(tenant, "tenants create", project)
        try:
            self._store.write(
                [put_tenant, self._put_project(Project(project, now_ms(self._clock)), tenant), *audit_entries]
            )
        except ConditionFailed as failed:
            raise Conflict(
                f"The tenant {tenant} already exists.", "Choose another name, or add a project to it."
            ) from failed
        return created

    def edit(self, tenant: str, **settings: Any) -> Tenant:
        """Change these settings of a tenant and no others.

        The change applies at once; on AWS within 30 seconds. Raises InvalidInput for settings out of bounds, NotFound
        for an unknown tenant.
        """
        check_settings(**settings)
        changed: list[Change] = [Update(tenant_key(tenant), set=settings, condition=LIVES)]
        if settings.keys() & {"max_bytes", "max_documents"} and self._store.get(total_key(tenant)):
            changed.append(request_count(tenant))
        try:
            self._store.write([*changed, *self._audit_entries(tenant, "tenants edit")])
        except ConditionFailed as failed:
            raise _unknown(tenant) from failed
        return self.find(tenant)

    def find(self, tenant: str) -> Tenant:
        """Return a tenant. Raises NotFound."""
        item = self._store.get(tenant_key(tenant)) if tenant else None
        if item is None:
            raise _unknown(tenant)
        return from_attributes(item.attributes, Tenant)

    def create_project(
        self,
        tenant: str,
        project: str,
        name: str = "",
        default_timezone: str | None = None,
        week_start: str | None = None,
    ) -> Project:
        """Create a project.

        Raises InvalidInput for a bad name, NotFound for an unknown tenant, Conflict if it exists.
        """
        check_name(project, "project")
        check_settings(name=name, default_timezone=default_timezone, week_start=week_start)
        created = Project(project, now_ms(self._clock), name, default_timezone, week_start)
        audit_entries = self._audit_entries(tenant, "projects create", project)
        try:
            self._store.write([Check(tenant_key(tenant), LIVES), self._put_project(created, tenant), *audit_entries])
        except ConditionFailed as failed:
            if failed.change == 0:
                raise _unknown(tenant) from failed
            raise Conflict(f"The tenant {tenant} already has a project {project}.", "Choose another name.") from failed
        return created

    def edit_project(self, tenant: str, project: str, **settings: Any) -> Project:
        """Change these settings of a project and no others. Raises InvalidInput and NotFound, as `edit` does."""
        check_settings(**settings)
        changed = Update(project_key(tenant, project), set=settings, condition=LIVES)
        try:
            self._store.write([changed, *self._audit_entries(tenant, "projects edit", project)])
        except ConditionFailed as failed:
            raise _no_project(tenant, project) from failed
        return self.find_project(tenant, project)

    def find_project(self, tenant: str, project: str) -> Project:
        """Return a project. Raises NotFound."""
        item = self._store.get(project_key(tenant, project)) if tenant and project else None
        if item is None:
            raise _no_project(tenant, project)
        return from_attributes(item.attributes, Project)

    def all(self) -> Iterator[Tenant]:
        """Yield all tenants by id, including those that are being deleted."""
        return (from_attributes(item.attributes, Tenant) for item in self._items(TENANTS))

    def page(self, since: str, limit: int) -> tuple[list[Tenant], str]:
        """Return up to `limit` tenants by id from `since` on, and the id of the next one; empty if none follows.

        Tenants that are being deleted are left out.
        """
        items = self._store.query(TENANTS, span=Span(sort_key(since) if since else None), limit=limit + 1).items
        found = [from_attributes(item.attributes, Tenant) for item in items]
        living = [tenant for tenant in found[:limit] if tenant.deleting_at is None]
        return living, found[limit].id if len(found) > limit else ""

    def exists(self, tenant: str) -> bool:
        return self._store.get(tenant_key(tenant)) is not None

    def projects(self, tenant: str) -> Iterator[Project]:
        """Yield the tenant's projects by id. Yields none for an unknown tenant."""
        return (from_attributes(item.attributes, Project) for item in self._items(projects_of(tenant)))

    def scopes(self, tenant: str) -> list[Scope]:
        """Return all scopes of a tenant, for jobs and indexes: its projects, then the shared one.

        An unknown tenant has none.
        """
        projects = [Scope(tenant, project.id) for project in self.projects(tenant)]
        return [*projects, projects[0].shared] if projects else []

    def _put_project(self, project: Project, tenant: str) -> Put:
        return Put(project_key(tenant, project.id), to_attributes(project), Absent())

    def _audit_entries(self, tenant: str, command: str, project: str = "") -> list[Change]:
        return [self._clerk.entry(tenant, command, project=project)] if self._clerk is not None else []

    def _items(self, partition: Partition) -> Iterator[Item]:
        return every_item(self._store, partition, page=_PAGE)


def _unknown(tenant: str) -> NotFound:
    return NotFound(f"There is no tenant {tenant[:64]}.", "`almanac tenants list` shows them.")


def _no_project(tenant: str, project: str) -> NotFound:
    hint = "`almanac projects list` shows a tenant's projects."
    return NotFound(f"The tenant {tenant[:64]} has no project {project[:64]}.", hint)


def check_settings(**settings: Any) -> None:
    """Raise InvalidInput for settings of a tenant or project out of bounds. None is always valid."""
    for name, value in settings.items():
        if value is not None:
            _CHECKS[name](value)


_CHECKS: dict[str, Callable[[Any], object]] = {
    "name": lambda value: check_label(value, "name"),
    "default_timezone": check_zone,
    "week_start": check_week_start,
    "tier": check_tier,
    "per_minute": lambda value: check_limit("per_minute", value),
    "per_day": lambda value: check_limit("per_day", value),
    "max_bytes": lambda value: check_limit("max_bytes", value),
    "max_documents": lambda value: check_limit("max_documents", value),
    "calls_at_once": lambda value: check_limit("calls_at_once", value),
    "shared_memory": bool,
    "trusted_installers": check_installers,
    "auto_accept": check_acceptable,
}
