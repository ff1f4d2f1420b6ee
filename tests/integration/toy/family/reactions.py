"""A reaction to the ringing of a bell."""

from collections.abc import Sequence

from almanac.kernel.events import Event
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.port import Change, Store, Update

from .records import RINGS


def echo(event: Event, services: Services) -> Sequence[Change]:
    rows = RINGS.within(services.get(Store), event.scope)
    return [Update(rows.key(str(event.payload["bell"])), set={"echoed": True})]


REACTIONS = (Reaction("toy.echo", frozenset(["bell_rung"]), echo),)
