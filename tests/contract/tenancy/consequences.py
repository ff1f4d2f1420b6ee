"""What follows from the calls of a world: the reactions of all families and the feed's log, as workers
would deliver them."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from almanac.composition.families import every_reaction
from almanac.composition.services import services_for
from almanac.kernel.clock import Clock
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.outbox import messages_in
from almanac.platform.feed.log import LOGGING
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.changes import SqliteChanges

Follow = Callable[[], None]
Report = Callable[[str, BaseException], None]


def nothing_follows(_path: Path, _store: Store, _clock: Clock, _report: Report) -> Follow:
    """Of families that tell no events."""
    return lambda: None


def all_follows(path: Path, store: Store, clock: Clock, report: Report) -> Follow:
    """Every event that was not delivered yet, and those that come of it, until there are no more."""
    delivery, reactions, reached = (
        Delivery(store, services_for(store, clock), clock, report=report),
        (*every_reaction(), LOGGING),
        0,
    )

    def follow() -> None:
        nonlocal reached
        with closing(SqliteChanges(path)) as changes:
            while found := changes.read(reached, 1000):
                for change in found:
                    for message in messages_in(change.attributes):
                        for reaction in reactions:
                            if reaction.wants(message):
                                delivery.deliver(message, reaction, tried=True)
                    reached = change.sequence

    return follow
