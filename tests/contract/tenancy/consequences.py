"""Delivery of a world's events to the reactions of all families and to the feed's log, as workers do it."""

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


def follow_nothing(_path: Path, _store: Store, _clock: Clock, _report: Report) -> Follow:
    """Return a function that delivers nothing, for families without events."""
    return lambda: None


def follow_all(path: Path, store: Store, clock: Clock, report: Report) -> Follow:
    """Return a function that delivers all waiting events, and the events that they cause."""
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
