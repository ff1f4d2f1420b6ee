"""Errors for expressions that cannot be read, with the nearest supported forms."""

import difflib
from functools import lru_cache

from almanac.kernel.errors import InvalidInput

_ECHO = 60
_EXAMPLES: tuple[str, ...] = (
    "now", "today", "tomorrow", "yesterday", "day after tomorrow", "tonight", "tomorrow morning", "tomorrow at 10am",
    "5pm tomorrow", "friday", "friday at 5pm", "next Monday", "this Friday", "last Wednesday", "next Tuesday at 2pm",
    "next week Monday", "Tuesday next week", "this weekend", "2pm", "2:30pm", "14:00", "noon", "midnight", "morning",
    "eob", "end of day", "half past eight", "quarter to five pm", "8 in the evening", "in 2 hours", "in 90 minutes",
    "in half an hour", "3 days ago", "a week ago", "2 months from now", "+2h", "-30m", "+1d2h30m", "in 2 business days",
    "next business day", "2 weeks from Friday", "3 days before yesterday", "next week", "next month", "last quarter",
    "this year", "start of week", "end of month", "end of next quarter", "end of March", "mid-month",
    "first Monday of March", "last day of February 2028", "third Friday of next month", "the 20th of next month",
    "March 5", "5 March 2026", "March 5, 2026 at 3pm", "Thursday, 5 March 2026", "03/18/2026", "18.03.2026",
    "2026-03-05", "2026-03-05 15:00", "2026-03-05T15:00:00Z", "2026-W09-3", "2026-064", "1772715600", "next October",
    "October 2026", "Q3 2026",
)  # fmt: skip


def echo(text: str) -> str:
    """Return the caller's text, shortened and without control characters, for a message."""
    shown = "".join(character if character.isprintable() else " " for character in text[: _ECHO + 1])
    return shown if len(shown) <= _ECHO else shown[:_ECHO] + "…"


def not_understood(text: str, unknown: str = "") -> InvalidInput:
    """Return the error for an expression outside the grammar. `unknown` is its first word outside the vocabulary."""
    near = " or ".join(f'"{example}"' for example in nearest_forms(text))
    because = f' Nothing is known of "{echo(unknown)}".' if unknown else ""
    return InvalidInput(
        f'The time expression "{echo(text)}" is not understood.{because}',
        f"Nearest supported forms: {near}; or give an RFC 3339 datetime.",
        path="expression",
        code="UNKNOWN_EXPRESSION",
    )


def impossible(message: str, hint: str) -> InvalidInput:
    """Return the error for an expression that is clear but names no existing time."""
    return InvalidInput(message, hint, path="expression", code="IMPOSSIBLE_TIME")


def ambiguous(message: str, hint: str) -> InvalidInput:
    """Return the error for an expression with two equally good readings."""
    return InvalidInput(message, hint, path="expression", code="AMBIGUOUS_EXPRESSION")


def nearest_forms(text: str) -> list[str]:
    """Return the three nearest example forms, by shared words and similar spelling."""
    lowered = text.lower()[:_ECHO]
    words = set(lowered.replace(",", " ").split())
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(lowered)

    def closeness(example: str) -> float:
        matcher.set_seq1(example.lower())
        shared = _words_of(example)
        return len(words & shared) / max(len(words), len(shared)) + matcher.ratio()

    return sorted(_EXAMPLES, key=closeness, reverse=True)[:3]


@lru_cache(maxsize=128)
def _words_of(example: str) -> frozenset[str]:
    return frozenset(example.lower().replace(",", " ").split())
