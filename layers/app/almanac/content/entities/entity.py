"""One entity of a text."""

from typing import Literal, TypeAlias

from msgspec import Struct

Kind: TypeAlias = Literal["symbol", "file", "error_code", "command", "url", "ticket"]


class Entity(Struct, frozen=True):
    """`text` as it stands from `start` to `end`, in characters. `normal` is the form to look it up by, exact or by
    prefix.

    Two ways to write the same give the same `normal`: `./Src/App.py:12` and `src/app.py`, `getUser()` and `getUser`.
    """

    kind: Kind
    text: str
    normal: str
    start: int
    end: int
