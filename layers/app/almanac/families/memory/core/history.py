"""Earlier states of a turn or memory, read from its history."""

from almanac.families.memory.core.records import MAX_HISTORY, Remembered

_REWORDED = frozenset(["rewritten", "edited"])


def was_shown(record: Remembered, as_of: int) -> bool:
    """Tell whether it was recorded by then, and search and lists had it."""
    superseded = forgotten = False
    for step in record.history:
        if step.at > as_of:
            break
        if step.what == "superseded":
            superseded = True
        elif step.what in ("forgotten", "lapsed", "faded"):
            forgotten = True
        elif step.what == "restored":
            # What was forgotten and superseded is superseded again by the first call.
            superseded, forgotten = superseded and forgotten, False
    return record.recorded_at <= as_of and not superseded and not forgotten


def worded_at(record: Remembered) -> int:
    """Return when the text was last rewritten, or recorded, in ms since 1970."""
    return max((step.at for step in record.history if step.what in _REWORDED), default=record.recorded_at)


def had_other_text(record: Remembered, as_of: int) -> bool:
    """Tell whether the record said something else then, or may have: of a long history only the first step and the last
    ones are kept."""
    has_gap = len(record.history) == MAX_HISTORY and record.history[1].at > as_of
    return has_gap or any(step.at > as_of and step.what in _REWORDED for step in record.history)
