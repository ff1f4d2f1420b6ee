"""Errors that tell a caller what happened and what to do.

    AlmanacError(message, hint)      shown to the caller: what happened, and what to do next
      InvalidInput                   an argument is not of its form, or does not fit the others
      NotFound                       nothing of that name or id, in this tenant and project
      Conflict                       somebody else stands there now
      Forbidden                      the key may not do this
      LimitExceeded                  too much, too often; `retry_after_seconds` where waiting helps
      Unavailable                    a backing service is down; the same call may work later

Anything else that is raised is a defect: logged with its cause, answered as "internal error, reference <id>". Behind a
call nobody is answered, and a defect there counts in a metric; a FailureWithMetric counts in one of its own as well.
"""

from typing import ClassVar


class AlmanacError(Exception):
    """Base of every error whose message may leave the process. `code` is stable; `hint` says what to do. `untrusted`:
    the message quotes what others wrote, which is data, never instructions."""

    code = "error"
    retryable = False

    def __init__(self, message: str, hint: str = "", *, code: str | None = None, untrusted: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.untrusted = untrusted
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InvalidInput(AlmanacError):
    """An argument is not of its form. `path` names it, e.g. `items[3].time_zone`."""

    code = "invalid_input"

    def __init__(
        self, message: str, hint: str = "", *, path: str = "", code: str | None = None, untrusted: bool = False
    ) -> None:
        super().__init__(message, hint, code=code, untrusted=untrusted)
        self.path = path


class NotFound(AlmanacError):
    code = "not_found"


class Conflict(AlmanacError):
    code = "conflict"


class Forbidden(AlmanacError):
    code = "forbidden"


class LimitExceeded(AlmanacError):
    code = "limit_exceeded"
    retryable = True

    def __init__(
        self, message: str, hint: str = "", *, retry_after_seconds: int | None = None, untrusted: bool = False
    ) -> None:
        super().__init__(message, hint, untrusted=untrusted)
        self.retry_after_seconds = retry_after_seconds


class Unavailable(AlmanacError):
    code = "unavailable"
    retryable = True


class FailureWithMetric(Exception):
    """A failure behind a call that operators distinguish from others by a metric. `metric` is the metric's name, which
    alarms refer to; `amount` is what this failure adds to it."""

    metric: ClassVar[str]

    def __init__(self, message: str, amount: int = 1) -> None:
        super().__init__(message)
        self.amount = amount
