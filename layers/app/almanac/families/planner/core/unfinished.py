"""What a change still has to do after the write that it was decided with: kept until it is done, and told, so that a
reaction does the rest however the process ends.

    P#<tenant>#<project>#planner_unfinished   <item>#<task>   Unfinished

Whoever decides writes an Unfinished with the change itself. What is gone by it is hidden from readers at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Literal

from almanac.families.calendar.model.events import When
from almanac.families.calendar.model.located_ids import PRIMARY
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import Followed
from almanac.families.planner.core.slot_moves import Move
from almanac.kernel.errors import AlmanacError
from almanac.kernel.events import new_event
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.port import Change
from almanac.platform.store.records import Record, Table

WORK_LEFT = "planner_work_left"
"""The kind of event that has a reaction go on."""
_MOST = 1000
_STEPS_AT_ONCE = 25

Task = Literal["links", "instances", "series", "below", "lift", "column", "follow"]
_TASKS: tuple[Task, ...] = ("links", "instances", "series", "below", "lift", "column", "follow")
TASKS: Mapping[str, Task] = {task: task for task in _TASKS}


class Unfinished(Record, frozen=True, kw_only=True):
    """What is left to do about `item`.

    links      the links of an item that is gone
    instances  exceptions of the series `uid` in `calendar`, and links to its instances, from `slot` on (None: all)
               go, or the links lead to `heir`; `grave` is the id of the tombstone that hides them
    series     the same now belong to the series `heir`, moved by `move` where there is one; `was` is where the series
               began. `reached` and `reached_slot` are the last link and the last exception whose turn has come
    below      notes below a note that is gone go too
    lift       notes below a note that is gone move up to `heir`
    follow     cards that are linked to the event, which `said` something else before, follow it; `reached` is the last
    column     which cards of the column are open follows whether it means done; `reached` is the rank of the last
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
    reached_slot: When | None = None
    board: str = ""
    reached: str = ""
    said: Followed | None = None


UNFINISHED = Table(Unfinished, "planner_unfinished", sort=("item", "task"))


def work_changes(planner: Planner, work: Unfinished) -> list[Change]:
    """The changes that keep it and have it done, to go into the write that it belongs to."""
    return [planner.rows(UNFINISHED).put(work), *work_event(planner, work)]


def work_event(planner: Planner, work: Unfinished) -> list[Change]:
    happened = new_event(
        WORK_LEFT,
        planner.scope,
        key=f"planner_work/{work.task}/{work.item[:400]}",
        actor=planner.actor,
        at=planner.now_ms(),
        random_bytes=planner.random_bytes,
        payload={"item_id": work.item, "task": work.task},
    )
    return outbox([happened])


def delete_work(planner: Planner, work: Unfinished) -> Change:
    return planner.rows(UNFINISHED).delete(work.item, work.task)


def find_work(planner: Planner, item: str, task: Task) -> Unfinished | None:
    return planner.rows(UNFINISHED).get(item, task)


def all_work(planner: Planner, tasks: Iterable[Task]) -> list[Unfinished]:
    """Of these tasks. Mostly there are none."""
    wanted = set(tasks)
    found = planner.rows(UNFINISHED).query(limit=_MOST).records
    return [one for one in found if one.task in wanted]


def run_steps(planner: Planner, item: str, task: Task, steps: int = _STEPS_AT_ONCE) -> bool:
    """Take some steps of what is left to do; whether there is more."""
    for _ in range(steps):
        work = find_work(planner, item, task)
        if work is None or not planner.finish_step(planner, work):
            return False
    return True


def run_now(planner: Planner, works: Sequence[Unfinished]) -> None:
    """Do what can be done at once. The change itself stands: what does not work out now is for the reaction."""
    with suppress(AlmanacError):
        for work in works:
            run_steps(planner, work.item, work.task)
