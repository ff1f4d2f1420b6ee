"""The progress of a tenant's import. It is stored outside of the tenant, which does not exist yet.

S#imports#<tenant>   import   Progress
"""

import msgspec

from almanac.platform.store.keys import Key, Partition, sort_key


class Progress(msgspec.Struct, frozen=True):
    """Progress of an import. `file` identifies the export by a digest; its first `lines` lines are in the store."""

    file: str
    lines: int = 0
    done: bool = False


def import_key(tenant: str) -> Key:
    return Key(Partition.system("imports", tenant), sort_key("import"))
