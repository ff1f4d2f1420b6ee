"""Ringing bells."""

from typing import Annotated

from msgspec import Meta, Struct

from almanac.protocol.tool import Effect, tool

from ..rings import Notifiers  # noqa: TID252 - the folder is written here and moves into the package


class Rung(Struct, frozen=True):
    ok: bool


class RingState(Struct, frozen=True):
    bell: str
    echoed: bool
    checked: bool


class RingListing(Struct, frozen=True):
    rings: list[RingState]


@tool(title="Ring a bell", effect=Effect.SETS)
def ring_bell(bell: Annotated[str, Meta(description="Which.", examples=["front"])], *, bells: Notifiers) -> Rung:
    """Ring a bell."""
    bells.ring(bell)
    return Rung(True)


@tool(title="List rings", effect=Effect.READS)
def list_rings(*, bells: Notifiers) -> RingListing:
    """List the bells that were rung, and what came of it."""
    return RingListing([RingState(each.bell, each.echoed, each.checked) for each in bells.rings()])
