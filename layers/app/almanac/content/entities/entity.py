"""The entity type and its kinds."""

from typing import Literal, TypeAlias

from msgspec import Struct

Kind: TypeAlias = Literal["symbol", "file", "error_code", "command", "url", "ticket"]


class Entity(Struct, frozen=True):
    """A named thing in a text, at characters `start` to `end`. `normal` is the form by which it is looked up, exactly
    or by prefix.

    Two spellings of the same thing have the same `normal`: `./Src/App.py:12` and `src/app.py`, `getUser()` and
    `getUser`.
    """

    kind: Kind
    text: str
    normal: str
    start: int
    end: int
