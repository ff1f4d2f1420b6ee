"""Which parts of a rule go together: the table and the prose of RFC 5545 3.3.10."""

from collections.abc import Iterator

from almanac.families.time.recurrence.rule import Rule
from almanac.kernel.errors import InvalidInput


def invalid_rule(message: str, hint: str) -> InvalidInput:
    """The error for a rule that cannot be used: path `rrule`, code INVALID_RRULE."""
    return InvalidInput(message, hint, path="rrule", code="INVALID_RRULE")


def refuse_forbidden_combination(rule: Rule) -> None:
    """Raises InvalidInput (code INVALID_RRULE) for the first pair of parts that exclude each other."""
    for message, hint in (*_with_frequency(rule), *_with_each_other(rule)):
        raise invalid_rule(message, hint)


def _with_frequency(rule: Rule) -> Iterator[tuple[str, str]]:
    if rule.byweekno and rule.freq != "YEARLY":
        yield f"BYWEEKNO does not go with FREQ={rule.freq}.", "Use it with FREQ=YEARLY."
    if rule.byyearday and rule.freq in ("MONTHLY", "WEEKLY", "DAILY"):
        yield f"BYYEARDAY does not go with FREQ={rule.freq}.", "Use FREQ=YEARLY, or write BYMONTH and BYMONTHDAY."
    if rule.bymonthday and rule.freq == "WEEKLY":
        yield "BYMONTHDAY does not go with FREQ=WEEKLY.", "Use FREQ=MONTHLY, or FREQ=DAILY with BYDAY."
    if _is_numbered(rule) and rule.freq not in ("YEARLY", "MONTHLY"):
        yield (
            f"BYDAY with a number does not go with FREQ={rule.freq}.",
            "Use FREQ=MONTHLY or FREQ=YEARLY, or leave the number out.",
        )


def _with_each_other(rule: Rule) -> Iterator[tuple[str, str]]:
    if rule.count is not None and rule.until is not None:
        yield "COUNT and UNTIL exclude each other.", "Keep one of them."
    if rule.byweekno and _is_numbered(rule):
        yield "BYDAY with a number does not go with BYWEEKNO.", "Leave the number out: a week has each weekday once."
    if rule.byweekno and rule.bymonthday:
        yield "BYMONTHDAY does not go with BYWEEKNO: both say which days of the year are meant.", "Keep one of them."
    others = (rule.bymonth, rule.byweekno, rule.byyearday, rule.bymonthday, rule.byday)
    if rule.bysetpos and not any((*others, rule.byhour, rule.byminute, rule.bysecond)):
        yield (
            "BYSETPOS needs another BY part to choose from.",
            "Write e.g. FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1.",
        )


def _is_numbered(rule: Rule) -> bool:
    return any(day.nth for day in rule.byday)
