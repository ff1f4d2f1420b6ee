"""How long ago something was, as roughly as people say it."""

_DAY = 86_400_000
_AGES = ((1, "today"), (2, "yesterday"), (7, "this week"), (14, "last week"), (31, "this month"), (62, "last month"))
"""Up to so many days."""


def from_when(age_ms: int) -> str:
    """`from last week`; ages of up to a day are of today, whatever the clock says."""
    days = max(0, age_ms) / _DAY
    for most, words in _AGES:
        if days < most:
            return f"from {words}"
    if days < 365:
        return f"from {int(days // 30)} months ago"
    return "from over a year ago"
