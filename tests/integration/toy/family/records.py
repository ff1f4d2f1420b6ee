"""What is stored of bells."""

from almanac.platform.store.records import Record, Table


class Ring(Record, frozen=True, kw_only=True):
    """The last ring of a bell. A reaction sets `echoed`, a job `checked`."""

    bell: str
    echoed: bool = False
    checked: bool = False


RINGS = Table(Ring, "rings", sort=("bell",))
