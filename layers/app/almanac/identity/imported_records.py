"""Records of identity in a tenant's file: they decide who may do what, so they are checked as when they are made."""

import re

import msgspec

from almanac.identity.keys import check_grant
from almanac.identity.records import KeyRecord, Project, checked_name, from_attributes
from almanac.kernel.errors import InvalidInput
from almanac.platform.portability.lines import KeyLine, attributes_from_json, wrong_line
from almanac.platform.store.keys import sort_key
from almanac.platform.store.port import Put

_KEY_ID = re.compile("[A-Za-z0-9]{4,32}")
_DIGEST_BYTES = 32
_BEFORE_ALL = -1


def check_project(put: Put, number: int) -> None:
    """Raises InvalidInput, naming line `number`, unless `put` is a project that stands where projects stand."""
    try:
        project = from_attributes(put.attributes, Project)
        checked_name(project.id, "project")
    except (msgspec.ValidationError, InvalidInput) as wrong:
        raise wrong_line(number, "it is no project") from wrong
    if put.key.sort != sort_key(project.id):
        raise wrong_line(number, "the project stands under another name")


def restored_key(line: KeyLine, exported: str, tenant: str, number: int) -> KeyRecord:
    """The key as one of `tenant`, which was called `exported`. Raises InvalidInput, naming line `number`."""
    try:
        record = from_attributes(attributes_from_json(line.attributes), KeyRecord)
        check_grant(record.grant, _BEFORE_ALL)
    except (ValueError, InvalidInput, RecursionError) as wrong:
        raise wrong_line(number, "it is no API key") from wrong
    if len(record.digest) != _DIGEST_BYTES or not _KEY_ID.fullmatch(record.id):
        raise wrong_line(number, "it is no API key")
    if record.grant.tenant != exported:
        raise wrong_line(number, "the key belongs to another tenant")
    return msgspec.structs.replace(record, grant=msgspec.structs.replace(record.grant, tenant=tenant))
