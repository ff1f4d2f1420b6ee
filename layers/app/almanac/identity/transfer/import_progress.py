"""The progress of a tenant's import, kept outside of the tenant, which does not exist yet.

S#imports#<tenant>   import   Progress
"""

import msgspec

from almanac.platform.store.keys import Key, Partition, sort_key


class Progress(msgspec.Struct, frozen=True):
    """`file` tells one export from another; `lines` of it are in the store."""

    file: str
    lines: int = 0
    done: bool = False


def import_key(tenant: str) -> Key:
    return Key(Partition.system("imports", tenant), sort_key("import"))
