"""Headings: what something is listed under, and where its place in such a list is stored.

    P#<tenant>#<project>#planner_index#<shelf>#word#<initial>   <word>#<position>     revision
    P#<tenant>#<project>#planner_index#<shelf>#<kind>           <value>#<position>    revision

A position sorts the lists of a shelf, the newest first, and ends in the id of what stands there, mirrored.
"""

from hashlib import sha256
from typing import Literal

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.platform.store.keys import Key, Partition, sort_key

Shelf = Literal["notes", "journal"]
Kind = Literal["all", "word", "tag", "mood", "parent", "link"]

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_MIRROR = str.maketrans(_DIGITS, _DIGITS[::-1])
_ID_LENGTH = 26
_VALUE_BYTES = 200


class Heading(Struct, frozen=True):
    kind: Kind
    value: str


ALL = Heading("all", "all")


def heading(kind: Kind, value: str) -> Heading:
    """The heading of a value of any length."""
    return Heading(kind, value if len(value.encode()) <= _VALUE_BYTES else sha256(value.encode()).hexdigest())


class Postings(Struct, frozen=True):
    """Where something stands, and all that it is listed under. `ALL` is always among its headings."""

    position: str
    headings: frozenset[Heading]


def list_partition(scope: Scope, shelf: Shelf, under: Heading) -> Partition:
    initial = (under.value[0],) if under.kind == "word" else ()
    return Partition.in_project(scope, "planner_index", shelf, under.kind, *initial)


def list_key(scope: Scope, shelf: Shelf, under: Heading, position: str) -> Key:
    return Key(list_partition(scope, shelf, under), sort_key(under.value, position))


def position_of(item_id: str, day: str | None = None) -> str:
    """The place of an item, by its id, a prefix and a ULID in lower case; under a day (YYYY-MM-DD) by that first."""
    mirrored = item_id[-_ID_LENGTH:].translate(_MIRROR)
    return mirrored if day is None else day_position(day) + mirrored


def day_position(day: str) -> str:
    """Where the entries of a day begin: those of later days stand before it."""
    return f"{99_999_999 - int(day.replace('-', '')):08d}"


def id_at(position: str, prefix: str) -> str:
    """The id of what stands at a position."""
    return prefix + position[-_ID_LENGTH:].translate(_MIRROR)


def is_id_of(prefix: str, text: str) -> bool:
    """Whether a text can be such an id at all."""
    return text.startswith(prefix) and len(text) == len(prefix) + _ID_LENGTH and text.isascii()
