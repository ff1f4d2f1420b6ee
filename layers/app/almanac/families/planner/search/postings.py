"""Listings of notes and of the journal: terms, and the keys of their postings.

    P#<tenant>#<project>#planner_index#<index>#<kind>           <value>#<position>    revision
    P#<tenant>#<project>#planner_index#<index>#word#<initial>   <word>#<position>     revision, of former versions

A position sorts the postings of a term, the newest first, and ends in the id of the entry, mirrored.
"""

from hashlib import sha256
from typing import Literal

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.platform.store.keys import Key, Partition, sort_key

Index = Literal["notes", "journal"]
Kind = Literal["all", "word", "tag", "mood", "parent", "link"]

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_MIRROR = str.maketrans(_DIGITS, _DIGITS[::-1])
ID_LENGTH = 26
DAY_LENGTH = 8
_LAST_DAY = 99_999_999
_VALUE_BYTES = 200


class IndexTerm(Struct, frozen=True):
    kind: Kind
    value: str


ALL = IndexTerm("all", "all")


def bounded_term(kind: Kind, value: str) -> IndexTerm:
    """Return the term of a value of any length. Long values are hashed."""
    return IndexTerm(kind, value if len(value.encode()) <= _VALUE_BYTES else sha256(value.encode()).hexdigest())


class Postings(Struct, frozen=True):
    """The position of an entry and its terms, including `ALL`."""

    position: str
    terms: frozenset[IndexTerm]


def term_partition(scope: Scope, index: Index, term: IndexTerm) -> Partition:
    initial = (term.value[0],) if term.kind == "word" else ()
    return Partition.in_project(scope, "planner_index", index, term.kind, *initial)


def posting_key(scope: Scope, index: Index, term: IndexTerm, position: str) -> Key:
    return Key(term_partition(scope, index, term), sort_key(term.value, position))


def position_of(item_id: str, day: str | None = None) -> str:
    """Return the position of an item: by `day` (YYYY-MM-DD), if given, then by its id, a prefix and a ULID."""
    mirrored = item_id[-ID_LENGTH:].translate(_MIRROR)
    return mirrored if day is None else day_position(day) + mirrored


def day_at(position: str) -> str:
    """Return the day, YYYY-MM-DD, of a position that begins with one."""
    day = f"{_LAST_DAY - int(position[:DAY_LENGTH]):08d}"
    return f"{day[:4]}-{day[4:6]}-{day[6:]}"


def day_position(day: str) -> str:
    """Return the first position of a day. Later days sort before it."""
    return f"{_LAST_DAY - int(day.replace('-', '')):08d}"


def id_at(position: str, prefix: str) -> str:
    """Return the id of the item at a position."""
    return prefix + position[-ID_LENGTH:].translate(_MIRROR)


def id_before(position: str, prefix: str) -> str:
    """Return an id directly before a position. It is the id of the item there, plus one character if that item comes
    next."""
    at, comes_next = position[:ID_LENGTH], len(position) == ID_LENGTH
    return f"{id_at(at, prefix)}{'0' if comes_next else ''}"


def is_id_of(prefix: str, text: str) -> bool:
    """Return whether a text has the form of an id with this prefix."""
    return text.startswith(prefix) and len(text) == len(prefix) + ID_LENGTH and text.isascii()
