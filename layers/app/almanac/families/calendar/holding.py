"""Holds: time that is kept for a while, visible to everybody, until it is booked, released or over."""

from datetime import datetime

from almanac.families.calendar.booking_ids import is_hold_id, new_hold_id
from almanac.families.calendar.desk import Desk, slot_between
from almanac.families.calendar.entries import shown_entry
from almanac.families.calendar.records import Hold, reach_of
from almanac.kernel.errors import InvalidInput
from almanac.kernel.firewall import admit
from almanac.platform.store.port import ConditionFailed


def hold(desk: Desk, calendar_id: str, start: datetime, end: datetime, summary: str, ttl_seconds: int) -> Hold:
    """Keeps the slot for `ttl_seconds`. Raises Conflict where it is taken."""
    slot = slot_between(start, end)
    summary = admit({"summary": summary})["summary"]
    calendar = desk.calendars.writable(calendar_id)
    patience = desk.patience()
    while True:
        calendar = desk.next_reading(calendar, patience)
        if not desk.is_clear(calendar, slot, patience):
            continue
        now = desk.calendars.now()
        held = Hold(
            calendar=calendar.id,
            reach=reach_of(*slot),
            start=slot.start,
            id=new_hold_id(now, desk.random_bytes),
            end=slot.end,
            busy=True,
            summary=summary,
            actor=desk.actor,
            expires_at=now + ttl_seconds * 1000,
        )
        try:
            desk.calendars.write(calendar, desk.filing(calendar).keep(held), new=[shown_entry(held)])
        except ConditionFailed:
            continue
        return held


def release(desk: Desk, calendar_id: str, hold_id: str) -> bool:
    """The slot is free again. False where the hold was over, released or booked already."""
    if not is_hold_id(hold_id):
        raise InvalidInput(
            f'"{hold_id[:80]}" is no hold.', "Give the hold_id that hold_slot answered with.", path="hold_id"
        )
    calendar = desk.calendars.find(calendar_id)
    patience = desk.patience()
    while True:
        calendar = desk.next_reading(calendar, patience)
        pointer = desk.calendars.pointer(calendar, hold_id)
        if pointer is None:
            return False
        try:
            desk.calendars.write(calendar, desk.filing(calendar).release(pointer.place), gone=[pointer.place])
        except ConditionFailed:
            continue
        return True
