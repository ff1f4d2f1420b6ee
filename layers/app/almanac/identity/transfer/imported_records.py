"""Checks of the tenant, projects and keys in an export file. They grant access, so they pass the same checks as new
ones.
"""

import re
from typing import Protocol

import msgspec

from almanac.identity.keys import check_grant
from almanac.identity.records import KeyRecord, Project, check_name, from_attributes
from almanac.identity.tenants import check_settings
from almanac.kernel.errors import InvalidInput
from almanac.platform.portability.lines import (
    BlobLine,
    Header,
    ItemLine,
    KeyLine,
    attributes_from_json,
    put_of,
    wrong_line,
)
from almanac.platform.store.keys import sort_key
from almanac.platform.store.port import Put

_KEY_ID = re.compile("[A-Za-z0-9]{4,32}")
_DIGEST_BYTES = 32
_BEFORE_ALL = -1
LAST_INSTANT = 253_402_300_799_999
"""The last millisecond of the year 9999."""


class ItemCheck(Protocol):
    """Checks the items of one file, in their order, against the declared types of stored records."""

    def value(self, part: BlobLine) -> None:
        """Take the next part of a large value of the following item."""
        ...

    def item(self, line: ItemLine, number: int) -> None:
        """Raise InvalidInput, naming line `number`, for an item that this installation would never write."""
        ...

    def restored_put(self, put: Put) -> Put:
        """Return the item to write, with the tenant's new name."""
        ...


def check_header(header: Header, number: int) -> None:
    """Raise InvalidInput, naming the line, for a tenant that could not be created here."""
    try:
        check_name(header.tenant, "tenant")
        check_settings(tier=header.tier, **header.settings())
        check_instants(header.created_at, header.exported_at)
    except InvalidInput as wrong:
        raise wrong_line(number, f"it is not a tenant that can be made here. {wrong.message.rstrip('.')}") from wrong


def read_item(line: ItemLine, tenant: str, number: int) -> Put:
    """Return the item as a change in `tenant`. Raises InvalidInput, naming the line, for an invalid item."""
    try:
        return put_of(line, tenant)
    except (ValueError, InvalidInput, RecursionError) as wrong:
        raise wrong_line(number, f"it is not an item: {wrong}") from wrong


def check_instants(*instants: int | None) -> None:
    """Raise InvalidInput if an instant is outside of the supported calendar."""
    if any(instant is not None and not 0 <= instant <= LAST_INSTANT for instant in instants):
        raise InvalidInput("An instant is outside of the supported calendar.")


def check_project(put: Put, number: int) -> None:
    """Raise InvalidInput, naming line `number`, unless `put` is a project under its own key."""
    try:
        project = from_attributes(put.attributes, Project)
        check_name(project.id, "project")
        check_settings(
            default_timezone=project.default_timezone,
            week_start=project.week_start,
            trusted_installers=project.trusted_installers,
            auto_accept=project.auto_accept,
        )
        check_instants(project.created_at)
    except (msgspec.ValidationError, InvalidInput) as wrong:
        raise wrong_line(number, "it is not a project") from wrong
    if put.key.sort != sort_key(project.id):
        raise wrong_line(number, "the project is stored under another name")


def restored_key(line: KeyLine, exported: str, tenant: str, number: int) -> KeyRecord:
    """Return the key as one of `tenant`, whose name in the file is `exported`. Raises InvalidInput, naming the line."""
    try:
        record = from_attributes(attributes_from_json(line.attributes), KeyRecord)
        check_grant(record.grant, _BEFORE_ALL)
        check_instants(record.created_at, record.revoked_at, record.grant.expires_at)
    except (ValueError, InvalidInput, RecursionError) as wrong:
        raise wrong_line(number, "it is not an API key") from wrong
    if len(record.digest) != _DIGEST_BYTES or not _KEY_ID.fullmatch(record.id):
        raise wrong_line(number, "it is not an API key")
    if record.grant.tenant != exported:
        raise wrong_line(number, "the key belongs to another tenant")
    return msgspec.structs.replace(record, grant=msgspec.structs.replace(record.grant, tenant=tenant))
