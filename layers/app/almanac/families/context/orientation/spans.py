"""Durations in words, as a person would say them."""

_SECOND, _MINUTE, _HOUR, _DAY = 1000, 60_000, 3_600_000, 86_400_000


def span_text(milliseconds: int) -> str:
    """Return a duration such as `14 hours 23 minutes`. Seconds are given only below a minute."""
    parts = (
        (milliseconds // _DAY, "day"),
        (milliseconds % _DAY // _HOUR, "hour"),
        (milliseconds % _HOUR // _MINUTE, "minute"),
    )
    said = [count_text(count, unit) for count, unit in parts if count]
    return " ".join(said) or count_text(milliseconds // _SECOND, "second")


def count_text(count: int, thing: str) -> str:
    """Return a count with its noun: `1 day`, `2 days`."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
