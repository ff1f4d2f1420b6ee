"""Errors of the port for failed responses of a provider."""

from email.utils import parsedate_to_datetime

from almanac.families.calendar.providers.transport.http import Response
from almanac.families.calendar.providers.transport.login import unsupported_schemes
from almanac.kernel.errors import AlmanacError, Conflict, Forbidden, InvalidInput, NotFound, Unavailable

_MAX_WAIT = 3600


def refusal(provider: str, response: Response, what: str) -> AlmanacError:
    """Return the error for a response. `what` is the requested object, such as "the event"."""
    status = response.status
    if status == 401:
        other = unsupported_schemes(response.headers.get("www-authenticate", ""))
        if other is not None:
            return Forbidden(
                f"{provider} requires a login method that Almanac does not support: {other}.",
                "Turn on Basic or Digest authentication there, by app password for example, and connect again.",
                code="provider_credentials",
            )
        return Forbidden(
            f"{provider} does not accept the credentials of this account.",
            "Connect the account again with `almanac calendar connect`.",
            code="provider_credentials",
        )
    if status in {402, 403, 405, 451, 501}:
        return Forbidden(f"{provider} denied access to {what}.", "Use a calendar that this account may write to.")
    if status in {404, 410}:
        return NotFound(f"{provider} does not have {what}.", "It was moved or deleted there: call list_events again.")
    if status in {409, 412}:
        return Conflict(
            f"{provider} has another version of {what}.", "Call list_events to see the current version, then decide."
        )
    if status == 429 or status >= 500 or status < 400:
        return unavailable(provider, response)
    return InvalidInput(f"{provider} rejected {what} (status {status}).", "Shorten its texts and check its times.")


def not_invited() -> InvalidInput:
    return InvalidInput(
        "The account of this calendar is not invited to the event.",
        "get_event lists who is invited. Only an invitation can be answered.",
        path="event_id",
        code="not_invited",
    )


def organizer_cannot_answer() -> InvalidInput:
    return InvalidInput(
        "The account of this calendar organizes the event, so there is no invitation to answer.",
        "Use update_booking, reschedule_booking or cancel_booking.",
        path="event_id",
        code="not_invited",
    )


def unavailable(provider: str, response: Response) -> Unavailable:
    """Return the error of a busy or broken provider, with the wait in its hint if the response has one."""
    problem = "is asked too often" if response.status == 429 else f"does not work now (status {response.status})"
    wait = retry_after(response)
    hint = f"Try again in {wait} seconds." if wait else "Try again in a moment."
    return Unavailable(f"{provider} {problem}.", hint)


def retry_after(response: Response) -> int | None:
    """Return the wait in whole seconds, at most an hour; None if the response has none, or a date without a Date to
    compare."""
    text = response.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(int(text[:9]), _MAX_WAIT)
    try:
        until, now = parsedate_to_datetime(text), parsedate_to_datetime(response.headers.get("date", ""))
        return max(0, min(int((until - now).total_seconds()), _MAX_WAIT))
    except (TypeError, ValueError):
        return None
