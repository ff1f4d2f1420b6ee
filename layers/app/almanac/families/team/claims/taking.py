"""How a claim ends before its time: somebody else takes it, and says why."""

from msgspec import Struct


class Taking(Struct, frozen=True):
    """Who takes a claim of somebody else, and why."""

    holder: str
    actor: str
    reason: str
