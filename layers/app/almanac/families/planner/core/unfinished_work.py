"""Work that does not fit into the write of a change. It is stored until it is done, and a reaction finishes it after a
crash.

    P#<tenant>#<project>#planner_unfinished   <item>#<task>   Unfinished

A change stores its unfinished work in the same write. Readers hide the items to delete at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Literal

from almanac.families.calendar.model.events import When
from almanac.families.calendar.model.located_ids import PRIMARY
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import EventContents
from almanac.families.planner.core.slot_moves import Move
from almanac.kernel.errors import AlmanacError
from almanac.kernel.events import new_event
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.port import Change
from almanac.platform.store.records import Record, Table

WORK_LEFT = "planner_work_left"
"""Kind of event that makes a reaction continue."""
_MOST = 1000
_STEPS_AT_ONCE = 25

Task = Literal["links", "instances", "series", "below", "lift", "column", "follow"]
_TASKS: tuple[Task, ...] = ("links", "instances", "series", "below", "lift", "column", "follow")
TASKS: Mapping[str, Task] = {task: task for task in _TASKS}


class UnfinishedWork(Record, frozen=True, kw_only=True):
    """The unfinished work about `item`.

    links      delete the links of a deleted item
    instances  delete exceptions of the series `uid` in `calendar`, and links to its instances, from `slot` on (None:
               all), or let the links lead to `heir`; `grave` is the id of the tombstone that hides them
    series     make the same exceptions and links those of the series `heir`, moved by `move` if set; `was` is the
               former start of the series, `renamed` how often its instances had got other ids if a day had
               several, `reached` and `reached_slot` the last link and exception that were moved
    below      delete the notes below a deleted note
    lift       move the notes below a deleted note up to `heir`
    follow     update cards that are linked to the event, `said` being its former contents, `reached` the last link
    column     update which cards of the column are open; `reached` is the rank of the last card
    """

    item: str
    task: Task
    calendar: str = PRIMARY
    uid: str = ""
    slot: When | None = None
    grave: str = ""
    heir: str = ""
    was: When | None = None
    move: Move | None = None
    renamed: int | None = None
    reached_slot: When | None = None
    board: str = ""
    reached: str = ""
    said: EventContents | None = None


UNFINISHED = Table(UnfinishedWork, "planner_unfinished", sort=("item", "task"))


def work_changes(planner: Planner, work: UnfinishedWork) -> list[Change]:
    """Return the changes that store the work and schedule it. Write them with the change that it belongs to."""
    return [planner.rows(UNFINISHED).put(work), *work_event(planner, work)]


def work_event(planner: Planner, work: UnfinishedWork) -> list[Change]:
    event = new_event(
        WORK_LEFT,
        planner.scope,
        key=f"planner_work/{work.task}/{work.item[:400]}",
        actor=planner.actor,
        at=planner.now_ms(),
        random_bytes=planner.random_bytes,
        payload={"item_id": work.item, "task": work.task},
    )
    return outbox([event])


def delete_work(planner: Planner, work: UnfinishedWork) -> Change:
    return planner.rows(UNFINISHED).delete(work.item, work.task)


def find_work(planner: Planner, item: str, task: Task) -> UnfinishedWork | None:
    return planner.rows(UNFINISHED).get(item, task)


def all_work(planner: Planner, tasks: Iterable[Task]) -> list[UnfinishedWork]:
    """Return all unfinished work of these tasks; usually none."""
    tasks = set(tasks)
    return [record for record in planner.rows(UNFINISHED).query(limit=_MOST).records if record.task in tasks]


def run_steps(planner: Planner, item: str, task: Task, steps: int = _STEPS_AT_ONCE) -> bool:
    """Run some steps of unfinished work. Return whether more remains."""
    for _ in range(steps):
        work = find_work(planner, item, task)
        if work is None or not planner.finish_step(planner, work):
            return False
    return True


def run_now(planner: Planner, works: Sequence[UnfinishedWork]) -> None:
    """Run as much as possible at once. The change is already written, so a failure here is left to the reaction."""
    with suppress(AlmanacError):
        for work in works:
            run_steps(planner, work.item, work.task)
