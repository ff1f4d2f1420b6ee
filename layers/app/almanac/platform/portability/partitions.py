"""Partitions without their tenant, so that a tenant can be restored under another name.

`["P", "web", "claims"]` is the collection claims of the project web; `["T", "audit"]` belongs to the tenant itself.
"""

import re
from collections.abc import Sequence

from almanac.kernel.caller import Scope
from almanac.platform.store.keys import Partition

_PROJECT = "P"
_TENANT = "T"
_ESCAPED = re.compile("%([0-9A-F]{2})")


def without_tenant(partition: Partition, tenant: str) -> tuple[str, ...]:
    """Raises ValueError for a partition of somebody else, or of no tenant at all."""
    level, *names = (_ESCAPED.sub(lambda found: chr(int(found[1], 16)), part) for part in partition.text.split("#"))
    if level not in (_PROJECT, _TENANT) or names[:1] != [tenant]:
        raise ValueError(f"{partition!r} is not of the tenant {tenant}")
    return (level, *names[1:])


def within_tenant(names: Sequence[str], tenant: str) -> Partition:
    """The partition of `without_tenant` in `tenant`. Raises ValueError for other forms, InvalidInput for bad names."""
    match names:
        case [level, project, *collection] if level == _PROJECT:
            return Partition.in_project(Scope(tenant, project), *collection)
        case [level, *collection] if level == _TENANT:
            return Partition.in_tenant(Scope(tenant, ""), *collection)
        case _:
            raise ValueError("a partition begins with P and a project, or with T")
