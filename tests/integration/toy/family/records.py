"""Stored records of bells."""

from almanac.platform.store.records import Record, Table

CHECK_RINGS = "check-rings"


class Ring(Record, frozen=True, kw_only=True):
    """The last ring of a bell. A reaction sets `echoed`, a job `checked`, from `rung_at` on."""

    bell: str
    rung_at: int
    echoed: bool = False
    checked: bool = False


RINGS = Table(Ring, "rings", sort=("bell",), wakes={CHECK_RINGS: "rung_at"})
