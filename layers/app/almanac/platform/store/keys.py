"""Keys of items. A key has a partition, which always names its tenant, and a sort key within the partition.

Both are texts of components joined by `#`. Components are escaped, so that no name can contain the separator. `#` sorts
below every unescaped character, so keys sort component by component, and a prefix that ends in `#` selects exactly the
children of one component.
"""

import re
from functools import lru_cache
from typing import NoReturn

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput

PARTITION_BYTES = 2048
SORT_BYTES = 1024
NUMBER_LIMIT = 10**16

_SEPARATOR = "#"
_UNSAFE = re.compile(r'[\x00-\x20!"#%\x7f]')


class Partition:
    """A group of items that one query can read. Equal partitions have equal `text`."""

    __slots__ = ("text",)
    text: str

    def __init__(self) -> None:
        raise TypeError("A partition is built from a scope: Partition.in_project(scope, ...).")

    @staticmethod
    def in_project(scope: Scope, *names: str) -> "Partition":
        """Return a collection of a project, e.g. `in_project(scope, "claims")`."""
        return _partition("P", scope.tenant, scope.project, *names)

    @staticmethod
    def in_tenant(scope: Scope, *names: str) -> "Partition":
        """Return a collection that a tenant's projects share, e.g. its audit trail. Ignores the scope's project."""
        return _partition("T", scope.tenant, *names)

    @staticmethod
    def system(*names: str) -> "Partition":
        """Return a collection outside of any tenant, such as the tables of tenants and of API keys.

        Only data that must be found before the tenant is known, or that outlives it, belongs here.
        """
        return _partition("S", *names)

    @staticmethod
    @lru_cache(maxsize=1024)
    def as_stored(text: str) -> "Partition":
        """Return the partition of an item that was just read. Only store adapters use this."""
        return _make_partition(text)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("A partition cannot be changed.")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partition) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Partition({self.text!r})"


def tenant_and_table(partition: Partition) -> tuple[str, str]:
    """Return the tenant of a partition and the first name within its project or tenant. Missing ones are empty."""
    level, *names = partition.text.split(_SEPARATOR)
    above = {"P": 2, "T": 1}.get(level)
    if above is None or len(names) < above:
        return "", ""
    # Names of tenants and tables are never escaped.
    return names[0], names[above] if len(names) > above else ""


def stored_tenant_and_table(text: str) -> tuple[str, str]:
    """Return tenant and table of a partition, given its stored text."""
    return tenant_and_table(Partition.as_stored(text))


class Key(Struct, frozen=True):
    """The key of one item. `sort` comes from `sort_key`."""

    partition: Partition
    sort: str


def sort_key(*components: str | int) -> str:
    """Return a sort key of 1 or more components, at most 1024 bytes.

    Texts sort by code point. Whole numbers (magnitude below 10^16) sort by value, negative ones first.
    Raises InvalidInput for an empty component, an unpaired surrogate or too long a key.
    """
    return _join(components, SORT_BYTES, "sort key")


def sort_prefix(*components: str | int) -> str:
    """Return the prefix of all sort keys that begin with these whole components. Empty without components."""
    return sort_key(*components) + _SEPARATOR if components else ""


def past(prefix: str) -> str | None:
    """Return the first text that sorts after all texts beginning with `prefix`. None if there is none."""
    kept = prefix.rstrip("\U0010ffff")
    if not kept:
        return None
    following = ord(kept[-1]) + 1
    # Surrogates are not characters, so U+E000 follows U+D7FF.
    return kept[:-1] + chr(0xE000 if following == 0xD800 else following)


@lru_cache(maxsize=1024)  # a list of records builds the same partition a hundred times
def _partition(*components: str) -> Partition:
    return _make_partition(_join(components, PARTITION_BYTES, "partition"))


def _make_partition(text: str) -> Partition:
    partition = object.__new__(Partition)
    object.__setattr__(partition, "text", text)
    return partition


def _join(components: tuple[str | int, ...], limit: int, what: str) -> str:
    text = _SEPARATOR.join([_component(component) for component in components])
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError:
        raise InvalidInput(f"A {what} contains half of a surrogate pair.", "Send well-formed Unicode text.") from None
    if not 0 < size <= limit:
        raise InvalidInput(f"A {what} has 1 to {limit} bytes, not {size}.", "Shorten the names it is made of.")
    return text


def _component(component: str | int) -> str:
    if isinstance(component, int):
        return _number(component)
    if not component:
        raise InvalidInput("A component of a key is empty.", "Give every name at least one character.")
    return _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", component) if _UNSAFE.search(component) else component


def _number(number: int) -> str:
    if not -NUMBER_LIMIT < number < NUMBER_LIMIT:
        raise InvalidInput(f"{number} is too large for a key.", "Numbers in keys stay below 10^16.")
    return f"{number:016d}" if number >= 0 else f"-{NUMBER_LIMIT + number:016d}"
