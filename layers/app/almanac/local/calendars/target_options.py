"""Options that choose whose calendars a command works with."""

from pathlib import Path

import click

from almanac.families.calendar.accounts.connector import Connector
from almanac.identity.tenants import DEFAULT_PROJECT, Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.errors import NotFound
from almanac.local.calendars.accounts import CLOCK, open_connector
from almanac.local.data_folder import FIRST_TENANT
from almanac.local.hints import in_use
from almanac.local.options import Command, store_options, tenant_option


def place_options(command: Command) -> Command:
    """Add the options that choose a tenant, a project and a store to a command for calendars."""
    project = click.option("--project", default=DEFAULT_PROJECT, show_default=True, callback=in_use("--project"))
    return tenant_option(project(store_options(command)))


def open_target(
    data: Path | None, table: str | None, region: str | None, tenant: str, project: str
) -> tuple[Connector, Scope]:
    scope = Scope(tenant, project)
    connector = open_connector(data, table, region, scope, CLOCK)
    tenants = Tenants(connector.calendars.store, CLOCK)
    known = tenants.exists(tenant) and any(one.id == project for one in tenants.projects(tenant))
    if not known and (tenant, project) != (FIRST_TENANT, DEFAULT_PROJECT):
        raise NotFound(f"There is no project {project} of the tenant {tenant}.", "`almanac projects list` shows them.")
    return connector, scope
