"""Errors that tell a caller what happened and what to do.

    AlmanacError(message, hint)      shown to the caller: what happened, and what to do next
      InvalidInput                   an argument has the wrong form, or contradicts another one
      NotFound                       this tenant and project have nothing with that name or id
      Conflict                       another change came first, or the name is taken
      Forbidden                      the key may not do this
      LimitExceeded                  too large or too frequent; `retry_after_seconds` is set where waiting helps
      Unavailable                    a backing service is down; the same call may work later

Any other exception is a defect. The server logs it with its cause and answers "internal error, reference <id>". Work in
the background has no caller to answer, so its defects count in a metric. A FailureWithMetric also counts in a metric of
its own.
"""

from typing import ClassVar


class AlmanacError(Exception):
    """Base of every error whose message may leave the process.

    `code` is stable and `hint` says what to do. `untrusted` is true if the message quotes text that others wrote. Such
    text is data, never instructions.
    """

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
    """An argument has the wrong form. `path` names the argument, e.g. `items[3].time_zone`."""

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
    """A background failure with a metric of its own, so that operators can tell it from others.

    Alarms refer to the metric by its name, `metric`. The failure adds `amount` to it.
    """

    metric: ClassVar[str]

    def __init__(self, message: str, amount: int = 1) -> None:
        super().__init__(message)
        self.amount = amount
