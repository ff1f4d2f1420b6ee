"""Records of identity in a tenant's file: they decide who may do what, so they are checked as when they are made."""

import re
from typing import Protocol

import msgspec

from almanac.identity.keys import check_grant
from almanac.identity.records import KeyRecord, Project, checked_name, from_attributes
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
    """Judges the items of one file, in their order, by the types that are declared for what is stored."""

    def value(self, part: BlobLine) -> None:
        """The next part of a large value of the item that follows."""
        ...

    def item(self, line: ItemLine, number: int) -> None:
        """Raises InvalidInput, naming line `number`, for an item that nobody here writes."""
        ...

    def restored(self, put: Put) -> Put:
        """The item to write, under the tenant's name here."""
        ...


def check_header(header: Header, number: int) -> None:
    """Raises InvalidInput, naming the line, for a tenant that could not be made here."""
    try:
        checked_name(header.tenant, "tenant")
        check_settings(tier=header.tier, **header.settings())
        check_instants(header.created_at, header.exported_at)
    except InvalidInput as wrong:
        raise wrong_line(number, f"it is not a tenant that can be made here. {wrong.message.rstrip('.')}") from wrong


def read_item(line: ItemLine, tenant: str, number: int) -> Put:
    """The item as a change in `tenant`. Raises InvalidInput, naming the line, for what no export writes."""
    try:
        return put_of(line, tenant)
    except (ValueError, InvalidInput, RecursionError) as wrong:
        raise wrong_line(number, f"it is not an item: {wrong}") from wrong


def check_instants(*instants: int | None) -> None:
    """Raises InvalidInput for one outside of the supported calendar."""
    if any(instant is not None and not 0 <= instant <= LAST_INSTANT for instant in instants):
        raise InvalidInput("An instant is outside of the supported calendar.")


def check_project(put: Put, number: int) -> None:
    """Raises InvalidInput, naming line `number`, unless `put` is a project under its own key."""
    try:
        project = from_attributes(put.attributes, Project)
        checked_name(project.id, "project")
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
    """The key as one of `tenant`, which was called `exported`. Raises InvalidInput, naming line `number`."""
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
