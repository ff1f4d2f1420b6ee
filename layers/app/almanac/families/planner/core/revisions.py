"""Optimistic concurrency for callers: an edit may name the revision that it is based on."""

from almanac.kernel.errors import Conflict


def check_revision(thing: str, expected: float | None, actual: int) -> None:
    """Raise Conflict if the record has another revision than expected. `thing` is the subject of the message: "this
    note"."""
    if expected is not None and expected != actual:
        raise Conflict(
            f"Edit conflict: {thing} has changed since you read it (expected revision {expected:.15g}, got {actual}).",
            "Read it again, decide whether your change still holds, and repeat the call with the new revision.",
            code="revision_conflict",
        )
