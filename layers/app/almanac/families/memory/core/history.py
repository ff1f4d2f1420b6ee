"""Derive the earlier states of a turn or memory from its history."""

from almanac.families.memory.core.records import MAX_HISTORY, Remembered

_REWORDED = frozenset(["rewritten", "edited"])


def was_shown(record: Remembered, as_of: int) -> bool:
    """Return whether search and lists showed the record at `as_of`."""
    superseded = forgotten = False
    for step in record.history:
        if step.at > as_of:
            break
        if step.what == "superseded":
            superseded = True
        elif step.what in ("forgotten", "lapsed", "faded"):
            forgotten = True
        elif step.what == "restored":
            # Restoring a memory that was both forgotten and superseded leaves it superseded.
            superseded, forgotten = superseded and forgotten, False
    return record.recorded_at <= as_of and not superseded and not forgotten


def text_written_at(record: Remembered) -> int:
    """Return when the current text was written, in ms since 1970."""
    return max((step.at for step in record.history if step.what in _REWORDED), default=record.recorded_at)


def had_other_text(record: Remembered, as_of: int) -> bool:
    """Return whether the record had, or may have had, another text at `as_of`.

    A long history keeps only its first and its latest steps, so the answer can be uncertain."""
    has_gap = len(record.history) == MAX_HISTORY and record.history[1].at > as_of
    return has_gap or any(step.at > as_of and step.what in _REWORDED for step in record.history)
