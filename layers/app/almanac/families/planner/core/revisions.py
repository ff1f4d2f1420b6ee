"""Revisions: whoever edits may say which revision was read, and is told when somebody edited in between."""

from almanac.kernel.errors import Conflict


def check_revision(thing: str, expected: float | None, actual: int) -> None:
    """Raises Conflict unless nothing was expected or just what stands. `thing` begins a sentence: "This note"."""
    if expected is not None and expected != actual:
        raise Conflict(
            f"Edit conflict: {thing} has changed since you read it (expected revision {expected:.15g}, got {actual}).",
            "Read it again, decide whether your change still holds, and repeat the call with the new revision.",
            code="revision_conflict",
        )
