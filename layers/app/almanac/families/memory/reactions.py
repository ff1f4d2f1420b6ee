"""What memory does because of events."""

from almanac.platform.bus.port import Reaction

REACTIONS: tuple[Reaction, ...] = ()
